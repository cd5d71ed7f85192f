//===- LoopOps.td - Stage `loops`: coiterative loops -----*- tablegen -*-===//
//
// Upstream's `sparse_tensor.coiterate` is not used, since it has one region per
// point of the merge lattice (3^n for n operands), and has no positions as
// operands, no bounds and no cost. A coiteration here has one region for any number
// of operands, represents an absent operand by an absent fiber, and can be cut.
// Upstream's encoding and storage ops are used unchanged.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_LOOP_OPS
#define NACHO_IR_LOOP_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/FiberInterfaces.td"
include "nacho/IR/NachoTypes.td"
include "mlir/Interfaces/LoopLikeInterface.td"

def Nacho_RootOp : Nacho_Op<"root", [
    Pure, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>]> {
  let summary = "a whole tensor as the fiber above its first level";
  let description = [{
    `input` is the number of the assignment's input that this access reads. A tensor
    that a nest has collected as a `scanned_list` is read as such: all fibers of it say
    so in their types.

    ```mlir
    #DCSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
    func.func @f(%A: tensor<?x?xf64, #DCSR>) {
      %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
      return
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor, OptionalAttr<I64Attr>:$input,
                       UnitAttr:$scannedList);
  let results = (outs Nacho_FiberType:$fiber);
  let assemblyFormat = [{
    $tensor (`scanned_list` $scannedList^)? `:` type($tensor) attr-dict
  }];
  let hasVerifier = 1;
}

def Nacho_NestOp : Nacho_Op<"nest", [SingleBlock]> {
  let summary = "a loop nest whose appends make up one result";
  let description = [{
    The body is one chain of `nacho.coiterate` ops; other loops inside the chain have
    no fibers. Entries are appended in the order of the result's levels. With `reduce`,
    the entries appended at the same coordinates are reduced to one. Reduced loops lie
    inside the loops over the result's coordinates, except that loops over all
    coordinates of the result's last levels may lie inside reduced loops. A `finish`
    region computes the entry from several reductions, one per argument.

    `collect` says how the nest collects entries that are not appended in that order
    (see `#nacho.collect`). With `part_sums` and `whole_rows`, a workspace holds one
    row: the entries of one level inside the *outer* loops, which are the loops before
    the first loop whose coordinate is not appended. When the outer loops move on, the
    row is appended and the workspace is emptied. A nest that collects `whole_rows`
    reduces by addition, and only its outer loops are cut.

    With `cuts` the nest runs part by part. Once `--nacho-bound-loops` has bounded the
    loops, the body has two arguments: the cuts where the current part begins and ends.
    The cuts go through the outermost loops; the loops inside those run as a whole.

    ```mlir
    #DCSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
    !A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
    !A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
    !A2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
    // while i <- rows(A) u rows(B):
    //   while j <- cols(A[i]) u cols(B[i]):
    //     Z[i, j] = A[i, j] + B[i, j]
    func.func @dcsr_add(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
        -> tensor<?x?xf64, #DCSR> {
      %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
      %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
      %Z = nacho.nest : tensor<?x?xf64, #DCSR> {
        nacho.coiterate %i of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in union(%A1, %B1) {
          nacho.coiterate %j of (%A2 = %A1 : !A1, %B2 = %B1 : !A1) in union(%A2, %B2) {
            %a = nacho.load %A2 : !A2
            %b = nacho.load %B2 : !A2
            %z = nacho.binary add %a, %b : f64
            nacho.append %z at (%i, %j) : f64
          }
        }
        nacho.yield
      }
      return %Z : tensor<?x?xf64, #DCSR>
    }
    ```
  }];
  let arguments = (ins Optional<Nacho_CutsType>:$cuts,
                       OptionalAttr<Nacho_BinaryKindAttr>:$reduce,
                       DefaultValuedAttr<Nacho_CollectAttr,
                                         "CollectKind::inOrder">:$collect);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$finish);
  let assemblyFormat = [{
    (`collect` `` $collect^)? (`reduce` `` $reduce^)?
    (`in` $cuts^ `:` type($cuts))? attr-dict
    `:` type($result) $body (`finish` $finish^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The loops of the chain, outermost first.
    ::llvm::SmallVector<CoiterateOp> getLoops();
    /// The types of the appended values, one for each reduction.
    ::llvm::SmallVector<::mlir::Type> getAppendedTypes();
    /// How many loops may be cut, counted from the outermost.
    unsigned getMaxCutLoops();
    /// The loops of the chain that are cut, outermost first.
    ::llvm::SmallVector<CoiterateOp> getCutLoops();
  }];
}

