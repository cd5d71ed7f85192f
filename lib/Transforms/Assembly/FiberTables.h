//===- FiberTables.h - Tables for the lookups of a part -------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_FIBERTABLES_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_FIBERTABLES_H

#include "Part.h"

namespace nacho {

/// A part has a table for each `nacho.find`. It holds the positions of the
/// children of one fiber, by their coordinates, and is filled anew when the
/// loops come to another fiber.
class FiberTables {
public:
  explicit FiberTables(Part &part) : part(part) {}

  /// Makes the tables, with no fiber in them.
  void start(Carried &carried);
  /// Fills the tables that lookups in the body of a loop need.
  void fillFor(CoiterateOp loop, Carried &values);
  /// Repeats a lookup.
  void emit(FindOp find);
  /// Empties the tables, as they have to be left.
  void clear();

private:
  unsigned numberOf(FindOp find) const;

  Part &part;
  Values tables;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_FIBERTABLES_H
