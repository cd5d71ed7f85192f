//===- WorkspaceToSCF.cpp - Tables with open addressing -------------------===//
//
// Finds the places of keys. An unused place has the key -1, and no mark: see
// WorkspaceMarks.h.
//
//===----------------------------------------------------------------------===//

#include "WorkspaceMarks.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Condition.h"
#include "nacho/IR/Names.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOWORKSPACETOSCF
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {

/// Lowers one workspace and its uses. A workspace without keys has only bits
/// and values: each coordinate is its own place.
class WorkspaceLowering {
public:
  explicit WorkspaceLowering(WorkspaceOp op)
      : op(op), b(withoutName(op.getLoc()), op), marks(op, b) {}

  void run();

private:
  /// The factor of the hash: 2^64 divided by the golden ratio.
  static constexpr int64_t kFactor = 0x9E3779B97F4A7C15;

  void describeTable();
  void describeDense();
  void lowerDenseInsert(InsertOp insert);
  void refuse(Condition isTooMuch, Status status);
  Value firstPlace(Value key);
  std::pair<Value, Value> findPlace(Value key, Value first);
  std::pair<Value, Value> findMarked(Value key, Value first);
  void lowerLookup(LookupOp lookup);
  void lowerInsert(InsertOp insert);
  Value insertNew(InsertOp insert, Value place);
  void lowerDrain(DrainOp drain);
  SmallVector<Value> drainPlace(DrainOp drain, Value place, ValueRange carried);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Type keyType() {
    return cast<MemRefType>(op.getKeys().getType()).getElementType();
  }
  Value emptyKey() {
    return arith::ConstantOp::create(b, b.getIntegerAttr(keyType(), -1));
  }
  Value load(Value buffer, Value at) {
    return memref::LoadOp::create(b, buffer, ValueRange{op.getRow(), at});
  }
  void store(Value value, Value buffer, Value at) {
    memref::StoreOp::create(b, value, buffer, ValueRange{op.getRow(), at});
  }

  WorkspaceOp op;
  ImplicitLocOpBuilder b;
  WorkspaceMarks marks;
  Value mask;    ///< Cuts a number down to one of a place.
  Value marked;  ///< The last place for which there are marks.
  Value isDense; ///< Whether each coordinate is its own place.
  Value shift;   ///< Right shift that leaves a hash's high bits.
  Value most;    ///< The largest number of keys.
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
    auto insert = dyn_cast<InsertOp>(user);
    if (auto lookup = dyn_cast<LookupOp>(user))
      lowerLookup(lookup);
    else if (!insert)
      lowerDrain(cast<DrainOp>(user));
    else if (op.getKeys())
      lowerInsert(insert);
    else
      lowerDenseInsert(insert);
  }
  op.erase();
}

void WorkspaceLowering::describeTable() {
  Value one = constant(1);
  Value size = memref::DimOp::create(b, op.getKeys(), one);
  mask = marked = arith::SubIOp::create(b, size, one);
  // One place always stays free, so that every search ends.
  isDense =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, op.getExtent(), size);
  Value bits = math::CountTrailingZerosOp::create(
      b, arith::IndexCastOp::create(b, b.getI64Type(), size));
  Value high = arith::SubIOp::create(
      b, constant(64), arith::IndexCastOp::create(b, b.getIndexType(), bits));
  shift = high;
  most = arith::SelectOp::create(b, isDense, mask,
                                 arith::ShRUIOp::create(b, size, one));
}

/// Each coordinate is its own place. The mask keeps larger coordinates inside.
void WorkspaceLowering::describeDense() {
  Value places = constant(kDensePlaces);
  marked = arith::SubIOp::create(b, places, constant(1));
  Value room = places;
  if (op.getValues())
    room = memref::DimOp::create(b, op.getValues(), constant(1));
  mask = arith::SubIOp::create(b, room, constant(1));
  refuse(
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, op.getExtent(), room),
      kRowTooWide);
}

/// The place where the search for a key begins.
Value WorkspaceLowering::firstPlace(Value key) {
  Type index = b.getIndexType();
  auto ifDense = scf::IfOp::create(b, index, isDense, /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifDense.thenBlock());
    scf::YieldOp::create(b, key);
    b.setInsertionPointToStart(ifDense.elseBlock());
    Value factor = constant(kFactor);
    Value product = arith::MulIOp::create(b, key, factor);
    Value high = arith::ShRUIOp::create(b, product, constant(32));
    Value mixed = arith::XOrIOp::create(b, product, high);
    Value again = arith::MulIOp::create(b, mixed, factor);
    scf::YieldOp::create(b, Value(arith::ShRUIOp::create(b, again, shift)));
  }
  return arith::AndIOp::create(b, ifDense.getResult(0), mask);
}

