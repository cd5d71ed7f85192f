//===- LaneMarks.cpp - Marks that the lanes of a worker share -------------===//
//
// Bits are set atomically, since lanes have places whose bits are in the same
// word. Lanes drain words of the last level at the same time, one each.
//
//===----------------------------------------------------------------------===//

#include "WorkspaceMarks.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Lanes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// The first lane to set a bit of a word sets the bits above it.
void WorkspaceMarks::markByLane(Value place) {
  auto set = [&](unsigned level, Value number) -> Value {
    Value at = wordAt(level, Number(b, number) >> 6);
    return memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori,
                                       bitOf(number), op.getMarks(),
                                       ValueRange{op.getRow(), at});
  };
  Value before = set(kLevels - 1, place);
  Value isFirst = Number(b, before) == 0;
  auto ifFirst = scf::IfOp::create(b, isFirst, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifFirst.thenBlock());
  for (unsigned level = kLevels - 1; level-- > 0;) {
    place = Number(b, place) >> 6;
    set(level, place);
  }
}

/// for each word of the first level:
///   for each of its bits: drain the words of the last level that it stands for
///   all lanes wait; word = 0
SmallVector<Value> WorkspaceMarks::drainByLanes(ValueRange inits,
                                                VisitPlace visit) {
  auto loop = scf::ForOp::create(b, Number(b, 0), words, Number(b, 1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(), at = wordAt(0, number);
  auto drainBit = [&](Value bit, ValueRange carried) {
    Value inner = (Number(b, number) << 6) + bit;
    return drainWordsByLanes(inner, carried, visit);
  };
  SmallVector<Value> carried =
      forEachBit(load(at), loop.getRegionIterArgs(), drainBit);
  LaneSyncOp::create(b);
  store(word(0), at);
  if (!carried.empty())
    scf::YieldOp::create(b, carried);
  b.setInsertionPointAfter(loop);
  LaneSyncOp::create(b);
  return SmallVector<Value>(loop.getResults());
}

/// Lanes take, in turn, the words that word `number` of the level above stands
/// for.
SmallVector<Value> WorkspaceMarks::drainWordsByLanes(Value number,
                                                     ValueRange carried,
                                                     VisitPlace visit) {
  Value above = wordAt(kLevels - 2, number), bits = load(above);
  Lanes lanes(op.getLane());
  auto loop = scf::ForOp::create(b, Number(b, 0), Number(b, 64),
                                 Number(b, lanes.count()), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value bit = Number(b, loop.getInductionVar()) + op.getLane();
    Number inner = (Number(b, number) << 6) + bit;
    Value own = takeWord(bits, bit, wordAt(kLevels - 1, inner));
    auto visitBit = [&](Value bit, ValueRange values) {
      Value place = (inner << 6) + bit;
      return visit(place, values);
    };
    if (!carried.empty()) {
      Value next = loop.getRegionIterArg(0);
      Value count = Number(b, math::CtPopOp::create(b, own)).as(b.getI32Type());
      auto [before, all] = lanes.sumBefore(b, count);
      auto after = [&](Value count) -> Value {
        return Number(b, next) + Number(b, count).asIndex();
      };
      forEachBit(own, after(before), visitBit);
      scf::YieldOp::create(b, after(all));
    } else if (visit) {
      forEachBit(own, {}, visitBit);
    }
  }
  LaneSyncOp::create(b);
  store(word(0), above);
  return SmallVector<Value>(loop.getResults());
}

/// The word at `at`, which is 0 afterwards, if bit `number` of the word above
/// is set; otherwise, 0.
Value WorkspaceMarks::takeWord(Value above, Value number, Value at) {
  Value isUsed = (Number(b, above) & bitOf(number)) != 0;
  auto ifUsed = scf::IfOp::create(b, b.getI64Type(), isUsed, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifUsed.thenBlock());
  Value bits = load(at);
  store(word(0), at);
  scf::YieldOp::create(b, bits);
  b.setInsertionPointToStart(ifUsed.elseBlock());
  scf::YieldOp::create(b, word(0));
  return ifUsed.getResult(0);
}
