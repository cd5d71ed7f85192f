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

/// Finds where an entry keeps a fiber, which is a whole one or a piece; nothing
/// if it cannot be cut.
std::optional<RowSplitter::Divided> RowSplitter::findDivided(Value fiber) {
  if (auto piece = fiber.getDefiningOp<ChildrenAtOp>()) {
    std::optional<int64_t> begin = keptAt(piece.getBegin());
    std::optional<int64_t> end = keptAt(piece.getEnd());
    if (!begin || !end)
      return std::nullopt;
    return Divided{fiber, piece.getRoot(), *begin, end};
  }
  auto whole = fiber.getDefiningOp<FiberAtOp>();
  std::optional<int64_t> begin =
      whole ? keptAt(whole.getPosition()) : std::nullopt;
  if (!begin || !whole.getCertain() || whole.getEnd() ||
      !hasChildrenInLastLevel(whole.getFiber().getType()))
    return std::nullopt;
  return Divided{fiber, whole.getRoot(), *begin, std::nullopt};
}

/// Finds all fibers that the innermost loop reads. Returns whether they can be
/// cut.
bool RowSplitter::findAllDivided() {
  CoiterateOp inner = loops.back();
  SmallVector<Value> fibers(inner.getFibers());
  WalkResult found = nest.walk([&](FindOp find) {
    if (find->getParentOp() != inner ||
        find.getCoordinate() != inner.getCoordinate() ||
        !needsChildren(inner, find.getFiber()))
      return WalkResult::interrupt();
    if (!llvm::is_contained(fibers, find.getFiber()))
      fibers.push_back(find.getFiber());
    return WalkResult::advance();
  });
  for (Value fiber : fibers) {
    std::optional<Divided> one = findDivided(fiber);
    if (!one || (!divided.empty() && one->end.has_value() != isInPieces()))
      return false;
    divided.push_back(*one);
  }
  return !found.wasInterrupted();
}

