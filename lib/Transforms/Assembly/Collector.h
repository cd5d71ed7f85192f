//===- Collector.h - Ways of collecting the entries of a result -----------===//
//
// A nest says how the entries of its result come together (`#nacho.collect`).
// For each way there is a collector, which knows what that means for the
// functions of the nest: which loops may append where, which arguments the
// functions take, what a part does with a value that is appended, and what is
// done to the entries when all parts have appended theirs. Nothing else asks
// how a nest collects. A new way is a new file and a line in Collector.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_COLLECTOR_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_COLLECTOR_H

#include "ResultLayout.h"

namespace nacho {

class Entries;
class PhaseFunctions;
class ResultPlaces;
struct Part;

class Collector {
public:
  static std::unique_ptr<Collector> get(CollectKind kind);
  /// The collector of a nest whose parts append to a draft.
  static std::unique_ptr<Collector> getForDraft(CollectKind kind);

  virtual ~Collector() = default;

  // The layout of the result.

  /// Whether a coordinate that is no loop's may be appended at a level.
  virtual bool takes(const ResultLayout &layout, mlir::Value coordinate,
                     unsigned level) const {
    return false;
  }
  /// Finds the outer loops, the inner levels, and what is reduced or collected
  /// in a workspace, in a layout that knows the loops of its levels. Emits an
  /// error if the nest's loops cannot append to the result.
  virtual mlir::LogicalResult classifyLoops(ResultLayout &layout) const = 0;
  /// Whether a draft of the result would save time.
  virtual bool prefersDraft(const ResultLayout &layout) const;

  // The functions of the nest.

  /// Whether a workspace has keys: it is a table that is smaller than a row.
  virtual bool hasKeys() const { return false; }
  /// The columns that a row of counts has for the collector.
  virtual llvm::SmallVector<llvm::StringRef> columnNames() const { return {}; }
  /// The extent of a level of the result.
  virtual mlir::Value levelExtent(const ResultPlaces &places,
                                  const ResultLayout &layout, unsigned level,
                                  mlir::Value parts) const;
  /// What is added to the values of a part when they move from a draft to the
  /// result, if anything is.
  virtual std::optional<mlir::Value> sumBefore(PhaseFunctions &function,
                                               mlir::Value part) const {
    return std::nullopt;
  }
  /// Emits what is done to the entries when all of them are there.
  virtual void finishEntries(PhaseFunctions &function) const {}

  // The loops of a part.

  /// What a part does with what it appends.
  virtual std::unique_ptr<Entries> makeEntries(Part &part) const = 0;
};

// One for each way of collecting.
std::unique_ptr<Collector> makeInOrderCollector();
std::unique_ptr<Collector> makeSortedListCollector();
std::unique_ptr<Collector> makePartSumsCollector();
std::unique_ptr<Collector> makeWholeRowsCollector();
std::unique_ptr<Collector> makeScannedListCollector();
/// A scanned list of which each part adds up the values in its draft.
std::unique_ptr<Collector> makeRunningSumsCollector();

/// Emits why the entries of a nest cannot be collected.
mlir::LogicalResult refuseResult(const ResultLayout &layout,
                                 const llvm::Twine &why);

/// Sorts the entries by the coordinates of the first levels, as many as there
/// are keys.
void emitSort(PhaseFunctions &function, unsigned numKeys);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_COLLECTOR_H
