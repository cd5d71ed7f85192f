//===- NarrowIndices.cpp - Indices of 32 bits in kernels ------------------===//
//
// Each op is rewritten alone: what it takes is cut to 32 bits, and what it
// gives is extended again. Casts that meet disappear by canonicalization, and
// those that remain are where arrays are accessed, by addresses of 64 bits.
//
//===----------------------------------------------------------------------===//

#include "IndexRanges.h"
#include "KernelAccesses.h"
#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_NACHONARROWINDICES
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
class Narrower {
public:
  Narrower(IndexRanges &ranges, MLIRContext *context)
      : ranges(ranges), narrow(IntegerType::get(context, 32)),
        wide(IndexType::get(context)) {}

  void rewrite(gpu::GPUFuncOp kernel);

private:
  bool isWhere(Value number) const;
  bool hasNoNegative(Operation *op) const;
  void rewriteArithmetic(Operation *op);
  void rewriteCompare(arith::CmpIOp op);
  void rewriteExtension(Operation *op);
  bool isPlace(Value number) const;
  bool asksIfBelowPlace(Operation *op, Value number) const;
  bool isBounded(Value number) const;
  void rewriteIf(scf::IfOp op);
  void rewriteWhile(scf::WhileOp op);
  void rewriteFor(scf::ForOp op);

  bool areNarrow(ValueRange values) const {
    return llvm::all_of(values,
                        [&](Value value) { return ranges.isNarrow(value); });
  }
  /// Cuts an operand.
  void cut(OpOperand &operand) {
    OpBuilder b(operand.getOwner());
    operand.set(arith::IndexCastOp::create(b, operand.getOwner()->getLoc(),
                                           narrow, operand.get()));
  }
  /// Makes a value narrow, and extends it for those who use it.
  void extend(Value value, OpBuilder b) {
    value.setType(narrow);
    auto cast = arith::IndexCastOp::create(b, value.getLoc(), wide, value);
    value.replaceAllUsesExcept(cast, cast);
    ranges.copy(value, cast);
  }
  void extendResult(Value value) {
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    extend(value, b);
  }

  IndexRanges &ranges;
  Type narrow, wide;
};
} // namespace

/// Whether the low bits of the result are known from those of the operands.
static bool usesLowBits(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::MinUIOp, arith::MaxUIOp,
             arith::MinSIOp, arith::MaxSIOp, arith::SelectOp>(op);
}

/// Whether they are if no operand is negative.
static bool usesPositiveBits(Operation *op) {
  return isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp>(op);
}

/// Whether low bits of a result suffice if it is an index, or a part of one.
static bool addsOrMultiplies(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op);
}

/// Whether a number only has a part in sums, differences and products that say
/// which element of an array is accessed. Then its low bits suffice: they give
/// those of the sum, and a sum that is no index of the array is not used.
bool Narrower::isWhere(Value number) const {
  return !number.use_empty() &&
         llvm::all_of(number.getUsers(), [&](Operation *user) {
           if (addsOrMultiplies(user))
             return isWhere(user->getResult(0));
           std::optional<KernelAccess> access = accessOf(user);
           return access && llvm::is_contained(access->indices, number) &&
                  ranges.isShort(access->memory);
         });
}

/// Whether no part of a sum is negative, nor of the sums of which it is one,
/// and nothing is taken from them.
bool Narrower::hasNoNegative(Operation *op) const {
  auto isPositive = [&](Value operand) { return ranges.isPositive(operand); };
  return !isa<arith::SubIOp>(op) &&
         llvm::all_of(op->getOperands(), isPositive) &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           return accessOf(user) || hasNoNegative(user);
         });
}

