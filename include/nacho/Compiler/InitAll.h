//===- InitAll.h - Registration of dialects and passes --------------------===//

#ifndef NACHO_INITALL_H
#define NACHO_INITALL_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/ArrayRef.h"

namespace nacho {

class Backend;

/// Registers the dialect, and the dialects that passes and pipelines produce.
void registerAllDialects(mlir::DialectRegistry &registry);
/// Registers the passes, and the pipelines of the backends.
void registerAllPasses(llvm::ArrayRef<const Backend *> backends);

} // namespace nacho

#endif // NACHO_INITALL_H
