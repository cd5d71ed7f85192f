//===- FlattenLists.cpp - Lists merged by one key -------------------------===//
//
// Replaces all loops of a nest over lists by one loop over the keys of entries.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Collect.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Keys.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOFLATTENLISTS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Whether every shape that a type allows has keys of at most 62 bits. For
/// types with dynamic extents, this is what the option `dynamic` says.
static bool hasKeys(RankedTensorType type, bool dynamic) {
  unsigned bits = 0;
  for (int64_t extent : type.getShape())
    if (extent > 1)
      bits += llvm::Log2_64_Ceil(extent);
  return bits <= kMostKeyBits && (dynamic || type.hasStaticShape());
}

/// Whether a tensor can be flattened for a loop. A tree can only be flattened
/// for a loop that stops as soon as one operand is exhausted, as intersections
/// do: after that, a union needs keys one by one, but a tree computes its keys
/// window by window. `trees` says whether there are vectors for that.
static bool isFlattenableFor(CoiterateOp loop, RankedTensorType type,
                             bool trees) {
  bool endsWithAny =
      llvm::all_of(llvm::seq<unsigned>(loop.getFibers().size()),
                   [&](auto n) { return holdsOnlyWith(loop.getMerge(), n); });
  return hasSupportedLevels(type) && isFlattenable(type) &&
         (isList(type) || (trees && endsWithAny));
}

/// The lists that all loops of a nest step through, the n-th loop through the
/// n-th level of each list; none if the loops have any other operands.
static SmallVector<RootOp> findLists(ArrayRef<CoiterateOp> loops, bool trees) {
  SmallVector<RootOp> lists;
  CoiterateOp outermost = loops.front();
  for (Value fiber : outermost.getFibers()) {
    auto root = fiber.getDefiningOp<RootOp>();
    auto type = cast<FiberType>(fiber.getType()).getTensor();
    if (!root || root.getScannedList() ||
        !isFlattenableFor(outermost, type, trees) ||
        type.getRank() != static_cast<int64_t>(loops.size()))
      return {};
    lists.push_back(root);
  }
  for (CoiterateOp loop : loops)
    if (loop.getExtent() || !loop.getGuards().empty() ||
        !loop.getNonempty().empty() || loop.getMerge() != outermost.getMerge())
      return {};
  auto isUsedOnce = [](Value child) { return child.hasOneUse(); };
  for (auto [outer, inner] : llvm::zip(loops, loops.drop_front()))
    if (ValueRange(CoiterateOp(inner).getFibers()) !=
            ValueRange(CoiterateOp(outer).getChildren()) ||
        !llvm::all_of(CoiterateOp(outer).getChildren(), isUsedOnce) ||
        !llvm::hasNItems(*CoiterateOp(outer).getBodyBlock(), 2))
      return {};
  return lists;
}

/// Whether entries are appended in the order of the loops, or all entries are
/// reduced to a scalar.
static bool appendsInOrder(NestOp nest, ArrayRef<CoiterateOp> loops) {
  auto type = cast<RankedTensorType>(nest.getType());
  if (type.getRank() == 0)
    return true;
  if (collectTraitsOf(nest).scansCosts || !isList(type) ||
      !hasSupportedLevels(type) || nest.getReduce() ||
      type.getRank() != static_cast<int64_t>(loops.size()))
    return false;
  WalkResult result = nest.walk([&](AppendOp append) -> WalkResult {
    for (auto [coordinate, loop] : llvm::zip(append.getCoordinates(), loops))
      if (coordinate != CoiterateOp(loop).getCoordinate())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Flattens a list, beside its root; returns the root of the flattened list.
static Value flatten(RootOp list) {
  ImplicitLocOpBuilder b(list.getLoc(), list);
  std::string name = getName(list.getFiber());
  b.setLoc(nameLoc(list.getLoc(), StringRef(name).rtrim('0') + "_flat"));
  Value flat = FlattenOp::create(b, list.getTensor());
  b.setLoc(list.getLoc());
  return RootOp::create(b, flat, list.getInputAttr());
}

static void flatten(ArrayRef<CoiterateOp> loops, ArrayRef<RootOp> lists) {
  CoiterateOp outermost = loops.front(), innermost = loops.back();
  ImplicitLocOpBuilder b(outermost.getLoc(), outermost);
  // The same root may occur several times.
  llvm::MapVector<Operation *, Value> flattened;
  SmallVector<Value> fibers;
  for (RootOp list : lists) {
    Value &root = flattened[list];
    if (!root)
      root = flatten(list);
    fibers.push_back(root);
  }
  std::string name;
  for (CoiterateOp loop : loops)
    name += loop.getIndexName().value_or("").str();
  auto made = CoiterateOp::create(b, fibers, ValueRange(), Value(),
                                  outermost.getMerge(), b.getStringAttr(name));
  b.setInsertionPointToStart(made.getBodyBlock());
  for (auto [level, loop] : llvm::enumerate(loops)) {
    Value coordinate = CoiterateOp(loop).getCoordinate();
    NameScope named(b, CoiterateOp(loop).getIndexName().value_or(""));
    coordinate.replaceAllUsesWith(
        UnflattenOp::create(b, b.getIndexType(), level, made.getCoordinate(),
                            RootOp(lists.front()).getTensor()));
  }
  // A list and the flattened list have the same elements.
  for (auto [outer, element, made] :
       llvm::zip(outermost.getChildren(), innermost.getChildren(),
                 made.getChildren())) {
    made.setLoc(outer.getLoc());
    element.replaceAllUsesWith(made);
  }
  made.getBodyBlock()->getOperations().splice(
      made.getBodyBlock()->end(), innermost.getBodyBlock()->getOperations());
  outermost.erase();
  for (auto [list, root] : flattened)
    if (list->use_empty())
      list->erase();
}

namespace {
struct FlattenLists : nacho::impl::NachoFlattenListsBase<FlattenLists> {
  using NachoFlattenListsBase::NachoFlattenListsBase;

  void runOnOperation() override {
    SmallVector<NestOp> nests;
    getOperation()->walk([&](NestOp nest) { nests.push_back(nest); });
    for (NestOp nest : nests) {
      SmallVector<CoiterateOp> loops = nest.getLoops();
      if (nest.getCuts() || !collectTraitsOf(nest).appendsInOrder() ||
          loops.size() < 2)
        continue;
      SmallVector<RootOp> lists = findLists(loops, trees);
      bool haveKeys = llvm::all_of(lists, [&](RootOp list) {
        return hasKeys(cast<RankedTensorType>(list.getTensor().getType()),
                       dynamic);
      });
      if (lists.size() > 1 && haveKeys && appendsInOrder(nest, loops))
        flatten(loops, lists);
    }
  }
};
} // namespace
