//===- TileSlots.cpp - Parts that append before they are counted ----------===//

#include "TileSlots.h"

#include "CopiedLoop.h"
#include "RowsOfParts.h"
#include "nacho/Runtime/Abi.h"

#include <functional>

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Memory of the tile
//===----------------------------------------------------------------------===//

static TileOp tileOf(ParallelOp workers) {
  return *workers.getBodyBlock()->getOps<TileOp>().begin();
}

/// What the steps of a loop have in memory of the tile. Two parts may share a
/// step of a loop that has others inside.
TileSlots::Range TileSlots::rangeOf(ImplicitLocOpBuilder &b, unsigned n) {
  ParallelOp workers = counting.workers;
  TileOp tile = tileOf(workers);
  Value own = appending.loops.front().getLower();
  Value first;
  auto before = [&](Value row) -> Value {
    Value cut =
        LoadCutOp::create(b, own.getType(), cutsOfTile(workers).getCuts(), row);
    Number steps(b, stepsBefore(b, cut, n));
    if (first)
      steps = steps - first;
    return n + 1 == depth() || !first ? Value(steps) : Value(steps + row);
  };
  Value zero = Number(b, 0);
  first = before(zero);
  Value row = Number(b, workers.getWorker()) - tile.getBegin();
  Value size = before(Number(b, tile.getEnd()) - tile.getBegin());
  Value begin = before(row), end = before(Number(b, row) + 1);
  return {begin, end, size};
}

/// The memory is there when the tile has its first and its last cut.
void TileSlots::makeMemory(ImplicitLocOpBuilder &b) {
  auto make = [&](Type element, Value size) -> Value {
    return TileMemoryOp::create(
        b, MemRefType::get({ShapedType::kDynamic}, element), size);
  };
  Value size = rangeOf(b, depth() - 1).size;
  for (Value array : arrays)
    slots.push_back(
        make(cast<MemRefType>(array.getType()).getElementType(), size));
  if (hasRest)
    ends = make(b.getI32Type(), rangeOf(b, depth() - 2).size);
  disorder = make(b.getI32Type(), Number(b, 1));
}

void TileSlots::findRanges(ImplicitLocOpBuilder &b) {
  entries = rangeOf(b, depth() - 1);
  if (hasRest)
    rows = rangeOf(b, depth() - 2);
}

/// Finds out whether no two parts have the same slots. They have if operands
/// are not valid, so that cuts are not in order:
///
///   the first part: disorder = 0
///   wait
///   if not begin <= end <= size: disorder = 1
///   wait
void TileSlots::emitOrder(ImplicitLocOpBuilder &b) {
  Value zero = Number(b, 0);
  auto isOrdered = [&](const Range &range) {
    Number starts = Number(b, range.begin) <= range.end;
    Number ends = Number(b, range.end) <= range.size;
    return starts & ends;
  };
  findRanges(b);
  Number areOrdered = isOrdered(entries);
  if (hasRest)
    areOrdered = areOrdered & isOrdered(rows);
  Value isWrong = !areOrdered, one = Number(b, 1, b.getI32Type());
  auto branch = scf::IfOp::create(b, isWrong, /*withElse=*/false);
  OpBuilder inside = branch.getThenBodyBuilder();
  memref::AtomicRMWOp::create(inside, b.getLoc(), arith::AtomicRMWKind::ori,
                              one, disorder, zero);
  TileSyncOp::create(b);
}

Value TileSlots::emitRoom(ImplicitLocOpBuilder &b) {
  Number hasRoom(b, TileRoomOp::create(b, b.getI1Type()));
  Value zero = Number(b, 0);
  Number found(b, memref::LoadOp::create(b, disorder, zero));
  Value isOrdered = found == 0;
  return hasRoom & isOrdered;
}

//===----------------------------------------------------------------------===//
// Loops that keep what they append
//===----------------------------------------------------------------------===//

/// Copies loop `n` of those that count, or of those that append the rest. It
/// counts the rows of the innermost loop if there is a rest. Returns how many
/// there were.
TileSlots::Values TileSlots::copyRows(ImplicitLocOpBuilder &b, unsigned n,
                                      bool isRest, IRMapping &now,
                                      ValueRange row) {
  CoiterateOp loop = isRest ? appending.loops[n] : counted.loops[n];
  CoiterateOp made = copyLoop(b, loop, now, row);
  if (!isRest)
    for (Value argument : appending.loops[n].getBodyBlock()->getArguments())
      if (!llvm::is_contained(appending.loops[n].getCarried(), argument))
        copies->map(argument,
                    made.getBodyBlock()->getArgument(
                        cast<BlockArgument>(argument).getArgNumber()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBodyBlock());
  Values next(made.getCarried().take_back(row.size()));
  for (Operation &op : loop.getBodyBlock()->without_terminator()) {
    if (&op == counted.count || &op == innermost())
      next = isRest ? placeEntries(b, now, next) : keepEntries(b, now, next);
    else if (isa<CoiterateOp>(op))
      next = copyRows(b, n + 1, isRest, now, next);
    else if (&op != sum)
      b.clone(op, now);
  }
  yieldMore(b, loop, now, next);
  return Values(made.getResults().take_back(row.size()));
}

/// Copies what a step needs of what comes before it: of a block, if one is
/// given, and else of the loops around the step, too.
void TileSlots::fetch(ImplicitLocOpBuilder &b, Block *home) {
  std::function<void(Value)> fetchValue = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || copies->contains(value) || value == next.getResult() ||
        !append.workers->isProperAncestor(op) || innermost()->isAncestor(op))
      return;
    llvm::for_each(op->getOperands(), fetchValue);
    if (!home || op->getBlock() == home)
      b.clone(*op, *copies);
  };
  innermost().getBody().walk(
      [&](Operation *op) { llvm::for_each(op->getOperands(), fetchValue); });
}

