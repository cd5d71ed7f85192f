//===- Arith.cpp - Arithmetic in emitted code as expressions --------------===//

#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

/// Emits a constant of a type of numbers.
static Value emitConstant(ImplicitLocOpBuilder &b, int64_t value, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr constant;
  if (isa<FloatType>(element))
    constant = b.getFloatAttr(element, value);
  else
    constant = b.getIntegerAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    constant = DenseElementsAttr::get(vector, constant);
  return arith::ConstantOp::create(b, constant);
}

Value Number::Operand::as(ImplicitLocOpBuilder &b, Type type) const {
  return value ? value : emitConstant(b, constant, type);
}

Number::Number(ImplicitLocOpBuilder &b, int64_t constant)
    : Number(b, constant, b.getIndexType()) {}

Number::Number(ImplicitLocOpBuilder &b, int64_t constant, Type type)
    : Number(b, emitConstant(b, constant, type)) {}

Number Number::flag(ImplicitLocOpBuilder &b, bool constant) {
  return Number(b, constant, b.getI1Type());
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename OpT>
Number Number::emit(Operand y) const {
  Value right = y.as(*builder, getType());
  return Number(*builder, OpT::create(*builder, *this, right));
}

template <typename IntOpT, typename FloatOpT>
Number Number::emitFor(Operand y) const {
  if (isa<FloatType>(getElementTypeOrSelf(getType())))
    return emit<FloatOpT>(y);
  return emit<IntOpT>(y);
}

Number Number::operator+(Operand y) const {
  return emitFor<arith::AddIOp, arith::AddFOp>(y);
}
Number Number::operator-(Operand y) const {
  return emitFor<arith::SubIOp, arith::SubFOp>(y);
}
Number Number::operator*(Operand y) const {
  return emitFor<arith::MulIOp, arith::MulFOp>(y);
}
Number Number::operator/(Operand y) const {
  return emitFor<arith::DivUIOp, arith::DivFOp>(y);
}
Number Number::operator%(Operand y) const { return emit<arith::RemUIOp>(y); }
Number Number::operator<<(Operand y) const { return emit<arith::ShLIOp>(y); }
Number Number::operator>>(Operand y) const { return emit<arith::ShRUIOp>(y); }
Number Number::operator&(Operand y) const { return emit<arith::AndIOp>(y); }
Number Number::operator|(Operand y) const { return emit<arith::OrIOp>(y); }
Number Number::operator^(Operand y) const { return emit<arith::XOrIOp>(y); }
Number Number::operator!() const { return *this ^ 1; }

Number nacho::min(Number x, Number::Operand y) {
  return x.emit<arith::MinUIOp>(y);
}
Number nacho::max(Number x, Number::Operand y) {
  return x.emit<arith::MaxUIOp>(y);
}
Number nacho::minSigned(Number x, Number::Operand y) {
  return x.emit<arith::MinSIOp>(y);
}
Number nacho::maxSigned(Number x, Number::Operand y) {
  return x.emit<arith::MaxSIOp>(y);
}
Number nacho::ceilDiv(Number x, Number::Operand y) {
  return x.emit<arith::CeilDivUIOp>(y);
}

Number nacho::select(Number condition, Value x, Number::Operand y) {
  ImplicitLocOpBuilder &b = *condition.builder;
  Value otherwise = y.as(b, x.getType());
  return Number(b, arith::SelectOp::create(b, condition, x, otherwise));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

Number Number::compare(Predicate predicate, Operand y) const {
  Value right = y.as(*builder, getType());
  return Number(*builder,
                arith::CmpIOp::create(*builder, predicate, *this, right));
}

Number Number::compare(Predicate integers, arith::CmpFPredicate floats,
                       Operand y) const {
  if (!isa<FloatType>(getElementTypeOrSelf(getType())))
    return compare(integers, y);
  Value right = y.as(*builder, getType());
  return Number(*builder,
                arith::CmpFOp::create(*builder, floats, *this, right));
}

Number Number::operator==(Operand y) const {
  return compare(Predicate::eq, arith::CmpFPredicate::OEQ, y);
}
Number Number::operator!=(Operand y) const {
  return compare(Predicate::ne, arith::CmpFPredicate::UNE, y);
}
Number Number::operator<(Operand y) const {
  return compare(Predicate::ult, arith::CmpFPredicate::OLT, y);
}
Number Number::operator<=(Operand y) const {
  return compare(Predicate::ule, arith::CmpFPredicate::OLE, y);
}
Number Number::operator>(Operand y) const {
  return compare(Predicate::ugt, arith::CmpFPredicate::OGT, y);
}
Number Number::operator>=(Operand y) const {
  return compare(Predicate::uge, arith::CmpFPredicate::OGE, y);
}

//===----------------------------------------------------------------------===//
// Other types
//===----------------------------------------------------------------------===//

/// Emits the conversion of a number to a type of indices or integers.
template <typename IndexCastT, typename ExtendT>
static Value emitCast(ImplicitLocOpBuilder &b, Value x, Type type) {
  Type before = getElementTypeOrSelf(x.getType());
  Type after = getElementTypeOrSelf(type);
  if (before == after)
    return x;
  if (isa<IndexType>(before) || isa<IndexType>(after))
    return IndexCastT::create(b, type, x);
  if (before.getIntOrFloatBitWidth() < after.getIntOrFloatBitWidth())
    return ExtendT::create(b, type, x);
  return arith::TruncIOp::create(b, type, x);
}

Number Number::as(Type type) const {
  return Number(*builder, emitCast<arith::IndexCastUIOp, arith::ExtUIOp>(
                              *builder, *this, type));
}

Number Number::asSigned(Type type) const {
  return Number(*builder, emitCast<arith::IndexCastOp, arith::ExtSIOp>(
                              *builder, *this, type));
}

Number Number::asIndex() const { return as(builder->getIndexType()); }
