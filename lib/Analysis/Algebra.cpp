//===- Algebra.cpp - Sparsity of an expression ----------------------------===//
//
// The background of an expression is its value where no sparse operand has an
// entry; its pattern says where it may have another value. Below, za is the
// background of a, and u and n are the union and the intersection of patterns:
//
// clang-format off
//   expression      background    pattern
//   f(a, ...)       f(za, ...)    a u ...
//   a * b           0             a n b              if za = zb = 0
//                   0             a                  if only za = 0
//   a / b           0             a                  if za = 0, unless:
//                   unknown       a u b              zb = 0, b is sparse, and
//                                                    0 / 0 is not 0
//   where(c, a, b)  zb            (c n a) u b        if zc = 0 and za = zb
//                   zb            c u b              if zc = 0 and za is not zb
//                   as where(!c, b, a)               if zc is known and not 0
//                   za            a u b              if only za = zb is known
//   reduce a        0 or unknown  a
//   stored a        0             a                  if za = 0
//                   1             nowhere            if not
//   keep a if c     0             c                  if zc = 0
//                   0             everywhere         if not
// clang-format on
//
// `f` stands for every other operator, and for products and quotients without a
// zero. The table of operators says which operands annihilate an operator. The
// pattern of a dense operand is everywhere, with an unknown background if its
// elements are coordinates. The pattern of a number is nowhere, and is left out
// of intersections.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/Algebra.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Operators.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace nacho;

/// Integers up to this one are exact as doubles.
static constexpr double kLargestExact = 9007199254740992.0;

static MergeAttr nowhere(MLIRContext *context) {
  return uniteMerges(context, {});
}

//===----------------------------------------------------------------------===//
// Backgrounds
//===----------------------------------------------------------------------===//

