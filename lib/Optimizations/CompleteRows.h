//===- CompleteRows.h - Copies of complete rows of sums -------------------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_COMPLETEROWS_H
#define NACHO_LIB_OPTIMIZATIONS_COMPLETEROWS_H

#include "KeptLoop.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// A loop, after a kept loop, that copies a row of its sums to another buffer:
///
///   if conditions:
///     for n = 0 to number:
///       buffer[first + n] = sums[row, n]
///
/// If strips of the row are in registers, each can be copied from there. With
/// room for a part of a row only, none of it is copied: the row lies outside of
/// the result then, which the nest reports.
class CompleteRows {
public:
  static std::optional<CompleteRows> match(const KeptLoop &kept);

  /// The number of the kept row that is copied.
  size_t row() const;
  /// Whether nobody reads the sums once they have been copied.
  bool isLastRead() const;
  /// Copies the lanes of `mask`, or all if it is null, of the strip that begins
  /// at the number `start`. `mapping` leads from the results of the kept loop
  /// to what they are in a copy of that loop. `otherwise` emits what is done if
  /// the row is not complete.
  void emit(mlir::ImplicitLocOpBuilder &b, mlir::IRMapping mapping,
            mlir::Value strip, mlir::Value start, mlir::Value mask,
            llvm::function_ref<void()> otherwise) const;
  void erase() { loop.erase(); }

private:
  explicit CompleteRows(const KeptLoop &kept) : kept(&kept) {}

  bool matchAfter(mlir::Operation *op);
  bool matchLoop(mlir::scf::ForOp candidate);
  bool matchPlace();
  bool countsSums(mlir::Value number) const;
  bool loadsSum(mlir::memref::LoadOp load);
  bool isAfterRoot(mlir::Operation *op) const;
  bool collect(mlir::Value value);
  bool collectAll();

  const KeptLoop *kept;
  mlir::scf::ForOp loop;
  mlir::memref::StoreOp store;
  /// The place of the first sum; null for the first place of the buffer.
  mlir::Value first;
  llvm::SmallVector<mlir::scf::IfOp> around; ///< The outermost first.
  /// The ops between the root and the copy that do not belong to it.
  llvm::SmallVector<mlir::Operation *> between;
  /// The ops after the root on which the copy depends.
  llvm::SetVector<mlir::Operation *> needed;
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_COMPLETEROWS_H
