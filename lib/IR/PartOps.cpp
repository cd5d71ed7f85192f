//===- PartOps.cpp - Counters and sums of a part --------------------------===//

#include "nacho/IR/Nacho.h"
#include "nacho/IR/Operators.h"
#include "nacho/IR/Syntax.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nacho;

namespace {
/// Syntax: `(%value : type, ...)`
struct TypedOperands {
  SmallVector<OpAsmParser::UnresolvedOperand> names;
  SmallVector<Type> types;

  ParseResult parse(OpAsmParser &parser) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
      return failure(parser.parseOperand(names.emplace_back()) ||
                     parser.parseColonType(types.emplace_back()));
    });
  }
};
} // namespace

static void printTyped(OpAsmPrinter &printer, ValueRange values) {
  printer << '(';
  llvm::interleaveComma(values, printer, [&](Value value) {
    printer << value << " : " << value.getType();
  });
  printer << ')';
}

/// Syntax: `between (%lo, %hi : type)`, or nothing.
static ParseResult parseCuts(OpAsmParser &parser, TypedOperands &cuts) {
  if (failed(parser.parseOptionalKeyword("between")))
    return success();
  Type type;
  if (parser.parseLParen() || parser.parseOperand(cuts.names.emplace_back()) ||
      parser.parseComma() || parser.parseOperand(cuts.names.emplace_back()) ||
      parser.parseColonType(type) || parser.parseRParen())
    return failure();
  cuts.types.assign(2, type);
  return success();
}

ParseResult CountOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  TypedOperands fibers, guards, cuts;
  SmallVector<OpAsmParser::UnresolvedOperand> extent;
  if (succeeded(parser.parseOptionalKeyword("to")) &&
      parser.parseOperand(extent.emplace_back()))
    return failure();
  if (parser.parseKeyword("of") || fibers.parse(parser))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("given")) && guards.parse(parser))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> leaves = fibers.names;
  llvm::append_range(leaves, guards.names);
  MergeAttr merge;
  Builder &builder = parser.getBuilder();
  if (parser.parseKeyword("in") ||
      parseMerge(parser, leaves, /*extend=*/false, merge) ||
      parseCuts(parser, cuts) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperands(fibers.names, fibers.types, loc,
                             result.operands) ||
      parser.resolveOperands(guards.names, guards.types, loc,
                             result.operands) ||
      parser.resolveOperands(extent, builder.getIndexType(), result.operands) ||
      parser.resolveOperands(cuts.names, cuts.types, loc, result.operands))
    return failure();
  Properties &props = result.getOrAddProperties<Properties>();
  props.merge = merge;
  int32_t numCuts = cuts.names.size() / 2;
  props.operandSegmentSizes = {static_cast<int32_t>(fibers.names.size()),
                               static_cast<int32_t>(guards.names.size()),
                               static_cast<int32_t>(extent.size()), numCuts,
                               numCuts};
  result.addTypes(builder.getIndexType());
  return success();
}

void CountOp::print(OpAsmPrinter &printer) {
  if (getExtent())
    printer << " to " << getExtent();
  printer << " of ";
  printTyped(printer, getFibers());
  if (!getGuards().empty()) {
    printer << " given ";
    printTyped(printer, getGuards());
  }
  printer << " in ";
  SmallVector<Value> leaves(getFibers());
  llvm::append_range(leaves, getGuards());
  printMerge(printer, getMerge(), leaves);
  if (getLower())
    printer << " between (" << getLower() << ", " << getUpper() << " : "
            << getLower().getType() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"merge", "operandSegmentSizes"});
}

LogicalResult CountOp::verify() {
  if (getFibers().empty() && !getExtent())
    return emitOpError("needs fibers or the number of coordinates");
  for (Value fiber : getFibers())
    if (cast<FiberType>(fiber.getType()).isElement())
      return emitOpError("cannot count the coordinates of an element");
  if (failed(verifyMerge(*this, getMerge(),
                         getFibers().size() + getGuards().size())))
    return failure();
  if (!getLower() != !getUpper())
    return emitOpError("needs both cuts or none");
  if (!getLower())
    return success();
  CutType cut = getLower().getType();
  int64_t width = getFibers().size();
  if (getUpper().getType() != cut || cut.getWidths() != ArrayRef(width))
    return emitOpError() << "counts the coordinates of " << width
                         << " fibers but is cut by " << cut;
  return success();
}

SmallVector<Region *> AccumulateOp::getLoopRegions() { return {&getBody()}; }

LogicalResult AccumulateOp::verify() {
  BinaryKind kind = getMonoid().getKind();
  if (operatorOf(kind).identity == Identity::none)
    return emitOpError() << "cannot reduce by " << stringifyBinaryKind(kind);
  if (getSums().empty())
    return emitOpError("needs rows of sums");
  if (getBodyBlock()->getNumArguments() != 1 ||
      !getNumber().getType().isIndex())
    return emitOpError("body takes the number of the sum in its row");
  auto yield = dyn_cast<YieldOp>(getBodyBlock()->getTerminator());
  auto elements = llvm::map_range(getSums().getTypes(), [](Type type) {
    return cast<MemRefType>(type).getElementType();
  });
  if (!yield || !llvm::equal(yield.getOperandTypes(), elements))
    return emitOpError("must yield an element for each row of sums");
  for (Operation &op : getBodyBlock()->without_terminator())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError("computes no term: it has effects");
  return success();
}

/// The element type of each vector.
static SmallVector<Type> laneTypes(TypeRange vectors) {
  return llvm::map_to_vector(vectors, [](Type type) {
    return cast<VectorType>(type).getElementType();
  });
}

LogicalResult EachLaneOp::verify() {
  if (getResults().empty())
    return emitOpError("needs results");
  SmallVector<Type> vectors(getVectors().getTypes());
  llvm::append_range(vectors, getResultTypes());
  if (!llvm::all_equal(llvm::map_range(vectors, [](Type type) {
        return cast<VectorType>(type).getShape();
      })))
    return emitOpError("vectors differ in their number of lanes");
  if (TypeRange(getBodyBlock()->getArgumentTypes()) !=
      TypeRange(laneTypes(getVectors().getTypes())))
    return emitOpError("body takes an element of each vector");
  auto yield = dyn_cast<YieldOp>(getBodyBlock()->getTerminator());
  if (!yield || TypeRange(yield.getOperandTypes()) !=
                    TypeRange(laneTypes(getResultTypes())))
    return emitOpError("must yield an element of each result");
  return success();
}