void Narrower::rewriteArithmetic(Operation *op) {
  SmallVector<OpOperand *> indices;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType().isIndex())
      indices.push_back(&operand);
  Value result = op->getResult(0);
  bool isNarrow =
      ranges.isNarrow(result) && llvm::all_of(indices, [&](OpOperand *operand) {
        return ranges.isNarrow(operand->get()) &&
               (usesLowBits(op) || ranges.isPositive(operand->get()));
      });
  bool isElement = !isNarrow && addsOrMultiplies(op) && isWhere(result);
  if (!isNarrow && !isElement)
    return;
  // That indices do not overflow says nothing of 32 bits. But no part of a sum
  // is larger than the index of an element, if none is negative.
  auto overflows = isElement && hasNoNegative(op)
                       ? arith::IntegerOverflowFlags::nsw
                       : arith::IntegerOverflowFlags::none;
  for (OpOperand *operand : indices)
    cut(*operand);
  if (auto arithmetic = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    op->setAttr(
        arithmetic.getIntegerOverflowAttrName(),
        arith::IntegerOverflowFlagsAttr::get(op->getContext(), overflows));
  extendResult(result);
}

void Narrower::rewriteCompare(arith::CmpIOp op) {
  if (!areNarrow(op->getOperands()))
    return;
  for (OpOperand &operand : op->getOpOperands())
    cut(operand);
}

/// Whether a number is one that a coordinate or position can be: not negative,
/// and of 32 bits.
bool Narrower::isPlace(Value number) const {
  return ranges.isNarrow(number) && ranges.isPositive(number);
}

/// Whether an operation asks whether a number is below a place.
bool Narrower::asksIfBelowPlace(Operation *op, Value number) const {
  auto test = dyn_cast_or_null<arith::CmpIOp>(op);
  return test && test.getLhs() == number && isPlace(test.getRhs()) &&
         (test.getPredicate() == arith::CmpIPredicate::ult ||
          test.getPredicate() == arith::CmpIPredicate::uge);
}

/// Whether what is larger than any place makes no difference to the users of a
/// number: each takes the smaller one of it and of a place, asks whether it is
/// below one, or takes it if it is.
bool Narrower::isBounded(Value number) const {
  return llvm::all_of(number.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::CmpIOp>(user))
      return asksIfBelowPlace(user, number);
    if (auto select = dyn_cast<arith::SelectOp>(user)) {
      auto test = select.getCondition().getDefiningOp<arith::CmpIOp>();
      return select.getTrueValue() == number &&
             select.getFalseValue() != number &&
             isPlace(select.getFalseValue()) &&
             asksIfBelowPlace(test, number) &&
             test.getPredicate() == arith::CmpIPredicate::ult;
    }
    if (!isa<arith::MinUIOp>(user))
      return false;
    Value other = user->getOperand(1 - use.getOperandNumber());
    return other != number && isPlace(other);
  });
}

/// Before:
///   %i = arith.index_castui %loaded : i32 to index
/// After, so that a number which is too large remains so:
///   %n = arith.minui %loaded, %2147483647 : i32
///   %i = arith.index_cast %n : i32 to index
///
/// Other numbers that are known to be no larger are extended alone. An index
/// that is cut to 32 bits is so in one way, with a sign or not.
void Narrower::rewriteExtension(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value number = op->getOperand(0);
  if (op->getResult(0).getType() == narrow && ranges.isNarrow(number)) {
    op->replaceAllUsesWith(arith::IndexCastOp::create(b, narrow, number));
    return op->erase();
  }
  bool isLoaded = IndexRanges::isLoadedPlace(op);
  if (isLoaded && !isBounded(op->getResult(0)))
    number = arith::MinUIOp::create(
        b, number,
        arith::ConstantOp::create(b, b.getI32IntegerAttr(INT32_MAX)));
  else if (!isLoaded && (!isa<arith::IndexCastUIOp>(op) ||
                         !op->getResult(0).getType().isIndex() ||
                         !isPlace(op->getResult(0))))
    return;
  if (number.getType().getIntOrFloatBitWidth() < 32)
    number = arith::ExtUIOp::create(b, narrow, number);
  auto cast = arith::IndexCastOp::create(b, wide, number);
  ranges.copy(op->getResult(0), cast);
  op->replaceAllUsesWith(cast);
  op->erase();
}