def Nacho_CoiterateOp : Nacho_Op<"coiterate", [
    AttrSizedOperandSegments, SingleBlockImplicitTerminator<"YieldOp">,
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, [
      "getRegionIterArgs", "getYieldedValuesMutable", "getLoopResults"]>]> {
  let summary = "visit the merged coordinates of any number of fibers in order";
  let description = [{
    Runs the body for every coordinate, in increasing order, at which the merge
    expression holds. The body gets the coordinate and each operand's fiber there,
    which is absent where the operand does not store the coordinate. Values are
    carried around the loop like those of `scf.for`.

    `to` gives the number of coordinates; without `to` it is the extent of the fibers,
    so a loop without fibers needs `to`. Fibers that are `given` are not stepped
    through: the merge expression only asks whether they are present. The children
    named in `nonempty` count as present only where they have children themselves.

    `between` restricts the loop to a part: the coordinates from the lower cut's to the
    upper cut's. If loops inside are cut too, the upper cut's coordinate is included,
    since the rest of the part may lie inside of it. Cuts that are not *on* do not
    clip. The body gets the cuts that remain for the loops inside.

    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    !A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
    // The number of coordinates in A u (B n C), within one part.
    func.func @count(%A0: !A0, %B0: !A0, %C0: !A0,
                     %lo: !nacho.cut<3>, %hi: !nacho.cut<3>) -> index {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %count = nacho.coiterate %i of (%A1 = %A0 : !A0, %B1 = %B0 : !A0, %C1 = %C0 : !A0)
          in union(%A1, intersect(%B1, %C1))
          between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<3>)
          iter_args(%n = %zero : index) {
        %next = arith.addi %n, %one : index
        nacho.yield %next : index
      }
      return %count : index
    }
    ```
  }];
  let arguments = (ins Variadic<Nacho_FiberType>:$fibers,
                       Variadic<Nacho_FiberType>:$guards,
                       Optional<Index>:$extent,
                       Optional<Nacho_CutType>:$lower,
                       Optional<Nacho_CutType>:$upper,
                       Variadic<AnyType>:$inits,
                       Nacho_MergeAttr:$merge,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$nonempty);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$fibers, "::mlir::ValueRange":$guards,
                   "::mlir::Value":$extent, "MergeAttr":$merge,
                   CArg<"::mlir::Value", "{}">:$lower,
                   CArg<"::mlir::Value", "{}">:$upper,
                   CArg<"::mlir::ValueRange", "{}">:$inits)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    bool isBounded() { return static_cast<bool>(getLower()); }
    // The body's arguments: coordinate, fibers, cuts if bounded, carried values.
    ::mlir::BlockArgument getCoordinate() {
      return getBodyBlock()->getArgument(0);
    }
    ::mlir::ValueRange getChildren() {
      return getBodyBlock()->getArguments().slice(1, getFibers().size());
    }
    ::mlir::Value getInnerLower() {
      return getBodyBlock()->getArgument(1 + getFibers().size());
    }
    ::mlir::Value getInnerUpper() {
      return getBodyBlock()->getArgument(2 + getFibers().size());
    }
    ::mlir::ValueRange getCarried() {
      return getBodyBlock()->getArguments().take_back(getInits().size());
    }
    /// The loop directly inside; null if there is none.
    CoiterateOp getInnerLoop();
    /// The types of the arguments of the body.
    static ::llvm::SmallVector<::mlir::Type>
    getBodyTypes(::mlir::MLIRContext *context, ::mlir::ValueRange fibers,
                 CutType cut, ::mlir::ValueRange inits);
  }];
}

def Nacho_LoadOp : Nacho_Op<"load", [Pure, InferTypeOpAdaptor]> {
  let summary = "the value of an element, exactly 0 where it is absent";
  let description = [{
    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    func.func @f(%A1: !nacho.fiber<tensor<?xf32, #SV>, 1>) -> f32 {
      %a = nacho.load %A1 : !nacho.fiber<tensor<?xf32, #SV>, 1>
      return %a : f32
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$element);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$element attr-dict `:` type($element)";
  let hasVerifier = 1;
}

def Nacho_LocateOp : Nacho_Op<"locate", [Pure, AttrSizedOperandSegments]> {
  let summary = "the element of a dense tensor at given coordinates";
  let description = [{
    Where the condition is false, or a coordinate lies outside of the tensor, nothing is
    read and the value is 0. The coordinate of a loop over all coordinates of an index
    is not checked, since the loop and the tensor have the same extent.

    With the mask `lanes` the value is a vector of the elements stored from there on,
    one for each lane. A lane that is not set is not read, and is 0.

    ```mlir
    func.func @f(%X: tensor<?x?xf64>, %j: index, %k: index, %p: i1, %mask: vector<4xi1>)
        -> (f64, f64, vector<4xf64>) {
      %x = nacho.locate %X[%j, %k] : tensor<?x?xf64>
      %y = nacho.locate %X[%j, %k] if %p : tensor<?x?xf64>
      %z = nacho.locate %X[%j, %k] lanes %mask : tensor<?x?xf64>, vector<4xi1>
      return %x, %y, %z : f64, f64, vector<4xf64>
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor, Variadic<Index>:$coordinates,
                       Optional<I1>:$condition,
                       Optional<VectorOfRankAndType<[1], [I1]>>:$lanes);
  let results = (outs AnyType:$value);
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor,
                                 "::mlir::ValueRange":$coordinates,
                                 CArg<"::mlir::Value", "{}">:$condition,
                                 CArg<"::mlir::Value", "{}">:$lanes)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Nacho_PresentOp : Nacho_Op<"present", [Pure]> {
  let summary = "whether a fiber is present";
  let description = [{
    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    func.func @f(%A1: !nacho.fiber<tensor<?xf32, #SV>, 1>) -> i1 {
      %0 = nacho.present %A1 : !nacho.fiber<tensor<?xf32, #SV>, 1>
      return %0 : i1
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber);
  let results = (outs I1:$present);
  let assemblyFormat = "$fiber attr-dict `:` type($fiber)";
}

// An element has no children, so the verifier rejects it. Until the verifier runs,
// the child of an element gets the type of the element.
def Nacho_FindOp : Nacho_Op<"find", [
    Pure, DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>,
    TypesMatchWith<"child is one level further down", "fiber", "child", [{
      ::llvm::cast<FiberType>($_self).isElement()
          ? $_self
          : ::mlir::Type(::llvm::cast<FiberType>($_self).getChild())
    }]>]> {
  let summary = "the child of a fiber at any coordinate";
  let description = [{
    The child is absent where the fiber does not store the coordinate; coordinates must
    be unique. A coiteration steps through the fiber; `find` instead looks the
    coordinate up in a table of the children's positions. Assembly adds the table.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    !M1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
    !M2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
    func.func @f(%M1: !M1, %k: index, %table: !nacho.workspace<i64>) -> (!M2, !M2) {
      %0 = nacho.find %k in %M1 : !M1
      %1 = nacho.find %k in %M1 : !M1 by %table : !nacho.workspace<i64>
      return %0, %1 : !M2, !M2
    }
    ```
  }];
  let arguments = (ins Index:$coordinate, Nacho_FiberType:$fiber,
                       Optional<Nacho_WorkspaceType>:$table);
  let results = (outs Nacho_FiberType:$child);
  let assemblyFormat = [{
    $coordinate `in` $fiber `:` type($fiber) (`by` $table^ `:` type($table))?
    attr-dict
  }];
  let hasVerifier = 1;
}

def Nacho_PartOp : Nacho_Op<"part", [Pure]> {
  let summary = "the number of the part that runs these loops";
  let description = [{
    Distinguishes the sums of different parts in a nest that collects `part_sums`.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    #List = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
    !A0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
    !A1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
    !A2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
    // E[j, part] = the part's sum of A[i, j] over i
    func.func @columns(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #List> {
      %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
      %E = nacho.nest collect<part_sums> : tensor<?x?xf64, #List> {
        nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
          nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
            %a = nacho.load %A2 : !A2
            %part = nacho.part
            nacho.append %a at (%j, %part) : f64
          }
        }
        nacho.yield
      }
      return %E : tensor<?x?xf64, #List>
    }
    ```
  }];
  let results = (outs Index:$part);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Nacho_RestrictOp : Nacho_Op<"restrict", [
    Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "a value where a merge expression holds, and exactly 0 elsewhere";
  let description = [{
    Keeps `0 * inf` at 0 where the 0 is an absent entry.

    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    !A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
    func.func @f(%v: f64, %A1: !A1, %B1: !A1) -> f64 {
      %0 = nacho.restrict %v to intersect(%A1, %B1) : f64 of !A1, !A1
      return %0 : f64
    }
    ```
  }];
  let arguments = (ins AnyType:$value, Variadic<Nacho_FiberType>:$fibers,
                       Nacho_MergeAttr:$merge);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Nacho_AppendOp : Nacho_Op<"append", [AttrSizedOperandSegments]> {
  let summary = "append an entry to the result of the nest";
  let description = [{
    The coordinates are those of the result's levels, outermost first. Where the
    condition is false nothing is appended. `to` gives the number of the reduction, in
    a nest that has a `finish` region. See `nacho.nest` for an example.
  }];
  let arguments = (ins AnyType:$value, DefaultValuedAttr<I64Attr, "0">:$number,
                       Variadic<Index>:$coordinates, Optional<I1>:$condition);
  let assemblyFormat = [{
    $value (`to` $number^)? `at` `(` $coordinates `)` (`if` $condition^)? attr-dict
    `:` type($value)
  }];
  let hasVerifier = 1;
}

#endif // NACHO_IR_LOOP_OPS
