//===- FiberTables.h - Tables for the lookups of a part -------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_FIBERTABLES_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_FIBERTABLES_H

#include "Part.h"

namespace nacho {

/// The tables of a part, one for each `nacho.find`. A table tells the numbers
/// of the children of one fiber by their coordinates. It is filled anew when
/// the loops come to another fiber.
class FiberTables {
public:
  explicit FiberTables(Part &part) : part(part) {}

  /// Makes the tables, without a fiber in them.
  void start(Carried &carried);
  /// Fills the tables that the body of a loop looks coordinates up in.
  void fillFor(CoiterateOp loop, Carried &values);
  /// Copies a lookup, and gives the copy its table.
  void emit(FindOp find);
  /// Empties the tables: workspaces have to be left empty.
  void clear();

  /// The fiber whose children are in the table of a lookup, given what the
  /// loops carry. The fiber was not a list's.
  static mlir::Value fiberInTable(Part &part, FindOp find,
                                  const Carried &values);
  /// How many children this fiber had when the table was filled.
  static mlir::Value numberInTable(Part &part, FindOp find,
                                   const Carried &values);

private:
  mlir::Value fill(WorkspaceOp table, mlir::Value fiber, CoiterateOp loop);

  Part &part;
  llvm::SmallVector<WorkspaceOp> tables;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_FIBERTABLES_H
