//===- CudaBackend.cpp - Kernels that an NVIDIA GPU runs ------------------===//

#include "../Cpu/HostCode.h"
#include "../GpuStage.h"
#include "CudaDevice.h"
#include "CudaModule.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Abi.h"

using namespace mlir;
using namespace nacho;

/// Leads to LLVM's dialect, for the host.
static void addLlvm(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createConvertNachoGpuToDriver());
  addLoweringToLlvm(pm, options);
}

namespace {
/// Functions of the host that launch kernels.
class CudaExecutable final : public Executable {
public:
  explicit CudaExecutable(std::unique_ptr<HostExecutable> code)
      : code(std::move(code)) {}

  Device &device() const override { return code->device(); }
  void call(size_t step, Phase phase, const int64_t *words) const override {
    kernels.call(code->entry(step, phase), words);
  }
  bool has(size_t step, Phase phase) const override {
    return code->has(step, phase);
  }
  std::string llvm() const override { return code->llvm(); }
  std::string assembly() const override { return code->assembly(); }

private:
  std::unique_ptr<HostExecutable> code;
  mutable CudaModule kernels;
};

class CudaBackend final : public Backend {
public:
  llvm::StringRef name() const override { return "cuda"; }
  llvm::StringRef summary() const override {
    return "From tensor index notation to a program that launches PTX";
  }

  Capabilities capabilities() const override { return gpuCapabilities(); }

  std::vector<Stage> loweringStages() const override {
    return {tileStage(), scfStage(), gpuStage(), ptxStage(), {"llvm", addLlvm}};
  }

  Device *device() const override { return &cudaDevice(); }

  std::string refusal() const override {
    try {
      cuda::driver();
      return "";
    } catch (const DeviceError &error) {
      return error.what();
    }
  }

  std::string chip() const override { return cuda::driver().chip; }

  std::string cacheRefusal() const override {
    return cpuBackend().cacheRefusal();
  }

  FailureOr<std::unique_ptr<Executable>>
  compile(const CompileRequest &request) const override {
    auto code = compileForHost(
        request, cudaDevice(),
        {runtimeFunction(kLaunchPtxSymbol, launchKernel),
         runtimeFunction(kTakeScratchSymbol, takeCudaScratch),
         runtimeFunction(kReturnScratchSymbol, returnCudaScratch),
         runtimeFunction(kTakeZerosSymbol, takeZeros),
         runtimeFunction(kReturnZerosSymbol, returnCudaZeros)});
    if (failed(code))
      return failure();
    return std::unique_ptr<Executable>(
        std::make_unique<CudaExecutable>(std::move(*code)));
  }
};
} // namespace

const Backend &nacho::cudaBackend() {
  static const CudaBackend backend;
  return backend;
}
