//===- ElementsToArith.cpp - Operators on elements ------------------------===//
//
// Consumes the operators of the notation. Element types carry their signedness
// up to here; arith has it in its ops.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOELEMENTSTOARITH
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static bool isUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

/// The type that arith knows.
static Type signless(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? IntegerType::get(type.getContext(), integer.getWidth())
                 : type;
}

static Value recast(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(b, type, value).getResult(0);
}

Value nacho::emitZero(ImplicitLocOpBuilder &b, Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Attribute zero = b.getZeroAttr(complex.getElementType());
    return complex::ConstantOp::create(b, type, b.getArrayAttr({zero, zero}));
  }
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(signless(type)));
  return recast(b, zero, type);
}

/// As an integer: of floats LLVM would make masked loads, which cost more than
/// the rest of a step.
Value nacho::selectOrZero(ImplicitLocOpBuilder &b, Value condition,
                          Value value) {
  Type type = value.getType();
  if (!isa<FloatType>(type))
    return arith::SelectOp::create(b, condition, value, emitZero(b, type));
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value loaded = arith::BitcastOp::create(b, bits, value);
  Value chosen =
      arith::SelectOp::create(b, condition, loaded, emitZero(b, bits));
  return arith::BitcastOp::create(b, type, chosen);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// x is less, or greater, or a NaN ? x : y
static Value emitExtreme(ImplicitLocOpBuilder &b, arith::CmpFPredicate isBetter,
                         Value x, Value y) {
  Value first = arith::CmpFOp::create(b, isBetter, x, y);
  Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  return arith::SelectOp::create(b, arith::OrIOp::create(b, first, isNan), x,
                                 y);
}

static Value emitFloat(ImplicitLocOpBuilder &b, BinaryKind kind, Value x,
                       Value y, bool isReassociable) {
  switch (kind) {
  case BinaryKind::add:
    return arith::AddFOp::create(b, x, y);
  case BinaryKind::sub:
    return arith::SubFOp::create(b, x, y);
  case BinaryKind::mul:
    return arith::MulFOp::create(b, x, y);
  case BinaryKind::min:
    if (!isReassociable)
      return emitExtreme(b, arith::CmpFPredicate::OLT, x, y);
    return arith::MinimumFOp::create(b, x, y);
  case BinaryKind::max:
    if (!isReassociable)
      return emitExtreme(b, arith::CmpFPredicate::OGT, x, y);
    return arith::MaximumFOp::create(b, x, y);
  case BinaryKind::div:
    return arith::DivFOp::create(b, x, y);
  }
  llvm_unreachable("unknown operator");
}

/// Smith's algorithm, which NumPy has too: with p the larger part of the
/// divisor and q the other one, nothing overflows that the quotient does not.
///
///   ratio = q / p, scale = 1 / (p + q * ratio)
///   re y larger: ((re x + im x * ratio) * scale, (im x - re x * ratio) *
///   scale) im y larger: ((re x * ratio + im x) * scale, (im x * ratio - re x)
///   * scale) y is zero:   (re x / 0, im x / 0)
static Value emitQuotient(ImplicitLocOpBuilder &b, Value x, Value y) {
  auto type = cast<ComplexType>(x.getType());
  auto add = [&](Value s, Value t) -> Value {
    return arith::AddFOp::create(b, s, t);
  };
  auto sub = [&](Value s, Value t) -> Value {
    return arith::SubFOp::create(b, s, t);
  };
  auto mul = [&](Value s, Value t) -> Value {
    return arith::MulFOp::create(b, s, t);
  };
  auto div = [&](Value s, Value t) -> Value {
    return arith::DivFOp::create(b, s, t);
  };
  auto select = [&](Value condition, Value s, Value t) -> Value {
    return arith::SelectOp::create(b, condition, s, t);
  };
  Value xRe = complex::ReOp::create(b, x), xIm = complex::ImOp::create(b, x);
  Value yRe = complex::ReOp::create(b, y), yIm = complex::ImOp::create(b, y);
  Value absRe = math::AbsFOp::create(b, yRe);
  Value absIm = math::AbsFOp::create(b, yIm);
  Value isReLarger =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, absRe, absIm);
  Value p = select(isReLarger, yRe, yIm), q = select(isReLarger, yIm, yRe);
  Value ratio = div(q, p);
  Value one =
      arith::ConstantOp::create(b, b.getFloatAttr(type.getElementType(), 1.0));
  Value scale = div(one, add(p, mul(q, ratio)));
  Value re =
      select(isReLarger, add(xRe, mul(xIm, ratio)), add(mul(xRe, ratio), xIm));
  Value im =
      select(isReLarger, sub(xIm, mul(xRe, ratio)), sub(mul(xIm, ratio), xRe));
  Value isZero =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, add(absRe, absIm),
                            emitZero(b, type.getElementType()));
  return complex::CreateOp::create(
      b, type, select(isZero, div(xRe, absRe), mul(re, scale)),
      select(isZero, div(xIm, absRe), mul(im, scale)));
}