/// if at < end of the slots: slots[at] = entry
/// if it is not valid: say so
void TileSlots::keepEntry(ImplicitLocOpBuilder &b) {
  auto ifInSlots =
      scf::IfOp::create(b, copies->lookup(isInSlots), /*withElse=*/false);
  OpBuilder inside = ifInSlots.getThenBodyBuilder();
  for (Operation &op : guard.thenBlock()->without_terminator()) {
    auto store = dyn_cast<memref::StoreOp>(inside.clone(op, *copies));
    if (!store)
      continue;
    auto *array = llvm::find(arrays, cast<memref::StoreOp>(op).getMemRef());
    store.getMemrefMutable().assign(slots[array - arrays.begin()]);
  }
  if (!isValid)
    return;
  Value isWrong = !Number(b, copies->lookup(isValid));
  auto ifWrong = scf::IfOp::create(b, isWrong, /*withElse=*/false);
  auto wrong =
      ImplicitLocOpBuilder::atBlockBegin(b.getLoc(), ifWrong.thenBlock());
  IRMapping here = *copies;
  here.map(isValid, Value(Number::flag(wrong, false)));
  for (Operation &op : guard.elseBlock()->without_terminator())
    wrong.clone(op, here);
}

/// Lets a part keep the entries of a row in place of counting them. In place of
/// the sum of what was counted, loops carry the next slot.
TileSlots::Values TileSlots::keepEntries(ImplicitLocOpBuilder &b,
                                         IRMapping &counts, ValueRange row) {
  fetch(b);
  Value start = sum ? counts.lookup(sum.getLhs()) : entries.begin;
  copies->map(innermost().getInits()[0], start);
  copies->map(next.getResult(), entries.end);
  copies->map(innermost().getLower(),
              counts.lookupOrDefault(counted.count.getLower()));
  copies->map(innermost().getUpper(),
              counts.lookupOrDefault(counted.count.getUpper()));
  for (auto [its, mine] :
       llvm::zip(operandsOf(innermost()), operandsOf(counted.count)))
    copies->map(its, counts.lookupOrDefault(mine));
  CoiterateOp made = copyLoop(b, innermost(), *copies, {});
  {
    OpBuilder::InsertionGuard guarded(b);
    b.setInsertionPointToStart(made.getBodyBlock());
    for (Operation &op : innermost().getBodyBlock()->without_terminator())
      if (&op == guard)
        keepEntry(b);
      else
        b.clone(op, *copies);
    yieldMore(b, innermost(), *copies, {});
  }
  Value end = made.getResult(0);
  counts.map(sum ? sum.getResult() : counted.count.getCount(), end);
  if (row.empty())
    return {};
  memref::StoreOp::create(b, Number(b, end).as(b.getI32Type()), ends,
                          ValueRange{rowInMemory(b, row.front())});
  return {Number(b, row.front()) + 1};
}

Value TileSlots::rowInMemory(ImplicitLocOpBuilder &b, Value row) {
  return min(Number(b, row), Number(b, rows.end) - 1);
}

/// Finds where the entries of a row end.
TileSlots::Values TileSlots::placeEntries(ImplicitLocOpBuilder &b,
                                          IRMapping &now, ValueRange row) {
  Number end(b, memref::LoadOp::create(b, ends, rowInMemory(b, row.front())));
  Number inSlots = end.asIndex() - entries.begin;
  now.map(innermost().getResult(0),
          Value(inSlots + now.lookup(place.getResult())));
  return {Number(b, row.front()) + 1};
}

//===----------------------------------------------------------------------===//
// Before and after the scan
//===----------------------------------------------------------------------===//

