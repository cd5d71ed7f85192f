//===- GpuBackend.cpp - Kernels as launches of the gpu dialect ------------===//
//
// MLIR's own gpu-lower-to-nvvm-pipeline can lower the result of the last stage.
//
//===----------------------------------------------------------------------===//

#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/Pipelines.h"
#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace nacho;

/// Leads to gpu.launch and the operations inside of kernels.
static void addGpu(OpPassManager &pm, const PipelineOptions &options) {
  addContractCheck(pm, gpuBackend());
  pm.addNestedPass<func::FuncOp>(createConvertNachoParallelToGPU());
  addCanonicalizer(pm, options);
  pm.addPass(createCSEPass());
}

namespace {
class GpuBackend final : public Backend {
public:
  llvm::StringRef name() const override { return "gpu"; }
  llvm::StringRef summary() const override {
    return "From tensor index notation to gpu.launch";
  }
  Capabilities capabilities() const override { return {}; }
  std::vector<Stage> loweringStages() const override {
    return {scfStage(), {"gpu", addGpu}};
  }
};
} // namespace

const Backend &nacho::gpuBackend() {
  static const GpuBackend backend;
  return backend;
}
