//===- Algebra.cpp - Where an expression can differ from zero -------------===//
//
//   operator       background    pattern
//   f(a, ...)      f(za, ...)    a u ...
//   a * b          0             a n b         if za = zb = 0 (0 annihilates)
//                  0             a             if only za = 0: b is not 0
//                  anywhere
//   a / b          0             a             if za = 0 (0 annihilates),
//   unless
//                  unknown       a u b         b is sparse and zb = 0: 0 / 0
//   where c: a, b  zb            (c n a) u b   if zc = 0, za = zb
//                  zb            c u b         if only zc = 0
//                  za            as for where !c: b, a    if zc is another
//                  number
//   reduce a       0 or unknown  a
//
// In f are sums, extremes, comparisons and functions; products and quotients
// where nothing annihilates. The pattern of a dense operand is everything; that
// of a number is nothing in a union, and everything in an intersection.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/Algebra.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Levels/LevelFormat.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace nacho;

static MergeAttr nowhere(MLIRContext *context) {
  return uniteMerges(context, {});
}

//===----------------------------------------------------------------------===//
// Backgrounds
//===----------------------------------------------------------------------===//

/// A number as an element of a type: rounded, or wrapped around.
static std::optional<double> toElement(double value, Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    // The imaginary part of what is not finite is not known.
    if (!std::isfinite(value))
      return {};
    type = complex.getElementType();
  }
  if (auto floating = dyn_cast<FloatType>(type)) {
    bool losesInfo;
    llvm::APFloat rounded(value);
    rounded.convert(floating.getFloatSemantics(),
                    llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return rounded.convertToDouble();
  }
  if (type.isInteger(1))
    return value != 0;
  constexpr double largestExact = 9007199254740992.0;
  if (!(std::abs(value) < largestExact))
    return {};
  unsigned width = type.getIntOrFloatBitWidth();
  llvm::APInt bits(64, static_cast<int64_t>(value), /*isSigned=*/true);
  bits = bits.zextOrTrunc(width);
  return type.isUnsignedInteger() ? bits.roundToDouble()
                                  : bits.signedRoundToDouble();
}

static double compute(BinaryKind kind, double x, double y) {
  switch (kind) {
  case BinaryKind::add:
    return x + y;
  case BinaryKind::sub:
    return x - y;
  case BinaryKind::mul:
    return x * y;
  case BinaryKind::div:
    return x / y;
  case BinaryKind::min:
    return std::isunordered(x, y) ? x + y : std::fmin(x, y);
  case BinaryKind::max:
    return std::isunordered(x, y) ? x + y : std::fmax(x, y);
  }
  llvm_unreachable("unknown operator");
}

static double compute(UnaryKind kind, double x) {
  switch (kind) {
  case UnaryKind::neg:
    return -x;
  case UnaryKind::abs:
    return std::abs(x);
  case UnaryKind::sqrt:
    return std::sqrt(x);
  case UnaryKind::exp:
    return std::exp(x);
  case UnaryKind::log:
    return std::log(x);
  case UnaryKind::sin:
    return std::sin(x);
  case UnaryKind::cos:
    return std::cos(x);
  case UnaryKind::tanh:
    return std::tanh(x);
  }
  llvm_unreachable("unknown operator");
}

static bool compute(CompareKind kind, double x, double y) {
  switch (kind) {
  case CompareKind::lt:
    return x < y;
  case CompareKind::le:
    return x <= y;
  case CompareKind::gt:
    return x > y;
  case CompareKind::ge:
    return x >= y;
  case CompareKind::eq:
    return x == y;
  case CompareKind::ne:
    return x != y;
  }
  llvm_unreachable("unknown comparison");
}

/// What an operator makes of numbers; nothing if it is none of the notation.
static std::optional<double> compute(Operation *op, ArrayRef<double> args) {
  return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
      .Case([&](BinaryOp binary) {
        return compute(binary.getKind(), args[0], args[1]);
      })
      .Case([&](UnaryOp unary) { return compute(unary.getKind(), args[0]); })
      .Case([&](CompareOp comparison) -> double {
        return compute(comparison.getKind(), args[0], args[1]);
      })
      .Case<CastOp, arith::ExtFOp, arith::TruncFOp>([&](Operation *cast) {
        bool truncates = isa<IntegerType>(cast->getResult(0).getType()) &&
                         !cast->getResult(0).getType().isInteger(1);
        return truncates ? std::trunc(args[0]) : args[0];
      })
      .Default([](Operation *) { return std::optional<double>(); });
}

