//===- Coiteration.h - A coiteration being lowered --------------*- C++ -*-===//
//
// Knows where the operands of a coiteration begin and end, and emits its body.
// It is used by all shapes of loops (LoopShape.h).
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_COITERATION_H
#define NACHO_LIB_CONVERSION_COITERATION_H

#include "FiberLowering.h"
#include "nacho/IR/WhileLoop.h"

namespace nacho {

class Coiteration {
public:
  Coiteration(FiberLowering &lowering, CoiterateOp op);

  /// The positions where the stored operands begin, and the initial values that
  /// the coiteration carries.
  Values inits() const;
  /// The positions where the stored operands end.
  Values ends() const;
  /// The children of all operands, present and at no position yet.
  llvm::SmallVector<FiberValue> children() const;

  /// Emits the body at a coordinate, run if the merge expression holds for the
  /// children that are present. Those of full operands are found here. Returns
  /// the values that the coiteration carries.
  Values emitBody(mlir::Value coordinate,
                  llvm::SmallVector<FiberValue> children,
                  mlir::ValueRange carried);

  /// Calls `emit` for a copy of the coiteration. `emit` moves the body out of
  /// the copy; the coiteration itself keeps its body for the next call.
  Values emitCopy(llvm::function_ref<Values()> emit);

  FiberLowering &lowering;
  mlir::ImplicitLocOpBuilder &b;
  CoiterateOp op;
  /// The coordinates that the loop can visit.
  MergeAttr domain;
  llvm::SmallVector<FiberValue> fibers, guards;
  llvm::SmallVector<ChildRange> ranges;
  /// Operands with coordinates to step through.
  llvm::SmallVector<unsigned> stored;
  std::optional<CutValue> lower, upper;
  /// Whether the loop only counts coordinates.
  bool isCount = false;
  /// Whether coordinates without a cut get a copy of the body of their own, if
  /// the body asks for cuts.
  bool dividesCuts = false;

private:
  mlir::Value locateChild(unsigned n, mlir::Value coordinate,
                          FiberValue &child);
  Condition mergeHolds(llvm::ArrayRef<FiberValue> children);
  bool asksForCuts() const;
  Values emitByCut(mlir::Value coordinate, llvm::ArrayRef<FiberValue> children,
                   mlir::ValueRange carried);
  Values enterBody(mlir::Value coordinate, llvm::ArrayRef<FiberValue> children,
                   mlir::ValueRange carried);
};

/// Whether the cuts of a loop also cut loops inside it.
bool cutsInside(CoiterateOp op);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_COITERATION_H
