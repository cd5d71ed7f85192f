//===- LoopLister.cpp - Lists of the coordinates of outer loops -----------===//
//
// Replaces a nest by two. The first lists the coordinates that the outer loops
// visit, and the positions there of the fibers that the inner loops need; the
// second runs the inner loops for each entry of the list, with these fibers:
//
//   for i in A n B:               list = [(i, A[i], B[i]) for i in A n B]
//     for j in A[i] n B[i]:   ->  for (i, Ai, Bi) in list:
//       Z[i, j] = ...               for j in Ai n Bi:
//                                     Z[i, j] = ...
//
//===----------------------------------------------------------------------===//

#include "LoopLister.h"

#include "ListedLoops.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nacho;

/// The number of entries of the list that fibers are prefetched ahead.
static constexpr int64_t kAhead = 8;

namespace {
/// Lists loops 0 to `last` of a nest, and runs the rest through the list.
class LoopLister {
public:
  LoopLister(NestOp nest, unsigned last)
      : nest(nest), last(last), loops(nest.getLoops()),
        b(withoutName(nest.getLoc()), nest) {}

  ListedNest run();

private:
  void findKept();
  bool hasNarrowEntries();
  llvm::SmallVector<int32_t> nonemptyChildren(CoiterateOp loop);
  void buildList();
  void appendEntry(IRMapping &mapping);
  void buildRest();
  void recallKept(Value entry, IRMapping &mapping);
  bool isScattered(Value fiber);
  void prefetch(Value fiber, Value entry, unsigned below);
  bool isCertain(Value fiber);
  MergeAttr mergeOutside(MergeAttr merge);
  Condition buildCondition(const IRMapping &mapping);

  NestOp nest;
  unsigned last;
  SmallVector<CoiterateOp> loops;
  ImplicitLocOpBuilder b;
  /// The fibers of the listed loops that the loops inside of them use.
  SmallVector<Value> kept;
  ListedNest made;
};

} // namespace

/// Whether the parents of a fiber are a run: entries with the same coordinate.
static bool isRun(Value fiber) {
  auto type = cast<FiberType>(fiber.getType());
  return !isUniqueLevel(type.getTensor(), type.getLevel() - 1);
}

/// Whether an op finds or prefetches the fibers that an earlier list kept.
static bool isRecalled(Operation &op) {
  return isa<RecallOp, FiberAtOp, PrefetchOp>(op);
}

ListedNest LoopLister::run() {
  findKept();
  buildList();
  buildRest();
  return made;
}

void LoopLister::findKept() {
  llvm::SetVector<Value> used;
  Block *body = CoiterateOp(loops[last]).getBodyBlock();
  body->walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<FiberType>(operand.getType()) || operand.getDefiningOp<RootOp>())
        continue;
      Operation *owner = operand.getParentBlock()->getParentOp();
      auto *known = llvm::find(loops, owner);
      if (known != loops.end() && known - loops.begin() <= last)
        used.insert(operand);
    }
  });
  kept = used.takeVector();
}

/// Whether a fiber is present at every entry of the list: either a listed loop
/// demands it, or it was present at every entry of an earlier list.
bool LoopLister::isCertain(Value fiber) {
  if (auto at = fiber.getDefiningOp<FiberAtOp>())
    return at.getCertain();
  auto loop = dyn_cast<CoiterateOp>(makerOf(fiber).getOperation());
  if (!loop)
    return false;
  unsigned number =
      llvm::find(loop.getChildren(), fiber) - loop.getChildren().begin();
  if (holdsOnlyWith(loop.getMerge(), number))
    return true;
  for (CoiterateOp inner : ArrayRef(loops).take_front(last + 1))
    for (auto [n, guard] : llvm::enumerate(inner.getGuards()))
      if (guard == fiber &&
          holdsOnlyWith(inner.getMerge(), inner.getFibers().size() + n))
        return true;
  return false;
}

