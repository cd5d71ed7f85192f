//===- PartBuilder.h - Counting and appending of one part -----------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTBUILDER_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTBUILDER_H

#include "Entries.h"
#include "FiberTables.h"
#include "PartLevels.h"

namespace nacho {

/// Builds what one part does in one phase: the loops of the nest, between the
/// part's cuts, and what the levels of the result, the tables and the entries
/// need around them.
class PartBuilder {
public:
  PartBuilder(PhaseFunctions &function, mlir::Value number, mlir::Value parts,
              Phase phase);

  /// Counts; returns the row of counts.
  Values count();
  /// Appends between two rows of the scan, which are empty for a result without
  /// structure. Sets the status if the part has appended something else than
  /// was counted.
  void append(mlir::ValueRange first, mlir::ValueRange last);
  /// Returns the row of counts of what has been appended.
  Values countAppended();

private:
  void checkCounts();

  Part part;
  PartLevels levels;
  FiberTables tables;
  std::unique_ptr<Entries> entries;
  Carried carried; ///< Before the loops, and then after them.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTBUILDER_H
