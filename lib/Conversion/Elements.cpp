//===- Elements.cpp - Elements of any type, in arith and complex ----------===//
//
// Whether an integer is signed is said by the element type in Nacho, but by the
// op in arith, whose operands are signless.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

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
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(signless(type)));
  return recast(b, zero, type);
}

/// Floats are selected as integers. LLVM would turn a selection of floats into
/// a masked load, which costs more than all the rest of a loop's step.
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
