//===- CutLevels.cpp - Levels that parts read between cuts ----------------===//

#include "CutLevels.h"
#include "LateReads.h"
#include "nacho/IR/Fibers.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

CutLevels::CutLevels(ParallelOp workers) {
  SmallVector<TileSyncOp> syncs(workers.getBodyBlock()->getOps<TileSyncOp>());
  isLast = syncs.empty();
  workers.walk<WalkOrder::PreOrder>([&](Operation *op) {
    isLast |= !syncs.empty() && op == syncs.back();
    visit(op);
  });
}

void CutLevels::visit(Operation *op) {
  if (auto load = dyn_cast<LoadCutOp>(op))
    depths[load.getCut()] = 0;
  else if (auto loop = dyn_cast<CoiterateOp>(op))
    visitSteps(loop, loop.isBounded() ? loop.getInnerLower() : Value());
  else if (auto count = dyn_cast<CountOp>(op))
    visitSteps(count, Value());
  else if (auto search = dyn_cast<SearchOp>(op))
    visitSteps(search, search.getInnerLower());
  else if (isLast)
    noteElsewhere(op);
}

/// Whether positions of a fiber are those of a part of a tensor.
static bool isOfSlice(Value fiber) {
  RootOp root = rootOf(fiber);
  return root && wholeTensorOf(root.getTensor()) != root.getTensor();
}

/// Whether a loop searches the ends of runs of a fiber's entries, which may be
/// behind the cut. It does not if inner loops take the runs apart: then, it
/// ends where these do.
static bool searchesRuns(CoiterateOp loop, Value fiber) {
  auto type = cast<FiberType>(fiber.getType());
  bool cutsInside =
      loop.isBounded() && loop.getLower().getType().getWidths().size() > 1;
  if (!cutsInside || isUniqueLevel(type.getTensor(), type.getLevel()))
    return false;
  auto number = llvm::find(loop.getFibers(), fiber) - loop.getFibers().begin();
  Value child = loop.getChildren()[number];
  CoiterateOp inner = loop.getInnerLoop();
  return !inner || !llvm::is_contained(inner.getFibers(), child) ||
         searchesRuns(inner, child);
}

/// Returns the level of the stored tensor that has the entries of a fiber. The
/// only level of a flattened tensor has an entry at each position.
static unsigned storedLevelOf(Value fiber, Value tensor) {
  if (rootOf(fiber).getTensor().getDefiningOp<FlattenOp>())
    return cast<RankedTensorType>(tensor.getType()).getRank() - 1;
  return cast<FiberType>(fiber.getType()).getLevel();
}

/// Whether steps through a fiber, in a loop with a number, read only what is
/// between two cuts. They begin again and again unless all loops outside step
/// through the levels above. A search also asks what whole fibers cost.
static bool isReadOnce(Operation *op, Value fiber, int64_t loop) {
  if (isa<SearchOp>(op) || isOfSlice(fiber) ||
      cast<FiberType>(fiber.getType()).getLevel() != loop)
    return false;
  auto iteration = dyn_cast<CoiterateOp>(op);
  return !iteration || !searchesRuns(iteration, fiber);
}

/// Whether an op reads one entry of a fiber, or few: where a single operand has
/// the entries, a search counts them instead of looking at them, and only then
/// asks for the coordinate of the one that it has found.
static bool readsFew(Operation *op, Value fiber, Value tensor) {
  auto search = dyn_cast<SearchOp>(op);
  return search && search.getFibers().size() == 1 &&
         storedLevelOf(fiber, tensor) + 1 ==
             cast<RankedTensorType>(tensor.getType()).getRank();
}

/// `inner` is the lower cut that remains inside of a coordinate.
template <typename OpT>
void CutLevels::visitSteps(OpT op, Value inner) {
  auto depth = op.getLower() ? depths.find(op.getLower()) : depths.end();
  bool isCut = depth != depths.end();
  int64_t loop = isCut ? depth->second : 0;
  for (auto [operand, fiber] : llvm::enumerate(op.getFibers())) {
    Value tensor = storedTensorOf(fiber);
    if (!tensor)
      continue;
    unsigned level = storedLevelOf(fiber, tensor);
    if (isCut && !readsFew(op, fiber, tensor))
      levels.insert({{tensor, level}, {tensor, level, loop, int64_t(operand)}});
    if (isLast && !(isCut && isReadOnce(op, fiber, loop)))
      again.insert({tensor, level});
  }
  if (isCut && inner)
    depths[inner] = loop + 1;
}

/// Notes the tensors that an op may read anywhere.
void CutLevels::noteElsewhere(Operation *op) {
  // These read where a fiber is, or nothing that matters.
  if (isa<LoadOp, CostOp, ExtentOp, PresentOp, RestrictOp, OnCutOp, PositionOp,
          LimitOp, CutOp, YieldOp, PrefetchOp, AheadOp, PrefetchRowOp,
          memref::DimOp>(op))
    return;
  for (Value operand : op->getOperands()) {
    if (isa<FiberType>(operand.getType()))
      anywhere.insert(storedTensorOf(operand));
    else if (isa<LocateOp>(op) && isa<RankedTensorType>(operand.getType()))
      anywhere.insert(wholeTensorOf(operand));
    else if (isa<MemRefType>(operand.getType()) && operand.getDefiningOp())
      for (Value source : operand.getDefiningOp()->getOperands())
        if (isa<RankedTensorType>(source.getType()))
          anywhere.insert(wholeTensorOf(source));
  }
}

SmallVector<CutLevel> CutLevels::take() const {
  SmallVector<CutLevel> taken;
  for (const auto &[key, cut] : levels) {
    auto type = cast<RankedTensorType>(cut.tensor.getType());
    bool isLast = cut.level + 1 == type.getRank();
    if (isLast || !sharesPositions(type, cut.level + 1) ||
        !levels.contains({cut.tensor, cut.level + 1}))
      taken.push_back(cut);
  }
  return taken;
}

bool CutLevels::isReadAlone(Value tensor, unsigned level) const {
  return !again.contains({tensor, level}) && !anywhere.contains(tensor);
}
