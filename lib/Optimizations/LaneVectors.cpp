//===- LaneVectors.cpp - Operations on vectors that lanes can do ----------===//

#include "LaneElements.h"
#include "LoopBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacho;

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

static int64_t numElementsOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

bool nacho::hasVectors(Operation *op) {
  return llvm::any_of(op->getOperands(), isVector) ||
         llvm::any_of(op->getResults(), isVector);
}

/// Whether lanes can have the elements of a vector.
static bool isOfLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         llvm::isPowerOf2_64(vector.getNumElements()) &&
         vector.getElementType().isIntOrFloat();
}

/// Whether the part computes a value itself, or a vector is a constant.
static bool isOfPart(ParallelOp workers, Value value) {
  return !isVector(value) || matchPattern(value, m_Constant()) ||
         workers->isAncestor(value.getParentBlock()->getParentOp());
}

/// Whether each lane has all elements of a slice that it needs, or there is one
/// at most.
static bool isSliceOfLanes(vector::ExtractStridedSliceOp slice,
                           int64_t numLanes) {
  int64_t from = slice.getSourceVectorType().getNumElements();
  int64_t to = slice.getType().getNumElements();
  int64_t offset = cast<IntegerAttr>(slice.getOffsets()[0]).getInt();
  int64_t together = isOfQuads(from, numLanes) ? 4 * numLanes : numLanes;
  return from <= numLanes || (to % together == 0 && offset % together == 0);
}

std::optional<int64_t> nacho::neighboursOf(vector::ShuffleOp shuffle,
                                           int64_t numLanes) {
  for (int64_t which = 0; which < 2; ++which)
    if (numElementsOf(shuffle.getV1()) == 4 * numLanes &&
        shuffle.getMask() == ArrayRef<int64_t>(placesOfQuads(which)))
      return which;
  return std::nullopt;
}

bool nacho::isInAllLanes(Value sums, int64_t numLanes) {
  Operation *add = sums.getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp, arith::OrIOp>(add))
    return false;
  auto low = add->getOperand(0).getDefiningOp<vector::ExtractStridedSliceOp>();
  auto high = add->getOperand(1).getDefiningOp<vector::ExtractStridedSliceOp>();
  auto beginOf = [](vector::ExtractStridedSliceOp slice) {
    return cast<IntegerAttr>(slice.getOffsets()[0]).getInt();
  };
  return low && high && low.getSource() == high.getSource() &&
         beginOf(low) == 0 && beginOf(high) == numElementsOf(sums) &&
         numElementsOf(low.getSource()) == 2 * numElementsOf(sums) &&
         (numElementsOf(low.getSource()) == numLanes ||
          isInAllLanes(low.getSource(), numLanes));
}

/// All lanes have elements where masks or stores tell them apart.
bool nacho::isForLanes(ParallelOp workers, Operation *op, int64_t numLanes) {
  auto areOfLanes = [](ValueRange values) {
    return llvm::all_of(values, [](Value value) {
      return !isVector(value) || isOfLanes(value.getType());
    });
  };
  auto areOfPart = llvm::all_of(
      op->getOperands(), [=](Value value) { return isOfPart(workers, value); });
  if (!areOfPart || !areOfLanes(op->getOperands()) ||
      !areOfLanes(op->getResults()))
    return false;
  auto isWhole = [=](auto access) {
    return access.getVectorType().getNumElements() % numLanes == 0;
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
      .Case([=](vector::ExtractStridedSliceOp slice) {
        return isSliceOfLanes(slice, numLanes);
      })
      .Case([=](vector::ShuffleOp shuffle) {
        return neighboursOf(shuffle, numLanes).has_value();
      })
      .Case<vector::CreateMaskOp, scf::ForOp, scf::IfOp, scf::YieldOp>(
          [](auto) { return true; })
      .Default([](Operation *other) {
        return OpTrait::hasElementwiseMappableTraits(other);
      });
}