void Narrower::rewriteIf(scf::IfOp op) {
  for (OpResult result : op.getResults()) {
    if (!ranges.isNarrow(result))
      continue;
    for (scf::YieldOp yield : {op.thenYield(), op.elseYield()})
      cut(yield->getOpOperand(result.getResultNumber()));
    extendResult(result);
  }
}

void Narrower::rewriteWhile(scf::WhileOp op) {
  for (auto [n, argument] : llvm::enumerate(op.getBeforeArguments())) {
    if (!ranges.isNarrow(argument))
      continue;
    cut(op->getOpOperand(n));
    cut(op.getYieldOp()->getOpOperand(n));
    extend(argument, OpBuilder::atBlockBegin(op.getBeforeBody()));
  }
  MutableOperandRange given = op.getConditionOp().getArgsMutable();
  for (auto [n, argument] : llvm::enumerate(op.getAfterArguments())) {
    if (!ranges.isNarrow(argument))
      continue;
    cut(given[n]);
    extend(argument, OpBuilder::atBlockBegin(op.getAfterBody()));
    extendResult(op.getResult(n));
  }
}

void Narrower::rewriteFor(scf::ForOp op) {
  for (auto [n, argument] : llvm::enumerate(op.getRegionIterArgs())) {
    if (!ranges.isNarrow(argument))
      continue;
    cut(op.getInitsMutable()[n]);
    cut(op.getYieldedValuesMutable().value()[n]);
    extend(argument, OpBuilder::atBlockBegin(op.getBody()));
    extendResult(op.getResult(n));
  }
  // The step after the last one must not overflow.
  APInt last = ranges.of(op.getUpperBound())
                   .smax()
                   .sadd_sat(ranges.of(op.getStep()).smax());
  auto bounds = op->getOpOperands().take_front(3);
  bool isNarrow = last.isSignedIntN(32) && !op.getUnsignedCmp() &&
                  ranges.isPositive(op.getStep()) &&
                  llvm::all_of(bounds, [&](OpOperand &bound) {
                    return ranges.isNarrow(bound.get());
                  });
  if (!isNarrow)
    return;
  for (OpOperand &bound : bounds)
    cut(bound);
  extend(op.getInductionVar(), OpBuilder::atBlockBegin(op.getBody()));
}

void Narrower::rewrite(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (usesLowBits(op) || usesPositiveBits(op))
      rewriteArithmetic(op);
    else if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
      rewriteExtension(op);
    else if (auto compare = dyn_cast<arith::CmpIOp>(op))
      rewriteCompare(compare);
    else if (auto either = dyn_cast<scf::IfOp>(op))
      rewriteIf(either);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      rewriteWhile(loop);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      rewriteFor(loop);
  }
}

namespace {
struct NarrowIndices : nacho::impl::NachoNarrowIndicesBase<NarrowIndices> {
  using NachoNarrowIndicesBase::NachoNarrowIndicesBase;

  /// Visits the public functions of the host, and then those that they call.
  void visitHosts(IndexRanges &ranges) {
    DenseMap<StringRef, SmallVector<func::CallOp>> calls;
    getOperation().walk(
        [&](func::CallOp call) { calls[call.getCallee()].push_back(call); });
    for (bool visitsPublic : {true, false})
      for (auto host : getOperation().getOps<func::FuncOp>())
        if (host.isPublic() == visitsPublic)
          ranges.visitHost(host, calls.lookup(host.getName()));
  }

  void runOnOperation() override {
    IndexRanges ranges(longest);
    DenseMap<StringAttr, SmallVector<gpu::LaunchFuncOp>> launches;
    visitHosts(ranges);
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      launches[launch.getKernelName()].push_back(launch);
    });
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      ranges.visitKernel(kernel, launches[kernel.getNameAttr()]);
      Narrower(ranges, &getContext()).rewrite(kernel);
    });
  }
};
} // namespace
