//===- CombineParts.cpp - Before and after the parts ----------------------===//
//
// The functions fill, clear and combine. Before the parts run, fill gives all
// elements of blocks the value that they have where nothing is appended, and
// clear empties rows of sums that are as long as the result. After the parts
// have run, combine adds up the partials of entries to which several parts
// contribute. Rows are cleared and combined in pieces of equal size, so that
// workers share this evenly, too.
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"
#include "PartialEntries.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Fill and clear
//===----------------------------------------------------------------------===//

/// The number of elements in a piece: a piece stays in the first cache while
/// the same piece of every part's row is added to it.
static constexpr int64_t kPiece = 2048;

/// The number of pieces of an array.
static Value emitPieces(ImplicitLocOpBuilder &b, Value size) {
  Value most = arith::ConstantIndexOp::create(b, kPiece);
  Value rest = arith::ConstantIndexOp::create(b, kPiece - 1);
  return arith::DivUIOp::create(b, arith::AddIOp::create(b, size, rest), most);
}

/// Emits a parallel loop with a worker for each piece as the last op of a
/// function, and leaves the builder in its body. Returns the piece.
static Value startPieces(PhaseFunctions &function, Value pieces) {
  Value piece = function.startWorkers(pieces).getWorker();
  setName(piece, "piece");
  return piece;
}

/// The numbers of the elements in a piece.
static Interval emitPiece(ImplicitLocOpBuilder &b, Value piece, Value size) {
  Value most = arith::ConstantIndexOp::create(b, kPiece);
  Value from = arith::MulIOp::create(b, piece, most);
  Value to = arith::AddIOp::create(b, from, most);
  return {from, arith::MinUIOp::create(b, to, size)};
}

/// parallel piece of the values:
///   for n in the piece:
///     values[n] = value of an element to which nothing is appended
void nacho::buildFill(PhaseFunctions &function) {
  function.start("fill", {Parameter::result}, /*isExported=*/false);
  function.cloneOperands();
  ImplicitLocOpBuilder &b = function.b;
  const ResultLayout &layout = function.layout;
  Value values = function.args.values;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value size = memref::DimOp::create(b, values, zero);
  Value piece = startPieces(function, emitPieces(b, size));
  Interval own = emitPiece(b, piece, size);
  Value nothing;
  if (const auto &reduction = layout.reduction)
    nothing =
        reduction->finish(b, reduction->identities(b), zero, function.mapping);
  else
    nothing =
        CastOp::create(b, layout.type.getElementType(),
                       arith::ConstantOp::create(b, b.getI8IntegerAttr(0)));
  emitFor(b, own.from, own.to,
          [&](Value at) { memref::StoreOp::create(b, nothing, values, at); });
}

/// parallel piece of all rows:
///   for n in the piece:
///     row[n] = identity of the reduction
void nacho::buildClear(PhaseFunctions &function, const Parameters &parameters) {
  function.start("clear", parameters, /*isExported=*/false);
  function.cloneOperands();
  ImplicitLocOpBuilder &b = function.b;
  ResultPlaces places = function.places();
  Value rowSize = places.rowSize(), pieces = emitPieces(b, rowSize);
  Value all = arith::MulIOp::create(b, function.numParts(), pieces);
  Value piece = startPieces(function, all);
  Value row = arith::DivUIOp::create(b, piece, pieces);
  Value inRow = arith::RemUIOp::create(b, piece, pieces);
  PartialEntries(b, function.layout, function.args, places)
      .clear(row, emitPiece(b, inRow, rowSize));
}

//===----------------------------------------------------------------------===//
// Combine
//===----------------------------------------------------------------------===//

namespace {
/// Adds up one piece of the partials. What is added to a sum, and in which
/// order, is the same however large the pieces are.
class PartCombiner {
public:
  PartCombiner(PhaseFunctions &function, Interval piece)
      : function(function), layout(function.layout), args(function.args),
        b(function.b), places(function.places()),
        partials(b, layout, args, places), piece(piece) {}

