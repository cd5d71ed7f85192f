//===- Filling.h - Places for the entries of parts ------------------------===//
//
// Parts append at the same time, so each has to know where its entries begin.
//
//   counted: the parts count their entries; the counts are scanned; then the
//     parts append to the result.
//   draft: a part appends no more entries than it costs. So the parts append to
//     a draft of the result, each from an offset that is the cost of all parts
//     before it, and count their entries at the same time; the counts are
//     scanned; then the entries are moved together. This runs the loops only
//     once.
//   in turn: a part appends to a draft that its thread has for one part, learns
//     from the parts before it where its entries go, and moves them. This runs
//     the loops only once, and a draft stays in a cache.
//
// A filling says which arguments the functions of a nest take, and what they do
// before and after the loops.
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
  static std::unique_ptr<Filling> inTurn();

  virtual ~Filling() = default;

  virtual FillingKind kind() const = 0;
  /// Whether entries are counted before they are appended.
  bool isCounted() const { return kind() == FillingKind::counted; }
  /// The status that is set if a part has no room for an entry.
  virtual Status statusWhenFull() const = 0;

  /// The arguments of the function plan, apart from the operands.
  virtual Parameters planParameters(const PhaseFunctions &function) const = 0;
  /// The arguments of execute that say where the parts append.
  virtual Parameters offsetParameters(const ResultLayout &layout) const = 0;

  /// Builds the functions that count, if there are any.
  virtual void buildCounting(PhaseFunctions &function) const {}
  /// Emits the offsets of the parts, and the sizes, in plan, after the cuts.
  virtual void planOffsets(PhaseFunctions &function,
                           mlir::Value parts) const = 0;
  /// Emits the rows of counts before and after the entries of a part, in
  /// compute.
  virtual std::pair<Values, Values> places(PhaseFunctions &function,
                                           mlir::Value part) const;
  /// Emits code in compute before and after the loops of a part.
  virtual void startPart(PhaseFunctions &function, mlir::Value part,
                         mlir::Value parts) const {}
  virtual void finishPart(PhaseFunctions &function, mlir::Value part,
                          PartBuilder &builder) const {}
  /// Emits code in execute after all parts have appended.
  virtual void finishExecute(PhaseFunctions &function) const = 0;
  /// Builds the function that moves a draft, if there is one.
  virtual void buildCompact(PhaseFunctions &function) const {}
};

/// Whether parts are only counted if their operands are right, and if none of
/// them costs too much. The host of a device asks for this, since it reads the
/// costs no sooner than the counts, together with the earlier status.
bool guardsCounts(const PhaseFunctions &function);

/// Builds the region of a scan of counts, which adds up two rows.
void buildSum(PhaseFunctions &function, mlir::Region &region);

/// offsets = exclusive scan of the counts
void emitScan(PhaseFunctions &function, mlir::Value offsets);

/// sizes = for each level, the number of coordinates that it stores, or its
///         extent if it is dense; then the size of a row of partials; then the
///         extents of all levels
void storeSizes(PhaseFunctions &function, mlir::Value offsets,
                mlir::Value parts);

/// Lets the first worker of a loop store the sizes of a result without counts,
/// which follow from extents: a device would start a kernel for that alone.
void storeSizesOnce(PhaseFunctions &function, mlir::Value worker);

/// Stores the positions at which the only fiber of the first level begins and
/// ends.
void storeFirstFiber(PhaseFunctions &function, mlir::Value offsets,
                     mlir::Value parts);
/// Lets the first part do that, if the first level has positions.
void storeFirstFiberInPart(PhaseFunctions &function, mlir::Value offsets,
                           mlir::Value part, mlir::Value parts);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_FILLING_H
