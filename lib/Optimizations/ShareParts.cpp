//===- ShareParts.cpp - Parts shared by the lanes of a warp ---------------===//
//
// Consumes and leaves the parts of stage `scf`. All lanes run the code of a
// part; what tells them apart is which steps of dense loops they take, and
// which lane of a vector is theirs. A vector of n elements, at most 32, is a
// number of each lane: the n first lanes have its elements, and what the others
// have does not matter.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Arith.h"
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
#include "llvm/ADT/TypeSwitch.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSHAREPARTS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Abilities of lanes
//===----------------------------------------------------------------------===//

/// Whether each of so many lanes can have an element of a vector.
static bool isOfLanes(Type type, int64_t numLanes) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         vector.getNumElements() <= numLanes &&
         llvm::isPowerOf2_64(vector.getNumElements()) &&
         vector.getElementType().isIntOrFloat();
}

static bool isVector(Value value) { return isa<VectorType>(value.getType()); }

static bool hasVectors(Operation *op) {
  return llvm::any_of(op->getOperands(), isVector) ||
         llvm::any_of(op->getResults(), isVector);
}

/// Whether so many lanes can do, each for its element, what an operation does
/// with vectors. Loops and branches only carry them.
static bool isForLanes(Operation *op, int64_t numLanes) {
  auto areOfLanes = [=](ValueRange values) {
    return llvm::all_of(values, [=](Value value) {
      return !isVector(value) || isOfLanes(value.getType(), numLanes);
    });
  };
  if (!areOfLanes(op->getOperands()) || !areOfLanes(op->getResults()))
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue());
      })
      .Case([](vector::LoadOp load) {
        return !isa<VectorType>(load.getMemRefType().getElementType());
      })
      .Case([](vector::BroadcastOp broadcast) {
        return !isa<VectorType>(broadcast.getSourceType());
      })
      .Case([](vector::ExtractOp extract) {
        return !isVector(extract.getResult()) &&
               !extract.hasDynamicPosition() &&
               extract.getStaticPosition() == ArrayRef<int64_t>(0);
      })
      .Case<vector::ExtractStridedSliceOp, scf::ForOp, scf::IfOp, scf::YieldOp>(
          [](auto) { return true; })
      .Default([](Operation *other) {
        return OpTrait::hasElementwiseMappableTraits(other);
      });
}

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
  bool add(Operation *op);
  bool addStep(scf::ForOp loop, Operation &op);
  bool isOrderFree() const;
  void takeElements();
  void takeElement(Operation *op);
  void takeConstants(Operation *op);

  ParallelOp workers;
  int64_t numLanes;
  SmallVector<scf::ForOp> rowLoops;
  SmallVector<Operation *> writes; ///< Outside of row loops.
  SmallVector<Operation *> withVectors;
  /// The arrays that are read and written: in row loops, or outside of them.
  /// What a row loop accesses at its step is that of the same lane in any row
  /// loop; all else it accesses is `elsewhere`.
  DenseSet<Value> read, written, writtenInRows, elsewhere;
  bool isWorth = false;
  Value begin; ///< The first position of row loops; null if there are none.
  Value lane;
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

/// Whether each step of a loop accesses another element, of which the first may
/// be any: array[begin + step].
static bool isAfterBegin(scf::ForOp loop, ValueRange indices) {
  auto sum = indices.empty() ? arith::AddIOp()
                             : indices.back().getDefiningOp<arith::AddIOp>();
  if (!sum)
    return false;
  Value step = loop.getInductionVar();
  return (sum.getLhs() == step && isSame(loop, sum.getRhs())) ||
         (sum.getRhs() == step && isSame(loop, sum.getLhs()));
}

/// Adds an operation of a row loop; fails if it is more than a step. Elements
/// of an array that are not of their steps are written in one place only: else
/// the order would matter in which lanes write them.
bool SharedPart::addStep(scf::ForOp loop, Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    read.insert(load.getMemRef());
    if (!isAtStep(loop, load.getIndices()))
      elsewhere.insert(load.getMemRef());
    return true;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Value array = store.getMemRef();
    bool isFirst = writtenInRows.insert(array).second;
    if (isAtStep(loop, store.getIndices()))
      return !elsewhere.contains(array);
    elsewhere.insert(array);
    return isFirst && isAfterBegin(loop, store.getIndices());
  }
  if (isa<scf::IfOp>(op))
    return true;
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op) && !hasVectors(&op);
}

