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

/// Whether the condition holds only if one of `coordinates`, to which it adds
/// those that it compares, is not infinity.
bool LoopSteps::isFinite(Value condition,
                         SmallVectorImpl<unsigned> &coordinates) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op))
    return isFinite(op->getOperand(0), coordinates) ||
           isFinite(op->getOperand(1), coordinates);
  if (isa_and_nonnull<arith::OrIOp>(op))
    return isFinite(op->getOperand(0), coordinates) &&
           isFinite(op->getOperand(1), coordinates);
  auto test = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!test || test.getPredicate() != arith::CmpIPredicate::ne ||
      !isInfinity(test.getRhs()))
    return false;
  SmallVector<Value> leaves;
  addLeaves(test.getLhs(), leaves);
  for (Value leaf : leaves) {
    std::optional<unsigned> number = numberOf(leaf);
    if (!number)
      return false;
    coordinates.push_back(*number);
  }
  return true;
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

/// Whether the position of each coordinate moves on if that is the least one,
/// which is not infinity because one of `finite` is not.
bool LoopSteps::movesFrom(Value least, ArrayRef<unsigned> finite) {
  SmallVector<Value> leaves;
  addLeaves(least, leaves);
  SmallVector<unsigned> compared;
  for (Value leaf : leaves) {
    std::optional<unsigned> coordinate = numberOf(leaf);
    std::optional<unsigned> position =
        coordinate ? findPosition(*coordinate) : std::nullopt;
    Value split;
    auto advance = position
                       ? advanceOf(next(*position), *position, Path(), split)
                       : std::nullopt;
    if (!advance)
      return false;
    bool moves = advance->always ||
                 llvm::any_of(advance->when, [&](const Literal &literal) {
                   auto test = literal.first.getDefiningOp<arith::CmpIOp>();
                   return test && literal.second &&
                          test.getPredicate() == arith::CmpIPredicate::eq &&
                          isSame(test.getLhs(), leaf) &&
                          isSame(test.getRhs(), least);
                 });
    if (!moves)
      return false;
    compared.push_back(*coordinate);
  }
  return llvm::all_of(finite, [&](unsigned coordinate) {
    return llvm::is_contained(compared, coordinate);
  });
}

bool LoopSteps::advancesFromLeast(Value condition) {
  SmallVector<unsigned> finite;
  if (!isFinite(condition, finite))
    return false;
  SmallVector<Value> candidates;
  for (Operation &op : *loop.getAfterBody())
    if (isa<arith::MinUIOp>(op))
      candidates.push_back(op.getResult(0));
  for (Operation &op : *loop.getBeforeBody())
    if (isa<arith::MinUIOp>(op))
      candidates.push_back(op.getResult(0));
  for (unsigned coordinate : finite)
    candidates.push_back(loop.getBeforeArguments()[coordinate]);
  return llvm::any_of(candidates,
                      [&](Value least) { return movesFrom(least, finite); });
}
