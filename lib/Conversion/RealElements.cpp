//===- RealElements.cpp - Operators on real numbers -----------------------===//
//
// Operators on real numbers become the ops that the table of operators names.
// Some have none, or one that leaves open what they define; they are written
// out here. Targets so compute the same bits, unless they call libm or
// libdevice.
//
//===----------------------------------------------------------------------===//

#include "RealElements.h"

#include "Elements.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Operators.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace nacho;

Value nacho::emitNamed(ImplicitLocOpBuilder &b, StringRef name,
                       ValueRange operands, Type type) {
  OperationState state(b.getLoc(), name, operands, type);
  return b.create(state)->getResult(0);
}

static Value constant(ImplicitLocOpBuilder &b, double value, Type type) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

static Number compareFloats(ImplicitLocOpBuilder &b,
                            arith::CmpFPredicate predicate, Value x, Value y) {
  return Number(b, arith::CmpFOp::create(b, predicate, x, y));
}

//===----------------------------------------------------------------------===//
// Extremes
//===----------------------------------------------------------------------===//

/// (x isBetter y) or isNan(x) ? x : y
static Value emitExtreme(ImplicitLocOpBuilder &b, arith::CmpFPredicate isBetter,
                         Value x, Value y) {
  Value first = arith::CmpFOp::create(b, isBetter, x, y);
  Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  return select(Number(b, first) | isNan, x, y);
}

/// The larger or smaller one of two numbers; the other one if one is NaN.
static Value emitExtremeNumber(ImplicitLocOpBuilder &b, bool isLargest, Value x,
                               Value y) {
  auto otherIfNan = [&](Value one, Value other) -> Value {
    Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, one, one);
    return select(Number(b, isNan), other, one);
  };
  Value s = otherIfNan(x, y), t = otherIfNan(y, x);
  return isLargest ? Value(arith::MaximumFOp::create(b, s, t))
                   : Value(arith::MinimumFOp::create(b, s, t));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// An operator on integers that arith does not define for all of them, in terms
/// of one that it does:
// clang-format off
///
///   x quo y = y = 0 ? 0 : x / d      x rem y = x - (x / d) * d
///     where d = y = 0 or (y = -1 and x is the least number) ? 1 : y
///   x shl y = y < width ? x << y : 0
///   x shr y = y < width ? x >> y : 0, or x >> (width - 1) if x is signed
///
// clang-format on
static Value emitInteger(ImplicitLocOpBuilder &b, BinaryKind kind, Type type,
                         Value x, Value y) {
  const BinaryOperator &record = operatorOf(kind);
  Type plain = signless(type);
  StringRef name = loweredName(record, type);
  unsigned width = plain.getIntOrFloatBitWidth();
  Number zero(b, 0, plain);
  if (kind == BinaryKind::quo || kind == BinaryKind::rem) {
    Number isZero = Number(b, y) == zero, isOne = isZero;
    if (!isUnsigned(type)) {
      Number isMinusOne = Number(b, y) == -1;
      Value least = arith::ConstantOp::create(
          b, b.getIntegerAttr(plain, APInt::getSignedMinValue(width)));
      isOne = isZero | (isMinusOne & (Number(b, x) == least));
    }
    Value divisor = select(isOne, Number(b, 1, plain), y);
    Value result = emitNamed(b, name, {x, divisor}, plain);
    return kind == BinaryKind::rem ? result : select(isZero, zero, result);
  }
  Number fits = Number(b, y) < width;
  bool fillsWithSign = kind == BinaryKind::shr && !isUnsigned(type);
  Value amount = select(fits, y, fillsWithSign ? width - 1 : 0);
  Value result = emitNamed(b, name, {x, amount}, plain);
  return fillsWithSign ? result : select(fits, result, zero);
}

