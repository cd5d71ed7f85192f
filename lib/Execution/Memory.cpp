//===- Memory.cpp - Buffers of results, and workspaces --------------------===//

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Runtime/Runtime.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

using namespace nacho;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Buffer::Buffer(ElementType type, int64_t size)
    : type(type), size(size),
      data(allocateBuffer(checkedProduct(size, sizeOf(type)))) {}

Buffer::Buffer(Buffer &&other) noexcept
    : type(other.type), size(other.size), data(other.take()) {}

Buffer::~Buffer() {
  if (data)
    releaseBuffer(data);
}

void *Buffer::take() { return std::exchange(data, nullptr); }

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

/// Places of a workspace before anything is known of the operands; and up to
/// which extent every coordinate has one.
static constexpr int64_t kFirstPlaces = 1 << 18;
/// A word of marks has a bit for each.
static constexpr int64_t kLeastPlaces = 64;

static int64_t powerOfTwo(int64_t least) {
  int64_t power = kLeastPlaces;
  while (power < least)
    power = checkedProduct(power, 2);
  return power;
}

void WorkspaceMemory::limitTo(int64_t entries) {
  places = std::max(places, std::min(kFirstPlaces, powerOfTwo(2 * entries)));
}

void WorkspaceMemory::coverExtent(int64_t extent) {
  // Of a table with keys one place has to stay free.
  int64_t least = layout.keys ? extent + 1 : extent;
  if (least <= kDensePlaces)
    places = powerOfTwo(least);
}

void WorkspaceMemory::grow() {
  if (layout.keys)
    places = checkedProduct(places, 8);
}

Workspace WorkspaceMemory::prepare(int64_t threads, bool hasElements) {
  int64_t rows = std::max<int64_t>(threads, 1);
  if (made.places != places || made.rows < rows) {
    made = Workspace();
    elements.reset();
    made.rows = rows;
    made.places = places;
    made.marked = layout.keys ? places : kDensePlaces;
    marks.emplace(ElementType::i64, rows * numMarkWords(made.marked));
    made.marks = static_cast<int64_t *>(marks->data);
    std::memset(marks->data, 0, marks->numBytes());
    if (layout.keys) {
      keys.emplace(*layout.keys, checkedProduct(rows, places));
      made.keys = keys->data;
      std::memset(keys->data, -1, keys->numBytes());
    }
  }
  Workspace workspace = made;
  if (hasElements) {
    if (!elements)
      elements.emplace(layout.elements, made.rows * places);
    workspace.sums = elements->data;
  }
  return workspace;
}

int64_t WorkspaceMemory::numBytesPerThread() const {
  int64_t bytes = places * sizeOf(layout.elements) +
                  numMarkWords(made.marked) * sizeOf(ElementType::i64);
  return bytes + (layout.keys ? places * sizeOf(*layout.keys) : 0);
}
