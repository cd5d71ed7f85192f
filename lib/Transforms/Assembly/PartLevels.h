//===- PartLevels.h - The levels of a result that a part fills ------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTLEVELS_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTLEVELS_H

#include "Part.h"

namespace nacho {

/// Tells the levels of the result which coordinates a part counts or appends.
/// The kind of each level (lib/Levels) decides what it does with them.
class PartLevels {
public:
  explicit PartLevels(Part &part)
      : part(part), layout(part.layout), b(part.b) {}

  /// Adds the values that the levels carry.
  void start(Carried &carried);

  /// The state when the loop over a level comes to a coordinate.
  struct Arrival {
    /// Whether the part's lower or upper cut lies inside the coordinate.
    mlir::Value onLower, onUpper;
    mlir::Value entries; ///< The number of entries so far.
    mlir::Value next;    ///< The next position of the level below, if needed.
  };
  /// The next position to fill in the level below `level`.
  mlir::Value next(unsigned level, const Carried &values) const;
  /// Tells a level that the loops inside of one of its coordinates have run.
  void leave(unsigned level, const Arrival &arrival, Carried &values);

  /// Adds the columns of the levels to a row of counts, given the values that
  /// the outermost loop has carried out.
  void addColumns(const Carried &counted, Values &row);
  /// Whether `complete` holds and the part has filled all the positions that
  /// were counted for it.
  Condition finish(const Carried &appended, Condition complete);

private:
  AppendContext contextOf(unsigned level) const;
  mlir::Value cutCoordinate(mlir::Value cut, unsigned level,
                            mlir::ValueRange row) const;
  std::optional<mlir::Value> parentPosition(unsigned level,
                                            const Carried &values) const;
  bool visitsAll(unsigned level) const;
  void leaveFiber(unsigned level, Carried &values);

  Part &part;
  const ResultLayout &layout;
  mlir::ImplicitLocOpBuilder &b;
  llvm::SmallVector<AppendContext>
      contexts; ///< Contexts of the levels that append.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTLEVELS_H
