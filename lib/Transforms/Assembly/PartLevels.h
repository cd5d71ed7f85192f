//===- PartLevels.h - The levels of a result that a part fills ------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTLEVELS_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTLEVELS_H

#include "Part.h"

namespace nacho {

/// Tells the levels of the result what a part counts or appends. What they do
/// with it is up to their kinds (lib/Levels).
class PartLevels {
public:
  explicit PartLevels(Part &part)
      : part(part), layout(part.layout), b(part.b) {}

  /// Adds what the levels carry.
  void start(Carried &carried);

  /// What is known when the loop over a level comes to a coordinate.
  struct Arrival {
    mlir::Value onLower, onUpper; ///< Whether a cut of the part is inside it.
    mlir::Value entries;          ///< The number of entries before.
    mlir::Value next;             ///< The position of the next level, if asked.
  };
  /// The position that the level after `level` fills next.
  mlir::Value next(unsigned level, const Carried &values) const;
  /// Tells a level what the loops inside of one of its coordinates did.
  void leave(unsigned level, const Arrival &arrival, Carried &values);

  /// The columns of the levels in a row of counts, from what the outermost loop
  /// has counted.
  void addColumns(const Carried &counted, Values &row);
  /// Whether the levels got all the positions that were counted for the part,
  /// and `complete` holds.
  Condition finish(const Carried &appended, Condition complete);

private:
  AppendContext contextOf(unsigned level) const;
  mlir::Value cutCoordinate(mlir::Value cut, unsigned level,
                            mlir::ValueRange row) const;
  std::optional<mlir::Value> parentPosition(unsigned level,
                                            const Carried &values) const;
  void leaveFiber(unsigned level, Carried &values);

  Part &part;
  const ResultLayout &layout;
  mlir::ImplicitLocOpBuilder &b;
  llvm::SmallVector<AppendContext> contexts; ///< By level, while appending.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTLEVELS_H
