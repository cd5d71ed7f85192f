//===- CombineParts.cpp - Before and after the parts ----------------------===//
//
// The functions fill and combine. Before the parts run, fill gives all elements
// of blocks the value that they have where nothing is appended. After the parts
// have run, combine adds up the partials of entries to which several parts
// contribute.
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"
#include "PartialEntries.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

/// parallel part in parts:
///   for n in the part's interval of the values:
///     values[n] = value of an element to which nothing is appended
void nacho::buildFill(PhaseFunctions &function) {
  function.start("fill", {Parameter::bounds, Parameter::result},
                 /*isExported=*/false);
  function.cloneOperands();
  ImplicitLocOpBuilder &b = function.b;
  const ResultLayout &layout = function.layout;
  Value values = function.args.values;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value parts = function.numParts();
  Value size = memref::DimOp::create(b, values, zero);
  Value part = function.startWorkers(parts).getWorker();
  Interval own = evenInterval(b, part, parts, size);
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

//===----------------------------------------------------------------------===//
// Combine
//===----------------------------------------------------------------------===//

namespace {
/// Goes from part to part, and adds the partial that the part before has kept
/// of an entry to the partial that the part itself has kept of it.
class PartCombiner {
public:
  explicit PartCombiner(PhaseFunctions &function)
      : function(function), layout(function.layout), args(function.args),
        b(function.b), places(function.places()),
        partials(b, layout, args, places) {}

  /// for part in parts, in order, so that sums are added up in order:
  ///   if this part completes the entry in which it begins:
  ///     head of this part += tail of the part before
  ///     result[entry] = head of this part
  ///   else:
  ///     tail of this part += tail of the part before
  void combine(Value parts) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Type cut = function.cutType();
    emitFor(b, zero, parts, [&](Value part) {
      Value lower = loadCut(b, "lo", cut, args.bounds, part);
      Value next = arith::AddIOp::create(b, part, one);
      Value upper = loadCut(b, "hi", cut, args.bounds, next);
      Value completes = emitDiffer(lower, upper);
      Value row = addBefore(part, completes);
      if (layout.numOuter > 0)
        emitIf(b, completes, [&] { write(row, part, lower); });
    });
    if (layout.numOuter > 0)
      return;
    // If the result is a scalar, it is now in the tail of the last part.
    Value last = arith::SubIOp::create(b, partials.head(parts), one);
    write(last, std::nullopt, std::nullopt);
  }

private:
  Value isNotZero(Value number) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, number, zero);
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

  /// row += tail of the part before, if that part has kept anything there.
  /// `row` is the head of this part if it completes the entry, else its tail.
  /// Returns the row.
  Value addBefore(Value part, Value completes) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value head = partials.head(part);
    Value tail = arith::AddIOp::create(b, head, one);
    Value row = arith::SelectOp::create(b, completes, head, tail);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero);
    // The first part has no part before it. Its own tail stands in as a row
    // that can be read.
    Value before = arith::SelectOp::create(b, isFirst, tail,
                                           arith::SubIOp::create(b, head, one));
    Value isOpen = isNotZero(partials.visited(before));
    Value isNotFirst = isNotZero(part);
    emitIf(b, Value(arith::AndIOp::create(b, isNotFirst, isOpen)), [&] {
      emitFor(b, zero, places.rowSize(), [&](Value n) {
        BinaryKind kind = layout.reduction->getKind();
        Values sums = loadOrIdentities(row, n);
        for (auto [array, sum] : llvm::zip(args.partials, sums)) {
          Value x = memref::LoadOp::create(b, array, ValueRange{before, n});
          Value all = BinaryOp::createCommutative(b, kind, x, sum);
          memref::StoreOp::create(b, all, array, ValueRange{row, n});
        }
      });
      Value count = arith::AddIOp::create(b, partials.visited(before),
                                          partials.visited(row));
      partials.setVisited(count, row);
    });
    return row;
  }

  /// The sums in a row, or the identities of the reduction if nothing has been
  /// reduced to the row.
  Values loadOrIdentities(Value row, Value number) {
    Value any = isNotZero(partials.visited(row));
    Values sums = layout.reduction->identities(b);
    for (auto [array, sum] : llvm::zip(args.partials, sums)) {
      Value stored = memref::LoadOp::create(b, array, ValueRange{row, number});
      sum = arith::SelectOp::create(b, any, stored, sum);
    }
    return sums;
  }

  /// Writes a complete entry to the result: at the outer coordinates of `cut`,
  /// and at the position where `part` appends the entry. Both are none for a
  /// scalar.
  void write(Value row, std::optional<Value> part, std::optional<Value> cut) {
    Value count = partials.visited(row);
    Values coordinates(layout.type.getRank());
    Condition isEntry = kAlways;
    for (auto [level, loop] : llvm::enumerate(layout.loopOfLevel)) {
      unsigned m = llvm::find(layout.loops, loop) - layout.loops.begin();
      if (m >= layout.numOuter)
        continue;
      coordinates[level] =
          CutCoordinateOp::create(b, b.getIndexType(), *cut, m);
      Value inside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                coordinates[level], places.extent(level));
      isEntry = emitBoth(b, isEntry, inside);
    }
    std::optional<Value> position;
    if (layout.hasCounts()) {
      isEntry = isNotZero(count);
      position = layout.positionsOf(b, layout.numStructural - 1,
                                    function.loadRow(args.offsets, *part));
    }
    emitIf(b, isEntry, [&] {
      places.forRow(coordinates, [&](Value n, ArrayRef<Value> at) {
        Values sums = loadOrIdentities(row, n);
        storeEntry(sums, count, places.location(position, at));
      });
    });
  }

  /// values[at] = the entry, if that is inside of the array.
  void storeEntry(ValueRange sums, Value count, Value at) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value size = memref::DimOp::create(b, args.values, zero);
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
};
} // namespace

void nacho::buildCombine(PhaseFunctions &function,
                         const Parameters &parameters) {
  function.start("combine", parameters, /*isExported=*/false);
  function.cloneOperands();
  Value parts = function.numParts();
  Value one = arith::ConstantIndexOp::create(function.b, 1);
  function.startWorkers(one);
  PartCombiner(function).combine(parts);
}