/// Whether all coordinates, and the kept positions, fit into 32 bits: if the
/// tensors have indices of 32 bits. A position in dense levels is a product,
/// and may need more, unless there is only one and it is the first level.
bool LoopLister::hasNarrowEntries() {
  auto isNarrow = [](Value fiber) {
    auto type = cast<FiberType>(fiber.getType());
    auto encoding = sparse_tensor::getSparseTensorEncoding(type.getTensor());
    unsigned full = 0;
    for (unsigned level = type.getLevel();
         level > 0 && isFullLevel(type.getTensor(), level - 1); --level)
      ++full;
    bool isBlock = full > 1 || (full == 1 && type.getLevel() > 1);
    return encoding.getPosWidth() == 32 && encoding.getCrdWidth() == 32 &&
           !isBlock;
  };
  // Of fibers that are not kept, only the coordinates must fit.
  auto isNarrowLoop = [&](CoiterateOp loop) {
    return !loop.getFibers().empty() &&
           llvm::all_of(loop.getChildren(), [&](Value child) {
             auto type = cast<FiberType>(child.getType());
             auto encoding =
                 sparse_tensor::getSparseTensorEncoding(type.getTensor());
             bool isStored =
                 !isFullLevel(type.getTensor(), type.getLevel() - 1);
             return isNarrow(child) ||
                    (isStored && encoding.getCrdWidth() == 32);
           });
  };
  return llvm::all_of(kept, isNarrow) &&
         llvm::all_of(ArrayRef(loops).take_front(last + 1), isNarrowLoop);
}

/// The numbers of the children of a listed loop that must not be empty for an
/// entry to be listed: if one is empty, the loops inside have nothing to do.
/// Only children in full levels are asked, since a stored coordinate is seldom
/// without children.
///
/// If elements are found by their coordinates, the last listed loop lists all
/// its coordinates: the cost of a table is divided by the number of entries of
/// the fiber that the loop steps through.
SmallVector<int32_t> LoopLister::nonemptyChildren(CoiterateOp loop) {
  if (findsElements(nest) && loop == loops[last])
    return SmallVector<int32_t>(loop.getNonempty());
  unsigned outermost = outermostAppend(nest, loops);
  auto inside = ArrayRef(loops).take_front(outermost + 1).drop_front(last + 1);
  SmallVector<int32_t> numbers(loop.getNonempty());
  for (auto [n, child] : llvm::enumerate(loop.getChildren())) {
    auto type = cast<FiberType>(child.getType());
    bool mayBeEmpty = !type.isElement() &&
                      !isFullLevel(type.getTensor(), type.getLevel()) &&
                      isFullLevel(type.getTensor(), type.getLevel() - 1);
    if (mayBeEmpty && !llvm::is_contained(numbers, n) &&
        llvm::any_of(inside, [&, child = child](CoiterateOp inner) {
          return needsChildren(inner, child);
        }))
      numbers.push_back(n);
  }
  return numbers;
}

/// list = nest collect<scanned_list> {
///   loops 0 to last:
///     append 0 at (coordinates, positions)
/// }
void LoopLister::buildList() {
  unsigned rank = last + 1;
  for (Value fiber : kept)
    rank += isRun(fiber) ? 2 : 1;
  RankedTensorType type = listTensorType(rank, last + 1, b.getI64Type(),
                                         hasNarrowEntries() ? 32 : 64);
  made.list =
      NestOp::create(b, type, Value(), MonoidAttr(), CollectKind::scannedList);
  setName(made.list.getResult(), "L");
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&made.list.getBody());
  IRMapping mapping;
  for (unsigned m = 0; m <= last; ++m) {
    CoiterateOp loop = loops[m];
    auto mapped = [&](ValueRange values) {
      return llvm::map_to_vector(
          values, [&](Value value) { return mapping.lookupOrDefault(value); });
    };
    auto copy = CoiterateOp::create(b, mapped(loop.getFibers()),
                                    mapped(loop.getGuards()), loop.getExtent(),
                                    loop.getMerge(), loop.getIndexNameAttr());
    copy.setNonempty(nonemptyChildren(loop));
    mapping.map(loop.getBodyBlock()->getArguments(),
                copy.getBodyBlock()->getArguments());
    for (auto [from, to] : llvm::zip(loop.getBodyBlock()->getArguments(),
                                     copy.getBodyBlock()->getArguments()))
      to.setLoc(from.getLoc());
    YieldOp::create(b);
    b.setInsertionPointToStart(copy.getBodyBlock());
    // Recall the fibers that an earlier list kept.
    for (Operation &op : *loop.getBodyBlock())
      if (isRecalled(op))
        b.clone(op, mapping);
  }
  appendEntry(mapping);
  b.setInsertionPointToEnd(&made.list.getBody().front());
}

