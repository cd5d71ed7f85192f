//===- TileParts.cpp - Windows of arrays for the parts of a tile ----------===//
//
// Consumes the functions of nests that are assembled. A tile is some parts in a
// row: what they read of their operands lies between the positions of the cut
// at which the tile begins and of that at which it ends, in every level that a
// cut loop, or a search, steps through. What they append lies between two
// offsets. So the windows of a tile are as large as its cost, whatever the
// nest; nothing here knows which one it is.
//
//===----------------------------------------------------------------------===//

#include "CutLevels.h"
#include "LateReads.h"
#include "RowsOfParts.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/TensorArrays.h"
#include "nacho/Optimizations/Passes.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOTILEPARTS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Tables with a row for each part
//===----------------------------------------------------------------------===//

/// The cuts at which the part of each worker begins and ends; null if workers
/// do something else than parts.
static LoadCutOp findCuts(ParallelOp workers) {
  LoadCutOp lower, upper;
  for (auto load : workers.getBodyBlock()->getOps<LoadCutOp>()) {
    if (isRowOf(workers, load.getRow(), 0))
      lower = load;
    if (isRowOf(workers, load.getRow(), 1))
      upper = load;
  }
  bool areThere = lower && upper && lower.getBounds() == upper.getBounds();
  return areThere ? lower : LoadCutOp();
}

/// The first of the cuts that workers load.
static LoadCutOp firstCut(ParallelOp workers) {
  LoadCutOp first;
  workers.walk([&](LoadCutOp load) {
    first = load;
    return WalkResult::interrupt();
  });
  return first;
}

