//===- LoopMergeSteps.cpp - Progress of merges ----------------------------===//

#include "LoopSteps.h"

using namespace mlir;
using namespace nacho;

/// Adds the values whose least one a value is.
void LoopSteps::addLeaves(Value least, SmallVectorImpl<Value> &leaves) {
  least = resolve(least);
  if (auto both = least.getDefiningOp<arith::MinUIOp>()) {
    addLeaves(both.getLhs(), leaves);
    addLeaves(both.getRhs(), leaves);
    return;
  }
  leaves.push_back(least);
}

//===----------------------------------------------------------------------===//
// Conditions one of which holds
//===----------------------------------------------------------------------===//

/// Whether all of the values whose least one `least` is are compared with it:
/// one of them is equal.
bool LoopSteps::hasAllEqual(ArrayRef<Literal> any, Value least) {
  SmallVector<Value> leaves;
  addLeaves(least, leaves);
  return leaves.size() > 1 && llvm::all_of(leaves, [&](Value leaf) {
           return llvm::any_of(any, [&](const Literal &literal) {
             auto test = literal.first.getDefiningOp<arith::CmpIOp>();
             if (!literal.second || !test ||
                 test.getPredicate() != arith::CmpIPredicate::eq)
               return false;
             Value x = test.getLhs(), y = test.getRhs();
             return (isSame(x, leaf) && isSame(y, least)) ||
                    (isSame(y, leaf) && isSame(x, least));
           });
         });
}

/// Whether all of the values whose least one `least` is are compared with
/// `bound`: one of them is below it if `least` is. `isOrEqual` says that it is
/// enough to know that if they are not equal.
bool LoopSteps::hasAllBelow(ArrayRef<Literal> any, Value least, Value bound,
                            bool isOrEqual) {
  SmallVector<Value> leaves;
  addLeaves(least, leaves);
  return llvm::all_of(leaves, [&](Value leaf) {
    return llvm::any_of(any, [&](const Literal &literal) {
      std::optional<Less> less =
          literal.second ? lessOf(literal.first) : std::nullopt;
      return less && less->low.offset == 0 && isSame(less->low.base, leaf) &&
             isSame(less->high, bound) && (isOrEqual || less->isOrEqual);
    });
  });
}

/// Whether at least one of the conditions holds, whatever the numbers are that
/// they compare.
bool LoopSteps::isAlwaysAny(ArrayRef<Literal> any) {
  return llvm::any_of(any, [&](const Literal &literal) {
    auto [condition, holds] = literal;
    if (llvm::is_contained(any, Literal{condition, !holds}))
      return true;
    auto test = condition.getDefiningOp<arith::CmpIOp>();
    if (!test || !holds)
      return false;
    if (test.getPredicate() == arith::CmpIPredicate::eq)
      return hasAllEqual(any, test.getLhs()) || hasAllEqual(any, test.getRhs());
    std::optional<Less> less = lessOf(condition);
    return less && less->low.offset == 0 &&
           hasAllBelow(any, less->high, less->low.base, less->isOrEqual);
  });
}

//===----------------------------------------------------------------------===//
// Coordinates that are infinity at the end
//===----------------------------------------------------------------------===//

/// Infinity is the largest number: see kInfinity.
static bool isInfinity(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && constant.isAllOnes();
}

/// Whether the condition holds only if one of `positions` is below its bound.
/// The condition says so, or that a coordinate is not infinity; it adds those
/// that it speaks of.
bool LoopSteps::isFinite(Value condition,
                         SmallVectorImpl<unsigned> &positions) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op))
    return isFinite(op->getOperand(0), positions) ||
           isFinite(op->getOperand(1), positions);
  if (isa_and_nonnull<arith::OrIOp>(op))
    return isFinite(op->getOperand(0), positions) &&
           isFinite(op->getOperand(1), positions);
  if (std::optional<unsigned> position = positionInside(condition)) {
    positions.push_back(*position);
    return true;
  }
  auto test = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!test || test.getPredicate() != arith::CmpIPredicate::ne ||
      !isInfinity(test.getRhs()))
    return false;
  SmallVector<Value> leaves;
  addLeaves(test.getLhs(), leaves);
  for (Value leaf : leaves) {
    std::optional<unsigned> number = numberOf(leaf);
    std::optional<unsigned> position =
        number ? findPosition(*number) : std::nullopt;
    if (!position)
      return false;
    positions.push_back(*position);
  }
  return true;
}

/// The carried position that is below a bound if a condition holds.
std::optional<unsigned> LoopSteps::positionInside(Value condition) {
  for (auto [n, argument] : llvm::enumerate(loop.getBeforeArguments()))
    if (argument.getType().isIndex() && isInside(condition, sumOf(argument)))
      return n;
  return std::nullopt;
}

