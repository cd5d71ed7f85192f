//===- FlatTree.cpp - The level of a flattened tree -----------------------===//
//
// Only the last coordinate of an entry is stored at the position of the entry.
// The other coordinates are those of its fiber, whose position is found by a
// search through the arrays of positions.
//
//===----------------------------------------------------------------------===//

#include "Flat.h"

#include "nacho/IR/WhileLoop.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

/// How many positions ahead the arrays are prefetched: about a window. Windows
/// are filled in turn, each from arrays of its own, and between them processors
/// lose track of what is read next.
static constexpr int64_t kAhead = 512;

namespace {
/// The coordinates above the last level are stored at the parent of an entry,
/// at the parent of the parent, and so on.
class FlatTree : public FlatLevel {
public:
  using FlatLevel::FlatLevel;

  Value coordinate(ImplicitLocOpBuilder &b, Value position) const override;
  Value coordinateVector(ImplicitLocOpBuilder &, Value, Condition,
                         unsigned) const override {
    llvm_unreachable("the parents of several positions are not known");
  }
  Value lowerBound(ImplicitLocOpBuilder &b, Value key, Value first, Value low,
                   Value high) const override;
  unsigned numCursors() const override { return rank - 1; }
  void fill(ImplicitLocOpBuilder &b, Value array, Value begin, Value end,
            Value cursors, unsigned vectorBits) const override;

private:
  Value parentOf(ImplicitLocOpBuilder &b, unsigned level, Value position,
                 Value from) const;

  /// A window that is being filled, which begins at the entry `begin`. In each
  /// level, the ancestors of its entries have the positions [low, high).
  struct Walk {
    Value array, begin;
    SmallVector<Value> low, high;
  };
  void storeFibers(ImplicitLocOpBuilder &b, const Walk &walk, unsigned level,
                   Value from, Value to, const Key &above,
                   unsigned lanes) const;
  void storeVectors(ImplicitLocOpBuilder &b, const Walk &walk, Value from,
                    Value to, const Key &above, unsigned lanes) const;
  void addEntries(ImplicitLocOpBuilder &b, const Walk &walk,
                  unsigned lanes) const;
};
} // namespace

/// The parent of a position: the last position p of the level above with
/// begin(p) <= position. The parent is not before `from`, and seldom far behind
/// it:
///
///   low = from; step = 1
///   while begin(low + step) <= position: low += step; step *= 2
///   return the last p of [low, low + step) with begin(p) <= position
Value FlatTree::parentOf(ImplicitLocOpBuilder &b, unsigned level,
                         Value position, Value from) const {
  Number zero(b, 0);
  Number one(b, 1);
  auto mine = Level::get(of, level);
  Value last = Level::get(of, level - 1)->last(b);
  auto isBefore = [&](Value parent) {
    Number inside = Number(b, parent).compare(arith::CmpIPredicate::sle, last);
    Value safe = maxSigned(minSigned(Number(b, parent), last), zero);
    Value begins = Number(b, mine->begin(b, safe)) <= position;
    return inside & begins;
  };
  auto isNextBefore = [&](ValueRange now) -> Value {
    return isBefore(Number(b, now[0]) + now[1]);
  };
  Values around = emitWhile(b, {from, one}, isNextBefore, [&](ValueRange now) {
    Number step(b, now[1]);
    Value low = Number(b, now[0]) + step;
    return Values{low, step + step};
  });
  auto isOpen = [&](ValueRange now) -> Value {
    return Number(b, now[1]) > one;
  };
  Values found = emitWhile(b, around, isOpen, [&](ValueRange now) {
    Value half = Number(b, now[1]) >> one;
    Value middle = Number(b, now[0]) + half;
    return Values{select(isBefore(middle), middle, now[0]), half};
  });
  return found.front();
}

