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

def Nacho_CoiterateOp : Nacho_Op<"coiterate", [
    AttrSizedOperandSegments, Nacho_EndsWithYield,
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<Nacho_FiberMakerOpInterface>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, [
      "getRegionIterArgs", "getYieldedValuesMutable", "getLoopResults"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
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

    The attribute `index_name` is the index that the loop runs over: its coordinate
    is printed by this name, and the parser takes the name from there. Plans give
    the coordinates of cuts by it. It is only printed as an attribute where another
    value has taken the name: `%i_0 ... {index_name = "i"}`.

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
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$nonempty,
                       OptionalAttr<StrAttr>:$index_name);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$fibers, "::mlir::ValueRange":$guards,
                   "::mlir::Value":$extent, "MergeAttr":$merge,
                   "::mlir::StringAttr":$indexName,
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

#endif // NACHO_IR_LOOP_OPS
