//===- Backends.cpp - All backends ----------------------------------------===//

#include "nacho/Backends/Backends.h"

using namespace llvm;
using namespace nacho;

ArrayRef<const Backend *> nacho::allBackends() {
  static const Backend *const backends[] = {&cpuBackend(), &cudaBackend(),
                                            &cudaSimBackend(), &gpuBackend()};
  return backends;
}

const Backend *nacho::findBackend(StringRef name) {
  for (const Backend *backend : allBackends())
    if (backend->name() == name)
      return backend;
  return nullptr;
}
