//===- KernelWrapper.h - The function by which a kernel is called ---------===//

#ifndef NACHO_LIB_KERNELWRAPPER_H
#define NACHO_LIB_KERNELWRAPPER_H

#include "nacho/IR/Nacho.h"
#include "nacho/Transforms/KernelBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The attribute of the nested modules that are kernels.
inline constexpr llvm::StringLiteral kKernelAttrName = "nacho.kernel";

/// The attribute of a function that calls name: its kernel, as text.
inline constexpr llvm::StringLiteral kPackedAttrName = "nacho.packed_kernel";

/// The attribute of a kernel whose operands or result are other tensors in the
/// program (KernelTypes.h), or slices of its operands: the type that its
/// function has there.
inline constexpr llvm::StringLiteral kProgramTypeAttrName =
    "nacho.program_type";

/// The nested modules that are kernels.
llvm::SmallVector<mlir::ModuleOp> kernelsOf(mlir::ModuleOp module);

/// The options for the library of a kernel.
struct CallOptions {
  int64_t threads, parts;
  /// Sparse tensors are those of MLIR's own library: functions take and return
  /// their addresses. Else they are fields, and a specifier of their sizes.
  bool library;
};

/// The sizes of the blocks by which a kernel sees the dimensions of a tensor
/// split; empty if it does not.
using BlockSizes = std::vector<int64_t>;

/// Adds a function to a module which has the global `@name_image`: it takes the
/// operands as MLIR's passes leave them, calls the runtime library, and returns
/// the result. It is of the dialects func, memref, sparse_tensor and LLVM.
/// `kernel` is the type of the kernel, `program` that of its function in the
/// program. `blocks` are those of the operands, and of the result behind them.
/// Fails if a tensor cannot be passed.
mlir::LogicalResult addWrapper(mlir::ModuleOp module, llvm::StringRef name,
                               mlir::FunctionType kernel,
                               mlir::FunctionType program,
                               llvm::ArrayRef<BlockSizes> blocks,
                               const CallOptions &options);

/// The address of a row of `count` integers on the stack.
mlir::Value emitRow(mlir::ImplicitLocOpBuilder &b, int64_t count);
/// The address of the n-th integer of a row.
mlir::Value emitPlace(mlir::ImplicitLocOpBuilder &b, mlir::Value row,
                      int64_t n);
mlir::Value emitInteger(mlir::ImplicitLocOpBuilder &b, int64_t value);
/// Declares a function of a library, unless the module does.
mlir::LLVM::LLVMFuncOp declareFunction(mlir::ImplicitLocOpBuilder &b,
                                       mlir::ModuleOp module,
                                       llvm::StringRef name, mlir::Type result,
                                       mlir::TypeRange params);
/// A memref that owns the array at `data`, with these extents.
mlir::Value emitMemRef(mlir::ImplicitLocOpBuilder &b, mlir::MemRefType type,
                       mlir::Value data, mlir::ValueRange extents);

/// The address of the elements of a memref.
mlir::Value emitAddress(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);

/// The arguments of the runtime library for a tensor: arrays, with their sizes,
/// and extents. All are 64-bit integers or pointers.
struct TensorArguments {
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> arguments;

  void addArray(mlir::Value data, mlir::Value size) {
    arguments.emplace_back(data, size);
  }
  void addExtent(mlir::Value extent) {
    arguments.emplace_back(mlir::Value(), extent);
  }
};

/// The sizes of the blocks of each level of a tensor whose dimensions have
/// `blocks`. Of a tensor that is stored in blocks, no level is split.
BlockSizes blocksOfLevels(mlir::RankedTensorType tensor,
                          const BlockSizes &blocks);

/// The tensor that is passed for an argument of a kernel. A number is passed as
/// a tensor of rank 0, and an index as an integer.
mlir::RankedTensorType passedType(mlir::Type argument);

/// The type of a dense tensor in memory.
mlir::MemRefType memRefOf(mlir::RankedTensorType tensor);

/// Adds the types that MLIR's passes make of a sparse tensor in a call.
void addSparseParameters(mlir::RankedTensorType tensor, bool library,
                         llvm::SmallVectorImpl<mlir::Type> &types);
/// Reads what the parameters of a sparse operand stand for. Of a slice, that is
/// the whole tensor, which ends where the slice does.
mlir::LogicalResult readSparseTensor(mlir::ImplicitLocOpBuilder &b,
                                     mlir::ModuleOp module,
                                     mlir::RankedTensorType tensor,
                                     bool library, mlir::ValueRange params,
                                     TensorArguments &into);

/// The results of the runtime library: the address and the size of each array,
/// and the extent of each level.
struct MadeArrays {
  llvm::SmallVector<mlir::Value> data, sizes, extents;
};

/// The fields of a sparse tensor as `--sparse-tensor-codegen` has them.
llvm::SmallVector<mlir::Value> emitFields(mlir::ImplicitLocOpBuilder &b,
                                          mlir::RankedTensorType tensor,
                                          const MadeArrays &made);

/// A sparse tensor of MLIR's runtime library, which copies the arrays. Fails if
/// the library has no tensors of this type.
mlir::FailureOr<mlir::Value> emitLibraryTensor(mlir::ImplicitLocOpBuilder &b,
                                               mlir::ModuleOp module,
                                               mlir::RankedTensorType tensor,
                                               const MadeArrays &made);

} // namespace nacho

#endif // NACHO_LIB_KERNELWRAPPER_H
