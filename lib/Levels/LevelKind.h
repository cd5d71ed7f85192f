//===- LevelKind.h - The interface that each kind of level implements -----===//

#ifndef NACHO_LIB_LEVELS_LEVELKIND_H
#define NACHO_LIB_LEVELS_LEVELKIND_H

#include "nacho/Levels/Level.h"
#include "nacho/Levels/ResultLevel.h"

namespace nacho {

using Encoding = mlir::sparse_tensor::SparseTensorEncodingAttr;

/// A kind of level. There is one object per kind, which Kinds.def lists.
class LevelKind {
public:
  virtual ~LevelKind() = default;

  /// Whether the level is of this kind. `findKind` asks only for ordered
  /// levels, for others cannot be searched by bisection.
  virtual bool matches(Encoding encoding, unsigned level) const = 0;

  /// Whether the level may be one of a tensor in batches, whose arrays have a
  /// row for each batch.
  virtual bool worksInBatches() const { return false; }

  // The functions of LevelFormat.h, with the answers of most kinds as defaults.
  virtual bool isFull() const { return false; }
  virtual bool hasGaps() const { return false; }
  virtual bool separatesChildren(Encoding encoding, unsigned level) const {
    return false;
  }
  virtual bool sharesPositions(Encoding encoding, unsigned level) const {
    return false;
  }
  virtual llvm::SmallVector<LevelArray> arrays(Encoding encoding,
                                               unsigned level) const = 0;
  virtual std::optional<CoordinatePlace> coordinatePlace(Encoding encoding,
                                                         unsigned level) const {
    return isFull() ? std::nullopt : std::optional(CoordinatePlace{level});
  }

  /// The level of an operand.
  virtual std::unique_ptr<Level> operand(mlir::Value tensor,
                                         unsigned level) const = 0;
  /// The level of a result. Called only for a level that is not filled together
  /// with the next one. Null if results cannot have such a level.
  virtual std::unique_ptr<ResultLevel> result() const { return nullptr; }
};

#define NACHO_LEVEL_KIND(name) const LevelKind &name##Kind();
#include "Kinds.def"

/// The kind of a level; null if it is not supported.
const LevelKind *findKind(mlir::RankedTensorType type, unsigned level);

/// The array `pos`: the children of parent p are [pos[p], pos[p + 1]).
LevelArray positionsArray(Encoding encoding);
/// The array `pos` in pairs: the children of parent p are
/// [pos[2 * p], pos[2 * p + 1]).
LevelArray positionPairsArray(Encoding encoding);
/// The array `crd`, with `perEntry` coordinates for each position.
LevelArray coordinatesArray(Encoding encoding, int64_t perEntry = 1);

} // namespace nacho

#endif // NACHO_LIB_LEVELS_LEVELKIND_H
