//===- SumShortRows.cpp - Sums of short rows, several at once -------------===//
//
// Consumes and leaves scf loops. A loop over rows with few entries takes most
// of its time to begin and to end the loops over these entries, and checks the
// coordinates one by one. But the entries of neighbouring rows follow one
// another in memory. So this file cuts the rows into strips. If the rows of a
// strip are short, their terms are computed by one loop over all their entries,
// which nacho-sum-in-lanes makes a loop over vectors, and are then added up row
// by row, several rows at once (RowsInLanes.cpp):
//
//   for strip of rows from i to next, the entries from begin to end:
//     if end - begin <= most:
//       for k = begin to end: terms[k - begin] = term(k)
//       for 8 rows: add them up in lanes, or
//                   for row: sum += terms[...]
//     else:
//       for row: sum += term(...)       // as before
//
// Each row adds up its terms in the same order in all three cases.
//
//===----------------------------------------------------------------------===//

#include "RowsInLanes.h"
#include "nacho/IR/Arith.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSUMSHORTROWS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The rows of a strip, and the entries that they have at most if they are
/// short. The terms are to stay in the nearest cache.
static constexpr int64_t kStripRows = 64, kStripEntries = 2048;

namespace {
/// Replaces a loop over rows by one over strips of rows.
class StripLoop {
public:
  explicit StripLoop(RowSums &sums)
      : sums(sums), b(sums.rows.getLoc(), sums.rows) {}

  void replace();

private:
  void allocate();
  void emitTerms();
  void raiseAlarms(ValueRange flags);
  void emitShortRows(Value from, Value to);
  Value emitGroup(Value from, Value to, Value begin);
  Value fitsLanes(Value from, Value to);
  Value emitOneByOne(Value from, Value to, Value begin);
  void emitRow(Value row, Value begin, Value end);
  void addTerms(Value begin, Value end, IRMapping &copy);
  Value emitLongRows(Value from, Value to);

  RowSums &sums;
  ImplicitLocOpBuilder b;
  Strip strip;
};
} // namespace

/// Makes room for the terms, and zeros behind it. Lanes whose rows have ended
/// read what is behind.
void StripLoop::allocate() {
  for (const CarriedValue &one : sums.body.carried)
    if (!one.isFlag())
      strip.terms.push_back(memref::AllocaOp::create(
          b, MemRefType::get({kStripEntries + kTermsAtOnce + 2 * kLanes},
                             one.term.getType())));
  for (Value terms : strip.terms) {
    Type type = cast<MemRefType>(terms.getType()).getElementType();
    vector::StoreOp::create(b, Number(b, 0, VectorType::get(kLanes, type)),
                            terms, strip.zeros(b));
  }
}

