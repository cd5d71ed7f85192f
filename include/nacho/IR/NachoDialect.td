//===- NachoDialect.td - The nacho dialect ---------------*- tablegen -*-===//
//
// Sparse tensor algebra as load-balanced parallel loops. The ops are grouped
// by the stage of the pipeline in which they appear, with a few files per stage.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_DIALECT
#define NACHO_IR_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nacho_Dialect : Dialect {
  let name = "nacho";
  let cppNamespace = "::nacho";
  let summary = "Load-balanced parallel sparse tensor algebra";
  let description = [{
    The dialect takes one statement of tensor algebra down to parallel loops in
    which every worker gets the same amount of work:

    | stage       | ops                                                     |
    |-------------|---------------------------------------------------------|
    | `assign`    | `nacho.assign`: tensor index notation                   |
    | `loops`     | `nacho.nest`, `nacho.coiterate`: coiterative loops      |
    | `partition` | `nacho.partition`, `nacho.search`, `nacho.cost`         |
    | `assemble`  | `nacho.parallel`, `nacho.exclusive_scan` over buffers   |

    Operands and results are ranked tensors with MLIR's own
    `#sparse_tensor.encoding`. A *level* is one storage level of a tensor, a
    *position* an index into a level's arrays, a *coordinate* an index into the
    dimension the level stores, a *fiber* the children of one position.

    An argument of a function may have the attribute `nacho.sizes`, an array of its
    expected number of entries and its extents, by which the order of loops is
    chosen. The *skew* of each dimension may follow: by which factor its entries have
    the same coordinates in this dimension as those of another operand more often than
    if both were spread evenly. It is 1 if nothing is known of that.

    What callers have to know of a function is the `#nacho.step` that is its attribute
    `nacho.step`. A load of an index that is a coordinate or a position, so that it is
    no larger than an extent or the length of an array, has the attribute `nacho.place`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The attribute of an argument of a function that gives its expected number of
    /// entries, its extents, and possibly the skew of its dimensions.
    static constexpr ::llvm::StringLiteral kSizesAttrName = "nacho.sizes";
    /// The attribute of a function that holds its StepAttr, which callers read.
    static constexpr ::llvm::StringLiteral kStepAttrName = "nacho.step";
    /// The attribute of a load of a coordinate or a position.
    static constexpr ::llvm::StringLiteral kPlaceAttrName = "nacho.place";
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::sparse_tensor::SparseTensorDialect"
  ];
}

def Nacho_EndsWithYield : NativeOpTrait<"EndsWithYield"> {
  let cppNamespace = "::nacho";
}

class Nacho_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nacho_Dialect, mnemonic, traits>;

#endif // NACHO_IR_DIALECT
