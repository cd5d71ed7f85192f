//===- Selection.h - A search that counts entries ---------------*- C++ -*-===//
//
// Finds the highest coordinate of an interval whose cost is within a query, if
// every entry before a coordinate adds a constant to its cost: then the result
// is the coordinate of the entry at which the query is spent.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_SELECTION_H
#define NACHO_LIB_CONVERSION_SELECTION_H

#include "Bisection.h"

namespace nacho {

/// The cost that an entry of each operand with stored coordinates adds to all
/// coordinates after it; 0 for none. No value if that is not all that the cost
/// depends on, or if few entries cost as much as many others, so that counting
/// would take long. `ranges` are those of all operands of the search.
std::optional<llvm::SmallVector<int64_t>>
findEntryWeights(SearchOp op, llvm::ArrayRef<ChildRange> ranges);

/// Emits the search. The interval that is left has one coordinate. If a search
/// is far, each load takes long, but several of them no longer.
SearchInterval emitSelection(mlir::ImplicitLocOpBuilder &b, SearchOp op,
                             llvm::ArrayRef<ChildRange> ranges,
                             llvm::ArrayRef<int64_t> weights,
                             const SearchInterval &interval, CostAt costAt,
                             bool isFar);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_SELECTION_H
