//===- GpuToSimulator.cpp - Kernels that the host runs like a GPU ---------===//
//
// A kernel becomes a function of a thread (SimulatedThread of Simulator.h) and
// of a frame, which has the arguments of the launch.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOGPUTOSIMULATOR
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
class Converter {
public:
  explicit Converter(ModuleOp module)
      : module(module), types(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  LogicalResult convertKernel(gpu::GPUFuncOp kernel);
  LogicalResult convertLaunch(gpu::LaunchFuncOp launch);
  LogicalResult convertAlloc(gpu::AllocOp op);
  LogicalResult convertDealloc(gpu::DeallocOp op);

private:
  LLVM::LLVMStructType frameOf(TypeRange arguments);
  Value fieldOf(ImplicitLocOpBuilder &b, LLVM::LLVMStructType frame, Value at,
                int32_t field);
  Value onHost(ImplicitLocOpBuilder &b, Value argument, Value window);
  LogicalResult convertId(Operation *op, Value thread);

  ModuleOp module;
  LLVMTypeConverter types;
  LLVM::LLVMPointerType pointer;
};
} // namespace

/// Kernels have names that are unique in their modules only.
static std::string functionOf(StringRef module, StringRef kernel) {
  return ("simulated_" + module + "_" + kernel).str();
}

static Value cast(ImplicitLocOpBuilder &b, Type to, Value value) {
  return UnrealizedConversionCastOp::create(b, to, value).getResult(0);
}

/// The type of a frame: the arguments, as types of LLVM.
LLVM::LLVMStructType Converter::frameOf(TypeRange arguments) {
  SmallVector<Type> fields;
  for (Type argument : arguments)
    fields.push_back(types.convertType(argument));
  return LLVM::LLVMStructType::getLiteral(module.getContext(), fields);
}

Value Converter::fieldOf(ImplicitLocOpBuilder &b, LLVM::LLVMStructType frame,
                         Value at, int32_t field) {
  return LLVM::GEPOp::create(b, pointer, frame, at,
                             ArrayRef<LLVM::GEPArg>{0, field});
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A buffer of the device where kernels access it: `window` bytes before the
/// address that the host knows.
Value Converter::onHost(ImplicitLocOpBuilder &b, Value argument, Value window) {
  for (int64_t field : {0, 1}) {
    Value known = LLVM::ExtractValueOp::create(b, argument, field);
    Value moved = LLVM::GEPOp::create(b, pointer, b.getI8Type(), known, window);
    argument = LLVM::InsertValueOp::create(b, argument, moved, field);
  }
  return argument;
}

/// Replaces the numbers of the thread and of its block, and how many there are.
LogicalResult Converter::convertId(Operation *op, Value thread) {
  auto replace = [&](gpu::Dimension dimension, int32_t field) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value number =
        dimension == gpu::Dimension::x
            ? Value(LLVM::LoadOp::create(
                  b, b.getI64Type(),
                  LLVM::GEPOp::create(b, pointer, b.getI64Type(), thread,
                                      ArrayRef<LLVM::GEPArg>{field})))
            : arith::ConstantIntOp::create(b, field < 2 ? 0 : 1, 64);
    op->replaceAllUsesWith(
        arith::IndexCastOp::create(b, b.getIndexType(), number));
    op->erase();
    return success();
  };
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return replace(id.getDimension(), 0);
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return replace(id.getDimension(), 1);
  if (auto dim = dyn_cast<gpu::GridDimOp>(op))
    return replace(dim.getDimension(), 2);
  if (auto dim = dyn_cast<gpu::BlockDimOp>(op))
    return replace(dim.getDimension(), 3);
  return op->emitOpError("is not simulated");
}

