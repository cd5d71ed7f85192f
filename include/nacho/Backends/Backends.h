//===- Backends.h - All backends ------------------------------------------===//

#ifndef NACHO_BACKENDS_BACKENDS_H
#define NACHO_BACKENDS_BACKENDS_H

#include "nacho/Compiler/Backend.h"

namespace nacho {

/// The backends, the default one first. Another one is a line in
/// lib/Backends/Backends.cpp.
llvm::ArrayRef<const Backend *> allBackends();

/// The backend of that name, or null if there is none.
const Backend *findBackend(llvm::StringRef name);

/// Kernels that the host runs itself.
const Backend &cpuBackend();

/// Kernels that an NVIDIA GPU runs.
const Backend &cudaBackend();

/// Kernels of a GPU that the host simulates.
const Backend &cudaSimBackend();

/// Kernels in the gpu dialect: they can be looked at and assembled, but there
/// is no runtime for them.
const Backend &gpuBackend();

} // namespace nacho

#endif // NACHO_BACKENDS_BACKENDS_H
