//===- Overlap.cpp - Samples of the overlap of operands -------------------===//

#include "Overlap.h"

#include <algorithm>

using namespace nacho;

/// The number of first coordinates of each operand that are tried.
static constexpr int64_t kSamples = 16;

namespace {
/// The first coordinates of an operand, in ascending order: of its rows or, if
/// it is a list, of its entries.
class FirstCoordinates {
public:
  /// `args` begins with the arguments of the operand.
  FirstCoordinates(Device &device, const TensorLayout &layout,
                   const Argument *args)
      : device(device), type(layout.levels.front().coordinateType),
        place(layout.levels.front().coordinates),
        data(static_cast<const char *>(args[place.array].data)),
        numCoordinates(args[place.array].size / place.stride),
        numEntries(args[layout.numArrays()].size) {}

  int64_t size() const { return numCoordinates; }
  int64_t entries() const { return numEntries; }

  int64_t operator[](int64_t position) const {
    int64_t at = place.offset + place.stride * position;
    const char *address = data + at * int64_t(sizeOf(type));
    switch (type) {
    case ElementType::i8:
      return read<uint8_t>(address);
    case ElementType::i16:
      return read<uint16_t>(address);
    case ElementType::i32:
      return read<int32_t>(address);
    default:
      return read<int64_t>(address);
    }
  }

  bool contains(int64_t coordinate) const {
    int64_t low = 0, high = size();
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if ((*this)[middle] < coordinate)
        low = middle + 1;
      else
        high = middle;
    }
    return low < size() && (*this)[low] == coordinate;
  }

private:
  template <typename T>
  int64_t read(const char *address) const {
    return HostView<T>(device, reinterpret_cast<const T *>(address), 1)[0];
  }

  Device &device;
  ElementType type;
  TensorLayout::Place place;
  const char *data;
  int64_t numCoordinates, numEntries;
};
} // namespace

double nacho::sampleOverlap(Device &device,
                            const std::vector<TensorLayout> &operands,
                            const std::vector<Argument> &args) {
  std::vector<FirstCoordinates> all;
  const Argument *next = args.data();
  for (const TensorLayout &layout : operands) {
    if (!layout.levels.empty())
      all.emplace_back(device, layout, next);
    next += layout.numArguments();
  }
  double common = 0, entries = 0;
  for (const FirstCoordinates &one : all) {
    int64_t tried = std::min(kSamples, one.size()), hits = 0;
    for (int64_t n = 0; n < tried; ++n) {
      int64_t coordinate = one[n * one.size() / tried];
      hits += std::all_of(all.begin(), all.end(),
                          [&](const FirstCoordinates &other) {
                            return other.contains(coordinate);
                          });
    }
    entries += double(one.entries());
    common += tried ? double(one.entries()) * double(hits) / double(tried) : 0;
  }
  return entries > 0 ? common / entries : 1;
}