/// The merge expression of the first loop that is not listed, over the operands
/// of the last listed loop. A fiber that the last listed loop does not step
/// through counts as absent, unless it is certainly present.
MergeAttr LoopLister::mergeOutside(MergeAttr merge) {
  CoiterateOp outer = loops[last], inner = loops[last + 1];
  MLIRContext *context = b.getContext();
  if (merge.isLeaf()) {
    SmallVector<Value> fibers(inner.getFibers());
    llvm::append_range(fibers, inner.getGuards());
    Value fiber = fibers[merge.getOperand()];
    auto child = llvm::find(outer.getChildren(), fiber);
    if (child != outer.getChildren().end())
      return MergeAttr::get(
          context, static_cast<unsigned>(child - outer.getChildren().begin()));
    bool isThere = !llvm::is_contained(kept, fiber) || isCertain(fiber);
    return isThere ? intersectMerges(context, {}) : uniteMerges(context, {});
  }
  SmallVector<MergeAttr> args;
  for (MergeAttr child : merge.children())
    args.push_back(mergeOutside(child));
  return merge.getKind() == MergeKind::unite ? uniteMerges(context, args)
                                             : intersectMerges(context, args);
}

/// Whether the loop inside runs at all with the fibers of an entry.
Condition LoopLister::buildCondition(const IRMapping &mapping) {
  CoiterateOp inner = loops[last + 1];
  if (implies(CoiterateOp(loops[last]).getMerge(),
              mergeOutside(inner.getMerge())))
    return kAlways;
  SmallVector<Condition> present;
  for (ValueRange fibers : {inner.getFibers(), inner.getGuards()})
    for (Value fiber : fibers) {
      bool mayBeAbsent = llvm::is_contained(kept, fiber) && !isCertain(fiber);
      present.push_back(kAlways);
      if (mayBeAbsent)
        present.back() =
            PresentOp::create(b, b.getI1Type(), mapping.lookup(fiber));
    }
  return emitMerge(b, inner.getMerge(), present);
}

void LoopLister::appendEntry(IRMapping &mapping) {
  made.condition = buildCondition(mapping);
  Condition condition = made.condition;
  // If the loop inside does not run, its fibers are kept as absent.
  auto placeOf = [&](Value fiber, bool end) -> Value {
    Value position = PositionOp::create(b, fiber, end);
    if (condition.isAlways() || cast<FiberType>(fiber.getType()).isElement())
      return position;
    Number none(b, -1);
    return emitSelect(b, condition, position, none);
  };
  SmallVector<Value> at;
  for (unsigned m = 0; m <= last; ++m)
    at.push_back(mapping.lookup(CoiterateOp(loops[m]).getCoordinate()));
  for (Value fiber : kept) {
    Value here = mapping.lookup(fiber);
    NameScope name(b, "pos" + StringRef(getName(fiber)).rtrim("0123456789"));
    made.keptAt[at.size() - last - 1] = here;
    at.push_back(placeOf(here, /*end=*/false));
    if (isRun(fiber))
      at.push_back(placeOf(here, /*end=*/true));
  }
  Number cost(b, 0, b.getI64Type());
  made.append = AppendOp::create(b, cost, b.getI64IntegerAttr(0), at, Value());
  YieldOp::create(b);
}

