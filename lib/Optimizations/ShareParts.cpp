//===- ShareParts.cpp - Parts shared by the lanes of a warp ---------------===//
//
// Consumes and leaves the parts of stage `scf`. All lanes run the code of a
// part; what tells them apart is which steps of dense loops they take, and
// which lane of a vector is theirs (LaneElements.h).
//
//===----------------------------------------------------------------------===//

#include "LaneElements.h"
#include "nacho/IR/Lanes.h"
#include "nacho/IR/Nacho.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSHAREPARTS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Abilities of lanes
//===----------------------------------------------------------------------===//

namespace {
/// A part whose lanes do it together.
class SharedPart {
public:
  SharedPart(ParallelOp workers, int64_t numLanes)
      : workers(workers), numLanes(numLanes) {}

  /// Whether its lanes can do it together, and gain from that.
  bool find();
  void share();

private:
  bool isRowLoop(scf::ForOp loop) const;
  scf::ForOp findStripLoop(Operation *op, ValueRange indices) const;
  bool areStrips(int64_t size);
  bool add(Operation *op);
  bool addVectors(Operation *op);
  bool addStep(scf::ForOp loop, Operation &op);
  void addRead(scf::ForOp loop, Value array, ValueRange indices);
  bool addWrite(scf::ForOp loop, Value array, ValueRange indices);
  bool isOrderFree() const;

  ParallelOp workers;
  int64_t numLanes;
  SmallVector<scf::ForOp> rowLoops;
  SmallVector<Operation *> writes; ///< Outside of row loops.
  SmallVector<Operation *> withVectors;
  /// The arrays that are read and written: in row loops, or outside of them.
  /// What a row loop accesses at its step is that of the same lane in any row
  /// loop; all else it accesses is `elsewhere`.
  DenseSet<Value> read, written, elsewhere;
  /// The arrays that row loops write at their steps, with null, or after an
  /// element, with its index.
  DenseMap<Value, Value> writtenInRows;
  bool isWorth = false;
  std::optional<int64_t> stripSize; ///< The number of elements of all strips.
  Value begin; ///< The first position of row loops; null if there are none.
};
} // namespace

/// Whether a loop takes all steps and leaves nothing but what it writes.
static bool isPlain(scf::ForOp loop) {
  return loop.getNumResults() == 0 && matchPattern(loop.getStep(), m_One());
}

/// Whether a loop is inside of another one, in each of whose steps it takes the
/// same steps.
static bool isRepeated(ParallelOp workers, scf::ForOp loop) {
  for (Operation *outer = loop->getParentOp(); outer != workers;
       outer = outer->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(outer) &&
        !outer->isAncestor(
            loop.getUpperBound().getParentBlock()->getParentOp()))
      return true;
  return false;
}

/// Whether a loop begins where all row loops do, so that its step n is one of
/// the same lane in all of them.
bool SharedPart::isRowLoop(scf::ForOp loop) const {
  Value from = loop.getLowerBound();
  return isPlain(loop) && (from == begin || (matchPattern(from, m_Zero()) &&
                                             matchPattern(begin, m_Zero())));
}

/// Whether a loop accesses the element of its step, in a row.
static bool isAtStep(scf::ForOp loop, ValueRange indices) {
  return !indices.empty() && indices.back() == loop.getInductionVar();
}

/// Whether a value is the same in all steps of a loop, though a step may be
/// what computes it.
static bool isSame(scf::ForOp loop, Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isSame(loop, operand); });
}

/// The value to which a loop adds its step to find an element, if it is the
/// same in all steps, and comes last among the indices; null if there is none.
static Value findBegin(scf::ForOp loop, ValueRange indices) {
  auto sum = indices.empty() ? arith::AddIOp()
                             : indices.back().getDefiningOp<arith::AddIOp>();
  Value step = loop.getInductionVar();
  if (!sum || !llvm::is_contained(sum->getOperands(), step))
    return {};
  Value from = sum.getLhs() == step ? sum.getRhs() : sum.getLhs();
  return isSame(loop, from) ? from : Value();
}

