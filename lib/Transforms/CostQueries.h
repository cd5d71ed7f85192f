//===- CostQueries.h - Costs of parts of a nest as code ---------*- C++ -*-===//
//
// What the searches of a nest ask for: the cost of a loop up to a coordinate,
// given the coordinates that were found in the loops outside of it. The queries
// are built from the outermost loop inwards, as the searches are.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_COSTQUERIES_H
#define NACHO_LIB_TRANSFORMS_COSTQUERIES_H

#include "CostModel.h"
#include "nacho/IR/Condition.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// A loop that is searched: the operands' fibers at it, and where each stands
/// at a candidate coordinate.
struct SearchState {
  llvm::SmallVector<mlir::Value> fibers; ///< By operand.
  mlir::Value coordinate;
  /// By fiber of the loop; none for all of the loop.
  llvm::SmallVector<mlir::Value> positions;
};

class CostQueries {
public:
  CostQueries(mlir::ImplicitLocOpBuilder &b, const NestCost &nest)
      : b(b), nest(nest), repeats(nest.getCharges().size()) {}

  /// The cost of the whole nest; zero if an extent is.
  mlir::Value total();
  /// The cost of one entry of the list, given the fibers that it stands for,
  /// and whether the loops inside run at all.
  mlir::Value entryTotal(llvm::ArrayRef<mlir::Value> fibers,
                         Condition condition);
  /// The cost of loop `m` up to a coordinate: the paper's C_m.
  mlir::Value upTo(unsigned m, const SearchState &state);
  /// Goes on inside the coordinate that was found in loop `m`.
  void enter(unsigned m, const SearchState &state);
  /// In the list's last loop, recalls the fibers that its entry stands for.
  void recall(unsigned m, SearchState &state);

private:
  mlir::Value emitExtent(unsigned m);
  mlir::Value emitCost(CostKind kind, mlir::Value fiber,
                       mlir::Value position = {}, int64_t below = 0);
  mlir::Value emitSum(mlir::Value x, mlir::Value y);
  mlir::Value emitProduct(mlir::Value x, mlir::Value y);
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
  /// By charge, how often the loops that have been entered, and that the
  /// charge's operand is not in, repeat it; null for once.
  llvm::SmallVector<mlir::Value> repeats;
  /// What belongs to the coordinate that was entered last: charged at the first
  /// coordinate of the next loop. Null if nothing does.
  mlir::Value pendingUnit;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_COSTQUERIES_H