  /// If there are outer loops, for one part that completes the entry in which
  /// it begins, and other parts have begun the entry:
  ///   for other in those parts, in order, so that sums are added up in order:
  ///     tail of the other += tail of the part before
  ///   head of the part += tail of the part before
  ///   result[entry] = head of the part
  void combine(Value part) {
    Type cut = function.cutType();
    Value lower = loadCut(b, "lo", cut, args.bounds, part);
    Value next = arith::AddIOp::create(b, part, one());
    Value upper = loadCut(b, "hi", cut, args.bounds, next);
    emitIf(b, emitDiffer(lower, upper), [&] {
      Value first = firstPartOf(part, lower);
      auto loop = scf::ForOp::create(b, first, part, one(), openBefore(first));
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Value other = loop.getInductionVar(), open = loop.getRegionIterArg(0);
        setName(other, "other");
        setName(open, "open");
        Value count = addTail(other, partials.tail(other), open);
        scf::YieldOp::create(b, count);
      }
      Value head = partials.head(part);
      write(head, addTail(part, head, loop.getResult(0)), part, lower);
    });
  }

  /// Without outer loops, all parts have added to the same entries:
  ///   for part in parts but the first, in order:
  ///     tail of the first part += tail of this part
  ///   result = tail of the first part
  void combineAll(Value parts) {
    Value first = partials.tail(zero());
    auto loop =
        scf::ForOp::create(b, one(), parts, one(), partials.visited(first));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      setName(loop.getInductionVar(), "part");
      Value row = partials.tail(loop.getInductionVar());
      Value own = partials.visited(row);
      emitIf(b, isNotZero(own), [&] { addRow(row, first, kAlways); });
      scf::YieldOp::create(
          b,
          arith::AddIOp::create(b, loop.getRegionIterArg(0), own).getResult());
    }
    writeAll(first, loop.getResult(0));
  }

