//===- DraftRoom.cpp - The most entries that parts can append -------------===//

#include "DraftRoom.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"

using namespace mlir;
using namespace nacho;

namespace {
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

Parameters FillingOfDrafts::planParameters(const PhaseFunctions &) const {
  return {Parameter::bounds, Parameter::offsets, Parameter::sizes,
          Parameter::status};
}

void FillingOfDrafts::planOffsets(PhaseFunctions &function, Value parts) const {
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

void FillingOfDrafts::storeFound(PhaseFunctions &function) {
  Value parts = function.numParts();
  Value moved = function.args.moved;
  storeSizes(function, moved, parts);
  if (!isFullLevel(function.layout.type, 0))
    function.emitOneWorker([&] { storeFirstFiber(function, moved, parts); });
}
