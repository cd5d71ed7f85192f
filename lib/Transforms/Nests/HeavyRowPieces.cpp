//===- HeavyRowPieces.cpp - Rows that parts own piece by piece ------------===//
//
// Builds the nests of `nacho-split-heavy-rows` that cut heavy rows into pieces,
// ranges of columns. The entries of each row of a list are listed again for
// each piece of the row, with the part of their fiber that lies in the piece.
// So a piece is collected in a workspace, as a light row is: no product is
// moved.
//
//===----------------------------------------------------------------------===//

#include "CostQueries.h"
#include "HeavyRows.h"
#include "ListedLoops.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

/// Whether a fiber has its children, in order and each once, in its tensor's
/// last level, at positions of their own.
static bool hasChildrenInLastLevel(FiberType fiber) {
  RankedTensorType type = fiber.getTensor();
  unsigned level = fiber.getLevel();
  return static_cast<int64_t>(level) + 1 == type.getRank() &&
         !isFullLevel(type, level) && isUniqueLevel(type, level) &&
         !sharesPositions(type, level);
}

/// Whether all appends of a nest have the coordinate of a loop as their last.
static bool appendsAtLast(NestOp nest, CoiterateOp loop) {
  WalkResult other = nest.walk([&](AppendOp append) {
    return append.getCoordinates().back() == loop.getCoordinate()
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !other.wasInterrupted();
}

/// The number of levels down at which an entry keeps a number; nothing if it is
/// no number of an entry, or one of a later entry.
static std::optional<int64_t> keptAt(Value number) {
  auto recall = number.getDefiningOp<RecallOp>();
  return recall && !recall.getAhead() ? std::optional(recall.getBelow())
                                      : std::nullopt;
}

/// Finds the fiber of the innermost loop: a fiber of an operand, or a piece of
/// one. A list of pieces keeps the width of a piece after its end. Returns
/// whether the fiber can be cut.
bool RowSplitter::findScattered() {
  Value fiber = loops.back().getFibers().front();
  if (auto piece = fiber.getDefiningOp<ChildrenAtOp>()) {
    std::optional<int64_t> begin = keptAt(piece.getBegin());
    std::optional<int64_t> end = keptAt(piece.getEnd());
    auto list = cast<RankedTensorType>(listed.getTensor().getType());
    if (!begin || !end || numListed + *end + 1 >= list.getRank())
      return false;
    scattered = {fiber, piece.getRoot(), *begin, end, *end + 1};
    return true;
  }
  auto whole = fiber.getDefiningOp<FiberAtOp>();
  std::optional<int64_t> begin =
      whole ? keptAt(whole.getPosition()) : std::nullopt;
  if (!begin || !whole.getCertain() || whole.getEnd())
    return false;
  scattered = {fiber, whole.getRoot(), *begin, std::nullopt, std::nullopt};
  return hasChildrenInLastLevel(whole.getFiber().getType());
}

bool RowSplitter::canCutIntoPieces() {
  CoiterateOp inner = loops.back();
  return !findsElements(nest) && loops.size() == numListed + 1 &&
         inner.getFibers().size() == 1 && inner.getGuards().empty() &&
         !inner.getExtent() && appendsAtLast(nest, inner) && findScattered();
}

NestOp RowSplitter::cutIntoPieces() {
  NestOp cut = loopOverPieces(listPieces());
  nest.replaceAllUsesWith(cut.getResult());
  nest.erase();
  return cut;
}

//===----------------------------------------------------------------------===//
// The list of pieces
//===----------------------------------------------------------------------===//

/// The number of coordinates in a row, which may be a piece.
Value RowSplitter::emitExtentOfRow(Value row) {
  if (!scattered.width) {
    auto fiber = cast<FiberType>(scattered.fiber.getType());
    Number level(b, fiber.getLevel());
    Value tensor = rootOf(scattered.root).getTensor();
    return sparse_tensor::LvlOp::create(b, tensor, level);
  }
  int64_t below = numListed - numOuter + *scattered.width;
  Value width = RecallOp::create(b, row, below);
  Number most(b, 62), one(b, 1);
  return one << min(Number(b, width), most);
}

/// The fiber of an entry of the list that is cut.
Value RowSplitter::fiberOfEntry(Value entry) {
  Type type = scattered.fiber.getType();
  Value begin = RecallOp::create(b, entry, scattered.begin), fiber;
  if (scattered.end) {
    Value end = RecallOp::create(b, entry, *scattered.end);
    fiber = ChildrenAtOp::create(b, type, scattered.root, begin, end);
  } else {
    fiber = FiberAtOp::create(b, type, scattered.root, begin, Value(),
                              /*certain=*/true);
  }
  setName(fiber, getName(scattered.fiber));
  return fiber;
}

/// nest collect<piece_list> {
///   for each row of the list:
///     for each entry of the row:
///       for each piece of the entry's fiber:
///         append at (row, piece, entry) what the entry keeps, with the
///         children in the piece in place of the fiber, and the width of the
///         piece
/// }
Value RowSplitter::listPieces() {
  auto type = cast<RankedTensorType>(listed.getTensor().getType());
  auto of = cast<FiberType>(scattered.fiber.getType()).getTensor();
  unsigned width = sparse_tensor::getSparseTensorEncoding(type).getCrdWidth();
  // The list keeps positions of children, too.
  if (sparse_tensor::getSparseTensorEncoding(of).getPosWidth() != 32)
    width = 64;
  // The piece and, for the first time, where it ends and its width.
  unsigned rank = type.getRank() + (scattered.end ? 1 : 3);
  OpBuilder::InsertionGuard guard(b);
  NestOp pieces = startNest(
      listTensorType(rank, numListed + 1, b.getI64Type(), width), "P");
  pieces.setCollect(CollectKind::pieceList);
  SmallVector<Value> at;
  Value shift;
  Value entry = enterList(at, [&](Value row) {
    Value extent = emitExtentOfRow(row);
    NameScope name(b, "shift");
    shift = PieceShiftOp::create(b, row, extent);
  });
  appendPiece(entry, shift, at);
  return pieces.getResult();
}

/// Appends the pieces of an entry's fiber. `at` has the coordinates of the
/// entry.
void RowSplitter::appendPiece(Value entry, Value shift,
                              SmallVectorImpl<Value> &at) {
  Value whole = fiberOfEntry(entry);
  Value inPieces = PiecesOp::create(b, whole.getType(), whole, shift);
  setName(inPieces, getName(scattered.fiber));
  CoiterateOp loop = enterLoop(inPieces, MergeAttr::get(b.getContext(), 0u),
                               b.getStringAttr("piece"));
  Value run = loop.getChildren().front();
  Value begin = PositionOp::create(b, run, /*end=*/false);
  Value end = PositionOp::create(b, run, /*end=*/true);
  at.insert(at.begin() + numOuter, loop.getCoordinate());
  auto type = cast<RankedTensorType>(listed.getTensor().getType());
  for (int64_t below = 0; below < type.getRank() - numListed; ++below) {
    if (below == scattered.begin)
      at.push_back(begin);
    else if (below == scattered.end)
      at.push_back(end);
    else if (below == scattered.width)
      at.push_back(shift);
    else
      at.push_back(RecallOp::create(b, entry, below));
  }
  if (!scattered.end)
    at.append({end, shift});
  Value children =
      ChildrenAtOp::create(b, whole.getType(), scattered.root, begin, end);
  Value cost = costOfEntry(nest, [&](Value fiber) {
    return fiber == scattered.fiber
               ? children
               : fiberAgain(entry, fiber.getDefiningOp<FiberAtOp>());
  });
  AppendOp::create(b, cost, b.getI64IntegerAttr(0), at, Value());
}

//===----------------------------------------------------------------------===//
// The loops over pieces
//===----------------------------------------------------------------------===//

/// Enters the loops over a list that listPieces() has made, of which `fiber` is
/// the root, in a copy of the nest; returns the entry.
Value RowSplitter::startPieces(Value fiber, NestOp copy, IRMapping &mapping) {
  b.createBlock(&copy.getBody());
  YieldOp::create(b);
  b.setInsertionPointToStart(&copy.getBody().front());
  MergeAttr only = MergeAttr::get(b.getContext(), 0u);
  auto enter = [&](StringAttr name) {
    CoiterateOp loop = enterLoop(fiber, only, name);
    fiber = loop.getChildren().front();
    return loop.getCoordinate();
  };
  for (unsigned m = 0; m < numListed; ++m) {
    if (m == numOuter)
      enter(b.getStringAttr("piece"));
    mapping.map(loops[m].getCoordinate(), enter(loops[m].getIndexNameAttr()));
  }
  mapping.map(loops[numListed - 1].getChildren().front(), fiber);
  return fiber;
}

/// Clones an op into the loops over pieces. The entry of a list of pieces keeps
/// what an entry of the list before keeps, and where children begin in place of
/// a position of their parent.
void RowSplitter::cloneInPieces(Operation &op, Value entry,
                                IRMapping &mapping) {
  auto type = cast<RankedTensorType>(listed.getTensor().getType());
  auto isOfPiece = [&](Value fiber) {
    auto at = fiber.getDefiningOp<FiberAtOp>();
    auto recall = at ? at.getPosition().getDefiningOp<RecallOp>() : RecallOp();
    return !scattered.end && recall && at.getRoot() == scattered.root &&
           static_cast<int64_t>(recall.getBelow()) == scattered.begin;
  };
  // The list tells where children begin.
  auto prefetch = dyn_cast<PrefetchOp>(op);
  if (prefetch && prefetch.getBegin() && isOfPiece(prefetch.getFiber()))
    return;
  auto at = dyn_cast<FiberAtOp>(op);
  if (!at || !isOfPiece(at.getFiber())) {
    b.clone(op, mapping);
    return;
  }
  auto recall = at.getPosition().getDefiningOp<RecallOp>();
  Value end =
      RecallOp::create(b, entry, type.getRank() - numListed, recall.getAhead());
  Value children =
      ChildrenAtOp::create(b, at.getFiber().getType(), at.getRoot(),
                           mapping.lookup(at.getPosition()), end);
  setName(children, getName(at.getFiber()));
  mapping.map(at.getFiber(), children);
}

/// Clones the nest, and lets it loop over a list that listPieces() has made.
NestOp RowSplitter::loopOverPieces(Value pieces) {
  Value root = makeRoot(pieces, "P", /*isScannedList=*/true);
  auto copy = cast<NestOp>(b.cloneWithoutRegions(*nest));
  copy.setRowPieces(nest.getRowPieces() + 1);
  OpBuilder::InsertionGuard guard(b);
  IRMapping mapping;
  Value entry = startPieces(root, copy, mapping);
  Block *body = loops[numListed - 1].getBodyBlock();
  for (Operation &op : body->without_terminator())
    cloneInPieces(op, entry, mapping);
  return copy;
}
