//===- HostSide.h - Launches and memory as calls of a runtime -------------===//

#ifndef NACHO_LIB_HOSTSIDE_H
#define NACHO_LIB_HOSTSIDE_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The attribute of allocations whose memory is zero, and of what returns them,
/// zero again.
inline constexpr char kZerosAttr[] = "nacho.zeros";

/// Converts what the host does with a device: it launches kernels, and takes
/// and returns memory.
class HostSide {
public:
  explicit HostSide(mlir::ModuleOp module);

  /// Calls a function of the runtime, which it declares.
  mlir::Value callRuntime(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                          mlir::Type result, mlir::ValueRange arguments);

  /// The type of a frame, which has the arguments of a launch: a descriptor for
  /// each memref.
  mlir::LLVM::LLVMStructType frameOf(mlir::TypeRange arguments);
  mlir::Value fieldOf(mlir::ImplicitLocOpBuilder &b, mlir::Type frame,
                      mlir::Value at, llvm::ArrayRef<int32_t> path);

  /// Room on the stack of the function that has a launch. Launches in loops use
  /// the same room again.
  mlir::Value reserve(mlir::gpu::LaunchFuncOp launch, mlir::Type type);
  /// Stores the arguments of a launch in a frame on the stack.
  mlir::Value storeFrame(mlir::gpu::LaunchFuncOp launch);
  /// The number of blocks, or of threads in each, as an integer.
  mlir::Value toNumber(mlir::ImplicitLocOpBuilder &b, mlir::Value index);

  /// nacho_take_scratch(bytes) is null if there is no memory.
  /// So is nacho_take_zeros(bytes); the call then launches nothing more.
  mlir::LogicalResult convertAlloc(mlir::gpu::AllocOp op);
  /// nacho_return_scratch(data, bytes)
  mlir::LogicalResult convertDealloc(mlir::gpu::DeallocOp op);

  /// Converts everything that the host does; `convertLaunch` erases a launch.
  mlir::LogicalResult
  convert(llvm::function_ref<mlir::LogicalResult(mlir::gpu::LaunchFuncOp)>
              convertLaunch);

  mlir::ModuleOp module;
  mlir::LLVMTypeConverter types;
  mlir::LLVM::LLVMPointerType pointer;
};

/// A value as one of another type that it will be converted to.
inline mlir::Value castTo(mlir::ImplicitLocOpBuilder &b, mlir::Type to,
                          mlir::Value value) {
  return mlir::UnrealizedConversionCastOp::create(b, to, value).getResult(0);
}

} // namespace nacho

#endif // NACHO_LIB_HOSTSIDE_H
