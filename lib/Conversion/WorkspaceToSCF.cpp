//===- WorkspaceToSCF.cpp - Sums by coordinate in rows of arrays ----------===//
//
// Which places are used, marks say (WorkspaceMarks.h); in a hashed workspace,
// keys say by which coordinates (WorkspaceKeys.h).
//
//===----------------------------------------------------------------------===//

#include "LaneTables.h"
#include "WorkspaceKeys.h"
#include "WorkspaceMarks.h"
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
#include "llvm/ADT/TypeSwitch.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOWORKSPACETOSCF
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// Lowers one workspace and its uses. A dense workspace has only bits and
/// values: each coordinate is its own place, and keys are not used.
class WorkspaceLowering {
public:
  explicit WorkspaceLowering(WorkspaceOp op)
      : op(op), b(withoutName(op.getLoc()), op), marks(op, b), keys(op, b) {}

  void run();

private:
  void describeTable();
  void describeDense();
  using Results = SmallVector<Value>;
  using Emit = llvm::function_ref<Results()>;
  Results choose(TypeRange types, Emit dense, Emit hashed);
  void refuse(Condition isTooMuch, Status status);
  Value densePlace(Value key);
  Results lookUp(Value key, bool isHashed);
  void lowerLookup(LookupOp lookup);
  void lowerInsert(InsertOp insert);
  Value insertDense(InsertOp insert);
  Value insertByLane(InsertOp insert);
  void addTo(Value place, InsertOp insert);
  Value insertHashed(InsertOp insert);
  Value insertNew(InsertOp insert, Value place);
  Value drainKey(Value place);
  void lowerDrain(DrainOp drain);
  Results drainPlace(DrainOp drain, Value place, ValueRange carried);

  Value load(Value buffer, Value at) {
    return memref::LoadOp::create(b, buffer, ValueRange{op.getRow(), at});
  }
  void store(Value value, Value buffer, Value at) {
    memref::StoreOp::create(b, value, buffer, ValueRange{op.getRow(), at});
  }

  WorkspaceOp op;
  ImplicitLocOpBuilder b;
  WorkspaceMarks marks;
  WorkspaceKeys keys;
  Value mask;    ///< The last place; the number of places is a power of two.
  Value marked;  ///< The last place for which there are marks.
  Value isDense; ///< Whether a workspace with keys is dense.
  Value most;    ///< The largest number of keys of a hashed workspace.
};
} // namespace

void WorkspaceLowering::run() {
  if (op.getKeys())
    describeTable();
  else
    describeDense();
  marks.locateLevels(marked);
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    b.setInsertionPoint(user);
    llvm::TypeSwitch<Operation *>(user)
        .Case([&](LookupOp lookup) { lowerLookup(lookup); })
        .Case([&](InsertOp insert) { lowerInsert(insert); })
        .Case([&](DrainOp drain) { lowerDrain(drain); });
  }
  op.erase();
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
  if (op.getKeys())
    return min(Number(b, key), mask);
  return Number(b, key) & mask;
}

/// The element of a key, and whether there is one. A search is only made if the
/// key's first place is marked, since most lookups fail, and marks take far
/// less of the cache than keys. In a dense table, the mark is the answer.
SmallVector<Value> WorkspaceLowering::lookUp(Value key, bool isHashed) {
  Type element = op.getType().getElement();
  Value first = isHashed ? keys.placeOf(key) : densePlace(key);
  auto ifMarked = scf::IfOp::create(b, TypeRange{element, b.getI1Type()},
                                    marks.isMarked(first), /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifMarked.thenBlock());
  Value place = first, isThere = Number::flag(b, true);
  if (isHashed) {
    Value there;
    std::tie(place, there) = keys.find(key, first);
    Value narrow = Number(b, key).as(keys.type());
    // A looked-up -1 is equal to the key of a free place, but is no key.
    Number isSame = Number(b, there) == narrow;
    isThere = isSame & (Number(b, there) != keys.empty());
  }
  scf::YieldOp::create(b, ValueRange{load(op.getValues(), place), isThere});
  b.setInsertionPointToStart(ifMarked.elseBlock());
  Number nothing(b, 0, element);
  Value no = Number::flag(b, false);
  scf::YieldOp::create(b, ValueRange{nothing, no});
  return SmallVector<Value>(ifMarked.getResults());
}

void WorkspaceLowering::lowerLookup(LookupOp lookup) {
  auto dense = [&] { return lookUp(lookup.getKey(), /*isHashed=*/false); };
  auto hashed = [&] { return lookUp(lookup.getKey(), /*isHashed=*/true); };
  lookup.replaceAllUsesWith(choose(lookup.getResultTypes(), dense, hashed));
  lookup.erase();
}