static Value emitComplex(ImplicitLocOpBuilder &b, BinaryKind kind, Value x,
                         Value y) {
  switch (kind) {
  case BinaryKind::add:
    return complex::AddOp::create(b, x, y);
  case BinaryKind::sub:
    return complex::SubOp::create(b, x, y);
  case BinaryKind::mul:
    return complex::MulOp::create(b, x, y);
  case BinaryKind::div:
    return emitQuotient(b, x, y);
  default:
    llvm_unreachable("complex numbers have no order");
  }
}

static Value emitInteger(ImplicitLocOpBuilder &b, BinaryKind kind, Value x,
                         Value y, bool isUnsigned) {
  switch (kind) {
  case BinaryKind::add:
    return arith::AddIOp::create(b, x, y);
  case BinaryKind::sub:
    return arith::SubIOp::create(b, x, y);
  case BinaryKind::mul:
    return arith::MulIOp::create(b, x, y);
  case BinaryKind::min:
    return isUnsigned ? Value(arith::MinUIOp::create(b, x, y))
                      : Value(arith::MinSIOp::create(b, x, y));
  case BinaryKind::max:
    return isUnsigned ? Value(arith::MaxUIOp::create(b, x, y))
                      : Value(arith::MaxSIOp::create(b, x, y));
  default:
    llvm_unreachable("no operator on integers");
  }
}

static void lowerBinary(BinaryOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type type = op.getType(), plain = signless(type);
  Value x = recast(b, op.getLhs(), plain), y = recast(b, op.getRhs(), plain);
  BinaryKind kind = op.getKind();
  Value result;
  if (isa<FloatType>(type))
    result = emitFloat(b, kind, x, y, op.getReassociable());
  else if (isa<ComplexType>(type))
    result = emitComplex(b, kind, x, y);
  else if (type.isInteger(1) && kind == BinaryKind::add)
    result = arith::OrIOp::create(b, x, y);
  else
    result = emitInteger(b, kind, x, y, isUnsigned(type));
  if (auto floating = result.getDefiningOp<arith::ArithFastMathInterface>();
      floating && op.getReassociable())
    floating->setAttr(floating.getFastMathAttrName(),
                      arith::FastMathFlagsAttr::get(
                          b.getContext(), arith::FastMathFlags::reassoc));
  op.replaceAllUsesWith(recast(b, result, type));
}

static Value emitFloat(ImplicitLocOpBuilder &b, UnaryKind kind, Value x) {
  switch (kind) {
  case UnaryKind::neg:
    return arith::NegFOp::create(b, x);
  case UnaryKind::abs:
    return math::AbsFOp::create(b, x);
  case UnaryKind::sqrt:
    return math::SqrtOp::create(b, x);
  case UnaryKind::exp:
    return math::ExpOp::create(b, x);
  case UnaryKind::log:
    return math::LogOp::create(b, x);
  case UnaryKind::sin:
    return math::SinOp::create(b, x);
  case UnaryKind::cos:
    return math::CosOp::create(b, x);
  case UnaryKind::tanh:
    return math::TanhOp::create(b, x);
  }
  llvm_unreachable("unknown operator");
}

