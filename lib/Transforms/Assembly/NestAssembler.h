//===- NestAssembler.h - The functions that replace a nest ----------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_NESTASSEMBLER_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_NESTASSEMBLER_H

#include "PhaseFunctions.h"
#include "nacho/Levels/Level.h"

namespace nacho {

/// Builds all functions of a nest.
void assembleNest(PhaseFunctions &function);

/// Builds the function that cuts the nest into parts, which callers may call
/// and, if there are tiles, another one, whose parts find the cuts of their own
/// tile, check positions, and store sizes that follow from extents.
void buildPartition(PhaseFunctions &function);

/// Emits the calls that cut the nest into `parts` parts.
void callPartition(PhaseFunctions &function, mlir::Value parts);

/// Sets the status if the positions that operands store are not those of valid
/// tensors. Each worker of a loop checks one place of all arrays.
class PositionChecks {
public:
  /// Finds the arrays of positions.
  explicit PositionChecks(PhaseFunctions &function);

  bool isEmpty() const { return all.empty(); }
  /// Emits the number of workers, that of places in the longest array.
  mlir::Value numWorkers();
  /// Emits the checks of a worker; those beyond an array do not check it.
  void emit(mlir::Value worker);

private:
  /// A level that stores positions, and the length of their array.
  struct Stored {
    std::unique_ptr<Level> level;
    mlir::Value length;
  };
  PhaseFunctions &function;
  llvm::SmallVector<Stored> all;
};

/// Sets a bit of the earlier status if a part costs too much:
///
///   cost = cuts[part - begin + 1].cost - cuts[part - begin].cost
///   if cost > total / parts * 2 + excess: earlier |= kPartTooHeavy
void checkCosts(PhaseFunctions &function, TileOp tile, mlir::Value cuts,
                mlir::Value total);

/// Whether callers may run the functions that `execute` calls one by one, and
/// single parts: parts know where their entries go, and nothing is left to do
/// with the entries of all parts but to combine partials, to sort those of a
/// list, or to add up its costs.
bool runsOneByOne(const ResultLayout &layout);

/// Builds the function that gives all elements of blocks the value that they
/// have where nothing is appended.
void buildFill(PhaseFunctions &function);

/// Builds the function that empties the rows of sums of all parts, if each part
/// has one for the whole result.
void buildClear(PhaseFunctions &function, const Parameters &parameters);

/// Builds the function that adds up the partials of entries to which several
/// parts contribute.
void buildCombine(PhaseFunctions &function, const Parameters &parameters);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_NESTASSEMBLER_H
