//===- CpuBackend.cpp - Kernels that the host runs itself -----------------===//

#include "HostCode.h"
#include "ObjectCache.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Backends/CpuDevice.h"
#include "nacho/Compiler/Pipelines.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Runtime/Runtime.h"
#include "nacho/Runtime/Sanitizer.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace nacho;

/// Leads to calls of the runtime, and to the dialect of LLVM.
static void addLlvm(OpPassManager &pm, const PipelineOptions &options) {
  addContractCheck(pm, cpuBackend());
  pm.addPass(createConvertNachoParallelToCPU());
  addLoweringToLlvm(pm, options);
}

namespace {
class CpuBackend final : public Backend {
public:
  llvm::StringRef name() const override { return "cpu"; }
  llvm::StringRef summary() const override {
    return "From tensor index notation to LLVM, with parallel loops";
  }

  Capabilities capabilities() const override {
    return {/*sorts=*/true, /*workspaces=*/true, /*tables=*/true};
  }

  std::vector<Stage> loweringStages() const override {
    return {scfStage(), {"llvm", addLlvm}};
  }

  unsigned vectorBits() const override {
    // The ThreadSanitizer does not see accesses to vectors.
    if (sanitizer() == "thread")
      return 0;
    static const unsigned bits = [] {
      llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
      // Even hosts with registers of 512 bits use 256: rows are short, and not
      // every CPU compares 512 bits at a time. Keys run through all rows.
      return features.lookup("avx2") ? 256u : 0u;
    }();
    return bits;
  }

  bool hasWideKeys() const override {
    static const bool isWide =
        llvm::sys::getHostCPUFeatures().lookup("avx512f");
    return isWide && vectorBits();
  }

  bool hasFastGathers() const override { return nacho::hasFastGathers(); }

  llvm::StringRef sanitizer() const override { return kSanitizer; }

  Device *device() const override { return &cpuDevice(); }

  std::string cacheRefusal() const override { return ObjectCache::refusal(); }
  std::string cacheDirectory() const override { return ObjectCache::place(); }

  FailureOr<std::unique_ptr<Executable>>
  compile(const CompileRequest &request) const override {
    auto code = compileForHost(request, cpuDevice(),
                               {runtimeFunction(kSortSymbol, sortEntries),
                                runtimeFunction(kPrefixSumSymbol, prefixSum)});
    if (failed(code))
      return failure();
    return std::unique_ptr<Executable>(std::move(*code));
  }
};
} // namespace

const Backend &nacho::cpuBackend() {
  static const CpuBackend backend;
  return backend;
}
