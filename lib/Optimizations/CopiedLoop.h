//===- CopiedLoop.h - Copies of loops that carry more -----------*- C++ -*-===//

#ifndef NACHO_LIB_OPTIMIZATIONS_COPIEDLOOP_H
#define NACHO_LIB_OPTIMIZATIONS_COPIEDLOOP_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

inline llvm::SmallVector<mlir::Value> copiesOf(mlir::ValueRange values,
                                               const mlir::IRMapping &copies) {
  return llvm::map_to_vector(
      values, [&](mlir::Value value) { return copies.lookupOrDefault(value); });
}

/// Copies a loop without its body, and lets it carry more values, which begin
/// with `more`.
inline CoiterateOp copyLoop(mlir::ImplicitLocOpBuilder &b, CoiterateOp loop,
                            mlir::IRMapping &copies, mlir::ValueRange more) {
  auto copyOrNull = [&](mlir::Value value) {
    return value ? copies.lookupOrDefault(value) : mlir::Value();
  };
  llvm::SmallVector<mlir::Value> inits = copiesOf(loop.getInits(), copies);
  llvm::append_range(inits, more);
  auto made = CoiterateOp::create(
      b, copiesOf(loop.getFibers(), copies), copiesOf(loop.getGuards(), copies),
      copyOrNull(loop.getExtent()), loop.getMerge(), loop.getIndexNameAttr(),
      copyOrNull(loop.getLower()), copyOrNull(loop.getUpper()), inits);
  made.setNonempty(loop.getNonempty());
  for (auto [old, now] : llvm::zip(loop.getBodyBlock()->getArguments(),
                                   made.getBodyBlock()->getArguments())) {
    copies.map(old, now);
    now.setLoc(old.getLoc());
  }
  copies.map(loop.getResults(),
             made.getResults().take_front(loop.getNumResults()));
  return made;
}

/// Ends the body of a copy of a loop with the next of the values that it
/// carries.
inline void yieldMore(mlir::ImplicitLocOpBuilder &b, CoiterateOp loop,
                      const mlir::IRMapping &copies, mlir::ValueRange more) {
  llvm::SmallVector<mlir::Value> yielded =
      copiesOf(loop.getBodyBlock()->getTerminator()->getOperands(), copies);
  llvm::append_range(yielded, more);
  YieldOp::create(b, yielded);
}

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_COPIEDLOOP_H
