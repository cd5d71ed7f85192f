//===- CostModel.h - Costs of the parts of a nest -------------------------===//
//
// The cost of a nest is a sum of charges, each of which is spread over the
// coordinates of the loops. All charges are monotone and consistent by
// construction: a coordinate of an outer loop costs as much as all coordinates
// of the loop inside it together.
//
// NestCost finds the charges of a nest before any code is emitted;
// CostQueries.h emits the code that computes what they cost.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_COSTMODEL_H
#define NACHO_LIB_TRANSFORMS_COSTMODEL_H

#include "nacho/IR/Fibers.h"
#include "nacho/IR/Nacho.h"

namespace nacho {

/// An operand of a nest, and the number of the loop over each of its levels. An
/// operand of a remapped nest begins at the fiber that a list kept of it.
struct NestOperand {
  mlir::Value root;
  llvm::SmallVector<unsigned> loops;
  /// Set if the innermost loop will search the operand for its coordinates, and
  /// not step through it.
  bool isSought = false;

  mlir::RankedTensorType getType() const {
    return llvm::cast<FiberType>(root.getType()).getTensor();
  }
  unsigned firstLevel() const {
    return llvm::cast<FiberType>(root.getType()).getLevel();
  }
  /// The whole tensor as a fiber.
  RootOp getWhole() const { return rootOf(root); }
};

/// A charge for every entry of an operand, or for every iteration of a loop.
struct Charge {
  int64_t weight;
  /// The operand whose entries are charged; none if the iterations of loop
  /// `last` are charged.
  std::optional<unsigned> operand;
  /// The innermost loop that the charge depends on: the operand's last loop, or
  /// the loop whose iterations are charged.
  unsigned last;
  /// Set for units: an iteration of loop `last` is charged once for each
  /// operand that stores its coordinate, at the first coordinate of the next
  /// loop. It is charged even if nothing else is charged inside of the
  /// coordinate.
  bool isPerOperand = false;
};

/// The loops of a nest that can be cut, and what a model charges in them.
class NestCost {
public:
  NestCost(NestOp nest, CostModelAttr model);

  /// The loops that are cut: the outermost ones, as far as any charge reaches.
  llvm::ArrayRef<CoiterateOp> getLoops() const { return loops; }
  CoiterateOp getLoop(unsigned m) const { return loops[m]; }
  llvm::ArrayRef<NestOperand> getOperands() const { return operands; }
  /// The operands that take part in a loop, in order.
  llvm::ArrayRef<unsigned> getOperandsOf(unsigned m) const {
    return operandsOf[m];
  }
  unsigned getLevelAt(unsigned operand, unsigned m) const;
  /// The last loop that is cut in which an operand has a level.
  unsigned getLastLoop(unsigned operand) const;

  llvm::ArrayRef<Charge> getCharges() const { return charges; }
  /// The number of the first loop that has charges. In a remapped nest, the
  /// loops outside of it run through a list, whose entries store their costs.
  unsigned getFirstCharged() const { return first; }
  /// The cost of the step to an entry of the list.
  int64_t getEntryWeight() const { return entryWeight; }
  /// The most that one coordinate of the innermost loop can cost; -1 if that
  /// depends on the operands.
  int64_t getDelta() const;

  bool reaches(const Charge &charge, unsigned m) const {
    return m <= charge.last;
  }
  /// The first loop, from `m` on, over a level of the charged operand. If
  /// iterations of a loop are charged, the loop directly inside of that loop.
  unsigned getNextLoop(const Charge &charge, unsigned m) const;
  /// The innermost of the loops from `m` to `last` that has drivers, because it
  /// does not visit all coordinates; none if all loops visit all coordinates.
  std::optional<unsigned> findLastDriven(unsigned m, unsigned last) const;
  /// The operands whose positions are counted in place of the steps of a loop
  /// that does not visit all coordinates.
  llvm::SmallVector<unsigned> getDrivers(unsigned m,
                                         const Charge &charge) const;

private:
  void findOperands();
  void findList(NestOp nest, CostModelAttr model);
  unsigned findDepth(NestOp nest) const;

  void addCharges(CostModelAttr model);
  void chargeEntries(int64_t weight);
  void chargeSteps(int64_t weight);
  void chargeUnits(int64_t weight);
  void chargeProducts(int64_t weight);
  bool addIfKnown(const Charge &charge);
  bool reachesInnermost() const;

  bool takesPart(unsigned operand, unsigned m) const;
  bool isLocated(unsigned operand) const;
  bool endsInRuns(const Charge &charge) const;
  bool isKnown(const Charge &charge) const;
  bool knowsVisits(unsigned m, unsigned last, const Charge &charge) const;
  bool knowsRepeats(unsigned m, unsigned next, const Charge &charge) const;

  llvm::SmallVector<CoiterateOp> loops;
  llvm::SmallVector<NestOperand> operands;
  llvm::SmallVector<llvm::SmallVector<unsigned>> operandsOf;
  /// The fibers of each loop that are searched for coordinates.
  llvm::SmallVector<llvm::SmallBitVector> sought;
  llvm::SmallVector<Charge> charges;
  unsigned first = 0;
  int64_t entryWeight = 0;
  bool hasWholeEntries = false; ///< Loops inside of a list are not cut.
  bool sharesTables = false;    ///< Several parts may fill a table of one row.
  bool isComplete =
      true; ///< No entries or steps that delta needs are left out.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_COSTMODEL_H
