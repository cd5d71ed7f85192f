//===- LaneElements.cpp - An element of vectors for each lane -------------===//

#include "LaneElements.h"

#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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
  return from <= numLanes || (to % numLanes == 0 && offset % numLanes == 0);
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
      .Case<vector::CreateMaskOp, scf::ForOp, scf::IfOp, scf::YieldOp>(
          [](auto) { return true; })
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
  ElementTaker(Lanes lanes) : lane(lanes.lane()), numLanes(lanes.count()) {}

  void take(Operation *op);
  /// Erases what has been replaced.
  void finish();

private:
  using Elements = SmallVector<Value>;

  Elements elementsOf(ImplicitLocOpBuilder &b, Value value);
  Elements allElementsOf(ImplicitLocOpBuilder &b, ValueRange values);
  SmallVector<Type> typesOf(TypeRange types) const;
  int64_t numElements(Type type) const;
  void replace(ValueRange vectors, ValueRange elements);
  void takeLoop(scf::ForOp loop);
  void takeBranch(scf::IfOp branch);
  void takeEach(Operation *op);
  Elements takeAccess(ImplicitLocOpBuilder &b, Operation *op);
  Elements takeSlice(ImplicitLocOpBuilder &b,
                     vector::ExtractStridedSliceOp slice);
  Value loadIf(ImplicitLocOpBuilder &b, Value mask, Value otherwise,
               Value array, ValueRange indices);

  Value lane;
  int64_t numLanes;
  DenseMap<Value, Elements> taken;
  SmallVector<Operation *> replaced;
};
} // namespace

/// The number of elements that each lane has of a vector, or 1.
int64_t ElementTaker::numElements(Type type) const {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? std::max<int64_t>(vector.getNumElements() / numLanes, 1) : 1;
}

SmallVector<Type> ElementTaker::typesOf(TypeRange types) const {
  SmallVector<Type> all;
  for (Type type : types)
    all.append(numElements(type), getElementTypeOrSelf(type));
  return all;
}

/// The elements of a vector, or the value itself. Vectors that are made before
/// the part are constants.
SmallVector<Value> ElementTaker::elementsOf(ImplicitLocOpBuilder &b,
                                            Value value) {
  if (!isVector(value))
    return {value};
  if (auto known = taken.find(value); known != taken.end())
    return known->second;
  SplatElementsAttr splat;
  matchPattern(value, m_Constant(&splat));
  Value element =
      arith::ConstantOp::create(b, splat.getSplatValue<TypedAttr>());
  return Elements(numElements(value.getType()), element);
}

SmallVector<Value> ElementTaker::allElementsOf(ImplicitLocOpBuilder &b,
                                               ValueRange values) {
  Elements all;
  for (Value value : values)
    llvm::append_range(all, elementsOf(b, value));
  return all;
}

/// Remembers the elements of vectors, and replaces values that are none.
void ElementTaker::replace(ValueRange vectors, ValueRange elements) {
  for (Value value : vectors) {
    int64_t count = numElements(value.getType());
    if (isVector(value))
      taken[value] = Elements(elements.take_front(count));
    else
      value.replaceAllUsesWith(elements.front());
    elements = elements.drop_front(count);
  }
}

static LLVM::LoopAnnotationAttr neverUnrolled(MLIRContext *context) {
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true),
                                          {}, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {});
}

void ElementTaker::takeLoop(scf::ForOp loop) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  auto made =
      scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), allElementsOf(b, loop.getInitArgs()));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  // A loop over elements of lanes has few steps, which load enough at a time.
  if (getConstantIntValue(loop.getStep()).value_or(1) >= numLanes)
    made->setAttr("loop_annotation", neverUnrolled(b.getContext()));
  loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
  replace(loop.getRegionIterArgs(), made.getRegionIterArgs());
  replace(loop.getResults(), made.getResults());
  made.getBody()->getOperations().splice(made.getBody()->end(),
                                         loop.getBody()->getOperations());
}

void ElementTaker::takeBranch(scf::IfOp branch) {
  ImplicitLocOpBuilder b(branch.getLoc(), branch);
  auto made = scf::IfOp::create(b, typesOf(branch.getResultTypes()),
                                branch.getCondition(), /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
  made.getThenRegion().takeBody(branch.getThenRegion());
  made.getElseRegion().takeBody(branch.getElseRegion());
  replace(branch.getResults(), made.getResults());
}

/// Does for each element what an operation does for the vector.
void ElementTaker::takeEach(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  SmallVector<Elements> operands;
  for (Value operand : op->getOperands())
    operands.push_back(elementsOf(b, operand));
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(),
                          [](Type type) { return getElementTypeOrSelf(type); });
  Elements results;
  for (int64_t n = 0; n < numElements(op->getResult(0).getType()); ++n) {
    // arith.select on vectors also takes a scalar condition.
    Elements ofOne = llvm::map_to_vector(operands, [=](const Elements &all) {
      return all.size() == 1 ? all[0] : all[n];
    });
    Operation *made = b.clone(*op);
    made->setOperands(ofOne);
    made->getResult(0).setType(types[0]);
    results.push_back(made->getResult(0));
  }
  replace(op->getResults(), results);
}

