//===- RemapIntersections.cpp - Cost functions aware of skipped rows ------===//
//
// Consumes nests; leaves nests of which no outer loop skips what an operand
// stores, each after the nest that lists what there is. Paper section 3.3:
//
//   for i in A n B:               L = [(i, A[i], B[i], cost) for i in A n B]
//     for j in A[i] n B[i]:   ->  for (i, Ai, Bi) in L:
//       Z[i, j] = ...               for j in Ai n Bi:
//                                     Z[i, j] = ...
//
//===----------------------------------------------------------------------===//

#include "CostQueries.h"
#include "ListedLoops.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOREMAPINTERSECTIONS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// How many entries of a list ahead the fibers of an entry are fetched.
static constexpr int64_t kAhead = 8;

namespace {

/// Lists loops 0 to `last` of a nest, and runs the rest through the list.
class LoopLister {
public:
  LoopLister(NestOp nest, unsigned last)
      : nest(nest), last(last), loops(nest.getLoops()),
        b(withoutName(nest.getLoc()), nest) {}

  /// The costs of the list are still missing.
  NestOp run();
  /// Computes the costs for what the rest has become in the end.
  void addCosts(const NestCost &costs, NestOp rest);

  NestOp list;

private:
  void findKept();
  bool hasNarrowEntries();
  bool findsElements();
  llvm::SmallVector<int32_t> nonemptyChildren(CoiterateOp loop);
  void buildList();
  void appendEntry(IRMapping &mapping);
  NestOp buildRest();
  void recallKept(Value entry, IRMapping &mapping);
  bool isScattered(Value fiber);
  void prefetch(Value fiber, Value entry, unsigned below);
  bool isCertain(Value fiber);
  MergeAttr mergeOutside(MergeAttr merge);
  Value buildCondition(const IRMapping &mapping);
  Value shareOf(Value found);

  NestOp nest;
  unsigned last;
  SmallVector<CoiterateOp> loops;
  ImplicitLocOpBuilder b;
  SmallVector<Value> kept; ///< Fibers that are needed inside.
  /// By the level in which the list keeps it.
  DenseMap<unsigned, Value> keptAt;
  AppendOp append;
  /// Whether the loops inside run at all; null if they do.
  Value condition;
};

} // namespace

static bool isRun(Value fiber) {
  auto type = cast<FiberType>(fiber.getType());
  return !isUniqueLevel(type.getTensor(), type.getLevel() - 1);
}

/// Not a statement of the nest, but what its lists give back.
static bool isRecalled(Operation &op) {
  return isa<RecallOp, FiberAtOp, PrefetchOp>(op);
}

NestOp LoopLister::run() {
  findKept();
  buildList();
  return buildRest();
}

/// The fibers that the loops have brought forth and the body uses.
void LoopLister::findKept() {
  llvm::SetVector<Value> used;
  Block *body = CoiterateOp(loops[last]).getBodyBlock();
  body->walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<FiberType>(operand.getType()) || operand.getDefiningOp<RootOp>())
        continue;
      Operation *owner = operand.getParentBlock()->getParentOp();
      auto known = llvm::find(loops, owner);
      if (known != loops.end() && known - loops.begin() <= last)
        used.insert(operand);
    }
  });
  kept = used.takeVector();
}

/// Certainly present wherever the list has an entry: one of the loops demands
/// it, or a list that there was before.
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

/// Whether coordinates, and the positions that are kept, fit into 32 bits:
/// those of tensors that have so wide indices, but for blocks of several dense
/// levels.
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
  // Of what is not kept only the coordinates are: a list's positions are not.
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

/// Whether something is looked up in a fiber.
bool LoopLister::findsElements() {
  WalkResult finds = nest.walk([](FindOp) { return WalkResult::interrupt(); });
  return finds.wasInterrupted();
}

