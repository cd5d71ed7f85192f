//===- ElementsToArith.cpp - Operators on elements ------------------------===//
//
// Lowers the operators of the notation to ops of arith, math and complex. Most
// operators become one op, which the table of operators (Operators.td) names.
// Operators on complex numbers become operators on their parts, because MLIR
// folds ops of the complex dialect as if numbers were exact: (x - y) + y to x.
// Functions of complex numbers are left to FunctionsToLibm.cpp.
// After this pass, element types are signless, and ops carry the signedness.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Operators.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOELEMENTSTOARITH
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Creates the op with a given name, with default attributes.
static Value emitNamed(ImplicitLocOpBuilder &b, StringRef name,
                       ValueRange operands, Type type) {
  OperationState state(b.getLoc(), name, operands, type);
  return b.create(state)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Binary operators
//===----------------------------------------------------------------------===//

/// (x isBetter y) or isNan(x) ? x : y
static Value emitExtreme(ImplicitLocOpBuilder &b, arith::CmpFPredicate isBetter,
                         Value x, Value y) {
  Value first = arith::CmpFOp::create(b, isBetter, x, y);
  Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  return arith::SelectOp::create(b, arith::OrIOp::create(b, first, isNan), x,
                                 y);
}

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

/// Computes x + y, x - y, x * y or x / y for complex numbers.
static Value emitComplex(ImplicitLocOpBuilder &b, BinaryKind kind, Value x,
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

static Value emitBinary(ImplicitLocOpBuilder &b, BinaryOp op, Value x,
                        Value y) {
  BinaryKind kind = op.getKind();
  Type type = op.getType();
  // The ops of arith that the table names leave open which zero they return for
  // 0 and -0, so they serve only where the order of operands is free, too.
  bool isExtreme = kind == BinaryKind::min || kind == BinaryKind::max;
  if (isExtreme && isa<FloatType>(type) && !op.getReassociable())
    return emitExtreme(b,
                       kind == BinaryKind::min ? arith::CmpFPredicate::OLT
                                               : arith::CmpFPredicate::OGT,
                       x, y);
  if (isa<ComplexType>(type))
    return emitComplex(b, kind, x, y,
                       op.getReassociable() ? arith::FastMathFlags::reassoc
                                            : arith::FastMathFlags::none);
  return emitNamed(b, loweredName(operatorOf(kind), type), {x, y},
                   signless(type));
}

static void lowerBinary(BinaryOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type type = op.getType(), plain = signless(type);
  Value x = recast(b, op.getLhs(), plain), y = recast(b, op.getRhs(), plain);
  Value result = emitBinary(b, op, x, y);
  if (auto floating = result.getDefiningOp<arith::ArithFastMathInterface>();
      floating && op.getReassociable())
    floating->setAttr(floating.getFastMathAttrName(),
                      arith::FastMathFlagsAttr::get(
                          b.getContext(), arith::FastMathFlags::reassoc));
  op.replaceAllUsesWith(recast(b, result, type));
}

//===----------------------------------------------------------------------===//
// Unary operators
//===----------------------------------------------------------------------===//

static Value emitNegative(ImplicitLocOpBuilder &b, Value x) {
  if (!isa<ComplexType>(x.getType()))
    return arith::SubIOp::create(b, emitZero(b, x.getType()), x);
  return complex::CreateOp::create(
      b, x.getType(), arith::NegFOp::create(b, complex::ReOp::create(b, x)),
      arith::NegFOp::create(b, complex::ImOp::create(b, x)));
}

/// Lowers a unary operator on a type for which the table names no op.
static Value emitByHand(ImplicitLocOpBuilder &b, UnaryOp op, Value x) {
  if (op.getKind() == UnaryKind::neg)
    return emitNegative(b, x);
  if (op.getKind() == UnaryKind::abs && isUnsigned(op.getArg().getType()))
    return x;
  if (op.getKind() == UnaryKind::notbits)
    return arith::XOrIOp::create(
        b, x, arith::ConstantOp::create(b, b.getIntegerAttr(x.getType(), -1)));
  bool rounds =
      op.getKind() == UnaryKind::floor || op.getKind() == UnaryKind::ceil;
  if (rounds && isa<IntegerType>(op.getArg().getType()))
    return x;
  llvm_unreachable("the table of operators names no op for this type");
}

/// Lowers a unary operator. Returns false if it is a function of a complex
/// number, which stays as it is.
static bool lowerUnary(UnaryOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  if (isa<ComplexType>(op.getArg().getType()) &&
      !operatorOf(op.getKind()).libm.empty())
    return false;
  Type type = op.getArg().getType();
  Value x = recast(b, op.getArg(), signless(type));
  StringRef name = loweredName(operatorOf(op.getKind()), type);
  Value result = name.empty() ? emitByHand(b, op, x)
                              : emitNamed(b, name, x, signless(op.getType()));
  op.replaceAllUsesWith(recast(b, result, op.getType()));
  return true;
}

//===----------------------------------------------------------------------===//
// Comparisons and choices
//===----------------------------------------------------------------------===//

/// Complex numbers are equal if their real and imaginary parts are equal.
static Value compareComplex(ImplicitLocOpBuilder &b,
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

static void lowerCompare(CompareOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type type = op.getLhs().getType(), plain = signless(type);
  Value x = recast(b, op.getLhs(), plain), y = recast(b, op.getRhs(), plain);
  const Comparison &comparison = operatorOf(op.getKind());
  Value result;
  if (isa<FloatType>(type))
    result = arith::CmpFOp::create(b, comparison.floatPredicate, x, y);
  else if (isa<ComplexType>(type))
    result = compareComplex(b, comparison, x, y);
  else
    result =
        arith::CmpIOp::create(b,
                              isUnsigned(type) ? comparison.unsignedPredicate
                                               : comparison.signedPredicate,
                              x, y);
  op.replaceAllUsesWith(result);
}

static void lowerSelect(SelectOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  op.replaceAllUsesWith(arith::SelectOp::create(b, op.getCondition(),
                                                op.getOnTrue(), op.getOnFalse())
                            .getResult());
}

static void lowerCast(CastOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type from = op.getArg().getType(), to = op.getType();
  Value value = op.getArg();
  if (from != to)
    value =
        recast(b, emitCast(b, recast(b, value, signless(from)), from, to), to);
  op.replaceAllUsesWith(value);
}

namespace {
struct ElementsToArith
    : nacho::impl::ConvertNachoElementsToArithBase<ElementsToArith> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto binary = dyn_cast<BinaryOp>(op))
        lowerBinary(binary);
      else if (auto unary = dyn_cast<UnaryOp>(op)) {
        if (!lowerUnary(unary))
          return;
      } else if (auto comparison = dyn_cast<CompareOp>(op))
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
