//===- Optimization.h - The choice to optimise machine code ---------------===//

#ifndef NACHO_EXECUTION_OPTIMIZATION_H
#define NACHO_EXECUTION_OPTIMIZATION_H

namespace nacho {

/// Whether LLVM optimises code for the host: unless NACHO_OPTIMIZE is 0 in the
/// environment. Then compiling takes less than half the time, for tests of what
/// kernels compute. The keys of caches depend on it.
bool optimizesCode();

} // namespace nacho

#endif // NACHO_EXECUTION_OPTIMIZATION_H
