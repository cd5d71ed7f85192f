//===- StaticKernel.cpp - A kernel in the program that calls it -----------===//

#include "StaticKernel.h"

#include "nacho/Backends/CpuDevice.h"
#include "nacho/Runtime/BufferPool.h"

using namespace nacho;

namespace {
/// The host, with arrays that whoever gets a result releases by free().
class ProgramMemory final : public Device {
public:
  void *allocate(size_t bytes) override { return pool.allocate(bytes); }
  void release(void *data, size_t bytes) noexcept override {
    pool.release(data, bytes);
  }
  void disown(void *data, size_t bytes) noexcept override {
    pool.disown(data, bytes);
  }

  void fill(void *data, int byte, size_t bytes) override {
    host.fill(data, byte, bytes);
  }
  void copyFromHost(void *to, const void *from, size_t bytes) override {
    host.copyFromHost(to, from, bytes);
  }
  void copyToHost(void *to, const void *from, size_t bytes) override {
    host.copyToHost(to, from, bytes);
  }
  bool isHost() const override { return true; }
  int64_t defaultThreads() const override { return host.defaultThreads(); }
  bool isCrowded() const override { return host.isCrowded(); }
  int64_t numSlots(int64_t threads) const override {
    return host.numSlots(threads);
  }
  size_t pooledBytes() const noexcept override { return pool.pooledNow(); }
  size_t maxPooledBytes() const noexcept override { return pool.limit; }

private:
  BufferPool pool{heapMemory};
  Device &host = cpuDevice();
};

/// The functions of one program.
class StaticExecutable final : public Executable {
public:
  StaticExecutable(Device &memory, const std::vector<StepNumbers> &steps,
                   const StaticFunction *functions)
      : memory(memory), steps(steps), functions(functions) {}

  Device &device() const override { return memory; }
  void call(size_t step, Phase phase, const int64_t *words) const override {
    functions[*steps[step][static_cast<size_t>(phase)]](words);
  }
  /// The program has no copy of its code as text.
  std::string llvm() const override { return ""; }
  std::string assembly() const override { return ""; }

private:
  Device &memory;
  std::vector<StepNumbers> steps;
  const StaticFunction *functions;
};
} // namespace

static Device &programMemory() {
  static auto *memory = new ProgramMemory;
  return *memory;
}

StaticKernel::StaticKernel(KernelImage image, const StaticFunction *functions)
    : Kernel(programMemory(), image.operands, Chooser(image.pins, image.facts)),
      image(std::move(image)), functions(functions) {}

std::optional<size_t> StaticKernel::programOf(const Variant &variant) const {
  for (auto [number, program] : image.variants)
    if (number == variant.number())
      return program;
  return std::nullopt;
}

std::shared_ptr<const Program> StaticKernel::compile(const Variant &variant,
                                                     Failure &error) const {
  // Branches make no difference but to the time that a union takes.
  Variant known = variant;
  known.branching = Branching::selects;
  std::optional<size_t> number = programOf(known);
  if (!number) {
    error.text = "the program does not have this variant of the kernel";
    return nullptr;
  }
  const ProgramImage &program = image.programs[*number];
  return std::make_shared<Program>(
      program.variant, program.steps,
      std::make_unique<StaticExecutable>(device, program.functions, functions));
}
