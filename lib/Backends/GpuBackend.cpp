//===- GpuBackend.cpp - Kernels of the gpu dialect ------------------------===//
//
//===----------------------------------------------------------------------===//

#include "GpuStage.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace nacho;

/// The registers of a thread with which a processor runs half of the threads
/// that it can hold.
static constexpr int32_t kRegisters = 64;
/// Those of kernels whose indices take two each.
static constexpr int32_t kRegistersOfWide = 128;

/// Leads to kernels, and functions of the host that launch them.
static void addGpu(OpPassManager &pm, const PipelineOptions &options) {
  addContractCheck(pm, gpuBackend());
  NachoExpandSortOptions sort;
  sort.lanes = options.gpu->lanes;
  pm.addNestedPass<func::FuncOp>(createNachoExpandSort(sort));
  ConvertNachoParallelToGPUOptions launches;
  launches.lanes = options.gpu->lanes;
  launches.slots = options.gpu->slots;
  launches.sharedBytes = options.gpu->sharedBytes;
  pm.addNestedPass<func::FuncOp>(createConvertNachoParallelToGPU(launches));
  pm.addNestedPass<func::FuncOp>(createNachoAccessOnDevice());
  addCanonicalizer(pm, options);
  pm.addPass(createCSEPass());
  if (options.tile > 0) {
    pm.addNestedPass<func::FuncOp>(createNachoFuseRows());
    addCanonicalizer(pm, options);
    pm.addPass(createCSEPass());
  }
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addNestedPass<func::FuncOp>(createGpuLaunchSinkIndexComputationsPass());
  pm.addPass(createGpuKernelOutliningPass());
  bool isNarrow = options.indices == Indices::narrow;
  NachoMergeKernelsOptions kernels;
  kernels.registers = isNarrow ? kRegisters : kRegistersOfWide;
  pm.addPass(createNachoMergeKernels(kernels));
  if (isNarrow) {
    pm.addPass(createNachoNarrowIndices());
    addCanonicalizer(pm, options);
    pm.addPass(createCSEPass());
  }
}

Stage nacho::gpuStage() { return {"gpu", addGpu}; }

Capabilities nacho::gpuCapabilities() {
  Capabilities capabilities;
  capabilities.sorts = true;
  capabilities.workspaces = true;
  capabilities.tables = true;
  capabilities.gpu = &kNvidiaGpu;
  return capabilities;
}

namespace {
class GpuBackend final : public Backend {
public:
  llvm::StringRef name() const override { return "gpu"; }
  llvm::StringRef summary() const override {
    return "From tensor index notation to gpu.launch_func and PTX";
  }
  Capabilities capabilities() const override { return gpuCapabilities(); }
  std::vector<Stage> loweringStages() const override {
    return {tileStage(), scfStage(), gpuStage(), ptxStage()};
  }
};
} // namespace

const Backend &nacho::gpuBackend() {
  static const GpuBackend backend;
  return backend;
}
