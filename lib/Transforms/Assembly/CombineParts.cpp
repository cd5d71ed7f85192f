//===- CombineParts.cpp - Before and after the parts ----------------------===//
//
// The functions fill and combine: what a block has where nothing is stored, and
// the entries that no part has all of.
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// parallel part in parts: values[n * part / parts ...] = 0
void NestAssembler::buildFill() {
  startFunction("fill", {Argument::bounds, Argument::result},
                /*isExported=*/false);
  cloneOperands();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value parts = numParts();
  Value size = memref::DimOp::create(b, args.values, zero);
  auto workers = startWorkers(parts);
  Share share = shareOf(b, workers.getWorker(), parts, size);
  Value nothing;
  if (layout.reduction)
    nothing = layout.finish(b, layout.identities(b), zero, mapping);
  else
    nothing =
        CastOp::create(b, layout.type.getElementType(),
                       arith::ConstantOp::create(b, b.getI8IntegerAttr(0)));
  emitFor(b, share.from, share.to, [&](Value at) {
    memref::StoreOp::create(b, nothing, args.values, at);
  });
}

/// for part in parts, one after the other, which keeps the order of sums:
///   an entry that the part before has not completed goes on in this one's
///   head if that completes it, which then goes to the result; else in its tail
void NestAssembler::buildCombine() {
  Arguments arguments = executeArguments();
  arguments.pop_back();
  startFunction("combine", arguments, /*isExported=*/false);
  cloneOperands();
  Value parts = numParts();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value two = arith::ConstantIndexOp::create(b, 2);
  startWorkers(one);
  Type cut = nest.getBody().getArgument(0).getType();
  Type index = b.getIndexType();
  auto visited = [&](Value row) -> Value {
    return memref::LoadOp::create(b, args.visited, row);
  };
  emitFor(b, zero, parts, [&](Value part) {
    Value lower = loadCut(b, "lo", cut, args.bounds, part);
    Value upper =
        loadCut(b, "hi", cut, args.bounds, arith::AddIOp::create(b, part, one));
    Value spans = arith::ConstantIntOp::create(b, 0, 1);
    for (unsigned m = 0; m < layout.numOuter; ++m) {
      Value differ =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                CutCoordinateOp::create(b, index, lower, m),
                                CutCoordinateOp::create(b, index, upper, m));
      spans = arith::OrIOp::create(b, spans, differ);
    }
    Value head = arith::MulIOp::create(b, part, two);
    Value tail = arith::AddIOp::create(b, head, one);
    Value row = arith::SelectOp::create(b, spans, head, tail);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero);
    // The first part has none before it: its own tail is then as good as any.
    Value before = arith::SelectOp::create(b, isFirst, tail,
                                           arith::SubIOp::create(b, head, one));
    Value isOpen = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                         visited(before), zero);
    Value isNotFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, part, zero);
    emitIf(b, arith::AndIOp::create(b, isNotFirst, isOpen), [&] {
      emitFor(b, zero, layout.rowSize(b, mapping), [&](Value n) {
        SmallVector<Value> sums = loadSums(row, n);
        for (auto [partials, sum] : llvm::zip(args.partials, sums)) {
          Value x = memref::LoadOp::create(b, partials, ValueRange{before, n});
          Value all = BinaryOp::createCommutative(b, *layout.reduction, x, sum);
          memref::StoreOp::create(b, all, partials, ValueRange{row, n});
        }
      });
      Value count = arith::AddIOp::create(b, visited(before), visited(row));
      memref::StoreOp::create(b, count, args.visited, row);
    });
    if (layout.numOuter > 0)
      emitIf(b, spans, [&] { writeCombined(row, part, lower); });
  });
  if (layout.numOuter > 0)
    return;
  Value last =
      arith::SubIOp::create(b, arith::MulIOp::create(b, parts, two), one);
  writeCombined(last, Value(), Value());
}

/// The sums in a row, of which nothing may have been reduced.
SmallVector<Value> NestAssembler::loadSums(Value row, Value n) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value count = memref::LoadOp::create(b, args.visited, row);
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, count, zero);
  SmallVector<Value> sums = layout.identities(b);
  for (auto [partials, sum] : llvm::zip(args.partials, sums)) {
    Value stored = memref::LoadOp::create(b, partials, ValueRange{row, n});
    sum = arith::SelectOp::create(b, any, stored, sum);
  }
  return sums;
}

/// A complete entry, at the coordinates of a cut, goes to the result.
void NestAssembler::writeCombined(Value row, Value part, Value cut) {
  Value count = memref::LoadOp::create(b, args.visited, row);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> coordinates(layout.type.getRank());
  Value isEntry, position;
  for (auto [level, loop] : llvm::enumerate(layout.loopOfLevel)) {
    unsigned m = llvm::find(layout.loops, loop) - layout.loops.begin();
    if (m >= layout.numOuter)
      continue;
    coordinates[level] = CutCoordinateOp::create(b, b.getIndexType(), cut, m);
    Value inside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, coordinates[level],
                              layout.extent(b, level, mapping));
    isEntry =
        isEntry ? Value(arith::AndIOp::create(b, isEntry, inside)) : inside;
  }
  if (layout.hasCounts()) {
    isEntry = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, count, zero);
    position = layout.positionsOf(b, layout.structure - 1,
                                  loadRow(args.offsets, part));
  }
  emitIf(b, isEntry, [&] {
    layout.forRow(b, coordinates, mapping, [&](Value n, ArrayRef<Value> at) {
      SmallVector<Value> sums = loadSums(row, n);
      Value where = layout.location(b, position, at, mapping);
      Value size = memref::DimOp::create(b, args.values, zero);
      Value fits =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, where, size);
      emitIf(b, fits, [&] {
        memref::StoreOp::create(b, layout.finish(b, sums, count, mapping),
                                args.values, where);
      });
    });
  });
}