/// Whether two values are computed alike from the same ones.
static bool areAlike(Value one, Value other) {
  if (one == other)
    return true;
  Operation *op = one.getDefiningOp();
  return op && other.getDefiningOp() && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         OperationEquivalence::isEquivalentTo(
             op, other.getDefiningOp(),
             [](Value x, Value y) { return success(areAlike(x, y)); },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// Adds what each lane reads in a step of its own.
void SharedPart::addRead(scf::ForOp loop, Value array, ValueRange indices) {
  read.insert(array);
  if (!isAtStep(loop, indices))
    elsewhere.insert(array);
}

/// Adds what each lane writes in a step of its own. Elements of an array that
/// are not of their steps are written after the same one only: else the order
/// would matter in which lanes write them.
bool SharedPart::addWrite(scf::ForOp loop, Value array, ValueRange indices) {
  if (isAtStep(loop, indices))
    return writtenInRows.insert({array, Value()}).first->second == Value();
  Value from = findBegin(loop, indices);
  auto [known, isFirst] = writtenInRows.insert({array, from});
  elsewhere.insert(array);
  return from && (isFirst || (known->second && areAlike(known->second, from)));
}

/// Adds an operation of a row loop; fails if it is more than a step.
bool SharedPart::addStep(scf::ForOp loop, Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    addRead(loop, load.getMemRef(), load.getIndices());
    return true;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return addWrite(loop, store.getMemRef(), store.getIndices());
  if (isa<scf::IfOp>(op))
    return true;
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) && !hasVectors(&op);
}

/// Whether a value is known to be a multiple of a number.
static bool isMultiple(Value value, int64_t number) {
  if (auto both = value.getDefiningOp<arith::AndIOp>())
    value = both.getRhs();
  std::optional<int64_t> constant = getConstantIntValue(value);
  return constant && *constant % number == 0;
}

/// The loop over strips of a row of which an operation accesses one: lane n has
/// element n of each, and that is where it takes its steps of row loops. Null
/// if there is none.
scf::ForOp SharedPart::findStripLoop(Operation *op, ValueRange indices) const {
  if (begin && !matchPattern(begin, m_Zero()))
    return {};
  for (Operation *outer = op->getParentOp(); outer != workers;
       outer = outer->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(outer);
        loop && isMultiple(loop.getLowerBound(), numLanes) &&
        isMultiple(loop.getStep(), numLanes) &&
        (isAtStep(loop, indices) || findBegin(loop, indices)))
      return loop;
  return {};
}

/// Whether a lane has the same elements of all strips, and takes its steps of
/// row loops there: it has one element of each strip, or there are no such
/// loops, and all strips are as long as the first one.
bool SharedPart::areStrips(int64_t size) {
  if (!stripSize)
    stripSize = size;
  return size == *stripSize && (size == numLanes || !begin);
}

/// Adds an operation on vectors.
bool SharedPart::addVectors(Operation *op) {
  withVectors.push_back(op);
  if (!isForLanes(workers, op, numLanes))
    return false;
  auto loop = dyn_cast<scf::ForOp>(op);
  isWorth |= loop && llvm::any_of(loop.getResultTypes(), [&](Type type) {
               auto vector = dyn_cast<VectorType>(type);
               return vector && vector.getNumElements() >= numLanes;
             });
  std::optional<VectorAccess> access = VectorAccess::of(op);
  if (!access)
    return isa<scf::ForOp, scf::IfOp>(op) || isMemoryEffectFree(op);
  scf::ForOp strips;
  if (access->size % numLanes == 0 && areStrips(access->size))
    strips = findStripLoop(op, access->indices);
  if (access->writes)
    return strips && addWrite(strips, access->array, access->indices);
  if (strips) {
    addRead(strips, access->array, access->indices);
  } else {
    read.insert(access->array);
    elsewhere.insert(access->array);
  }
  return true;
}

/// Adds an operation outside of row loops.
bool SharedPart::add(Operation *op) {
  if (hasVectors(op))
    return addVectors(op);
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    read.insert(load.getMemRef());
    elsewhere.insert(load.getMemRef());
    return true;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    written.insert(store.getMemRef());
    writes.push_back(op);
    return true;
  }
  if (auto update = dyn_cast<memref::AtomicRMWOp>(op)) {
    written.insert(update.getMemref());
    writes.push_back(op);
    return update.use_empty();
  }
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, memref::PrefetchOp>(op) ||
         isMemoryEffectFree(op);
}

/// Whether no lane reads, or writes again, what another one has written.
bool SharedPart::isOrderFree() const {
  auto isReadElsewhere = [&](Value array) {
    return read.contains(array) && elsewhere.contains(array);
  };
  return llvm::none_of(written,
                       [&](Value array) {
                         return read.contains(array) ||
                                writtenInRows.contains(array);
                       }) &&
         llvm::none_of(llvm::make_first_range(writtenInRows), isReadElsewhere);
}

bool SharedPart::find() {
  Block *body = workers.getBodyBlock();
  if (!body->getOps<TileOp>().empty() || !body->getOps<LaneOp>().empty())
    return false;
  body->walk([&](scf::ForOp loop) {
    if (!isPlain(loop) || !isRepeated(workers, loop))
      return WalkResult::advance();
    begin = loop.getLowerBound();
    isWorth = true;
    return WalkResult::interrupt();
  });
  WalkResult result = body->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !begin || !isRowLoop(loop))
      return add(op) ? WalkResult::advance() : WalkResult::interrupt();
    WalkResult steps = loop.getBody()->walk([&](Operation *step) -> WalkResult {
      return addStep(loop, *step) ? WalkResult::advance()
                                  : WalkResult::interrupt();
    });
    if (steps.wasInterrupted())
      return WalkResult::interrupt();
    rowLoops.push_back(loop);
    return WalkResult::skip();
  });
  return !result.wasInterrupted() && isWorth && isOrderFree();
}

//===----------------------------------------------------------------------===//
// Operations of lanes
//===----------------------------------------------------------------------===//

void SharedPart::share() {
  auto b = ImplicitLocOpBuilder::atBlockBegin(workers.getLoc(),
                                              workers.getBodyBlock());
  Lanes lanes = Lanes::create(b, numLanes);
  Value isFirst = lanes.isFirst(b);
  llvm::for_each(rowLoops, [&](scf::ForOp loop) { lanes.takeSteps(loop); });
  llvm::for_each(writes, [&](Operation *op) { Lanes::doOnce(op, isFirst); });
  takeElements(withVectors, lanes);
}

/// Whether a part adds up the elements of vectors: it takes the sum out of one.
static bool addsUpVectors(ParallelOp workers) {
  return workers.walk([](vector::ExtractOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
struct ShareParts : nacho::impl::NachoSharePartsBase<ShareParts> {
  using NachoSharePartsBase::NachoSharePartsBase;

  void runOnOperation() override {
    getOperation().walk([&](ParallelOp workers) {
      int64_t count = addsUpVectors(workers) ? sumLanes : lanes;
      if (SharedPart part(workers, count); part.find())
        part.share();
    });
  }
};
} // namespace