Value FlatTree::coordinate(ImplicitLocOpBuilder &b, Value position) const {
  Number zero(b, 0);
  SmallVector<Value> parts(rank);
  for (unsigned level = rank; level-- > 0;) {
    parts[level] = Level::get(of, level)->coordinate(b, position);
    if (level > 0)
      position = parentOf(b, level, position, zero);
  }
  Key key;
  for (auto [level, part] : llvm::enumerate(parts))
    key.add(b, of, level, part);
  return key.get(b);
}

/// Searches level by level, each time among the children of the coordinate that
/// was found in the level above. If a level lacks a coordinate, the result is
/// where the children of the next larger coordinate begin.
Value FlatTree::lowerBound(ImplicitLocOpBuilder &b, Value key, Value, Value low,
                           Value high) const {
  Number zero(b, 0);
  Number one(b, 1);
  Value from = Level::get(of, 0)->begin(b, zero);
  Value to = Level::get(of, 0)->begin(b, one);
  for (unsigned level = 0; level < rank; ++level) {
    auto mine = Level::get(of, level);
    Value part = emitCoordinateOfKey(b, of, level, key);
    Number found(b, mine->lowerBound(b, part, from, from, to));
    if (level + 1 == rank) {
      from = found;
      break;
    }
    Number there = found < to;
    Value safe = select(there, found, zero);
    Value same = Number(b, mine->coordinate(b, safe)) == part;
    there = there & same;
    Value after = found + there.asIndex();
    auto below = Level::get(of, level + 1);
    from = below->begin(b, found);
    to = below->begin(b, after);
  }
  return min(max(Number(b, from), low), high);
}

