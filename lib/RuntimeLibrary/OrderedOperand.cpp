//===- OrderedOperand.cpp - Operands with coordinates in any order --------===//
//
// A tensor is unpacked to a list of the coordinates of its entries, the list is
// sorted, and packed again. Of entries with the same coordinates, the first one
// remains.
//
//===----------------------------------------------------------------------===//

#include "OrderedOperand.h"

#include "Indices.h"
#include "nacho/Execution/Canonical.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Runtime/Memory.h"
#include "nacho/Runtime/Runtime.h"

#include <cstring>
#include <stdexcept>

using namespace nacho;

using Column = std::vector<int64_t>;
using Level = TensorLayout::Level;

//===----------------------------------------------------------------------===//
// Lists of entries
//===----------------------------------------------------------------------===//

namespace {
/// The entries of a tensor: their coordinates, a column for each level, and the
/// position at which each entry has its value.
struct EntryList {
  std::vector<Column> coordinates;
  Column positions = {0};

  void unpack(const TensorLayout &layout, const Argument *arguments);
  bool isSorted() const;
  void sort(const Argument *extents, int64_t threads);
  void dropRepeated();

private:
  void enter(const Level &level, const Argument *arrays, int64_t extent,
             const Argument &stored);
};
} // namespace

/// Replaces each position by those of its children in the next level.
void EntryList::enter(const Level &level, const Argument *arrays,
                      int64_t extent, const Argument &stored) {
  Column parents, children, added;
  auto add = [&](int64_t parent, int64_t position, int64_t coordinate) {
    if (coordinate < 0 || coordinate >= extent)
      throw std::runtime_error("coordinate-out-of-range: a coordinate of an "
                               "operand is not below its extent");
    parents.push_back(parent);
    children.push_back(position);
    added.push_back(coordinate);
  };
  auto [owner, offset, stride] = level.coordinates;
  std::optional<size_t> pos = positionsOf(level);
  for (size_t n = 0; n < positions.size(); ++n) {
    int64_t begin = positions[n], end = begin + 1;
    if (level.isFull) {
      for (int64_t x = 0; x < extent; ++x)
        add(n, begin * extent + x, x);
      continue;
    }
    if (pos) {
      const TensorLayout::Array &type = level.arrays[*pos];
      int64_t at = type.perParent * begin;
      if (at + 1 >= arrays[*pos].size)
        throw std::runtime_error("an operand lacks positions");
      begin = loadIndex(arrays[*pos].data, type.type, at);
      end = loadIndex(arrays[*pos].data, type.type, at + 1);
    }
    if (begin < 0 || end > stored.size / stride)
      throw std::runtime_error("an operand has positions of more coordinates "
                               "than it stores");
    for (int64_t at = begin; at < end; ++at)
      add(n, at,
          loadIndex(stored.data, level.coordinateType, offset + stride * at));
  }
  for (Column &column : coordinates) {
    Column repeated;
    repeated.reserve(parents.size());
    for (int64_t parent : parents)
      repeated.push_back(column[parent]);
    column = std::move(repeated);
  }
  coordinates.push_back(std::move(added));
  positions = std::move(children);
}

void EntryList::unpack(const TensorLayout &layout, const Argument *arguments) {
  const Argument *arrays = arguments;
  const Argument *extents = arguments + layout.numArrays() + 1;
  for (size_t n = 0; n < layout.levels.size(); ++n) {
    const Level &level = layout.levels[n];
    enter(level, arrays, extents[n].size, arguments[level.coordinates.array]);
    arrays += level.arrays.size();
  }
}

/// Whether every entry comes after the one before it, whose coordinates differ.
bool EntryList::isSorted() const {
  auto isAfter = [&](size_t n) {
    for (const Column &column : coordinates)
      if (column[n - 1] != column[n])
        return column[n - 1] < column[n];
    return false;
  };
  for (size_t n = 1; n < positions.size(); ++n)
    if (!isAfter(n))
      return false;
  return true;
}

/// Drops entries with the coordinates of the one before them.
void EntryList::dropRepeated() {
  size_t kept = 0;
  for (size_t n = 0; n < positions.size(); ++n) {
    bool isRepeated = n > 0;
    for (const Column &column : coordinates)
      isRepeated = isRepeated && column[n] == column[kept - 1];
    if (isRepeated)
      continue;
    for (Column &column : coordinates)
      column[kept] = column[n];
    positions[kept++] = positions[n];
  }
  for (Column &column : coordinates)
    column.resize(kept);
  positions.resize(kept);
}

