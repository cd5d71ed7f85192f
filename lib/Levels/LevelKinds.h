//===- LevelKinds.h - The constructors of each kind of level --------------===//

#ifndef NACHO_LIB_LEVELS_LEVELKINDS_H
#define NACHO_LIB_LEVELS_LEVELKINDS_H

#include "nacho/Levels/Level.h"

namespace nacho {

/// A level that stores its coordinates.
class StoredLevel : public Level {
public:
  StoredLevel(mlir::Value tensor, unsigned level) : Level(tensor, level) {}

  bool isFull() const override { return false; }
  bool isUnique() const override;
  mlir::Value coordinate(mlir::ImplicitLocOpBuilder &b,
                         mlir::Value position) const override;
  mlir::Value coordinates(mlir::ImplicitLocOpBuilder &b) const override;
  mlir::Value lowerBound(mlir::ImplicitLocOpBuilder &b, mlir::Value coordinate,
                         mlir::Value first, mlir::Value low,
                         mlir::Value high) const override;
  void prefetch(mlir::ImplicitLocOpBuilder &b,
                mlir::Value position) const override;

protected:
  mlir::sparse_tensor::SparseTensorEncodingAttr encoding() const {
    return mlir::sparse_tensor::getSparseTensorEncoding(tensor.getType());
  }
  static mlir::MemRefType bufferOf(mlir::Type element) {
    return mlir::MemRefType::get({mlir::ShapedType::kDynamic}, element);
  }
};

std::unique_ptr<Level> makeDenseLevel(mlir::Value tensor, unsigned level);
std::unique_ptr<Level> makeCompressedLevel(mlir::Value tensor, unsigned level);
std::unique_ptr<Level> makeSingletonLevel(mlir::Value tensor, unsigned level);
std::unique_ptr<Level> makeFlatLevel(mlir::Value flat, mlir::Value list);

std::unique_ptr<ResultLevel> makeDenseResultLevel();
std::unique_ptr<ResultLevel> makeCompressedResultLevel();

} // namespace nacho

#endif // NACHO_LIB_LEVELS_LEVELKINDS_H
