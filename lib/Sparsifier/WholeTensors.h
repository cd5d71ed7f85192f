//===- WholeTensors.h - Functions that take whole tensors for slices ------===//

#ifndef NACHO_LIB_WHOLETENSORS_H
#define NACHO_LIB_WHOLETENSORS_H

#include "mlir/IR/BuiltinOps.h"

namespace nacho {

/// Lets functions take whole sparse tensors in place of slices of them, and the
/// numbers of the slices that the types do not tell.
void passWholeTensors(mlir::ModuleOp module);

} // namespace nacho

#endif // NACHO_LIB_WHOLETENSORS_H
