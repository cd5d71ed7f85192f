//===- LlvmSanitizer.h - LLVM's headers beside a library without checks ---===//
//
// Builds for a sanitizer include this file before everything else. LLVM's
// headers would forbid access to memory that its allocators have not given away
// yet. Its library, which is not instrumented, shares these allocators but
// would never allow access again, so that good code would be reported.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_RUNTIME_LLVMSANITIZER_H
#define NACHO_LIB_RUNTIME_LLVMSANITIZER_H

#if defined(__cplusplus) && __has_include("llvm/Support/Compiler.h")
#include "llvm/Support/Compiler.h"
#undef LLVM_ADDRESS_SANITIZER_BUILD
#define LLVM_ADDRESS_SANITIZER_BUILD 0
#define __asan_poison_memory_region(pointer, size)
#define __asan_unpoison_memory_region(pointer, size)
#endif

#endif // NACHO_LIB_RUNTIME_LLVMSANITIZER_H
