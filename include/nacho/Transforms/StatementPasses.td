//===- StatementPasses.td - Passes that split and merge statements --------===//

#ifndef NACHO_TRANSFORMS_STATEMENTPASSES
#define NACHO_TRANSFORMS_STATEMENTPASSES

include "mlir/Pass/PassBase.td"

def NachoFuseOps : Pass<"nacho-fuse-ops", "::mlir::ModuleOp"> {
  let summary = "Make one op of two ops of linalg, where one reads the other";
  let description = [{
    A tensor that an op of linalg computes, and nobody reads but one other op with sparse
    operands, is not made. An op that computes each element from elements at the same
    place is inlined where its elements are read, as MLIR's `linalg` does; unless that
    would compute a function, such as a sine, several times for an element.

    A sum that is read as a factor of a product becomes part of it, if another factor of
    the product is a sparse operand: only sums at its entries are computed then. The
    operands of the sum may be sparse, too.

    Before:
    ```mlir
    %T = linalg.matmul ins(%A, %B : tensor<?x?xf64>, tensor<?x?xf64>) outs(%zeros)
    %Z = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                         affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%S, %T : tensor<?x?xf64, #CSR>, tensor<?x?xf64>) outs(%empty) {
    ^bb0(%s: f64, %t: f64, %z: f64):
      %0 = arith.mulf %s, %t : f64
      linalg.yield %0 : f64
    }
    ```
    After:
    ```mlir
    %Z = linalg.generic {
        indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, k)>,
                         affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%S, %A, %B) outs(%empty) {
    ^bb0(%s: f64, %a: f64, %b: f64, %z: f64):
      %0 = arith.mulf %a, %b : f64
      %1 = arith.mulf %s, %0 : f64
      %2 = arith.addf %z, %1 : f64
      linalg.yield %2 : f64
    }
    ```
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "Say which ops have been fused">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::complex::ComplexDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def NachoSeparateOps : Pass<"nacho-separate-ops", "::mlir::ModuleOp"> {
  let summary = "Give each linalg op of a function a function of its own";
  let description = [{
    Where a function has several ops of linalg, or several results, each op becomes the
    only one of a private function, from which a kernel can be made, and a call of it.
    What an op reads is passed, but for constants, and outputs that have no elements yet
    or are filled with a constant. `sparse_tensor.convert` of a sparse tensor is such an
    op, too: it copies.

    Before:
    ```mlir
    func.func @f(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y0: tensor<?xf64>)
        -> tensor<?xf64> {
      %T = linalg.generic ... ins(%A) outs(%empty) ...
      %y = linalg.matvec ins(%T, %x) outs(%y0)
      return %y : tensor<?xf64>
    }
    ```
    After:
    ```mlir
    func.func private @f_0(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
      %T = linalg.generic ... ins(%A) outs(%empty) ...
      return %T : tensor<?x?xf64, #CSR>
    }
    func.func private @f_1(%T: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>,
                           %y0: tensor<?xf64>) -> tensor<?xf64> {
      %y = linalg.matvec ins(%T, %x) outs(%y0)
      return %y : tensor<?xf64>
    }
    func.func @f(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y0: tensor<?xf64>)
        -> tensor<?xf64> {
      %T = call @f_0(%A)
      %y = call @f_1(%T, %x, %y0)
      return %y : tensor<?xf64>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def NachoSplitBlocks : Pass<"nacho-split-blocks", "::mlir::ModuleOp"> {
  let summary = "Give tensors in blocks two indices for each one that is split";
  let description = [{
    A tensor in blocks, such as BSR, has two levels for one dimension: the number of the
    block (`i floordiv 2`), and the place inside of it (`i mod 2`). Each of them becomes
    a dimension with an index of its own, `i0` and `i1`; so does each of the same index
    of all other tensors of the statement. No array changes: a dense vector of 8
    elements has 4 times 2 elements then. The attribute `nacho.blocks` tells callers of
    the function the sizes of the blocks by which an argument or the result was split.

    The coordinates of another sparse tensor would change, such as those of one in CSR
    that shares an index with one in blocks. A list takes its place: of an operand, one
    of its entries by `i0` and `i1`; of a result, one by `i`, of which the result is
    made. Refused are an index in blocks of different sizes, a tensor with blocks in
    other dimensions than those whose indices are in blocks, and an extent that is known
    not to be a multiple of the block.

    Before:
    ```mlir
    func.func @f(%A: tensor<?x?xf64, #BSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
      %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #BSR>,
                         %b = %x[j] : tensor<?xf64>) -> [i] : tensor<?xf64> {
        %0 = nacho.binary mul %a, %b : f64
        %1 = nacho.reduce add %0 over [j] : f64
        nacho.yield %1 : f64
      }
    ```
    After:
    ```mlir
    func.func @f(%A: tensor<?x?x2x2xf64, #DSDD> {nacho.blocks = array<i64: 2, 2>},
                 %x: tensor<?x2xf64> {nacho.blocks = array<i64: 2>})
        -> (tensor<?x2xf64> {nacho.blocks = array<i64: 2>}) {
      %y = nacho.assign (%a = %A[i0, j0, i1, j1] : tensor<?x?x2x2xf64, #DSDD>,
                         %b = %x[j0, j1] : tensor<?x2xf64>)
          -> [i0, i1] : tensor<?x2xf64> {
        %0 = nacho.binary mul %a, %b : f64
        %1 = nacho.reduce add %0 over [j0, j1] : f64
        nacho.yield %1 : f64
      }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::nacho::NachoDialect",
                           "::mlir::tensor::TensorDialect"];
}

def NachoSetIndexWidths : Pass<"nacho-set-index-widths", "::mlir::ModuleOp"> {
  let summary = "Give index arrays of the default width 64 bits";
  let description = [{
    An encoding without widths stands for arrays of MLIR's type `index`. In kernels, only
    Nacho's own arrays have such elements: what is loaded from the others has to be
    compared with a bound (`--nacho-verify-contract`).

    Before:
    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    ```
    After:
    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed),
                                     posWidth = 64, crdWidth = 64 }>
    ```
  }];
}

def NachoSeparateReductions : Pass<"nacho-separate-reductions", "::mlir::ModuleOp"> {
  let summary = "Compute reductions inside of expressions on their own";
  let description = [{
    An assignment can only yield a sum whose terms are reductions or unreduced values.
    Any other reduction becomes a statement of its own, those inside of others first.
    If it keeps one index, it is a dense vector. If it keeps more, it has an entry
    wherever its value has one for some of the indices that it is reduced over: it is
    stored as a sparse tensor, with 64-bit positions, unless its value has entries
    everywhere.

    Before:
    ```mlir
    %y = nacho.assign (%a = %A[i, j] : ...) -> [i] {
      %0 = nacho.reduce max %a over [j] : f64
      %1 = nacho.unary sqrt %0 : f64
      nacho.yield %1 : f64
    }
    ```
    After:
    ```mlir
    %T = nacho.assign (%a = %A[i, j] : ...) -> [i] : tensor<?xf64> {
      %0 = nacho.reduce max %a over [j] : f64
      nacho.yield %0 : f64
    } {sizes = array<i64: 100000, 100000>}
    %y = nacho.assign (%t = %T[i] : tensor<?xf64>) -> [i] {
      %1 = nacho.unary sqrt %t : f64
      nacho.yield %1 : f64
    }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoListSlices : Pass<"nacho-list-slices", "::mlir::ModuleOp"> {
  let summary = "List the entries of sparse slices";
  let description = [{
    For each slice of a sparse tensor (`nacho.slice`), a statement lists its entries;
    all others read the list. The dimensions of the list are in the order in which the
    tensor's levels store them. The elements of a dense slice are located where they
    are.

    The cost of the statement is that of the coordinates between the ends of the slice:
    levels that store coordinates are searched for the ends, once for each fiber. What
    lies between them and is skipped by a stride is visited, and left out.

    Before:
    ```mlir
    %S = nacho.slice %A[%o, 5] [4, 3] [2, 1] : tensor<?x?xf64, #CSR> to tensor<4x3xf64, #CSR>
    %y = nacho.assign (%s = %S[i, j] : ..., %v = %x[j] : ...) -> [i] {
      %0 = nacho.binary mul %s, %v : f64
      %1 = nacho.reduce add %0 over [j] : f64
      nacho.yield %1 : f64
    }
    ```
    After:
    ```mlir
    %S = nacho.slice %A[%o, 5] [4, 3] [2, 1] : tensor<?x?xf64, #CSR> to tensor<4x3xf64, #CSR>
    %E = nacho.assign collect<sorted_list> (%s = %S[i, j] : ...) -> [i, j] {
      nacho.yield %s : f64
    }
    %y = nacho.assign (%s = %E[i, j] : ..., %v = %x[j] : ...) -> [i] {
      %0 = nacho.binary mul %s, %v : f64
      %1 = nacho.reduce add %0 over [j] : f64
      nacho.yield %1 : f64
    }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoSolveEquations : Pass<"nacho-solve-equations", "::mlir::ModuleOp"> {
  let summary = "Give sparse operands at sums of indices loops of their own";
  let description = [{
    Where a dense operand is accessed by an index that follows from others, such as
    `m = i + k`, its elements are located. The levels of a sparse operand need loops, so
    that no loop looks for elements that are not stored: the equation is solved for
    another index, `i = m - k`. A statement of its own lists the entries of the operand,
    at the indices `i` and `k`; the first statement reads the list. The whole term is
    listed if several sparse operands are factors of it.

    An equation is solved for an index that no sparse operand of the list's statement
    stores, for one of the result if there is one. If there is none, the equation is a
    condition on the loops; then operands are listed apart, if that avoids it.

    If only dense operands have equations, loops over the result's indices but the last
    come first, so that parts can be cut between them.

    Before:
    ```mlir
    %I = nacho.coordinates : tensor<6xi64>
    %O = nacho.assign (%a = %A[m, n] : ..., %f = %F[k, l] : ..., %i = %I[i], %j = %I[j])
        where (m = i + k, n = j + l) -> [i, j] {
      %0 = nacho.binary mul %a, %f : f64
      %1 = nacho.reduce add %0 over [k, l] : f64
      nacho.yield %1 : f64
    }
    ```
    After:
    ```mlir
    %E = nacho.assign collect<sorted_list> (%a = %A[m, n] : ..., %f = %F[k, l] : ...,
                                            %i = %I[i], %j = %I[j])
        where (i = m - k, j = n - l) -> [i, j, k, l] {
      %0 = nacho.binary mul %a, %f : f64
      nacho.yield %0 : f64
    }
    %O = nacho.assign (%e = %E[i, j, k, l] : ...) -> [i, j] {
      %1 = nacho.reduce add %e over [k, l] : f64
      nacho.yield %1 : f64
    } {whole_entries}
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoFactorSums : Pass<"nacho-factor-sums", "::mlir::ModuleOp"> {
  let summary = "Compute sums of some factors of a product on their own";
  let description = [{
    A sum of a product of several factors becomes several statements: a factor that
    lacks an index is taken out of the sum over this index. The sums are chosen that
    are expected to cost least, by the sizes of operands in the attributes `nacho.sizes`
    of the function's arguments; a product stays whole if that is not clearly cheaper,
    or if `order` is given. Instead, `contract` may list the indices that are to have
    sums of their own, in order. A remark tells which sums were made, and why.

    A sum has an entry only where its product has one: it is stored as a sparse tensor,
    with 64-bit positions, unless all its factors are dense. So the result has the same
    entries as before. Only sums are factored, no other reductions, and only where
    factors are 0 where their operands are absent.

    Before:
    ```mlir
    %y = nacho.assign (%a = %A[i, j] : ..., %b = %B[j, k] : ..., %v = %x[k] : ...) -> [i] {
      %0 = nacho.binary mul %a, %b : f64
      %1 = nacho.binary mul %0, %v : f64
      %2 = nacho.reduce add %1 over [j, k] : f64
      nacho.yield %2 : f64
    }
    ```
    After:
    ```mlir
    %T = nacho.assign (%b = %B[j, k] : ..., %v = %x[k] : ...) -> [j] : tensor<?xf64, #SV> {
      %0 = nacho.binary mul %b, %v : f64
      %1 = nacho.reduce add %0 over [k] : f64
      nacho.yield %1 : f64
    } {sizes = array<i64: 100000, 100000>}
    %y = nacho.assign (%a = %A[i, j] : ..., %t = %T[j] : tensor<?xf64, #SV>) -> [i] {
      %0 = nacho.binary mul %a, %t : f64
      %1 = nacho.reduce add %0 over [j] : f64
      nacho.yield %1 : f64
    }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

#endif // NACHO_TRANSFORMS_STATEMENTPASSES
