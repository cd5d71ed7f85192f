//===- Condition.cpp - An i1 known to be true, or emitted -----------------===//

#include "nacho/IR/Condition.h"

using namespace mlir;
using namespace nacho;

Condition nacho::emitBoth(ImplicitLocOpBuilder &b, Condition x, Condition y) {
  if (x.isAlways())
    return y;
  if (y.isAlways())
    return x;
  return Number(b, x.flag()) & y.flag();
}

Condition nacho::emitEither(ImplicitLocOpBuilder &b, Condition x, Condition y) {
  if (x.isAlways() || y.isAlways())
    return kAlways;
  return Number(b, x.flag()) | y.flag();
}

Value nacho::emitFlag(ImplicitLocOpBuilder &b, Condition condition) {
  if (condition.isAlways())
    return Number::flag(b, true);
  return condition.flag();
}

Value nacho::emitSelect(ImplicitLocOpBuilder &b, Condition condition, Value x,
                        Number::Operand y) {
  Value otherwise = y.as(b, x.getType());
  if (condition.isAlways())
    return x;
  return select(Number(b, condition.flag()), x, otherwise);
}