/// rest = nest {
///   for each entry of the list:
///     the fibers that the entry keeps; the loops inside
/// }
void LoopLister::buildRest() {
  Value fiber;
  {
    NameScope name(b, "L0");
    fiber = RootOp::create(b, made.list.getResult(), IntegerAttr(),
                           /*scannedList=*/true);
  }
  auto rest = NestOp::create(b, nest.getType(), Value(), nest.getReduceAttr(),
                             nest.getCollect(), nest.getWholeEntries());
  rest->setLoc(nest.getLoc());
  IRMapping mapping;
  b.createBlock(&rest.getBody());
  MergeAttr only = MergeAttr::get(b.getContext(), 0u);
  for (unsigned m = 0; m <= last; ++m) {
    CoiterateOp loop = loops[m];
    auto copy = CoiterateOp::create(b, fiber, ValueRange(), Value(), only,
                                    loop.getIndexNameAttr());
    mapping.map(loop.getCoordinate(), copy.getCoordinate());
    fiber = copy.getChildren().front();
    // Only the last loop over the list has other ops in its body.
    if (m > 0)
      YieldOp::create(b);
    b.setInsertionPointToStart(copy.getBodyBlock());
  }
  recallKept(fiber, mapping);
  for (Operation &op :
       CoiterateOp(loops[last]).getBodyBlock()->without_terminator())
    if (!isRecalled(op))
      b.clone(op, mapping);
  YieldOp::create(b);
  // Copy the ops outside of all loops, too.
  b.setInsertionPointToEnd(&rest.getBody().front());
  for (Operation &op : nest.getBody().front())
    if (&op != loops.front())
      b.clone(op, mapping);
  rest.getFinish().takeBody(nest.getFinish());
  nest.replaceAllUsesWith(rest.getOperation());
  nest.erase();
  made.rest = rest;
}

/// Whether the fibers of successive entries may lie anywhere in memory: the
/// operand is iterated anew for every coordinate of an outer loop.
bool LoopLister::isScattered(Value fiber) {
  while (true) {
    auto loop = dyn_cast<CoiterateOp>(makerOf(fiber).getOperation());
    if (!loop)
      return false;
    Value source = loop.getSourceOf(fiber);
    if (source.getDefiningOp<RootOp>())
      return loop != loops.front() && !isRun(fiber);
    fiber = source;
  }
}

/// Prefetches the fibers of later entries, and their first elements. Even where
/// few of these are read, as those of masked products, waiting for them takes
/// longer than prefetching all.
void LoopLister::prefetch(Value fiber, Value entry, unsigned below) {
  if (cast<FiberType>(fiber.getType()).isElement())
    return;
  auto fetch = [&](int64_t ahead, bool begin) {
    Value position = RecallOp::create(b, entry, below, ahead);
    Value there = FiberAtOp::create(
        b, fiber.getType(), rootOf(fiber).getFiber(), position, Value(),
        isCertain(fiber) && made.condition.isAlways());
    PrefetchOp::create(b, there, begin, /*elements=*/!begin);
  };
  fetch(2 * kAhead, /*begin=*/true);
  fetch(kAhead, /*begin=*/false);
}

void LoopLister::recallKept(Value entry, IRMapping &mapping) {
  unsigned below = 0;
  for (Value fiber : kept) {
    if (isScattered(fiber))
      prefetch(fiber, entry, below);
    std::string stem = StringRef(getName(fiber)).rtrim("0123456789").str();
    auto recall = [&]() -> Value {
      NameScope name(b, "pos" + stem);
      return RecallOp::create(b, entry, below++);
    };
    Value position = recall(), end;
    if (isRun(fiber))
      end = recall();
    Value root = rootOf(fiber).getFiber();
    NameScope name(b, getName(fiber));
    bool isThere =
        isCertain(fiber) && (made.condition.isAlways() ||
                             cast<FiberType>(fiber.getType()).isElement());
    Value again =
        FiberAtOp::create(b, fiber.getType(), root, position, end, isThere);
    mapping.map(fiber, again);
  }
}

ListedNest nacho::listLoops(NestOp nest, unsigned last) {
  return LoopLister(nest, last).run();
}
