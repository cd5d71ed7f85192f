//===- Bisection.h - The loop of a search -----------------------*- C++ -*-===//
//
// Finds the highest coordinate of an interval whose cost is within a query.
// Each step asks for the cost of one coordinate, and leaves the interval on one
// side of it.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_BISECTION_H
#define NACHO_LIB_CONVERSION_BISECTION_H

#include "FiberValues.h"
#include "nacho/IR/Nacho.h"
#include "nacho/IR/WhileLoop.h"

namespace nacho {

/// The coordinates, and for each operand the positions, in which the result of
/// a search may still lie. All ends are included.
struct SearchInterval {
  mlir::Value low, high;
  /// The positions of the operands with stored coordinates.
  llvm::SmallVector<mlir::Value> lows, highs;
};

/// Emits the cost up to a coordinate, given the coordinate and the positions
/// there of the operands with stored coordinates.
using CostAt = llvm::function_ref<mlir::Value(mlir::Value coordinate,
                                              llvm::ArrayRef<mlir::Value>)>;

/// About all * part / whole, and no more than `all`.
Number emitShare(mlir::ImplicitLocOpBuilder &b, mlir::Value all,
                 mlir::Value part, mlir::Value whole);

/// Makes the interval [low, high) smaller that a search for the first number
/// for which `isBefore` does not hold begins with. If that is probably near to
/// a guess, by two questions at once:
///
///   near = about twice the root of high - low
///   below = max(guess - near, low); above = min(guess + near, high - 1)
///   if isBefore(above):      low = above + 1
///   else if isBefore(below): low, high = below + 1, above
///   else:                    high = below
Values emitNarrowing(mlir::ImplicitLocOpBuilder &b, Number guess, Number low,
                     Number high, llvm::function_ref<Number(Number)> isBefore);

/// Emits the loop. `ranges` are those of all operands of the search. `total`,
/// what all coordinates cost together, tells that each load takes long, but
/// several of them no longer.
SearchInterval emitBisection(mlir::ImplicitLocOpBuilder &b, SearchOp op,
                             llvm::ArrayRef<ChildRange> ranges,
                             const SearchInterval &interval, CostAt costAt,
                             std::optional<mlir::Value> total);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_BISECTION_H
