//===- Bitmap.cpp - Levels with a bit for each coordinate -----------------===//
//
// structured[0, m]: of every m coordinates, a fiber stores any number, not a
// fixed one. A fiber of extent N has w = ceil(N / m) words. The array crd has
// them, with a bit for each of m coordinates, the lowest for the first; and the
// array pos has the number of entries before each word, and behind them that of
// all entries. The children of parent p have the positions
//
//   [pos[w * p], pos[w * (p + 1)])
//
// and the one at coordinate x, whose bit is x % m of the word k = w * p + x /
// m,
//
//   pos[k] + number of bits of crd[k] below its bit
//
// MLIR allows such a level only as the last one, with dense levels above.
//
//===----------------------------------------------------------------------===//

#include "LevelKind.h"

#include "nacho/IR/WhileLoop.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nacho;

namespace {

class BitmapLevel : public Level {
public:
  BitmapLevel(Value tensor, unsigned level)
      : Level(tensor, level),
        wordSize(getM(sparse_tensor::getSparseTensorEncoding(tensor.getType())
                          .getLvlType(level))) {}

  bool isFull() const override { return false; }
  bool isUnique() const override { return true; }

  void enterFiber(Value parent) override { fiber = parent; }

  /// min(pos[w * parent], number of values)
  Value begin(ImplicitLocOpBuilder &b, Value parent) const override {
    Value first = Number(b, parent) * wordsPerFiber(b);
    Number before(b, entriesBefore(b, first));
    return min(before, size(b));
  }

  Value size(ImplicitLocOpBuilder &b) const override {
    return memref::DimOp::create(b, emitValues(b, tensor), Number(b, 0));
  }

  /// With the word k of the fiber that has the entry:
  ///   k * m + place of the bit that pos[w * p + k] - position others are below
  Value coordinate(ImplicitLocOpBuilder &b, Value position) const override {
    Value words = wordsPerFiber(b), first = firstWord(b, words, position);
    Number in(b, wordOf(b, position, first, words));
    Value at = Number(b, first) + in;
    Value before = Number(b, position) - entriesBefore(b, at);
    Number start = in * wordSize;
    return start + placeOfBit(b, word(b, at), before);
  }

  Value coordinateVector(ImplicitLocOpBuilder &b, Value position, Condition,
                         unsigned lanes) const override {
    Type lane = coordinateType();
    Value none = arith::ConstantOp::create(
        b, b.getZeroAttr(VectorType::get(lanes, lane)));
    Number begin(b, 0), end(b, lanes), one(b, 1);
    auto loop = scf::ForOp::create(b, begin, end, one, none);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value n = loop.getInductionVar();
    Value stored = coordinate(b, Number(b, position) + n);
    if (!lane.isIndex())
      stored = Number(b, stored).as(lane);
    Value with = vector::InsertOp::create(b, stored, loop.getRegionIterArg(0),
                                          OpFoldResult(n));
    scf::YieldOp::create(b, with);
    return loop.getResult(0);
  }

  /// target < N ? the entries before the bit of `target` : high
  Value lowerBound(ImplicitLocOpBuilder &b, Value target, Value first,
                   Value low, Value high) const override {
    Value words = wordsPerFiber(b);
    Number in = Number(b, target) / wordSize;
    Number isInside = in < words;
    in = select(isInside, in, 0);
    Value at = Number(b, firstWord(b, words, first)) + in;
    Value bit = Number(b, target) % wordSize;
    Number before(b, entriesBefore(b, at));
    Value found = before + count(b, below(b, word(b, at), bit));
    return min(max(select(isInside, found, high), low), high);
  }

  void prefetchBegin(ImplicitLocOpBuilder &b, Value parent) const override {
    Value stored = positions(b);
    prefetchElement(b, stored, Number(b, parent) * wordsPerFiber(b));
  }

private:
  Type coordinateType() const {
    return sparse_tensor::getSparseTensorEncoding(tensor.getType())
        .getCrdElemType();
  }

  Value positions(ImplicitLocOpBuilder &b) const {
    return emitPositionsArray(b, tensor, level);
  }

  /// ceil(N / m)
  Value wordsPerFiber(ImplicitLocOpBuilder &b) const {
    return (Number(b, extent(b)) + (wordSize - 1)) / wordSize;
  }

  Value words(ImplicitLocOpBuilder &b) const {
    return emitCoordinatesArray(b, tensor, level);
  }