/// Converts a number to an element type, rounded or wrapped around. None if the
/// result is not known.
static std::optional<double> toElement(double value, Type type) {
  // Only of a finite number is the imaginary part known: it is 0.
  if (auto complex = dyn_cast<ComplexType>(type)) {
    std::optional<double> real = toElement(value, complex.getElementType());
    return real && std::isfinite(*real) ? real : std::nullopt;
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
  if (!(std::abs(value) < kLargestExact))
    return {};
  unsigned width = type.getIntOrFloatBitWidth();
  llvm::APInt bits(64, static_cast<int64_t>(value), /*isSigned=*/true);
  bits = bits.zextOrTrunc(width);
  return type.isUnsignedInteger() ? bits.roundToDouble()
                                  : bits.signedRoundToDouble();
}

/// Whether an operator computes with integers.
static bool computesIntegers(Operation *op) {
  return isa<BinaryOp, UnaryOp>(op) &&
         isa<IntegerType>(op->getResult(0).getType());
}

/// Evaluates an operator of the table, or a cast, on numbers; none for any
/// other op, nor on integers that a double does not hold.
static std::optional<double> compute(Operation *op, ArrayRef<double> args) {
  if (computesIntegers(op) && llvm::any_of(args, [](double arg) {
        return std::abs(arg) >= kLargestExact;
      }))
    return {};
  return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
      .Case([&](CompareOp compare) -> double {
        return operatorOf(compare.getKind()).compute(args[0], args[1]);
      })
      .Case([&](BinaryOp binary) {
        double value = operatorOf(binary.getKind()).compute(args[0], args[1]);
        // What is divided by 0 is 0 if it is an integer.
        return computesIntegers(op) && !std::isfinite(value) ? 0 : value;
      })
      .Case([&](UnaryOp unary) -> double {
        if (unary.getKind() == UnaryKind::notbits &&
            unary.getType().isInteger(1))
          return args[0] == 0;
        return operatorOf(unary.getKind()).compute(args[0]);
      })
      .Case<CastOp, arith::ExtFOp, arith::TruncFOp>([&](Operation *cast) {
        bool truncates = isa<IntegerType>(cast->getResult(0).getType()) &&
                         !cast->getResult(0).getType().isInteger(1);
        return truncates ? std::trunc(args[0]) : args[0];
      })
      // Known is a complex number whose imaginary part is 0.
      .Case([&](ComplexOp) {
        return args[1] == 0 ? std::optional(args[0]) : std::nullopt;
      })
      .Case([&](BitcastOp) {
        bool hasNoBits = args[0] == 0 && !std::signbit(args[0]);
        return hasNoBits ? std::optional(0.0) : std::nullopt;
      })
      .Default([](Operation *) { return std::optional<double>(); });
}

/// The background of a complex constant is known if its imaginary part is 0.
static ElementFacts constantFacts(complex::ConstantOp constant) {
  ElementFacts result{{}, nowhere(constant.getContext())};
  ArrayAttr parts = constant.getValue();
  if (cast<FloatAttr>(parts[1]).getValue().isZero())
    result.background = cast<FloatAttr>(parts[0]).getValueAsDouble();
  return result;
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

static bool isNotFinite(const ElementFacts &facts) { return facts.isNotFinite; }

/// Whether a number is known to be not 0.
static bool isNotZero(const ElementFacts &facts) {
  return facts.isNotFinite || (facts.background && *facts.background != 0);
}

/// Whether an operator on complex numbers gives one that is not finite because
/// an argument is not finite.
static bool keepsNotFinite(Operation *op, ArrayRef<ElementFacts> args) {
  if (!isa<ComplexType>(op->getResult(0).getType()))
    return false;
  if (isa<CastOp>(op))
    return args[0].isNotFinite;
  // exp(-inf), expm1(-inf) and tanh(inf) are finite.
  if (auto unary = dyn_cast<UnaryOp>(op))
    return args[0].isNotFinite && unary.getKind() != UnaryKind::exp &&
           unary.getKind() != UnaryKind::expm1 &&
           unary.getKind() != UnaryKind::tanh;
  auto binary = dyn_cast<BinaryOp>(op);
  if (!binary)
    return false;
  switch (binary.getKind()) {
  case BinaryKind::add:
  case BinaryKind::sub:
    return llvm::any_of(args, isNotFinite);
  case BinaryKind::mul:
    return llvm::any_of(args, isNotFinite) && llvm::all_of(args, isNotZero);
  case BinaryKind::div:
    return args[0].isNotFinite && args[1].background && isNotZero(args[1]);
  default:
    return false;
  }
}

/// Evaluates a condition on a number that is not finite: it is not 0, and
/// differs from every finite number.
static std::optional<double> decideNotFinite(Operation *op,
                                             ArrayRef<ElementFacts> args) {
  if (isa<CastOp>(op) && args[0].isNotFinite &&
      op->getResult(0).getType().isInteger(1))
    return 1;
  auto compare = dyn_cast<CompareOp>(op);
  if (!compare || args[0].isNotFinite == args[1].isNotFinite)
    return {};
  const ElementFacts &other = args[0].isNotFinite ? args[1] : args[0];
  if (!other.background || !std::isfinite(*other.background))
    return {};
  if (compare.getKind() == CompareKind::eq)
    return 0;
  if (compare.getKind() == CompareKind::ne)
    return 1;
  return {};
}

/// Derives the facts of f(a, ...) by evaluating f, regardless of annihilators.
static ElementFacts deriveResult(Operation *op, ArrayRef<ElementFacts> args) {
  SmallVector<MergeAttr> patterns;
  SmallVector<double> backgrounds;
  for (const ElementFacts &arg : args) {
    patterns.push_back(arg.pattern);
    if (arg.background)
      backgrounds.push_back(*arg.background);
  }
  ElementFacts result{decideNotFinite(op, args),
                      uniteMerges(op->getContext(), patterns),
                      keepsNotFinite(op, args)};
  if (backgrounds.size() < args.size())
    return result;
  if (std::optional<double> value = compute(op, backgrounds)) {
    Type type = op->getResult(0).getType();
    result.background = toElement(*value, type);
    result.isNotFinite = isa<ComplexType>(type) && !result.background;
  }
  return result;
}

/// Whether an expression has no tensor in it: its pattern is nowhere.
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
  if (!a.isZeroPreserving())
    return computed;
  if (isNumber(a))
    return computed.background == 0.0 ? ElementFacts{0.0, a.pattern} : computed;
  bool isSparse = !isNumber(b) && !isAlways(b.pattern);
  if (b.isZeroPreserving() && isSparse && computed.background != 0.0)
    return {{}, computed.pattern};
  return {0.0, a.pattern};
}

static ElementFacts deriveChoice(const ElementFacts &condition,
                                 const ElementFacts &onTrue,
                                 const ElementFacts &onFalse) {
  MLIRContext *context = condition.pattern.getContext();
  bool isSame = onTrue.background && onTrue.background == onFalse.background;
  if (!condition.background && !condition.isNotFinite) {
    MergeAttr chosen = uniteMerges(context, {onTrue.pattern, onFalse.pattern});
    if (isSame)
      return {onTrue.background, chosen};
    return {{}, uniteMerges(context, {condition.pattern, chosen})};
  }
  bool isTrue = condition.isNotFinite || *condition.background != 0;
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
        // Any number to the power of 0 is 1.
        if (binary.getKind() == BinaryKind::pow && args[1].isZeroPreserving())
          return ElementFacts{1.0, args[1].pattern};
        switch (operatorOf(binary.getKind()).annihilator) {
        case Annihilator::none:
          return computed;
        case Annihilator::either:
          return deriveProduct(args, computed);
        case Annihilator::dividend:
          return deriveQuotient(args[0], args[1], computed);
        }
        llvm_unreachable("unknown annihilator");
      })
      .Case([&](SelectOp) { return deriveChoice(args[0], args[1], args[2]); })
      .Case<UnaryOp, CompareOp, CastOp, BitcastOp, ComplexOp, arith::ExtFOp,
            arith::TruncFOp>(
          [&](Operation *) { return deriveResult(op, args); })
      .Case([&](ReduceOp) {
        ElementFacts result = args[0];
        if (!result.isZeroPreserving())
          result.background.reset();
        // A sum over an extent of 0 is 0.
        result.isNotFinite = false;
        return result;
      })
      .Case([&](StoredOp) {
        if (!args[0].isZeroPreserving())
          return ElementFacts{1.0, nowhere(op->getContext())};
        return ElementFacts{0.0, args[0].pattern};
      })
      .Case([&](KeepOp) {
        if (!args[1].isZeroPreserving())
          return ElementFacts{0.0, intersectMerges(op->getContext(), {})};
        return ElementFacts{0.0, args[1].pattern};
      })
      .Case<arith::ConstantOp, complex::ConstantOp>(
          [](auto constant) { return constantFacts(constant); })
      // Nothing is known about the result of any other op.
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
    else if (op.getInputs()[number].getDefiningOp<CoordinatesOp>())
      facts[arg] = {{}, intersectMerges(context, {})};
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

/// Whether an expression is a known finite number without a negative sign.
static bool isPlainNumber(const ElementFacts &facts) {
  return isNumber(facts) && facts.background &&
         std::isfinite(*facts.background) && !std::signbit(*facts.background);
}

/// A plain number times an exact 0 is exactly 0. A negative number would give
/// -0, which a division can tell from 0.
bool ElementAlgebra::mayLeak(Value value) const {
  auto binary = value.getDefiningOp<BinaryOp>();
  if (!binary || isa<IntegerType>(value.getType()) ||
      !get(value).isZeroPreserving())
    return false;
  const ElementFacts &a = get(binary.getLhs()), &b = get(binary.getRhs());
  switch (operatorOf(binary.getKind()).annihilator) {
  case Annihilator::none:
    return false;
  case Annihilator::either:
    return !(isPlainNumber(a) && b.isZeroPreserving()) &&
           !(isPlainNumber(b) && a.isZeroPreserving());
  case Annihilator::dividend:
    return a.isZeroPreserving() && !isNumber(a) &&
           (!isPlainNumber(b) || !(*b.background > 0));
  }
  llvm_unreachable("unknown annihilator");
}
