//===- ElementsToArith.cpp - Operators on elements ------------------------===//
//
// Lowers the operators of the notation to ops of arith, math and complex. Most
// operators become one op, which the table of operators (Operators.td) names;
// those on complex numbers become operators on their parts (ComplexElements.h).
// Functions of complex numbers are left to FunctionsToLibm.cpp.
// After this pass, element types are signless, and ops carry the signedness.
//
//===----------------------------------------------------------------------===//

#include "ComplexElements.h"
#include "Elements.h"
#include "RealElements.h"

#include "LanesToVector.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Condition.h"
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

//===----------------------------------------------------------------------===//
// Binary operators
//===----------------------------------------------------------------------===//

static Value emitBinary(ImplicitLocOpBuilder &b, BinaryOp op, Value x,
                        Value y) {
  if (!isa<ComplexType>(op.getType()))
    return emitReal(b, op, x, y);
  return emitComplex(b, op.getKind(), x, y,
                     op.getReassociable() ? arith::FastMathFlags::reassoc
                                          : arith::FastMathFlags::none);
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
    return Number(b, emitZero(b, x.getType())) - x;
  return complex::CreateOp::create(
      b, x.getType(), arith::NegFOp::create(b, complex::ReOp::create(b, x)),
      arith::NegFOp::create(b, complex::ImOp::create(b, x)));
}

/// A part of a number, or its conjugate; null for other operators.
static Value emitPart(ImplicitLocOpBuilder &b, UnaryKind kind, Value x) {
  bool isComplex = isa<ComplexType>(x.getType());
  if (kind == UnaryKind::real)
    return isComplex ? Value(complex::ReOp::create(b, x)) : x;
  if (kind == UnaryKind::imag)
    return isComplex ? Value(complex::ImOp::create(b, x))
                     : emitZero(b, x.getType());
  if (kind != UnaryKind::conj)
    return {};
  if (!isComplex)
    return x;
  Value opposite = arith::NegFOp::create(b, complex::ImOp::create(b, x));
  return complex::CreateOp::create(b, x.getType(), complex::ReOp::create(b, x),
                                   opposite);
}

/// Lowers a unary operator on a type for which the table names no op.
static Value emitByHand(ImplicitLocOpBuilder &b, UnaryOp op, Value x) {
  if (Value part = emitPart(b, op.getKind(), x))
    return part;
  if (op.getKind() == UnaryKind::expm1)
    return emitComplexExpm1(b, x);
  if (op.getKind() == UnaryKind::log1p)
    return emitComplexLog1p(b, x);
  if (op.getKind() == UnaryKind::neg)
    return emitNegative(b, x);
  if (op.getKind() == UnaryKind::abs && isUnsigned(op.getArg().getType()))
    return x;
  if (op.getKind() == UnaryKind::notbits)
    return Number(b, x) ^ -1;
  bool rounds =
      op.getKind() == UnaryKind::floor || op.getKind() == UnaryKind::ceil ||
      op.getKind() == UnaryKind::round || op.getKind() == UnaryKind::trunc;
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
        Number(b, x).compare(isUnsigned(type) ? comparison.unsignedPredicate
                                              : comparison.signedPredicate,
                             y);
  op.replaceAllUsesWith(result);
}

static void lowerSelect(SelectOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Number condition(b, op.getCondition());
  op.replaceAllUsesWith(select(condition, op.getOnTrue(), op.getOnFalse()));
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

static void lowerBitcast(BitcastOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value x = recast(b, op.getArg(), signless(op.getArg().getType()));
  Type plain = signless(op.getType());
  Value bits =
      x.getType() == plain ? x : Value(arith::BitcastOp::create(b, plain, x));
  op.replaceAllUsesWith(recast(b, bits, op.getType()));
}

static void lowerComplex(ComplexOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  op.replaceAllUsesWith(
      complex::CreateOp::create(b, op.getType(), op.getRe(), op.getIm())
          .getResult());
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// A sum divided by the divisor of an op, and whether the op has this quotient.
/// If it rounds, the numbers are unsigned: the quotient of a sum below 0 is not
/// below an extent.
static std::pair<Value, Condition> divide(ImplicitLocOpBuilder &b, DeriveOp op,
                                          Value sum) {
  if (op.getDivisor() == 1 && !op.getStride())
    return {sum, kAlways};
  Number divisor(b, op.getDivisor());
  if (op.getStride())
    divisor = divisor * maxSigned(Number(b, op.getStride()), 1);
  if (op.getRounds())
    return {Number(b, sum) / divisor, kAlways};
  Value quotient = arith::DivSIOp::create(b, sum, divisor);
  Value rest = arith::RemSIOp::create(b, sum, divisor);
  Value divides = Number(b, rest) == 0;
  return {quotient, Condition(divides)};
}

/// sum = factors * sources + constant
/// divisor = over * max(stride, 1)
/// coordinate = sum / divisor
/// inside = (sum % divisor == 0 or rounds) and 0 <= coordinate < extent
static void lowerDerive(DeriveOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Number sum(b, op.getConstant());
  for (auto [source, factor] : llvm::zip(op.getSources(), op.getFactors()))
    sum = sum + Number(b, source) * factor;
  auto [coordinate, divides] = divide(b, op, sum);
  Value below = Number(b, coordinate) < op.getExtent();
  op.replaceAllUsesWith(
      ValueRange{coordinate, emitBoth(b, divides, below).flag()});
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
      else if (auto bitcast = dyn_cast<BitcastOp>(op))
        lowerBitcast(bitcast);
      else if (auto complex = dyn_cast<ComplexOp>(op))
        lowerComplex(complex);
      else if (auto derive = dyn_cast<DeriveOp>(op))
        lowerDerive(derive);
      else
        return;
      op->erase();
    });
    if (failed(convertLanesToVector(getOperation())))
      signalPassFailure();
  }
};
} // namespace