void WorkspaceLowering::lowerInsert(InsertOp insert) {
  auto dense = [&] {
    return Results{op.getLane() ? insertByLane(insert) : insertDense(insert)};
  };
  auto hashed = [&] { return Results{insertHashed(insert)}; };
  insert.replaceAllUsesWith(choose(b.getI1Type(), dense, hashed).front());
  insert.erase();
}

/// Returns whether the key is new.
Value WorkspaceLowering::insertHashed(InsertOp insert) {
  Value first = keys.placeOf(insert.getKey());
  auto [place, there] = keys.find(insert.getKey(), first);
  Value isNew = Number(b, there) == keys.empty();
  auto ifNew = scf::IfOp::create(b, b.getI1Type(), isNew, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifNew.thenBlock());
  scf::YieldOp::create(b, insertNew(insert, place));
  b.setInsertionPointToStart(ifNew.elseBlock());
  if (insert.getValue())
    addTo(place, insert);
  Value no = Number::flag(b, false);
  scf::YieldOp::create(b, no);
  return ifNew.getResult(0);
}

/// Puts a key into a free place, unless the table is full.
Value WorkspaceLowering::insertNew(InsertOp insert, Value place) {
  Number zero(b, 0);
  Number count(b, marks.load(zero));
  Value limit = Number(b, most).asSigned(b.getI64Type());
  Value fits = count < limit;
  auto ifFits = scf::IfOp::create(b, fits, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifFits.thenBlock());
  marks.store(count + 1, zero);
  store(Number(b, insert.getKey()).as(keys.type()), op.getKeys(), place);
  if (insert.getValue())
    store(insert.getValue(), op.getValues(), place);
  marks.mark(place, WorkspaceMarks::kLevels);
  b.setInsertionPointToStart(ifFits.elseBlock());
  refuse(kAlways, kWorkspaceFull);
  return fits;
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

/// The bit alone says whether the element is there; there is no search. A bit
/// that is already set is not written again: the next insertion may read the
/// same word, and would have to wait for the write. Returns whether the key is
/// new.
Value WorkspaceLowering::insertDense(InsertOp insert) {
  unsigned last = WorkspaceMarks::kLevels - 1;
  Value place = densePlace(insert.getKey());
  Value number = Number(b, place) >> 6;
  Value at = marks.wordAt(last, number), bit = marks.bitOf(place);
  Number before(b, marks.load(at));
  Value isNew = (before & bit) == 0;
  Value value = insert.getValue();
  auto ifNew = scf::IfOp::create(b, isNew, /*withElse=*/value != nullptr);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifNew.thenBlock());
  marks.store(before | bit, at);
  if (value)
    store(value, op.getValues(), place);
  Value isFirst = before == 0;
  auto ifFirst = scf::IfOp::create(b, isFirst, /*withElse=*/false);
  b.setInsertionPointToStart(ifFirst.thenBlock());
  marks.mark(number, last);
  if (value) {
    b.setInsertionPointToStart(ifNew.elseBlock());
    addTo(place, insert);
  }
  return isNew;
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

void WorkspaceLowering::addTo(Value place, InsertOp insert) {
  Value before = load(op.getValues(), place);
  store(insert.emitCombined(b, before), op.getValues(), place);
}

/// Lowers a drain. An unread dense workspace only loses its bits.
void WorkspaceLowering::lowerDrain(DrainOp drain) {
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
      drain.getBodyBlock()->without_terminator().empty())
    choose({}, forget, visit);
  else
    drain.replaceAllUsesWith(visit());
  drain.erase();
}

/// The key at a place that is used no longer.
Value WorkspaceLowering::drainKey(Value place) {
  auto takeKey = [&] {
    Value key = load(op.getKeys(), place);
    store(keys.empty(), op.getKeys(), place);
    return Results{Number(b, key).asIndex()};
  };
  return choose(
             b.getIndexType(), [&] { return Results{place}; }, takeKey)
      .front();
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
  void runOnOperation() override {
    SmallVector<WorkspaceOp> workspaces;
    SmallVector<LaneTableOp> tables;
    getOperation().walk([&](WorkspaceOp op) { workspaces.push_back(op); });
    getOperation().walk([&](LaneTableOp op) { tables.push_back(op); });
    for (WorkspaceOp op : workspaces)
      if (failed(checkUsers(op, [&](Operation *user) {
            return isa<InsertOp, DrainOp>(user) ||
                   (isa<LookupOp>(user) && op.getKeys() && op.getValues());
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
      WorkspaceLowering(op).run();
    llvm::for_each(tables, lowerLaneTable);
  }
};
} // namespace
