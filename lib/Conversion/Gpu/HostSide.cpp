//===- HostSide.cpp - Launches and memory as calls of a runtime -----------===//

#include "HostSide.h"

#include "nacho/IR/Errors.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace nacho;

HostSide::HostSide(ModuleOp module)
    : module(module), types(module.getContext()),
      pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

Value HostSide::callRuntime(ImplicitLocOpBuilder &b, StringRef name,
                            Type result, ValueRange arguments) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder atBegin = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        result, llvm::to_vector(arguments.getTypes()));
    function = LLVM::LLVMFuncOp::create(atBegin, module.getLoc(), name, type);
  }
  auto call = LLVM::CallOp::create(b, function, arguments);
  return call.getNumResults() ? call.getResult() : Value();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

LLVM::LLVMStructType HostSide::frameOf(TypeRange arguments) {
  SmallVector<Type> fields;
  for (Type argument : arguments)
    fields.push_back(types.convertType(argument));
  return LLVM::LLVMStructType::getLiteral(module.getContext(), fields);
}

Value HostSide::fieldOf(ImplicitLocOpBuilder &b, Type frame, Value at,
                        ArrayRef<int32_t> path) {
  SmallVector<LLVM::GEPArg> indices = {0};
  for (int32_t n : path)
    indices.push_back(n);
  return LLVM::GEPOp::create(b, pointer, frame, at, indices);
}

Value HostSide::reserve(gpu::LaunchFuncOp launch, Type type) {
  ImplicitLocOpBuilder b(launch.getLoc(), launch);
  auto host = launch->getParentOfType<func::FuncOp>();
  b.setInsertionPointToStart(&host.getBody().front());
  Value one = arith::ConstantIntOp::create(b, 1, 64);
  return LLVM::AllocaOp::create(b, pointer, type, one);
}

Value HostSide::storeFrame(gpu::LaunchFuncOp launch) {
  LLVM::LLVMStructType frame = frameOf(launch.getKernelOperands().getTypes());
  Value at = reserve(launch, frame);
  ImplicitLocOpBuilder b(launch.getLoc(), launch);
  for (auto [n, argument] : llvm::enumerate(launch.getKernelOperands()))
    LLVM::StoreOp::create(b, castTo(b, frame.getBody()[n], argument),
                          fieldOf(b, frame, at, int32_t(n)));
  return at;
}

Value HostSide::toNumber(ImplicitLocOpBuilder &b, Value index) {
  return arith::IndexCastOp::create(b, b.getI64Type(), index);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether memory is a number of bytes.
static bool isBytes(Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  return type.getRank() == 1 && type.isDynamicDim(0) &&
         type.getElementType().isInteger(8) && type.getLayout().isIdentity();
}

LogicalResult HostSide::convertAlloc(gpu::AllocOp op) {
  if (op.getAsyncToken() || !isBytes(op.getMemref()))
    return op.emitOpError("is supported for a number of bytes only");
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value bytes = toNumber(b, op.getDynamicSizes().front());
  bool isZero = op->hasAttr(kZerosAttr);
  Value data = callRuntime(b, isZero ? kTakeZerosSymbol : kTakeScratchSymbol,
                           pointer, bytes);
  auto memory = MemRefDescriptor::poison(
      b, b.getLoc(), types.convertType(op.getMemref().getType()));
  memory.setAllocatedPtr(b, b.getLoc(), data);
  memory.setAlignedPtr(b, b.getLoc(), data);
  memory.setConstantOffset(b, b.getLoc(), 0);
  memory.setSize(b, b.getLoc(), 0, bytes);
  memory.setConstantStride(b, b.getLoc(), 0, 1);
  op.getMemref().replaceAllUsesWith(
      castTo(b, op.getMemref().getType(), memory));
  op.erase();
  return success();
}

LogicalResult HostSide::convertDealloc(gpu::DeallocOp op) {
  if (op.getAsyncToken() || !isBytes(op.getMemref()))
    return op.emitOpError("is supported for a number of bytes only");
  ImplicitLocOpBuilder b(op.getLoc(), op);
  MemRefDescriptor memory(
      castTo(b, types.convertType(op.getMemref().getType()), op.getMemref()));
  bool isZero = op->hasAttr(kZerosAttr);
  callRuntime(
      b, isZero ? kReturnZerosSymbol : kReturnScratchSymbol,
      LLVM::LLVMVoidType::get(module.getContext()),
      {memory.allocatedPtr(b, b.getLoc()), memory.size(b, b.getLoc(), 0)});
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

LogicalResult HostSide::convert(
    function_ref<LogicalResult(gpu::LaunchFuncOp)> convertLaunch) {
  // What is converted is gone, and has no operations inside to look at.
  auto afterwards = [](LogicalResult result) {
    return failed(result) ? WalkResult::interrupt() : WalkResult::skip();
  };
  auto convertOp = [&](Operation *op) -> WalkResult {
    if (isa<gpu::GPUModuleOp>(op))
      return WalkResult::skip();
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      if (launch->getNumResults() || !launch.getAsyncDependencies().empty() ||
          launch.getDynamicSharedMemorySize() || launch.hasClusterSize())
        return unsupported(
                   launch.emitOpError("has operands that are not supported")),
               WalkResult::interrupt();
      return afterwards(convertLaunch(launch));
    }
    if (auto alloc = dyn_cast<gpu::AllocOp>(op))
      return afterwards(convertAlloc(alloc));
    if (auto dealloc = dyn_cast<gpu::DeallocOp>(op))
      return afterwards(convertDealloc(dealloc));
    return WalkResult::advance();
  };
  bool isStopped = module.walk<WalkOrder::PreOrder>(convertOp).wasInterrupted();
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  return failure(isStopped);
}
