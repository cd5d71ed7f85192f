//===- WorkspaceHashed.cpp - Workspaces that look their keys up -----------===//

#include "WorkspaceLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// The element of a key, and whether there is one. A search is only made if the
/// key's first place is marked, since most lookups fail, and marks take far
/// less of the cache than keys.
SmallVector<Value> WorkspaceLowering::lookUpHashed(Value key) {
  Type element = op.getType().getElement();
  Value first = keys.placeOf(key);
  auto ifMarked = scf::IfOp::create(b, TypeRange{element, b.getI1Type()},
                                    marks.isMarked(first), /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifMarked.thenBlock());
  auto [place, there] = keys.find(key, first);
  Value narrow = Number(b, key).as(keys.type());
  // A looked-up -1 is equal to the key of a free place, but is no key.
  Number isSame = Number(b, there) == narrow;
  Value isThere = isSame & (Number(b, there) != keys.empty());
  scf::YieldOp::create(b, ValueRange{load(op.getValues(), place), isThere});
  b.setInsertionPointToStart(ifMarked.elseBlock());
  Number nothing(b, 0, element);
  Value no = Number::flag(b, false);
  scf::YieldOp::create(b, ValueRange{nothing, no});
  return SmallVector<Value>(ifMarked.getResults());
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

/// Takes all keys out of a hashed workspace.
void WorkspaceLowering::clearHashed() {
  marks.store(marks.word(0), Number(b, 0));
  marks.drain({}, [&](Value place, ValueRange) {
    store(keys.empty(), op.getKeys(), place);
    return Results();
  });
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
