//===- KeptLoop.cpp - Loops whose rows of sums can stay in registers ------===//

#include "KeptLoop.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Operators.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacho;

/// Whether vectors of this element type are supported.
static bool isLaneType(Type type) {
  return isa<FloatType>(type) || type.isSignlessInteger();
}

/// Whether masked vector loads and stores of this element type are fast. Not
/// every processor has them for narrow elements.
static bool isLoadedByLane(Type type) {
  return isLaneType(type) && type.getIntOrFloatBitWidth() >= 32;
}

/// Whether an op reads neighbouring elements for consecutive values of
/// `number`.
static bool findsRow(LocateOp locate, Value number) {
  auto type = cast<RankedTensorType>(locate.getTensor().getType());
  if (type.getRank() == 0 || !isLoadedByLane(type.getElementType()))
    return false;
  unsigned last = dimensionOf(type, type.getRank() - 1);
  return llvm::all_of(llvm::enumerate(locate.getCoordinates()), [&](auto at) {
    return (at.index() == last) == (at.value() == number);
  });
}

/// Whether an operator can work on all lanes of a vector at once. Functions
/// such as `exp` cannot; they are called for each element.
static bool isLaneByLane(Operation *op) {
  if (auto unary = dyn_cast<UnaryOp>(op))
    return !operatorOf(unary.getKind()).isFractional;
  return isa<BinaryOp, CompareOp, SelectOp, CastOp, RestrictOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

/// Whether neighbouring terms can be computed together by vector instructions.
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
    // The buffer must be an argument without views: arguments of kernels do not
    // overlap, so nothing else reads or writes the sums.
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
      return false; // Two rows of one buffer might overlap.
  }
  for (auto locate : op.getBody().getOps<LocateOp>())
    tensors.insert(locate.getTensor());
  for (Operation *loop = op->getParentOp(); loop != root->getParentOp();
       loop = loop->getParentOp())
    around.insert(loop);
  return true;
}

/// Whether repeating an op for each strip makes no difference: the op only
/// reads memory that no strip writes, or sets bits that may already be set.
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

/// for n = 0 to length, for each row:
///   sums[row, n] = a value that is the same for all n
bool KeptLoop::matchFirstSums(scf::ForOp loop) {
  if (!loop.getInitArgs().empty() || loop.getUpperBound() != length ||
      !matchPattern(loop.getLowerBound(), m_Zero()) ||
      !matchPattern(loop.getStep(), m_One()))
    return false;
  SmallVector<Value> values(rows.size());
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto store = dyn_cast<memref::StoreOp>(op);
    size_t n = store ? rowOf(store.getMemRef()) : rows.size();
    if (n == rows.size() || !matchPattern(rows[n].first, m_Zero()) ||
        store.getIndices()[0] != rows[n].row ||
        store.getIndices()[1] != loop.getInductionVar() ||
        !loop.isDefinedOutsideOfLoop(store.getValue()))
      return false;
    values[n] = store.getValue();
  }
  if (!llvm::all_of(values, [](Value value) { return value; }))
    return false;
  firstSums = values;
  return true;
}

/// Looks for the loop that gives sums their first values. Nothing between it
/// and the root may depend on memory.
void KeptLoop::matchClear() {
  Operation *before = root->getPrevNode();
  while (before && isMemoryEffectFree(before))
    before = before->getPrevNode();
  auto loop = dyn_cast_or_null<scf::ForOp>(before);
  if (loop && matchFirstSums(loop))
    clear = loop;
}

/// Whether a loop steps through a single operand, or through all coordinates.
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
  found.matchClear();
  return found;
}
