//===- LoopSteps.h - Changes made by a step of a loop -----------*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_LOOPSTEPS_H
#define NACHO_LIB_CONVERSION_LOOPSTEPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace nacho {

/// base + offset
struct Sum {
  mlir::Value base;
  int64_t offset;
};

/// low < high, or low <= high
struct Less {
  Sum low;
  mlir::Value high;
  bool isOrEqual;
};

/// The numbers that an scf.while carries, and what a step makes of them. They
/// are known by their place among the arguments of the region `before`.
class LoopSteps {
public:
  explicit LoopSteps(mlir::scf::WhileOp loop);

  /// The conditions that all hold if the loop goes on.
  llvm::ArrayRef<mlir::Value> conditions() const { return parts; }
  /// The carried number that a value is; none if it is another one.
  std::optional<unsigned> numberOf(mlir::Value value);
  /// The value of the number in the step after this one.
  mlir::Value next(unsigned number) {
    return loop.getYieldOp().getResults()[number];
  }

  /// Whether a value is the same in all steps, and is not loaded in them.
  bool isInvariant(mlir::Value value);
  /// A value as a sum with a constant.
  Sum sumOf(mlir::Value value);
  /// The inequality that a comparison tests. A positive term, even if it is not
  /// constant, counts as 1.
  std::optional<Less> lessOf(mlir::Value test);

  /// Whether a step makes the interval between two numbers smaller, given that
  /// low + apart < high.
  bool shrinks(unsigned low, unsigned high, int64_t apart);

  /// Whether a step makes at least one of the numbers larger, and never makes
  /// it smaller. Numbers that a step may make smaller do not count.
  bool advances(llvm::ArrayRef<unsigned> numbers);

  /// Whether the condition only holds as long as one of several coordinates is
  /// not infinity, and a step moves on from the least of them, towards a bound.
  bool advancesFromLeast(mlir::Value condition);

private:
  /// The most branch conditions by which the paths through a step are split.
  static constexpr unsigned kMostSplits = 4;

  /// A condition, and what it has to be.
  using Literal = std::pair<mlir::Value, bool>;
  /// Conditions that are known on a path through a step.
  using Path = llvm::SmallDenseMap<mlir::Value, bool, 4>;
  /// The steps in which a number gets larger; it never gets smaller.
  struct Advance {
    bool always = false;
    llvm::SmallVector<Literal> when; ///< Any one of these is enough.
  };
  /// A value that depends on a condition.
  struct Choice {
    mlir::Value condition, first, second;
  };
  /// The place of a value in an interval.
  struct Place {
    bool isFromLow = false, isAboveLow = false;
    bool isUpToHigh = false, isBelowHigh = false;
  };
  struct Interval {
    unsigned low, high;
    int64_t apart;
  };
  /// A coordinate and its position, both carried.
  struct Pair {
    unsigned coordinate, position;
  };

  void addParts(mlir::Value condition);
  mlir::Value resolve(mlir::Value value);
  bool isSame(mlir::Value x, mlir::Value y) { return resolve(x) == resolve(y); }
  bool isPositive(mlir::Value value);
  std::optional<Choice> choiceOf(mlir::Value value);
  void addLeaves(mlir::Value least, llvm::SmallVectorImpl<mlir::Value> &leaves);

  bool isSpan(mlir::Value value, const Interval &in);
  Place placeOf(mlir::Value value, const Interval &in);
  Place placeOfSum(mlir::arith::AddIOp sum, const Interval &in);
  Place placeOfHalf(mlir::arith::ShRUIOp half, const Interval &in);
  Place placeOfLeast(mlir::arith::MinUIOp least, const Interval &in);
  Place placeOfMost(mlir::arith::MaxUIOp most, const Interval &in);
  bool shrinks(mlir::Value low, mlir::Value high, const Interval &in,
               unsigned depth);

  std::optional<Advance> advanceOf(mlir::Value value, unsigned number,
                                   const Path &path, mlir::Value &split);
  std::optional<Advance> advanceOfChoice(const Choice &choice, unsigned number,
                                         const Path &path, mlir::Value &split);
  std::optional<Advance> advanceOfSum(mlir::arith::AddIOp sum, unsigned number,
                                      const Path &path, mlir::Value &split);
  std::optional<Advance> advanceOfLoop(mlir::OpResult result, unsigned number);
  bool advances(llvm::ArrayRef<unsigned> numbers, const Path &path,
                unsigned depth);
  bool advancesInside(llvm::ArrayRef<unsigned> numbers);
  bool isEntered(LoopSteps &inner);
  bool isBelow(unsigned number, mlir::Value bound);

  bool isAlwaysAny(llvm::ArrayRef<Literal> any);
  bool hasAllEqual(llvm::ArrayRef<Literal> any, mlir::Value least);
  bool hasAllBelow(llvm::ArrayRef<Literal> any, mlir::Value least,
                   mlir::Value bound, bool isOrEqual);

  bool isFinite(mlir::Value condition,
                llvm::SmallVectorImpl<unsigned> &positions);
  std::optional<unsigned> positionInside(mlir::Value condition);
  llvm::SmallVector<unsigned> positionsOf(mlir::Value coordinate);
  bool movesIfLeast(unsigned position, mlir::Value coordinate,
                    mlir::Value least);
  bool isInside(mlir::Value condition, const Sum &position);
  bool endsAtInfinity(mlir::Value coordinate, const Sum &position,
                      std::optional<Pair> known);
  std::optional<unsigned> findPosition(unsigned coordinate);
  bool movesFrom(mlir::Value least, llvm::ArrayRef<unsigned> finite);

  mlir::scf::WhileOp loop;
  llvm::SmallVector<mlir::Value> parts;
  llvm::SmallDenseSet<unsigned, 4> positive; ///< Numbers taken to be positive.
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_LOOPSTEPS_H
