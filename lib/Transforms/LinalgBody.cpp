//===- LinalgBody.cpp - Ops on elements to operators of the notation ------===//
//
// The bodies of linalg ops have ops of arith and math. The table of operators
// says which operator of the notation each of them is.
//
//===----------------------------------------------------------------------===//

#include "LinalgBody.h"

#include "nacho/IR/Operators.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacho;

/// The operator for an op of arith or math; null if there is none. In the
/// notation, signless integers are signed.
template <typename Record>
static const Record *operatorOf(Operation &op, ArrayRef<Record> table) {
  StringRef name = op.getName().getStringRef();
  return findOperator(table, [&](const Record &record) {
    return record.floatOp == name || record.signedOp == name;
  });
}

static const Comparison *comparisonOf(arith::CmpFOp op) {
  return findOperator(comparisons(), [&](const Comparison &comparison) {
    return comparison.floatPredicate == op.getPredicate();
  });
}

static const Comparison *comparisonOf(arith::CmpIOp op) {
  return findOperator(comparisons(), [&](const Comparison &comparison) {
    return comparison.signedPredicate == op.getPredicate();
  });
}

Value nacho::translateElementOp(ImplicitLocOpBuilder &b, Operation &nested,
                                const IRMapping &mapping) {
  // Sums, negation and comparisons of booleans mean something else in arith
  // than in the notation.
  bool isOfBooleans = llvm::any_of(nested.getOperandTypes(),
                                   [](Type type) { return type.isInteger(1); });
  if (isOfBooleans && !isa<arith::SelectOp>(nested))
    return {};
  SmallVector<Value> args;
  for (Value operand : nested.getOperands())
    args.push_back(mapping.lookupOrNull(operand));
  if (llvm::is_contained(args, Value()))
    return {};
  if (auto *binary = operatorOf(nested, binaryOperators()))
    return BinaryOp::createCommutative(b, binary->kind, args[0], args[1]);
  if (auto *unary = operatorOf(nested, unaryOperators()))
    return UnaryOp::create(b, unary->kind, args[0]);
  return llvm::TypeSwitch<Operation *, Value>(&nested)
      .Case<arith::CmpFOp, arith::CmpIOp>([&](auto op) -> Value {
        const Comparison *comparison = comparisonOf(op);
        if (!comparison)
          return {};
        return CompareOp::create(b, comparison->kind, args[0], args[1]);
      })
      .Case([&](arith::SelectOp) -> Value {
        return SelectOp::create(b, args[0], args[1], args[2]);
      })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::SIToFPOp>(
          [&](Operation *cast) -> Value {
            return CastOp::create(b, cast->getResult(0).getType(), args[0]);
          })
      .Case([&](arith::ConstantOp constant) -> Value {
        return b.clone(*constant)->getResult(0);
      })
      .Default([](Operation *) { return Value(); });
}