static Value emitComplex(ImplicitLocOpBuilder &b, UnaryKind kind, Value x) {
  switch (kind) {
  case UnaryKind::neg:
    return complex::CreateOp::create(
        b, x.getType(), arith::NegFOp::create(b, complex::ReOp::create(b, x)),
        arith::NegFOp::create(b, complex::ImOp::create(b, x)));
  case UnaryKind::abs:
    return complex::AbsOp::create(b, x);
  case UnaryKind::sqrt:
    return complex::SqrtOp::create(b, x);
  case UnaryKind::exp:
    return complex::ExpOp::create(b, x);
  case UnaryKind::log:
    return complex::LogOp::create(b, x);
  case UnaryKind::sin:
    return complex::SinOp::create(b, x);
  case UnaryKind::cos:
    return complex::CosOp::create(b, x);
  case UnaryKind::tanh:
    return complex::TanhOp::create(b, x);
  }
  llvm_unreachable("unknown operator");
}

static Value emitInteger(ImplicitLocOpBuilder &b, UnaryKind kind, Value x,
                         bool isUnsigned) {
  if (kind == UnaryKind::neg)
    return arith::SubIOp::create(b, emitZero(b, x.getType()), x);
  return isUnsigned ? x : Value(math::AbsIOp::create(b, x));
}

static void lowerUnary(UnaryOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type type = op.getArg().getType();
  Value x = recast(b, op.getArg(), signless(type)), result;
  if (isa<FloatType>(type))
    result = emitFloat(b, op.getKind(), x);
  else if (isa<ComplexType>(type))
    result = emitComplex(b, op.getKind(), x);
  else
    result = emitInteger(b, op.getKind(), x, isUnsigned(type));
  op.replaceAllUsesWith(recast(b, result, op.getType()));
}

static arith::CmpFPredicate floatPredicate(CompareKind kind) {
  switch (kind) {
  case CompareKind::lt:
    return arith::CmpFPredicate::OLT;
  case CompareKind::le:
    return arith::CmpFPredicate::OLE;
  case CompareKind::gt:
    return arith::CmpFPredicate::OGT;
  case CompareKind::ge:
    return arith::CmpFPredicate::OGE;
  case CompareKind::eq:
    return arith::CmpFPredicate::OEQ;
  case CompareKind::ne:
    return arith::CmpFPredicate::UNE;
  }
  llvm_unreachable("unknown comparison");
}

static arith::CmpIPredicate integerPredicate(CompareKind kind,
                                             bool isUnsigned) {
  using Predicate = arith::CmpIPredicate;
  switch (kind) {
  case CompareKind::lt:
    return isUnsigned ? Predicate::ult : Predicate::slt;
  case CompareKind::le:
    return isUnsigned ? Predicate::ule : Predicate::sle;
  case CompareKind::gt:
    return isUnsigned ? Predicate::ugt : Predicate::sgt;
  case CompareKind::ge:
    return isUnsigned ? Predicate::uge : Predicate::sge;
  case CompareKind::eq:
    return Predicate::eq;
  case CompareKind::ne:
    return Predicate::ne;
  }
  llvm_unreachable("unknown comparison");
}

/// eq: both parts are equal; ne: one of them is not.
static Value compareComplex(ImplicitLocOpBuilder &b, CompareKind kind, Value x,
                            Value y) {
  auto compare = [&](Value s, Value t) -> Value {
    return arith::CmpFOp::create(b, floatPredicate(kind), s, t);
  };
  Value re = compare(complex::ReOp::create(b, x), complex::ReOp::create(b, y));
  Value im = compare(complex::ImOp::create(b, x), complex::ImOp::create(b, y));
  if (kind == CompareKind::eq)
    return arith::AndIOp::create(b, re, im);
  return arith::OrIOp::create(b, re, im);
}

static void lowerCompare(CompareOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type type = op.getLhs().getType(), plain = signless(type);
  Value x = recast(b, op.getLhs(), plain), y = recast(b, op.getRhs(), plain);
  CompareKind kind = op.getKind();
  Value result;
  if (isa<FloatType>(type))
    result = arith::CmpFOp::create(b, floatPredicate(kind), x, y);
  else if (isa<ComplexType>(type))
    result = compareComplex(b, kind, x, y);
  else
    result = arith::CmpIOp::create(b, integerPredicate(kind, isUnsigned(type)),
                                   x, y);
  op.replaceAllUsesWith(result);
}