/// The children of a loop without which nothing happens inside of the listed
/// loops: an entry for them would be for nothing. Those of stored coordinates
/// are seldom empty.
///
/// Where entries share what a fiber costs that is read for all of them, each
/// has to be there: their number is that of what the last loop steps through.
SmallVector<int32_t> LoopLister::nonemptyChildren(CoiterateOp loop) {
  if (findsElements() && loop == loops[last])
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

/// list = nest collect<scanned_list> { loops 0 to last: append ? at
/// (coordinates, positions)
/// }
void LoopLister::buildList() {
  unsigned rank = last + 1;
  for (Value fiber : kept)
    rank += isRun(fiber) ? 2 : 1;
  RankedTensorType type = listTensorType(rank, last + 1, b.getI64Type(),
                                         hasNarrowEntries() ? 32 : 64);
  list = NestOp::create(b, type, Value(), BinaryKindAttr(),
                        CollectKind::scannedList);
  setName(list.getResult(), "L");
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&list.getBody());
  IRMapping mapping;
  for (unsigned m = 0; m <= last; ++m) {
    CoiterateOp loop = loops[m];
    auto mapped = [&](ValueRange values) {
      return llvm::map_to_vector(
          values, [&](Value value) { return mapping.lookupOrDefault(value); });
    };
    auto copy = CoiterateOp::create(b, mapped(loop.getFibers()),
                                    mapped(loop.getGuards()), loop.getExtent(),
                                    loop.getMerge());
    copy.setNonempty(nonemptyChildren(loop));
    mapping.map(loop.getBodyBlock()->getArguments(),
                copy.getBodyBlock()->getArguments());
    for (auto [from, to] : llvm::zip(loop.getBodyBlock()->getArguments(),
                                     copy.getBodyBlock()->getArguments()))
      to.setLoc(from.getLoc());
    YieldOp::create(b);
    b.setInsertionPointToStart(copy.getBodyBlock());
    // What was recalled from an earlier list.
    for (Operation &op : *loop.getBodyBlock())
      if (isRecalled(op))
        b.clone(op, mapping);
  }
  appendEntry(mapping);
  b.setInsertionPointToEnd(&list.getBody().front());
}

/// The merge expression of the loop inside as one of the last listed loop: what
/// that one does not tell of is never there.
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

/// Whether what an entry stands for lets the loop inside run; null if it does.
Value LoopLister::buildCondition(const IRMapping &mapping) {
  CoiterateOp inner = loops[last + 1];
  if (implies(CoiterateOp(loops[last]).getMerge(),
              mergeOutside(inner.getMerge())))
    return {};
  SmallVector<Value> present;
  for (ValueRange fibers : {inner.getFibers(), inner.getGuards()})
    for (Value fiber : fibers) {
      bool mayBeAbsent = llvm::is_contained(kept, fiber) && !isCertain(fiber);
      present.push_back(mayBeAbsent
                            ? Value(PresentOp::create(b, b.getI1Type(),
                                                      mapping.lookup(fiber)))
                            : Value());
    }
  return emitMerge(b, b.getLoc(), inner.getMerge(), present);
}

void LoopLister::appendEntry(IRMapping &mapping) {
  condition = buildCondition(mapping);
  // What is not needed inside is kept as absent.
  auto placeOf = [&](Value fiber, bool end) -> Value {
    Value position = PositionOp::create(b, fiber, end);
    if (!condition || cast<FiberType>(fiber.getType()).isElement())
      return position;
    Value none = arith::ConstantIndexOp::create(b, -1);
    return arith::SelectOp::create(b, condition, position, none);
  };
  SmallVector<Value> at;
  for (unsigned m = 0; m <= last; ++m)
    at.push_back(mapping.lookup(CoiterateOp(loops[m]).getCoordinate()));
  for (Value fiber : kept) {
    Value here = mapping.lookup(fiber);
    NameScope name(b, "pos" + StringRef(getName(fiber)).rtrim("0123456789"));
    keptAt[at.size() - last - 1] = here;
    at.push_back(placeOf(here, /*end=*/false));
    if (isRun(fiber))
      at.push_back(placeOf(here, /*end=*/true));
  }
  Value cost = arith::ConstantIntOp::create(b, 0, 64);
  append = AppendOp::create(b, cost, b.getI64IntegerAttr(0), at, Value());
  YieldOp::create(b);
}

