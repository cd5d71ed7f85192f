//===- Collector.h - Ways of collecting the entries of a result -----------===//
//
// A nest says how it collects the entries of its result (`#nacho.collect`). For
// each way there is a collector, which knows what that means for the functions
// of the nest: which loops may append to which levels, which arguments the
// functions take, what a part does with a value that is appended, and what
// happens to the entries once all parts have appended theirs. Other code asks
// for properties of the way (nacho/IR/Collect.h). To add a way, add a row
// there, a file here and a line in Collector.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_COLLECTOR_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_COLLECTOR_H

#include "ResultLayout.h"

#include "nacho/Transforms/Passes.h"

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

  /// Whether a value that is not the coordinate of a loop may be appended as
  /// the coordinate of a level.
  virtual bool takes(const ResultLayout &layout, mlir::Value coordinate,
                     unsigned level) const {
    return false;
  }
  /// Completes a layout that knows the loops of its levels: finds the outer
  /// loops, the inner levels, and the reduction or the level of the workspace.
  /// Emits an error if the nest's loops cannot append to the result.
  virtual mlir::LogicalResult classifyLoops(ResultLayout &layout) const = 0;
  /// The smallest of the sets of nests whose drafts save time to which this one
  /// belongs; none if it is in no such set.
  virtual Drafts draftsOf(const ResultLayout &layout) const;

  // The functions of the nest.

  /// Whether parts append to the levels outside of the entries, one after the
  /// other. If not, the collector fills these levels.
  virtual bool appendsToLevels() const { return true; }
  /// Whether the functions take counts for each bucket.
  virtual bool hasBuckets() const { return false; }
  /// The columns that a row of counts has for the collector.
  virtual llvm::SmallVector<llvm::StringRef> columnNames() const { return {}; }
  /// The extent of a level of the result.
  virtual mlir::Value levelExtent(const ResultPlaces &places,
                                  const ResultLayout &layout, unsigned level,
                                  mlir::Value parts) const;
  /// The number to add to the values of a part when they are moved from a draft
  /// to the result; none if they stay as they are.
  virtual std::optional<mlir::Value> sumBefore(PhaseFunctions &function,
                                               mlir::Value part) const {
    return std::nullopt;
  }
  /// Emits what has to be done before the parts append, once they have counted.
  virtual void startEntries(PhaseFunctions &function) const {}
  /// Emits what has to be done once all parts have appended their entries.
  virtual void finishEntries(PhaseFunctions &function) const {}

  // The loops of a part.

  /// Makes the object that says what a part does with a value that it appends.
  virtual std::unique_ptr<Entries> makeEntries(Part &part) const = 0;
};

// The collectors, one for each way of collecting.
std::unique_ptr<Collector> makeInOrderCollector();
std::unique_ptr<Collector> makeSortedListCollector();
std::unique_ptr<Collector> makePartSumsCollector();
std::unique_ptr<Collector> makeWholeRowsCollector();
std::unique_ptr<Collector> makeScannedListCollector();
std::unique_ptr<Collector> makePieceListCollector();
std::unique_ptr<Collector> makeBucketsCollector();
/// The collector of a scanned list that is drafted: each part adds up its own
/// values while it appends them.
std::unique_ptr<Collector> makeRunningSumsCollector();

/// Emits why the entries of a nest cannot be collected.
mlir::LogicalResult refuseResult(const ResultLayout &layout,
                                 const llvm::Twine &why);

/// The number of levels by which the entries of a list have to be sorted: all
/// levels that have loops, but for the last ones if their loops run in the
/// order of the levels; at least one.
unsigned numLevelsToSort(const ResultLayout &layout);
/// Sorts the entries by the coordinates of the first `numKeys` levels.
void emitSort(PhaseFunctions &function, unsigned numKeys);

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_COLLECTOR_H
