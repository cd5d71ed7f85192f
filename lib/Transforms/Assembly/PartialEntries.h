//===- PartialEntries.h - Sums of entries that several parts make ---------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTIALENTRIES_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTIALENTRIES_H

#include "PhaseFunctions.h"
#include "ResultPlaces.h"

namespace nacho {

/// The memory in which parts keep sums that are not complete. Each part has two
/// rows: its *head* is for the entry that an earlier part has begun and this
/// part completes; its *tail* is for the current entry, which a later part may
/// have to complete. Without outer loops, there is nothing to complete, and
/// each part only has a tail. A row has one sum, or one for every combination
/// of coordinates of the inner levels. `visited` tells how many elements have
/// been reduced to each row; a row is empty while this is 0.
class PartialEntries {
public:
  PartialEntries(mlir::ImplicitLocOpBuilder &b, const ResultLayout &layout,
                 const PhaseArguments &args, const ResultPlaces &places)
      : b(b), layout(layout), args(args), places(places) {}

  /// The numbers of a part's rows. Only a part with two rows has a head.
  mlir::Value head(mlir::Value part) const;
  mlir::Value tail(mlir::Value part) const;

  /// The row of the sums of a group (PartGroups.h) all of whose parts are in
  /// one entry: the tail of the last part.
  mlir::Value rowOf(mlir::Value group, mlir::Value bits) const;
  /// The row whose number of elements is that of such a group. For a part, this
  /// is its tail. For a larger group, it is a head without sums, since its part
  /// completes nothing: that of the part with which the second of the smaller
  /// groups begins. So each size of groups has its own.
  mlir::Value countedAt(mlir::Value group, mlir::Value bits) const;

  /// The number of elements that have been reduced to a row.
  void setVisited(mlir::Value count, mlir::Value row) const;
  mlir::Value visited(mlir::Value row) const;

  /// Sets sums of a row to the identity of the reduction: all of them, or those
  /// with the given numbers.
  void clear(mlir::Value row) const;
  void clear(mlir::Value row, Interval numbers) const;
  /// The sums with the given number in a row, one from each array of partials.
  Values load(mlir::Value row, mlir::Value number) const;
  void store(mlir::ValueRange sums, mlir::Value row, mlir::Value number) const;

  /// Reduces sums and others, which come later in order.
  Values add(mlir::ValueRange sums, mlir::ValueRange others) const;
  /// Returns sums if `any` holds, else others, or the identities of the
  /// reduction.
  Values choose(Condition any, mlir::ValueRange sums,
                mlir::ValueRange others) const;
  Values choose(Condition any, mlir::ValueRange sums) const;

private:
  mlir::ImplicitLocOpBuilder &b;
  const ResultLayout &layout;
  const PhaseArguments &args;
  const ResultPlaces &places;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTIALENTRIES_H
