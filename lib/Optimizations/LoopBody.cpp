//===- LoopBody.cpp - Loops that can take several steps at once -----------===//

#include "LoopBody.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

/// Whether a type can be an element of a vector that is loaded by lane. Not
/// every processor can load narrow elements so.
static bool isLaneType(Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && (type.getIntOrFloatBitWidth() == 32 ||
                                  type.getIntOrFloatBitWidth() == 64));
}

bool nacho::isContiguous(MemRefType type) {
  return type.getRank() == 1 && type.getLayout().isIdentity() &&
         isLaneType(type.getElementType());
}

/// Whether nothing in the function writes to an array that it was given.
static bool isOnlyRead(Value array) {
  return isa<BlockArgument>(array) &&
         llvm::all_of(array.getUsers(),
                      llvm::IsaPred<memref::LoadOp, memref::DimOp>);
}

bool nacho::isRepeatable(Operation *op) {
  if (!op || op->getNumRegions() > 0)
    return false;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isOnlyRead(load.getMemRef());
  return isPure(op);
}

Operation *nacho::createLike(ImplicitLocOpBuilder &b, Operation *op,
                             ValueRange operands, TypeRange types) {
  OperationState state(b.getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(op->getAttrs());
  return b.create(state);
}

/// Whether sums that an op makes may be added up in another order.
static bool isReorderable(Operation *op) {
  if (auto add = dyn_cast<arith::AddFOp>(op))
    return arith::bitEnumContainsAll(add.getFastmath(),
                                     arith::FastMathFlags::reassoc);
  return isa<arith::AddIOp, arith::OrIOp>(op);
}

void nacho::fixOrder(Operation *op) {
  auto floating = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!floating || !floating.getFastMathFlagsAttr())
    return;
  arith::FastMathFlags free = arith::FastMathFlags::reassoc;
  arith::FastMathFlags flags = floating.getFastMathFlagsAttr().getValue();
  op->setAttr(floating.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags & ~free));
}

SmallVector<int64_t> nacho::placesOfQuads(int64_t which) {
  SmallVector<int64_t> places;
  for (int64_t half = 0; half < 4; half += 2)
    for (int64_t quad = 0; quad < 2 * kLanes; quad += 4)
      places.push_back(quad + half + which);
  return places;
}

Value nacho::addHalves(ImplicitLocOpBuilder &b, Operation *update, Value sums) {
  auto lanes = cast<VectorType>(sums.getType());
  for (int64_t half = lanes.getDimSize(0) / 2; half > 0; half /= 2) {
    auto part = [&](int64_t from) -> Value {
      return vector::ExtractStridedSliceOp::create(b, sums, {from}, {half},
                                                   {1});
    };
    auto neighbours = [&](int64_t which) -> Value {
      return vector::ShuffleOp::create(b, sums, sums, placesOfQuads(which));
    };
    Value first = half == kLanes ? neighbours(0) : part(0);
    Value second = half == kLanes ? neighbours(1) : part(half);
    Type halves = VectorType::get(half, lanes.getElementType());
    sums = createLike(b, update, {first, second}, halves)->getResult(0);
  }
  return vector::ExtractOp::create(b, sums, 0);
}

Value nacho::addHalvesOfEach(ImplicitLocOpBuilder &b, Operation *update,
                             SmallVector<Value> sums) {
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    SmallVector<Value> next;
    for (size_t n = 0; n < sums.size(); n += 2) {
      auto part = [&](int64_t from) -> Value {
        SmallVector<int64_t> places;
        for (int64_t first = 0; first < 2 * kLanes; first += 2 * half)
          for (int64_t lane = 0; lane < half; ++lane)
            places.push_back(first + from + lane);
        return vector::ShuffleOp::create(b, sums[n], sums[n + 1], places);
      };
      next.push_back(
          createLike(b, update, {part(0), part(half)}, sums[n].getType())
              ->getResult(0));
    }
    sums = next;
  }
  return sums.front();
}

bool LoopBody::classify(BlockArgument arg, Value next) {
  Operation *update = next.getDefiningOp();
  if (!update || update->getBlock() != loop.getBody() || !arg.hasOneUse() ||
      !next.hasOneUse() || !isReorderable(update) ||
      !llvm::is_contained(update->getOperands(), arg))
    return false;
  bool isFirst = update->getOperand(0) == arg;
  Value term = update->getOperand(isFirst ? 1 : 0);
  bool isCounter =
      isa<arith::AddIOp>(update) && loop.isDefinedOutsideOfLoop(term);
  carried.push_back(
      {isCounter ? CarriedValue::counter : CarriedValue::sum, update, term});
  return isCounter || differs(term);
}

/// Whether a value can be computed before the loop, where nothing is loaded:
/// the loop may take no steps.
bool LoopBody::isKnownBefore(Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && !differs(value) && !isa<memref::LoadOp>(op) && isPure(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isKnownBefore(operand); });
}

