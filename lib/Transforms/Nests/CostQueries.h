//===- CostQueries.h - Costs of parts of a nest as code ---------*- C++ -*-===//
//
// Emits the costs that the searches of a nest need: the cost of a loop up to a
// coordinate, given the coordinates that were found in the loops outside of it.
// The code is built from the outermost loop inwards, as the searches are.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_COSTQUERIES_H
#define NACHO_LIB_TRANSFORMS_COSTQUERIES_H

#include "CostModel.h"
#include "nacho/IR/Condition.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The state of the search of a loop: the current fiber of each operand, and a
/// candidate coordinate with the positions of the loop's fibers there.
struct SearchState {
  llvm::SmallVector<mlir::Value> fibers; ///< The fiber of each operand.
  mlir::Value coordinate;
  /// The position of each fiber of the loop at `coordinate`. Empty at the end
  /// of the loop, where the cost is that of whole fibers.
  llvm::SmallVector<mlir::Value> positions;
};

class CostQueries {
public:
  CostQueries(mlir::ImplicitLocOpBuilder &b, const NestCost &nest)
      : b(b), nest(nest), repeats(nest.getCharges().size()) {}

  /// The cost of the whole nest; 0 if an extent is 0. If it is at most
  /// `kMostCost`, then no other cost overflows: none is larger.
  mlir::Value total();
  /// The cost of one entry of a list: of the step to it, and of the loops
  /// inside for `fibers`, which the entry keeps. `condition` says whether the
  /// loops inside run at all.
  mlir::Value entryTotal(llvm::ArrayRef<mlir::Value> fibers,
                         Condition condition);
  /// The cost of loop `m` up to a coordinate: the paper's C_m.
  mlir::Value upTo(unsigned m, const SearchState &state);
  /// Moves on to the loops inside of the coordinate that was found in loop `m`.
  void enter(unsigned m, const SearchState &state);
  /// Recalls the fibers that the found entry keeps, if `m` is a loop over a
  /// list.
  void recall(unsigned m, SearchState &state);

private:
  mlir::Value emitExtent(unsigned m);
  mlir::Value emitCost(CostKind kind, mlir::Value fiber,
                       mlir::Value position = {}, int64_t below = 0);
  mlir::Value emitSum(mlir::Value x, mlir::Value y);
  mlir::Value emitProduct(mlir::Value x, mlir::Value y);
  mlir::Value emitBoundedProduct(mlir::Value x, mlir::Value y);
  mlir::Value emitWeighted(mlir::Value x, int64_t weight);
  mlir::Value emitCount(unsigned operand, unsigned m, const SearchState &state);
  mlir::Value emitUnit(unsigned m, const SearchState &state);

  mlir::Value scaled(mlir::Value cost, unsigned from, unsigned to);
  mlir::Value visits(unsigned m, unsigned last, const Charge &charge,
                     const SearchState &state);
  mlir::Value visitsOfAll(unsigned m, unsigned last, const Charge &charge,
                          const SearchState &state);
  mlir::Value entries(unsigned m, const Charge &charge,
                      const SearchState &state);
  mlir::Value cost(unsigned m, const Charge &charge, const SearchState &state);
  mlir::Value unlessEmpty(mlir::Value cost, llvm::StringRef name);
  mlir::Value positionAt(unsigned operand, unsigned m,
                         const SearchState &state) const;

  mlir::ImplicitLocOpBuilder &b;
  const NestCost &nest;
  /// Set while the code is emitted that computes the cost of the whole nest:
  /// its products may overflow.
  bool isBounded = false;
  /// The repetitions of each charge inside of the entered coordinates: by the
  /// entered loops that lack the charge's operand. Null means once.
  llvm::SmallVector<mlir::Value> repeats;
  /// The cost of the coordinate that was entered last, apart from the loops
  /// inside of it. It is charged at the first coordinate of the next loop. Null
  /// if there is no such cost.
  mlir::Value pendingUnit;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_COSTQUERIES_H