/// Finds the place of a key, or the free place for it. Returns the place and
/// the key that is there. No place is tried twice:
///
///   for n = first to first + size, while key[n & mask] is another one
///
/// One place is always free, so that the search ends earlier.
std::pair<Value, Value> WorkspaceLowering::findPlace(Value key, Value first) {
  Type index = b.getIndexType();
  Value narrow = arith::IndexCastUIOp::create(b, keyType(), key);
  Value empty = emptyKey();
  Value end = arith::AddIOp::create(b, first, mask);
  auto search = scf::WhileOp::create(
      b, TypeRange{index, keyType()}, ValueRange{first},
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder before(loc, builder);
        Value at = arith::AndIOp::create(before, args[0], mask);
        Value there = memref::LoadOp::create(before, op.getKeys(),
                                             ValueRange{op.getRow(), at});
        Value isNew = arith::CmpIOp::create(before, arith::CmpIPredicate::ult,
                                            args[0], end);
        auto differs = [&](Value other) -> Value {
          return arith::CmpIOp::create(before, arith::CmpIPredicate::ne, there,
                                       other);
        };
        Value taken =
            arith::AndIOp::create(before, differs(narrow), differs(empty));
        scf::ConditionOp::create(before,
                                 arith::AndIOp::create(before, isNew, taken),
                                 ValueRange{args[0], there});
      },
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value one = arith::ConstantIndexOp::create(builder, loc, 1);
        Value next = arith::AddIOp::create(builder, loc, args[0], one);
        scf::YieldOp::create(builder, loc, next);
      });
  Value place = arith::AndIOp::create(b, search.getResult(0), mask);
  return {place, search.getResult(1)};
}

/// The place of a key whose first place is marked, and whether the key is
/// there. In a dense table, the mark alone says that the key is there.
std::pair<Value, Value> WorkspaceLowering::findMarked(Value key, Value first) {
  auto ifDense =
      scf::IfOp::create(b, TypeRange{b.getIndexType(), b.getI1Type()}, isDense,
                        /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifDense.thenBlock());
  Value isInside =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, key, op.getExtent());
  scf::YieldOp::create(b, ValueRange{first, isInside});
  b.setInsertionPointToStart(ifDense.elseBlock());
  auto [place, there] = findPlace(key, first);
  Value narrow = arith::IndexCastUIOp::create(b, keyType(), key);
  // A looked-up -1 is equal to the key of a free place, but is no key.
  Value isThere = arith::AndIOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, there, narrow),
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, there, emptyKey()));
  scf::YieldOp::create(b, ValueRange{place, isThere});
  return {ifDense.getResult(0), ifDense.getResult(1)};
}

/// Searches only if the key's first place is marked, since most lookups fail,
/// and marks take far less of the cache than keys.
void WorkspaceLowering::lowerLookup(LookupOp lookup) {
  Value first = firstPlace(lookup.getKey());
  Value isMarked = marks.isMarked(first);
  Type element = op.getType().getElement();
  auto ifMarked = scf::IfOp::create(b, TypeRange{element, b.getI1Type()},
                                    isMarked, /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifMarked.thenBlock());
    auto [place, isThere] = findMarked(lookup.getKey(), first);
    scf::YieldOp::create(b, ValueRange{load(op.getValues(), place), isThere});
    b.setInsertionPointToStart(ifMarked.elseBlock());
    Value nothing = arith::ConstantOp::create(b, b.getZeroAttr(element));
    Value no = arith::ConstantIntOp::create(b, 0, 1);
    scf::YieldOp::create(b, ValueRange{nothing, no});
  }
  lookup.replaceAllUsesWith(ifMarked);
  lookup.erase();
}

void WorkspaceLowering::lowerInsert(InsertOp insert) {
  auto [place, there] = findPlace(insert.getKey(), firstPlace(insert.getKey()));
  Value isNew =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, there, emptyKey());
  auto ifNew = scf::IfOp::create(b, b.getI1Type(), isNew, /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifNew.thenBlock());
    scf::YieldOp::create(b, insertNew(insert, place));
    b.setInsertionPointToStart(ifNew.elseBlock());
    if (insert.getValue()) {
      Value before = load(op.getValues(), place);
      Value sum =
          BinaryOp::create(b, BinaryKind::add, before, insert.getValue());
      store(sum, op.getValues(), place);
    }
    Value no = arith::ConstantIntOp::create(b, 0, 1);
    scf::YieldOp::create(b, no);
  }
  insert.replaceAllUsesWith(ifNew.getResult(0));
  insert.erase();
}

