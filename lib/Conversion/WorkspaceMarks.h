//===- WorkspaceMarks.h - Marks of used places in workspaces --------------===//
//
// A row of the marks begins with a word that counts the keys, if the workspace
// is hashed. Three levels of bits follow: one bit per 64 * 64 places, one per
// 64 places, and one per place. A set bit means that a place is used.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_WORKSPACEMARKS_H
#define NACHO_LIB_CONVERSION_WORKSPACEMARKS_H

#include "nacho/IR/Arith.h"
#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Emits code that reads and writes the marks of a workspace.
class WorkspaceMarks {
public:
  static constexpr unsigned kLevels = 3;

  WorkspaceMarks(WorkspaceOp op, mlir::ImplicitLocOpBuilder &b)
      : op(op), b(b) {}

  /// Computes where each level begins, for places up to `last`. This comes
  /// before any use of a level.
  void locateLevels(mlir::Value last);

  /// The number of places for which a workspace without keys has marks.
  mlir::Value densePlaces();
  /// The same if it is flat, and so has a word for each.
  mlir::Value flatPlaces();

  /// A word that is constant.
  Number word(int64_t value);
  mlir::Value load(mlir::Value at);
  void store(mlir::Value word, mlir::Value at);
  /// The place of word `number` of a level in the marks.
  mlir::Value wordAt(unsigned level, mlir::Value number);
  /// The word in which only the bit for a place, or number, is set.
  mlir::Value bitOf(mlir::Value number);

  mlir::Value isMarked(mlir::Value place);
  /// Sets the bits for `number` in all levels above `level`. With `kLevels`,
  /// `number` is a place.
  void mark(mlir::Value number, unsigned level);
  /// Sets the bits above word `number` of the last level, whether they are set
  /// or not: only the first one in a word leads to the level above.
  void markWord(mlir::Value number);

  /// Emits the code for a place that is used, and returns the values that it
  /// carries on.
  using VisitPlace = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value place, mlir::ValueRange carried)>;
  /// Visits all places that are used, in order, and clears their bits. Returns
  /// the values that the last visit carries on.
  mlir::ValueRange drain(mlir::ValueRange inits, VisitPlace visit);
  /// Clears the bits of all places.
  void clear() { drain({}, nullptr); }

  // Operations of lanes together (LaneMarks.cpp) on a workspace of lanes.

  /// Marks a place that no other lane marks at the same time.
  void markByLane(mlir::Value place);
  /// Drains as `drain` does, but each lane visits some of the places. At most
  /// one value is carried, to which each visit adds 1.
  llvm::SmallVector<mlir::Value> drainByLanes(mlir::ValueRange inits,
                                              VisitPlace visit);

private:
  using Visits = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value number, mlir::ValueRange carried)>;
  /// Emits a loop over the bits of a word that are set.
  llvm::SmallVector<mlir::Value>
  forEachBit(mlir::Value set, mlir::ValueRange carried, Visits visit);
  llvm::SmallVector<mlir::Value> drainWordsByLanes(mlir::Value number,
                                                   mlir::ValueRange carried,
                                                   VisitPlace visit);
  mlir::Value takeWord(mlir::Value above, mlir::Value number, mlir::Value at);
  llvm::SmallVector<mlir::Value> drainWord(unsigned level, mlir::Value number,
                                           mlir::ValueRange carried,
                                           VisitPlace visit);

  WorkspaceOp op;
  mlir::ImplicitLocOpBuilder &b;
  llvm::SmallVector<mlir::Value> begins; ///< The first word of each level.
  mlir::Value words; ///< The number of words of the first level.
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_WORKSPACEMARKS_H