bool LoopBody::isStep(Value value) {
  if (value == step)
    return true;
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    Value condition = select.getCondition();
    if (!isKnownBefore(condition) || !isStep(select.getTrueValue()))
      return false;
    conditions.insert(condition);
    return true;
  }
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum || !differs(value))
    return false;
  return differs(sum.getLhs()) ? !differs(sum.getRhs()) && isStep(sum.getLhs())
                               : isStep(sum.getRhs());
}

/// Whether a value depends on what the loop reads at the step.
bool LoopBody::isLoaded(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || !differs(value))
    return false;
  return isa<memref::LoadOp>(op) ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isLoaded(operand); });
}

/// Whether an op stores an element at the step in an array of the function,
/// which the loop does not read.
bool LoopBody::canStoreLanes(memref::StoreOp store) {
  Value array = store.getMemRef();
  return array.getDefiningOp<memref::AllocaOp>() &&
         isContiguous(store.getMemRefType()) &&
         isStep(store.getIndices().front()) &&
         llvm::all_of(array.getUsers(), [&](Operation *user) {
           return user == store || !loop->isAncestor(user);
         });
}

/// Whether the terms of all lanes can be computed by ops on vectors. Elements
/// at computed distances are no gain, but to transpose an operand must not
/// change the order of sums.
bool LoopBody::canUseLanes(Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (!isContiguous(load.getMemRefType()))
      return false;
    Value index = load.getIndices().front();
    // The conditions of a step have to be known.
    (void)(differs(index) && isStep(index));
    return true;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return canStoreLanes(store);
  return OpTrait::hasElementwiseMappableTraits(&op) && isPure(&op) &&
         llvm::all_of(op.getResultTypes(), [](Type type) {
           return type.isInteger(1) || isLaneType(type);
         });
}

bool LoopBody::canUseLanes() {
  if (!matchPattern(loop.getStep(), m_One()))
    return false;
  Block *body = loop.getBody();
  varying.insert(loop.getInductionVar());
  for (Value arg : loop.getRegionIterArgs())
    varying.insert(arg);
  for (Operation &op : body->without_terminator()) {
    if (!canUseLanes(op))
      return false;
    if (llvm::any_of(op.getOperands(), [&](Value v) { return differs(v); }))
      varying.insert_range(op.getResults());
  }
  Operation *yield = body->getTerminator();
  for (auto [arg, next] :
       llvm::zip(loop.getRegionIterArgs(), yield->getOperands()))
    if (!classify(arg, next))
      return false;
  return stores() || llvm::any_of(carried, [](const CarriedValue &one) {
           return isa<arith::AddFOp>(one.update);
         });
}

bool LoopBody::stores() {
  return !loop.getBody()->getOps<memref::StoreOp>().empty();
}

bool LoopBody::looksUp() {
  return loop->hasAttr(kLooksUp) ||
         llvm::any_of(*loop.getBody(), [&](Operation &op) {
           auto load = dyn_cast<memref::LoadOp>(op);
           return load && isLoaded(load.getIndices().front());
         });
}

/// Whether a value is an argument of a function.
static bool isArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

/// Collects numbers that are the same in all steps: if they are multiples of a
/// power of two, so is an index in the first step. Rows of an array begin at
/// multiples of its extent.
void LoopBody::collectFactors(Value index, llvm::SetVector<Value> &factors) {
  if (index == step)
    return collectFactors(loop.getLowerBound(), factors);
  if (auto select = index.getDefiningOp<arith::SelectOp>();
      select && differs(index))
    return collectFactors(select.getTrueValue(), factors);
  if (auto sum = index.getDefiningOp<arith::AddIOp>()) {
    collectFactors(sum.getLhs(), factors);
    return collectFactors(sum.getRhs(), factors);
  }
  if (auto product = index.getDefiningOp<arith::MulIOp>())
    for (Value factor : product->getOperands())
      if (isArgument(factor))
        index = factor;
  factors.insert(index);
}

Value LoopBody::canLoadWide(ImplicitLocOpBuilder &b) {
  llvm::SetVector<Value> factors, arrays;
  int64_t number = 1; // The elements in so many bytes, at most.
  for (auto load : loop.getBody()->getOps<memref::LoadOp>())
    if (Value index = load.getIndices().front(); isStep(index)) {
      collectFactors(index, factors);
      arrays.insert(load.getMemRef());
      number = std::max(number, kWideBytes / bytesOf(load.getType()));
    }
  Number can = Number::flag(b, true);
  for (Value array : arrays) {
    Number start(b, memref::ExtractAlignedPointerAsIndexOp::create(b, array));
    can = can & ((start & (kWideBytes - 1)) == 0);
  }
  for (Value factor : factors)
    can = can & ((Number(b, factor) & (number - 1)) == 0);
  return can;
}
