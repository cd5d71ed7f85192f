//===- ComplexElements.cpp - Operators on complex numbers -----------------===//
//
// Operators on complex numbers become operators on their parts, because MLIR
// folds ops of the complex dialect as if numbers were exact: (x - y) + y to x.
//
//===----------------------------------------------------------------------===//

#include "ComplexElements.h"

#include "Elements.h"
#include "nacho/IR/Arith.h"

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
  Type type = cast<ComplexType>(x.getType()).getElementType();
  Number xRe(b, complex::ReOp::create(b, x));
  Number xIm(b, complex::ImOp::create(b, x));
  Value yRe = complex::ReOp::create(b, y), yIm = complex::ImOp::create(b, y);
  Number absRe(b, math::AbsFOp::create(b, yRe));
  Value absIm = math::AbsFOp::create(b, yIm);
  Number isReLarger = absRe >= absIm;
  Number p = select(isReLarger, yRe, yIm), q = select(isReLarger, yIm, yRe);
  Number ratio = q / p;
  Number one(b, 1, type);
  Number scale = one / (p + q * ratio);
  Number re = select(isReLarger, xRe + xIm * ratio, xRe * ratio + xIm);
  Number im = select(isReLarger, xIm - xRe * ratio, xIm * ratio - xRe);
  Number isZero = absRe + absIm == 0;
  Value reOrInfinity = select(isZero, xRe / absRe, re * scale);
  return complex::CreateOp::create(b, x.getType(), reOrInfinity,
                                   select(isZero, xIm / absRe, im * scale));
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
  auto compare = [&](Value s, Value t) {
    return Number(b, arith::CmpFOp::create(b, comparison.floatPredicate, s, t));
  };
  Number re = compare(complex::ReOp::create(b, x), complex::ReOp::create(b, y));
  Value im = compare(complex::ImOp::create(b, x), complex::ImOp::create(b, y));
  return comparison.kind == CompareKind::eq ? re & im : re | im;
}

/// exp(x + i y) - 1 = (expm1 x) cos y - 2 sin^2 (y / 2) + i e^x sin y, of which
/// no part loses digits of small numbers.
Value nacho::emitComplexExpm1(ImplicitLocOpBuilder &b, Value z) {
  Value x = complex::ReOp::create(b, z);
  Number y(b, complex::ImOp::create(b, z));
  Value half = arith::ConstantOp::create(b, b.getFloatAttr(x.getType(), 0.5));
  Number sine(b, math::SinOp::create(b, y * half));
  Value less = Number(b, 2, x.getType()) * (sine * sine);
  Number grown(b, math::ExpM1Op::create(b, x));
  Number turned = grown * math::CosOp::create(b, y);
  Value re = turned - less;
  Number exp(b, math::ExpOp::create(b, x));
  Value im = exp * math::SinOp::create(b, y);
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
  Number x(b, complex::ReOp::create(b, z)), y(b, complex::ImOp::create(b, z));
  auto number = [&](double value) {
    Attribute constant = b.getFloatAttr(x.getType(), value);
    return Number(b, arith::ConstantOp::create(b, cast<TypedAttr>(constant)));
  };
  auto halfLog1p = [&](Value s) {
    return Number(b, math::Log1pOp::create(b, s)) * number(0.5);
  };
  Number more = number(1) + x;
  Value absMore = math::AbsFOp::create(b, more);
  Value absY = math::AbsFOp::create(b, y);
  Number p(b, arith::MaximumFOp::create(b, absMore, absY));
  Number q(b, arith::MinimumFOp::create(b, absMore, absY));
  Number product = x * (number(2) + x);
  Value near = halfLog1p(product + y * y);
  Number ratio = q / p;
  Number log(b, math::LogOp::create(b, p));
  Value far = log + halfLog1p(ratio * ratio);
  Value re = select(p < 2, near, far);
  Value im = math::Atan2Op::create(b, y, more);
  return complex::CreateOp::create(b, z.getType(), re, im);
}