static ElementFacts constantFacts(arith::ConstantOp constant) {
  ElementFacts result{{}, nowhere(constant.getContext())};
  if (auto value = dyn_cast<FloatAttr>(constant.getValue()))
    result.background = value.getValueAsDouble();
  else if (auto value = dyn_cast<IntegerAttr>(constant.getValue()))
    result.background = value.getType().isInteger(1)
                            ? static_cast<double>(value.getValue().isOne())
                            : value.getValue().signedRoundToDouble();
  return result;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// f(a, ...), with nothing more known of f than how it is computed.
static ElementFacts deriveResult(Operation *op, ArrayRef<ElementFacts> args) {
  SmallVector<MergeAttr> patterns;
  SmallVector<double> backgrounds;
  for (const ElementFacts &arg : args) {
    patterns.push_back(arg.pattern);
    if (arg.background)
      backgrounds.push_back(*arg.background);
  }
  ElementFacts result{{}, uniteMerges(op->getContext(), patterns)};
  if (backgrounds.size() < args.size())
    return result;
  if (std::optional<double> value = compute(op, backgrounds))
    result.background = toElement(*value, op->getResult(0).getType());
  return result;
}

static bool isNumber(const ElementFacts &facts) {
  return isNever(facts.pattern);
}

static ElementFacts deriveProduct(ArrayRef<ElementFacts> factors,
                                  const ElementFacts &computed) {
  SmallVector<MergeAttr> confining;
  bool isZero = false;
  for (const ElementFacts &factor : factors) {
    isZero |= factor.isZeroPreserving();
    if (factor.isZeroPreserving() && !isNumber(factor))
      confining.push_back(factor.pattern);
  }
  if (!isZero)
    return computed;
  if (confining.empty())
    return {0.0, computed.pattern};
  return {0.0, intersectMerges(computed.pattern.getContext(), confining)};
}

static ElementFacts deriveQuotient(const ElementFacts &a, const ElementFacts &b,
                                   const ElementFacts &computed) {
  if (!a.isZeroPreserving() || isNumber(a))
    return computed;
  bool isSparse = !isNumber(b) && !isAlways(b.pattern);
  if (b.isZeroPreserving() && isSparse)
    return {{}, computed.pattern};
  return {0.0, a.pattern};
}

static ElementFacts deriveChoice(const ElementFacts &condition,
                                 const ElementFacts &onTrue,
                                 const ElementFacts &onFalse) {
  MLIRContext *context = condition.pattern.getContext();
  bool isSame = onTrue.background && onTrue.background == onFalse.background;
  if (!condition.background)
    return {isSame ? onTrue.background : std::nullopt,
            uniteMerges(context,
                        {condition.pattern, onTrue.pattern, onFalse.pattern})};
  bool isTrue = *condition.background != 0;
  const ElementFacts &present = isTrue ? onFalse : onTrue;
  const ElementFacts &absent = isTrue ? onTrue : onFalse;
  MergeAttr chosen = condition.pattern;
  if (isSame && !isNumber(present))
    chosen = isNumber(condition)
                 ? present.pattern
                 : intersectMerges(context, {chosen, present.pattern});
  return {absent.background, uniteMerges(context, {chosen, absent.pattern})};
}

ElementFacts ElementAlgebra::derive(Operation *op) const {
  SmallVector<ElementFacts> args;
  for (Value operand : op->getOperands())
    args.push_back(get(operand));
  return llvm::TypeSwitch<Operation *, ElementFacts>(op)
      .Case([&](BinaryOp binary) {
        ElementFacts computed = deriveResult(op, args);
        if (binary.getKind() == BinaryKind::mul)
          return deriveProduct(args, computed);
        if (binary.getKind() == BinaryKind::div)
          return deriveQuotient(args[0], args[1], computed);
        return computed;
      })
      .Case([&](SelectOp) { return deriveChoice(args[0], args[1], args[2]); })
      .Case<UnaryOp, CompareOp, CastOp, arith::ExtFOp, arith::TruncFOp>(
          [&](Operation *) { return deriveResult(op, args); })
      .Case([&](ReduceOp) {
        ElementFacts result = args[0];
        if (!result.isZeroPreserving())
          result.background.reset();
        return result;
      })
      .Case([](arith::ConstantOp constant) { return constantFacts(constant); })
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

/// A number of which it is known that it is positive, or zero, and finite.
static bool isPlainNumber(const ElementFacts &facts) {
  return isNumber(facts) && facts.background &&
         std::isfinite(*facts.background) && !std::signbit(*facts.background);
}

/// A plain number times exactly 0 is 0 as it is; of a negative one it would be
/// -0, by which a division can tell.
bool ElementAlgebra::mayLeak(Value value) const {
  auto binary = value.getDefiningOp<BinaryOp>();
  if (!binary || isa<IntegerType>(value.getType()) ||
      !get(value).isZeroPreserving())
    return false;
  const ElementFacts &a = get(binary.getLhs()), &b = get(binary.getRhs());
  if (binary.getKind() == BinaryKind::mul)
    return !(isPlainNumber(a) && b.isZeroPreserving()) &&
           !(isPlainNumber(b) && a.isZeroPreserving());
  if (binary.getKind() == BinaryKind::div)
    return a.isZeroPreserving() && !isNumber(a) &&
           !(isPlainNumber(b) && *b.background > 0);
  return false;
}