/// The load of where a worker begins to append, if an index is counted up from
/// there by loops; null if it is not.
static memref::LoadOp findOffset(ParallelOp workers, Value index) {
  while (auto carried = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<CoiterateOp>(carried.getOwner()->getParentOp());
    size_t before =
        loop ? carried.getOwner()->getNumArguments() - loop.getInits().size()
             : 0;
    if (!loop || carried.getArgNumber() < before)
      return {};
    index = loop.getInits()[carried.getArgNumber() - before];
  }
  auto load = index.getDefiningOp<memref::LoadOp>();
  bool isOffset = load && load.getIndices().size() == 2 &&
                  isRowOf(workers, load.getIndices()[0], 0);
  return isOffset ? load : memref::LoadOp();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// A tile has a warp of parts, at least.
static constexpr unsigned kFewestParts = 32;

/// The op after which the first and the last cut of a tile are there.
static Operation *findStart(ParallelOp workers, TileOp tile) {
  auto syncs = workers.getBodyBlock()->getOps<TileSyncOp>();
  return syncs.empty() ? tile : *syncs.begin();
}

static int64_t elementBytesOf(Value shaped) {
  return bytesOf(cast<ShapedType>(shaped.getType()).getElementType());
}

namespace {
/// Emits the windows of a tile where its cuts are there, or at the beginning of
/// the workers' body.
class WindowBuilder {
public:
  WindowBuilder(ParallelOp workers, TileOp tile, LoadCutOp cuts, int64_t share)
      : workers(workers), tile(tile), share(share),
        b(withoutName(tile.getLoc()), tile->getBlock(),
          std::next(findStart(workers, tile)->getIterator())),
        own(cutsOfTile(workers)), bounds(cuts.getBounds()), one(Number(b, 1)),
        first(loadCut(cuts, "first", tile.getBegin())),
        last(loadCut(cuts, "last", tile.getEnd())), read(workers) {}

  /// `isNew` tells that nobody has cut the tile: it may have fewer parts, if
  /// the windows of so many would not fit in `mostBytes`, which a block has.
  ///
  /// The rows of cuts come first, unless parts have found them, then the
  /// smaller arrays: what a block has no room for comes last.
  void emit(bool isNew, int64_t mostBytes) {
    SmallVector<CutLevel> levels = read.take();
    if (!own)
      StageInOp::create(b, bounds, tile.getBegin(),
                        Number(b, tile.getEnd()) + one, readsOwnCuts());
    hasRows =
        llvm::any_of(levels, [](const CutLevel &cut) { return cut.loop > 0; });
    llvm::for_each(levels, [&](const CutLevel &cut) { stagePositions(cut); });
    llvm::for_each(levels, [&](const CutLevel &cut) { stageCoordinates(cut); });
    llvm::for_each(levels, [&](const CutLevel &cut) { stageValues(cut); });
    stageAppended();
    countSlots();
    if (isNew)
      while (expectedBytes() > mostBytes && tile.getBy() > kFewestParts)
        tile.setBy(tile.getBy() / 2);
    tile.setBytes(expectedBytes());
  }

private:
  /// A table with a row for each part, and the column where offsets are.
  using Offset = std::pair<Value, Value>;

  /// Loads the cut with which a part begins.
  Value loadCut(LoadCutOp like, StringRef name, Value part) {
    Value row = part, table = bounds;
    if (own) {
      row = Number(b, part) - tile.getBegin();
      table = own.getCuts();
    }
    NameScope scope(b, name);
    return LoadCutOp::create(b, like.getCut().getType(), table, row);
  }

  /// Whether each part reads the cuts at its ends, and no others.
  bool readsOwnCuts() {
    return !workers
                .walk([&](LoadCutOp load) {
                  bool isOwn = isRowOf(workers, load.getRow(), 0) ||
                               isRowOf(workers, load.getRow(), 1);
                  bool isOfTile =
                      llvm::is_contained({first, last}, load.getCut());
                  return load.getBounds() != bounds || isOwn || isOfTile
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// All that parts cost may lie in a single operand. The ends of windows come
  /// on top of that, which as much as another part needs suffices for. Where
  /// there are rows, which cost something, too, tiles are unequal. The fewer
  /// bytes a block has, the more blocks run at a time: so this is what most
  /// tiles need, and what has no room is read where it is.
  int64_t expectedBytes() {
    int64_t each = 0;
    for (const auto &[tensor, bytes] : readBytes)
      each = std::max(each, bytes);
    int64_t part = (each + appendedBytes) * share;
    if (hasRows)
      part = part * 9 / 8;
    int64_t cut = own ? 0
                      : cast<MemRefType>(bounds.getType()).getDimSize(1) *
                            bytesOf(IndexType::get(bounds.getContext()));
    int64_t all = int64_t(tile.getBy() + 1) * (part + cut);
    // There may be no window at all, but no tile shares nothing.
    return llvm::alignTo(std::max<int64_t>(all, 1), kGpuWindowBytes);
  }

  Value cutPosition(Value cut, const CutLevel &at) {
    return CutPositionOp::create(b, b.getIndexType(), cut, at.loop, at.operand);
  }

  /// Stages what lies between the positions of the cuts, the last of which may
  /// lie inside of what is below its position, and `more` elements. `isAlone`
  /// tells that parts need nothing else.
  void stageIn(Value array, const CutLevel &cut, bool isAlone,
               int64_t more = 0) {
    if (!cast<MemRefType>(array.getType()).getLayout().isIdentity())
      return;
    // A row costs as much as four entries.
    int64_t weight = more ? 4 : 1;
    readBytes[cut.tensor] += elementBytesOf(array) / weight;
    Number from(b, cutPosition(first, cut)), to(b, cutPosition(last, cut));
    // A part looks whether a run begins before it.
    auto type = cast<RankedTensorType>(cut.tensor.getType());
    if (firstSharing(type, cut.level) < cut.level)
      from = max(from, one) - one;
    StageInOp::create(b, array, from, to + (1 + more), isAlone);
  }

  /// The array of positions of the next level, which has one more element.
  void stagePositions(const CutLevel &cut) {
    auto type = cast<RankedTensorType>(cut.tensor.getType());
    unsigned next = cut.level + 1;
    auto isPositions = [](const LevelArray &array) {
      return array.name == kPositionsName && array.perParent == 1 &&
             array.wordSize == 0;
    };
    if (next == type.getRank() ||
        llvm::none_of(levelArrays(type, next), isPositions))
      return;
    stageIn(emitPositionsArray(b, cut.tensor, next), cut,
            read.isReadAlone(cut.tensor, cut.level), /*more=*/1);
  }

  /// The coordinates of the level, and of those that have the same positions.
  void stageCoordinates(const CutLevel &cut) {
    auto type = cast<RankedTensorType>(cut.tensor.getType());
    for (unsigned level = firstSharing(type, cut.level); level <= cut.level;
         ++level) {
      std::optional<CoordinatePlace> place = coordinatePlace(type, level);
      if (place && place->stride == 1)
        stageIn(emitCoordinatesArray(b, cut.tensor, level), cut,
                read.isReadAlone(cut.tensor, level));
    }
  }

  void stageValues(const CutLevel &cut) {
    auto type = cast<RankedTensorType>(cut.tensor.getType());
    if (cut.level + 1 != type.getRank() || !isLoaded(cut.tensor))
      return;
    stageIn(emitValues(b, cut.tensor), cut,
            read.isReadAlone(cut.tensor, cut.level));
  }

  bool isLoaded(Value tensor) {
    WalkResult loads = workers.walk([&](LoadOp load) {
      return storedTensorOf(load.getElement()) == tensor
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return loads.wasInterrupted();
  }

  /// What parts keep until they are scanned. Memory for rows takes room that
  /// entries would have needed, which these cost as much as.
  void countSlots() {
    for (auto append : workers.getBodyBlock()->getOps<TileAppendOp>())
      for (Value slots : append.getSlots())
        appendedBytes += bytesOfAppended(slots);
  }

  /// The arrays that parts append to, and do nothing else with, from one offset
  /// to the next.
  void stageAppended() {
    llvm::MapVector<Value, std::optional<Offset>> arrays;
    workers.walk([&](memref::StoreOp store) {
      if (store.getMemRefType().getRank() != 1)
        return;
      std::optional<Offset> at;
      if (memref::LoadOp load = findOffset(workers, store.getIndices()[0]))
        at = Offset(load.getMemRef(), load.getIndices()[1]);
      auto [array, isNew] = arrays.insert({store.getMemRef(), at});
      if (array->second != at)
        array->second = std::nullopt;
    });
    llvm::MapVector<Offset, std::pair<Value, Value>> ends;
    for (auto [array, at] : arrays) {
      if (!at || !endsAtNext(*at))
        continue;
      auto [range, isNew] = ends.insert({*at, {}});
      if (isNew)
        range->second = {offsetOf(*at, tile.getBegin()),
                         offsetOf(*at, tile.getEnd())};
      StageOutOp::create(b, array, range->second.first, range->second.second);
      appendedBytes += bytesOfAppended(array);
    }
  }

  /// Returns how many bytes of its window a block has for each element of an
  /// array that parts append to.
  int64_t bytesOfAppended(Value array) {
    std::optional<LateReads> late = LateReads::find(workers, array);
    if (!late)
      return elementBytesOf(array);
    for (Value tensor : late->tensors)
      readBytes[tensor] -= elementBytesOf(tensor);
    return late->wordBytes;
  }

  Value offsetOf(const Offset &offset, Value part) {
    auto load = memref::LoadOp::create(b, offset.first,
                                       ValueRange{part, offset.second});
    load->setAttr(NachoDialect::kPlaceAttrName, b.getUnitAttr());
    return load;
  }

  /// Whether each part appends up to where the next one begins: it loads that,
  /// too.
  bool endsAtNext(const Offset &offset) {
    return llvm::any_of(workers.getBodyBlock()->getOps<memref::LoadOp>(),
                        [&](memref::LoadOp load) {
                          return load.getMemRef() == offset.first &&
                                 isRowOf(workers, load.getIndices()[0], 1) &&
                                 load.getIndices()[1] == offset.second;
                        });
  }

  ParallelOp workers;
  TileOp tile;
  int64_t share;        ///< The cost of each part.
  bool hasRows = false; ///< Whether parts cut loops inside of others.
  ImplicitLocOpBuilder b;
  TileCutsOp own;
  Value bounds, one, first, last;
  CutLevels read;
  /// The bytes that parts read of each tensor, and append, at each position.
  llvm::MapVector<Value, int64_t> readBytes;
  int64_t appendedBytes = 0;
};
} // namespace

/// Whether a worker needs memory that only some have at a time, so that one
/// thread does several of them.
static bool hasSlots(ParallelOp workers) {
  return workers.walk([](SlotOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
struct TileParts : nacho::impl::NachoTilePartsBase<TileParts> {
  using NachoTilePartsBase::NachoTilePartsBase;

  /// Workers that search for cuts have a tile already, and so bounds.
  void tileWorkers(ParallelOp workers) {
    auto tiles = workers.getBodyBlock()->getOps<TileOp>();
    LoadCutOp cuts = tiles.empty() ? findCuts(workers) : firstCut(workers);
    if (!cuts || hasSlots(workers) || (warps && hasDenseLoops(workers)))
      return;
    if (!tiles.empty())
      return WindowBuilder(workers, *tiles.begin(), cuts, share)
          .emit(/*isNew=*/false, sharedBytes);
    auto b = ImplicitLocOpBuilder::atBlockBegin(workers.getLoc(),
                                                workers.getBodyBlock());
    Type index = b.getIndexType();
    auto tile = TileOp::create(b, index, index, workers.getWorker(),
                               workers.getWorkers(), parts,
                               /*bytes=*/IntegerAttr());
    WindowBuilder(workers, tile, cuts, share).emit(/*isNew=*/true, sharedBytes);
  }

  void runOnOperation() override {
    SmallVector<ParallelOp> found;
    getOperation().walk([&](ParallelOp workers) { found.push_back(workers); });
    llvm::for_each(found, [&](ParallelOp workers) { tileWorkers(workers); });
  }
};
} // namespace