/// for k = begin to end: terms[k - begin] = term(k), joining flags
void StripLoop::emitTerms() {
  SmallVector<Value> start, flags;
  for (auto [one, first] :
       llvm::zip(sums.body.carried, sums.entries.getInitArgs()))
    if (one.isFlag())
      start.push_back(first);
  Value shift = Number(b, 0) - strip.begin;
  Value end = Number(b, strip.begin) + strip.size;
  auto loop = scf::ForOp::create(b, strip.begin, end, Number(b, 1), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  IRMapping copy;
  copy.map(sums.entries.getInductionVar(), loop.getInductionVar());
  for (Operation &op : sums.entries.getBody()->without_terminator())
    if (!sums.body.updates(&op))
      b.clone(op, copy);
  Value place = Number(b, loop.getInductionVar()) + shift;
  const auto *terms = strip.terms.begin();
  for (const CarriedValue &one : sums.body.carried) {
    Value term = copy.lookupOrDefault(one.term);
    if (one.isFlag())
      flags.push_back(Number(b, loop.getRegionIterArg(flags.size())) | term);
    else
      memref::StoreOp::create(b, term, *terms++, place);
  }
  if (!flags.empty())
    scf::YieldOp::create(b, flags);
  b.setInsertionPointAfter(loop);
  raiseAlarms(loop.getResults());
}

/// Tells the caller of flags that any entry of the strip has raised.
void StripLoop::raiseAlarms(ValueRange flags) {
  for (auto [one, flag] :
       llvm::zip(sums.body.carried, sums.entries.getResults()))
    if (one.isFlag()) {
      IRMapping copy;
      copy.map(flag, flags.front());
      flags = flags.drop_front();
      b.clone(**flag.getUsers().begin(), copy);
    }
}

/// for 8 rows at a time: all at once, or one by one
void StripLoop::emitShortRows(Value from, Value to) {
  Number begin(b, 0, b.getI32Type());
  auto loop = scf::ForOp::create(b, from, to, Number(b, kRowLanes), begin);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value end = emitGroup(loop.getInductionVar(), to, loop.getRegionIterArg(0));
  scf::YieldOp::create(b, end);
}

/// Whether there are rows, and elements of the result, for all lanes.
Value StripLoop::fitsLanes(Value from, Value to) {
  Number after = Number(b, from) + kRowLanes;
  Number fits = after <= to;
  for (memref::StoreOp store : sums.stores)
    if (Value limit = sums.limitOf(store)) {
      IRMapping none;
      limit = sums.emitAgain(b, limit, none);
      fits = fits & (after <= limit);
    }
  return fits;
}

/// if there are 8 rows, and lanes can sum them: add them up at once
/// else: one by one
Value StripLoop::emitGroup(Value from, Value to, Value begin) {
  Type types[] = {b.getI32Type(), b.getI1Type()};
  Value fits = fitsLanes(from, to);
  auto ifFits = scf::IfOp::create(b, types, fits, /*withElseRegion=*/true);
  auto ifDone = [&] {
    b.setInsertionPointToStart(ifFits.elseBlock());
    Value no = Number::flag(b, false);
    scf::YieldOp::create(b, ValueRange{begin, no});
    b.setInsertionPointToStart(ifFits.thenBlock());
    RowsInLanes lanes(b, sums, strip, from);
    lanes.emitPlaces(begin);
    Value canSum = lanes.emitCanSum();
    auto ifCan = scf::IfOp::create(b, canSum);
    b.setInsertionPointToStart(ifCan.thenBlock());
    lanes.emitSums();
    b.setInsertionPointAfter(ifCan);
    scf::YieldOp::create(b, ValueRange{lanes.emitEnd(), canSum});
    b.setInsertionPointAfter(ifFits);
    return scf::IfOp::create(b, b.getI32Type(), ifFits.getResult(1),
                             /*withElseRegion=*/true);
  }();
  b.setInsertionPointToStart(ifDone.thenBlock());
  scf::YieldOp::create(b, ifFits.getResult(0));
  b.setInsertionPointToStart(ifDone.elseBlock());
  Value after = min(Number(b, from) + kRowLanes, to);
  scf::YieldOp::create(b, emitOneByOne(from, after, begin));
  b.setInsertionPointAfter(ifDone);
  return ifDone.getResult(0);
}

/// for row = from to to: sum += terms[...]
Value StripLoop::emitOneByOne(Value from, Value to, Value begin) {
  auto loop = scf::ForOp::create(b, from, to, Number(b, 1), begin);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  IRMapping known;
  known.map(sums.rows.getInductionVar(), loop.getInductionVar());
  Value end = strip.placeOf(b, sums.emitAgain(b, sums.end(), known));
  emitRow(loop.getInductionVar(), Number(b, loop.getRegionIterArg(0)).asIndex(),
          Number(b, end).asIndex());
  scf::YieldOp::create(b, end);
  return loop.getResult(0);
}

/// Emits a row whose terms are in memory.
void StripLoop::emitRow(Value row, Value begin, Value end) {
  IRMapping copy;
  copy.map(sums.rows.getInductionVar(), row);
  for (Operation &op : sums.rows.getBody()->without_terminator())
    if (&op == sums.entries)
      addTerms(begin, end, copy);
    else if (!llvm::is_contained(sums.alarms, &op))
      b.clone(op, copy);
}

/// for k = begin to end: sum += terms[k]
void StripLoop::addTerms(Value begin, Value end, IRMapping &copy) {
  SmallVector<Value> start, next, results;
  for (auto [one, first, sum] :
       llvm::zip(sums.body.carried, sums.entries.getInitArgs(),
                 sums.entries.getResults()))
    if (!one.isFlag()) {
      start.push_back(first);
      results.push_back(sum);
    }
  auto loop = scf::ForOp::create(b, begin, end, Number(b, 1), start);
  copy.map(results, loop.getResults());
  if (sums.body.looksUp())
    loop->setAttr(kLooksUp, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  for (const CarriedValue &one : sums.body.carried) {
    if (one.isFlag())
      continue;
    size_t n = next.size();
    IRMapping operands;
    operands.map(one.term,
                 memref::LoadOp::create(b, strip.terms[n],
                                        ValueRange(loop.getInductionVar())));
    operands.map(sums.entries.getRegionIterArg(&one - sums.body.carried.data()),
                 loop.getRegionIterArg(n));
    next.push_back(b.clone(*one.update, operands)->getResult(0));
  }
  scf::YieldOp::create(b, next);
}

/// The rows as they were.
Value StripLoop::emitLongRows(Value from, Value to) {
  auto loop = cast<scf::ForOp>(b.clone(*sums.rows));
  loop.setLowerBound(from);
  loop.setUpperBound(to);
  loop.getInitArgsMutable().assign(ValueRange(strip.begin));
  return loop.getResult(0);
}

void StripLoop::replace() {
  allocate();
  scf::ForOp rows = sums.rows;
  auto loop = scf::ForOp::create(b, rows.getLowerBound(), rows.getUpperBound(),
                                 Number(b, kStripRows), rows.getInitArgs());
  rows.replaceAllUsesWith(loop.getResults());
  b.setInsertionPointToStart(loop.getBody());
  Value from = loop.getInductionVar();
  Number to = min(Number(b, from) + kStripRows, rows.getUpperBound());
  IRMapping known;
  known.map(rows.getInductionVar(), to - 1);
  Value end = sums.emitAgain(b, sums.end(), known);
  strip.begin = loop.getRegionIterArg(0);
  strip.size = Number(b, end) - strip.begin;
  auto ifShort = scf::IfOp::create(b, b.getIndexType(),
                                   Number(b, strip.size) <= kStripEntries,
                                   /*withElseRegion=*/true);
  scf::YieldOp::create(b, ifShort.getResults());
  b.setInsertionPointToStart(ifShort.thenBlock());
  emitTerms();
  emitShortRows(from, to);
  scf::YieldOp::create(b, end);
  b.setInsertionPointToStart(ifShort.elseBlock());
  scf::YieldOp::create(b, emitLongRows(from, to));
  rows.erase();
}

namespace {
struct SumShortRows : nacho::impl::NachoSumShortRowsBase<SumShortRows> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (std::optional<RowSums> sums = RowSums::match(loop))
        StripLoop(*sums).replace();
  }
};
} // namespace
