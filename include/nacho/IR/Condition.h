//===- Condition.h - An i1 known to be true, or emitted ---------*- C++ -*-===//

#ifndef NACHO_IR_CONDITION_H
#define NACHO_IR_CONDITION_H

#include "nacho/IR/Arith.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// A condition of emitted code: a flag, or `kAlways` where the code has nothing
/// to ask. A condition is never a null value.
class [[nodiscard]] Condition {
public:
  struct Always {};
  constexpr Condition(Always) {}
  /// A flag: a value of type i1, or for lanes a vector of them, or an op with
  /// such a result.
  template <typename FlagT, typename = std::enable_if_t<
                                std::is_convertible_v<FlagT, mlir::Value>>>
  Condition(FlagT flag) : nullable(flag) {
    assert(nullable && "kAlways says that there is no flag");
  }

  bool isAlways() const { return !nullable; }
  mlir::Value flag() const {
    assert(nullable && "there is no flag where a condition always holds");
    return nullable;
  }

private:
  mlir::Value nullable;
};

inline constexpr Condition::Always kAlways;

/// The condition that an op has as an optional operand.
inline Condition fromOperand(mlir::Value operand) {
  return operand ? Condition(operand) : kAlways;
}
/// The optional operand with which an op has this condition.
inline mlir::Value toOperand(Condition condition) {
  return condition.isAlways() ? mlir::Value() : condition.flag();
}

/// Whether both conditions hold.
Condition emitBoth(mlir::ImplicitLocOpBuilder &b, Condition x, Condition y);

/// Whether one of the conditions holds.
Condition emitEither(mlir::ImplicitLocOpBuilder &b, Condition x, Condition y);

/// The condition as a flag.
mlir::Value emitFlag(mlir::ImplicitLocOpBuilder &b, Condition condition);

/// condition ? x : y
mlir::Value emitSelect(mlir::ImplicitLocOpBuilder &b, Condition condition,
                       mlir::Value x, Number::Operand y);

} // namespace nacho

#endif // NACHO_IR_CONDITION_H
