//===- PartBuilder.h - Counting and appending of one part -----------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTBUILDER_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTBUILDER_H

#include "Entries.h"
#include "FiberTables.h"
#include "PartLevels.h"

namespace nacho {

/// Builds the code of one part that counts or appends: the loops of the nest
/// between the part's cuts, and the code that the levels of the result, the
/// tables and the entries need before, in and after these loops.
class PartBuilder {
public:
  PartBuilder(PhaseFunctions &function, mlir::Value number, mlir::Value parts,
              PartTask task);

  /// Emits the loops that count; returns the row of counts.
  Values count();
  /// Emits the loops that append, from the offsets in one row of the scanned
  /// counts to those in the next row. The rows are empty for a result without
  /// structure. The emitted code sets the status if it has not appended what
  /// was counted.
  void append(mlir::ValueRange first, mlir::ValueRange last);
  /// The place of the first entry that append() appends.
  mlir::Value firstPlace() const { return part.first.back(); }
  /// The place where the room for entries ends.
  mlir::Value endOfPlaces() const { return part.last.back(); }
  /// The row of counts for the entries that append() has appended.
  Values countAppended();
  /// Sets bits of the status.
  void setStatus(int32_t status) const;

private:
  void checkCounts();

  Part part;
  PartLevels levels;
  FiberTables tables;
  std::unique_ptr<Entries> entries;
  Carried carried; ///< The values before the loops, later those after them.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTBUILDER_H
