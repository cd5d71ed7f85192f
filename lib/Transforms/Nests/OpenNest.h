//===- OpenNest.h - A nest that is being built ----------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_OPENNEST_H
#define NACHO_LIB_TRANSFORMS_OPENNEST_H

#include "nacho/Analysis/LoopNest.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <string>

namespace nacho {

/// The nest of an assignment while its loops are being built, with what the
/// loops built so far provide to the code inside of them.
class OpenNest {
public:
  OpenNest(LoopNest &plan, const mlir::ImplicitLocOpBuilder &b)
      : plan(plan), b(b) {}

  /// The extent of an index. It is computed before the nest, so that the
  /// searches can use it.
  mlir::Value extentOf(mlir::Attribute index);

  /// The coordinate of an index that a slice stores, and of which it skips some
  /// coordinates; null if there is no such slice. The loop over the index
  /// visits the skipped ones, too.
  DeriveOp coordinateInSlice(mlir::Attribute index);

  /// The tensor of which a slice is a part. The coordinates become those there:
  /// offset + stride * coordinate.
  mlir::Value locateInSource(SliceOp slice,
                             llvm::MutableArrayRef<mlir::Value> at);

  /// The name that the user gave an operand, or else a letter.
  std::string inputName(unsigned n);

  LoopNest &plan;
  mlir::ImplicitLocOpBuilder b;
  NestOp nest;
  /// The fiber of each instance in the loops built so far.
  llvm::SmallVector<mlir::Value> fibers;
  /// The coordinate of each loop, by its number.
  llvm::SmallVector<mlir::Value> loopCoordinates;
  /// The coordinates by index of the result, or of a loop inside of the plan's.
  llvm::DenseMap<mlir::Attribute, mlir::Value> coordinates;

private:
  mlir::Value sizeOf(SliceOp slice, unsigned level);
  mlir::Value computeExtent(mlir::Attribute index);

  llvm::DenseMap<mlir::Attribute, mlir::Value> extents;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_OPENNEST_H
