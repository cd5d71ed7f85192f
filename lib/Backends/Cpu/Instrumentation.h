//===- Instrumentation.h - Compiled code under a sanitizer ------*- C++ -*-===//

#ifndef NACHO_LIB_BACKENDS_CPU_INSTRUMENTATION_H
#define NACHO_LIB_BACKENDS_CPU_INSTRUMENTATION_H

#include "llvm/Passes/PassBuilder.h"

namespace nacho {

/// Makes the functions of a module report errors to a sanitizer: address or
/// thread; or to none. `builder` is to build the passes that optimize it.
void instrument(llvm::Module &module, llvm::PassBuilder &builder,
                llvm::StringRef sanitizer);

} // namespace nacho

#endif // NACHO_LIB_BACKENDS_CPU_INSTRUMENTATION_H
