//===- Filling.h - How parts know where their entries go ------------------===//
//
// Parts append at the same time, so each has to know where its entries begin.
//
//   counted: the parts count what they append; the counts are scanned; then the
//     parts append to the result.
//   draft: a part appends no more entries than it costs. So the parts append to
//     a draft of the result, each from the offset that the parts before it
//     cost, and count on the way; the counts are scanned; then the entries are
//     moved together. This runs the loops only once.
//
// The functions of a nest differ in what they take and in what they do around
// the loops.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_FILLING_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_FILLING_H

#include "PhaseFunctions.h"

#include "nacho/Runtime/Abi.h"

namespace nacho {

class PartBuilder;

class Filling {
public:
  static std::unique_ptr<Filling> counted();
  static std::unique_ptr<Filling> draft();

  virtual ~Filling() = default;

  /// Whether entries are counted before they are appended.
  virtual bool isCounted() const = 0;
  /// What it means that a part has no room for an entry.
  virtual Status statusWhenFull() const = 0;

  // What functions take, apart from the operands.
  virtual Parameters planParameters(const ResultLayout &layout) const = 0;
  /// The arguments of execute that say where entries go.
  virtual Parameters offsetParameters(const ResultLayout &layout) const = 0;

  /// Builds the function that counts, if there is one.
  virtual void buildAssemble(PhaseFunctions &function) const {}
  /// In the plan, after the cuts: where the entries of each part go.
  virtual void planOffsets(PhaseFunctions &function,
                           mlir::Value parts) const = 0;
  /// In a part, before and after its loops.
  virtual void startPart(PhaseFunctions &function, mlir::Value part,
                         mlir::Value parts) const {}
  virtual void finishPart(PhaseFunctions &function, mlir::Value part,
                          PartBuilder &builder) const {}
  /// After all parts.
  virtual void finishExecute(PhaseFunctions &function) const = 0;
  /// Builds the function that moves a draft, if there is one.
  virtual void buildCompact(PhaseFunctions &function) const {}
};

/// offsets = exclusive scan of the counts
void emitScan(PhaseFunctions &function, mlir::Value offsets);

/// sizes = for each level, the number of coordinates that it stores, or if it
/// is dense its extent; then the size of a row of partial entries; then the
/// extents of all levels
void storeSizes(PhaseFunctions &function, mlir::Value offsets,
                mlir::Value parts);

/// Stores the two positions of a first level that has one fiber.
void storeFirstFiber(PhaseFunctions &function, mlir::Value offsets,
                     mlir::Value parts);
/// The same in the first part, if the first level has positions.
void storeFirstFiberInPart(PhaseFunctions &function, mlir::Value offsets,
                           mlir::Value part, mlir::Value parts);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_FILLING_H