/// The positions that a coordinate may be at, which is carried, or which a step
/// loads: below a bound unless the coordinate is infinity, or wherever the loop
/// goes on.
SmallVector<unsigned> LoopSteps::positionsOf(Value coordinate) {
  SmallVector<unsigned> positions;
  auto add = [&](std::optional<unsigned> position) {
    if (position)
      positions.push_back(*position);
  };
  if (std::optional<unsigned> number = numberOf(coordinate)) {
    add(findPosition(*number));
    return positions;
  }
  auto select = resolve(coordinate).getDefiningOp<arith::SelectOp>();
  if (select && isInfinity(select.getFalseValue()))
    add(positionInside(select.getCondition()));
  else
    for (Value part : parts)
      add(positionInside(part));
  return positions;
}

/// Whether a position is below a bound if a condition holds.
bool LoopSteps::isInside(Value condition, const Sum &position) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return isInside(both.getLhs(), position) ||
           isInside(both.getRhs(), position);
  auto test = condition.getDefiningOp<arith::CmpIOp>();
  if (!test || test.getPredicate() != arith::CmpIPredicate::ult ||
      !isInvariant(test.getRhs()))
    return false;
  Sum low = sumOf(test.getLhs());
  return low.base == position.base && low.offset == position.offset;
}

/// Whether a position is below a bound unless the coordinate is infinity, given
/// that this is known of a pair of carried numbers.
bool LoopSteps::endsAtInfinity(Value coordinate, const Sum &position,
                               std::optional<Pair> known) {
  if (isInfinity(coordinate))
    return true;
  if (known && position.offset == 0 &&
      numberOf(coordinate) == known->coordinate &&
      numberOf(position.base) == known->position)
    return true;
  auto select = resolve(coordinate).getDefiningOp<arith::SelectOp>();
  if (!select)
    return false;
  Value condition = select.getCondition();
  Value first = select.getTrueValue(), second = select.getFalseValue();
  if (isInfinity(second) && isInside(condition, position))
    return true;
  // The position moves on where the coordinate is replaced.
  if (auto sum = position.base.getDefiningOp<arith::AddIOp>()) {
    auto flag = sum.getRhs().getDefiningOp<arith::IndexCastUIOp>();
    if (flag && flag.getIn() == condition) {
      Value before = resolve(sum.getLhs());
      return endsAtInfinity(first, {before, position.offset + 1}, known) &&
             endsAtInfinity(second, {before, position.offset}, known);
    }
  }
  return endsAtInfinity(first, position, known) &&
         endsAtInfinity(second, position, known);
}

/// The position of a coordinate, if it is below a bound unless the coordinate
/// is infinity.
std::optional<unsigned> LoopSteps::findPosition(unsigned coordinate) {
  for (auto [n, init] : llvm::enumerate(loop.getInits())) {
    Pair pair = {coordinate, static_cast<unsigned>(n)};
    if (init.getType().isIndex() &&
        endsAtInfinity(loop.getInits()[coordinate], sumOf(init),
                       std::nullopt) &&
        endsAtInfinity(next(coordinate), sumOf(next(pair.position)), pair))
      return pair.position;
  }
  return std::nullopt;
}

/// Whether a position moves on if a coordinate is the least one.
bool LoopSteps::movesIfLeast(unsigned position, Value coordinate, Value least) {
  Value split;
  auto advance = advanceOf(next(position), position, Path(), split);
  if (!advance)
    return false;
  return advance->always ||
         llvm::any_of(advance->when, [&](const Literal &literal) {
           auto test = literal.first.getDefiningOp<arith::CmpIOp>();
           return test && literal.second &&
                  test.getPredicate() == arith::CmpIPredicate::eq &&
                  isSame(test.getLhs(), coordinate) &&
                  isSame(test.getRhs(), least);
         });
}

/// Whether the position of each coordinate moves on if that is the least one.
/// One of `finite` is below its bound. If its own coordinate is not the least
/// one, that is not infinity, either, so that another position is.
bool LoopSteps::movesFrom(Value least, ArrayRef<unsigned> finite) {
  SmallVector<Value> leaves;
  addLeaves(least, leaves);
  SmallVector<unsigned> moved;
  for (Value leaf : leaves) {
    SmallVector<unsigned> positions = positionsOf(leaf);
    auto *found = llvm::find_if(positions, [&](unsigned position) {
      return movesIfLeast(position, leaf, least);
    });
    if (found == positions.end())
      return false;
    moved.push_back(*found);
  }
  return llvm::all_of(finite, [&](unsigned position) {
    return llvm::is_contained(moved, position);
  });
}

bool LoopSteps::advancesFromLeast(Value condition) {
  SmallVector<unsigned> finite;
  if (!isFinite(condition, finite))
    return false;
  SmallVector<Value> candidates;
  for (Value carried : loop.getBeforeArguments())
    if (carried.getType().isIndex())
      candidates.push_back(carried);
  for (Block *block : {loop.getAfterBody(), loop.getBeforeBody()})
    for (Operation &op : *block)
      if (isa<arith::MinUIOp>(op))
        candidates.push_back(op.getResult(0));
  return llvm::any_of(candidates,
                      [&](Value least) { return movesFrom(least, finite); });
}
