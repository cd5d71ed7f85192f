//===- WhileLoop.cpp - While loops in emitted code ------------------------===//

#include "nacho/IR/WhileLoop.h"
#include "nacho/IR/Condition.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

Values nacho::emitWhile(ImplicitLocOpBuilder &b, ValueRange inits,
                        llvm::function_ref<Value(ValueRange)> condition,
                        llvm::function_ref<Values(ValueRange)> step) {
  SmallVector<Type> types(inits.getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto loop = scf::WhileOp::create(b, types, inits);
  OpBuilder::InsertionGuard guard(b);
  ValueRange before =
      b.createBlock(&loop.getBefore(), {}, types, locs)->getArguments();
  scf::ConditionOp::create(b, condition(before), before);
  ValueRange after =
      b.createBlock(&loop.getAfter(), {}, types, locs)->getArguments();
  scf::YieldOp::create(b, step(after));
  return Values(loop.getResults());
}

Values nacho::emitWhileBelow(ImplicitLocOpBuilder &b, ValueRange inits,
                             ValueRange ends,
                             llvm::function_ref<Values(ValueRange)> step) {
  auto areBelow = [&](ValueRange values) {
    Condition all = kAlways;
    for (auto [value, end] : llvm::zip(values, ends))
      all = emitBoth(b, all, Number(b, value) < end);
    return emitFlag(b, all);
  };
  return emitWhile(b, inits, areBelow, step);
}

Number nacho::emitBisection(ImplicitLocOpBuilder &b, Value low, Value high,
                            llvm::function_ref<Number(Number)> isBefore) {
  Number one(b, 1);
  auto isOpen = [&](ValueRange range) -> Value {
    return Number(b, range[0]) < range[1];
  };
  Values found = emitWhile(b, {low, high}, isOpen, [&](ValueRange range) {
    Number begin(b, range[0]), end(b, range[1]);
    Value half = (end - begin) >> one;
    Number middle = begin + half;
    Number isLess = isBefore(middle);
    Value after = middle + one;
    Value from = select(isLess, after, begin);
    Value to = select(isLess, end, middle);
    return Values{from, to};
  });
  return Number(b, found.front());
}
