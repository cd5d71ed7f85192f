//===- LaneElements.cpp - An element of vectors for each lane -------------===//

#include "LaneElements.h"

#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Abilities of lanes
//===----------------------------------------------------------------------===//

std::optional<VectorAccess> VectorAccess::of(Operation *op) {
  using Found = std::optional<VectorAccess>;
  auto made = [](auto access, bool writes) {
    return VectorAccess{access.getBase(), access.getIndices(),
                        access.getVectorType().getNumElements(), writes};
  };
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case<vector::LoadOp, vector::MaskedLoadOp>(
          [=](auto load) { return made(load, /*writes=*/false); })
      .Case<vector::StoreOp, vector::MaskedStoreOp>(
          [=](auto store) { return made(store, /*writes=*/true); })
      .Default([](Operation *) { return std::nullopt; });
}

static bool isVector(Value value) { return isa<VectorType>(value.getType()); }

bool nacho::hasVectors(Operation *op) {
  return llvm::any_of(op->getOperands(), isVector) ||
         llvm::any_of(op->getResults(), isVector);
}

/// Whether each of so many lanes can have an element of a vector.
static bool isOfLanes(Type type, int64_t numLanes) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         vector.getNumElements() <= numLanes &&
         llvm::isPowerOf2_64(vector.getNumElements()) &&
         vector.getElementType().isIntOrFloat();
}

/// Whether the part computes a value itself, or a vector is a constant.
static bool isOfPart(ParallelOp workers, Value value) {
  return !isVector(value) || matchPattern(value, m_Constant()) ||
         workers->isAncestor(value.getParentBlock()->getParentOp());
}

/// Lanes have whole vectors where masks or stores tell them apart.
bool nacho::isForLanes(ParallelOp workers, Operation *op, int64_t numLanes) {
  auto areOfLanes = [=](ValueRange values) {
    return llvm::all_of(values, [=](Value value) {
      return !isVector(value) || isOfLanes(value.getType(), numLanes);
    });
  };
  auto areOfPart = llvm::all_of(
      op->getOperands(), [=](Value value) { return isOfPart(workers, value); });
  if (!areOfPart || !areOfLanes(op->getOperands()) ||
      !areOfLanes(op->getResults()))
    return false;
  auto isWhole = [=](auto access) {
    return access.getVectorType().getNumElements() == numLanes;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue());
      })
      .Case([](vector::LoadOp load) {
        return !isa<VectorType>(load.getMemRefType().getElementType());
      })
      .Case<vector::MaskedLoadOp, vector::StoreOp, vector::MaskedStoreOp>(
          isWhole)
      .Case([](vector::BroadcastOp broadcast) {
        return !isa<VectorType>(broadcast.getSourceType());
      })
      .Case([](vector::ExtractOp extract) {
        return !isVector(extract.getResult()) &&
               !extract.hasDynamicPosition() &&
               extract.getStaticPosition() == ArrayRef<int64_t>(0);
      })
      .Case<vector::CreateMaskOp, vector::ExtractStridedSliceOp, scf::ForOp,
            scf::IfOp, scf::YieldOp>([](auto) { return true; })
      .Default([](Operation *other) {
        return OpTrait::hasElementwiseMappableTraits(other);
      });
}

//===----------------------------------------------------------------------===//
// Operations of lanes
//===----------------------------------------------------------------------===//

namespace {
/// Replaces operations on vectors, from the first to the last.
class ElementTaker {
public:
  ElementTaker(ParallelOp workers, Lanes lanes)
      : workers(workers), lane(lanes.lane()), numLanes(lanes.count()) {}

  void takeConstants(Operation *op);
  void takePlace(Operation *op);
  void take(Operation *op);

private:
  Value elementOf(ImplicitLocOpBuilder &b, Operation *op);
  Value loadIf(ImplicitLocOpBuilder &b, vector::MaskedLoadOp load);

  ParallelOp workers;
  Value lane;
  int64_t numLanes;
};
} // namespace