LogicalResult Converter::convertKernel(gpu::GPUFuncOp kernel) {
  if (kernel.getNumWorkgroupAttributions() ||
      kernel.getNumPrivateAttributions() || kernel.isExternal())
    return kernel.emitOpError("has memory that is not simulated, or no body");
  auto b = ImplicitLocOpBuilder::atBlockEnd(kernel.getLoc(), module.getBody());
  auto function = func::FuncOp::create(
      b,
      functionOf(kernel->getParentOfType<gpu::GPUModuleOp>().getName(),
                 kernel.getName()),
      b.getFunctionType({pointer, pointer}, TypeRange()));
  function.setPrivate();
  function.getBody().takeBody(kernel.getBody());
  Block &entry = function.getBody().front();
  LLVM::LLVMStructType frame = frameOf(entry.getArgumentTypes());
  unsigned count = entry.getNumArguments();
  Value thread = entry.insertArgument(0u, pointer, kernel.getLoc());
  Value at = entry.insertArgument(1u, pointer, kernel.getLoc());
  b.setInsertionPointToStart(&entry);
  Value window = LLVM::LoadOp::create(
      b, b.getI64Type(),
      LLVM::GEPOp::create(b, pointer, b.getI64Type(), thread,
                          ArrayRef<LLVM::GEPArg>{4}));
  for (unsigned n = 0; n < count; ++n) {
    BlockArgument argument = entry.getArgument(n + 2);
    Value field =
        LLVM::LoadOp::create(b, frame.getBody()[n], fieldOf(b, frame, at, n));
    if (isa<MemRefType>(argument.getType()))
      field = onHost(b, field, window);
    argument.replaceAllUsesWith(cast(b, argument.getType(), field));
  }
  entry.eraseArguments(2, count);
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<gpu::GPUDialect>(op->getDialect()))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (isa<gpu::ReturnOp>(op)) {
      OpBuilder builder(op);
      func::ReturnOp::create(builder, op->getLoc());
      op->erase();
    } else if (failed(convertId(op, thread))) {
      return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Calls a function of the runtime.
static Value callRuntime(ImplicitLocOpBuilder &b, ModuleOp module,
                         StringRef name, Type result, ValueRange arguments) {
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

/// frame = [arguments]
/// nacho_launch(kernel, blocks, threads, frame)
LogicalResult Converter::convertLaunch(gpu::LaunchFuncOp launch) {
  if (launch->getNumResults() || !launch.getAsyncDependencies().empty() ||
      launch.getDynamicSharedMemorySize() || launch.hasClusterSize())
    return launch.emitOpError("has operands that are not simulated");
  ImplicitLocOpBuilder b(launch.getLoc(), launch);
  LLVM::LLVMStructType frame = frameOf(launch.getKernelOperands().getTypes());
  // Launches in loops use the same frame again.
  auto host = launch->getParentOfType<func::FuncOp>();
  b.setInsertionPointToStart(&host.getBody().front());
  Value one = arith::ConstantIntOp::create(b, 1, 64);
  Value at = LLVM::AllocaOp::create(b, pointer, frame, one);
  b.setInsertionPoint(launch);
  for (auto [n, argument] : llvm::enumerate(launch.getKernelOperands()))
    LLVM::StoreOp::create(b, cast(b, frame.getBody()[n], argument),
                          fieldOf(b, frame, at, n));
  Value kernel = func::ConstantOp::create(
      b, b.getFunctionType({pointer, pointer}, TypeRange()),
      functionOf(launch.getKernelModuleName(), launch.getKernelName()));
  auto number = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), value);
  };
  callRuntime(b, module, kLaunchSymbol,
              LLVM::LLVMVoidType::get(module.getContext()),
              {cast(b, pointer, kernel), number(launch.getGridSizeX()),
               number(launch.getBlockSizeX()), at});
  launch.erase();
  return success();
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

/// nacho_take_scratch(bytes) is null if there is no memory.
LogicalResult Converter::convertAlloc(gpu::AllocOp op) {
  if (op.getAsyncToken() || !isBytes(op.getMemref()))
    return op.emitOpError("is simulated for a number of bytes only");
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value bytes = arith::IndexCastOp::create(b, b.getI64Type(),
                                           op.getDynamicSizes().front());
  Value data = callRuntime(b, module, kTakeScratchSymbol, pointer, bytes);
  auto memory = MemRefDescriptor::poison(
      b, b.getLoc(), types.convertType(op.getMemref().getType()));
  memory.setAllocatedPtr(b, b.getLoc(), data);
  memory.setAlignedPtr(b, b.getLoc(), data);
  memory.setConstantOffset(b, b.getLoc(), 0);
  memory.setSize(b, b.getLoc(), 0, bytes);
  memory.setConstantStride(b, b.getLoc(), 0, 1);
  op.getMemref().replaceAllUsesWith(cast(b, op.getMemref().getType(), memory));
  op.erase();
  return success();
}

/// nacho_return_scratch(data, bytes)
LogicalResult Converter::convertDealloc(gpu::DeallocOp op) {
  if (op.getAsyncToken() || !isBytes(op.getMemref()))
    return op.emitOpError("is simulated for a number of bytes only");
  ImplicitLocOpBuilder b(op.getLoc(), op);
  MemRefDescriptor memory(
      cast(b, types.convertType(op.getMemref().getType()), op.getMemref()));
  callRuntime(
      b, module, kReturnScratchSymbol,
      LLVM::LLVMVoidType::get(module.getContext()),
      {memory.allocatedPtr(b, b.getLoc()), memory.size(b, b.getLoc(), 0)});
  op.erase();
  return success();
}

namespace {
struct GpuToSimulator
    : nacho::impl::ConvertNachoGpuToSimulatorBase<GpuToSimulator> {
  LogicalResult convert() {
    ModuleOp module = getOperation();
    Converter converter(module);
    SmallVector<gpu::GPUModuleOp> kernels(module.getOps<gpu::GPUModuleOp>());
    // What is converted is gone, and has no operations inside to look at.
    auto afterwards = [](LogicalResult result) {
      return failed(result) ? WalkResult::interrupt() : WalkResult::skip();
    };
    auto convertHost = [&](Operation *op) -> WalkResult {
      if (isa<gpu::GPUModuleOp>(op))
        return WalkResult::skip();
      if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
        return afterwards(converter.convertLaunch(launch));
      if (auto alloc = dyn_cast<gpu::AllocOp>(op))
        return afterwards(converter.convertAlloc(alloc));
      if (auto dealloc = dyn_cast<gpu::DeallocOp>(op))
        return afterwards(converter.convertDealloc(dealloc));
      return WalkResult::advance();
    };
    if (module.walk<WalkOrder::PreOrder>(convertHost).wasInterrupted())
      return failure();
    for (gpu::GPUModuleOp each : kernels) {
      SmallVector<gpu::GPUFuncOp> functions(each.getOps<gpu::GPUFuncOp>());
      for (gpu::GPUFuncOp function : functions)
        if (failed(converter.convertKernel(function)))
          return failure();
      each.erase();
    }
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
    return success();
  }

  void runOnOperation() override {
    if (failed(convert()))
      signalPassFailure();
  }
};
} // namespace