/// Puts a key into a free place, unless the table is full.
Value WorkspaceLowering::insertNew(InsertOp insert, Value place) {
  Value zero = constant(0);
  Value count = marks.load(zero);
  Value limit = arith::IndexCastOp::create(b, b.getI64Type(), most);
  Value fits =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, count, limit);
  auto ifFits = scf::IfOp::create(b, fits, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifFits.thenBlock());
  marks.store(arith::AddIOp::create(b, count, marks.word(1)), zero);
  store(arith::IndexCastUIOp::create(b, keyType(), insert.getKey()),
        op.getKeys(), place);
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
  Value full = arith::ConstantIntOp::create(b, status, 32);
  memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, full,
                              op.getStatus(), ValueRange());
}

/// The bit alone says whether the element is there; there is no search. A bit
/// that is already set is not written again: the next insertion may read the
/// same word, and would have to wait for the write.
void WorkspaceLowering::lowerDenseInsert(InsertOp insert) {
  unsigned last = WorkspaceMarks::kLevels - 1;
  Value place = arith::AndIOp::create(b, insert.getKey(), mask);
  Value number = arith::ShRUIOp::create(b, place, constant(6));
  Value at = marks.wordAt(last, number), bit = marks.bitOf(place);
  Value before = marks.load(at);
  Value isNew = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                      arith::AndIOp::create(b, before, bit),
                                      marks.word(0));
  Value value = insert.getValue();
  auto ifNew = scf::IfOp::create(b, isNew, /*withElse=*/value != nullptr);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifNew.thenBlock());
  marks.store(arith::OrIOp::create(b, before, bit), at);
  if (value)
    store(value, op.getValues(), place);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, marks.word(0));
  auto ifFirst = scf::IfOp::create(b, isFirst, /*withElse=*/false);
  b.setInsertionPointToStart(ifFirst.thenBlock());
  marks.mark(number, last);
  if (value) {
    b.setInsertionPointToStart(ifNew.elseBlock());
    Value sum = BinaryOp::create(b, BinaryKind::add,
                                 load(op.getValues(), place), value);
    store(sum, op.getValues(), place);
  }
  insert.replaceAllUsesWith(isNew);
  insert.erase();
}

void WorkspaceLowering::lowerDrain(DrainOp drain) {
  if (op.getKeys())
    marks.store(marks.word(0), constant(0));
  ValueRange results =
      marks.drain(drain.getInits(), [&](Value place, ValueRange carried) {
        return drainPlace(drain, place, carried);
      });
  drain.replaceAllUsesWith(results);
  drain.erase();
}

SmallVector<Value> WorkspaceLowering::drainPlace(DrainOp drain, Value place,
                                                 ValueRange carried) {
  IRMapping mapping;
  if (op.getKeys()) {
    Value key = load(op.getKeys(), place);
    mapping.map(drain.getKey(),
                arith::IndexCastUIOp::create(b, b.getIndexType(), key));
    store(emptyKey(), op.getKeys(), place);
  } else {
    mapping.map(drain.getKey(), place);
  }
  if (drain.getValue())
    mapping.map(drain.getValue(), load(op.getValues(), place));
  mapping.map(drain.getCarried(), carried);
  for (Operation &nested : drain.getBodyBlock()->without_terminator())
    b.clone(nested, mapping);
  return llvm::map_to_vector(
      drain.getBodyBlock()->getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

namespace {
struct WorkspaceToSCF
    : nacho::impl::ConvertNachoWorkspaceToSCFBase<WorkspaceToSCF> {
  void runOnOperation() override {
    SmallVector<WorkspaceOp> workspaces;
    getOperation().walk([&](WorkspaceOp op) { workspaces.push_back(op); });
    for (WorkspaceOp op : workspaces)
      for (Operation *user : op->getUsers())
        if (!isa<InsertOp, DrainOp>(user) &&
            !(isa<LookupOp>(user) && op.getKeys() && op.getValues())) {
          user->emitOpError("uses a workspace as it cannot be used");
          return signalPassFailure();
        }
    for (WorkspaceOp op : workspaces)
      WorkspaceLowering(op).run();
  }
};
} // namespace
