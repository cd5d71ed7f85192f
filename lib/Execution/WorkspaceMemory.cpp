//===- WorkspaceMemory.cpp - The memory of workspaces ---------------------===//

#include "nacho/Execution/WorkspaceMemory.h"

#include <algorithm>

using namespace nacho;

/// The most places that expectEntries() gives a workspace.
static constexpr int64_t kFirstPlaces = 1 << 18;
/// The fewest places of a workspace: a word of marks has a bit for each.
static constexpr int64_t kLeastPlaces = 64;

static int64_t powerOfTwo(int64_t least) {
  int64_t power = kLeastPlaces;
  while (power < least)
    power = checkedProduct(power, 2);
  return power;
}

void WorkspaceMemory::expectEntries(int64_t entries) {
  places = std::max(places, std::min(kFirstPlaces, powerOfTwo(2 * entries)));
}

void WorkspaceMemory::expectExtent(int64_t extent) { coordinates = extent; }

void WorkspaceMemory::coverExtent(int64_t extent) {
  expectExtent(extent);
  // In a workspace with keys, one place has to stay free.
  int64_t free = layout.keys ? 1 : 0;
  if (extent <= kDensePlaces - free)
    places = powerOfTwo(extent + free);
}

void WorkspaceMemory::fitMarks(int64_t extent) {
  int64_t covered = powerOfTwo(std::min(extent, kDensePlaces));
  markWords = kDenseMarksBegin + covered / 64;
}

void WorkspaceMemory::grow() {
  if (layout.keys)
    places = checkedProduct(places, 8);
}

int64_t WorkspaceMemory::wordsOfMarks() const {
  if (layout.keys)
    return numMarkWords(places);
  return layout.isFlat ? std::max(markWords, kDenseMarksBegin + places)
                       : markWords;
}

Workspace WorkspaceMemory::prepare(int64_t threads, bool hasElements) {
  int64_t rows = device->numSlots(threads);
  int64_t words = wordsOfMarks();
  bool hasRoom = made.rows >= rows && made.markWords == words;
  if (!hasRoom || made.places != places)
    elements.reset();
  made.places = places;
  // Without keys, marks are the same for any number of places.
  if (!hasRoom) {
    made.rows = rows;
    made.markWords = words;
    marks.emplace(*device, ElementType::i64,
                  checkedProduct(rows, made.markWords));
    made.marks = marks->data;
    if (layout.keys) {
      keys.emplace(*device, *layout.keys, checkedProduct(rows, places));
      made.keys = keys->data;
    }
  }
  Workspace workspace = made;
  if (hasElements) {
    if (!elements) {
      elements.emplace(*device, layout.elements,
                       checkedProduct(made.rows, places));
      hasRoom &= !layout.isTable;
    }
    workspace.sums = elements->data;
  }
  // A table leaves other things in dense rows than in hashed ones.
  bool isNowDense = coordinates < places;
  if (!hasRoom || (layout.isTable && isNowDense != isDense))
    empty();
  isDense = isNowDense;
  return workspace;
}

void WorkspaceMemory::empty() {
  if (marks)
    marks->fill(0);
  if (keys)
    keys->fill(-1);
  if (elements && layout.isTable)
    elements->fill(0);
}

int64_t WorkspaceMemory::numBytesPerThread() const {
  int64_t bytes = places * sizeOf(layout.elements) +
                  wordsOfMarks() * sizeOf(ElementType::i64);
  return bytes + (layout.keys ? places * sizeOf(*layout.keys) : 0);
}