/// The nest again, its outer loops over the list.
NestOp LoopLister::buildRest() {
  Value fiber;
  {
    NameScope name(b, "L0");
    fiber = RootOp::create(b, list.getResult(), IntegerAttr());
  }
  auto rest = NestOp::create(b, nest.getType(), Value(), nest.getReduceAttr(),
                             nest.getCollect());
  rest->setLoc(nest.getLoc());
  IRMapping mapping;
  b.createBlock(&rest.getBody());
  MergeAttr only = MergeAttr::get(b.getContext(), 0u);
  for (unsigned m = 0; m <= last; ++m) {
    CoiterateOp loop = loops[m];
    auto copy = CoiterateOp::create(b, fiber, ValueRange(), Value(), only);
    copy.getCoordinate().setLoc(loop.getCoordinate().getLoc());
    mapping.map(loop.getCoordinate(), copy.getCoordinate());
    fiber = copy.getChildren().front();
    // Loops outside have nothing else in them.
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
  // What is appended outside of all loops stays there.
  b.setInsertionPointToEnd(&rest.getBody().front());
  for (Operation &op : nest.getBody().front())
    if (&op != loops.front())
      b.clone(op, mapping);
  rest.getFinish().takeBody(nest.getFinish());
  nest.replaceAllUsesWith(rest.getOperation());
  nest.erase();
  return rest;
}

/// Whether the fibers of entries that follow one another lie anywhere: the
/// operand is begun again for every coordinate outside.
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

/// Brings the fibers of entries further on nearer.
void LoopLister::prefetch(Value fiber, Value entry, unsigned below) {
  if (cast<FiberType>(fiber.getType()).isElement())
    return;
  // Elements of which most are for nothing are not worth their memory.
  bool elements = !findsElements();
  auto fetch = [&](int64_t ahead, bool begin) {
    Value position = RecallOp::create(b, entry, below, ahead);
    Value there =
        FiberAtOp::create(b, fiber.getType(), rootOf(fiber).getFiber(),
                          position, Value(), isCertain(fiber) && !condition);
    PrefetchOp::create(b, there, begin, elements && !begin);
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
    bool isThere = isCertain(fiber) &&
                   (!condition || cast<FiberType>(fiber.getType()).isElement());
    Value again =
        FiberAtOp::create(b, fiber.getType(), root, position, end, isThere);
    mapping.map(fiber, again);
  }
}

/// append cost at (...)
void LoopLister::addCosts(const NestCost &costs, NestOp rest) {
  b.setInsertionPoint(append);
  SmallVector<Value> fibers;
  for (const NestOperand &operand : costs.getOperands()) {
    auto at = operand.root.getDefiningOp<FiberAtOp>();
    if (!at)
      fibers.push_back(operand.root);
    else
      fibers.push_back(
          keptAt.at(at.getPosition().getDefiningOp<RecallOp>().getBelow()));
  }
  Value cost = CostQueries(b, costs).entryTotal(fibers, condition);
  rest.walk([&](FindOp find) {
    if (auto at = find.getFiber().getDefiningOp<FiberAtOp>())
      cost = arith::AddIOp::create(
          b, cost,
          shareOf(keptAt.at(
              at.getPosition().getDefiningOp<RecallOp>().getBelow())));
  });
  append.getValueMutable().assign(
      arith::IndexCastOp::create(b, b.getI64Type(), cost));
}

/// What an entry costs for a fiber that is read for all of them: it is shared
/// between the children of the fiber that the last loop steps through, before
/// which the share is computed.
Value LoopLister::shareOf(Value found) {
  auto size = [&](Value fiber) -> Value {
    NameScope name(b, "share" + StringRef(getName(fiber)).rtrim("0123456789"));
    return CostOp::create(b, b.getIndexType(), CostKind::nnz, fiber, Value(),
                          /*below=*/0);
  };
  auto loop = cast<CoiterateOp>(append->getParentOp());
  auto stored = llvm::find_if(loop.getFibers(), [](Value fiber) {
    auto type = cast<FiberType>(fiber.getType());
    return !isFullLevel(type.getTensor(), type.getLevel());
  });
  bool isAnew = found.getParentBlock() == loop.getBodyBlock();
  if (isAnew || stored == loop.getFibers().end())
    return size(found);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  Value share = size(found);
  // Of a union the one that is there may be another.
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value steps = arith::MaxUIOp::create(b, size(*stored), one);
  return arith::CeilDivUIOp::create(b, share, steps);
}

/// Each list costs what the next one, or the rest, does with its entries.
static void remap(NestOp nest, CostModelAttr model) {
  SmallVector<std::unique_ptr<LoopLister>> listers;
  SmallVector<NestOp> users;
  for (unsigned last : loopsToRemap(nest, model)) {
    listers.push_back(std::make_unique<LoopLister>(nest, last));
    nest = listers.back()->run();
    if (listers.size() > 1)
      users.push_back(listers.back()->list);
  }
  users.push_back(nest);
  for (auto [lister, user] : llvm::zip(listers, users))
    lister->addCosts(NestCost(user, model), user);
}

namespace {
struct RemapIntersections
    : nacho::impl::NachoRemapIntersectionsBase<RemapIntersections> {
  using NachoRemapIntersectionsBase::NachoRemapIntersectionsBase;

  void runOnOperation() override {
    FailureOr<CostModelAttr> model =
        CostModelAttr::lookUp(getOperation(), cost);
    if (failed(model))
      return signalPassFailure();
    SmallVector<NestOp> nests;
    getOperation().walk([&](NestOp nest) { nests.push_back(nest); });
    for (NestOp nest : nests) {
      if (nest.getCuts())
        continue;
      if (failed(verifyHasRoots(nest)))
        return signalPassFailure();
      remap(nest, *model);
    }
  }
};
} // namespace
