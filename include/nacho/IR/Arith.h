//===- Arith.h - Arithmetic in emitted code as expressions ------*- C++ -*-===//
//
// Code that is emitted reads like what it computes:
//
//   Number half = (Number(b, high) - low) >> 1;
//   Number middle = min(half + low, last);
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_ARITH_H
#define NACHO_IR_ARITH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// A value of emitted code that is an index, an integer, a flag or a float, or
/// a vector of these. Its operators emit the op of arith where the builder is,
/// and fold nothing. Unless their name says otherwise, integers are unsigned.
///
/// The left operand of an operator is a number; the right one is any value of
/// the same type, or a constant, which becomes one of that type. If both
/// operands emit code, name one of them: C++ does not say which comes first.
class Number : public mlir::Value {
public:
  using Predicate = mlir::arith::CmpIPredicate;

  /// The right operand of an operator.
  class Operand {
  public:
    template <typename T, typename = std::enable_if_t<
                              std::is_convertible_v<T, mlir::Value>>>
    Operand(T value) : value(value) {}
    Operand(int64_t constant) : constant(constant) {}

    /// The operand as a value of a type.
    mlir::Value as(mlir::ImplicitLocOpBuilder &b, mlir::Type type) const;

  private:
    mlir::Value value;
    int64_t constant = 0;
  };

  Number(mlir::ImplicitLocOpBuilder &b, mlir::Value value)
      : Value(value), builder(&b) {}
  /// A constant: an index, or of another type.
  Number(mlir::ImplicitLocOpBuilder &b, int64_t constant);
  Number(mlir::ImplicitLocOpBuilder &b, int64_t constant, mlir::Type type);
  static Number flag(mlir::ImplicitLocOpBuilder &b, bool constant);

  /// No number is null, and which one it is, only the emitted code knows.
  explicit operator bool() const = delete;

  Number operator+(Operand y) const;
  Number operator-(Operand y) const;
  Number operator*(Operand y) const;
  Number operator/(Operand y) const;
  Number operator%(Operand y) const;
  Number operator<<(Operand y) const;
  Number operator>>(Operand y) const;
  Number operator&(Operand y) const;
  Number operator|(Operand y) const;
  Number operator^(Operand y) const;
  Number operator!() const;

  Number operator==(Operand y) const;
  Number operator!=(Operand y) const;
  Number operator<(Operand y) const;
  Number operator<=(Operand y) const;
  Number operator>(Operand y) const;
  Number operator>=(Operand y) const;
  Number compare(Predicate predicate, Operand y) const;

  /// Returns the number in a type of indices or integers: itself if it has this
  /// type, without its upper bits if the type is narrower, and extended as an
  /// unsigned or a signed number if the type is wider.
  Number as(mlir::Type type) const;
  Number asSigned(mlir::Type type) const;
  Number asIndex() const;

private:
  friend Number min(Number x, Operand y);
  friend Number max(Number x, Operand y);
  friend Number minSigned(Number x, Operand y);
  friend Number maxSigned(Number x, Operand y);
  friend Number ceilDiv(Number x, Operand y);
  friend Number select(Number condition, mlir::Value x, Operand y);

  template <typename OpT>
  Number emit(Operand y) const;
  template <typename IntOpT, typename FloatOpT>
  Number emitFor(Operand y) const;
  Number compare(Predicate integers, mlir::arith::CmpFPredicate floats,
                 Operand y) const;

  mlir::ImplicitLocOpBuilder *builder;
};

Number min(Number x, Number::Operand y);
Number max(Number x, Number::Operand y);
Number minSigned(Number x, Number::Operand y);
Number maxSigned(Number x, Number::Operand y);
/// x / y, rounded up.
Number ceilDiv(Number x, Number::Operand y);
/// condition ? x : y
Number select(Number condition, mlir::Value x, Number::Operand y);

} // namespace nacho

#endif // NACHO_IR_ARITH_H