/// if the lane has an element: load it; else: what there is in its place
Value ElementTaker::loadIf(ImplicitLocOpBuilder &b, vector::MaskedLoadOp load) {
  Value otherwise = load.getPassThruMutable().get();
  auto ifSet =
      scf::IfOp::create(b, otherwise.getType(), load.getMaskMutable().get(),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifSet.thenBlock());
  Value element = memref::LoadOp::create(b, load.getBase(), load.getIndices());
  scf::YieldOp::create(b, element);
  b.setInsertionPointToStart(ifSet.elseBlock());
  scf::YieldOp::create(b, otherwise);
  return ifSet.getResult(0);
}

/// The element of a lane that an operation results in; null for operations
/// that do the same with elements as with vectors.
Value ElementTaker::elementOf(ImplicitLocOpBuilder &b, Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ConstantOp splat) {
        auto value = cast<SplatElementsAttr>(splat.getValue());
        return arith::ConstantOp::create(b, value.getSplatValue<TypedAttr>());
      })
      .Case([&](vector::LoadOp load) {
        return memref::LoadOp::create(b, load.getBase(), load.getIndices());
      })
      .Case([&](vector::MaskedLoadOp load) { return loadIf(b, load); })
      .Case([&](vector::CreateMaskOp mask) {
        Number number(b, lane);
        return number.compare(arith::CmpIPredicate::slt, mask.getOperand(0));
      })
      .Case([](vector::BroadcastOp broadcast) { return broadcast.getSource(); })
      .Case([&](vector::ExtractStridedSliceOp slice) -> Value {
        int64_t offset = cast<IntegerAttr>(slice.getOffsets()[0]).getInt();
        if (!offset)
          return slice->getOperand(0);
        Value at = (Number(b, lane) + offset) % numLanes;
        return FromLaneOp::create(b, slice->getOperand(0), at);
      })
      .Case([&](vector::ExtractOp extract) {
        return FromLaneOp::create(b, extract->getOperand(0), Number(b, 0));
      })
      .Default([](Operation *) { return Value(); });
}

void ElementTaker::take(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto storeElement = [&](auto store) {
    memref::StoreOp::create(b, store.getValueToStoreMutable().get(),
                            store.getBase(), store.getIndices());
  };
  if (auto store = dyn_cast<vector::StoreOp>(op)) {
    storeElement(store);
  } else if (auto store = dyn_cast<vector::MaskedStoreOp>(op)) {
    auto ifSet = scf::IfOp::create(b, store.getMaskMutable().get(),
                                   /*withElse=*/false);
    b.setInsertionPointToStart(ifSet.thenBlock());
    storeElement(store);
  } else if (Value element = elementOf(b, op)) {
    op->getResult(0).replaceAllUsesWith(element);
  } else {
    return;
  }
  op->erase();
}

/// Vectors that are made before the parts are constants.
void ElementTaker::takeConstants(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isVector(operand.get()) &&
        !workers->isAncestor(operand.get().getParentBlock()->getParentOp())) {
      OpBuilder b(op);
      operand.set(b.clone(*operand.get().getDefiningOp())->getResult(0));
      take(operand.get().getDefiningOp());
    }
}

/// Moves an access to the element of the lane. Lanes without one load one that
/// others have, or nothing if there is a mask.
void ElementTaker::takePlace(Operation *op) {
  std::optional<VectorAccess> access = VectorAccess::of(op);
  if (!access)
    return;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value number = lane;
  if (auto load = dyn_cast<vector::LoadOp>(op))
    if (int64_t size = load.getVectorType().getNumElements(); size < numLanes)
      number = Number(b, lane) % size;
  unsigned last =
      access->indices.getBeginOperandIndex() + access->indices.size() - 1;
  op->setOperand(last, Number(b, op->getOperand(last)) + number);
}

static void makeElement(Value value) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    value.setType(vector.getElementType());
}

void nacho::takeElements(ParallelOp workers, ArrayRef<Operation *> ops,
                         Lanes lanes) {
  ElementTaker taker(workers, lanes);
  for (Operation *op : ops)
    taker.takeConstants(op);
  for (Operation *op : ops)
    taker.takePlace(op);
  for (Operation *op : ops) {
    llvm::for_each(op->getResults(), makeElement);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), makeElement);
  }
  for (Operation *op : ops)
    taker.take(op);
}
