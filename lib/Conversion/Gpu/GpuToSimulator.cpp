//===- GpuToSimulator.cpp - Kernels that the host runs like a GPU ---------===//
//
// A kernel becomes a function of a thread (SimulatedThread of Simulator.h) and
// of a frame, which has the arguments of the launch.
//
//===----------------------------------------------------------------------===//

#include "HostSide.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOGPUTOSIMULATOR
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
class Converter : public HostSide {
public:
  using HostSide::HostSide;

  LogicalResult convertKernel(gpu::GPUFuncOp kernel);
  LogicalResult convertLaunch(gpu::LaunchFuncOp launch);

private:
  Value onHost(ImplicitLocOpBuilder &b, Value argument, Value window);
  LogicalResult convertId(Operation *op, Value thread);
};
} // namespace

/// Kernels have names that are unique in their modules only.
static std::string functionOf(StringRef module, StringRef kernel) {
  return ("simulated_" + module + "_" + kernel).str();
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
    Value field = LLVM::LoadOp::create(b, frame.getBody()[n],
                                       fieldOf(b, frame, at, int32_t(n)));
    if (isa<MemRefType>(argument.getType()))
      field = onHost(b, field, window);
    argument.replaceAllUsesWith(castTo(b, argument.getType(), field));
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

/// frame = [arguments]
/// nacho_launch(kernel, blocks, threads, frame)
LogicalResult Converter::convertLaunch(gpu::LaunchFuncOp launch) {
  Value frame = storeFrame(launch);
  ImplicitLocOpBuilder b(launch.getLoc(), launch);
  Value kernel = func::ConstantOp::create(
      b, b.getFunctionType({pointer, pointer}, TypeRange()),
      functionOf(launch.getKernelModuleName(), launch.getKernelName()));
  callRuntime(b, kLaunchSymbol, LLVM::LLVMVoidType::get(module.getContext()),
              {castTo(b, pointer, kernel), toNumber(b, launch.getGridSizeX()),
               toNumber(b, launch.getBlockSizeX()), frame});
  launch.erase();
  return success();
}

namespace {
struct GpuToSimulator
    : nacho::impl::ConvertNachoGpuToSimulatorBase<GpuToSimulator> {
  LogicalResult convert() {
    ModuleOp module = getOperation();
    Converter converter(module);
    SmallVector<gpu::GPUModuleOp> kernels(module.getOps<gpu::GPUModuleOp>());
    if (failed(converter.convert([&](gpu::LaunchFuncOp launch) {
          return converter.convertLaunch(launch);
        })))
      return failure();
    for (gpu::GPUModuleOp each : kernels) {
      SmallVector<gpu::GPUFuncOp> functions(each.getOps<gpu::GPUFuncOp>());
      for (gpu::GPUFuncOp function : functions)
        if (failed(converter.convertKernel(function)))
          return failure();
      each.erase();
    }
    return success();
  }

  void runOnOperation() override {
    if (failed(convert()))
      signalPassFailure();
  }
};
} // namespace