/// Adds an operation outside of row loops.
bool SharedPart::add(Operation *op) {
  if (hasVectors(op)) {
    withVectors.push_back(op);
    auto isKnown = [&](Value value) {
      return !isVector(value) || matchPattern(value, m_Constant()) ||
             workers->isAncestor(value.getParentBlock()->getParentOp());
    };
    if (!isForLanes(op, numLanes) || !llvm::all_of(op->getOperands(), isKnown))
      return false;
    auto loop = dyn_cast<scf::ForOp>(op);
    isWorth |= loop && llvm::any_of(loop.getResultTypes(), [&](Type type) {
                 auto vector = dyn_cast<VectorType>(type);
                 return vector && vector.getNumElements() == numLanes;
               });
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    read.insert(load.getMemRef());
    elsewhere.insert(load.getMemRef());
    return true;
  }
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    read.insert(load.getBase());
    elsewhere.insert(load.getBase());
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
         llvm::none_of(writtenInRows, isReadElsewhere);
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

/// Replaces an operation whose operands and results were vectors.
void SharedPart::takeElement(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value element;
  if (auto splat = dyn_cast<arith::ConstantOp>(op)) {
    auto value = cast<SplatElementsAttr>(splat.getValue());
    element = arith::ConstantOp::create(b, value.getSplatValue<TypedAttr>());
  } else if (auto load = dyn_cast<vector::LoadOp>(op)) {
    element = memref::LoadOp::create(b, load.getBase(), load.getIndices());
  } else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    element = broadcast.getSource();
  } else if (auto slice = dyn_cast<vector::ExtractStridedSliceOp>(op)) {
    int64_t offset = cast<IntegerAttr>(slice.getOffsets()[0]).getInt();
    element = slice->getOperand(0);
    if (offset) {
      Value at = (Number(b, lane) + offset) % numLanes;
      element = FromLaneOp::create(b, element, at);
    }
  } else if (isa<vector::ExtractOp>(op)) {
    element = FromLaneOp::create(b, op->getOperand(0), Number(b, 0));
  } else {
    return;
  }
  op->getResult(0).replaceAllUsesWith(element);
  op->erase();
}

/// Vectors that are made before the parts are constants.
void SharedPart::takeConstants(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isVector(operand.get()) &&
        !workers->isAncestor(operand.get().getParentBlock()->getParentOp())) {
      OpBuilder b(op);
      operand.set(b.clone(*operand.get().getDefiningOp())->getResult(0));
      takeElement(operand.get().getDefiningOp());
    }
}

void SharedPart::takeElements() {
  for (Operation *op : withVectors)
    takeConstants(op);
  // Lanes without an element load one that others have.
  for (Operation *op : withVectors)
    if (auto load = dyn_cast<vector::LoadOp>(op)) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      Value number = lane;
      if (int64_t size = load.getVectorType().getNumElements(); size < numLanes)
        number = Number(b, lane) % size;
      unsigned last = load.getIndices().size() - 1;
      Value at = Number(b, load.getIndices()[last]) + number;
      load.getIndicesMutable()[last].assign(at);
    }
  auto makeElement = [](Value value) {
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      value.setType(vector.getElementType());
  };
  for (Operation *op : withVectors) {
    llvm::for_each(op->getResults(), makeElement);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), makeElement);
  }
  for (Operation *op : withVectors)
    takeElement(op);
}

void SharedPart::share() {
  auto b = ImplicitLocOpBuilder::atBlockBegin(workers.getLoc(),
                                              workers.getBodyBlock());
  Lanes lanes = Lanes::create(b, numLanes);
  lane = lanes.lane();
  Value isFirst = lanes.isFirst(b);
  llvm::for_each(rowLoops, [&](scf::ForOp loop) { lanes.takeSteps(loop); });
  llvm::for_each(writes, [&](Operation *op) { Lanes::doOnce(op, isFirst); });
  takeElements();
}

namespace {
struct ShareParts : nacho::impl::NachoSharePartsBase<ShareParts> {
  using NachoSharePartsBase::NachoSharePartsBase;

  void runOnOperation() override {
    getOperation().walk([&](ParallelOp workers) {
      if (SharedPart part(workers, lanes); part.find())
        part.share();
    });
  }
};
} // namespace