/// if the lane has an element: load it; else: what there is in its place
Value ElementTaker::loadIf(ImplicitLocOpBuilder &b, Value mask, Value otherwise,
                           Value array, ValueRange indices) {
  auto ifSet = scf::IfOp::create(b, otherwise.getType(), mask,
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifSet.thenBlock());
  scf::YieldOp::create(b,
                       memref::LoadOp::create(b, array, indices).getResult());
  b.setInsertionPointToStart(ifSet.elseBlock());
  scf::YieldOp::create(b, otherwise);
  return ifSet.getResult(0);
}

/// Accesses the elements of the lane. Lanes without one load one that others
/// have, or nothing if there is a mask.
SmallVector<Value> ElementTaker::takeAccess(ImplicitLocOpBuilder &b,
                                            Operation *op) {
  VectorAccess access = *VectorAccess::of(op);
  Value own = lane;
  if (access.size < numLanes)
    own = Number(b, lane) % access.size;
  Elements at(access.indices), results;
  Value first = Number(b, at.back()) + own;
  for (int64_t n = 0; n < std::max<int64_t>(access.size / numLanes, 1); ++n) {
    auto nth = [&](Value vector) { return elementsOf(b, vector)[n]; };
    at.back() = n ? Value(Number(b, first) + n * numLanes) : first;
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](vector::LoadOp) {
          results.push_back(memref::LoadOp::create(b, access.array, at));
        })
        .Case([&](vector::MaskedLoadOp load) {
          results.push_back(loadIf(b, nth(load.getMask()),
                                   nth(load.getPassThru()), access.array, at));
        })
        .Case([&](vector::StoreOp store) {
          memref::StoreOp::create(b, nth(store.getValueToStore()), access.array,
                                  at);
        })
        .Case([&](vector::MaskedStoreOp store) {
          Value value = nth(store.getValueToStore());
          auto ifSet =
              scf::IfOp::create(b, nth(store.getMask()), /*withElse=*/false);
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(ifSet.thenBlock());
          memref::StoreOp::create(b, value, access.array, at);
        });
  }
  return results;
}

SmallVector<Value>
ElementTaker::takeSlice(ImplicitLocOpBuilder &b,
                        vector::ExtractStridedSliceOp slice) {
  int64_t offset = cast<IntegerAttr>(slice.getOffsets()[0]).getInt();
  Elements all = elementsOf(b, slice.getSource());
  if (slice.getSourceVectorType().getNumElements() > numLanes) {
    ArrayRef<Value> some = all;
    return Elements(
        some.slice(offset / numLanes, numElements(slice.getType())));
  }
  if (!offset)
    return all;
  ImplicitLocOpBuilder before(b);
  before.setInsertionPointAfterValue(lane);
  Value at = (Number(before, lane) + offset) % numLanes;
  return {FromLaneOp::create(b, all[0], at)};
}

void ElementTaker::take(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  if (isa<scf::YieldOp>(op)) {
    op->setOperands(allElementsOf(b, op->getOperands()));
    return;
  }
  replaced.push_back(op);
  if (VectorAccess::of(op))
    return replace(op->getResults(), takeAccess(b, op));
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) { takeLoop(loop); })
      .Case([&](scf::IfOp branch) { takeBranch(branch); })
      .Case([](arith::ConstantOp) {})
      .Case([&](vector::CreateMaskOp mask) {
        Elements set;
        for (int64_t n = 0; n < numElements(mask.getType()); ++n)
          set.push_back(
              (Number(b, lane) + n * numLanes)
                  .compare(arith::CmpIPredicate::slt, mask.getOperand(0)));
        replace(mask->getResults(), set);
      })
      .Case([&](vector::BroadcastOp broadcast) {
        replace(
            broadcast->getResults(),
            Elements(numElements(broadcast.getType()), broadcast.getSource()));
      })
      .Case([&](vector::ExtractStridedSliceOp slice) {
        replace(slice->getResults(), takeSlice(b, slice));
      })
      .Case([&](vector::ExtractOp extract) {
        Value first = elementsOf(b, extract.getSource())[0];
        Value element = FromLaneOp::create(b, first, Number(b, 0));
        replace(extract->getResults(), element);
      })
      .Default([&](Operation *) { takeEach(op); });
}

void ElementTaker::finish() {
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
}

void nacho::takeElements(ArrayRef<Operation *> ops, Lanes lanes) {
  ElementTaker taker(lanes);
  for (Operation *op : ops)
    taker.take(op);
  taker.finish();
}