/// Stores the key of each fiber, without the field of the last level, where the
/// window has the fiber's first entry:
///   for p in from..to:
///     in the last level but one: array[begin(p) - walk.begin] = key(p)
///     in levels above:           storeFibers of the children of p
void FlatTree::storeFibers(ImplicitLocOpBuilder &b, const Walk &walk,
                           unsigned level, Value from, Value to,
                           const Key &above, unsigned lanes) const {
  if (level + 2 == rank)
    return storeVectors(b, walk, from, to, above, lanes);
  Number one(b, 1);
  auto forOp = scf::ForOp::create(b, from, to, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  Value position = forOp.getInductionVar();
  Key key = above;
  key.add(b, of, level, Level::get(of, level)->coordinate(b, position));
  auto below = Level::get(of, level + 1);
  Value first = max(Number(b, below->begin(b, position)), walk.low[level + 1]);
  Value after = Number(b, position) + one;
  Value end = min(Number(b, below->begin(b, after)), walk.high[level + 1]);
  storeFibers(b, walk, level + 1, first, end, key, lanes);
}

/// Stores the keys of the fibers at [from, to) of the last level but one, by
/// vectors. Lanes behind `to` store theirs behind the window. If several fibers
/// begin at the same entry, all but the last are empty, and of the lanes that
/// store to one place the last one wins.
void FlatTree::storeVectors(ImplicitLocOpBuilder &b, const Walk &walk,
                            Value from, Value to, const Key &above,
                            unsigned lanes) const {
  auto words = VectorType::get(lanes, b.getI64Type());
  auto toAll = [&](Value index) -> Value {
    Value word = Number(b, index).asSigned(b.getI64Type());
    return vector::BroadcastOp::create(b, words, word);
  };
  Number step(b, lanes);
  Number zero(b, 0);
  Value begin = toAll(walk.begin), end = toAll(walk.high.back());
  Value last = Number(b, end) - 1;
  Value all = vector::BroadcastOp::create(
      b, VectorType::get(lanes, b.getI1Type()), Number::flag(b, true));
  Key outer = rank > 2 ? Key(toAll(above.get(b))) : Key();
  auto forOp = scf::ForOp::create(b, from, to, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  Value position = forOp.getInductionVar();
  Value valid = emitMask(b, position, to, lanes);
  auto mine = Level::get(of, rank - 2);
  Value ahead = Number(b, position) + kAhead;
  mine->prefetch(b, ahead);
  Level::get(of, rank - 1)->prefetchBegin(b, ahead);
  Value parts = asWords(b, mine->coordinateVector(b, position, valid, lanes));
  Value stored = emitPositionsArray(b, of, rank - 1);
  Value begins = asWords(b, loadVector(b, stored, position, valid, lanes));
  Key key = outer;
  key.add(b, of, rank - 2, parts);
  Value first = min(max(Number(b, begins), begin), last);
  Value at = select(Number(b, valid), first, end);
  vector::ScatterOp::create(b, Type(), walk.array, ValueRange{zero},
                            Number(b, at) - begin, all, key.get(b));
}

/// Completes the keys. The array has the key of a fiber at the fiber's first
/// entry, and 0 at its other entries. As keys of fibers increase, a running
/// maximum gives every entry the key of its fiber:
///   for p in begin..end:
///     array[p - begin] = max(array[0 .. p - begin]) | last coordinate of p
void FlatTree::addEntries(ImplicitLocOpBuilder &b, const Walk &walk,
                          unsigned lanes) const {
  auto words = VectorType::get(lanes, b.getI64Type());
  Number none(b, 0, words);
  Number step(b, lanes);
  Value end = walk.high.back();
  auto forOp = scf::ForOp::create(b, walk.begin, end, step, none);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  Value position = forOp.getInductionVar();
  Value at = Number(b, position) - walk.begin;
  Number above(b, vector::LoadOp::create(b, words, walk.array, at));
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    SmallVector<int64_t> order;
    for (unsigned lane = 0; lane < lanes; ++lane)
      order.push_back(lane < distance ? lane : lanes + lane - distance);
    Value moved = vector::ShuffleOp::create(b, none, above, order);
    above = max(above, moved);
  }
  above = max(above, forOp.getRegionIterArgs().front());
  SmallVector<int64_t> lastLane(lanes, lanes - 1);
  Value carried = vector::ShuffleOp::create(b, above, above, lastLane);

  Value valid = emitMask(b, position, end, lanes);
  Level::get(of, rank - 1)->prefetch(b, Number(b, position) + kAhead);
  Key key(above);
  key.add(b, of, rank - 1,
          asWords(b, Level::get(of, rank - 1)
                         ->coordinateVector(b, position, valid, lanes)));
  vector::StoreOp::create(b, key.get(b), walk.array, at);
  scf::YieldOp::create(b, carried);
}

void FlatTree::fill(ImplicitLocOpBuilder &b, Value array, Value begin,
                    Value end, Value cursors, unsigned vectorBits) const {
  unsigned lanes = vectorBits / 64;
  Number one(b, 1);
  Walk walk{array, begin, {}, {}};
  walk.low.resize(rank);
  walk.high.resize(rank);
  walk.low.back() = begin;
  walk.high.back() = end;
  for (unsigned level = rank - 1; level > 0; --level) {
    Number cursor(b, level - 1);
    Value last = Number(b, walk.high[level]) - one;
    Value low = parentOf(b, level, walk.low[level],
                         memref::LoadOp::create(b, cursors, cursor));
    memref::StoreOp::create(b, low, cursors, cursor);
    walk.low[level - 1] = low;
    walk.high[level - 1] = Number(b, parentOf(b, level, last, low)) + one;
  }
  auto words = VectorType::get(lanes, b.getI64Type());
  Number none(b, 0, words);
  Number step(b, lanes);
  auto clear = scf::ForOp::create(b, begin, end, step);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(clear.getBody());
    Value at = Number(b, clear.getInductionVar()) - begin;
    vector::StoreOp::create(b, none, array, at);
  }
  storeFibers(b, walk, 0, walk.low[0], walk.high[0], Key(), lanes);
  addEntries(b, walk, lanes);
}

std::unique_ptr<Level> nacho::makeFlatTree(Value flat, Value tensor) {
  return std::make_unique<FlatTree>(flat, tensor);
}
