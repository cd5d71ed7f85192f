//===- HostCode.h - Modules of LLVM's dialect that the host runs ----------===//

#ifndef NACHO_LIB_HOSTCODE_H
#define NACHO_LIB_HOSTCODE_H

#include "Jit.h"
#include "nacho/Compiler/Backend.h"

namespace nacho {

/// Compiled code in this process, and the addresses of the exported functions.
class HostExecutable final : public Executable {
public:
  explicit HostExecutable(Device &memory) : memory(memory) {}
  static llvm::Expected<std::unique_ptr<HostExecutable>>
  load(CompiledCode code, llvm::ArrayRef<StepFunctions> steps, Device &memory,
       llvm::ArrayRef<RuntimeFunction> functions);

  Device &device() const override { return memory; }
  JitModule::Entry entry(size_t step, Phase phase) const {
    return steps[step][static_cast<size_t>(phase)];
  }
  void call(size_t step, Phase phase, const int64_t *words) const override {
    entry(step, phase)(words);
  }
  bool has(size_t step, Phase phase) const override {
    return entry(step, phase) != nullptr;
  }
  std::string llvm() const override { return jit->llvm(); }
  std::string assembly() const override { return jit->assembly(); }

private:
  using Entries = std::array<JitModule::Entry, kNumPhases>;
  Device &memory;
  std::unique_ptr<JitModule> jit;
  std::vector<Entries> steps;
};

/// Leads from scf, and what the host calls, to LLVM's dialect.
void addLoweringToLlvm(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Compiles a module whose functions the host calls, with arrays that lie in
/// the memory of `device`, and which call the given functions of the runtime.
/// Takes the code from disk if it is there.
mlir::FailureOr<std::unique_ptr<HostExecutable>>
compileForHost(const CompileRequest &request, Device &device,
               llvm::ArrayRef<RuntimeFunction> functions);

} // namespace nacho

#endif // NACHO_LIB_HOSTCODE_H
