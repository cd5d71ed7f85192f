//===- Compressed.cpp - Levels that store positions and coordinates -------===//
//
// The children of parent p have the positions [pos[p], pos[p + 1]), and the
// array crd has their coordinates in increasing order. In a level that is not
// unique, a coordinate may have a run of several positions.
//
//===----------------------------------------------------------------------===//

#include "LevelKind.h"
#include "StoredLevel.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

namespace {

class CompressedLevel : public StoredLevel {
public:
  using StoredLevel::StoredLevel;

  /// min(pos[parent], number of coordinates), so that even a wrong array of
  /// positions never leads beyond the end of the coordinates.
  Value begin(ImplicitLocOpBuilder &b, Value parent) const override {
    Value stored = positions(b), most = size(b);
    return min(Number(b, loadIndex(b, stored, parent)), most);
  }

  bool adjoins() const override { return true; }

  void prefetchBegin(ImplicitLocOpBuilder &b, Value parent) const override {
    prefetchElement(b, positions(b), parent);
  }

  Value numBegins(ImplicitLocOpBuilder &b) const override {
    Number zero(b, 0);
    return memref::DimOp::create(b, positions(b), zero);
  }

  /// pos[p] > pos[p + 1], or pos[0] != 0, or pos[parents] > size
  /// Where positions do not fall, none is too large unless the last one is: so
  /// nothing asks which one that is.
  Value isMisplaced(ImplicitLocOpBuilder &b, Value parent) const override {
    Value stored = positions(b);
    Number next = Number(b, parent) + 1;
    Number begin(b, loadIndex(b, stored, parent));
    Number end(b, loadIndex(b, stored, next));
    Number isFirst = Number(b, parent) == 0;
    Number isWrongFirst = isFirst & (begin != 0);
    Number isTooLarge = end > size(b);
    return (begin > end) | isWrongFirst | isTooLarge;
  }

private:
  Value positions(ImplicitLocOpBuilder &b) const {
    return emitPositionsArray(b, tensor, level);
  }
};

/// A compressed level, such as the rows of a DCSR result. If any part has
/// entries at a coordinate, the part that finishes the coordinate appends it,
/// together with the end of its children.
///
/// Neighbouring parts P together have the columns
///   spans: whether P finishes any coordinate
///   head:  whether P has entries at the coordinate in which P begins
///   mid:   the number of coordinates with entries that lie entirely in P
///   tail:  whether P has entries at the coordinate in which P ends
/// If P lies within one coordinate, its entries count as head. Loops that
/// count carry (head, mid, tail). Loops that append carry the position, and
/// whether there were entries at the current coordinate already.
class CompressedResultLevel : public ResultLevel {
public:
  Value position(ImplicitLocOpBuilder &b, ValueRange row) const override {
    return decode(b, row).position;
  }

  Value isOpen(ImplicitLocOpBuilder &b, ValueRange row) const override {
    return isTrue(b, decode(b, row).open);
  }

  void combine(ImplicitLocOpBuilder &b, ValueRange x, ValueRange y,
               SmallVectorImpl<Value> &sum) const override {
    Number zero(b, 0);
    Number xSpans = isTrue(b, x[0]), ySpans = isTrue(b, y[0]);
    Value spans = Number(b, x[0]) | y[0];
    // Whether there are entries at the coordinate in which x ends and y begins.
    Value seam = select(xSpans, x[3], x[1]) | y[1];
    Value head = select(xSpans, x[1], seam);
    Number both = xSpans & ySpans;
    Value closed = select(both, seam, zero);
    Value mid = Number(b, x[2]) + y[2] + closed;
    Value open = select(xSpans, seam, zero);
    Value tail = select(ySpans, y[3], open);
    sum.append({spans, head, mid, tail});
  }

  SmallVector<StringRef> columnNames() const override {
    return {"spans", "head", "mid", "tail"};
  }

  void initCount(ImplicitLocOpBuilder &b,
                 SmallVectorImpl<Value> &carried) const override {
    auto add = [&](StringRef name, Type type) {
      NameScope scope(b, name);
      carried.push_back(Number(b, 0, type));
    };
    add("head", b.getI1Type());
    add("mid", b.getIndexType());
    add("tail", b.getI1Type());
  }

