//===- WorkspaceRepeats.h - How often keys are inserted again ---*- C++ -*-===//
//
// Where most keys of a row are new, or most are not, a processor foresees which
// one is. Where either is the case now and then, code without branches takes
// less time, though it writes bits that are set. So a workspace counts, from
// row to row, the insertions and the places that are used at last:
//
//   products += the steps of the loop that inserts         before the loop
//   few = products <= 5 * (entries += places used)         after the row
//   products, entries /= 2
//
// A loop that inserts reads `few` before it begins: LLVM makes two loops of it.
// The counters stay in registers.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_CONVERSION_WORKSPACEREPEATS_H
#define NACHO_LIB_CONVERSION_WORKSPACEREPEATS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// Emits code that counts, for one workspace.
class WorkspaceRepeats {
public:
  explicit WorkspaceRepeats(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  /// Emits the counters, at the place of the workspace.
  void start();
  /// Whether there are counters.
  explicit operator bool() const { return static_cast<bool>(few); }
  /// Counts the insertions of a loop. Returns whether few keys are inserted
  /// again; nothing if it is not known how many insertions there are, or if
  /// more than sums depends on it.
  std::optional<mlir::Value> areFew(InsertOp insert);
  /// Counts the places that a row has used.
  void endRow(mlir::Value places);

private:
  mlir::Value load(mlir::Value counter);
  void store(mlir::Value number, mlir::Value counter);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Value products, entries, few; ///< Counters on the stack.
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_WORKSPACEREPEATS_H
