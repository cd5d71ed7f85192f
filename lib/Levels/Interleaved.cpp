//===- Interleaved.cpp - Lists of entries as arrays of structures ---------===//
//
// The levels of a list (COO) whose singleton levels do not have the property
// `soa`. One array has the coordinates of all these levels, entry by entry:
//
//   crd = [x0, y0, x1, y1, ...]
//
// This is the only difference to a compressed level with singleton levels under
// it. The first of the n levels of the list owns the array. The k-th level,
// counted from 0, has the coordinate of position p at crd[n * p + k].
//
//===----------------------------------------------------------------------===//

#include "LevelKind.h"

using namespace mlir;
using namespace nacho;

/// The levels [first, second) of the interleaved list to which a level belongs;
/// none if the level belongs to no such list.
static std::optional<std::pair<unsigned, unsigned>> listOf(Encoding encoding,
                                                           unsigned level) {
  for (const sparse_tensor::COOSegment &list : encoding.getCOOSegments())
    if (list.isAoS() && list.inSegment(level))
      return list.lvlRange;
  return std::nullopt;
}

namespace {

class InterleavedKind : public LevelKind {
public:
  bool matches(Encoding encoding, unsigned level) const override {
    return listOf(encoding, level).has_value();
  }
  bool sharesPositions(Encoding encoding, unsigned level) const override {
    return level > listOf(encoding, level)->first;
  }
  SmallVector<LevelArray> arrays(Encoding encoding,
                                 unsigned level) const override {
    auto [first, end] = *listOf(encoding, level);
    if (level > first)
      return {};
    return {positionsArray(encoding), coordinatesArray(encoding, end - first)};
  }
  std::optional<CoordinatePlace>
  coordinatePlace(Encoding encoding, unsigned level) const override {
    auto [first, end] = *listOf(encoding, level);
    return CoordinatePlace{first, /*offset=*/level - first,
                           /*stride=*/end - first};
  }
  std::unique_ptr<Level> operand(Value tensor, unsigned level) const override {
    auto encoding = sparse_tensor::getSparseTensorEncoding(tensor.getType());
    return sharesPositions(encoding, level)
               ? singletonKind().operand(tensor, level)
               : compressedKind().operand(tensor, level);
  }
  std::unique_ptr<ResultLevel> result() const override {
    return compressedKind().result();
  }
};

} // namespace

const LevelKind &nacho::interleavedKind() {
  static const InterleavedKind kind;
  return kind;
}
