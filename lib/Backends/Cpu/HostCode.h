//===- HostCode.h - Modules of LLVM's dialect that the host runs ----------===//

#ifndef NACHO_LIB_HOSTCODE_H
#define NACHO_LIB_HOSTCODE_H

#include "nacho/Compiler/Backend.h"

namespace nacho {

/// Leads from scf, and what the host calls, to LLVM's dialect.
void addLoweringToLlvm(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Compiles a module whose functions the host calls, with arrays that lie in
/// the memory of `device`. Takes the code from disk if it is there.
mlir::FailureOr<std::unique_ptr<Executable>>
compileForHost(const CompileRequest &request, Device &device);

} // namespace nacho

#endif // NACHO_LIB_HOSTCODE_H
