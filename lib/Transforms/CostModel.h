//===- CostModel.h - What the parts of a nest cost ------------------------===//
//
// The cost of a nest is a sum of charges, each of which is spread over the
// coordinates of the loops. All are monotone and consistent by construction:
// what an outer coordinate costs is what its inner loop costs in all.
//
// This is what is known of the charges before any code is emitted. Their costs
// as code are those of CostQueries.h.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_COSTMODEL_H
#define NACHO_LIB_TRANSFORMS_COSTMODEL_H

#include "nacho/IR/Fibers.h"
#include "nacho/IR/Nacho.h"

namespace nacho {

/// An operand of a nest, and the number of the loop over each of its levels.
/// Operands of remapped nests begin at the level at which a list kept them.
struct NestOperand {
  mlir::Value root;
  llvm::SmallVector<unsigned> loops;

  mlir::RankedTensorType getType() const {
    return llvm::cast<FiberType>(root.getType()).getTensor();
  }
  unsigned firstLevel() const {
    return llvm::cast<FiberType>(root.getType()).getLevel();
  }
  /// The whole tensor as a fiber.
  RootOp getWhole() const { return rootOf(root); }
};

/// Something that every coordinate of some loops brings with it: an entry of an
/// operand, or an iteration of a loop.
struct Charge {
  int64_t weight;
  /// The operand whose entries are charged. Without, the iterations of the last
  /// loop are.
  std::optional<unsigned> operand;
  /// The innermost of the loops whose coordinates bring it with them.
  unsigned last;
  /// Iterations are charged for each operand that stores the coordinate, and at
  /// the first coordinate inside: they belong to the coordinate as such, even
  /// if nothing is inside that costs anything.
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
  /// The outermost loops of a remapped nest run through a list, of which all
  /// costs are known. Charges are those of the others: from this loop on.
  unsigned getFirstCharged() const { return first; }
  /// What the step to an entry of the list costs.
  int64_t getEntryWeight() const { return entryWeight; }
  /// The most that one coordinate of the innermost loop can cost, -1 if that is
  /// not known before the operands are.
  int64_t getDelta() const;

  bool reaches(const Charge &charge, unsigned m) const {
    return m <= charge.last;
  }
  /// The first loop, from `m` on, over a level of the operand that is charged;
  /// or the loop inside of the one whose iterations are.
  unsigned getNextLoop(const Charge &charge, unsigned m) const;
  /// The innermost of the loops from `m` to `last` that does not visit all its
  /// coordinates.
  std::optional<unsigned> findLastDriven(unsigned m, unsigned last) const;
  /// The operands whose positions stand for the steps of a loop that does not
  /// visit all coordinates.
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
  llvm::SmallVector<Charge> charges;
  unsigned first = 0;
  int64_t entryWeight = 0;
  bool isComplete = true; ///< Nothing that bounds a cut's cost was left out.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_COSTMODEL_H
