//===- LoopSteps.cpp - Changes made by a step of a loop -------------------===//
//
// Values, and positions that move on. LoopIntervals.cpp has intervals that get
// smaller, LoopMergeSteps.cpp what moves on from the least of several
// coordinates.
//
//===----------------------------------------------------------------------===//

#include "LoopSteps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

LoopSteps::LoopSteps(scf::WhileOp loop) : loop(loop) {
  addParts(loop.getConditionOp().getCondition());
}

void LoopSteps::addParts(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    addParts(both.getLhs());
    addParts(both.getRhs());
    return;
  }
  parts.push_back(condition);
  std::optional<Choice> choice = choiceOf(condition);
  if (choice && matchPattern(choice->second, m_Zero())) {
    addParts(choice->condition);
    addParts(choice->first);
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The value that an argument of the region `after` is.
Value LoopSteps::resolve(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == loop.getAfterBody())
    return loop.getConditionOp().getArgs()[argument.getArgNumber()];
  return value;
}

std::optional<unsigned> LoopSteps::numberOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(resolve(value));
  if (argument && argument.getOwner() == loop.getBeforeBody())
    return argument.getArgNumber();
  return std::nullopt;
}

bool LoopSteps::isInvariant(Value value) {
  value = resolve(value);
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isInvariant(operand); });
}

/// Whether a number is a constant that is not negative, or a flag as a number.
static bool isNatural(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isNonNegative();
  auto cast = value.getDefiningOp<arith::IndexCastUIOp>();
  return cast && cast.getIn().getType().isInteger(1);
}

/// Whether a number is positive in all steps, if those are that are taken to
/// be.
bool LoopSteps::isPositive(Value value) {
  value = resolve(value);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isStrictlyPositive();
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return (isPositive(sum.getLhs()) &&
            (isPositive(sum.getRhs()) || isNatural(sum.getRhs()))) ||
           (isNatural(sum.getLhs()) && isPositive(sum.getRhs()));
  std::optional<unsigned> number = numberOf(value);
  if (!number)
    return false;
  if (!positive.insert(*number).second)
    return true;
  bool is = isPositive(loop.getInits()[*number]) && isPositive(next(*number));
  if (!is)
    positive.erase(*number);
  return is;
}

Sum LoopSteps::sumOf(Value value) {
  value = resolve(value);
  APInt constant;
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    if (matchPattern(sum.getRhs(), m_ConstantInt(&constant))) {
      Sum less = sumOf(sum.getLhs());
      return {less.base, less.offset + constant.getSExtValue()};
    }
  if (auto difference = value.getDefiningOp<arith::SubIOp>())
    if (matchPattern(difference.getRhs(), m_ConstantInt(&constant))) {
      Sum more = sumOf(difference.getLhs());
      return {more.base, more.offset - constant.getSExtValue()};
    }
  return {value, 0};
}

std::optional<Less> LoopSteps::lessOf(Value test) {
  using Predicate = arith::CmpIPredicate;
  auto compare = test.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  Value low = compare.getLhs(), high = compare.getRhs();
  bool isOrEqual = false;
  switch (compare.getPredicate()) {
  case Predicate::ult:
  case Predicate::slt:
    break;
  case Predicate::ule:
  case Predicate::sle:
    isOrEqual = true;
    break;
  case Predicate::ugt:
  case Predicate::sgt:
    std::swap(low, high);
    break;
  case Predicate::uge:
  case Predicate::sge:
    std::swap(low, high);
    isOrEqual = true;
    break;
  default:
    return std::nullopt;
  }
  Sum sum = sumOf(low);
  auto terms = sum.base.getDefiningOp<arith::AddIOp>();
  if (terms && isPositive(terms.getRhs()))
    sum = {resolve(terms.getLhs()), sum.offset + 1};
  return Less{sum, resolve(high), isOrEqual};
}