bool RowSplitter::canCutIntoPieces() {
  CoiterateOp inner = loops.back();
  return loops.size() == numListed + 1 && inner.getFibers().size() == 1 &&
         inner.getGuards().empty() && !inner.getExtent() &&
         appendsAtLast(nest, inner) && findAllDivided();
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

/// The number of coordinates in a row, which may be a piece. A list of pieces
/// keeps last in how many bits the coordinates of a piece differ.
Value RowSplitter::emitExtentOfRow(Value row) {
  auto fiber = cast<FiberType>(divided.front().fiber.getType());
  if (!isInPieces()) {
    Number level(b, fiber.getLevel());
    Value tensor = rootOf(divided.front().root).getTensor();
    return sparse_tensor::LvlOp::create(b, tensor, level);
  }
  auto list = cast<RankedTensorType>(listed.getTensor().getType());
  Value width = RecallOp::create(b, row, list.getRank() - numOuter - 1);
  Number most(b, 62), one(b, 1);
  return one << min(Number(b, width), most);
}

/// How many levels below the loops over a list of pieces an entry keeps the end
/// of a fiber.
int64_t RowSplitter::endOf(const Divided &of) {
  auto list = cast<RankedTensorType>(listed.getTensor().getType());
  return of.end.value_or(list.getRank() - numListed + (&of - divided.begin()));
}

/// A fiber of an entry of the list that is cut.
Value RowSplitter::fiberOfEntry(const Divided &of, Value entry) {
  Type type = of.fiber.getType();
  Value begin = RecallOp::create(b, entry, of.begin), fiber;
  if (of.end) {
    Value end = RecallOp::create(b, entry, *of.end);
    fiber = ChildrenAtOp::create(b, type, of.root, begin, end);
  } else {
    fiber = FiberAtOp::create(b, type, of.root, begin, Value(),
                              /*certain=*/true);
  }
  setName(fiber, getName(of.fiber));
  return fiber;
}

/// nest collect<piece_list> {
///   for each row of the list:
///     for each entry of the row:
///       for each piece of the fiber in which the loop inside steps:
///         append at (row, piece, entry) what the entry keeps, with the
///         children in the piece in place of each fiber, and the width of the
///         piece, if all fibers have children there
/// }
Value RowSplitter::listPieces() {
  auto type = cast<RankedTensorType>(listed.getTensor().getType());
  unsigned width = sparse_tensor::getSparseTensorEncoding(type).getCrdWidth();
  // The list keeps positions of children, too.
  for (const Divided &each : divided) {
    auto of = cast<FiberType>(each.fiber.getType()).getTensor();
    if (sparse_tensor::getSparseTensorEncoding(of).getPosWidth() != 32)
      width = 64;
  }
  // The piece and, for the first time, where its fibers end and its width.
  unsigned rank = type.getRank() + 1;
  if (!isInPieces())
    rank += divided.size() + 1;
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

/// What an entry pays for tables in a piece, of what it pays for whole ones: as
/// much as the piece has of their elements. `kept` is where its children are.
Value RowSplitter::costOfTables(Value entry, ArrayRef<Value> kept) {
  Number all(b, 0), inPiece(b, 0);
  for (const Divided &table : ArrayRef(divided).drop_front()) {
    Value whole = fiberOfEntry(table, entry);
    all = all + CostOp::create(b, b.getIndexType(), CostKind::nnz, whole,
                               Value(), /*below=*/0);
    inPiece = inPiece + (Number(b, kept[endOf(table)]) - kept[table.begin]);
  }
  Number position(b, PositionOp::create(b, entry, /*end=*/false));
  Number paid(b, costBetween(position, position + 1));
  Value others = costOfEntry(nest, [&](Value fiber) {
    const auto *of = llvm::find_if(
        divided, [&](const Divided &each) { return each.fiber == fiber; });
    return of == divided.end()
               ? fiberAgain(entry, fiber.getDefiningOp<FiberAtOp>())
               : fiberOfEntry(*of, entry);
  });
  Number tables = maxSigned(paid - Number(b, others).asIndex(), 0);
  return ceilDiv(tables * inPiece, max(all, 1)).asSigned(b.getI64Type());
}

/// The cost of an entry in a piece.
Value RowSplitter::costOfPiece(Value entry, ArrayRef<Value> kept) {
  const Divided &stepped = divided.front();
  Value children =
      ChildrenAtOp::create(b, stepped.fiber.getType(), stepped.root,
                           kept[stepped.begin], kept[endOf(stepped)]);
  Value cost = costOfEntry(nest, [&](Value fiber) {
    return fiber == stepped.fiber
               ? children
               : fiberAgain(entry, fiber.getDefiningOp<FiberAtOp>());
  });
  return divided.size() == 1 ? cost
                             : Number(b, cost) + costOfTables(entry, kept);
}

/// Appends the pieces of an entry. `at` has the coordinates of the entry.
void RowSplitter::appendPiece(Value entry, Value shift,
                              SmallVectorImpl<Value> &at) {
  auto inPieces = [&](const Divided &each) -> Value {
    Value fiber = fiberOfEntry(each, entry);
    Value pieces = PiecesOp::create(b, fiber.getType(), fiber, shift);
    setName(pieces, getName(each.fiber));
    return pieces;
  };
  auto loop =
      enterLoop(inPieces(divided.front()), MergeAttr::get(b.getContext(), 0u),
                b.getStringAttr("piece"));
  at.insert(at.begin() + numOuter, loop.getCoordinate());
  auto type = cast<RankedTensorType>(listed.getTensor().getType());
  SmallVector<Value> kept;
  for (int64_t below = 0; below < type.getRank() - numListed; ++below)
    kept.push_back(RecallOp::create(b, entry, below));
  if (!isInPieces())
    kept.append(divided.size() + 1, Value());
  Value run = loop.getChildren().front(), areAllPresent;
  for (const Divided &each : divided) {
    if (&each != &divided.front()) {
      Value pieces = inPieces(each);
      run = SeekOp::create(b, cast<FiberType>(pieces.getType()).getChild(),
                           loop.getCoordinate(), pieces);
      Value isPresent = PresentOp::create(b, b.getI1Type(), run);
      areAllPresent = areAllPresent ? Number(b, areAllPresent) & isPresent
                                    : Number(b, isPresent);
    }
    kept[each.begin] = PositionOp::create(b, run, /*end=*/false);
    kept[endOf(each)] = PositionOp::create(b, run, /*end=*/true);
  }
  kept.back() = shift;
  at.append(kept);
  AppendOp::create(b, costOfPiece(entry, kept), b.getI64IntegerAttr(0), at,
                   areAllPresent);
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
  auto isOfPiece = [&](Value fiber) -> const Divided * {
    auto at = fiber.getDefiningOp<FiberAtOp>();
    auto recall = at ? at.getPosition().getDefiningOp<RecallOp>() : RecallOp();
    const auto *found = llvm::find_if(divided, [&](const Divided &each) {
      return !isInPieces() && recall && at.getRoot() == each.root &&
             static_cast<int64_t>(recall.getBelow()) == each.begin;
    });
    return found == divided.end() ? nullptr : found;
  };
  // The list tells where children begin.
  auto prefetch = dyn_cast<PrefetchOp>(op);
  if (prefetch && prefetch.getBegin() && isOfPiece(prefetch.getFiber()))
    return;
  auto at = dyn_cast<FiberAtOp>(op);
  const Divided *of = at ? isOfPiece(at.getFiber()) : nullptr;
  if (!of) {
    b.clone(op, mapping);
    return;
  }
  auto recall = at.getPosition().getDefiningOp<RecallOp>();
  Value end = RecallOp::create(b, entry, endOf(*of), recall.getAhead());
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