static void lowerSelect(SelectOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  op.replaceAllUsesWith(arith::SelectOp::create(b, op.getCondition(),
                                                op.getOnTrue(), op.getOnFalse())
                            .getResult());
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Value isNotZero(ImplicitLocOpBuilder &b, Value x) {
  if (isa<ComplexType>(x.getType()))
    return arith::OrIOp::create(b, isNotZero(b, complex::ReOp::create(b, x)),
                                isNotZero(b, complex::ImOp::create(b, x)));
  Value zero = emitZero(b, x.getType());
  if (isa<FloatType>(x.getType()))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x, zero);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, zero);
}

/// Between real types; `x` is signless, the source type tells its sign.
static Value castReal(ImplicitLocOpBuilder &b, Value x, Type from, Type to) {
  Type plain = signless(to);
  if (to.isInteger(1))
    return isNotZero(b, x);
  if (isa<FloatType>(from) && isa<FloatType>(to)) {
    unsigned before = from.getIntOrFloatBitWidth();
    unsigned after = to.getIntOrFloatBitWidth();
    if (before == after)
      return x;
    return after > before ? Value(arith::ExtFOp::create(b, to, x))
                          : Value(arith::TruncFOp::create(b, to, x));
  }
  if (isa<FloatType>(from)) {
    // By way of a type that has room for every integer type's range.
    Type wide = b.getI64Type();
    Value whole = arith::FPToSIOp::create(b, wide, x);
    return plain == wide ? whole
                         : Value(arith::TruncIOp::create(b, plain, whole));
  }
  if (isa<FloatType>(to))
    return isUnsigned(from) ? Value(arith::UIToFPOp::create(b, to, x))
                            : Value(arith::SIToFPOp::create(b, to, x));
  unsigned before = from.getIntOrFloatBitWidth();
  unsigned after = to.getIntOrFloatBitWidth();
  if (before == after)
    return x;
  if (after < before)
    return arith::TruncIOp::create(b, plain, x);
  return isUnsigned(from) ? Value(arith::ExtUIOp::create(b, plain, x))
                          : Value(arith::ExtSIOp::create(b, plain, x));
}

static Value castElement(ImplicitLocOpBuilder &b, Value x, Type from, Type to) {
  auto fromComplex = dyn_cast<ComplexType>(from);
  auto toComplex = dyn_cast<ComplexType>(to);
  if (fromComplex && to.isInteger(1))
    return isNotZero(b, x);
  Value re = x, im;
  Type part = from;
  if (fromComplex) {
    part = fromComplex.getElementType();
    re = complex::ReOp::create(b, x);
    if (toComplex)
      im = castReal(b, complex::ImOp::create(b, x), part,
                    toComplex.getElementType());
  }
  if (!toComplex)
    return castReal(b, re, part, to);
  Type element = toComplex.getElementType();
  re = castReal(b, re, part, element);
  return complex::CreateOp::create(b, to, re, im ? im : emitZero(b, element));
}

static void lowerCast(CastOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type from = op.getArg().getType(), to = op.getType();
  Value value =
      from == to ? op.getArg()
                 : recast(b,
                          castElement(b, recast(b, op.getArg(), signless(from)),
                                      from, to),
                          to);
  op.replaceAllUsesWith(value);
}

namespace {
struct ElementsToArith
    : nacho::impl::ConvertNachoElementsToArithBase<ElementsToArith> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto binary = dyn_cast<BinaryOp>(op))
        lowerBinary(binary);
      else if (auto unary = dyn_cast<UnaryOp>(op))
        lowerUnary(unary);
      else if (auto comparison = dyn_cast<CompareOp>(op))
        lowerCompare(comparison);
      else if (auto select = dyn_cast<SelectOp>(op))
        lowerSelect(select);
      else if (auto cast = dyn_cast<CastOp>(op))
        lowerCast(cast);
      else
        return;
      op->erase();
    });
  }
};
} // namespace