  Value entriesBefore(ImplicitLocOpBuilder &b, Value word) const {
    return loadWithin(b, positions(b), word);
  }

  Value word(ImplicitLocOpBuilder &b, Value at) const {
    return loadWithin(b, words(b), at);
  }

  /// array[min(at, max(size of the array, 1) - 1)]
  ///
  /// Even a fiber behind the last one never leads beyond the array.
  static Value loadWithin(ImplicitLocOpBuilder &b, Value array, Value at) {
    Number zero(b, 0);
    Number size(b, memref::DimOp::create(b, array, zero));
    Value last = max(size, 1) - 1;
    return loadIndex(b, array, min(Number(b, at), last));
  }

  /// The first word of the fiber that is read; if that is not known, of the
  /// fiber that has an entry at `position`.
  Value firstWord(ImplicitLocOpBuilder &b, Value words, Value position) const {
    if (fiber)
      return Number(b, *fiber) * words;
    Number zero(b, 0);
    Value all = memref::DimOp::create(b, this->words(b), zero);
    Number at(b, wordOf(b, position, zero, all));
    Value some = max(Number(b, words), 1);
    return at - at % some;
  }

  /// The word, among first, first + 1, ..., first + count - 1, that has the
  /// entry at `position`, counted from the first: the last one if no other has
  /// it.
  Value wordOf(ImplicitLocOpBuilder &b, Value position, Value first,
               Value count) const {
    Number zero(b, 0);
    Value last = max(Number(b, count), 1) - 1;
    return emitBisection(b, zero, last, [&](Number middle) {
      Value after = middle + 1;
      Value next = Number(b, first) + after;
      return Number(b, entriesBefore(b, next)) <= position;
    });
  }

  /// word & (2^bit - 1)
  static Value below(ImplicitLocOpBuilder &b, Value word, Value bit) {
    Value mask = (Number(b, 1) << bit) - 1;
    return Number(b, word) & mask;
  }

  static Value count(ImplicitLocOpBuilder &b, Value word) {
    Value bits = Number(b, word).as(b.getI64Type());
    return Number(b, math::CtPopOp::create(b, bits)).asIndex();
  }

  /// The place of the bit that has `before` other bits below it:
  ///
  /// for half = 32, 16, ..., 1, as far as the word has so many bits:
  ///   n = number of the lower `half` bits
  ///   if n <= before: place += half, before -= n, word >>= half
  Value placeOfBit(ImplicitLocOpBuilder &b, Value word, Value before) const {
    Number place(b, 0), left(b, before), bits(b, word);
    for (int64_t half = llvm::PowerOf2Ceil(wordSize) / 2; half; half /= 2) {
      Number by(b, half);
      Number lower(b, count(b, below(b, bits, by)));
      Number isAbove = lower <= left;
      place = select(isAbove, place + by, place);
      left = select(isAbove, left - lower, left);
      bits = select(isAbove, bits >> by, bits);
    }
    return place;
  }

  int64_t wordSize;           ///< The number of coordinates of a word: m.
  std::optional<Value> fiber; ///< The parent of the fiber that is read.
};

class BitmapKind : public LevelKind {
public:
  /// The words have to fit into coordinates.
  bool matches(Encoding encoding, unsigned level) const override {
    sparse_tensor::LevelType type = encoding.getLvlType(level);
    Type word = encoding.getCrdElemType();
    unsigned bits = word.isIndex() ? 64 : word.getIntOrFloatBitWidth();
    return isNOutOfMLT(type) && getN(type) == 0 && getM(type) > 0 &&
           getM(type) <= bits;
  }
  SmallVector<LevelArray> arrays(Encoding encoding,
                                 unsigned level) const override {
    LevelArray positions{kPositionsName, encoding.getPosElemType()};
    LevelArray words{kCoordinatesName, encoding.getCrdElemType()};
    positions.perParent = words.perParent = positions.extra = 1;
    positions.wordSize = words.wordSize = getM(encoding.getLvlType(level));
    return {positions, words};
  }
  std::optional<CoordinatePlace> coordinatePlace(Encoding,
                                                 unsigned) const override {
    return std::nullopt;
  }
  std::unique_ptr<Level> operand(Value tensor, unsigned level) const override {
    return std::make_unique<BitmapLevel>(tensor, level);
  }
};

} // namespace

const LevelKind &nacho::bitmapKind() {
  static const BitmapKind kind;
  return kind;
}
