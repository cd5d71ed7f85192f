//===- CudaSimBackend.cpp - A GPU that is simulated by the host -----------===//

#include "../Cpu/HostCode.h"
#include "../GpuStage.h"
#include "SimulatedDevice.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Conversion/Passes.h"

using namespace mlir;
using namespace nacho;

/// Leads to LLVM's dialect.
static void addLlvm(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createConvertNachoGpuToSimulator());
  addLoweringToLlvm(pm, options);
}

namespace {
class CudaSimBackend final : public Backend {
public:
  llvm::StringRef name() const override { return "cuda-sim"; }
  llvm::StringRef summary() const override {
    return "From tensor index notation to a simulated GPU";
  }

  Capabilities capabilities() const override { return gpuCapabilities(); }

  std::vector<Stage> loweringStages() const override {
    return {scfStage(), gpuStage(), {"llvm", addLlvm}};
  }

  llvm::StringRef sanitizer() const override {
    return cpuBackend().sanitizer();
  }

  Device *device() const override { return &simulatedDevice(); }

  std::string cacheRefusal() const override {
    return cpuBackend().cacheRefusal();
  }

  FailureOr<std::unique_ptr<Executable>>
  compile(const CompileRequest &request) const override {
    return compileForHost(request, simulatedDevice());
  }
};
} // namespace

const Backend &nacho::cudaSimBackend() {
  static const CudaSimBackend backend;
  return backend;
}
