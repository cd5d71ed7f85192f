//===- ShareParts.cpp - The lanes of a warp do a part together ------------===//
//
// Consumes and leaves the parts of stage `scf`. All lanes run the code of a
// part; what tells them apart is which steps of dense loops they take, and
// which lane of a vector is theirs. A vector of n elements, at most 32, is a
// number of each lane: the n first lanes have its elements, and what the others
// have does not matter.
//
//===----------------------------------------------------------------------===//

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

static constexpr int64_t kLanes = 32;

//===----------------------------------------------------------------------===//
// What lanes can do
//===----------------------------------------------------------------------===//

/// Whether each lane can have an element of a vector.
static bool isOfLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         vector.getNumElements() <= kLanes &&
         llvm::isPowerOf2_64(vector.getNumElements()) &&
         vector.getElementType().isIntOrFloat();
}

static bool isVector(Value value) { return isa<VectorType>(value.getType()); }

static bool hasVectors(Operation *op) {
  return llvm::any_of(op->getOperands(), isVector) ||
         llvm::any_of(op->getResults(), isVector);
}

/// Whether lanes can do, each for its element, what an operation does with
/// vectors. Loops and branches only carry them.
static bool isForLanes(Operation *op) {
  auto areOfLanes = [](ValueRange values) {
    return llvm::all_of(values, [](Value value) {
      return !isVector(value) || isOfLanes(value.getType());
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
  explicit SharedPart(ParallelOp workers) : workers(workers) {}

  /// Whether its lanes can do it together, and gain from that.
  bool find();
  void share();

private:
  bool isRowLoop(scf::ForOp loop) const;
  bool add(Operation *op);
  bool addStep(scf::ForOp loop, Operation &op);
  bool isOrderFree() const;
  void takeSteps(scf::ForOp loop);
  void writeOnce(Operation *op);
  void takeElements();
  void takeElement(Operation *op);
  void takeConstants(Operation *op);

  ParallelOp workers;
  SmallVector<scf::ForOp> rowLoops;
  SmallVector<Operation *> writes; ///< Outside of row loops.
  SmallVector<Operation *> withVectors;
  /// The arrays that are read and written: in row loops, or outside of them.
  /// What a row loop accesses at its step is that of the same lane in any row
  /// loop; all else it accesses is `elsewhere`.
  DenseSet<Value> read, written, writtenInRows, elsewhere;
  bool isWorth = false;
  Value lane, isFirst;
};
} // namespace

/// Whether a loop begins with 0 and takes all steps, so that its step n is one
/// of lane n mod 32.
bool SharedPart::isRowLoop(scf::ForOp loop) const {
  return loop.getNumResults() == 0 &&
         matchPattern(loop.getLowerBound(), m_Zero()) &&
         matchPattern(loop.getStep(), m_One());
}

/// Adds an operation of a row loop; fails if it is more than a step.
bool SharedPart::addStep(scf::ForOp loop, Operation &op) {
  auto access = [&](Value array, ValueRange indices, bool writes) {
    bool isAtStep =
        !indices.empty() && indices.back() == loop.getInductionVar();
    if (!isAtStep)
      elsewhere.insert(array);
    (writes ? writtenInRows : read).insert(array);
    return true;
  };
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return access(load.getMemRef(), load.getIndices(), /*writes=*/false);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return access(store.getMemRef(), store.getIndices(), /*writes=*/true);
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
    if (!isForLanes(op) || !llvm::all_of(op->getOperands(), isKnown))
      return false;
    auto loop = dyn_cast<scf::ForOp>(op);
    isWorth |= loop && llvm::any_of(loop.getResultTypes(), [](Type type) {
                 auto vector = dyn_cast<VectorType>(type);
                 return vector && vector.getNumElements() == kLanes;
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
  WalkResult result = body->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !isRowLoop(loop))
      return add(op) ? WalkResult::advance() : WalkResult::interrupt();
    for (Operation &step : *loop.getBody())
      if (!addStep(loop, step))
        return WalkResult::interrupt();
    rowLoops.push_back(loop);
    // A row that has as many elements in every step of another loop.
    isWorth |= isa<scf::ForOp, scf::WhileOp>(loop->getParentOp()) &&
               !workers->isAncestor(
                   loop.getUpperBound().getParentBlock()->getParentOp());
    return WalkResult::skip();
  });
  return !result.wasInterrupted() && isWorth && isOrderFree();
}

//===----------------------------------------------------------------------===//
// What they do
//===----------------------------------------------------------------------===//

void SharedPart::takeSteps(scf::ForOp loop) {
  OpBuilder b(loop);
  loop.setLowerBound(lane);
  loop.setStep(arith::ConstantIndexOp::create(b, loop.getLoc(), kLanes));
}

void SharedPart::writeOnce(Operation *op) {
  OpBuilder b(op);
  auto ifFirst =
      scf::IfOp::create(b, op->getLoc(), isFirst, /*withElse=*/false);
  op->moveBefore(ifFirst.thenBlock()->getTerminator());
}

/// Replaces an operation whose operands and results were vectors.
void SharedPart::takeElement(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto constant = [&](int64_t number) {
    return arith::ConstantIndexOp::create(b, number);
  };
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
      Value at = arith::AddIOp::create(b, lane, constant(offset));
      at = arith::RemUIOp::create(b, at, constant(kLanes));
      element = FromLaneOp::create(b, element, at);
    }
  } else if (isa<vector::ExtractOp>(op)) {
    element = FromLaneOp::create(b, op->getOperand(0), constant(0));
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
      if (int64_t size = load.getVectorType().getNumElements(); size < kLanes)
        number = arith::RemUIOp::create(
            b, lane, arith::ConstantIndexOp::create(b, size));
      unsigned last = load.getIndices().size() - 1;
      Value at = arith::AddIOp::create(b, load.getIndices()[last], number);
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
  lane = LaneOp::create(b, b.getIndexType(), kLanes);
  isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane,
                                  arith::ConstantIndexOp::create(b, 0));
  llvm::for_each(rowLoops, [&](scf::ForOp loop) { takeSteps(loop); });
  llvm::for_each(writes, [&](Operation *op) { writeOnce(op); });
  takeElements();
}

namespace {
struct ShareParts : nacho::impl::NachoSharePartsBase<ShareParts> {
  void runOnOperation() override {
    getOperation().walk([](ParallelOp workers) {
      if (SharedPart part(workers); part.find())
        part.share();
    });
  }
};
} // namespace
