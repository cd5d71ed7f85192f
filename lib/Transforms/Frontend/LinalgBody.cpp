//===- LinalgBody.cpp - Ops on elements to operators of the notation ------===//
//
// The bodies of linalg ops have ops of arith, math and complex. The table of
// operators says which operator of the notation each of them is. What differs
// between arith and the notation is said here:
//
//   arith                          the notation
//   minui, cmpi ult, extui, ...    min, lt, cast, ... of unsigned integers
//   addi, muli, ... of booleans    xorbits, andbits, ...
//   cmpf ult                       not ge
//   index                          i64
//
//===----------------------------------------------------------------------===//

#include "LinalgBody.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Operators.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacho;

Type nacho::notationType(Type element) {
  return element.isIndex() ? IntegerType::get(element.getContext(), 64)
                           : element;
}

Value nacho::castElement(ImplicitLocOpBuilder &b, Value value, Type type) {
  return value.getType() == type ? value : CastOp::create(b, type, value);
}

/// The unsigned integers with as many bits as an element has. Booleans and all
/// that is no integer stay as they are.
static Type unsignedType(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.getWidth() == 1)
    return element;
  return IntegerType::get(element.getContext(), integer.getWidth(),
                          IntegerType::Unsigned);
}

//===----------------------------------------------------------------------===//
// Operators of the table
//===----------------------------------------------------------------------===//

/// The operator on booleans for an op of arith, which treats them as integers
/// of one bit, and as negative ones where it is signed.
static std::optional<BinaryKind> booleanKindOf(Operation &op) {
  if (isa<arith::AddIOp, arith::SubIOp, arith::XOrIOp>(op))
    return BinaryKind::xorbits;
  if (isa<arith::MulIOp, arith::AndIOp, arith::MinUIOp, arith::MaxSIOp>(op))
    return BinaryKind::andbits;
  if (isa<arith::OrIOp, arith::MaxUIOp, arith::MinSIOp>(op))
    return BinaryKind::orbits;
  return {};
}

std::optional<ElementOperator> nacho::binaryOperatorOf(Operation &op) {
  if (op.getNumOperands() != 2 || op.getNumResults() != 1)
    return {};
  Type type = notationType(op.getResult(0).getType());
  if (type.isInteger(1)) {
    std::optional<BinaryKind> kind = booleanKindOf(op);
    return kind ? std::optional(ElementOperator{*kind, type}) : std::nullopt;
  }
  StringRef name = op.getName().getStringRef();
  for (const BinaryOperator &record : binaryOperators()) {
    if (record.floatOp == name || record.signedOp == name ||
        record.complexOp == name)
      return ElementOperator{record.kind, type};
    if (record.unsignedOp == name)
      return ElementOperator{record.kind, unsignedType(type)};
  }
  return {};
}

