//===- LevelKind.h - What a file of this folder says about its kind -------===//

#ifndef NACHO_LIB_LEVELS_LEVELKIND_H
#define NACHO_LIB_LEVELS_LEVELKIND_H

#include "nacho/Levels/Level.h"
#include "nacho/Levels/ResultLevel.h"

namespace nacho {

using Encoding = mlir::sparse_tensor::SparseTensorEncodingAttr;

/// A kind of level. There is one object per kind, which LevelFormat.cpp lists.
class LevelKind {
public:
  virtual ~LevelKind() = default;

  /// Whether the level is of this kind. Levels that are not ordered are of no
  /// kind, for levels are searched by bisection.
  virtual bool matches(Encoding encoding, unsigned level) const = 0;

  // The answers to the questions of LevelFormat.h, and those that most kinds
  // give.
  virtual bool isFull() const { return false; }
  virtual bool sharesPositions(Encoding encoding, unsigned level) const {
    return false;
  }
  virtual llvm::SmallVector<LevelArray> arrays(Encoding encoding,
                                               unsigned level) const = 0;
  virtual CoordinatePlace coordinatePlace(Encoding encoding,
                                          unsigned level) const {
    return {level};
  }

  /// The level of an operand.
  virtual std::unique_ptr<Level> operand(mlir::Value tensor,
                                         unsigned level) const = 0;
  /// The level of a result, if it is not filled together with the next one.
  virtual std::unique_ptr<ResultLevel> result() const = 0;
};

const LevelKind &denseKind();
const LevelKind &compressedKind();
const LevelKind &interleavedKind();
const LevelKind &singletonKind();

/// The kind of a level; null if it is not supported.
const LevelKind *findKind(mlir::RankedTensorType type, unsigned level);

/// The array of the positions [pos[p], pos[p + 1]) of the children of each
/// parent p.
LevelArray positionsArray(Encoding encoding);
/// An array of so many coordinates for each entry.
LevelArray coordinatesArray(Encoding encoding, int64_t perEntry = 1);

} // namespace nacho

#endif // NACHO_LIB_LEVELS_LEVELKIND_H
