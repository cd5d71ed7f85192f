//===- Dense.cpp - A level that has every coordinate ----------------------===//
//
// The level stores nothing. With extent N, the child of parent p at coordinate
// x has the position p * N + x.
//
//===----------------------------------------------------------------------===//

#include "LevelKind.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

namespace {

class DenseLevel : public Level {
public:
  DenseLevel(Value tensor, unsigned level) : Level(tensor, level) {}

  bool isFull() const override { return true; }
  bool isUnique() const override { return true; }

  Value begin(ImplicitLocOpBuilder &b, Value parent) const override {
    return Number(b, parent) * extent(b);
  }

  Value size(ImplicitLocOpBuilder &) const override {
    llvm_unreachable("a full level stores no coordinates");
  }

  Value coordinate(ImplicitLocOpBuilder &, Value) const override {
    llvm_unreachable("the coordinates of a full level are those of its loop");
  }

  Value coordinateVector(ImplicitLocOpBuilder &, Value, Condition,
                         unsigned) const override {
    llvm_unreachable("the coordinates of a full level are those of its loop");
  }

  Value lowerBound(ImplicitLocOpBuilder &b, Value coordinate, Value first,
                   Value, Value) const override {
    return Number(b, first) + coordinate;
  }
};

/// A dense level above a compressed one, such as the rows of a CSR result. It
/// fills the array of positions of the next level: up to a coordinate when the
/// coordinate has entries, and up to the end of a fiber when the fiber is
/// appended. Of several dense levels in a row, the last one fills the array,
/// indexed by its own positions. A part writes positions (lower, upper], so
/// that all parts together write each element once; the first part writes
/// positions[0], too. The carried value is the last index written.
class DenseResultLevel : public ResultLevel {
public:
  void initAppend(ImplicitLocOpBuilder &b, const AppendContext &context,
                  SmallVectorImpl<Value> &carried) const override {
    Number zero(b, 0);
    Number none(b, -1);
    Number isFirst = Number(b, context.part) == zero;
    NameScope name(b, "written");
    carried.push_back(select(isFirst, none, context.lower));
  }

  void leaveAppend(ImplicitLocOpBuilder &b, const AppendContext &context,
                   const AppendedCoordinate &at,
                   MutableArrayRef<Value> carried) const override {
    if (at.visitsAll)
      return storeNext(b, context, at, carried[0]);
    Value to = select(Number(b, at.any), at.number, carried[0]);
    carried[0] = fill(b, context, carried[0], to, at.before);
  }

  void leaveFiber(ImplicitLocOpBuilder &b, const AppendContext &context,
                  Value end, Value next,
                  MutableArrayRef<Value> carried) const override {
    carried[0] = fill(b, context, carried[0], end, next);
  }

  Condition finishAppend(ImplicitLocOpBuilder &b, const AppendContext &context,
                         Value next, ValueRange carried) const override {
    fill(b, context, carried[0], context.upper, next);
    return kAlways;
  }

private:
  /// if written < number: positions[number] = before
  ///
  /// An earlier part has written the position of the first coordinate.
  static void storeNext(ImplicitLocOpBuilder &b, const AppendContext &context,
                        const AppendedCoordinate &at, Value &written) {
    Value isNew =
        Number(b, written).compare(arith::CmpIPredicate::slt, at.number);
    auto ifNew = scf::IfOp::create(b, isNew);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifNew.thenBlock());
    storeIndex(b, at.before, context.positions, at.number);
    written = at.number;
  }

  /// for x in (from, min(to, upper)]: positions[x] = value
  ///
  /// Returns the last index written.
  static Value fill(ImplicitLocOpBuilder &b, const AppendContext &context,
                    Value from, Value to, Value value) {
    Number one(b, 1);
    Number clipped = minSigned(Number(b, to), context.upper);
    Number last = maxSigned(Number(b, from), clipped);
    Value begin = Number(b, from) + one;
    Value end = last + one;
    auto loop = scf::ForOp::create(b, begin, end, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    storeIndex(b, value, context.positions, loop.getInductionVar());
    return last;
  }
};

class DenseKind : public LevelKind {
public:
  bool matches(Encoding encoding, unsigned level) const override {
    return isDenseLT(encoding.getLvlType(level));
  }
  bool worksInBatches() const override { return true; }
  bool isFull() const override { return true; }
  SmallVector<LevelArray> arrays(Encoding, unsigned) const override {
    return {};
  }
  std::unique_ptr<Level> operand(Value tensor, unsigned level) const override {
    return std::make_unique<DenseLevel>(tensor, level);
  }
  std::unique_ptr<ResultLevel> result() const override {
    return std::make_unique<DenseResultLevel>();
  }
};

} // namespace

const LevelKind &nacho::denseKind() {
  static const DenseKind kind;
  return kind;
}