/// What rounding down makes of a quotient that is rounded towards 0, and of its
/// remainder:
// clang-format off
///
///   x // y = (x quo y) - 1    x % y = (x rem y) + y    if x rem y is not 0, and
///                                                      has not the sign of y
// clang-format on
static Value emitFlooredInteger(ImplicitLocOpBuilder &b, BinaryKind kind,
                                Type type, Value x, Value y) {
  bool isQuotient = kind == BinaryKind::floordiv;
  auto truncated = [&](BinaryKind kind) {
    return Number(b, emitInteger(b, kind, type, x, y));
  };
  if (isUnsigned(type))
    return truncated(isQuotient ? BinaryKind::quo : BinaryKind::rem);
  Number rest = truncated(BinaryKind::rem);
  Value isBelow = rest.compare(Number::Predicate::slt, 0);
  Value isOfSign = Number(b, y).compare(Number::Predicate::slt, 0) ^ isBelow;
  Number differs = (rest != 0) & isOfSign;
  if (!isQuotient)
    return select(differs, rest + y, rest);
  Number quotient = truncated(BinaryKind::quo);
  return select(differs, quotient - 1, quotient);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// x // y and x % y as NumPy computes them:
// clang-format off
///
///   rest    = fmod(x, y)
///   differs = rest and y have different signs
///   x % y   = rest = 0 ? copysign(0, y) : differs ? rest + y : rest
///
///   quotient = (x - rest) / y - (rest is not 0 and differs ? 1 : 0)
///   whole    = the integer that is next to the quotient
///   x // y   = y = 0 ? x / y : quotient = 0 ? copysign(0, x / y) : whole
// clang-format on
static Value emitFlooredFloat(ImplicitLocOpBuilder &b, BinaryKind kind, Value x,
                              Value y) {
  using Is = arith::CmpFPredicate;
  Type type = x.getType();
  Value zero = constant(b, 0, type), one = constant(b, 1, type);
  Number rest(b, arith::RemFOp::create(b, x, y));
  Value isZero = compareFloats(b, Is::OEQ, rest, zero);
  Value isBelow = compareFloats(b, Is::OLT, rest, zero);
  Value differs = compareFloats(b, Is::OLT, y, zero) ^ isBelow;
  auto zeroLike = [&](Value sign) -> Value {
    return math::CopySignOp::create(b, zero, sign);
  };
  if (kind == BinaryKind::mod) {
    Value moved = select(Number(b, differs), rest + y, rest);
    return select(Number(b, isZero), zeroLike(y), moved);
  }
  Number exact = (Number(b, x) - rest) / y;
  Value less = select(Number(b, differs), exact - one, exact);
  Number quotient = select(Number(b, isZero), exact, less);
  Number whole(b, math::FloorOp::create(b, quotient));
  Value isAbove =
      compareFloats(b, Is::OGT, quotient - whole, constant(b, 0.5, type));
  Value nearest = select(Number(b, isAbove), whole + one, whole);
  Value plain = Number(b, x) / y;
  Number isNone = compareFloats(b, Is::OEQ, quotient, zero);
  Value result = select(isNone, zeroLike(plain), nearest);
  return select(compareFloats(b, Is::OEQ, y, zero), plain, result);
}

/// The square root of p^2 + q^2, of p = max(|x|, |y|) and q = min(|x|, |y|),
/// computed in f64 and scaled so that squares neither overflow nor vanish:
// clang-format off
///
///   scale, back = p > 2^500  ? 2^-600, 2^600
///               : p < 2^-500 ? 2^600, 2^-600 : 1, 1
///   hypot = p or q is infinite ? infinity
///                              : sqrt((p * scale)^2 + (q * scale)^2) * back
// clang-format on
static Value emitHypot(ImplicitLocOpBuilder &b, Value x, Value y) {
  using Is = arith::CmpFPredicate;
  Type type = x.getType(), wide = b.getF64Type();
  auto number = [&](double value) { return constant(b, value, wide); };
  auto sizeOf = [&](Value value) -> Value {
    if (type != wide)
      value = arith::ExtFOp::create(b, wide, value);
    return math::AbsFOp::create(b, value);
  };
  Value s = sizeOf(x), t = sizeOf(y);
  Value p = arith::MaximumFOp::create(b, s, t);
  Value q = arith::MinimumFOp::create(b, s, t);
  Number isLarge = compareFloats(b, Is::OGT, p, number(0x1p500));
  Number isSmall = compareFloats(b, Is::OLT, p, number(0x1p-500));
  Value up = number(0x1p600), down = number(0x1p-600), one = number(1);
  Value scale = select(isLarge, down, select(isSmall, up, one));
  Value back = select(isLarge, up, select(isSmall, down, one));
  Number long1 = Number(b, p) * scale, short1 = Number(b, q) * scale;
  Value squares = long1 * long1 + short1 * short1;
  Value size = Number(b, math::SqrtOp::create(b, squares)) * back;
  Value infinity = number(HUGE_VAL);
  Value isInfinite = compareFloats(b, Is::OEQ, t, infinity);
  Number either = compareFloats(b, Is::OEQ, s, infinity) | isInfinite;
  Value result = select(either, infinity, size);
  return type == wide ? result : arith::TruncFOp::create(b, type, result);
}

/// The angle of the point (x, y). That of (0, 0) is one of (1, 0), with the
/// signs of its zeros, since MLIR folds it to NaN:
///
///   y = 0 and x = 0 ? atan2(y, copysign(1, x)) : atan2(y, x)
static Value emitAngle(ImplicitLocOpBuilder &b, Value y, Value x) {
  using Is = arith::CmpFPredicate;
  Value zero = constant(b, 0, x.getType()), one = constant(b, 1, x.getType());
  Number isOrigin = compareFloats(b, Is::OEQ, y, zero);
  isOrigin = isOrigin & compareFloats(b, Is::OEQ, x, zero);
  Value unit = math::CopySignOp::create(b, one, x);
  return math::Atan2Op::create(b, y, select(isOrigin, unit, x));
}

/// log(e^x + e^y), of which no power overflows:
// clang-format off
///
///   x = y ? x + log 2 : max(x, y) + log1p(e^-|x - y|)
// clang-format on
static Value emitLogAddExp(ImplicitLocOpBuilder &b, Value x, Value y) {
  Type type = x.getType();
  Number isSame = compareFloats(b, arith::CmpFPredicate::OEQ, x, y);
  Value distance = math::AbsFOp::create(b, Number(b, x) - y);
  Value power = math::ExpOp::create(b, arith::NegFOp::create(b, distance));
  Number larger(b, arith::MaximumFOp::create(b, x, y));
  Value sum = larger + math::Log1pOp::create(b, power);
  Value twice = Number(b, x) + constant(b, std::log(2.0), type);
  return select(isSame, twice, sum);
}

//===----------------------------------------------------------------------===//
// All operators
//===----------------------------------------------------------------------===//

static Value emitFloat(ImplicitLocOpBuilder &b, BinaryOp op, Value x, Value y) {
  switch (BinaryKind kind = op.getKind()) {
  case BinaryKind::min:
  case BinaryKind::max:
    // The ops of arith that the table names leave open which zero they return
    // for 0 and -0, so they serve only where the order of operands is free,
    // too.
    if (!op.getReassociable())
      return emitExtreme(b,
                         kind == BinaryKind::min ? arith::CmpFPredicate::OLT
                                                 : arith::CmpFPredicate::OGT,
                         x, y);
    break;
  case BinaryKind::minnum:
  case BinaryKind::maxnum:
    return emitExtremeNumber(b, kind == BinaryKind::maxnum, x, y);
  case BinaryKind::floordiv:
  case BinaryKind::mod:
    return emitFlooredFloat(b, kind, x, y);
  case BinaryKind::atan2:
    return emitAngle(b, x, y);
  case BinaryKind::hypot:
    return emitHypot(b, x, y);
  case BinaryKind::logaddexp:
    return emitLogAddExp(b, x, y);
  default:
    break;
  }
  return emitNamed(b, operatorOf(op.getKind()).floatOp, {x, y}, op.getType());
}

Value nacho::emitReal(ImplicitLocOpBuilder &b, BinaryOp op, Value x, Value y) {
  Type type = op.getType();
  if (isa<FloatType>(type))
    return emitFloat(b, op, x, y);
  switch (BinaryKind kind = op.getKind()) {
  case BinaryKind::quo:
  case BinaryKind::rem:
  case BinaryKind::shl:
  case BinaryKind::shr:
    return emitInteger(b, kind, type, x, y);
  case BinaryKind::fmod:
    return emitInteger(b, BinaryKind::rem, type, x, y);
  case BinaryKind::floordiv:
  case BinaryKind::mod:
    return emitFlooredInteger(b, kind, type, x, y);
  default:
    return emitNamed(b, loweredName(operatorOf(kind), type), {x, y},
                     signless(type));
  }
}
