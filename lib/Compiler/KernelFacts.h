//===- KernelFacts.h - Facts about a kernel, for the chooser --------------===//

#ifndef NACHO_LIB_KERNELFACTS_H
#define NACHO_LIB_KERNELFACTS_H

#include "nacho/Compiler/Backend.h"
#include "nacho/Execution/Chooser.h"

namespace nacho {

class Compilation;

/// Finds out what the chooser has to know of the kernel of a module at the
/// stage `assign`, which may be lowered to loops for that.
KernelFacts readFacts(Compilation &compilation, const Backend &backend,
                      CompileOptions options,
                      const std::vector<TensorLayout> &operands);

} // namespace nacho

#endif // NACHO_LIB_KERNELFACTS_H
