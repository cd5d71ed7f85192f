//===- KeptLoop.cpp - Loops whose rows of sums can stay in registers ------===//

#include "KeptLoop.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Operators.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacho;

bool nacho::usesBuffer(Operation *op, Value buffer) {
  WalkResult result = op->walk([&](Operation *inner) -> WalkResult {
    return llvm::is_contained(inner->getOperands(), buffer) &&
                   !isMemoryEffectFree(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

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

static void insertTensors(llvm::SetVector<Value> &tensors, AccumulateOp op) {
  for (auto locate : op.getBody().getOps<LocateOp>())
    tensors.insert(locate.getTensor());
}

bool KeptLoop::matchRows(AccumulateOp op) {
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
  return true;
}

bool KeptLoop::matchSums(AccumulateOp op) {
  if (!matchRows(op))
    return false;
  insertTensors(tensors, op);
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

/// Whether an op beside the root adds to the rows, and to no others.
bool KeptLoop::addsBeside(AccumulateOp op) {
  bool adds =
      llvm::all_of(op.getSums(),
                   [&](Value sums) { return rowOf(sums) < rows.size(); }) &&
      matchRows(op);
  if (adds)
    insertTensors(besideTensors, op);
  return adds;
}

/// Whether all values that an op behind the root uses are there before it.
bool KeptLoop::canMoveToRoot(AccumulateOp op) {
  WalkResult result = op->walk([&](Operation *inner) -> WalkResult {
    return llvm::all_of(inner->getOperands(),
                        [&](Value operand) {
                          Operation *made = operand.getDefiningOp();
                          Operation *beside =
                              made ? root->getBlock()->findAncestorOpInBlock(
                                         *made)
                                   : nullptr;
                          return !beside || beside == op ||
                                 beside->isBeforeInBlock(root);
                        })
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Looks for ops that add to the rows before the root, and for the loop before
/// them that gives sums their first values. Nothing in between may depend on
/// memory.
void KeptLoop::matchBefore() {
  Operation *op = root->getPrevNode();
  for (; op; op = op->getPrevNode()) {
    auto sums = dyn_cast<AccumulateOp>(op);
    if (sums && addsBeside(sums))
      before.push_back(sums);
    else if (!isMemoryEffectFree(op))
      break;
  }
  std::reverse(before.begin(), before.end());
  auto loop = dyn_cast_or_null<scf::ForOp>(op);
  if (loop && matchFirstSums(loop))
    clear = loop;
}

/// Looks for ops that add to the rows after the root. Nothing in between may
/// use the sums.
void KeptLoop::matchAfter() {
  for (Operation *op = root->getNextNode(); op; op = op->getNextNode()) {
    auto sums = dyn_cast<AccumulateOp>(op);
    if (sums && canMoveToRoot(sums) && addsBeside(sums))
      after.push_back(sums);
    else if (llvm::any_of(rows, [&](const Row &row) {
               return usesBuffer(op, row.sums);
             }))
      return;
  }
}

Condition nacho::emitIsReadable(ImplicitLocOpBuilder &b,
                                ArrayRef<Value> tensors) {
  Condition isReadable = kAlways;
  if (tensors.empty())
    return isReadable;
  Number zero(b, 0);
  for (Value tensor : tensors) {
    auto type = cast<RankedTensorType>(tensor.getType());
    for (unsigned level = 0; level + 1 < type.getRank(); ++level) {
      Value extent = tensor::DimOp::create(b, tensor, dimensionOf(type, level));
      Value isThere = Number(b, extent) != zero;
      isReadable = emitBoth(b, isReadable, isThere);
    }
  }
  return isReadable;
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
  found.matchBefore();
  found.matchAfter();
  return found;
}
