//===- Condition.cpp - An i1 known to be true, or emitted -----------------===//

#include "nacho/IR/Condition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace nacho;

Condition nacho::emitBoth(ImplicitLocOpBuilder &b, Condition x, Condition y) {
  if (x.isAlways())
    return y;
  if (y.isAlways())
    return x;
  return arith::AndIOp::create(b, x.flag(), y.flag());
}

Condition nacho::emitEither(ImplicitLocOpBuilder &b, Condition x, Condition y) {
  if (x.isAlways() || y.isAlways())
    return kAlways;
  return arith::OrIOp::create(b, x.flag(), y.flag());
}

Value nacho::emitFlag(ImplicitLocOpBuilder &b, Condition condition) {
  if (condition.isAlways())
    return arith::ConstantIntOp::create(b, 1, 1);
  return condition.flag();
}

Value nacho::emitSelect(ImplicitLocOpBuilder &b, Condition condition, Value x,
                        Value y) {
  if (condition.isAlways())
    return x;
  return arith::SelectOp::create(b, condition.flag(), x, y);
}
