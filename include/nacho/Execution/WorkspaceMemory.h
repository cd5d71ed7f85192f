//===- WorkspaceMemory.h - The memory of workspaces -------------*- C++ -*-===//

#ifndef NACHO_EXECUTION_WORKSPACEMEMORY_H
#define NACHO_EXECUTION_WORKSPACEMEMORY_H

#include "nacho/Execution/Device.h"
#include "nacho/Runtime/Abi.h"

#include <cstdint>
#include <optional>

namespace nacho {

/// The memory of one workspace of a step, with a row for each slot. It is kept
/// from call to call; kernels leave every row empty.
class WorkspaceMemory {
public:
  WorkspaceMemory(Device &device, const WorkspaceLayout &layout)
      : device(&device), layout(layout) {}

  /// Makes room for what is expected of operands with `entries` entries: at
  /// least two places for each, up to a limit.
  void expectEntries(int64_t entries);
  /// Says that coordinates are below `extent`.
  void expectExtent(int64_t extent);
  /// Gives each of them a place, too, unless there are many.
  void coverExtent(int64_t extent);
  /// Makes marks for the coordinates below `extent` only.
  void fitMarks(int64_t extent);
  /// Called when a kernel found the workspace full. A workspace without keys
  /// does not grow: coverExtent() gave it all the places that it needs.
  void grow();
  /// Allocates the workspace if need be. Without `hasElements` it has no sums.
  Workspace prepare(int64_t threads, bool hasElements);
  /// Empties all rows, whatever a kernel has left in them.
  void empty();
  /// The bytes of one row of keys, marks and elements.
  int64_t numBytesPerThread() const;

private:
  int64_t wordsOfMarks() const;

  Device *device;
  WorkspaceLayout layout;
  int64_t places = 0;
  int64_t coordinates = 0; ///< How many there are, if that is known.
  bool isDense = false;    ///< Whether each had a place of its own.
  int64_t markWords =
      numMarkWords(kDensePlaces); ///< The words where there are no keys.
  Workspace made;
  std::optional<Buffer> keys, marks, elements;
};

} // namespace nacho

#endif // NACHO_EXECUTION_WORKSPACEMEMORY_H
