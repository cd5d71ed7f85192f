//===- DraftFilling.cpp - Results that are drafted first ------------------===//
//
// The cost model says how many entries a part can append at most: its cost,
// divided by the least weight of what leads to an entry. The part therefore
// appends to the draft from an offset that is the cost of all parts before it,
// divided by this weight and rounded up. Where entries are appended only if
// another tensor, a mask, has an entry at the same coordinates, the number of
// the mask's entries in the rows of all parts before it is such an offset, too,
// and often a much smaller one; so is the number of the elements of these rows,
// where parts have whole rows. The places that a part does not need stay free.
// The function compact moves the entries together, and adjusts the positions.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Fibers.h"
#include "nacho/IR/WhileLoop.h"

#include "Collector.h"
#include "Filling.h"
#include "PartBuilder.h"

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

//===----------------------------------------------------------------------===//
// Bounds on the number of entries
//===----------------------------------------------------------------------===//

/// The most entries that parts can append by their costs.
class CostOffsets {
public:
  CostOffsets(PhaseFunctions &function, Value firstPart)
      : function(function), b(function.b),
        entryCost(function.source
                      ->getAttrOfType<StepAttr>(NachoDialect::kStepAttrName)
                      .getCuts()
                      .getCost()
                      .getEntryCost()),
        base(costOf(cut("lo", firstPart))) {}

  Value cut(StringRef name, Value part) {
    return loadCut(b, name, function.cutType(), function.args.bounds, part);
  }

  Value before(Value cut) {
    Number cost = Number(b, costOf(cut)) - base;
    if (entryCost == 1)
      return cost;
    return ceilDiv(cost, entryCost);
  }

private:
  Value costOf(Value cut) {
    return CutCostOp::create(b, b.getIndexType(), cut);
  }

  PhaseFunctions &function;
  ImplicitLocOpBuilder &b;
  int64_t entryCost;
  Value base;
};

} // namespace

/// Whether every row of a matrix is appended by one part, from a workspace.
static bool hasWholeRows(const ResultLayout &layout) {
  NestOp nest = layout.nest;
  return nest.getCollect() == CollectKind::wholeRows && layout.numOuter == 1 &&
         layout.type.getRank() == 2 && !nest.getRowPieces();
}

/// The matrix in whose rows all coordinates of whole rows are looked up, which
/// are left out if they are not there; null if there is none. If it should turn
/// out that the rows are others, and have fewer entries, the draft is full.
static RootOp findMask(const ResultLayout &layout) {
  if (!hasWholeRows(layout) || layout.finds.size() != 1)
    return {};
  NestOp nest = layout.nest;
  FindOp find = layout.finds.front();
  auto fiber = cast<FiberType>(find.getFiber().getType());
  auto type = cast<RankedTensorType>(fiber.getTensor());
  if (type.getRank() != 2 || fiber.getLevel() != 1 || !isFullLevel(type, 0))
    return {};
  bool areMasked = true;
  nest.walk([&](AppendOp append) {
    auto present = append.getCondition()
                       ? append.getCondition().getDefiningOp<PresentOp>()
                       : PresentOp();
    areMasked &= present && present.getFiber() == find.getChild() &&
                 append.getCoordinates().back() == find.getCoordinate();
  });
  return areMasked ? rootOf(find.getFiber()) : RootOp();
}

/// The rows before that of a cut.
static Value rowsBefore(ImplicitLocOpBuilder &b, Value cut) {
  return CutCoordinateOp::create(b, b.getIndexType(), cut, 0);
}

/// The entries of a mask in the rows before that of a cut.
static Value entriesBefore(PhaseFunctions &function, RootOp mask, Value cut) {
  ImplicitLocOpBuilder &b = function.b;
  Value row = rowsBefore(b, cut);
  return CostOp::create(b, b.getIndexType(), CostKind::nnz,
                        function.mapping.lookup(mask.getResult()), row, 0);
}

namespace {
/// The room that parts have in a draft: by their costs, by the entries of a
/// mask in their rows, or by the elements of their rows, whichever is less for
/// all of them together.
class Room {
public:
  Room(PhaseFunctions &function, Value parts)
      : function(function), b(function.b), byCost(function, Number(b, 0)),
        mask(findMask(function.layout)) {
    if (!hasWholeRows(function.layout))
      return;
    Value end = byCost.cut("end", parts);
    Number most(b, byCost.before(end));
    if (mask) {
      Number entries(b, entriesBefore(function, mask, end));
      isSparse = entries < most;
      most = min(entries, most);
    }
    // The number of all elements may be too large for an index.
    rowSize = function.places().extent(1);
    Number rows(b, rowsBefore(b, end));
    areShort = rows < most / max(Number(b, rowSize), 1);
  }

  Value beforePart(Value part) {
    Value cut = byCost.cut("hi", part);
    Value room = byCost.before(cut);
    if (mask)
      room =
          select(Number(b, isSparse), entriesBefore(function, mask, cut), room);
    if (areShort)
      room = select(Number(b, areShort),
                    Number(b, rowsBefore(b, cut)) * rowSize, room);
    return room;
  }

private:
  PhaseFunctions &function;
  ImplicitLocOpBuilder &b;
  CostOffsets byCost;
  RootOp mask;
  Value isSparse, areShort, rowSize;
};
} // namespace

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

namespace {
class DraftFilling : public Filling {
public:
  bool isCounted() const override { return false; }

  Status statusWhenFull() const override { return kDraftFull; }

  Parameters planParameters(const PhaseFunctions &) const override {
    return {Parameter::bounds, Parameter::offsets, Parameter::sizes,
            Parameter::status};
  }

  Parameters offsetParameters(const ResultLayout &) const override {
    return {Parameter::offsets, Parameter::counts, Parameter::moved,
            Parameter::sizes};
  }

  /// for part in 0..parts: offsets[part] = room of all parts before it
  void planOffsets(PhaseFunctions &function, Value parts) const override {
    ImplicitLocOpBuilder &b = function.b;
    Number zero(b, 0);
    function.emitOneWorker([&] {
      Room room(function, parts);
      emitFor(b, zero, Number(b, parts) + 1, [&](Value part) {
        Value offset = room.beforePart(part);
        Values row(function.layout.numColumns(), zero);
        row.back() = offset;
        function.storeRow(row, function.args.offsets, part);
      });
    });
    storeSizes(function, function.args.offsets, parts);
  }

  void finishPart(PhaseFunctions &function, Value part,
                  PartBuilder &builder) const override {
    function.storeRow(builder.countAppended(), function.args.counts, part);
  }

  /// moved = scan(counts); sizes = those of the result
  void finishExecute(PhaseFunctions &function) const override {
    function.cloneOperands();
    Value parts = function.numParts();
    Value moved = function.args.moved;
    emitScan(function, moved);
    storeSizes(function, moved, parts);
    // Callers do not call compact if there are no entries, so these positions
    // have to be stored here.
    if (!isFullLevel(function.layout.type, 0))
      function.emitOneWorker([&] { storeFirstFiber(function, moved, parts); });
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
