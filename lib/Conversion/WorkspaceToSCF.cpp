//===- WorkspaceToSCF.cpp - Sums by coordinate in rows of arrays ----------===//
//
// Which places are used, marks say (WorkspaceMarks.h); in a hashed workspace,
// keys say by which coordinates (WorkspaceKeys.h). A dense table needs neither
// (WorkspaceNumbers.h).
//
//===----------------------------------------------------------------------===//

#include "LaneTables.h"
#include "WorkspaceLowering.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Condition.h"
#include "nacho/IR/Names.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOWORKSPACETOSCF
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

bool WorkspaceLowering::isRenewed(WorkspaceOp op) {
  return op.getKeys() && op.getValues() &&
         llvm::any_of(op->getUsers(), llvm::IsaPred<RenewOp>);
}

void WorkspaceLowering::run() {
  if (op.getKeys())
    describeTable();
  else
    describeDense();
  marks.locateLevels(marked);
  if (countsRepeats())
    repeats.start();
  // Lookups ask where tables are renewed.
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (auto lookup = dyn_cast<LookupOp>(user)) {
      b.setInsertionPoint(lookup);
      lowerLookup(lookup);
    }
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    b.setInsertionPoint(user);
    llvm::TypeSwitch<Operation *>(user)
        .Case([&](InsertOp insert) { lowerInsert(insert); })
        .Case([&](RenewOp renew) { lowerRenew(renew); })
        .Case([&](DrainOp drain) { lowerDrain(drain); });
  }
  op.erase();
}

/// Whether the entries of a row are known to be counted where it is drained.
bool WorkspaceLowering::countsRepeats() {
  return adapts && !op.getKeys() && !op.getLane() && !op.getFlat() &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           auto drain = dyn_cast<DrainOp>(user);
           return !drain || (!drain.getInits().empty() &&
                             drain.getInits().front().getType().isIndex());
         });
}

void WorkspaceLowering::describeTable() {
  Number one(b, 1);
  Number size(b, memref::DimOp::create(b, op.getKeys(), one));
  mask = marked = size - one;
  isDense = Number(b, op.getExtent()) < size;
  keys.describe(size, mask);
  // Places stay free, so that every search ends.
  most = size >> one;
}

void WorkspaceLowering::describeDense() {
  marked = Number(b, kDensePlaces - 1);
  Value room =
      op.getValues()
          ? Value(memref::DimOp::create(b, op.getValues(), Number(b, 1)))
      : op.getFlat() ? marks.flatPlaces()
                     : marks.densePlaces();
  mask = Number(b, room) - 1;
  refuse(Number(b, op.getExtent()) > room, kRowTooWide);
}

/// Emits code for a dense workspace, and for one that is hashed if it has keys.
SmallVector<Value> WorkspaceLowering::choose(TypeRange types, Emit dense,
                                             Emit hashed) {
  if (!op.getKeys())
    return dense();
  auto ifDense = scf::IfOp::create(b, types, isDense, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto emitInto = [&](Block *block, Emit emit) {
    b.setInsertionPointToStart(block);
    if (Results results = emit(); !results.empty())
      scf::YieldOp::create(b, results);
  };
  emitInto(ifDense.thenBlock(), dense);
  emitInto(ifDense.elseBlock(), hashed);
  return Results(ifDense.getResults());
}

/// A key that is too large, which the loops report, is kept inside.
Value WorkspaceLowering::densePlace(Value key) {
  if (op.getKeys() || op.getFlat())
    return min(Number(b, key), mask);
  return Number(b, key) & mask;
}

void WorkspaceLowering::lowerRenew(RenewOp renew) {
  auto dense = [&] {
    Value places = Number(b, mask) + 1;
    numbers.renew(renew.getCount(), places);
    return Results();
  };
  auto hashed = [&] {
    clearHashed();
    return Results();
  };
  choose({}, dense, hashed);
  renew.erase();
}

/// The first number of a table, which is loaded before the loop if the table is
/// not renewed inside.
Value WorkspaceLowering::firstNumber(LookupOp lookup) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = lookup->getParentOfType<LoopLikeOpInterface>();
  bool isRenewedInside = llvm::any_of(op->getUsers(), [&](Operation *user) {
    return isa<RenewOp>(user) && loop && loop->isProperAncestor(user);
  });
  if (loop && !isRenewedInside)
    b.setInsertionPoint(loop);
  return numbers.first();
}

void WorkspaceLowering::lowerLookup(LookupOp lookup) {
  auto dense = [&] {
    Value first = firstNumber(lookup);
    return Results(numbers.lookUp(densePlace(lookup.getKey()), first));
  };
  auto hashed = [&] { return lookUpHashed(lookup.getKey()); };
  lookup.replaceAllUsesWith(choose(lookup.getResultTypes(), dense, hashed));
  lookup.erase();
}

