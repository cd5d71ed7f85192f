//===- EntryLoop.cpp - Loops over entries of which a tile has terms -------===//

#include "EntryLoop.h"
#include "LoopBody.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

/// Whether parts only read an array.
bool EntryLoop::isRead(Value array) {
  return isa<BlockArgument>(array) &&
         llvm::all_of(array.getUsers(), [&](Operation *user) {
           return !workers->isProperAncestor(user) ||
                  isa<memref::LoadOp, memref::DimOp, StageInOp>(user);
         });
}

/// Whether a load reads the element at the loop's own position.
bool EntryLoop::isInOrder(memref::LoadOp load) {
  return load.getIndices() == ValueRange(loop.getInductionVar());
}

/// Whether an index is below an extent whatever has been loaded.
bool EntryLoop::isChecked(Value index) {
  Operation *op = index.getDefiningOp();
  if (!op || !varying.contains(op))
    return index != loop.getInductionVar();
  return isa<arith::SelectOp>(op) ||
         (!isa<memref::LoadOp>(op) &&
          llvm::all_of(op->getOperands(),
                       [&](Value operand) { return isChecked(operand); }));
}

/// Whether an element can be loaded for all entries of a window: some of them
/// may be no entry of the operand.
bool EntryLoop::canLoad(memref::LoadOp load) {
  return load->getBlock() == loop.getBody() && isRead(load.getMemRef()) &&
         (isInOrder(load) || llvm::all_of(load.getIndices(), [&](Value index) {
            return isChecked(index);
          }));
}

/// Whether a value is known outside of the workers, or computed of the entry.
bool EntryLoop::isOfEntry(Value value) {
  if (value == loop.getInductionVar() ||
      !workers->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() > 0 || ops.contains(op))
    return ops.contains(op);
  if (!llvm::all_of(op->getOperands(),
                    [&](Value operand) { return isOfEntry(operand); }))
    return false;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (load ? !canLoad(load) : !isPure(op))
    return false;
  ops.insert(op);
  if (llvm::any_of(op->getOperands(), [&](Value operand) {
        return operand == loop.getInductionVar() ||
               varying.contains(operand.getDefiningOp());
      }))
    varying.insert(op);
  return true;
}

/// Whether the loop carries a flag that is joined with one of an entry.
bool EntryLoop::joinsFlag(unsigned carried) {
  auto update = loop.getYieldedValues()[carried].getDefiningOp<arith::OrIOp>();
  Value before = loop.getRegionIterArgs()[carried];
  auto isFlag = [&](Value value) { return llvm::is_contained(flags, value); };
  return update && before.hasOneUse() && update->hasOneUse() &&
         ((update.getLhs() == before && isFlag(update.getRhs())) ||
          (update.getRhs() == before && isFlag(update.getLhs())));
}

bool EntryLoop::isOnlyJoined(Value flag) {
  return llvm::all_of(flag.getUsers(), [&](Operation *user) {
    if (varying.contains(user))
      return true;
    auto values = loop.getYieldedValues();
    auto at = user->getNumResults() == 1
                  ? llvm::find(values, user->getResult(0))
                  : values.end();
    return at != values.end() && joinsFlag(at - values.begin());
  });
}

/// Finds the values of an entry that something else in the loop needs. Each has
/// to be an element, or a flag that is only joined.
bool EntryLoop::findTerms() {
  for (Operation &op : loop.getBody()->without_terminator())
    for (Value result : op.getResults())
      (void)isOfEntry(result);
  for (Operation *op : varying) {
    Value value = op->getResult(0);
    bool isNeeded = llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !varying.contains(user);
    });
    if (!isNeeded)
      continue;
    if (!value.getType().isIntOrIndexOrFloat())
      return false;
    (value.getType().isInteger(1) ? flags : terms).push_back(value);
  }
  return !terms.empty() &&
         llvm::all_of(flags, [&](Value flag) { return isOnlyJoined(flag); });
}

/// Finds the windows of arrays that are read at the entry. Returns whether
/// there are some, of the same entries, and other elements are looked up.
bool EntryLoop::findWindows() {
  bool readsOthers = false;
  for (Operation *op : varying) {
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load)
      continue;
    if (!isInOrder(load)) {
      readsOthers = true;
      continue;
    }
    for (auto stage : workers.getBodyBlock()->getOps<StageInOp>())
      if (stage.getArray() == load.getMemRef() && stage.getAlone() &&
          !llvm::is_contained(windows, stage))
        windows.push_back(stage);
  }
  return readsOthers && !windows.empty() &&
         llvm::all_of(windows, [&](StageInOp each) {
           return each.getFrom() == windows.front().getFrom() &&
                  each.getTo() == windows.front().getTo();
         });
}