private:
  /// The first part that begins in the entry in which `part` does, at `lower`.
  /// Cuts are in order:
  ///   low = 0, high = part
  ///   while low < high:
  ///     middle = (low + high) / 2
  ///     if the entry of the cut of `middle` is another one: low = middle + 1
  ///     else: high = middle
  Value firstPartOf(Value part, Value lower) {
    Type index = b.getIndexType();
    auto loop = scf::WhileOp::create(b, TypeRange{index, index},
                                     ValueRange{zero(), part});
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Location> locations(2, b.getLoc());
    Block *before =
        b.createBlock(&loop.getBefore(), {}, {index, index}, locations);
    Value isLeft =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                              before->getArgument(0), before->getArgument(1));
    scf::ConditionOp::create(b, isLeft, before->getArguments());
    Block *after =
        b.createBlock(&loop.getAfter(), {}, {index, index}, locations);
    Value low = after->getArgument(0), high = after->getArgument(1);
    Value middle =
        arith::ShRUIOp::create(b, arith::AddIOp::create(b, low, high), one());
    Value isOther = emitDiffer(
        loadCut(b, "cut", function.cutType(), args.bounds, middle), lower);
    Value above = arith::AddIOp::create(b, middle, one());
    Value from = arith::SelectOp::create(b, isOther, above, low);
    Value to = arith::SelectOp::create(b, isOther, high, middle);
    scf::YieldOp::create(b, ValueRange{from, to});
    return loop.getResult(0);
  }

  /// How many elements were reduced to the tail of the part before; 0 if there
  /// is no such part.
  Value openBefore(Value part) {
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero());
    Value before = arith::SubIOp::create(b, part, one());
    Value some = arith::SelectOp::create(b, isFirst, zero(), before);
    return arith::SelectOp::create(b, isFirst, zero(),
                                   partials.visited(partials.tail(some)));
  }

  /// row += tail of the part before `part`, to which `open` elements were
  /// reduced. Returns how many are reduced to the row.
  Value addTail(Value part, Value row, Value open) {
    Value own = partials.visited(row);
    // The tail of the part before is the row before the head.
    emitIf(b, isNotZero(open), [&] {
      Value tail = arith::SubIOp::create(b, partials.head(part), one());
      addRow(tail, row, isNotZero(own));
    });
    return arith::AddIOp::create(b, open, own);
  }

  Value zero() { return arith::ConstantIndexOp::create(b, 0); }
  Value one() { return arith::ConstantIndexOp::create(b, 1); }

  Value isNotZero(Value number) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, number, zero());
  }

  /// Whether two cuts differ in a coordinate of the outer loops. If so, the
  /// part between them completes the entry in which it begins.
  Value emitDiffer(Value lower, Value upper) {
    Type index = b.getIndexType();
    Value any = arith::ConstantIntOp::create(b, 0, 1);
    for (unsigned m = 0; m < layout.numOuter; ++m) {
      Value differ =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                CutCoordinateOp::create(b, index, lower, m),
                                CutCoordinateOp::create(b, index, upper, m));
      any = arith::OrIOp::create(b, any, differ);
    }
    return any;
  }

  /// to[n] = from[n] + to[n], for n in the piece. Unless `any` holds, nothing
  /// has been reduced to the row `to` so far.
  void addRow(Value from, Value to, Condition any) {
    BinaryKind kind = layout.reduction->getKind();
    emitFor(b, piece.from, piece.to, [&](Value n) {
      Values sums;
      for (auto [x, y] : llvm::zip(partials.load(from, n), load(to, n, any)))
        sums.push_back(BinaryOp::createCommutative(b, kind, x, y));
      partials.store(sums, to, n);
    });
  }

  /// The sums in a row, or the identities of the reduction unless `any` holds.
  Values load(Value row, Value number, Condition any) {
    Values sums = partials.load(row, number);
    if (any.isAlways())
      return sums;
    Values nothing = layout.reduction->identities(b);
    for (auto [sum, identity] : llvm::zip(sums, nothing))
      sum = emitSelect(b, any, sum, identity);
    return sums;
  }

  /// Writes a complete entry, to which `count` elements were reduced, to the
  /// result: at the outer coordinates of `cut`, and at the position where
  /// `part` appends the entry.
  void write(Value row, Value count, Value part, Value cut) {
    Values coordinates(layout.type.getRank());
    Condition isEntry = kAlways, any = isNotZero(count);
    for (auto [level, loop] : llvm::enumerate(layout.loopOfLevel)) {
      unsigned m = llvm::find(layout.loops, loop) - layout.loops.begin();
      if (m >= layout.numOuter)
        continue;
      coordinates[level] = CutCoordinateOp::create(b, b.getIndexType(), cut, m);
      Value inside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                coordinates[level], places.extent(level));
      isEntry = emitBoth(b, isEntry, inside);
    }
    std::optional<Value> position;
    if (layout.hasCounts()) {
      isEntry = any;
      position = layout.positionsOf(b, layout.numStructural - 1,
                                    function.loadRow(args.offsets, part));
    }
    emitIf(b, isEntry, [&] {
      emitFor(b, piece.from, piece.to, [&](Value n) {
        Values at = places.atNumber(n, coordinates);
        storeEntry(load(row, n, any), count, places.location(position, at));
      });
    });
  }

  /// result = row, to which `count` elements were reduced. The row has its sums
  /// where the result has them.
  void writeAll(Value row, Value count) {
    Value size = memref::DimOp::create(b, args.values, zero());
    Value end = arith::MinUIOp::create(b, piece.to, size);
    emitFor(b, piece.from, end, [&](Value n) {
      Value entry = layout.reduction->finish(b, partials.load(row, n), count,
                                             function.mapping);
      memref::StoreOp::create(b, entry, args.values, n);
    });
  }

  /// values[at] = the entry, if that is inside of the array.
  void storeEntry(ValueRange sums, Value count, Value at) {
    Value size = memref::DimOp::create(b, args.values, zero());
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, size);
    emitIf(b, fits, [&] {
      Value entry = layout.reduction->finish(b, sums, count, function.mapping);
      memref::StoreOp::create(b, entry, args.values, at);
    });
  }

  PhaseFunctions &function;
  const ResultLayout &layout;
  const PhaseArguments &args;
  ImplicitLocOpBuilder &b;
  ResultPlaces places;
  PartialEntries partials;
  Interval piece;
};
} // namespace

/// parallel piece of a row of partials, for each part if there are outer loops:
///   combine(piece)
void nacho::buildCombine(PhaseFunctions &function,
                         const Parameters &parameters) {
  function.start("combine", parameters, /*isExported=*/false);
  function.cloneOperands();
  ImplicitLocOpBuilder &b = function.b;
  Value parts = function.numParts(), rowSize = function.places().rowSize();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  bool isRow = !function.layout.innerLevels.empty();
  bool isOfAll = function.layout.numOuter == 0;
  Value pieces = isRow ? emitPieces(b, rowSize) : one;
  Value all = isOfAll ? pieces : arith::MulIOp::create(b, parts, pieces);
  Value worker = startPieces(function, all);
  if (!isOfAll)
    setName(worker, "worker");
  Value piece = isOfAll ? worker : arith::RemUIOp::create(b, worker, pieces);
  Interval sums = isRow ? emitPiece(b, piece, rowSize) : Interval{zero, one};
  PartCombiner combiner(function, sums);
  if (isOfAll)
    combiner.combineAll(parts);
  else
    combiner.combine(arith::DivUIOp::create(b, worker, pieces));
}
