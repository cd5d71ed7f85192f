//===- WorkspaceKeys.h - Keys of workspaces ---------------------*- C++ -*-===//
//
// The keys of a hashed workspace: a table with open addressing. An unused place
// has the key -1.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_WORKSPACEKEYS_H
#define NACHO_LIB_CONVERSION_WORKSPACEKEYS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Emits code that finds keys of a workspace.
class WorkspaceKeys {
public:
  WorkspaceKeys(WorkspaceOp op, mlir::ImplicitLocOpBuilder &b) : op(op), b(b) {}

  /// Describes a table of `size` places, of which `last` is the last one. This
  /// comes before any search.
  void describe(mlir::Value size, mlir::Value last);

  /// The type of keys.
  mlir::Type type();
  /// The key of an unused place.
  mlir::Value empty();
  /// The place where the search for a key begins.
  mlir::Value placeOf(mlir::Value key);
  /// Finds the place of a key, or the free place for it, from the place where
  /// its search begins. Returns the place and the key that is there.
  std::pair<mlir::Value, mlir::Value> find(mlir::Value key, mlir::Value first);

private:
  WorkspaceOp op;
  mlir::ImplicitLocOpBuilder &b;
  mlir::Value mask; ///< The last place; the number of places is a power of two.
  mlir::Value shift; ///< Right shift that leaves a hash's high bits.
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_WORKSPACEKEYS_H
