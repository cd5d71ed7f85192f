//===- GpuToSimulator.cpp - Kernels for the simulated GPU -----------------===//
//
// A kernel becomes a function of a thread (SimulatedThread of Simulator.h) and
// of a frame, which has the arguments of the launch.
//
//===----------------------------------------------------------------------===//

#include "CountKernel.h"
#include "HostSide.h"
#include "SimulatedThread.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Simulator/Simulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOGPUTOSIMULATOR
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
class Converter : public HostSide {
public:
  Converter(ModuleOp module, bool isCounted)
      : HostSide(module), isCounted(isCounted) {}

  LogicalResult convertKernel(gpu::GPUFuncOp kernel);
  LogicalResult convertLaunch(gpu::LaunchFuncOp launch);

private:
  Value onHost(ImplicitLocOpBuilder &b, Value argument, Value window);
  void takeArguments(ImplicitLocOpBuilder &b, Block &entry, unsigned count,
                     SimulatedThreadBuilder &thread, Value frame);
  void takeMemory(ImplicitLocOpBuilder &b, Block &entry, unsigned count,
                  SimulatedThreadBuilder &thread, const SharedLayout &layout);

  bool isCounted;     ///< Whether kernels count what they do.
  unsigned texts = 0; ///< The number of constant texts in the module.
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

/// Replaces the first arguments of a kernel by the fields of a frame.
void Converter::takeArguments(ImplicitLocOpBuilder &b, Block &entry,
                              unsigned count, SimulatedThreadBuilder &thread,
                              Value frame) {
  LLVM::LLVMStructType type =
      frameOf(TypeRange(entry.getArgumentTypes()).take_front(count));
  Value window = thread.load(b, kWindow);
  for (unsigned n = 0; n < count; ++n) {
    BlockArgument argument = entry.getArgument(n);
    Value field = LLVM::LoadOp::create(b, type.getBody()[n],
                                       fieldOf(b, type, frame, int32_t(n)));
    if (isa<MemRefType>(argument.getType()))
      field = onHost(b, field, window);
    argument.replaceAllUsesWith(castTo(b, argument.getType(), field));
  }
}

/// Replaces the arguments after these, which are memory of the block, and then
/// of the thread. The last two are the thread and the frame.
void Converter::takeMemory(ImplicitLocOpBuilder &b, Block &entry,
                           unsigned count, SimulatedThreadBuilder &thread,
                           const SharedLayout &layout) {
  auto arrays = entry.getArguments().drop_front(count).drop_back(2);
  for (BlockArgument array : arrays) {
    auto type = cast<MemRefType>(array.getType());
    unsigned n = array.getArgNumber() - count;
    if (n < layout.offsets.size()) {
      array.replaceAllUsesWith(thread.sharedArray(b, type, layout.offsets[n]));
      continue;
    }
    auto plain = MemRefType::get(type.getShape(), type.getElementType());
    Value own = memref::AllocaOp::create(b, plain);
    array.replaceAllUsesWith(
        memref::MemorySpaceCastOp::create(b, type, own).getResult());
  }
}

LogicalResult Converter::convertKernel(gpu::GPUFuncOp kernel) {
  if (kernel.isExternal())
    return kernel.emitOpError("has no body");
  FailureOr<SharedLayout> layout = layOutShared(kernel);
  if (failed(layout))
    return failure();
  Sites sites(kernel, texts);
  unsigned count = kernel.getFunctionType().getNumInputs();
  auto b = ImplicitLocOpBuilder::atBlockEnd(kernel.getLoc(), module.getBody());
  auto function = func::FuncOp::create(
      b,
      functionOf(kernel->getParentOfType<gpu::GPUModuleOp>().getName(),
                 kernel.getName()),
      b.getFunctionType({pointer, pointer}, TypeRange()));
  function.setPrivate();
  function.getBody().takeBody(kernel.getBody());
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  Block &entry = function.getBody().front();
  unsigned numArguments = entry.getNumArguments();
  Value thread = entry.addArgument(pointer, kernel.getLoc());
  Value frame = entry.addArgument(pointer, kernel.getLoc());
  if (isCounted && failed(countKernel(*this, function.getBody(), thread)))
    return failure();
  b.setInsertionPointToStart(&entry);
  SimulatedThreadBuilder builder(*this, sites, thread);
  takeArguments(b, entry, count, builder, frame);
  takeMemory(b, entry, count, builder, *layout);
  entry.eraseArguments(0, numArguments);
  for (Operation *op : ops) {
    bool ofGpu = isa<gpu::GPUDialect, NVVM::NVVMDialect>(op->getDialect());
    if (failed(ofGpu ? builder.convert(op) : builder.watchShared(op)))
      return failure();
  }
  dropMemorySpaces(function);
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// frame = [arguments]
/// nacho_launch(kernel, name, blocks, threads, shared, meets, frame)
LogicalResult Converter::convertLaunch(gpu::LaunchFuncOp launch) {
  auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(
      SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr()));
  if (!kernel)
    return launch.emitOpError("has no kernel that can be simulated");
  FailureOr<SharedLayout> shared = layOutShared(kernel);
  if (failed(shared))
    return failure();
  Value frame = storeFrame(launch);
  ImplicitLocOpBuilder b(launch.getLoc(), launch);
  auto number = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  Value function = func::ConstantOp::create(
      b, b.getFunctionType({pointer, pointer}, TypeRange()),
      functionOf(launch.getKernelModuleName(), launch.getKernelName()));
  callRuntime(
      b, kLaunchSymbol, LLVM::LLVMVoidType::get(module.getContext()),
      {castTo(b, pointer, function), textConstant(b, kernel.getName(), texts),
       toNumber(b, launch.getGridSizeX()), toNumber(b, launch.getBlockSizeX()),
       number(shared->bytes), number(meets(kernel)), frame});
  launch.erase();
  return success();
}

/// Reductions of a warp as shuffles. (Those of a block would become code in
/// which threads race to store the same value.)
static void expandReductions(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateGpuLowerSubgroupReduceToShufflePatterns(patterns, kLanes,
                                                  /*shuffleBitwidth=*/64);
  populateGpuGlobalIdPatterns(patterns);
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<gpu::SubgroupReduceOp, gpu::GlobalIdOp>(op))
      ops.push_back(op);
  });
  // Whatever has no pattern is refused when it is converted.
  (void)applyOpPatternsGreedily(ops, std::move(patterns));
}

namespace {
struct GpuToSimulator
    : nacho::impl::ConvertNachoGpuToSimulatorBase<GpuToSimulator> {
  using ConvertNachoGpuToSimulatorBase::ConvertNachoGpuToSimulatorBase;

  LogicalResult convert() {
    ModuleOp module = getOperation();
    expandReductions(module);
    Converter converter(module, count);
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