/// if there is room, and cuts are in order:
///   keep; yield the row
/// else:
///   say that there is none; yield zeros
SmallVector<Value> TileSlots::keep(IRMapping &mapping, ArrayRef<Value> row) {
  copies = &mapping;
  Block *body = counting.workers.getBodyBlock();
  SmallVector<TileSyncOp> syncs(body->getOps<TileSyncOp>());
  Operation *start = syncs.back()->getNextNode();
  ImplicitLocOpBuilder b(append.workers.getLoc(), body,
                         std::next(syncs.front()->getIterator()));
  makeMemory(b);
  emitNoDisorder(b);
  if (syncs.size() == 1)
    TileSyncOp::create(b);
  b.setInsertionPoint(start);
  emitOrder(b);
  findRanges(b);
  Value hasRoom = emitRoom(b);
  SmallVector<Type> types(row.size(), b.getIndexType());
  auto branch = scf::IfOp::create(b, types, hasRoom, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  Block *inside = branch.thenBlock();
  inside->getOperations().splice(inside->end(), body->getOperations(),
                                 std::next(branch->getIterator()),
                                 std::prev(body->end()));
  b.setInsertionPointToEnd(branch.elseBlock());
  emitStatus(b);
  scf::YieldOp::create(b, SmallVector<Value>(row.size(), Number(b, 0)));
  b.setInsertionPointToEnd(inside);
  scf::YieldOp::create(b, row);
  keepRows(b, inside->getTerminator());
  return SmallVector<Value>(branch.getResults());
}

/// if part == begin: disorder = 0
void TileSlots::emitNoDisorder(ImplicitLocOpBuilder &b) {
  ParallelOp workers = counting.workers;
  Value isFirst = Number(b, workers.getWorker()) == tileOf(workers).getBegin();
  Value zero = Number(b, 0), none = Number(b, 0, b.getI32Type());
  auto once = scf::IfOp::create(b, isFirst, /*withElse=*/false);
  OpBuilder inside = once.getThenBodyBuilder();
  memref::StoreOp::create(inside, b.getLoc(), none, disorder, zero);
}

void TileSlots::emitStatus(ImplicitLocOpBuilder &b) {
  memref::AtomicRMWOp::create(
      b, arith::AtomicRMWKind::ori,
      Number(b, int64_t(kOperandsChanged), b.getI32Type()), status,
      ValueRange());
}

/// Lets one more row end where all entries do. Loops that take runs of equal
/// coordinates apart do not visit the run at whose beginning the part ends, but
/// the loops that append the rest do, since none is inside of them.
void TileSlots::placeEnd(ImplicitLocOpBuilder &b, Value kept, Value row) {
  Number end = Number(b, entries.begin) + kept;
  memref::StoreOp::create(b, end.as(b.getI32Type()), ends,
                          ValueRange{rowInMemory(b, row)});
}

/// Copies the loops that count, and looks whether memory had room for all that
/// the part kept.
void TileSlots::keepRows(ImplicitLocOpBuilder &b, Operation *yield) {
  IRMapping counts;
  Operation *old = counted.loops.empty() ? counted.count.getOperation()
                                         : counted.loops.front().getOperation();
  b.setInsertionPoint(old);
  fetch(b, append.workers.getBodyBlock());
  Values row;
  if (hasRest)
    row.push_back(rows.begin);
  row = counted.loops.empty() ? keepEntries(b, counts, row)
                              : copyRows(b, 0, /*isRest=*/false, counts, row);
  auto last = cast<OpResult>(counts.lookup(yield->getOperand(column)));
  if (sum)
    cast<CoiterateOp>(last.getOwner())
        .getInitsMutable()[last.getResultNumber()]
        .assign(entries.begin);
  for (Value result : old->getResults())
    result.replaceAllUsesWith(counts.lookup(result));
  old->erase();
  b.setInsertionPoint(yield);
  Number count = Number(b, last) - entries.begin;
  Number most = Number(b, entries.end) - entries.begin;
  Number isWrong = count > most;
  Value kept = min(count, most);
  if (hasRest) {
    Number isLong = Number(b, row.front()) > rows.end;
    isWrong = isWrong | isLong;
    placeEnd(b, kept, row.front());
  }
  yield->setOperand(column, kept);
  auto ifWrong = scf::IfOp::create(b, isWrong, /*withElse=*/false);
  b.setInsertionPointToStart(ifWrong.thenBlock());
  emitStatus(b);
}

Operation *TileSlots::emitRest(ImplicitLocOpBuilder &b) {
  CoiterateOp outer = appending.loops.front();
  if (!hasRest) {
    copies->map(outer.getResult(0), copies->lookup(next.getResult()));
    return nullptr;
  }
  findRanges(b);
  copyRows(b, 0, /*isRest=*/true, *copies, rows.begin);
  return copies->lookup(outer.getResult(0)).getDefiningOp();
}

void TileSlots::emitAppend(ImplicitLocOpBuilder &b, Value scanned) {
  TileOp tile = tileOf(counting.workers);
  Number row = Number(b, counting.workers.getWorker()) - tile.getBegin();
  Number all = Number(b, tile.getEnd()) - tile.getBegin();
  auto offset = [&](Value at) -> Value {
    return memref::LoadOp::create(b, scanned,
                                  ValueRange{at, Number(b, column)});
  };
  Value slot = rangeOf(b, depth() - 1).begin;
  Value from = offset(row), to = offset(row + 1);
  Value first = offset(Number(b, 0)), last = offset(all);
  SmallVector<Value> given = llvm::map_to_vector(
      arrays, [&](Value array) { return copies->lookupOrDefault(array); });
  TileAppendOp::create(b, slots, slot, given, from, to, first, last);
}
