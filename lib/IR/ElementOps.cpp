//===- ElementOps.cpp - Ops in loops: reading and appending elements ------===//

#include "nacho/IR/Nacho.h"
#include "nacho/IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nacho;

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto fiber = cast<FiberType>(adaptor.getElement().getType());
  types.push_back(fiber.getTensor().getElementType());
  return success();
}

LogicalResult LoadOp::verify() {
  if (!getElement().getType().isElement())
    return emitOpError() << "needs an element, got " << getElement().getType();
  return success();
}

/// The type of an element of the tensor or, with a mask, of a vector of
/// elements with as many lanes as the mask. A null mask stands for no mask.
static Type locatedType(Type tensor, Type mask) {
  Type element = cast<RankedTensorType>(tensor).getElementType();
  auto vector = dyn_cast_or_null<VectorType>(mask);
  return vector && VectorType::isValidElementType(element)
             ? VectorType::get(vector.getShape(), element)
             : element;
}

void LocateOp::build(OpBuilder &builder, OperationState &state, Value tensor,
                     ValueRange coordinates, Value condition, Value lanes) {
  build(builder, state,
        locatedType(tensor.getType(), lanes ? lanes.getType() : Type()), tensor,
        coordinates, condition, lanes, /*checked=*/false);
}

ParseResult LocateOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand tensor;
  SmallVector<OpAsmParser::UnresolvedOperand> coordinates, condition, lanes;
  Type type, mask;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(tensor) ||
      parser.parseOperandList(coordinates, OpAsmParser::Delimiter::Square) ||
      (succeeded(parser.parseOptionalKeyword("if")) &&
       parser.parseOperand(condition.emplace_back())) ||
      (succeeded(parser.parseOptionalKeyword("lanes")) &&
       parser.parseOperand(lanes.emplace_back())) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      (!lanes.empty() && (parser.parseComma() || parser.parseType(mask))))
    return failure();
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return parser.emitError(tensor.location, "expected a ranked tensor type");
  if (parser.resolveOperand(tensor, type, result.operands) ||
      parser.resolveOperands(coordinates, builder.getIndexType(),
                             result.operands) ||
      parser.resolveOperands(condition, builder.getI1Type(), result.operands) ||
      parser.resolveOperands(lanes, mask, result.operands))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      1, static_cast<int32_t>(coordinates.size()),
      static_cast<int32_t>(condition.size()),
      static_cast<int32_t>(lanes.size())};
  result.addTypes(locatedType(ranked, mask));
  return success();
}

void LocateOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getTensor() << '[' << getCoordinates() << ']';
  if (getCondition())
    printer << " if " << getCondition();
  if (getLanes())
    printer << " lanes " << getLanes();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
  printer << " : " << getTensor().getType();
  if (getLanes())
    printer << ", " << getLanes().getType();
}

LogicalResult LocateOp::verify() {
  auto type = cast<RankedTensorType>(getTensor().getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (encoding && !encoding.isAllDense())
    return emitOpError() << "needs a dense tensor, got " << type;
  if (static_cast<int64_t>(getCoordinates().size()) != type.getRank())
    return emitOpError() << "locates " << getCoordinates().size()
                         << " coordinates in " << type;
  if (getLanes() && type.getRank() == 0)
    return emitOpError("finds one element, not one for each lane");
  Type mask = getLanes() ? getLanes().getType() : Type();
  if (getValue().getType() != locatedType(type, mask))
    return emitOpError() << "reads a " << locatedType(type, mask);
  return success();
}

ParseResult RestrictOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand value;
  SmallVector<OpAsmParser::UnresolvedOperand> fibers;
  MergeAttr merge;
  Type type;
  SmallVector<Type> fiberTypes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(value) || parser.parseKeyword("to") ||
      parseMerge(parser, fibers, /*extend=*/true, merge) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  // `union()` and `intersect()` name no fibers: the result is always zero, or
  // always the value.
  if (succeeded(parser.parseOptionalKeyword("of")) &&
      parser.parseTypeList(fiberTypes))
    return failure();
  if (parser.resolveOperand(value, type, result.operands) ||
      parser.resolveOperands(fibers, fiberTypes, loc, result.operands))
    return failure();
  result.getOrAddProperties<Properties>().merge = merge;
  result.addTypes(type);
  return success();
}

/// Collects the numbers of operands in the order in which they first appear;
/// the parser numbers them in that order.
static void collectLeaves(MergeAttr merge, SmallVectorImpl<unsigned> &leaves) {
  if (merge.isLeaf()) {
    if (!llvm::is_contained(leaves, merge.getOperand()))
      leaves.push_back(merge.getOperand());
    return;
  }
  for (MergeAttr child : merge.children())
    collectLeaves(child, leaves);
}

void RestrictOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValue() << " to ";
  printMerge(printer, getMerge(), getFibers());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"merge"});
  printer << " : " << getType();
  if (!getFibers().empty())
    printer << " of " << getFibers().getTypes();
}

LogicalResult RestrictOp::verify() {
  if (failed(verifyMerge(*this, getMerge(), getFibers().size())))
    return failure();
  SmallVector<unsigned> leaves;
  collectLeaves(getMerge(), leaves);
  if (leaves.size() != getFibers().size() || !llvm::is_sorted(leaves))
    return emitOpError("must name every fiber, in order of appearance");
  return success();
}

LogicalResult AppendOp::verify() {
  auto nest = (*this)->getParentOfType<NestOp>();
  if (!nest)
    return emitOpError("must be inside a nacho.nest");
  auto type = cast<RankedTensorType>(nest.getType());
  if (type.getRank() != static_cast<int64_t>(getCoordinates().size()) ||
      getNumber() >= nest.getAppendedTypes().size() ||
      nest.getAppendedTypes()[getNumber()] != getValue().getType())
    return emitOpError() << "appends to " << type << " a "
                         << getValue().getType() << " at "
                         << getCoordinates().size() << " coordinates";
  return success();
}
