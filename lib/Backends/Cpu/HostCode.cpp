//===- HostCode.cpp - Modules of LLVM's dialect that the host runs --------===//

#include "HostCode.h"

#include "ObjectCache.h"
#include "nacho/Compiler/PackedEntry.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Sanitizer.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

using namespace mlir;
using namespace nacho;

void nacho::addLoweringToLlvm(OpPassManager &pm,
                              const PipelineOptions &options) {
  if (options.countSteps)
    pm.addPass(createNachoCountSteps());
  if (options.inProgram)
    pm.addPass(createNachoMaskSelects());
  pm.addPass(createNachoHintLoops());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createNachoLeaveLoops());
  pm.addPass(createConvertNachoFunctionsToLibm());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createConvertNachoParallelCallsToLLVM());
  // One conversion takes less time than one for each dialect.
  ConvertToLLVMPassOptions rest;
  rest.filterDialects = {"arith", "cf", "func", "memref"};
  pm.addPass(createConvertToLLVMPass(rest));
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (options.inProgram)
    pm.addPass(createNachoCallOwnFunctions());
  // What the conversion leaves to fold, LLVM folds in less time.
  pm.addPass(createNachoLoadOnce());
}

/// The entries of a module. Those of each step are several units, since workers
/// of some visit no entries: those that cut, those that plan drafts, and those
/// that add up the sums of parts.
static std::vector<CodeUnit> entriesOf(ArrayRef<StepFunctions> steps) {
  std::vector<CodeUnit> units;
  for (const StepFunctions &functions : steps) {
    auto nameOf = [&](Phase phase) -> const std::string & {
      return functions[static_cast<size_t>(phase)];
    };
    auto addUnit = [&](ArrayRef<Phase> phases, Runs runs) {
      CodeUnit &unit = units.emplace_back();
      unit.runs = runs;
      for (Phase phase : phases)
        if (!nameOf(phase).empty())
          unit.functions.push_back(packedName(nameOf(phase)));
    };
    bool isDrafted = !nameOf(Phase::compact).empty();
    addUnit({Phase::partition}, Runs::perCall);
    addUnit({Phase::plan, Phase::assemble, Phase::scan},
            isDrafted ? Runs::perCall : Runs::perEntry);
    addUnit({Phase::combine}, Runs::perPart);
    addUnit({Phase::execute, Phase::run, Phase::fill, Phase::clear,
             Phase::compute, Phase::compact},
            Runs::perEntry);
  }
  return units;
}

/// The code of a module: from disk if it is there, else lowered and compiled.
static FailureOr<CompiledCode> generate(const CompileRequest &request) {
  ObjectCache cache(request.key);
  if (std::optional<CompiledCode> known = cache.load())
    return std::move(*known);
  FailureOr<ModuleOp> module = request.lower();
  if (failed(module))
    return failure();
  for (const StepFunctions &functions : request.steps)
    for (const std::string &function : functions)
      if (!function.empty())
        addPackedEntry(*module, function, packedName(function));
  registerBuiltinDialectTranslation(*module->getContext());
  registerLLVMDialectTranslation(*module->getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*module, context);
  if (!translated)
    return failure();
  llvm::Expected<CompiledCode> code =
      compileForHost(*translated, entriesOf(request.steps), request.sanitizer);
  if (!code)
    return emitError(request.loc) << llvm::toString(code.takeError());
  cache.store(*code);
  return std::move(*code);
}

llvm::Expected<std::unique_ptr<HostExecutable>>
HostExecutable::load(CompiledCode code, ArrayRef<StepFunctions> steps,
                     Device &memory, ArrayRef<RuntimeFunction> functions) {
  auto made = std::make_unique<HostExecutable>(memory);
  auto jit = JitModule::load(std::move(code), functions);
  if (!jit)
    return jit.takeError();
  made->jit = std::move(*jit);
  for (const StepFunctions &functions : steps) {
    Entries &entries = made->steps.emplace_back();
    for (auto [name, entry] : llvm::zip(functions, entries)) {
      if (name.empty())
        continue;
      auto found = made->jit->lookup(name);
      if (!found)
        return found.takeError();
      entry = *found;
    }
  }
  return made;
}

FailureOr<std::unique_ptr<HostExecutable>>
nacho::compileForHost(const CompileRequest &request, Device &device,
                      ArrayRef<RuntimeFunction> functions) {
  if (request.sanitizer != "none" && request.sanitizer != kSanitizer)
    return emitError(request.loc) << "no runtime of the sanitizer '"
                                  << request.sanitizer << "' is in this build";
  FailureOr<CompiledCode> code = generate(request);
  if (failed(code))
    return failure();
  auto loaded =
      HostExecutable::load(std::move(*code), request.steps, device, functions);
  if (!loaded)
    return emitError(request.loc) << llvm::toString(loaded.takeError());
  return std::move(*loaded);
}
