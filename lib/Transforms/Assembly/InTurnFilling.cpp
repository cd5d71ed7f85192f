//===- InTurnFilling.cpp - Results that parts append to in their turn -----===//
//
// Each thread has a draft with room for the entries of one part:
//
//   compute, for each part p:
//     append to draft[slot * room ...], and to the result's positions
//     before, next = what the parts before p have appended, and with p
//     result[before ... next] = the part's entries of the draft
//     positions of the part += before - slot * room
//
// What a part has appended is in a cache when it is moved. A single part has
// the whole result as its draft, and moves nothing.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "DraftRoom.h"
#include "Filling.h"
#include "PartBuilder.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

/// The places in the drafts at which that of the thread begins and ends.
static Interval draftOfThread(PhaseFunctions &function, Value draft) {
  ImplicitLocOpBuilder &b = function.b;
  Number all(b, memref::DimOp::create(b, draft, Number(b, 0)));
  Number slot(b, SlotOp::create(b));
  auto named = [&](StringRef name, Value value) {
    setName(value, name);
    return Number(b, value);
  };
  Number room = named("room", all / function.args.threads);
  Number begin = named("begin", slot * room);
  return {begin, named("end", begin + room)};
}

/// How many positions of the level above have the parts before this one ended.
static Value parentsBefore(PhaseFunctions &function, Value part,
                           unsigned level) {
  Value cut = loadCut(function.b, "cut", function.cutType(),
                      function.args.bounds, part);
  return function.places().numberOfCut(cut, level - 1);
}

/// Adds `shift` to the positions that a part has written.
static void adjustPositions(PhaseFunctions &function, Value part, Value shift) {
  const ResultLayout &layout = function.layout;
  unsigned level = layout.firstSharing(layout.numStructural - 1);
  if (level == 0)
    return;
  ImplicitLocOpBuilder &b = function.b;
  Value positions = function.args.positions[level];
  Number zero(b, 0);
  Value next = Number(b, part) + 1;
  Value isFirst = Number(b, part) == zero;
  emitIf(b, isFirst, [&] { storeIndex(b, zero, positions, zero); });
  emitFor(b, parentsBefore(function, part, level),
          parentsBefore(function, next, level), [&](Value parent) {
            Value end = Number(b, parent) + 1;
            Number position(b, loadIndex(b, positions, end));
            storeIndex(b, position + shift, positions, end);
          });
}

namespace {
class InTurnFilling : public FillingOfDrafts {
public:
  FillingKind kind() const override { return FillingKind::inTurn; }

  Parameters offsetParameters(const ResultLayout &) const override {
    return {Parameter::moved, Parameter::sizes, Parameter::draft};
  }

  std::pair<Values, Values> places(PhaseFunctions &function,
                                   Value) const override {
    auto [begin, end] = draftOfThread(function, function.args.draft.values);
    return {{begin}, {end}};
  }

  /// What the part appends goes to the draft, but for positions.
  void startPart(PhaseFunctions &function, Value, Value) const override {
    swapDraft(function.args);
  }

  void finishPart(PhaseFunctions &function, Value part,
                  PartBuilder &builder) const override {
    swapDraft(function.args);
    ImplicitLocOpBuilder &b = function.b;
    // Whoever edits operands can have a part visit more than there is room for:
    // what is not in the draft must not be read there.
    Value from = builder.firstPlace();
    Number room = Number(b, builder.endOfPlaces()) - from;
    Value count = min(Number(b, builder.countAppended().back()), room);
    auto [before, next] = scanInTurn(function, part, count);
    Value isOneOfSeveral = Number(b, workersOf(part).getWorkers()) > 1;
    Value end = select(Number(b, isOneOfSeveral), next, before);
    appendEach(function, from, before, end);
    emitIf(b, isOneOfSeveral, [&, before = before] {
      adjustPositions(function, part, Number(b, before) - from);
    });
    Number size(b,
                memref::DimOp::create(b, function.args.values, Number(b, 0)));
    Value isFull = Number(b, next) > size;
    emitIf(b, isFull, [&] { builder.setStatus(kDraftFull); });
  }

  /// sizes = those of the result
  void finishExecute(PhaseFunctions &function) const override {
    function.cloneOperands();
    storeFound(function);
  }

private:
  /// The loop of workers that have a part each.
  static ParallelOp workersOf(Value part) {
    return cast<ParallelOp>(part.getParentBlock()->getParentOp());
  }

  static void swapDraft(PhaseArguments &args) {
    std::swap(args.coordinates, args.draft.coordinates);
    std::swap(args.values, args.draft.values);
  }

  /// result[to ... end] = draft[from ...], of all arrays but positions
  static void appendEach(PhaseFunctions &function, Value from, Value to,
                         Value end) {
    const PhaseArguments &args = function.args;
    Values drafts, arrays;
    for (auto [draft, array] :
         llvm::zip(args.draft.coordinates, args.coordinates))
      if (draft) {
        drafts.push_back(draft);
        arrays.push_back(array);
      }
    drafts.push_back(args.draft.values);
    arrays.push_back(args.values);
    TileAppendOp::create(function.b, drafts, from, arrays, to, end, to, end);
  }

  /// The number of entries that the parts before this one have appended, and
  /// the same with those of this one.
  static std::pair<Value, Value> scanInTurn(PhaseFunctions &function,
                                            Value part, Value count) {
    ImplicitLocOpBuilder &b = function.b;
    auto tile = TileOp::create(b, b.getIndexType(), b.getIndexType(), part,
                               workersOf(part).getWorkers(), /*by=*/1,
                               /*bytes=*/IntegerAttr());
    auto scan = TileScanOp::create(b, MemRefType::get({2, 1}, b.getIndexType()),
                                   count, function.args.moved);
    buildSum(function, scan.getCombine());
    Value row = Number(b, part) - tile.getBegin();
    Value next = Number(b, row) + 1;
    return {function.loadRow(scan, row).back(),
            function.loadRow(scan, next).back()};
  }
};
} // namespace

std::unique_ptr<Filling> Filling::inTurn() {
  return std::make_unique<InTurnFilling>();
}
