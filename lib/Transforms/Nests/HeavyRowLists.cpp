//===- HeavyRowLists.cpp - Lists of heavy rows, and of the others ---------===//
//
// Builds the nests of `nacho-split-heavy-rows` that list where the rows of
// another list are, or the entries of heavy rows.
//
//===----------------------------------------------------------------------===//

#include "CostQueries.h"
#include "HeavyRows.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

Value RowSplitter::enterList(SmallVectorImpl<Value> &at,
                             function_ref<void(Value)> inRow) {
  MergeAttr only = MergeAttr::get(b.getContext(), 0u);
  Value fiber = listed.getFiber();
  for (unsigned m = 0; m < numListed; ++m) {
    CoiterateOp loop = enterLoop(fiber, only, loops[m].getIndexNameAttr());
    fiber = loop.getChildren().front();
    at.push_back(loop.getCoordinate());
    if (m + 1 == numOuter)
      inRow(fiber);
  }
  return fiber;
}

/// What the entries of the list cost from one position up to another.
Value RowSplitter::costBetween(Value begin, Value end) {
  auto costUpTo = [&](Value position) {
    Value cost = CostOp::create(b, b.getIndexType(), CostKind::scan,
                                listed.getFiber(), position, /*below=*/0);
    return Number(b, cost);
  };
  Number all = costUpTo(end);
  return all - costUpTo(begin);
}

/// nest collect<scanned_list> {
///   for each row of the list:
///     for each entry of the row:
///       at the first entry: append where the row begins and ends if it is
///                           heavy, or if it is not
/// }
///
/// A row may have most entries, so that rows are cut.
Value RowSplitter::listRows(StringRef name, bool isHeavy) {
  // A list may have more entries than 32 bits can count.
  RankedTensorType type =
      listTensorType(numOuter + 2, numOuter, b.getI64Type(), 64);
  OpBuilder::InsertionGuard guard(b);
  NestOp rows = startNest(type, name);
  rows.setCollect(CollectKind::scannedList);
  Value isListed, begin, end;
  SmallVector<Value> at;
  Value entry = enterList(at, [&](Value row) {
    isListed = HeavyOp::create(b, b.getI1Type(), row);
    if (!isHeavy)
      isListed = !Number(b, isListed);
    begin = RowPositionOp::create(b, row, /*end=*/false);
    end = RowPositionOp::create(b, row, /*end=*/true);
  });
  at.truncate(numOuter);
  at.append({begin, end});
  Number cost(b, costBetween(begin, end));
  Value value = cost.asSigned(b.getI64Type());
  Value position = PositionOp::create(b, entry, /*end=*/false);
  Value isFirst = Number(b, position) == begin;
  Value isAppended = Number(b, isListed) & isFirst;
  AppendOp::create(b, value, b.getI64IntegerAttr(0), at, isAppended);
  return rows.getResult();
}

/// nest collect<scanned_list> {
///   for each entry of the list: append it if its row is heavy
/// }
AppendOp RowSplitter::listHeavyEntries() {
  auto type = cast<RankedTensorType>(listed.getTensor().getType());
  OpBuilder::InsertionGuard guard(b);
  NestOp entries = startNest(type, "H");
  entries.setCollect(CollectKind::scannedList);
  Value isHeavy;
  SmallVector<Value> at;
  Value entry = enterList(
      at, [&](Value row) { isHeavy = HeavyOp::create(b, b.getI1Type(), row); });
  for (int64_t below = 0; below < type.getRank() - numListed; ++below)
    at.push_back(RecallOp::create(b, entry, below));
  // setCost() replaces the value.
  Number cost(b, 0, b.getI64Type());
  return AppendOp::create(b, cost, b.getI64IntegerAttr(0), at, isHeavy);
}

/// The cost of the loops that a nest runs for an entry of the list, if they
/// read `fiberOf(...)` in place of each fiber of which the entry keeps where it
/// is.
Value RowSplitter::costOfEntry(NestOp of, function_ref<Value(Value)> fiberOf) {
  NestCost costs(of, model);
  SmallVector<Value> fibers;
  for (const NestOperand &operand : costs.getOperands()) {
    bool isKept = operand.root.getDefiningOp<FiberAtOp>() ||
                  operand.root.getDefiningOp<ChildrenAtOp>();
    fibers.push_back(isKept ? fiberOf(operand.root) : operand.root);
  }
  Value cost = CostQueries(b, costs).entryTotal(fibers, kAlways);
  return Number(b, cost).asSigned(b.getI64Type());
}

/// The fiber of the nest that is split, for another entry.
Value RowSplitter::fiberAgain(Value entry, FiberAtOp at) {
  auto again = [&](Value position) -> Value {
    auto recall = position.getDefiningOp<RecallOp>();
    return RecallOp::create(b, entry, recall.getBelow());
  };
  return FiberAtOp::create(
      b, at.getFiber().getType(), at.getRoot(), again(at.getPosition()),
      at.getEnd() ? again(at.getEnd()) : Value(), at.getCertain());
}

/// Replaces the cost of an entry, which may include a table, by the cost of the
/// loops that list its elements.
void RowSplitter::setCost(AppendOp append, NestOp elements) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(append);
  auto loop = cast<CoiterateOp>(append->getParentOp());
  Value entry = loop.getChildren().front();
  append.getValueMutable().assign(costOfEntry(elements, [&](Value fiber) {
    return fiberAgain(entry, fiber.getDefiningOp<FiberAtOp>());
  }));
}
