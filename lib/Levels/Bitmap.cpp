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
    Value first = arith::MulIOp::create(b, parent, wordsPerFiber(b));
    return arith::MinUIOp::create(b, entriesBefore(b, first), size(b));
  }

  Value size(ImplicitLocOpBuilder &b) const override {
    return memref::DimOp::create(b, emitValues(b, tensor), constant(b, 0));
  }

  /// With the word k of the fiber that has the entry:
  ///   k * m + place of the bit that pos[w * p + k] - position others are below
  Value coordinate(ImplicitLocOpBuilder &b, Value position) const override {
    Value words = wordsPerFiber(b), first = firstWord(b, words, position);
    Value in = wordOf(b, position, first, words);
    Value at = arith::AddIOp::create(b, first, in);
    Value before = arith::SubIOp::create(b, position, entriesBefore(b, at));
    Value start = arith::MulIOp::create(b, in, constant(b, wordSize));
    return arith::AddIOp::create(b, start, placeOfBit(b, word(b, at), before));
  }

  Value coordinateVector(ImplicitLocOpBuilder &b, Value position, Condition,
                         unsigned lanes) const override {
    Type lane = coordinateType();
    Value none = arith::ConstantOp::create(
        b, b.getZeroAttr(VectorType::get(lanes, lane)));
    auto loop = scf::ForOp::create(b, constant(b, 0), constant(b, lanes),
                                   constant(b, 1), none);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value n = loop.getInductionVar();
    Value stored = coordinate(b, arith::AddIOp::create(b, position, n));
    if (!lane.isIndex())
      stored = arith::IndexCastUIOp::create(b, lane, stored);
    Value with = vector::InsertOp::create(b, stored, loop.getRegionIterArg(0),
                                          OpFoldResult(n));
    scf::YieldOp::create(b, with);
    return loop.getResult(0);
  }

  /// target < N ? the entries before the bit of `target` : high
  Value lowerBound(ImplicitLocOpBuilder &b, Value target, Value first,
                   Value low, Value high) const override {
    Value words = wordsPerFiber(b), size = constant(b, wordSize);
    Value in = arith::DivUIOp::create(b, target, size);
    Value isInside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, in, words);
    in = arith::SelectOp::create(b, isInside, in, constant(b, 0));
    Value at = arith::AddIOp::create(b, firstWord(b, words, first), in);
    Value bit = arith::RemUIOp::create(b, target, size);
    Value found = arith::AddIOp::create(b, entriesBefore(b, at),
                                        count(b, below(b, word(b, at), bit)));
    found = arith::SelectOp::create(b, isInside, found, high);
    found = arith::MaxUIOp::create(b, found, low);
    return arith::MinUIOp::create(b, found, high);
  }

  void prefetchBegin(ImplicitLocOpBuilder &b, Value parent) const override {
    prefetchElement(b, positions(b),
                    arith::MulIOp::create(b, parent, wordsPerFiber(b)));
  }

private:
  static Value constant(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  Type coordinateType() const {
    return sparse_tensor::getSparseTensorEncoding(tensor.getType())
        .getCrdElemType();
  }

  Value positions(ImplicitLocOpBuilder &b) const {
    return emitPositionsArray(b, tensor, level);
  }

  /// ceil(N / m)
  Value wordsPerFiber(ImplicitLocOpBuilder &b) const {
    Value most = arith::AddIOp::create(b, extent(b), constant(b, wordSize - 1));
    return arith::DivUIOp::create(b, most, constant(b, wordSize));
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
    Value one = constant(b, 1);
    Value size = memref::DimOp::create(b, array, constant(b, 0));
    Value last =
        arith::SubIOp::create(b, arith::MaxUIOp::create(b, size, one), one);
    return loadIndex(b, array, arith::MinUIOp::create(b, at, last));
  }

  /// The first word of the fiber that is read; if that is not known, of the
  /// fiber that has an entry at `position`.
  Value firstWord(ImplicitLocOpBuilder &b, Value words, Value position) const {
    if (fiber)
      return arith::MulIOp::create(b, *fiber, words);
    Value all = memref::DimOp::create(b, this->words(b), constant(b, 0));
    Value at = wordOf(b, position, constant(b, 0), all);
    Value some = arith::MaxUIOp::create(b, words, constant(b, 1));
    return arith::SubIOp::create(b, at, arith::RemUIOp::create(b, at, some));
  }

  /// The word, among first, first + 1, ..., first + count - 1, that has the
  /// entry at `position`, counted from the first:
  ///
  /// low = 0, high = max(count, 1) - 1
  /// while low < high: mid = (low + high) / 2
  ///   pos[first + mid + 1] <= position ? low = mid + 1 : high = mid
  Value wordOf(ImplicitLocOpBuilder &b, Value position, Value first,
               Value count) const {
    Type index = b.getIndexType();
    Value one = constant(b, 1);
    Value last =
        arith::SubIOp::create(b, arith::MaxUIOp::create(b, count, one), one);
    auto loop = scf::WhileOp::create(
        b, TypeRange{index, index}, ValueRange{constant(b, 0), last},
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          Value more = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::ult, args[0], args[1]);
          scf::ConditionOp::create(builder, loc, more, args);
        },
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          ImplicitLocOpBuilder body(loc, builder);
          Value span = arith::SubIOp::create(body, args[1], args[0]);
          Value half = arith::ShRUIOp::create(body, span, one);
          Value mid = arith::AddIOp::create(body, args[0], half);
          Value after = arith::AddIOp::create(body, mid, one);
          Value next = arith::AddIOp::create(body, first, after);
          Value isBefore =
              arith::CmpIOp::create(body, arith::CmpIPredicate::ule,
                                    entriesBefore(body, next), position);
          Value low = arith::SelectOp::create(body, isBefore, after, args[0]);
          Value high = arith::SelectOp::create(body, isBefore, args[1], mid);
          scf::YieldOp::create(body, ValueRange{low, high});
        });
    return loop.getResult(0);
  }

  /// word & (2^bit - 1)
  static Value below(ImplicitLocOpBuilder &b, Value word, Value bit) {
    Value one = constant(b, 1);
    Value mask =
        arith::SubIOp::create(b, arith::ShLIOp::create(b, one, bit), one);
    return arith::AndIOp::create(b, word, mask);
  }

  static Value count(ImplicitLocOpBuilder &b, Value word) {
    Value bits = arith::IndexCastUIOp::create(b, b.getI64Type(), word);
    return arith::IndexCastUIOp::create(b, b.getIndexType(),
                                        math::CtPopOp::create(b, bits));
  }

  /// The place of the bit that has `before` other bits below it:
  ///
  /// for half = 32, 16, ..., 1, as far as the word has so many bits:
  ///   n = number of the lower `half` bits
  ///   if n <= before: place += half, before -= n, word >>= half
  Value placeOfBit(ImplicitLocOpBuilder &b, Value word, Value before) const {
    Value place = constant(b, 0);
    for (int64_t half = llvm::PowerOf2Ceil(wordSize) / 2; half; half /= 2) {
      Value by = constant(b, half);
      Value lower = count(b, below(b, word, by));
      Value isAbove =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ule, lower, before);
      auto step = [&](Value value, Value next) {
        return arith::SelectOp::create(b, isAbove, next, value).getResult();
      };
      place = step(place, arith::AddIOp::create(b, place, by));
      before = step(before, arith::SubIOp::create(b, before, lower));
      word = step(word, arith::ShRUIOp::create(b, word, by));
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
