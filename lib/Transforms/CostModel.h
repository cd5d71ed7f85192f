//===- CostModel.h - What the parts of a nest cost ------------------------===//
//
// The cost of a nest is a sum of charges, each of which is spread over the
// coordinates of the loops. All are monotone and consistent by construction:
// what an outer coordinate costs is what its inner loop costs in all.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_COSTMODEL_H
#define NACHO_LIB_TRANSFORMS_COSTMODEL_H

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// A loop that is searched: the operands' fibers at it, and where each stands
/// at a candidate coordinate.
struct SearchState {
  llvm::SmallVector<mlir::Value> fibers; ///< By operand.
  mlir::Value coordinate;
  llvm::SmallVector<mlir::Value> positions; ///< By fiber of the loop.
};

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
  mlir::Value getWhole() const {
    auto kept = root.getDefiningOp<FiberAtOp>();
    return kept ? kept.getRoot() : root;
  }
};

class CostModel {
public:
  CostModel(NestOp nest, bool countLoops);

  /// The loops that are cut: the outermost ones, as far as any charge reaches.
  llvm::ArrayRef<CoiterateOp> getLoops() const { return loops; }
  llvm::ArrayRef<NestOperand> getOperands() const { return operands; }
  /// The operands that take part in a loop, in order.
  llvm::ArrayRef<unsigned> getOperandsOf(unsigned m) const {
    return operandsOf[m];
  }

  /// The most that one coordinate of the innermost loop can cost, -1 if that is
  /// not known before the operands are.
  int64_t delta() const;

  /// The cost of the whole nest; zero if an extent is.
  mlir::Value total(mlir::ImplicitLocOpBuilder &b);
  /// The cost of one entry of the list, given the fibers that it stands for,
  /// and whether the loops inside run at all; null if they do.
  mlir::Value entryTotal(mlir::ImplicitLocOpBuilder &b,
                         llvm::ArrayRef<mlir::Value> fibers,
                         mlir::Value condition);
  /// C_m in loop `m`, up to a coordinate.
  mlir::Value upTo(mlir::ImplicitLocOpBuilder &b, unsigned m,
                   const SearchState &state);
  /// Goes on inside the coordinate that was found in loop `m`.
  void enter(mlir::ImplicitLocOpBuilder &b, unsigned m,
             const SearchState &state);
  /// In the list's last loop, the fibers that its entry stands for.
  void recall(mlir::ImplicitLocOpBuilder &b, unsigned m,
              SearchState &state) const;

private:
  /// Something that every coordinate of some loops brings with it: an entry of
  /// an operand, a step of a loop.
  struct Charge {
    enum Kind { entries, steps, unit } kind;
    unsigned operand; ///< Whose entries.
    unsigned last;    ///< The loop whose steps are charged.
    /// How often the loops outside, that the operand is not in, repeat it; null
    /// for once.
    mlir::Value weight;
  };

  void findOperands(NestOp nest);
  void findList(NestOp nest);
  unsigned findDepth(NestOp nest) const;
  void addCharges();
  bool reaches(const Charge &charge, unsigned m) const;
  bool isLocated(unsigned operand) const;
  bool endsInRuns(const Charge &charge) const;
  bool canCharge(const Charge &charge) const;
  bool canRepeat(unsigned m, unsigned next, const Charge &charge) const;
  /// The last loop that is cut in which an operand has a level.
  unsigned lastLoop(const NestOperand &operand) const;
  /// The loop of the operand's first level that is not outside of `m`.
  unsigned nextLoop(const Charge &charge, unsigned m) const;

  bool visitsAll(unsigned m) const;
  llvm::SmallVector<unsigned> drivers(unsigned m, const Charge &charge) const;
  std::optional<unsigned> lastDriven(unsigned m, unsigned last) const;
  bool canVisit(unsigned m, unsigned last, const Charge &charge) const;
  unsigned levelAt(unsigned operand, unsigned m) const;
  bool takesPart(unsigned operand, unsigned m) const;

  mlir::Value extent(mlir::ImplicitLocOpBuilder &b, unsigned m);
  mlir::Value scaled(mlir::ImplicitLocOpBuilder &b, mlir::Value cost,
                     unsigned from, unsigned to);
  mlir::Value visits(mlir::ImplicitLocOpBuilder &b, unsigned m, unsigned last,
                     const Charge &charge, const SearchState &state);
  mlir::Value visitsOfAll(mlir::ImplicitLocOpBuilder &b, unsigned m,
                          unsigned last, const Charge &charge,
                          const SearchState &state);
  mlir::Value entries(mlir::ImplicitLocOpBuilder &b, unsigned m,
                      const Charge &charge, const SearchState &state);
  mlir::Value cost(mlir::ImplicitLocOpBuilder &b, unsigned m,
                   const Charge &charge, const SearchState &state);
  mlir::Value unlessEmpty(mlir::ImplicitLocOpBuilder &b, mlir::Value cost,
                          llvm::StringRef name);
  mlir::Value positionAt(unsigned operand, unsigned m,
                         const SearchState &state) const;

  llvm::SmallVector<CoiterateOp> loops;
  llvm::SmallVector<NestOperand> operands;
  llvm::SmallVector<llvm::SmallVector<unsigned>> operandsOf;
  llvm::SmallVector<Charge> charges;
  bool countLoops;
  /// A remapped nest: its outermost loops run through a list, of which all
  /// costs are known; charges are those of the others, from here on.
  unsigned first = 0;
  /// Entries of the list cost a step: all loops do, or operands end in them.
  bool chargesEntries = false;
  bool isComplete = true; ///< All entries and steps are charged one by one.
  mlir::Value
      pendingUnit; ///< To be charged at the next loop's first coordinate.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_COSTMODEL_H
