//===- Instrumentation.cpp - Compiled code under a sanitizer --------------===//
//
// Passes that are run last find what the code does after all other
// optimizations; but vectors of accesses are nothing that the ThreadSanitizer
// knows.
//
//===----------------------------------------------------------------------===//

#include "Instrumentation.h"

#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"

using namespace llvm;

void nacho::instrument(Module &module, PassBuilder &builder,
                       StringRef sanitizer) {
  if (sanitizer == "none")
    return;
  bool forThreads = sanitizer == "thread";
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(forThreads ? Attribute::SanitizeThread
                                    : Attribute::SanitizeAddress);
  // Nobody calls the constructor that would tell the sanitizer of constants.
  GlobalValue::SanitizerMetadata unknown = {};
  unknown.NoAddress = true;
  for (GlobalVariable &global : module.globals())
    global.setSanitizerMetadata(unknown);
  if (forThreads)
    builder.registerVectorizerStartEPCallback(
        [](FunctionPassManager &passes, OptimizationLevel) {
          passes.addPass(ThreadSanitizerPass());
        });
  else
    builder.registerOptimizerLastEPCallback(
        [](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
          AddressSanitizerOptions options;
          options.UseAfterReturn = AsanDetectStackUseAfterReturnMode::Never;
          passes.addPass(AddressSanitizerPass(
              options, /*UseGlobalGC=*/false, /*UseOdrIndicator=*/false,
              AsanDtorKind::None, AsanCtorKind::None));
        });
}
