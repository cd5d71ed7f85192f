//===- LaneElements.cpp - An element of vectors for each lane -------------===//

#include "LaneElements.h"
#include "LoopBody.h"

#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacho;

static bool isVector(Value value) { return isa<VectorType>(value.getType()); }

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
  /// Which of the elements of a vector is the nth of the first lane.
  int64_t placeOf(int64_t n, int64_t size) const {
    return isOfQuads(size, numLanes) ? n / 4 * 4 * numLanes + n % 4
                                     : n * numLanes;
  }
  Value firstPlace(int64_t size) const;
  void replace(ValueRange vectors, ValueRange elements);
  void takeLoop(scf::ForOp loop);
  void takeBranch(scf::IfOp branch);
  void takeEach(Operation *op);
  Elements takeAccess(ImplicitLocOpBuilder &b, Operation *op);
  Elements loadWide(ImplicitLocOpBuilder &b, vector::LoadOp load);
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

/// The index of the lane's first element, of a vector that begins at an index.
/// What all steps of the innermost loop have in common is added first:
///
///   (row of a step + begin) + lane = row of a step + (begin + lane)
static Number addPlace(ImplicitLocOpBuilder &b, Value begin, Value place) {
  auto sum = begin.getDefiningOp<arith::AddIOp>();
  LoopLikeOpInterface loop;
  if (sum)
    loop = sum->getParentOfType<LoopLikeOpInterface>();
  if (!loop || loop.isDefinedOutsideOfLoop(sum.getLhs()) ||
      !loop.isDefinedOutsideOfLoop(sum.getRhs()))
    return Number(b, begin) + place;
  Value same = Number(b, sum.getRhs()) + place;
  return Number(b, sum.getLhs()) + same;
}

/// The place of the lane's first element of a vector with so many. Lanes
/// without one have that of another lane.
Value ElementTaker::firstPlace(int64_t size) const {
  ImplicitLocOpBuilder b(lane.getLoc(), lane.getContext());
  b.setInsertionPointAfterValue(lane);
  if (isOfQuads(size, numLanes))
    return Number(b, lane) * 4;
  return size < numLanes ? Value(Number(b, lane) % size) : lane;
}

/// Loads the elements of the lane, as many at a time as it can.
SmallVector<Value> ElementTaker::loadWide(ImplicitLocOpBuilder &b,
                                          vector::LoadOp load) {
  Type type = load.getVectorType().getElementType();
  int64_t size = load.getVectorType().getNumElements();
  int64_t together = std::min<int64_t>(kWideBytes / bytesOf(type), 4);
  Elements at(load.getIndices()), results;
  Number first = addPlace(b, at.back(), firstPlace(size));
  for (int64_t n = 0; n < numElements(load.getType()); n += together) {
    at.back() = n ? Value(first + placeOf(n, size)) : first;
    auto some = vector::LoadOp::create(b, VectorType::get(together, type),
                                       load.getBase(), at);
    some.setAlignment(load.getAlignment());
    for (int64_t m = 0; m < together; ++m)
      results.push_back(vector::ExtractOp::create(b, some, m));
  }
  return results;
}

/// Accesses the elements of the lane. Lanes without one load one that others
/// have, or nothing if there is a mask.
SmallVector<Value> ElementTaker::takeAccess(ImplicitLocOpBuilder &b,
                                            Operation *op) {
  VectorAccess access = *VectorAccess::of(op);
  if (auto load = dyn_cast<vector::LoadOp>(op);
      load && load.getAlignment() && isOfQuads(access.size, numLanes))
    return loadWide(b, load);
  Elements at(access.indices), results;
  Number first = addPlace(b, at.back(), firstPlace(access.size));
  for (int64_t n = 0; n < std::max<int64_t>(access.size / numLanes, 1); ++n) {
    auto nth = [&](Value vector) { return elementsOf(b, vector)[n]; };
    at.back() = n ? Value(first + placeOf(n, access.size)) : first;
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
        int64_t size = mask.getType().getNumElements();
        Number first(b, firstPlace(size));
        for (int64_t n = 0; n < numElements(mask.getType()); ++n)
          set.push_back(
              (first + placeOf(n, size))
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
      .Case([&](vector::ShuffleOp shuffle) {
        Elements four = elementsOf(b, shuffle.getV1());
        int64_t which = *neighboursOf(shuffle, numLanes);
        replace(shuffle->getResults(), {four[which], four[which + 2]});
      })
      .Case([&](vector::ExtractOp extract) {
        Value element = elementsOf(b, extract.getSource())[0];
        if (!isInAllLanes(extract.getSource(), numLanes))
          element = FromLaneOp::create(b, element, Number(b, 0));
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
