//===- AssignOps.td - Stage `assign`: tensor index notation *- tablegen -*-===//

#ifndef NACHO_IR_ASSIGN_OPS
#define NACHO_IR_ASSIGN_OPS

include "nacho/IR/NachoAttrs.td"

def Nacho_AssignOp : Nacho_Op<"assign", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments,
    Nacho_EndsWithYield, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "one statement of tensor index notation";
  let description = [{
    Binds one element of every access to a name and computes one element of the
    result from them, for all values of the indices. An element that an operand
    does not store is exactly 0, and 0 times anything is then 0. The body uses no other
    values: a number that is only known when the kernel runs is an operand without
    indices. An index that the result lacks must be reduced over. With an `init` the
    result is added to that tensor, which must be accessed and stored as the result is;
    only the widths of its index arrays may differ.

    `collect` says how the entries are collected (see `#nacho.collect`). An assignment
    that collects a `sorted_list` reduces nothing, its loops run in any order, and it
    may read the diagonal of a sparse operand. The same holds with `part_sums`, except
    that each part sums over all indices that the result lacks, or combines with the monoid
    `part_sums`. No operand has the last
    index of such a result: it holds the number of the part. With `whole_rows`, loops
    over reduced indices may lie outside of the loop over the result's last level.

    `where` has equations for indices that follow from others, as in a convolution:
    `%A[m]` where `m = i + k` is the element of A at i + k. Such an index has no loop,
    unless it is stored: a level of a sparse operand has a loop in any case, and then
    the equation is a condition. Where an equation does not hold, there is no entry. An
    equation may use indices of equations before it. Operands have the extents of all
    indices: coordinates (`nacho.coordinates`) may be operands for no other reason.

    `order` lists all indices of every term in the order of the loops. Without it,
    the loops run in an order that fits the storage of all tensors.

    `contract` lists the indices whose sums are computed on their own, by statements of
    their own (`--nacho-factor-sums`), in this order; if it is empty, no sum is. Without
    it, the compiler chooses. With `whole_entries`, one part reduces all elements of an
    entry, in order, so that the result does not depend on the parts. `sizes` has the expected number of entries of the result,
    and its extents; it guides the choice of loops that read the result.

    ```mlir
    #CSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
    func.func @scaled_add(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>,
                          %s: tensor<f64>) -> tensor<?x?xf64, #CSR> {
      %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                         %b = %B[i, j] : tensor<?x?xf64, #CSR>,
                         %f = %s[] : tensor<f64>)
          -> [i, j] : tensor<?x?xf64, #CSR> {
        %0 = nacho.binary mul %f, %b : f64
        %1 = nacho.binary add %a, %0 : f64
        nacho.yield %1 : f64
      }
      return %Z : tensor<?x?xf64, #CSR>
    }
    // y[i] = sum of A[2 * i + k] * f[k]
    func.func @convolution(%A: tensor<9xf64>, %f: tensor<3xf64>) -> tensor<4xf64> {
      %I = nacho.coordinates : tensor<4xi64>
      %y = nacho.assign (%a = %A[m] : tensor<9xf64>, %w = %f[k] : tensor<3xf64>,
                         %i = %I[i] : tensor<4xi64>)
          where (m = 2 * i + k) -> [i] : tensor<4xf64> {
        %0 = nacho.binary mul %a, %w : f64
        %1 = nacho.reduce add %0 over [k] : f64
        nacho.yield %1 : f64
      }
      return %y : tensor<4xf64>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Optional<AnyRankedTensor>:$init,
                       ArrayAttr:$accesses, ArrayAttr:$resultAccess,
                       OptionalAttr<ArrayAttr>:$order,
                       DefaultValuedAttr<Nacho_CollectAttr,
                                         "CollectKind::inOrder">:$collect,
                       OptionalAttr<ArrayAttr>:$contract,
                       OptionalAttr<DenseI64ArrayAttr>:$sizes,
                       OptionalAttr<TypedArrayAttrBase<
                           Nacho_DerivedIndexAttr, "equations of indices">>:$where,
                       UnitAttr:$whole_entries,
                       OptionalAttr<Nacho_MonoidAttr>:$part_sums);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<
      (ins "::mlir::Type":$result, "::mlir::ValueRange":$inputs, "::mlir::Value":$init,
           "::mlir::ArrayAttr":$accesses, "::mlir::ArrayAttr":$resultAccess,
           "::mlir::ArrayAttr":$order,
           CArg<"::nacho::CollectKind", "::nacho::CollectKind::inOrder">:$collect), [{
    build($_builder, $_state, result, inputs, init, accesses, resultAccess, order,
          collect, /*contract=*/nullptr, /*sizes=*/nullptr, /*where=*/nullptr,
          /*whole_entries=*/false, /*part_sums=*/nullptr);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The names of the indices by which input `n` is accessed.
    ::llvm::ArrayRef<::mlir::Attribute> getAccess(unsigned n) {
      return ::llvm::cast<::mlir::ArrayAttr>(getAccesses()[n]).getValue();
    }
    /// Whether an index of the result is the number of the part that made a sum.
    bool isPart(::mlir::Attribute index);
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }

    /// The equations for indices that follow from others.
    ::llvm::ArrayRef<::mlir::Attribute> getEquations() {
      return getWhere() ? getWhere()->getValue() : ::llvm::ArrayRef<::mlir::Attribute>();
    }
    /// The equation for an index; null if it has none.
    DerivedIndexAttr getEquation(::mlir::Attribute index);
    /// Whether the coordinates of an index are computed, since it has no loop.
    bool isComputed(::mlir::Attribute index);
    /// The indices of an access that have loops, and those from which its computed
    /// indices are computed.
    ::llvm::SmallVector<::mlir::Attribute>
    getLoopIndices(::llvm::ArrayRef<::mlir::Attribute> access);
    /// The indices from which all indices of an access follow.
    ::llvm::SmallVector<::mlir::Attribute>
    getIndependent(::llvm::ArrayRef<::mlir::Attribute> access);
  }];
}

def Nacho_StoredOp : Nacho_Op<"stored", [Pure, HasParent<"AssignOp">]> {
  let summary = "whether an element is stored";
  let description = [{
    It is true where an operand has an entry, whatever its value is; everywhere, if the
    operand is dense. Any other element is stored where the operators that compute it
    need an entry: a sum where one of its operands is, a product where all of them are. A
    number is stored everywhere.

    ```mlir
    #CSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    // Z[i, j] = pattern(A)[i, j]
    func.func @pattern(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xi1, #CSR> {
      %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
          -> [i, j] : tensor<?x?xi1, #CSR> {
        %0 = nacho.stored %a : f64
        nacho.yield %0 : i1
      }
      return %Z : tensor<?x?xi1, #CSR>
    }
    ```
  }];
  let arguments = (ins Nacho_Element:$arg);
  let results = (outs I1:$result);
  let assemblyFormat = "$arg attr-dict `:` type($arg)";
}

def Nacho_KeepOp : Nacho_Op<"keep", [
    Pure, HasParent<"AssignOp">, AllTypesMatch<["value", "result"]>]> {
  let summary = "an element that is stored only where a condition holds";
  let description = [{
    The result of the assignment has an entry exactly where the condition holds, even if
    the value is 0 there. A reduction takes no other elements than these. Any other
    operator takes 0 for an element that is not kept.

    ```mlir
    #CSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    // Z = the entries of A that are not 0
    func.func @prune(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
      %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
          -> [i, j] : tensor<?x?xf64, #CSR> {
        %zero = arith.constant 0.0 : f64
        %0 = nacho.compare ne %a, %zero : f64
        %1 = nacho.keep %a if %0 : f64
        nacho.yield %1 : f64
      }
      return %Z : tensor<?x?xf64, #CSR>
    }
    ```
  }];
  let arguments = (ins Nacho_Element:$value, I1:$condition);
  let results = (outs Nacho_Element:$result);
  let assemblyFormat = "$value `if` $condition attr-dict `:` type($value)";
}

def Nacho_CoordinatesOp : Nacho_Op<"coordinates", [Pure]> {
  let summary = "the coordinates of a dimension, as a dense tensor";
  let description = [{
    Element i of the tensor is i. Nothing stores it: an assignment that has it as an
    operand computes with the coordinates of its loops. The extent is given if the
    tensor's type does not have it.

    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    // Z[i] = A[i] * i
    func.func @weigh(%A: tensor<8xi64, #SV>) -> tensor<8xi64, #SV> {
      %I = nacho.coordinates : tensor<8xi64>
      %Z = nacho.assign (%a = %A[i] : tensor<8xi64, #SV>, %i = %I[i] : tensor<8xi64>)
          -> [i] : tensor<8xi64, #SV> {
        %0 = nacho.binary mul %a, %i : i64
        nacho.yield %0 : i64
      }
      return %Z : tensor<8xi64, #SV>
    }
    ```
  }];
  let arguments = (ins Optional<Index>:$extent);
  let results = (outs TensorRankOf<[I64], [1]>:$result);
  let assemblyFormat = "($extent^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Nacho_MonoidOp : Nacho_Op<"monoid", [
    Symbol, IsolatedFromAbove, Nacho_EndsWithYield, SingleBlock]> {
  let summary = "an operator that reduces, defined by a region";
  let description = [{
    The region combines two elements. The operator must be associative and commutative,
    and combining the `identity` with an element must give that element: the compiler
    chooses in which order elements are combined, and where reductions begin.

    ```mlir
    #CSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    #V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>
    // The probability that one of two independent events happens, or both do.
    nacho.monoid @either identity 0.0 : f64 {
    ^bb0(%x: f64, %y: f64):
      %sum = nacho.binary add %x, %y : f64
      %both = nacho.binary mul %x, %y : f64
      %0 = nacho.binary sub %sum, %both : f64
      nacho.yield %0 : f64
    }
    // y[i] = the probability that an event of A[i] happens
    func.func @any_of(%A: tensor<?x?xf64, #CSR>) -> tensor<?xf64, #V> {
      %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>)
          -> [i] : tensor<?xf64, #V> {
        %0 = nacho.reduce @either %a over [j] : f64
        nacho.yield %0 : f64
      }
      return %y : tensor<?xf64, #V>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypedAttrInterface:$identity);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `identity` $identity attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Type getElement() { return getIdentity().getType(); }
    /// x combined with y.
    ::mlir::Value emit(::mlir::ImplicitLocOpBuilder &b, ::mlir::Value x,
                       ::mlir::Value y);
  }];
}

def Nacho_ReduceOp : Nacho_Op<"reduce", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>, HasParent<"AssignOp">, AllTypesMatch<["value", "result"]>]> {
  let summary = "an element reduced over all values of some indices";
  let description = [{
    An assignment can only yield a sum whose terms are reductions or unreduced values.
    `#nacho.monoid` says which elements a reduction combines.

    ```mlir
    #CSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    #V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>
    // y[i] = A[i, j] * x[j]
    func.func @spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #V>)
        -> tensor<?xf64, #V> {
      %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                         %b = %x[j] : tensor<?xf64, #V>)
          -> [i] : tensor<?xf64, #V> {
        %0 = nacho.binary mul %a, %b : f64
        %1 = nacho.reduce add %0 over [j] : f64
        nacho.yield %1 : f64
      }
      return %y : tensor<?xf64, #V>
    }
    ```
  }];
  let arguments = (ins Nacho_MonoidAttr:$monoid, Nacho_Element:$value,
                       ArrayAttr:$indices);
  let results = (outs Nacho_Element:$result);
  let assemblyFormat = [{
    `` $monoid $value `over` custom<Access>($indices) attr-dict
    `:` type($value)
  }];
  let hasVerifier = 1;
}

def Nacho_YieldOp : Nacho_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "ends a region of a nacho op and passes its values on";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // NACHO_IR_ASSIGN_OPS
