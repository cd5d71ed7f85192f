//===- InitAll.h - Everything to register ---------------------------------===//

#ifndef NACHO_INITALL_H
#define NACHO_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace nacho {

/// The dialect, and those that its passes and pipelines produce.
void registerAllDialects(mlir::DialectRegistry &registry);
/// The passes and the pipelines.
void registerAllPasses();

} // namespace nacho

#endif // NACHO_INITALL_H