bool EntryLoop::match() {
  if (!matchPattern(loop.getStep(), m_One()) ||
      llvm::any_of(*loop.getBody(),
                   [](Operation &op) { return op.getNumRegions() > 0; }))
    return false;
  LoopBody body(loop);
  takesLanes = body.canUseLanes();
  looksUp = takesLanes && body.looksUp();
  return body.conditions.empty() && findTerms() && findWindows();
}

/// size = max(min(to, elements of the arrays), from) - from
void EntryLoop::emitMemory(ImplicitLocOpBuilder &b) {
  Number from(b, windows.front().getFrom()), to(b, windows.front().getTo());
  for (Operation *op : varying)
    if (auto load = dyn_cast<memref::LoadOp>(op); load && isInOrder(load))
      to = min(to, memref::DimOp::create(b, load.getMemRef(), Number(b, 0)));
  Value size = max(to, from) - from;
  for (Value term : terms)
    memories.push_back(TileMemoryOp::create(
        b, MemRefType::get({ShapedType::kDynamic}, term.getType()), size));
}

/// for n = first to size step count:
///   terms[n] = term(from + n); isNone = isNone & !flags(from + n)
///
/// That a coordinate is below its extent is known already where it is looked
/// up.
Value EntryLoop::emitTerms(ImplicitLocOpBuilder &b, Value from, Value first,
                           Value count) {
  Value size = memref::DimOp::create(b, memories.front(), Number(b, 0));
  SmallVector<Value> init;
  if (!flags.empty())
    init.push_back(Number::flag(b, true));
  auto made = scf::ForOp::create(b, first, size, count, init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  Value n = made.getInductionVar();
  IRMapping ofEntry;
  ofEntry.map(loop.getInductionVar(), Value(Number(b, from) + n));
  for (Operation *op : ops)
    b.clone(*op, ofEntry);
  for (auto [term, memory] : llvm::zip(terms, memories))
    memref::StoreOp::create(b, ofEntry.lookup(term), memory, n);
  if (flags.empty())
    return {};
  Number isNone(b, made.getRegionIterArg(0));
  for (Value flag : flags)
    isNone = isNone & !Number(b, ofEntry.lookup(flag));
  scf::YieldOp::create(b, Value(isNone));
  b.setInsertionPointAfter(made);
  return !Number(b, made.getResult(0));
}

/// Emits the loop as it is copied, but for what memory has of the entries, of
/// which it has all if operands are valid:
///
///   for n = min(lower - from, size) to min(upper - from, size): terms[n]
///
/// No flag is set.
void EntryLoop::useTerms(const IRMapping &copies, Value from) {
  auto copy = cast<scf::ForOp>(copies.lookup(loop.getOperation()));
  ImplicitLocOpBuilder b(copy.getLoc(), copy);
  Value size = memref::DimOp::create(b, memories.front(), Number(b, 0));
  auto placeOf = [&](Value entry) -> Value {
    return min(Number(b, entry) - from, size);
  };
  SmallVector<unsigned> kept;
  SmallVector<Operation *> joins;
  SmallVector<Value> inits, next, results(copy.getInitArgs());
  for (auto [n, init] : llvm::enumerate(copy.getInitArgs()))
    if (!joinsFlag(n)) {
      kept.push_back(n);
      inits.push_back(init);
    } else {
      joins.push_back(loop.getYieldedValues()[n].getDefiningOp());
    }
  Value lower = placeOf(copy.getLowerBound());
  Value upper = placeOf(copy.getUpperBound());
  auto made = scf::ForOp::create(b, lower, upper, copy.getStep(), inits);
  if (looksUp)
    made->setAttr(kLooksUp, b.getUnitAttr());
  IRMapping inside;
  for (auto [at, n] : llvm::enumerate(kept)) {
    results[n] = made.getResult(at);
    inside.map(copy.getRegionIterArg(n), made.getRegionIterArg(at));
  }
  b.setInsertionPointToStart(made.getBody());
  for (auto [term, memory] : llvm::zip(terms, memories))
    inside.map(
        copies.lookup(term),
        memref::LoadOp::create(b, memory, made.getInductionVar()).getResult());
  for (Operation &op : loop.getBody()->without_terminator())
    if (!varying.contains(&op) && !llvm::is_contained(joins, &op)) {
      Operation *again = b.clone(*copies.lookup(&op), inside);
      if (!takesLanes)
        fixOrder(again);
    }
  for (unsigned n : kept)
    next.push_back(inside.lookupOrDefault(copy.getYieldedValues()[n]));
  if (!next.empty())
    scf::YieldOp::create(b, next);
  copy.replaceAllUsesWith(results);
  copy.erase();
}