void WorkspaceLowering::lowerInsert(InsertOp insert) {
  auto dense = [&]() -> Results {
    if (isTable) {
      numbers.insert(insert.getValue(), densePlace(insert.getKey()));
      // A fiber has each of its coordinates once.
      return {Number::flag(b, true)};
    }
    if (op.getFlat())
      return {insertFlat(insert)};
    return {op.getLane() ? insertByLane(insert) : insertDense(insert)};
  };
  auto hashed = [&] { return Results{insertHashed(insert)}; };
  insert.replaceAllUsesWith(choose(b.getI1Type(), dense, hashed).front());
  insert.erase();
}

/// Reports a status if a condition holds; a null condition always holds.
void WorkspaceLowering::refuse(Condition isTooMuch, Status status) {
  OpBuilder::InsertionGuard guard(b);
  if (!isTooMuch.isAlways()) {
    auto ifTooMuch = scf::IfOp::create(b, isTooMuch.flag(), /*withElse=*/false);
    b.setInsertionPointToStart(ifTooMuch.thenBlock());
  }
  Number full(b, status, b.getI32Type());
  memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, full,
                              op.getStatus(), ValueRange());
}

/// The bit alone says whether the element is there; there is no search. Returns
/// whether the key is new.
Value WorkspaceLowering::insertDense(InsertOp insert) {
  Value place = densePlace(insert.getKey());
  Value number = Number(b, place) >> 6;
  Value at = marks.wordAt(WorkspaceMarks::kLevels - 1, number);
  Value bit = marks.bitOf(place), before = marks.load(at);
  DensePlace found{place, number, at,
                   bit,   before, (Number(b, before) & bit) == 0};
  std::optional<Value> areFew = repeats.areFew(insert);
  if (!areFew) {
    insertByBranches(insert, found);
    return found.isNew;
  }
  auto ifFew = scf::IfOp::create(b, *areFew, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifFew.thenBlock());
  insertBySelect(insert, found);
  b.setInsertionPointToStart(ifFew.elseBlock());
  insertByBranches(insert, found);
  return found.isNew;
}

/// A bit that is already set is not written again: the next insertion may read
/// the same word, and would have to wait for the write.
void WorkspaceLowering::insertByBranches(InsertOp insert,
                                         const DensePlace &found) {
  Value value = insert.getValue();
  auto ifNew = scf::IfOp::create(b, found.isNew, /*withElse=*/value != nullptr);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifNew.thenBlock());
  marks.store(Number(b, found.before) | found.bit, found.wordAt);
  if (value)
    store(value, op.getValues(), found.place);
  Value isFirst = Number(b, found.before) == 0;
  auto ifFirst = scf::IfOp::create(b, isFirst, /*withElse=*/false);
  b.setInsertionPointToStart(ifFirst.thenBlock());
  marks.mark(found.number, WorkspaceMarks::kLevels - 1);
  if (value) {
    b.setInsertionPointToStart(ifNew.elseBlock());
    addTo(found.place, insert);
  }
}

/// Whether the key is new is never foreseen, and so decides on nothing but what
/// is stored.
void WorkspaceLowering::insertBySelect(InsertOp insert,
                                       const DensePlace &found) {
  marks.store(Number(b, found.before) | found.bit, found.wordAt);
  marks.markWord(found.number);
  storeSum(insert, found.place, found.isNew);
}

/// values[place] = is new ? value : values[place] + value
void WorkspaceLowering::storeSum(InsertOp insert, Value place, Value isNew) {
  Value value = insert.getValue();
  if (!value)
    return;
  Value sum = insert.emitCombined(b, load(op.getValues(), place));
  store(select(Number(b, isNew), value, sum), op.getValues(), place);
}

/// No other lane has the same place, so that its bit is as it was when they
/// waited for each other the last time.
Value WorkspaceLowering::insertByLane(InsertOp insert) {
  Value place = densePlace(insert.getKey()), value = insert.getValue();
  Value isNew = !Number(b, marks.isMarked(place));
  auto ifNew = scf::IfOp::create(b, isNew, /*withElse=*/value != nullptr);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifNew.thenBlock());
  marks.markByLane(place);
  if (value) {
    store(value, op.getValues(), place);
    b.setInsertionPointToStart(ifNew.elseBlock());
    addTo(place, insert);
  }
  return isNew;
}

/// The place has a word of its own, so that it can be written without asking
/// what was there: what is added is never foreseen, nor is that it is new.
Value WorkspaceLowering::insertFlat(InsertOp insert) {
  Value place = densePlace(insert.getKey());
  Value isNew = Number(b, marks.load(place)) == 0;
  marks.store(marks.word(1), place);
  Value value = insert.getValue();
  if (!value)
    return isNew;
  if (!insert.getMonoid()) {
    storeSum(insert, place, isNew);
    return isNew;
  }
  auto ifNew = scf::IfOp::create(b, isNew, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifNew.thenBlock());
  store(value, op.getValues(), place);
  b.setInsertionPointToStart(ifNew.elseBlock());
  addTo(place, insert);
  return isNew;
}

