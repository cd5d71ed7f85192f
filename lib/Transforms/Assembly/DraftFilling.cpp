//===- DraftFilling.cpp - Results that are drafted first ------------------===//
//
// Parts append to a draft of the result, each from the offset up to which those
// before it have room (DraftRoom.h), and the places that a part does not need
// stay free. The function compact moves the entries together, and adjusts the
// positions.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "DraftRoom.h"
#include "Filling.h"
#include "PartBuilder.h"
#include "nacho/IR/WhileLoop.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Which parts have appended the entries of an interval
//===----------------------------------------------------------------------===//

/// The last part with begin(part) < limit; part 0 if there is none.
static Value lastBefore(ImplicitLocOpBuilder &b, Value parts, Value limit,
                        llvm::function_ref<Value(Value)> begin) {
  auto isBefore = [&](Number part) { return Number(b, begin(part)) < limit; };
  return emitBisection(b, Number(b, 1), parts, isBefore) - 1;
}

/// Divides an interval of entries or positions by the parts that appended them:
///   for each part that has appended some of the interval:
///     body(from, to, part), where these are the numbers in [from, to)
///
/// Part p has appended the numbers from beginOf(p) to beginOf(p + 1).
static void forAppended(ImplicitLocOpBuilder &b, Value parts, Interval interval,
                        llvm::function_ref<Value(Value)> beginOf,
                        llvm::function_ref<void(Value, Value, Value)> body) {
  auto [from, to] = interval;
  Number one(b, 1);
  Value some = Number(b, from) < to;
  emitIf(b, some, [&, from = from, to = to] {
    Value next = Number(b, from) + one;
    Value first = lastBefore(b, parts, next, beginOf);
    Value last = lastBefore(b, parts, to, beginOf);
    emitFor(b, first, Number(b, last) + one, [&](Value part) {
      Value after = Number(b, part) + one;
      Value begin = max(Number(b, from), beginOf(part));
      Value end = min(Number(b, to), beginOf(after));
      body(begin, end, part);
    });
  });
}

//===----------------------------------------------------------------------===//
// From the draft to the result
//===----------------------------------------------------------------------===//

namespace {
/// Moves the entries and positions of one worker. All workers move equally
/// many, whichever parts have appended them.
class DraftMover {
public:
  DraftMover(PhaseFunctions &function, Value worker, Value parts)
      : function(function), layout(function.layout), args(function.args),
        b(function.b), worker(worker), parts(parts) {}

  void moveEntries() {
    auto beginOf = [&](Value part) {
      return function.loadRow(args.moved, part).back();
    };
    auto move = [&](Value from, Value to, Value part) {
      Value shift = shiftOf(part);
      std::optional<Value> before = layout.collector->sumBefore(function, part);
      for (auto [draft, result] :
           llvm::zip(args.draft.coordinates, args.coordinates))
        if (draft)
          moveArray(draft, result, {from, to}, shift, std::nullopt);
      moveArray(args.draft.values, args.values, {from, to}, shift, before);
    };
    Interval own = evenInterval(b, worker, parts, beginOf(parts));
    forAppended(b, parts, own, beginOf, move);
  }

  /// Copies positions, less the shift of the part that wrote them: each part
  /// has written the positions after its lower cut, up to its upper cut.
  void movePositions(unsigned level) {
    Number zero(b, 0);
    Number one(b, 1);
    Value draft = args.draft.positions[level], result = args.positions[level];
    Type cut = function.cutType();
    ResultPlaces places = function.places();
    auto beginOf = [&](Value part) {
      Value at = loadCut(b, "cut", cut, args.bounds, part);
      return places.numberOfCut(at, level - 1);
    };
    Value size = memref::DimOp::create(b, result, zero);
    Interval own = evenInterval(b, worker, parts, Number(b, size) - one);
    Value isFirst = Number(b, own.from) == zero;
    emitIf(b, isFirst, [&] { storeIndex(b, zero, result, zero); });
    auto move = [&](Value from, Value to, Value part) {
      Value shift = shiftOf(part);
      emitFor(b, from, to, [&](Value at) {
        Value after = Number(b, at) + one;
        Value position = loadIndex(b, draft, after);
        storeIndex(b, Number(b, position) - shift, result, after);
      });
    };
    forAppended(b, parts, own, beginOf, move);
  }

private:
  /// The offset of a part's entries in the draft, less their offset in the
  /// result.
  Number shiftOf(Value part) {
    Number offset(b, function.loadRow(args.offsets, part).back());
    return offset - function.loadRow(args.moved, part).back();
  }

  /// result[at] = draft[at + shift] + plus, for `at` in the interval
  void moveArray(Value draft, Value result, Interval interval, Value shift,
                 std::optional<Value> plus) {
    emitFor(b, interval.from, interval.to, [&](Value at) {
      Value source = Number(b, at) + shift;
      Value moved = memref::LoadOp::create(b, draft, source);
      if (plus)
        moved = Number(b, moved) + *plus;
      memref::StoreOp::create(b, moved, result, at);
    });
  }

  PhaseFunctions &function;
  const ResultLayout &layout;
  const PhaseArguments &args;
  ImplicitLocOpBuilder &b;
  Value worker, parts;
};
} // namespace

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

namespace {
class DraftFilling : public FillingOfDrafts {
public:
  FillingKind kind() const override { return FillingKind::drafted; }

  Parameters offsetParameters(const ResultLayout &) const override {
    return {Parameter::offsets, Parameter::counts, Parameter::moved,
            Parameter::sizes};
  }

  void finishPart(PhaseFunctions &function, Value part,
                  PartBuilder &builder) const override {
    function.storeRow(builder.countAppended(), function.args.counts, part);
  }

  /// moved = scan(counts); sizes = those of the result
  void finishExecute(PhaseFunctions &function) const override {
    function.cloneOperands();
    emitScan(function, function.args.moved);
    // Callers do not call compact if there are no entries, so that the
    // positions of the first fiber have to be stored here.
    storeFound(function);
  }

  /// parallel worker in parts:
  ///   move 1 / parts of the entries and positions from the draft to the result
  void buildCompact(PhaseFunctions &function) const override {
    function.start("compact",
                   {Parameter::bounds, Parameter::offsets, Parameter::moved,
                    Parameter::draft, Parameter::result, Parameter::status},
                   /*isExported=*/true);
    function.cloneOperands();
    ImplicitLocOpBuilder &b = function.b;
    const ResultLayout &layout = function.layout;
    Value parts = function.numParts();
    ParallelOp workers = function.emitWorkers(parts);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(workers.getBodyBlock());
      Value worker = workers.getWorker();
      storeFirstFiberInPart(function, function.args.moved, worker, parts);
      DraftMover mover(function, worker, parts);
      mover.moveEntries();
      unsigned last = layout.firstSharing(layout.numStructural - 1);
      if (last > 0)
        mover.movePositions(last);
    }
    layout.collector->finishEntries(function);
    func::ReturnOp::create(b);
  }
};
} // namespace

std::unique_ptr<Filling> Filling::draft() {
  return std::make_unique<DraftFilling>();
}
