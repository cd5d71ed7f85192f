//===- PartitionOps.cpp - Costs and searches ------------------------------===//

#include "nacho/IR/Nacho.h"
#include "nacho/IR/Names.h"
#include "nacho/IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nacho;

static LogicalResult verifyHasChildren(Operation *op, FiberType fiber) {
  if (fiber.isElement())
    return op->emitOpError() << "an element has no children";
  return success();
}

LogicalResult CostOp::verify() {
  FiberType fiber = getFiber().getType();
  if (failed(verifyHasChildren(*this, fiber)))
    return failure();
  int64_t levels = fiber.getTensor().getRank() - fiber.getLevel();
  if (static_cast<int64_t>(getBelow()) < 0 ||
      static_cast<int64_t>(getBelow()) >= levels)
    return emitOpError() << "counts " << getBelow()
                         << " levels below the first of " << levels;
  if (getBelow() != 0 && getKind() == CostKind::nnz)
    return emitOpError("counts entries, which are below all levels");
  if (getKind() == CostKind::scan && !fiber.isOfScannedList())
    return emitOpError()
           << "adds up costs, which only a scanned_list has, of a " << fiber;
  return success();
}

LogicalResult ExtentOp::verify() {
  return verifyHasChildren(*this, getFiber().getType());
}

//===----------------------------------------------------------------------===//
// SearchOp
//===----------------------------------------------------------------------===//

/// Syntax: the types of the fibers, then the type of both cuts, once.
static ParseResult parseSearchTypes(OpAsmParser &parser,
                                    SmallVectorImpl<Type> &fibers, Type &lower,
                                    Type &upper) {
  if (parser.parseTypeList(fibers))
    return failure();
  lower = upper = fibers.pop_back_val();
  return success();
}

static void printSearchTypes(OpAsmPrinter &printer, Operation *,
                             TypeRange fibers, Type lower, Type) {
  SmallVector<Type> types(fibers);
  types.push_back(lower);
  llvm::interleaveComma(types, printer);
}

LogicalResult SearchOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.append(2, IndexType::get(context));
  for (Value value : adaptor.getFibers()) {
    auto fiber = dyn_cast<FiberType>(value.getType());
    if (!fiber || fiber.isElement())
      return emitOptionalError(loc, "expected fibers with children");
    types.push_back(fiber.getChild());
  }
  auto cut = dyn_cast<CutType>(adaptor.getLower().getType());
  if (!cut || cut.getWidths().empty())
    return emitOptionalError(loc, "expected a cut through the searched loop");
  types.append(2, cut.getInner());
  return success();
}

void SearchOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  auto inner = [](Value value, StringRef otherwise) {
    std::string name = getName(value);
    return name.empty() ? otherwise.str() : innerName(name);
  };
  std::string coordinate;
  if (!getBody().empty() && getBodyBlock()->getNumArguments() > 0)
    coordinate = getName(getBodyBlock()->getArgument(0));
  setName(getCoordinate(), coordinate.empty() ? "coordinate" : coordinate);
  setName(getResidual(), "residual");
  for (auto [child, fiber] : llvm::zip(getChildren(), getFibers()))
    setName(child, inner(fiber, "child"));
  setName(getInnerLower(), inner(getLower(), "lo"));
  setName(getInnerUpper(), inner(getUpper(), "hi"));
}

