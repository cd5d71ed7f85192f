//===- KernelBuilder.h - A kernel of one linalg op ------------------------===//

#ifndef NACHO_LIB_KERNELBUILDER_H
#define NACHO_LIB_KERNELBUILDER_H

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

namespace nacho {

/// The type of the tensor that stands for a value in a kernel. A tensor of
/// indices has integers.
mlir::RankedTensorType argumentType(mlir::Value value);

/// A sparse tensor that is made by padding another one with a constant; null if
/// an operand is none. Kernels pad by themselves, without making a tensor.
mlir::tensor::PadOp paddingOf(mlir::Value operand);

/// A slice that is made of a whole sparse tensor; null if an operand is none.
/// Kernels make such slices by themselves.
mlir::tensor::ExtractSliceOp slicingOf(mlir::Value operand);

/// Lets functions take whole sparse tensors in place of slices of them, and the
/// numbers of the slices that the types do not tell.
void passWholeTensors(mlir::ModuleOp module);

/// Makes a kernel of one op: a module with a function that has the op, and the
/// tensors that are the function's arguments where the op is.
class KernelBuilder {
public:
  /// With `library`, sparse tensors will be those of MLIR's runtime library.
  KernelBuilder(mlir::linalg::LinalgOp op, llvm::StringRef name, bool library)
      : op(op), b(op.getLoc(), op), name(name), library(library) {}

  /// Builds the module. On failure returns null and says why in `reason`.
  mlir::OwningOpRef<mlir::ModuleOp> build();

  std::string reason;
  /// The arguments of the kernel: values of the op's function. Those that are
  /// no tensors yet have to become tensors of rank 0.
  llvm::SmallVector<mlir::Value> arguments;
  /// Ops before the op that tell numbers of slices, which are arguments.
  llvm::SmallVector<mlir::Operation *> numbers;

private:
  mlir::Value addArgument(mlir::Value value);
  mlir::Value addOutput(mlir::Value output);
  mlir::LogicalResult addInput(mlir::Value value);
  mlir::OpFoldResult addNumber(mlir::OpFoldResult number);
  mlir::Value makeSlice(mlir::RankedTensorType type, mlir::Value source,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        llvm::ArrayRef<mlir::OpFoldResult> strides);
  mlir::LogicalResult addSliceFromOutside(mlir::Value slice);
  mlir::LogicalResult addSlice(mlir::Value slice);
  mlir::linalg::LinalgOp cloneAsGeneric();
  mlir::LogicalResult cloneOp();
  void addScalar(mlir::linalg::GenericOp generic, unsigned number);
  mlir::LogicalResult capture(mlir::linalg::GenericOp generic,
                              mlir::Value value);

  mlir::linalg::LinalgOp op;
  mlir::ImplicitLocOpBuilder b;
  llvm::StringRef name;
  bool library;
  mlir::func::FuncOp func;
  /// The numbers of the arguments that are slices, and their types.
  llvm::SmallVector<std::pair<unsigned, mlir::Type>> slices;
  mlir::IRMapping mapping;
};

} // namespace nacho

#endif // NACHO_LIB_KERNELBUILDER_H