  void leaveCount(ImplicitLocOpBuilder &b, Value any, Value onLower,
                  Value onUpper,
                  MutableArrayRef<Value> carried) const override {
    Value yes = Number::flag(b, true);
    Value isHead = Number(b, any) & onLower;
    carried[0] = Number(b, carried[0]) | isHead;
    Value offLower = Number(b, onLower) ^ yes;
    Number rest = Number(b, any) & offLower;
    Value isTail = rest & onUpper;
    carried[2] = Number(b, carried[2]) | isTail;
    Value offUpper = Number(b, onUpper) ^ yes;
    Value isMid = rest & offUpper;
    carried[1] = Number(b, carried[1]) + toIndex(b, isMid);
  }

  void columns(ImplicitLocOpBuilder &b, Value spans, ValueRange carried,
               SmallVectorImpl<Value> &row) const override {
    row.append({toIndex(b, spans), toIndex(b, carried[0]), carried[1],
                toIndex(b, carried[2])});
  }

  void initAppend(ImplicitLocOpBuilder &b, const AppendContext &context,
                  SmallVectorImpl<Value> &carried) const override {
    if (context.positions) {
      Number zero(b, 0);
      Value isFirst = Number(b, context.part) == zero;
      auto ifFirst = scf::IfOp::create(b, isFirst, /*withElse=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(ifFirst.thenBlock());
      storeIndex(b, zero, context.positions, zero);
    }
    Place place = decode(b, context.first);
    NameScope name(b, "open");
    carried.append({place.position, isTrue(b, place.open)});
  }

  void leaveAppend(ImplicitLocOpBuilder &b, const AppendContext &context,
                   const AppendedCoordinate &at,
                   MutableArrayRef<Value> carried) const override {
    Number one(b, 1);
    Value yes = Number::flag(b, true);
    Number position(b, carried[0]);
    Number any = Number(b, at.any) | carried[1];
    // The bound only matters if operands were changed after the count.
    Value end = decode(b, context.last).position;
    Value fits = position < end;
    Value append = Number(b, at.finished) & any & fits;
    auto ifAppend = scf::IfOp::create(b, append, /*withElse=*/false);
    Value after = position + toIndex(b, append);
    Value unfinished = Number(b, at.finished) ^ yes;
    carried[0] = after;
    carried[1] = any & unfinished;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifAppend.thenBlock());
    for (auto [coordinate, buffer] :
         llvm::zip(at.coordinates, context.coordinates))
      storeIndex(b, coordinate, buffer, position);
    if (context.positions)
      storeIndex(b, at.next, context.positions, position + one);
  }

  Condition finishAppend(ImplicitLocOpBuilder &b, const AppendContext &context,
                         Value, ValueRange carried) const override {
    Place place = decode(b, context.last);
    Number isThere = Number(b, carried[0]) == place.position;
    Value isOpen = Number(b, carried[1]) == isTrue(b, place.open);
    return isThere & isOpen;
  }

private:
  static Number toIndex(ImplicitLocOpBuilder &b, Value flag) {
    return Number(b, flag).asIndex();
  }

  static Number isTrue(ImplicitLocOpBuilder &b, Value flag) {
    return Number(b, flag) != 0;
  }

  /// The number of positions that the first parts together have finished, and
  /// whether there are entries at the coordinate in which these parts end.
  struct Place {
    Value position, open;
  };

  static Place decode(ImplicitLocOpBuilder &b, ValueRange row) {
    Number zero(b, 0);
    Number spans = isTrue(b, row[0]);
    Value finished = Number(b, row[1]) + row[2];
    Place place;
    {
      NameScope name(b, "position");
      place.position = select(spans, finished, zero);
    }
    place.open = select(spans, row[3], row[1]);
    return place;
  }
};

class CompressedKind : public LevelKind {
public:
  bool matches(Encoding encoding, unsigned level) const override {
    return isCompressedLT(encoding.getLvlType(level));
  }
  SmallVector<LevelArray> arrays(Encoding encoding, unsigned) const override {
    return {positionsArray(encoding), coordinatesArray(encoding)};
  }
  std::unique_ptr<Level> operand(Value tensor, unsigned level) const override {
    return std::make_unique<CompressedLevel>(tensor, level);
  }
  std::unique_ptr<ResultLevel> result() const override {
    return std::make_unique<CompressedResultLevel>();
  }
};

} // namespace

const LevelKind &nacho::compressedKind() {
  static const CompressedKind kind;
  return kind;
}
