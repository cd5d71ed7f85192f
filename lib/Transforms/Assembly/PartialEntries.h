//===- PartialEntries.h - Entries that a part has not all of --------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTIALENTRIES_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTIALENTRIES_H

#include "PhaseFunctions.h"
#include "ResultPlaces.h"

namespace nacho {

/// The memory in which parts keep sums that are not complete. Each part has two
/// rows: its *head* for the entry that it completes, but an earlier part has
/// begun; and its *tail* for the entry that it is at, which a later part may
/// have to complete. A row has one sum, or one for every combination of
/// coordinates of the inner levels. `visited` tells how many elements have been
/// reduced to a row; 0 if there is nothing in it.
class PartialEntries {
public:
  PartialEntries(mlir::ImplicitLocOpBuilder &b, const ResultLayout &layout,
                 const PhaseArguments &args, const ResultPlaces &places)
      : b(b), layout(layout), args(args), places(places) {}

  /// The number of a row of a part.
  mlir::Value head(mlir::Value part) const;
  mlir::Value tail(mlir::Value part) const;

  /// Before a row is written, there is nothing in it.
  void setVisited(mlir::Value count, mlir::Value row) const;
  mlir::Value visited(mlir::Value row) const;

  /// Gives every sum of a row the value that it has before any reduction.
  void clear(mlir::Value row) const;
  /// The sums with some number in a row.
  Values load(mlir::Value row, mlir::Value number) const;
  void store(mlir::ValueRange sums, mlir::Value row, mlir::Value number) const;

private:
  mlir::ImplicitLocOpBuilder &b;
  const ResultLayout &layout;
  const PhaseArguments &args;
  const ResultPlaces &places;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTIALENTRIES_H
