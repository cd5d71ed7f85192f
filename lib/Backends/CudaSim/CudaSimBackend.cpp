//===- CudaSimBackend.cpp - A GPU that is simulated by the host -----------===//

#include "../Cpu/HostCode.h"
#include "../GpuStage.h"
#include "SimulatedDevice.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Simulator/KernelCounts.h"
#include "nacho/Simulator/Simulator.h"

using namespace mlir;
using namespace nacho;

/// Leads to LLVM's dialect.
static void addLlvm(OpPassManager &pm, const PipelineOptions &options) {
  ConvertNachoGpuToSimulatorOptions simulator;
  simulator.count = options.countAccesses;
  pm.addPass(createConvertNachoGpuToSimulator(simulator));
  addLoweringToLlvm(pm, options);
}

namespace {
/// Functions of the host that launch simulated kernels.
class SimulatedExecutable final : public Executable {
public:
  explicit SimulatedExecutable(std::unique_ptr<HostExecutable> code)
      : code(std::move(code)) {}

  Device &device() const override { return code->device(); }
  void call(size_t step, Phase phase, const int64_t *words) const override {
    callSimulated(code->entry(step, phase), words);
  }
  bool has(size_t step, Phase phase) const override {
    return code->has(step, phase);
  }
  std::string llvm() const override { return code->llvm(); }
  std::string assembly() const override { return code->assembly(); }

private:
  std::unique_ptr<HostExecutable> code;
};

class CudaSimBackend final : public Backend {
public:
  llvm::StringRef name() const override { return "cuda-sim"; }
  llvm::StringRef summary() const override {
    return "From tensor index notation to a simulated GPU";
  }

  Capabilities capabilities() const override { return gpuCapabilities(); }

  std::vector<Stage> loweringStages() const override {
    return {tileStage(), scfStage(), gpuStage(), {"llvm", addLlvm}};
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
    auto code = compileForHost(
        request, simulatedDevice(),
        {runtimeFunction(kLaunchSymbol, simulateLaunch),
         runtimeFunction(kAccessSharedSymbol, accessShared),
         runtimeFunction(kMeetBlockSymbol, meetBlock),
         runtimeFunction(kMeetWarpSymbol, meetWarp),
         runtimeFunction(kShuffleSymbol, shuffleInWarp),
         runtimeFunction(kIsShuffledSymbol, isShuffled),
         runtimeFunction(kAskLaneSymbol, askLane),
         runtimeFunction(kVoteSymbol, voteInWarp),
         runtimeFunction(kCountBlockSymbol, countBlock),
         runtimeFunction(kCountAccessSymbol, countAccess),
         runtimeFunction(kBeginLoopSymbol, beginLoop),
         runtimeFunction(kNextStepSymbol, nextStep),
         runtimeFunction(kEndLoopSymbol, endLoop),
         runtimeFunction(kTakeScratchSymbol, takeSimulatedScratch),
         runtimeFunction(kReturnScratchSymbol, returnSimulatedScratch),
         runtimeFunction(kTakeZerosSymbol, takeSimulatedZeros),
         runtimeFunction(kReturnZerosSymbol, returnSimulatedZeros)});
    if (failed(code))
      return failure();
    return std::unique_ptr<Executable>(
        std::make_unique<SimulatedExecutable>(std::move(*code)));
  }
};
} // namespace

const Backend &nacho::cudaSimBackend() {
  static const CudaSimBackend backend;
  return backend;
}