LogicalResult SearchOp::verify() {
  auto cut = cast<CutType>(getLower().getType());
  if (getUpper().getType() != cut ||
      cut.getWidths().front() != static_cast<int64_t>(getFibers().size()))
    return emitOpError() << "searches " << getFibers().size()
                         << " fibers between cuts of type " << cut;
  if (!getExtent() && getFibers().empty())
    return emitOpError("needs fibers or the number of coordinates");
  Block *block = getBodyBlock();
  auto isIndex = [](Type type) { return isa<IndexType>(type); };
  if (block->getNumArguments() != 1 + getFibers().size() ||
      !llvm::all_of(block->getArgumentTypes(), isIndex))
    return emitOpError(
        "region takes the coordinate and one position per fiber");
  auto yield = dyn_cast<YieldOp>(block->getTerminator());
  if (!yield || yield.getNumOperands() != 1 ||
      !isIndex(yield.getOperand(0).getType()))
    return emitOpError("region must yield one cost");
  return success();
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

LogicalResult CutOp::verify() {
  auto widths = cast<CutType>(getCut().getType()).getWidths();
  if (widths.size() != getCoordinates().size() ||
      llvm::sum_of(widths) != static_cast<int64_t>(getFibers().size()))
    return emitOpError() << "makes " << getCut().getType() << " of "
                         << getCoordinates().size() << " coordinates and "
                         << getFibers().size() << " fibers";
  return success();
}

/// Each of `loops` must list the numbers of the roots that take part in the
/// loop, as many as the type of the cuts has positions for the loop. Without an
/// `extent`, the outermost loop must have a root.
static LogicalResult verifyLoops(Operation *op, ArrayAttr loops, Value extent,
                                 ValueRange roots, ArrayRef<int64_t> widths) {
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> levels(roots.size(), 0);
  for (Attribute loop : loops) {
    auto operands = dyn_cast<ArrayAttr>(loop);
    if (!operands)
      return op->emitOpError("loops must be a list of lists of operands");
    sizes.push_back(operands.size());
    for (Attribute entry : operands) {
      auto number = dyn_cast<IntegerAttr>(entry);
      if (!number || number.getInt() < 0 ||
          number.getInt() >= static_cast<int64_t>(roots.size()))
        return op->emitOpError()
               << "loop names operand " << entry << " of " << roots.size();
      auto fiber = cast<FiberType>(roots[number.getInt()].getType());
      if (++levels[number.getInt()] > fiber.getTensor().getRank())
        return op->emitOpError() << "operand " << number.getInt()
                                 << " is in more loops than it has levels";
    }
  }
  if (ArrayRef<int64_t>(sizes) != widths)
    return op->emitOpError("loops do not match the type of the cuts");
  if (!extent && !sizes.empty() && sizes.front() == 0)
    return op->emitOpError("needs the extent of a loop without operands");
  return success();
}

LogicalResult LimitOp::verify() {
  return verifyLoops(*this, getLoops(), getExtent(), getRoots(),
                     cast<CutType>(getCut().getType()).getWidths());
}

LogicalResult CutCoordinateOp::verify() {
  size_t loops = getCut().getType().getWidths().size();
  if (getLoop() >= loops)
    return emitOpError() << "loop " << getLoop() << " of a cut through "
                         << loops;
  return success();
}

LogicalResult CutPositionOp::verify() {
  ArrayRef<int64_t> widths = getCut().getType().getWidths();
  if (getLoop() >= widths.size() ||
      static_cast<int64_t>(getNumber()) >= widths[getLoop()])
    return emitOpError() << "operand " << getNumber() << " of loop "
                         << getLoop() << " of a " << getCut().getType();
  return success();
}

LogicalResult PartitionOp::verify() {
  if (static_cast<int64_t>(getDelta()) < -1)
    return emitOpError("a bound of the cost is at least 0, or -1 for none");
  ArrayRef<int64_t> widths = getCuts().getType().getWidths();
  if (failed(verifyLoops(*this, getLoops(), getExtent(), getRoots(), widths)))
    return failure();
  auto cut = CutType::get(getContext(), widths);
  SmallVector<Type> expected = {IndexType::get(getContext()), cut, cut};
  if (getBodyBlock()->getArgumentTypes() != TypeRange(expected))
    return emitOpError() << "region takes the query and two cuts of type "
                         << cut;
  auto yield = dyn_cast<YieldOp>(getBodyBlock()->getTerminator());
  if (!yield || yield.getOperandTypes() != TypeRange(expected).take_back())
    return emitOpError() << "region must yield one " << cut;
  return success();
}

#define GET_OP_CLASSES
#include "nacho/IR/NachoOps.cpp.inc"
