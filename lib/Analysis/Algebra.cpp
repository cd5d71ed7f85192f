//===- Algebra.cpp - Where an expression can differ from zero -------------===//
//
//   operator   background    pattern
//   a + b      za + zb       a u b       (0 is the identity)
//   a * b      0             a n b       if za = zb = 0 (0 annihilates)
//              0             a           if only za = 0: b is not 0 anywhere
//              za * zb       a u b       else
//   -a         -za           a
//   reduce a   0 or unknown  a
//
// The pattern of a dense operand is everything.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/Algebra.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Levels/Level.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace nacho;

static MergeAttr nowhere(MLIRContext *context) {
  return uniteMerges(context, {});
}

static ElementFacts deriveProduct(const ElementFacts &a,
                                  const ElementFacts &b) {
  MLIRContext *context = a.pattern.getContext();
  if (isNever(a.pattern) || isNever(b.pattern)) {
    // A factor that is the same everywhere: the pattern is that of the other.
    ElementFacts product{{}, uniteMerges(context, {a.pattern, b.pattern})};
    if (a.isZeroPreserving() || b.isZeroPreserving())
      product.background = 0.0;
    else if (a.background && b.background)
      product.background = *a.background * *b.background;
    return product;
  }
  if (a.isZeroPreserving() && b.isZeroPreserving())
    return {0.0, intersectMerges(context, {a.pattern, b.pattern})};
  if (a.isZeroPreserving())
    return {0.0, a.pattern};
  if (b.isZeroPreserving())
    return {0.0, b.pattern};
  ElementFacts product{{}, uniteMerges(context, {a.pattern, b.pattern})};
  if (a.background && b.background)
    product.background = *a.background * *b.background;
  return product;
}

static ElementFacts deriveSum(const ElementFacts &a, const ElementFacts &b,
                              double sign) {
  ElementFacts sum{{},
                   uniteMerges(a.pattern.getContext(), {a.pattern, b.pattern})};
  if (a.background && b.background)
    sum.background = *a.background + sign * *b.background;
  return sum;
}

ElementFacts ElementAlgebra::derive(Operation *op) const {
  return llvm::TypeSwitch<Operation *, ElementFacts>(op)
      .Case([&](BinaryOp binary) {
        const ElementFacts &a = get(binary.getLhs());
        const ElementFacts &b = get(binary.getRhs());
        switch (binary.getKind()) {
        case BinaryKind::add:
          return deriveSum(a, b, 1.0);
        case BinaryKind::sub:
          return deriveSum(a, b, -1.0);
        case BinaryKind::mul:
          return deriveProduct(a, b);
        case BinaryKind::min:
        case BinaryKind::max:
          break;
        }
        ElementFacts other = deriveSum(a, b, 0.0);
        if (!a.isZeroPreserving() || !b.isZeroPreserving())
          other.background.reset();
        return other;
      })
      .Case([&](UnaryOp unary) {
        ElementFacts result = get(unary.getArg());
        if (result.background)
          result.background = -*result.background;
        return result;
      })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](Operation *cast) { return get(cast->getOperand(0)); })
      .Case([&](CastOp cast) {
        ElementFacts result = get(cast.getArg());
        if (result.background && isa<IntegerType>(cast.getType()))
          result.background = cast.getType().isInteger(1)
                                  ? static_cast<double>(*result.background != 0)
                                  : std::trunc(*result.background);
        return result;
      })
      .Case([&](ReduceOp reduce) {
        ElementFacts result = get(reduce.getValue());
        if (!result.isZeroPreserving())
          result.background.reset();
        return result;
      })
      .Case([&](arith::ConstantOp constant) {
        ElementFacts result{{}, nowhere(op->getContext())};
        if (auto value = dyn_cast<FloatAttr>(constant.getValue()))
          result.background = value.getValueAsDouble();
        else if (auto value = dyn_cast<IntegerAttr>(constant.getValue()))
          result.background =
              value.getType().isInteger(1)
                  ? static_cast<double>(value.getValue().isOne())
                  : value.getValue().signedRoundToDouble();
        return result;
      })
      // Anything else may be non-zero everywhere.
      .Default([&](Operation *) {
        return ElementFacts{{}, nowhere(op->getContext())};
      });
}

ElementAlgebra::ElementAlgebra(AssignOp op) {
  MLIRContext *context = op.getContext();
  for (BlockArgument arg : op.getBodyBlock()->getArguments()) {
    unsigned number = arg.getArgNumber();
    auto type = cast<RankedTensorType>(op.getInputs()[number].getType());
    if (type.getRank() == 0)
      facts[arg] = {{}, nowhere(context)};
    else if (isDense(type))
      facts[arg] = {0.0, intersectMerges(context, {})};
    else
      facts[arg] = {0.0, MergeAttr::get(context, number)};
  }
  for (Operation &nested : op.getBodyBlock()->without_terminator()) {
    ElementFacts derived = derive(&nested);
    for (Value result : nested.getResults())
      facts[result] = derived;
  }
}

static bool isFiniteConstant(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getArg();
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return false;
  auto attr = dyn_cast<FloatAttr>(constant.getValue());
  return !attr || attr.getValue().isFinite();
}

bool ElementAlgebra::mayLeak(Value value) const {
  auto product = value.getDefiningOp<BinaryOp>();
  if (!product || product.getKind() != BinaryKind::mul ||
      isa<IntegerType>(value.getType()) || !get(value).isZeroPreserving())
    return false;
  // A finite number times exactly 0 is 0 as it is.
  auto scales = [&](Value factor, Value other) {
    return isFiniteConstant(factor) && get(other).isZeroPreserving();
  };
  return !scales(product.getLhs(), product.getRhs()) &&
         !scales(product.getRhs(), product.getLhs());
}
