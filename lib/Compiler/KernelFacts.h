//===- KernelFacts.h - Facts about a kernel, for the chooser --------------===//

#ifndef NACHO_LIB_KERNELFACTS_H
#define NACHO_LIB_KERNELFACTS_H

#include "nacho/Compiler/Backend.h"
#include "nacho/Execution/Chooser.h"

namespace nacho {

/// Finds out what the chooser has to know of the kernel of a module, whose text
/// is given, and which is at the stage `assign`.
KernelFacts readFacts(const std::string &text, mlir::ModuleOp module,
                      const Backend &backend, const CompileOptions &options,
                      const std::vector<TensorLayout> &operands);

} // namespace nacho

#endif // NACHO_LIB_KERNELFACTS_H