std::optional<LoopSteps::Choice> LoopSteps::choiceOf(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return Choice{select.getCondition(), select.getTrueValue(),
                  select.getFalseValue()};
  auto branch = value.getDefiningOp<scf::IfOp>();
  if (!branch)
    return std::nullopt;
  unsigned n = cast<OpResult>(value).getResultNumber();
  return Choice{branch.getCondition(), branch.thenYield().getOperand(n),
                branch.elseYield().getOperand(n)};
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

std::optional<LoopSteps::Advance>
LoopSteps::advanceOfChoice(const Choice &choice, unsigned number,
                           const Path &path, Value &split) {
  auto known = path.find(choice.condition);
  if (known != path.end())
    return advanceOf(known->second ? choice.first : choice.second, number, path,
                     split);
  std::optional<Advance> first = advanceOf(choice.first, number, path, split);
  std::optional<Advance> second = advanceOf(choice.second, number, path, split);
  if (!first || !second)
    return std::nullopt;
  Advance made;
  made.always = first->always && second->always;
  bool isPlain = first->when.empty() && second->when.empty();
  if (isPlain && first->always != second->always)
    made.when.push_back({choice.condition, first->always});
  if (!isPlain)
    split = choice.condition;
  return made;
}

std::optional<LoopSteps::Advance> LoopSteps::advanceOfSum(arith::AddIOp sum,
                                                          unsigned number,
                                                          const Path &path,
                                                          Value &split) {
  Value term = sum.getRhs();
  bool always = isPositive(term);
  if (!always && !isNatural(term))
    return std::nullopt;
  std::optional<Advance> made = advanceOf(sum.getLhs(), number, path, split);
  if (!made)
    return std::nullopt;
  made->always |= always;
  if (auto flag = term.getDefiningOp<arith::IndexCastUIOp>()) {
    auto known = path.find(flag.getIn());
    if (known == path.end())
      made->when.push_back({flag.getIn(), true});
    else
      made->always |= known->second;
  }
  return made;
}

/// A loop inside of this one goes on from a number.
std::optional<LoopSteps::Advance> LoopSteps::advanceOfLoop(OpResult result,
                                                           unsigned number) {
  auto inner = dyn_cast<scf::WhileOp>(result.getOwner());
  if (!inner)
    return std::nullopt;
  LoopSteps steps(inner);
  std::optional<unsigned> carried = steps.numberOf(
      inner.getConditionOp().getArgs()[result.getResultNumber()]);
  Value split;
  if (!carried || numberOf(inner.getInits()[*carried]) != number ||
      !steps.advanceOf(steps.next(*carried), *carried, Path(), split))
    return std::nullopt;
  return Advance();
}

/// The steps that make a number larger whose next value this is; none if it may
/// make it smaller. `split` becomes a condition that would tell more.
std::optional<LoopSteps::Advance> LoopSteps::advanceOf(Value value,
                                                       unsigned number,
                                                       const Path &path,
                                                       Value &split) {
  value = resolve(value);
  if (numberOf(value) == number)
    return Advance();
  if (std::optional<Choice> choice = choiceOf(value))
    return advanceOfChoice(*choice, number, path, split);
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return advanceOfSum(sum, number, path, split);
  if (auto most = value.getDefiningOp<arith::MaxUIOp>()) {
    std::optional<Advance> x = advanceOf(most.getLhs(), number, path, split);
    std::optional<Advance> y = advanceOf(most.getRhs(), number, path, split);
    if (!x || !y)
      return x ? x : y;
    x->always |= y->always;
    llvm::append_range(x->when, y->when);
    return x;
  }
  auto result = dyn_cast<OpResult>(value);
  return result ? advanceOfLoop(result, number) : std::nullopt;
}

bool LoopSteps::advances(ArrayRef<unsigned> numbers, const Path &path,
                         unsigned depth) {
  SmallVector<Literal> any;
  Value split;
  for (unsigned number : numbers) {
    std::optional<Advance> found = advanceOf(next(number), number, path, split);
    if (!found)
      return false;
    if (found->always)
      return true;
    llvm::append_range(any, found->when);
  }
  if (isAlwaysAny(any))
    return true;
  if (!split && !any.empty())
    split = any.front().first;
  if (!split || depth == kMostSplits)
    return false;
  return llvm::all_of(ArrayRef{true, false}, [&](bool holds) {
    Path longer = path;
    longer[split] = holds;
    return advances(numbers, longer, depth + 1);
  });
}

bool LoopSteps::advances(ArrayRef<unsigned> numbers) {
  SmallVector<unsigned> growing;
  Value split;
  for (unsigned number : numbers)
    if (advanceOf(next(number), number, Path(), split))
      growing.push_back(number);
  return !growing.empty() &&
         (advances(growing, Path(), /*depth=*/0) || advancesInside(growing));
}

//===----------------------------------------------------------------------===//
// Loops that go on from the positions of this one
//===----------------------------------------------------------------------===//

/// Whether a number is below a bound in each step: a condition of the loop says
/// so, or the bound is a sum with the number.
bool LoopSteps::isBelow(unsigned number, Value bound) {
  SmallVector<Value> leaves;
  addLeaves(bound, leaves);
  return llvm::all_of(leaves, [&](Value leaf) {
    Sum sum = sumOf(leaf);
    if (numberOf(sum.base) == number && sum.offset > 0)
      return true;
    return llvm::any_of(parts, [&](Value part) {
      std::optional<Less> less = lessOf(part);
      return less && !less->isOrEqual && less->low.offset == 0 &&
             numberOf(less->low.base) == number && isSame(less->high, leaf);
    });
  });
}

/// Whether a loop inside of this one takes at least one step.
bool LoopSteps::isEntered(LoopSteps &inner) {
  return llvm::all_of(inner.parts, [&](Value part) {
    std::optional<Less> less = inner.lessOf(part);
    std::optional<unsigned> number =
        less ? inner.numberOf(less->low.base) : std::nullopt;
    if (!number || less->low.offset != 0)
      return false;
    std::optional<unsigned> mine = numberOf(inner.loop.getInits()[*number]);
    return mine && isBelow(*mine, less->high);
  });
}

/// Whether one loop inside of this one takes a step, in which it makes one of
/// the numbers larger.
bool LoopSteps::advancesInside(ArrayRef<unsigned> numbers) {
  auto inner = next(numbers.front()).getDefiningOp<scf::WhileOp>();
  if (!inner)
    return false;
  LoopSteps steps(inner);
  SmallVector<unsigned> carried;
  for (unsigned number : numbers) {
    auto result = dyn_cast<OpResult>(next(number));
    if (!result || result.getOwner() != inner)
      return false;
    carried.push_back(*steps.numberOf(
        inner.getConditionOp().getArgs()[result.getResultNumber()]));
  }
  return isEntered(steps) && steps.advances(carried);
}
