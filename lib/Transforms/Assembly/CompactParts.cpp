//===- CompactParts.cpp - From a draft to the result ----------------------===//
//
// The function compact, and the offsets of a draft. A part appends to the draft
// from the offset that the parts before cost, and leaves free what it did not
// need; entries and positions then move together.
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"

#include "nacho/IR/Names.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// for part in 0..parts: offsets[part] = what the parts before cost
void NestAssembler::buildSlots(Value parts) {
  OpBuilder::InsertionGuard guard(b);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Type index = b.getIndexType();
  Type cut = partition.getBodyBlock()->getArgument(1).getType();
  auto worker = ParallelOp::create(b, one, args.threads);
  b.setInsertionPointToStart(worker.getBodyBlock());
  Value base =
      CutCostOp::create(b, index, loadCut(b, "lo", cut, args.bounds, zero));
  emitFor(b, zero, arith::AddIOp::create(b, parts, one), [&](Value part) {
    Value at = loadCut(b, "hi", cut, args.bounds, part);
    Value cost =
        arith::SubIOp::create(b, CutCostOp::create(b, index, at), base);
    SmallVector<Value> row(layout.numColumns(), zero);
    row.back() = cost;
    storeRow(row, args.offsets, part);
  });
}

/// The last of the parts that begins before `limit`, or at 0 if all begin
/// after it.
static Value lastBefore(ImplicitLocOpBuilder &b, Value parts, Value limit,
                        llvm::function_ref<Value(Value)> begin) {
  Type index = b.getIndexType();
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  // Parts up to `low` begin before the limit, those from `high` do not.
  auto loop = scf::WhileOp::create(
      b, TypeRange{index, index}, ValueRange{zero, parts},
      [&](OpBuilder &builder, Location loc, ValueRange range) {
        Value next = arith::AddIOp::create(builder, loc, range[0], one);
        Value more = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, next, range[1]);
        scf::ConditionOp::create(builder, loc, more, range);
      },
      [&](OpBuilder &builder, Location loc, ValueRange range) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(builder.getInsertionBlock(),
                            builder.getInsertionPoint());
        Value sum = arith::AddIOp::create(b, range[0], range[1]);
        Value mid = arith::ShRUIOp::create(b, sum, one);
        Value before = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                             begin(mid), limit);
        Value low = arith::SelectOp::create(b, before, mid, range[0]);
        Value high = arith::SelectOp::create(b, before, range[1], mid);
        scf::YieldOp::create(b, ValueRange{low, high});
      });
  return loop.getResult(0);
}

/// For the pieces of a share that one part each has appended, given where parts
/// begin: body(from, to, part)
static void forAppended(ImplicitLocOpBuilder &b, Value parts, Share share,
                        llvm::function_ref<Value(Value)> beginOf,
                        llvm::function_ref<void(Value, Value, Value)> body) {
  Value from = share.from, to = share.to;
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, from, to);
  emitIf(b, some, [&] {
    Value next = arith::AddIOp::create(b, from, one);
    Value first = lastBefore(b, parts, next, beginOf);
    Value last = lastBefore(b, parts, to, beginOf);
    emitFor(b, first, arith::AddIOp::create(b, last, one), [&](Value part) {
      Value after = arith::AddIOp::create(b, part, one);
      Value begin = arith::MaxUIOp::create(b, from, beginOf(part));
      Value end = arith::MinUIOp::create(b, to, beginOf(after));
      body(begin, end, part);
    });
  });
}

/// How much further on the draft has what a part has appended.
Value NestAssembler::shiftOf(Value part) {
  return arith::SubIOp::create(b, loadRow(args.offsets, part).back(),
                               loadRow(args.moved, part).back());
}

/// A part has written the positions after its lower cut up to its upper one.
void NestAssembler::movePositions(unsigned level, Value part, Value parts) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value draft = args.draft.positions[level], result = args.positions[level];
  Type cut = nest.getBody().getArgument(0).getType();
  auto beginOf = [&](Value part) {
    Value at = loadCut(b, "cut", cut, args.bounds, part);
    return layout.numberOfCut(b, at, level - 1, mapping);
  };
  Value size = memref::DimOp::create(b, result, zero);
  Share share = shareOf(b, part, parts, arith::SubIOp::create(b, size, one));
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, share.from, zero);
  emitIf(b, isFirst, [&] { storeIndex(b, zero, result, zero); });
  auto move = [&](Value from, Value to, Value part) {
    Value shift = shiftOf(part);
    emitFor(b, from, to, [&](Value at) {
      Value after = arith::AddIOp::create(b, at, one);
      Value position = loadIndex(b, draft, after);
      storeIndex(b, arith::SubIOp::create(b, position, shift), result, after);
    });
  };
  forAppended(b, parts, share, beginOf, move);
}

void NestAssembler::moveEntries(Value part, Value parts) {
  auto beginOf = [&](Value part) { return loadRow(args.moved, part).back(); };
  auto move = [&](Value from, Value to, Value part) {
    Value shift = shiftOf(part), before;
    // Sums go on where those of the parts before end.
    if (layout.sumsDraft())
      before = arith::IndexCastOp::create(b, b.getI64Type(),
                                          loadRow(args.moved, part).front());
    auto copy = [&](Value draft, Value result, Value plus) {
      emitFor(b, from, to, [&](Value at) {
        Value source = arith::AddIOp::create(b, at, shift);
        Value moved = memref::LoadOp::create(b, draft, source);
        if (plus)
          moved = arith::AddIOp::create(b, moved, plus);
        memref::StoreOp::create(b, moved, result, at);
      });
    };
    for (auto [draft, result] :
         llvm::zip(args.draft.coordinates, args.coordinates))
      if (draft)
        copy(draft, result, Value());
    copy(args.draft.values, args.values, before);
  };
  forAppended(b, parts, shareOf(b, part, parts, beginOf(parts)), beginOf, move);
}

/// parallel part in parts: its share of the entries, and of the positions, goes
/// from the draft to the result
void NestAssembler::buildCompact() {
  startFunction("compact",
                {Argument::bounds, Argument::offsets, Argument::moved,
                 Argument::draft, Argument::result, Argument::status},
                /*isExported=*/true);
  cloneOperands();
  Value parts = numParts();
  auto workers = ParallelOp::create(b, parts, args.threads);
  Value part = workers.getWorker();
  setName(part, "part");
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(workers.getBodyBlock());
    writeFirstFiber(part, parts, args.moved);
    moveEntries(part, parts);
    unsigned last = firstSharing(layout.type, layout.structure - 1);
    if (last > 0)
      movePositions(last, part, parts);
  }
  buildOrder();
  func::ReturnOp::create(b);
}