void EntryList::sort(const Argument *extents, int64_t threads) {
  std::vector<int64_t> columns;
  for (size_t level = 0; level < coordinates.size(); ++level)
    columns.insert(columns.end(),
                   {reinterpret_cast<int64_t>(coordinates[level].data()),
                    int64_t(sizeof(int64_t)), extents[level].size});
  int64_t rank = coordinates.size(), entries = positions.size();
  int32_t status = sortEntries(columns.data(), rank, rank, positions.data(),
                               sizeof(int64_t), entries, threads);
  if (status != kSuccess)
    throw OutOfMemory(OutOfMemory::kUnknown, "sorting an operand");
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

namespace {
/// Packs a sorted list of entries into the levels of a tensor.
class Packer {
public:
  Packer(const TensorLayout &layout, const EntryList &entries,
         const Argument *extents)
      : layout(layout), entries(entries), extents(extents),
        arrays(layout.numArrays()) {
    nodes = {0, int64_t(entries.positions.size())};
  }

  /// The arrays of all levels.
  std::vector<std::vector<char>> run();

private:
  bool isRun(size_t n) const;
  void enterFull(size_t n);
  void enterStored(size_t n, std::vector<char> *made);
  void storeCoordinates(size_t n);

  const TensorLayout &layout;
  const EntryList &entries;
  const Argument *extents;
  std::vector<std::vector<char>> arrays;
  /// The positions of the current level: where the entries of each begin, and
  /// where those of the last one end.
  Column nodes;
};
} // namespace

/// Whether a level has a position for each entry, since the next one has no
/// positions of its own.
bool Packer::isRun(size_t n) const {
  return n + 1 < layout.levels.size() && !layout.levels[n + 1].isFull &&
         !positionsOf(layout.levels[n + 1]);
}

void Packer::enterFull(size_t n) {
  const Column &column = entries.coordinates[n];
  Column children;
  for (size_t node = 0; node + 1 < nodes.size(); ++node) {
    int64_t at = nodes[node];
    for (int64_t x = 0; x < extents[n].size; ++x) {
      children.push_back(at);
      while (at < nodes[node + 1] && column[at] == x)
        ++at;
    }
  }
  children.push_back(nodes.back());
  nodes = std::move(children);
}

/// Makes a child of each coordinate of each node, and the array of positions.
void Packer::enterStored(size_t n, std::vector<char> *made) {
  const Column &column = entries.coordinates[n];
  const TensorLayout::Array &type =
      layout.levels[n].arrays[*positionsOf(layout.levels[n])];
  int64_t parents = nodes.size() - 1;
  made->resize(type.length(parents, 0) * sizeOf(type.type));
  Column children;
  for (int64_t node = 0; node < parents; ++node) {
    int64_t at = type.perParent * node;
    storeIndex(made->data(), type.type, at, children.size());
    for (int64_t entry = nodes[node]; entry < nodes[node + 1]; ++entry)
      if (isRun(n) || entry == nodes[node] ||
          column[entry] != column[entry - 1])
        children.push_back(entry);
    storeIndex(made->data(), type.type, at + 1, children.size());
  }
  children.push_back(nodes.back());
  nodes = std::move(children);
}

void Packer::storeCoordinates(size_t n) {
  const Level &level = layout.levels[n];
  auto [owner, offset, stride] = level.coordinates;
  int64_t count = nodes.size() - 1;
  arrays[owner].resize(count * stride * sizeOf(level.coordinateType));
  for (int64_t node = 0; node < count; ++node)
    storeIndex(arrays[owner].data(), level.coordinateType,
               offset + stride * node, entries.coordinates[n][nodes[node]]);
}

std::vector<std::vector<char>> Packer::run() {
  std::vector<char> *next = arrays.data();
  for (size_t n = 0; n < layout.levels.size(); ++n) {
    const Level &level = layout.levels[n];
    if (level.isFull)
      enterFull(n);
    else if (auto pos = positionsOf(level))
      enterStored(n, next + *pos);
    if (!level.isFull)
      storeCoordinates(n);
    next += level.arrays.size();
  }
  return std::move(arrays);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static std::vector<char> permuted(const Argument &values, size_t bytes,
                                  const Column &positions) {
  std::vector<char> made(positions.size() * bytes);
  auto *from = static_cast<const char *>(values.data);
  for (size_t n = 0; n < positions.size(); ++n) {
    if (positions[n] >= values.size)
      throw std::runtime_error("an operand has more coordinates than values");
    std::memcpy(made.data() + n * bytes, from + positions[n] * bytes, bytes);
  }
  return made;
}

/// Whether an operand is in order, by a check of its arrays as they are. There
/// is none of arrays with gaps.
static bool isInOrder(const TensorLayout &layout, const Argument *arguments,
                      int64_t threads) {
  std::vector<StoredArray> arrays;
  const Argument *next = arguments;
  for (const Level &level : layout.levels)
    for (const TensorLayout::Array &type : level.arrays) {
      if (type.holdsPositions && type.perParent != 1)
        return false;
      arrays.push_back({type.type, next->size, next->data});
      ++next;
    }
  // Behind the values, there is an extent for each level.
  std::vector<int64_t> extents(layout.levels.size());
  for (int64_t &extent : extents)
    extent = (++next)->size;
  return isCanonical(layout, arrays, extents.data(), threads);
}

std::unique_ptr<OrderedOperand> OrderedOperand::sort(const TensorLayout &layout,
                                                     Argument *arguments,
                                                     int64_t threads) {
  const Argument *extents = arguments + layout.numArrays() + 1;
  if (isInOrder(layout, arguments, threads))
    return nullptr;
  EntryList entries;
  entries.unpack(layout, arguments);
  if (entries.isSorted())
    return nullptr;
  entries.sort(extents, threads);
  entries.dropRepeated();
  auto made = std::make_unique<OrderedOperand>();
  made->arrays = Packer(layout, entries, extents).run();
  made->arrays.push_back(permuted(arguments[layout.numArrays()],
                                  sizeOf(layout.values), entries.positions));
  size_t array = 0;
  auto replace = [&](size_t bytes) {
    std::vector<char> &data = made->arrays[array];
    arguments[array++] = {data.data(), int64_t(data.size() / bytes)};
  };
  for (const Level &level : layout.levels)
    for (const TensorLayout::Array &type : level.arrays)
      replace(sizeOf(type.type));
  replace(sizeOf(layout.values));
  return made;
}
