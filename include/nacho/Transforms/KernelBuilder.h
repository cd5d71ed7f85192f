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

/// A slice that is made of a whole sparse tensor; null if an operand is none.
/// Kernels make such slices by themselves.
mlir::tensor::ExtractSliceOp slicingOf(mlir::Value operand);

bool isSlice(mlir::Type type);
bool isSparse(mlir::Type type);

/// Whether an op reads or makes sparse tensors.
bool hasSparseTensors(mlir::linalg::LinalgOp op);

/// Whether an output has no elements yet.
bool isEmptyOutput(mlir::Value output);

/// Whether an output has elements, other than those of a constant, or with
/// which it has been filled.
bool hasElements(mlir::Value output);

/// Whether an op fills outputs with a constant, which kernels do themselves.
bool isFilledOutput(mlir::linalg::LinalgOp op);

/// The type of the tensor of which a slice is a part, stored as the slice is.
mlir::RankedTensorType wholeTypeOf(mlir::RankedTensorType slice);

/// A number with a value.
mlir::Value emitConstant(mlir::ImplicitLocOpBuilder &b, mlir::Attribute value,
                         mlir::Type type);

/// Makes a function of one op, in no module yet. What the op reads becomes an
/// argument, unless it is a constant, or an output that is filled with one or
/// has no elements yet.
class KernelBuilder {
public:
  /// Lets callers of the kernel pass a slice for the whole tensor if
  /// `passesSlices` is set.
  KernelBuilder(mlir::linalg::LinalgOp op, llvm::StringRef name,
                bool passesSlices)
      : op(op), b(op.getLoc(), op.getContext()), name(name),
        passesSlices(passesSlices) {}

  /// Builds the function. On failure returns null and says why in `reason`.
  mlir::OwningOpRef<mlir::func::FuncOp> build();

  std::string reason;
  /// The arguments of the function: tensors and numbers of the op's function.
  llvm::SmallVector<mlir::Value> arguments;
  /// The numbers of the arguments that are slices, and their types.
  llvm::SmallVector<std::pair<unsigned, mlir::Type>> slices;
  /// Ops before the op that tell numbers of slices, which are arguments.
  llvm::SmallVector<mlir::Operation *> numbers;

private:
  mlir::LogicalResult addInputs();
  mlir::LogicalResult addTensor(mlir::Value value);
  mlir::LogicalResult addNumber(mlir::Value value);
  mlir::Value addArgument(mlir::Value value);
  mlir::Value addOutput(mlir::Value output);
  mlir::OpFoldResult addIndex(mlir::OpFoldResult number);
  mlir::Value makeSlice(mlir::RankedTensorType type, mlir::Value source,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        llvm::ArrayRef<mlir::OpFoldResult> strides);
  mlir::LogicalResult addSliceFromOutside(mlir::Value slice);
  mlir::LogicalResult addSlice(mlir::Value slice);

  mlir::linalg::LinalgOp op;
  mlir::ImplicitLocOpBuilder b;
  llvm::StringRef name;
  bool passesSlices;
  mlir::OwningOpRef<mlir::func::FuncOp> func;
  mlir::IRMapping mapping;
};

} // namespace nacho

#endif // NACHO_TRANSFORMS_KERNELBUILDER_H
