//===- FiberLowering.cpp - Lowers the ops that use fibers and cuts --------===//

#include "FiberLowering.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;
using namespace nacho;

void FiberLowering::refuse(Operation *op, const Twine &why) {
  op->emitOpError(why);
  isRefused = true;
}

LogicalResult FiberLowering::run() {
  lowerOp(*func);
  if (!isRefused)
    refuseRemainingUses();
  if (isRefused)
    return failure();
  // The replaced ops still use each other's fibers and cuts, so that no order
  // of erasing them is safe before all references are dropped.
  for (Operation *op : replaced)
    op->dropAllReferences();
  for (Operation *op : replaced)
    op->erase();
  // Erase roots and cuts that only the erased ops used.
  func.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isa<RootOp, LoadCutOp>(op) && op->use_empty())
      op->erase();
  });
  return success();
}

/// Refuses ops that this lowering does not know, and that use a fiber or a cut
/// which it replaces.
void FiberLowering::refuseRemainingUses() {
  SmallPtrSet<Operation *, 16> gone(replaced.begin(), replaced.end());
  auto isGone = [&](Operation *op) {
    while (op && !gone.contains(op))
      op = op->getParentOp();
    return op != nullptr;
  };
  for (Operation *op : replaced)
    for (Operation *user : op->getUsers())
      if (!isGone(user))
        return refuse(user, "uses a fiber or a cut that only another pass can "
                            "lower");
}

bool FiberLowering::isResolved(Value value) const {
  if (isa<CutType>(value.getType()))
    return cuts.contains(value) || value.getDefiningOp<LoadCutOp>();
  if (!isa<FiberType>(value.getType()) || fibers.contains(value))
    return true;
  auto root = value.getDefiningOp<RootOp>();
  if (!root || !isReadable(root.getFiber().getType()))
    return false;
  auto flatten = root.getTensor().getDefiningOp<FlattenOp>();
  return !flatten || hasSupportedLevels(flatten.getTensor().getType());
}

void FiberLowering::lowerOp(Operation &op) {
  if (isRefused)
    return;
  b.setLoc(op.getLoc());
  b.setInsertionPoint(&op);
  auto lowering = lowerings.find(op.getName().getTypeID());
  if (lowering != lowerings.end()) {
    if (!llvm::all_of(op.getOperands(),
                      [&](Value operand) { return isResolved(operand); }))
      return refuse(&op, "needs fibers of tensors with supported levels, and "
                         "cuts, that this function makes itself");
    lowering->second(&op);
    eraseLater(&op);
    return;
  }
  for (Region &region : op.getRegions())
    for (Block &block : region)
      for (Operation &nested : llvm::make_early_inc_range(block))
        lowerOp(nested);
}

SmallVector<Value> FiberLowering::moveOps(Block *body, Block *block) {
  Operation *last = block->empty() ? nullptr : &block->back();
  block->getOperations().splice(block->end(), body->getOperations());
  Operation *yield = &block->back();
  Block::iterator from =
      last ? std::next(Block::iterator(last)) : block->begin();
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(from, Block::iterator(yield))))
    lowerOp(op);
  SmallVector<Value> yielded(yield->getOperands());
  yield->erase();
  b.setInsertionPointToEnd(block);
  return yielded;
}

FiberValue FiberLowering::fiber(Value value) {
  auto known = fibers.find(value);
  if (known != fibers.end())
    return known->second;
  auto root = value.getDefiningOp<RootOp>();
  assert(root && "a fiber comes from a root, a loop, or a search");
  return {root.getTensor(), 0, Number(b, 0), kAlways, std::nullopt};
}

CutValue FiberLowering::cut(Value value) {
  auto known = cuts.find(value);
  if (known != cuts.end())
    return known->second;
  auto load = value.getDefiningOp<LoadCutOp>();
  assert(load && "a cut comes from a buffer, a loop, or a search");
  return cuts[value] = loadCut(load);
}

/// The loaded values are in the order cost, coordinates, positions.
CutValue FiberLowering::loadCut(LoadCutOp op) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  int64_t column = 0;
  auto next = [&]() -> Value {
    Number at(b, column++);
    return memref::LoadOp::create(b, op.getBounds(),
                                  ValueRange{op.getRow(), at});
  };
  auto nextPlace = [&] {
    Value place = next();
    markPlace(place);
    return place;
  };
  // Keys in place of coordinates are larger than extents.
  bool hasKeys = func.walk([](FlattenOp) { return WalkResult::interrupt(); })
                     .wasInterrupted();
  CutValue cut;
  cut.cost = next();
  ArrayRef<int64_t> widths = cast<CutType>(op.getCut().getType()).getWidths();
  for (size_t loop = 0; loop < widths.size(); ++loop)
    cut.loops.push_back({hasKeys ? next() : nextPlace(), {}});
  for (auto [loop, width] : llvm::zip(cut.loops, widths))
    for (int64_t n = 0; n < width; ++n)
      loop.positions.push_back(nextPlace());
  return cut;
}
