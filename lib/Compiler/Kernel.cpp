//===- Kernel.cpp - From the text of a module to a kernel -----------------===//

#include "nacho/Compiler/Kernel.h"

#include "Compilation.h"
#include "ModuleReader.h"
#include "nacho/IR/Names.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Modules as text
//===----------------------------------------------------------------------===//

std::vector<std::string> nacho::stageNames(const Backend &backend) {
  std::vector<std::string> names;
  for (const Stage &stage : backend.stages())
    names.push_back(stage.name);
  return names;
}

std::optional<Signature> nacho::readSignature(const std::string &text,
                                              std::string &error) {
  Compilation compilation(error);
  if (failed(compilation.parse(text)))
    return std::nullopt;
  FailureOr<func::FuncOp> func = compilation.onlyFunction();
  if (failed(func))
    return std::nullopt;
  if (func->getNumResults() != 1) {
    error = "a kernel has one result";
    return std::nullopt;
  }
  auto print = [](Type type) {
    std::string printed;
    llvm::raw_string_ostream(printed) << type;
    return printed;
  };
  Signature signature;
  signature.name = func->getName().str();
  for (BlockArgument arg : func->getArguments()) {
    signature.arguments.push_back(getName(arg));
    signature.types.push_back(print(arg.getType()));
  }
  signature.result = print(func->getResultTypes().front());
  return signature;
}

std::string nacho::lowerToStage(const std::string &text,
                                const std::string &stage,
                                const Backend &backend,
                                const CompileOptions &options,
                                std::string &error) {
  Compilation compilation(error);
  if (failed(compilation.parse(text)) ||
      failed(compilation.runTo(stage, backend, options)))
    return {};
  return compilation.print();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// A kernel that keeps its source and options, to compile variants from them.
class CompiledKernel final : public Kernel {
public:
  CompiledKernel(std::string text, const Backend &backend,
                 CompileOptions options)
      : text(std::move(text)), backend(backend), options(std::move(options)) {}

  LogicalResult build(Compilation &compilation);

protected:
  std::shared_ptr<const Kernel> compile(Variant variant,
                                        std::string &error) const override {
    CompileOptions other = options;
    if (variant == Variant::counting)
      other.singlePass = false;
    else
      other.branches = true;
    return compileKernel(text, backend, other, error);
  }

private:
  LogicalResult readModule(Compilation &compilation,
                           std::vector<std::string> &names);

  std::string text;
  const Backend &backend;
  CompileOptions options;
};
} // namespace

/// The key of a kernel for caches: all that its code depends on.
static std::vector<std::string> keyOf(const std::string &text,
                                      const CompileOptions &options) {
  return {text,
          options.cost,
          std::to_string(options.remap),
          std::to_string(options.splitRows),
          std::to_string(options.singlePass),
          std::to_string(options.branches),
          std::to_string(options.flatten)};
}

/// The functions that the steps of a module export, by the names of the steps.
static std::vector<StepFunctions> exportedBy(ModuleOp module,
                                             ArrayRef<std::string> names) {
  std::vector<StepFunctions> exported;
  for (const std::string &name : names) {
    StepFunctions &functions = exported.emplace_back();
    for (size_t phase = 0; phase < kNumPhases; ++phase) {
      std::string function = exportName(name, static_cast<Phase>(phase));
      if (module.lookupSymbol(function))
        functions[phase] = function;
    }
  }
  return exported;
}

/// Reads the operands of the module, and the steps that it is lowered to.
LogicalResult CompiledKernel::readModule(Compilation &compilation,
                                         std::vector<std::string> &names) {
  FailureOr<func::FuncOp> func = compilation.onlyFunction();
  if (failed(func) || failed(readOperands(*func, operands)) ||
      failed(compilation.runTo("assemble", backend, options)))
    return failure();
  return readSteps(*compilation.module, steps, names);
}

LogicalResult CompiledKernel::build(Compilation &compilation) {
  std::vector<std::string> names;
  if (failed(compilation.parse(text)) || failed(readModule(compilation, names)))
    return failure();
  auto lower = [&]() -> FailureOr<ModuleOp> {
    const char *last = backend.stages().back().name;
    if (failed(compilation.runTo(last, backend, options)))
      return failure();
    return *compilation.module;
  };
  FailureOr<std::unique_ptr<Executable>> compiled = backend.compile(
      {keyOf(text, options), exportedBy(*compilation.module, names), lower,
       UnknownLoc::get(&compilation.context)});
  if (failed(compiled))
    return failure();
  executable = std::move(*compiled);
  for (auto [number, step] : llvm::enumerate(steps))
    step.bind(*executable, number);
  return success();
}

std::shared_ptr<const Kernel>
nacho::compileKernel(const std::string &text, const Backend &backend,
                     const CompileOptions &options, std::string &error) {
  Compilation compilation(error);
  auto kernel = std::make_shared<CompiledKernel>(text, backend, options);
  if (failed(kernel->build(compilation)))
    return nullptr;
  return kernel;
}