void WorkspaceLowering::addTo(Value place, InsertOp insert) {
  Value before = load(op.getValues(), place);
  store(insert.emitCombined(b, before), op.getValues(), place);
}

/// for place below the number that the drain has: visit it if it is used
SmallVector<Value> WorkspaceLowering::drainFlat(DrainOp drain) {
  auto loop = scf::ForOp::create(b, Number(b, 0), drain.getBelow(),
                                 Number(b, 1), drain.getInits());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value place = min(Number(b, loop.getInductionVar()), mask);
  Value isUsed = Number(b, marks.load(place)) != 0;
  marks.store(marks.word(0), place);
  ValueRange carried = loop.getRegionIterArgs();
  bool carries = !carried.empty();
  auto ifUsed =
      scf::IfOp::create(b, carried.getTypes(), isUsed, /*withElse=*/carries);
  if (carries)
    scf::YieldOp::create(b, ifUsed.getResults());
  b.setInsertionPointToStart(ifUsed.thenBlock());
  Results next = drainPlace(drain, place, carried);
  if (carries) {
    scf::YieldOp::create(b, next);
    b.setInsertionPointToStart(ifUsed.elseBlock());
    scf::YieldOp::create(b, carried);
  }
  return Results(loop.getResults());
}

/// Lowers a drain. An unread dense workspace only loses its bits.
void WorkspaceLowering::lowerDrain(DrainOp drain) {
  if (op.getFlat()) {
    drain.replaceAllUsesWith(drainFlat(drain));
    drain.erase();
    return;
  }
  auto drainAll = [&](WorkspaceMarks::VisitPlace visit) {
    ValueRange inits = drain.getInits();
    return op.getLane() ? marks.drainByLanes(inits, visit)
                        : Results(marks.drain(inits, visit));
  };
  auto visit = [&] {
    return drainAll([&](Value place, ValueRange carried) {
      return drainPlace(drain, place, carried);
    });
  };
  auto forget = [&] { return drainAll(nullptr); };
  if (op.getKeys())
    marks.store(marks.word(0), Number(b, 0));
  if (drain.getInits().empty() &&
      drain.getBodyBlock()->without_terminator().empty()) {
    choose({}, forget, visit);
  } else {
    Results made = visit();
    if (repeats)
      repeats.endRow(Number(b, made.front()) - drain.getInits().front());
    drain.replaceAllUsesWith(made);
  }
  drain.erase();
}

SmallVector<Value> WorkspaceLowering::drainPlace(DrainOp drain, Value place,
                                                 ValueRange carried) {
  IRMapping mapping;
  mapping.map(drain.getKey(), drainKey(place));
  if (drain.getValue())
    mapping.map(drain.getValue(), load(op.getValues(), place));
  mapping.map(drain.getCarried(), carried);
  for (Operation &nested : drain.getBodyBlock()->without_terminator())
    b.clone(nested, mapping);
  return llvm::map_to_vector(
      drain.getBodyBlock()->getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Fails if a workspace is used in any other way than those that are known.
static LogicalResult checkUsers(Operation *op,
                                llvm::function_ref<bool(Operation *)> isKnown) {
  for (Operation *user : op->getUsers())
    if (!isKnown(user))
      return user->emitOpError("uses a workspace as it cannot be used");
  return success();
}

namespace {
struct WorkspaceToSCF
    : nacho::impl::ConvertNachoWorkspaceToSCFBase<WorkspaceToSCF> {
  using ConvertNachoWorkspaceToSCFBase::ConvertNachoWorkspaceToSCFBase;

  void runOnOperation() override {
    SmallVector<WorkspaceOp> workspaces;
    SmallVector<LaneTableOp> tables;
    getOperation().walk([&](WorkspaceOp op) { workspaces.push_back(op); });
    getOperation().walk([&](LaneTableOp op) { tables.push_back(op); });
    for (WorkspaceOp op : workspaces)
      if (failed(checkUsers(op, [&](Operation *user) {
            if (auto drain = dyn_cast<DrainOp>(user))
              return !WorkspaceLowering::isRenewed(op) &&
                     (drain.getBelow() || !op.getFlat());
            return isa<InsertOp>(user) || (isa<LookupOp, RenewOp>(user) &&
                                           WorkspaceLowering::isRenewed(op));
          })))
        return signalPassFailure();
    for (LaneTableOp op : tables)
      if (failed(checkUsers(op, [](Operation *user) {
            auto drain = dyn_cast<DrainOp>(user);
            return isa<InsertOp>(user) ||
                   (drain && drain.getInits().size() < 2);
          })))
        return signalPassFailure();
    for (WorkspaceOp op : workspaces)
      WorkspaceLowering(op, repeats).run();
    llvm::for_each(tables, lowerLaneTable);
  }
};
} // namespace
