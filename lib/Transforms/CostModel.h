//===- CostModel.h - What the parts of a nest cost ------------------------===//
//
// The cost of a nest is a sum of charges, each of which is spread over the
// coordinates of the loops. All are monotone and consistent by construction:
// what an outer coordinate costs is what its inner loop costs in all.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_COSTMODEL_H
#define NACHO_LIB_TRANSFORMS_COSTMODEL_H

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
struct NestOperand {
  mlir::Value root;
  llvm::SmallVector<unsigned> loops;
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
  /// C_m in loop `m`, up to a coordinate.
  mlir::Value upTo(mlir::ImplicitLocOpBuilder &b, unsigned m,
                   const SearchState &state);
  /// Goes on inside the coordinate that was found in loop `m`.
  void enter(mlir::ImplicitLocOpBuilder &b, unsigned m,
             const SearchState &state);

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
  unsigned findDepth(NestOp nest) const;
  void addCharges(bool countLoops);
  bool reaches(const Charge &charge, unsigned m) const;
  bool canCharge(const Charge &charge) const;
  bool canRepeat(unsigned m, unsigned next, const Charge &charge) const;
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
  mlir::Value positionAt(unsigned operand, unsigned m,
                         const SearchState &state) const;

  llvm::SmallVector<CoiterateOp> loops;
  llvm::SmallVector<NestOperand> operands;
  llvm::SmallVector<llvm::SmallVector<unsigned>> operandsOf;
  llvm::SmallVector<Charge> charges;
  bool isComplete = true; ///< No entries and steps had to be left out.
  mlir::Value
      pendingUnit; ///< To be charged at the next loop's first coordinate.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_COSTMODEL_H
