//===- KeptLoop.cpp - Loops whose rows of sums can stay in registers ------===//

#include "KeptLoop.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Operators.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// Whether vectors have such elements.
static bool isLaneType(Type type) {
  return isa<FloatType>(type) || type.isSignlessInteger();
}

/// Whether such elements are loaded and stored by the vector: of narrow ones
/// not every processor can load some and leave others.
static bool isLoadedByLane(Type type) {
  return isLaneType(type) && type.getIntOrFloatBitWidth() >= 32;
}

/// Whether an op finds the elements of consecutive numbers next to each other.
static bool findsRow(LocateOp locate, Value number) {
  auto type = cast<RankedTensorType>(locate.getTensor().getType());
  if (type.getRank() == 0 || !isLoadedByLane(type.getElementType()))
    return false;
  unsigned last = dimensionOf(type, type.getRank() - 1);
  return llvm::all_of(llvm::enumerate(locate.getCoordinates()), [&](auto at) {
    return (at.index() == last) == (at.value() == number);
  });
}

/// Whether an operator does the same with the elements of all lanes. Functions
/// like `exp` are called for each element.
static bool isLaneByLane(Operation *op) {
  if (auto unary = dyn_cast<UnaryOp>(op))
    return !operatorOf(unary.getKind()).isFractional;
  return isa<BinaryOp, CompareOp, SelectOp, CastOp, RestrictOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

/// Whether terms that are next to each other can be computed all at once.
static bool isKeepable(AccumulateOp op) {
  Value number = op.getNumber();
  for (Type type : op.getSums().getTypes()) {
    auto sums = cast<MemRefType>(type);
    if (!isLoadedByLane(sums.getElementType()) ||
        !sums.getLayout().isIdentity())
      return false;
  }
  return llvm::all_of(
      op.getBodyBlock()->without_terminator(), [&](Operation &inner) {
        auto locate = dyn_cast<LocateOp>(inner);
        if (locate && llvm::is_contained(locate.getCoordinates(), number))
          return !locate.getLanes() && findsRow(locate, number);
        return !llvm::is_contained(inner.getOperands(), number) &&
               llvm::all_of(inner.getResultTypes(), isLaneType) &&
               (locate || isLaneByLane(&inner));
      });
}

bool KeptLoop::matchSums(AccumulateOp op) {
  if (!isKeepable(op) || !isOutside(op.getLength()) ||
      !isOutside(op.getRow()) || !isOutside(op.getFirst()) ||
      (length && length != op.getLength()))
    return false;
  length = op.getLength();
  for (Value sums : op.getSums()) {
    // Arguments of kernels do not overlap.
    bool isViewed = llvm::any_of(sums.getUsers(), [](Operation *user) {
      return isa<ViewLikeOpInterface>(user);
    });
    if (!isa<BlockArgument>(sums) || !isOutside(sums) || isViewed)
      return false;
    Row row = {sums, op.getRow(), op.getFirst()};
    size_t known = rowOf(sums);
    if (known == rows.size())
      rows.push_back(row);
    else if (!(rows[known] == row))
      return false; // Two rows of one buffer might be the same one.
  }
  for (auto locate : op.getBody().getOps<LocateOp>())
    tensors.insert(locate.getTensor());
  for (Operation *loop = op->getParentOp(); loop != root->getParentOp();
       loop = loop->getParentOp())
    around.insert(loop);
  return true;
}

/// Whether doing it once more for each strip makes no difference: it reads what
/// no strip writes, or sets bits that are set already.
bool KeptLoop::isRepeatable(Operation &op) {
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    return atomic.getKind() == arith::AtomicRMWKind::ori && op.use_empty();
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return llvm::none_of(load.getMemRef().getUsers(), [&](Operation *user) {
      return isa<memref::AtomicRMWOp, AccumulateOp>(user) &&
             root->isAncestor(user);
    });
  return isMemoryEffectFree(&op) || isa<PrefetchOp, PrefetchRowOp>(op) ||
         op.hasTrait<OpTrait::IsTerminator>();
}

bool KeptLoop::matchOps(Region &region) {
  return llvm::all_of(region.getOps(), [&](Operation &op) {
    if (auto sums = dyn_cast<AccumulateOp>(op))
      return isa<CoiterateOp>(op.getParentOp()) && matchSums(sums);
    if (isa<CoiterateOp, scf::IfOp>(op))
      return llvm::all_of(op.getRegions(),
                          [&](Region &inner) { return matchOps(inner); });
    return isRepeatable(op);
  });
}

/// Whether a loop steps through one operand, or through all coordinates.
static bool mergesNothing(CoiterateOp loop) {
  MergeAttr domain = iterationDomain(loop);
  if (isAlways(domain) || !domain.isLeaf())
    return isAlways(domain);
  auto type = cast<FiberType>(loop.getFibers()[domain.getOperand()].getType());
  return isUniqueLevel(type.getTensor(), type.getLevel());
}

std::optional<KeptLoop> KeptLoop::match(CoiterateOp root) {
  KeptLoop found(root);
  if (!mergesNothing(root) || !found.matchOps(root.getBody()) ||
      found.rows.empty())
    return {};
  return found;
}
