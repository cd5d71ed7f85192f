//===- Functions.cpp - Functions of C by names of our own -----------------===//
//
// Functions that kernels call in place of libm's, for whose names a program may
// have functions of its own. The dynamic linker would take these for calls of
// this library, too: so libm itself is asked for its functions, once.
//
//===----------------------------------------------------------------------===//

#include "Export.h"

#include <dlfcn.h>

using complex = double _Complex;

/// Returns a function of libm; of the process, if there is no such library.
template <typename Function>
static Function *find(const char *name) {
  static void *libm = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(libm ? libm : RTLD_DEFAULT, name));
}

// The names are those of C.
// NOLINTBEGIN(readability-identifier-naming)
#define NACHO_OWN(name, result, parameters, arguments)                         \
  static auto *const name##OfLibm = find<result parameters>(#name);            \
  NACHO_EXPORT result nacho_##name parameters { return name##OfLibm arguments; }
#define NACHO_OWN_1(name, type) NACHO_OWN(name, type, (type x), (x))
#define NACHO_OWN_2(name, type) NACHO_OWN(name, type, (type x, type y), (x, y))
#define NACHO_REAL(name, parameters)                                           \
  NACHO_OWN_##parameters(name, double) NACHO_OWN_##parameters(name##f, float)
#define NACHO_COMPLEX(name, result) NACHO_OWN(name, result, (complex x), (x))
#include "nacho/Runtime/Functions.def"
// NOLINTEND(readability-identifier-naming)
