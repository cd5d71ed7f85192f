//===- Elements.cpp - Elements of any type, in arith and complex ----------===//
//
// Whether an integer is signed is said by the element type in Nacho, but by the
// op in arith, whose operands are signless.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace nacho;

bool nacho::isUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

Type nacho::signless(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? IntegerType::get(type.getContext(), integer.getWidth())
                 : type;
}

Value nacho::recast(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(b, type, value).getResult(0);
}

Value nacho::emitZero(ImplicitLocOpBuilder &b, Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Attribute zero = b.getZeroAttr(complex.getElementType());
    return complex::ConstantOp::create(b, type, b.getArrayAttr({zero, zero}));
  }
  Number zero(b, 0, signless(type));
  return recast(b, zero, type);
}

/// Floats are selected as integers. LLVM would turn a selection of floats into
/// a masked load, which costs more than all the rest of a loop's step.
Value nacho::selectOrZero(ImplicitLocOpBuilder &b, Value condition,
                          Value value) {
  Type type = value.getType();
  if (!isa<FloatType>(type))
    return select(Number(b, condition), value, emitZero(b, type));
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value loaded = arith::BitcastOp::create(b, bits, value);
  Value chosen = select(Number(b, condition), loaded, emitZero(b, bits));
  return arith::BitcastOp::create(b, type, chosen);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Value isNotZero(ImplicitLocOpBuilder &b, Value x) {
  if (isa<ComplexType>(x.getType())) {
    Number re(b, isNotZero(b, complex::ReOp::create(b, x)));
    return re | isNotZero(b, complex::ImOp::create(b, x));
  }
  return Number(b, x) != 0;
}

/// Converts between real types. `x` is signless; `from` says whether its value
/// is signed.
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
    if (to.isUnsignedInteger(64))
      return arith::FPToUIOp::create(b, plain, x);
    // Convert to i64 first, and then wrap around to the narrower type.
    Value whole = arith::FPToSIOp::create(b, b.getI64Type(), x);
    return Number(b, whole).as(plain);
  }
  if (isa<FloatType>(to))
    return isUnsigned(from) ? Value(arith::UIToFPOp::create(b, to, x))
                            : Value(arith::SIToFPOp::create(b, to, x));
  return isUnsigned(from) ? Number(b, x).as(plain)
                          : Number(b, x).asSigned(plain);
}

Value nacho::emitCast(ImplicitLocOpBuilder &b, Value x, Type from, Type to) {
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
