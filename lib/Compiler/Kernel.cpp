//===- Kernel.cpp - Kernels compiled from the text of a module ------------===//

#include "nacho/Compiler/Kernel.h"

#include "Compilation.h"
#include "KernelFacts.h"
#include "ModuleReader.h"
#include "nacho/Runtime/Fork.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <map>
#include <mutex>

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Modules as text
//===----------------------------------------------------------------------===//

std::vector<std::string> nacho::stageNames(const Backend &backend) {
  std::vector<std::string> names;
  for (const Stage &stage : backend.stages())
    names.emplace_back(stage.name);
  return names;
}

std::shared_ptr<const AssignedModule>
nacho::readModule(const std::string &text, Failure &error, bool namesPlaces) {
  auto parsed = Compilation(error, namesPlaces).assign(text);
  return parsed ? std::make_shared<AssignedModule>(text, std::move(parsed))
                : nullptr;
}

static std::optional<std::string> lower(Compilation &compilation,
                                        const std::string &stage,
                                        const Backend &backend,
                                        const CompileOptions &options) {
  if (failed(compilation.runTo(stage, backend, options)))
    return std::nullopt;
  return compilation.print();
}

std::optional<std::string> nacho::lowerToStage(const AssignedModule &module,
                                               const std::string &stage,
                                               const Backend &backend,
                                               const CompileOptions &options,
                                               Failure &error) {
  Compilation compilation(module, error);
  return lower(compilation, stage, backend, options);
}

std::optional<std::string> nacho::lowerToStage(const std::string &text,
                                               const std::string &stage,
                                               const Backend &backend,
                                               const CompileOptions &options,
                                               Failure &error) {
  Compilation compilation(error);
  if (failed(compilation.parse(text)))
    return std::nullopt;
  return lower(compilation, stage, backend, options);
}

std::optional<std::string> nacho::lowerToObjects(const AssignedModule &module,
                                                 const Backend &backend,
                                                 const CompileOptions &options,
                                                 Failure &error) {
  Compilation compilation(module, error);
  const char *last = backend.stages().back().name;
  if (failed(compilation.runTo(last, backend, options)))
    return std::nullopt;
  std::string objects;
  compilation.module->walk([&](gpu::BinaryOp binary) {
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
      objects += object.getObject().getValue().rtrim('\0').str() + '\n';
  });
  return objects;
}

std::vector<std::string> nacho::remarksOn(const AssignedModule &module,
                                          const Backend &backend,
                                          const CompileOptions &options) {
  Failure error;
  Compilation compilation(module, error);
  if (failed(compilation.runTo("loops", backend, options)))
    return {};
  return std::move(compilation.remarks);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The programs that are in use. The key of a program is the text of the loops
/// that it was compiled from, with the options. So modules share programs if
/// they lead to the same loops, as when they only differ in hints of sizes.
namespace {
class SharedPrograms {
public:
  SharedPrograms() { holdAtFork(mutex); }

  std::shared_ptr<const Program> find(const std::string &key) {
    std::lock_guard<std::mutex> lock(mutex);
    return programs[key].lock();
  }
  void add(const std::string &key, const std::shared_ptr<const Program> &made) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto known = programs.begin(); known != programs.end();)
      known = known->second.expired() ? programs.erase(known) : ++known;
    programs[key] = made;
  }

private:
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const Program>> programs;
};

/// A kernel that keeps its module.
class CompiledKernel final : public Kernel {
public:
  CompiledKernel(std::shared_ptr<const AssignedModule> module,
                 const Backend &backend, CompileOptions options,
                 std::vector<TensorLayout> operands, const Chooser &chooser)
      : Kernel(*backend.device(), std::move(operands), chooser),
        module(std::move(module)), backend(backend),
        options(std::move(options)) {}

protected:
  std::shared_ptr<const Program> compile(const Variant &variant,
                                         Failure &error) const override;

private:
  std::shared_ptr<const AssignedModule> module;
  const Backend &backend;
  CompileOptions options;
};
} // namespace

static SharedPrograms &sharedPrograms() {
  static auto *instance = new SharedPrograms;
  return *instance;
}

/// Compiles a module that has been lowered to loops, which `key` stands for.
static std::unique_ptr<const Program>
compileLoops(Compilation &compilation, const Backend &backend,
             const CompileOptions &options, std::string key) {
  std::vector<std::string> names;
  std::vector<Step> steps;
  if (failed(lowerToSteps(compilation, backend, options, steps, names)))
    return nullptr;
  auto lower = [&]() -> FailureOr<ModuleOp> {
    const char *last = backend.stages().back().name;
    if (failed(compilation.runTo(last, backend, options)))
      return failure();
    return *compilation.module;
  };
  FailureOr<std::unique_ptr<Executable>> compiled = backend.compile(
      {std::move(key), exportedBy(*compilation.module, names),
       options.sanitizer, lower, UnknownLoc::get(&compilation.context)});
  if (failed(compiled))
    return nullptr;
  return std::make_unique<Program>(options.variant, std::move(steps),
                                   std::move(*compiled));
}

std::shared_ptr<const Program> CompiledKernel::compile(const Variant &variant,
                                                       Failure &error) const {
  CompileOptions asked = options;
  asked.variant = variant;
  Compilation compilation(*module, error);
  // Most kernels need no other program.
  module->drop();
  if (failed(compilation.runTo("loops", backend, asked)))
    return nullptr;
  std::string key = backend.name().str() + asked.key() + compilation.print();
  if (auto known = sharedPrograms().find(key))
    return known;
  std::shared_ptr<const Program> made =
      compileLoops(compilation, backend, asked, key);
  if (made)
    sharedPrograms().add(key, made);
  return made;
}

CompileOptions nacho::defaultOptions(const Backend &backend) {
  CompileOptions options;
  options.vectorBits = backend.vectorBits();
  options.wideKeys = backend.hasWideKeys();
  options.gathers = backend.hasFastGathers();
  options.sanitizer = backend.sanitizer().str();
  if (backend.refusal().empty())
    options.chip = backend.chip();
  return options;
}

std::shared_ptr<const Kernel>
nacho::makeKernel(std::shared_ptr<const AssignedModule> module,
                  const Backend &backend, const CompileOptions &options,
                  const Pins &pins, Failure &error) {
  if (!backend.device()) {
    error.text = ("target '" + backend.name() +
                  "' only lowers: there is no runtime for it")
                     .str();
    return nullptr;
  }
  std::vector<TensorLayout> operands;
  Compilation compilation(*module, error);
  FailureOr<func::FuncOp> func = compilation.onlyFunction();
  if (failed(func) || failed(readOperands(*func, operands)))
    return nullptr;
  Chooser chooser(pins, readFacts(compilation, backend, options, operands));
  return std::make_shared<CompiledKernel>(std::move(module), backend, options,
                                          std::move(operands), chooser);
}
