//===- KernelBuilder.h - A function of one linalg op ----------------------===//

#ifndef NACHO_TRANSFORMS_KERNELBUILDER_H
#define NACHO_TRANSFORMS_KERNELBUILDER_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

namespace nacho {

/// A sparse tensor that is made by padding another one with a constant; null if
/// an operand is none. Kernels pad by themselves, without making a tensor.
mlir::tensor::PadOp paddingOf(mlir::Value operand);

/// Makes a function of one op, in no module yet. What the op reads becomes an
/// argument, unless it is a constant, or an output that is filled with one or
/// has no elements yet.
class KernelBuilder {
public:
  KernelBuilder(mlir::linalg::LinalgOp op, llvm::StringRef name)
      : op(op), b(op.getLoc(), op.getContext()), name(name) {}

  /// Builds the function. On failure returns null and says why in `reason`.
  mlir::OwningOpRef<mlir::func::FuncOp> build();

  std::string reason;
  /// What the function takes: tensors and numbers of the op's function.
  llvm::SmallVector<mlir::Value> arguments;

private:
  mlir::LogicalResult addInputs();
  void addTensor(mlir::Value value);
  mlir::LogicalResult addNumber(mlir::Value value);
  mlir::Value addArgument(mlir::Value value);
  mlir::Value addOutput(mlir::Value output);

  mlir::linalg::LinalgOp op;
  mlir::ImplicitLocOpBuilder b;
  llvm::StringRef name;
  mlir::OwningOpRef<mlir::func::FuncOp> func;
  mlir::IRMapping mapping;
};

} // namespace nacho

#endif // NACHO_TRANSFORMS_KERNELBUILDER_H