static const UnaryOperator *unaryOperatorOf(Operation &op) {
  StringRef name = op.getName().getStringRef();
  return findOperator(unaryOperators(), [&](const UnaryOperator &record) {
    return record.floatOp == name || record.signedOp == name ||
           record.complexOp == name;
  });
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Value compare(ImplicitLocOpBuilder &b, CompareKind kind, Value x,
                     Value y) {
  return CompareOp::create(b, kind, x, y);
}

static Value negate(ImplicitLocOpBuilder &b, Value condition) {
  return UnaryOp::create(b, UnaryKind::notbits, condition);
}

static Value both(ImplicitLocOpBuilder &b, Value x, Value y) {
  return BinaryOp::create(b, BinaryKind::andbits, x, y);
}

/// The comparison that is true where another one, which is true of NaN, is
/// false.
static arith::CmpFPredicate opposite(arith::CmpFPredicate predicate) {
  using arith::CmpFPredicate;
  switch (predicate) {
  case CmpFPredicate::UEQ:
    return CmpFPredicate::ONE;
  case CmpFPredicate::UGT:
    return CmpFPredicate::OLE;
  case CmpFPredicate::UGE:
    return CmpFPredicate::OLT;
  case CmpFPredicate::ULT:
    return CmpFPredicate::OGE;
  case CmpFPredicate::ULE:
    return CmpFPredicate::OGT;
  case CmpFPredicate::UNO:
    return CmpFPredicate::ORD;
  case CmpFPredicate::AlwaysTrue:
    return CmpFPredicate::AlwaysFalse;
  default:
    llvm_unreachable("the comparison is false of NaN, or in the table");
  }
}

/// ord, one, a comparison of the table, or the opposite of one of these.
static Value translateFloats(ImplicitLocOpBuilder &b,
                             arith::CmpFPredicate predicate, Value x, Value y) {
  using arith::CmpFPredicate;
  if (auto *known = findOperator(comparisons(), [&](const Comparison &record) {
        return record.floatPredicate == predicate;
      }))
    return compare(b, known->kind, x, y);
  switch (predicate) {
  case CmpFPredicate::AlwaysFalse:
    return Number::flag(b, false);
  case CmpFPredicate::ORD:
    return both(b, compare(b, CompareKind::eq, x, x),
                compare(b, CompareKind::eq, y, y));
  case CmpFPredicate::ONE:
    return BinaryOp::create(b, BinaryKind::orbits,
                            compare(b, CompareKind::lt, x, y),
                            compare(b, CompareKind::gt, x, y));
  default:
    return negate(b, translateFloats(b, opposite(predicate), x, y));
  }
}

/// A signed comparison takes a boolean that is true for -1: the operands change
/// places.
static Value translateIntegers(ImplicitLocOpBuilder &b,
                               arith::CmpIPredicate predicate, Value x,
                               Value y) {
  auto *known = findOperator(comparisons(), [&](const Comparison &record) {
    return record.signedPredicate == predicate;
  });
  if (known && x.getType().isInteger(1))
    return compare(b, known->kind, y, x);
  if (known)
    return compare(b, known->kind, x, y);
  known = findOperator(comparisons(), [&](const Comparison &record) {
    return record.unsignedPredicate == predicate;
  });
  Type type = unsignedType(x.getType());
  return compare(b, known->kind, castElement(b, x, type),
                 castElement(b, y, type));
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// The lowest bit of an integer as a boolean.
static Value lowestBit(ImplicitLocOpBuilder &b, Value x) {
  Number one(b, 1, x.getType());
  return castElement(b, BinaryOp::create(b, BinaryKind::andbits, x, one),
                     b.getI1Type());
}

/// -1 where a boolean is true, else 0: the integer of one bit, if it is signed.
static Value signedBoolean(ImplicitLocOpBuilder &b, Value x, Type to) {
  Type whole = isa<IntegerType>(to) ? to : b.getI8Type();
  Value negative = UnaryOp::create(b, UnaryKind::neg, castElement(b, x, whole));
  return castElement(b, negative, to);
}

/// The cast of the notation for a cast of arith; null if there is none.
static Value translateCast(ImplicitLocOpBuilder &b, Operation &cast, Value x) {
  Type from = x.getType(), to = notationType(cast.getResult(0).getType());
  bool isWider = isa<FloatType>(to) ||
                 (isa<IntegerType>(from) &&
                  to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth());
  return llvm::TypeSwitch<Operation *, Value>(&cast)
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](Operation *) { return castElement(b, x, to); })
      .Case<arith::ExtSIOp, arith::SIToFPOp, arith::TruncIOp,
            arith::IndexCastOp>([&](Operation *) {
        if (to.isInteger(1))
          return lowestBit(b, x);
        if (from.isInteger(1) && isWider)
          return signedBoolean(b, x, to);
        return castElement(b, x, to);
      })
      .Case<arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp>(
          [&](Operation *) {
            if (to.isInteger(1))
              return lowestBit(b, x);
            return castElement(b, castElement(b, x, unsignedType(from)), to);
          })
      .Case([&](arith::FPToSIOp) {
        return to.isInteger(1) ? Value() : castElement(b, x, to);
      })
      .Case([&](arith::FPToUIOp) {
        if (to.isInteger(1))
          return Value();
        return castElement(b, castElement(b, x, unsignedType(to)), to);
      })
      .Case([&](arith::BitcastOp) -> Value {
        return BitcastOp::create(b, to, x);
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Ops that are several operators
//===----------------------------------------------------------------------===//

static Value apply(ImplicitLocOpBuilder &b, UnaryKind kind, Value x) {
  return UnaryOp::create(b, kind, x);
}

/// Whether x - x is 0, and not NaN.
static Value isFinite(ImplicitLocOpBuilder &b, Value x) {
  Value none = BinaryOp::create(b, BinaryKind::sub, x, x);
  return compare(b, CompareKind::eq, none, none);
}

/// z / |z|; 0 if z is.
static Value translateSign(ImplicitLocOpBuilder &b, Value z) {
  Value size = castElement(b, apply(b, UnaryKind::abs, z), z.getType());
  Value isZero = compare(b, CompareKind::eq, z, zeroElement(b, z.getType()));
  return SelectOp::create(b, isZero, z,
                          BinaryOp::create(b, BinaryKind::div, z, size));
}

/// exp(w * log(z)); if z is 0, 1 or 0, as w is 0 or not.
static Value translatePower(ImplicitLocOpBuilder &b, Value z, Value w) {
  Type type = z.getType();
  Value zero = zeroElement(b, type);
  Value ofZero = castElement(b, compare(b, CompareKind::eq, w, zero), type);
  Value exponent =
      BinaryOp::create(b, BinaryKind::mul, w, apply(b, UnaryKind::log, z));
  return SelectOp::create(b, compare(b, CompareKind::eq, z, zero), ofZero,
                          apply(b, UnaryKind::exp, exponent));
}

/// An op of math or complex in terms of several operators; null for any other.
static Value translateComposed(ImplicitLocOpBuilder &b, Operation &op,
                               ArrayRef<Value> args) {
  auto re = [&] { return apply(b, UnaryKind::real, args[0]); };
  auto im = [&] { return apply(b, UnaryKind::imag, args[0]); };
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case([&](math::IsNaNOp) {
        return compare(b, CompareKind::ne, args[0], args[0]);
      })
      .Case([&](math::IsFiniteOp) { return isFinite(b, args[0]); })
      .Case([&](math::IsInfOp) {
        Value isNumber = compare(b, CompareKind::eq, args[0], args[0]);
        return both(b, isNumber, negate(b, isFinite(b, args[0])));
      })
      .Case([&](complex::CreateOp) -> Value {
        return ComplexOp::create(b, op.getResult(0).getType(), args[0],
                                 args[1]);
      })
      .Case([&](complex::AngleOp) -> Value {
        Value height = im();
        return BinaryOp::create(b, BinaryKind::atan2, height, re());
      })
      .Case([&](complex::RsqrtOp) -> Value {
        Value one =
            castElement(b, Number(b, 1, b.getI8Type()), args[0].getType());
        return BinaryOp::create(b, BinaryKind::div, one,
                                apply(b, UnaryKind::sqrt, args[0]));
      })
      .Case([&](complex::SignOp) { return translateSign(b, args[0]); })
      .Case([&](complex::PowOp) { return translatePower(b, args[0], args[1]); })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A constant of arith or complex, as a constant of the notation.
static Value translateConstant(ImplicitLocOpBuilder &b, Operation &op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && constant.getType().isIndex())
    return Number(b, cast<IntegerAttr>(constant.getValue()).getInt(),
                  b.getI64Type());
  return b.clone(op)->getResult(0);
}

Value nacho::translateElementOp(ImplicitLocOpBuilder &b, Operation &nested,
                                const IRMapping &mapping) {
  SmallVector<Value> args;
  for (Value operand : nested.getOperands())
    args.push_back(mapping.lookupOrNull(operand));
  if (nested.getNumResults() != 1 || llvm::is_contained(args, Value()))
    return {};
  if (std::optional<ElementOperator> binary = binaryOperatorOf(nested)) {
    Value x = castElement(b, args[0], binary->type);
    Value y = castElement(b, args[1], binary->type);
    return castElement(b, BinaryOp::createCommutative(b, binary->kind, x, y),
                       args[0].getType());
  }
  if (auto *unary = unaryOperatorOf(nested))
    return UnaryOp::create(b, unary->kind, args[0]);
  return llvm::TypeSwitch<Operation *, Value>(&nested)
      .Case([&](arith::CmpFOp op) {
        return translateFloats(b, op.getPredicate(), args[0], args[1]);
      })
      .Case([&](arith::CmpIOp op) {
        return translateIntegers(b, op.getPredicate(), args[0], args[1]);
      })
      .Case([&](complex::EqualOp) {
        return compare(b, CompareKind::eq, args[0], args[1]);
      })
      .Case([&](complex::NotEqualOp) {
        return compare(b, CompareKind::ne, args[0], args[1]);
      })
      .Case([&](arith::SelectOp) -> Value {
        return SelectOp::create(b, args[0], args[1], args[2]);
      })
      .Case<arith::ConstantOp, complex::ConstantOp>(
          [&](auto op) { return translateConstant(b, *op); })
      .Default([&](Operation *op) {
        if (Value composed = translateComposed(b, *op, args))
          return composed;
        return args.size() == 1 ? translateCast(b, *op, args[0]) : Value();
      });
}
