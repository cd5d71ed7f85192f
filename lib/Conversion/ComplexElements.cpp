//===- ComplexElements.cpp - Operators on complex numbers -----------------===//
//
// Operators on complex numbers become operators on their parts, because MLIR
// folds ops of the complex dialect as if numbers were exact: (x - y) + y to x.
//
//===----------------------------------------------------------------------===//

#include "ComplexElements.h"

#include "Elements.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace nacho;

/// Divides complex numbers by Smith's algorithm, as NumPy does. Intermediate
/// results do not overflow unless the quotient does.
// clang-format off
///
///   p, q  = |re y| >= |im y| ? (re y, im y) : (im y, re y)
///   ratio = q / p
///   scale = 1 / (p + q * ratio)
///
///   |re y| >= |im y|:  ((re x + im x * ratio) * scale, (im x - re x * ratio) * scale)
///   otherwise:         ((re x * ratio + im x) * scale, (im x * ratio - re x) * scale)
///   y = 0:             (re x / 0, im x / 0)
///
// clang-format on
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

Value nacho::emitComplex(ImplicitLocOpBuilder &b, BinaryKind kind, Value x,
                         Value y, arith::FastMathFlags flags) {
  if (kind == BinaryKind::div)
    return emitQuotient(b, x, y);
  Value xRe = complex::ReOp::create(b, x), xIm = complex::ImOp::create(b, x);
  Value yRe = complex::ReOp::create(b, y), yIm = complex::ImOp::create(b, y);
  auto add = [&](Value s, Value t) -> Value {
    return arith::AddFOp::create(b, s, t, flags);
  };
  auto sub = [&](Value s, Value t) -> Value {
    return arith::SubFOp::create(b, s, t, flags);
  };
  auto mul = [&](Value s, Value t) -> Value {
    return arith::MulFOp::create(b, s, t, flags);
  };
  Value re, im;
  switch (kind) {
  case BinaryKind::add:
    re = add(xRe, yRe), im = add(xIm, yIm);
    break;
  case BinaryKind::sub:
    re = sub(xRe, yRe), im = sub(xIm, yIm);
    break;
  case BinaryKind::mul: {
    Value reRe = mul(xRe, yRe), imIm = mul(xIm, yIm);
    Value imRe = mul(xIm, yRe), reIm = mul(xRe, yIm);
    re = sub(reRe, imIm), im = add(imRe, reIm);
    break;
  }
  default:
    llvm_unreachable("complex numbers have no order");
  }
  return complex::CreateOp::create(b, x.getType(), re, im);
}

Value nacho::compareComplex(ImplicitLocOpBuilder &b,
                            const Comparison &comparison, Value x, Value y) {
  auto compare = [&](Value s, Value t) -> Value {
    return arith::CmpFOp::create(b, comparison.floatPredicate, s, t);
  };
  Value re = compare(complex::ReOp::create(b, x), complex::ReOp::create(b, y));
  Value im = compare(complex::ImOp::create(b, x), complex::ImOp::create(b, y));
  if (comparison.kind == CompareKind::eq)
    return arith::AndIOp::create(b, re, im);
  return arith::OrIOp::create(b, re, im);
}

/// exp(x + i y) - 1 = (expm1 x) cos y - 2 sin^2 (y / 2) + i e^x sin y, of which
/// no part loses digits of small numbers.
Value nacho::emitComplexExpm1(ImplicitLocOpBuilder &b, Value z) {
  Value x = complex::ReOp::create(b, z), y = complex::ImOp::create(b, z);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(x.getType(), value));
  };
  auto mul = [&](Value s, Value t) -> Value {
    return arith::MulFOp::create(b, s, t);
  };
  Value sine = math::SinOp::create(b, mul(y, number(0.5)));
  Value less = mul(number(2), mul(sine, sine));
  Value re = arith::SubFOp::create(
      b, mul(math::ExpM1Op::create(b, x), math::CosOp::create(b, y)), less);
  Value im = mul(math::ExpOp::create(b, x), math::SinOp::create(b, y));
  return complex::CreateOp::create(b, z.getType(), re, im);
}

/// log(1 + x + i y), whose real part is
// clang-format off
///
///   log1p(x (2 + x) + y^2) / 2               if 1 + x and y are small
///   log p + log1p((q / p)^2) / 2             otherwise, of p = max(|1 + x|, |y|)
///                                                      and q = min(|1 + x|, |y|)
// clang-format on
Value nacho::emitComplexLog1p(ImplicitLocOpBuilder &b, Value z) {
  Value x = complex::ReOp::create(b, z), y = complex::ImOp::create(b, z);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(x.getType(), value));
  };
  auto add = [&](Value s, Value t) -> Value {
    return arith::AddFOp::create(b, s, t);
  };
  auto mul = [&](Value s, Value t) -> Value {
    return arith::MulFOp::create(b, s, t);
  };
  auto halfLog1p = [&](Value s) {
    return mul(math::Log1pOp::create(b, s), number(0.5));
  };
  Value more = add(number(1), x);
  Value absMore = math::AbsFOp::create(b, more);
  Value absY = math::AbsFOp::create(b, y);
  Value p = arith::MaximumFOp::create(b, absMore, absY);
  Value q = arith::MinimumFOp::create(b, absMore, absY);
  Value near = halfLog1p(add(mul(x, add(number(2), x)), mul(y, y)));
  Value ratio = arith::DivFOp::create(b, q, p);
  Value far = add(math::LogOp::create(b, p), halfLog1p(mul(ratio, ratio)));
  Value isNear =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, p, number(2));
  Value re = arith::SelectOp::create(b, isNear, near, far);
  Value im = math::Atan2Op::create(b, y, more);
  return complex::CreateOp::create(b, z.getType(), re, im);
}
