//===- LinalgSemirings.cpp - Operators with regions per storage pattern ---===//
//
// The ops of the sparse_tensor dialect on elements have a region for each case
// of which operands are stored. Where the region is empty, or the condition of
// `sparse_tensor.select` does not hold, the result has no entry. So the value
// of a body is translated together with the condition that it is stored, from
// which the merge lattice derives the loops:
//
// clang-format off
//   %u = unary %a present={P} absent={Q}
//     value   select(stored a, P(a), Q())       stored  everywhere
//   without Q: P(a), where a is stored; without P: Q(), where a is not stored
//
//   %u = binary %a, %b overlap={O} left={L} right={R}
//     value   select(stored a and stored b, O(a, b), select(stored a, L(a), R(b)))
//     stored  a or b
//   without R: a; without O: exactly one of a, b; and so on
//
//   %u = select %a {C}
//     value   a                                 stored  stored a and C(a)
// clang-format on
//
//===----------------------------------------------------------------------===//

#include "LinalgSemirings.h"

#include "LinalgBody.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Errors.h"
#include "nacho/IR/Operators.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static Value both(ImplicitLocOpBuilder &b, Value x, Value y) {
  return BinaryOp::create(b, BinaryKind::andbits, x, y);
}

static Value either(ImplicitLocOpBuilder &b, Value x, Value y) {
  return BinaryOp::create(b, BinaryKind::orbits, x, y);
}

static Value invert(ImplicitLocOpBuilder &b, Value x) {
  return UnaryOp::create(b, UnaryKind::notbits, x);
}

static Number constantFlag(ImplicitLocOpBuilder &b, bool value) {
  return Number::flag(b, value);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Makes numbers from outside of the body elements.
LogicalResult SemiringTranslator::bindOperands(Operation &op) {
  for (Value operand : op.getOperands()) {
    if (mapping.contains(operand))
      continue;
    Value bound = bindNumber(operand);
    if (!bound)
      return unsupported(
          op.emitOpError("takes a value from outside: not supported"));
    mapping.map(operand, bound);
  }
  return success();
}

/// A value of the body. Where it is not stored, its value is 0.
Value SemiringTranslator::elementOf(Value value) {
  Value element = mapping.lookupOrNull(value);
  auto condition = conditions.find(value);
  if (!element || condition == conditions.end())
    return element;
  return SelectOp::create(b, condition->second, element,
                          zeroElement(b, element.getType()));
}

/// The condition under which a value of the body is stored.
Value SemiringTranslator::whereStored(Value value) {
  auto condition = conditions.find(value);
  if (condition != conditions.end())
    return condition->second;
  Value element = mapping.lookup(value);
  if (element.getDefiningOp<arith::ConstantOp>())
    return constantFlag(b, true);
  return StoredOp::create(b, b.getI1Type(), element);
}

void SemiringTranslator::define(Value result, Value value, Value isStored) {
  mapping.map(result, value);
  conditions[result] = isStored;
}

void SemiringTranslator::keep(Value value) {
  auto condition = conditions.find(value);
  if (condition != conditions.end())
    mapping.map(value,
                KeepOp::create(b, mapping.lookup(value), condition->second));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

bool SemiringTranslator::takes(Operation &op) const {
  return isa<sparse_tensor::UnaryOp, sparse_tensor::BinaryOp,
             sparse_tensor::SelectOp>(op) ||
         llvm::any_of(op.getOperands(), [&](Value operand) {
           return conditions.contains(operand);
         });
}

LogicalResult SemiringTranslator::translate(Operation &op) {
  if (failed(bindOperands(op)))
    return failure();
  if (auto unary = dyn_cast<sparse_tensor::UnaryOp>(op))
    return translateUnary(unary);
  if (auto binary = dyn_cast<sparse_tensor::BinaryOp>(op))
    return translateBinary(binary);
  if (auto select = dyn_cast<sparse_tensor::SelectOp>(op))
    return translateSelect(select);
  return translateOther(op);
}

/// Translates the ops of a region for these arguments; returns what it yields.
FailureOr<Value> SemiringTranslator::inlineRegion(Region &region,
                                                  ValueRange args) {
  Block &block = region.front();
  mapping.map(block.getArguments(), args);
  for (Operation &nested : block) {
    if (failed(bindOperands(nested)))
      return failure();
    if (&nested == block.getTerminator())
      break;
    Value value = translateElementOp(b, nested, mapping);
    if (!value)
      return unsupported(
          nested.emitOpError("in a region of the body: not supported"));
    mapping.map(nested.getResult(0), value);
  }
  return mapping.lookup(block.getTerminator()->getOperand(0));
}

LogicalResult SemiringTranslator::translateUnary(sparse_tensor::UnaryOp op) {
  Value x = op.getX(), isStored = whereStored(x), value, absent;
  if (!op.getPresentRegion().empty()) {
    FailureOr<Value> yielded =
        inlineRegion(op.getPresentRegion(), mapping.lookup(x));
    if (failed(yielded))
      return failure();
    value = *yielded;
  }
  if (!op.getAbsentRegion().empty()) {
    FailureOr<Value> yielded = inlineRegion(op.getAbsentRegion(), {});
    if (failed(yielded))
      return failure();
    absent = *yielded;
  }
  Value result = op.getOutput();
  if (value && absent) {
    value = SelectOp::create(b, isStored, value, absent);
    isStored = constantFlag(b, true);
  } else if (absent) {
    value = absent;
    isStored = invert(b, isStored);
  } else if (!value) {
    value = zeroElement(b, result.getType());
    isStored = both(b, isStored, constantFlag(b, false));
  }
  define(result, value, isStored);
  return success();
}

namespace {
/// The values of a binary op where both operands are stored, or only one of
/// them; null if there is no result in that case.
struct Cases {
  Value overlap, left, right;

  Value whereAny(ImplicitLocOpBuilder &b, Value isLeft, Value isRight) const;
  Value choose(ImplicitLocOpBuilder &b, Value isLeft, Value isRight) const;
};
} // namespace

/// The condition under which there is a result.
Value Cases::whereAny(ImplicitLocOpBuilder &b, Value isLeft,
                      Value isRight) const {
  if (overlap && left && right)
    return either(b, isLeft, isRight);
  if (overlap && (left || right))
    return left ? isLeft : isRight;
  if (overlap)
    return both(b, isLeft, isRight);
  if (left && right)
    return BinaryOp::create(b, BinaryKind::xorbits, isLeft, isRight);
  if (left)
    return both(b, isLeft, invert(b, isRight));
  return both(b, isRight, right ? invert(b, isLeft) : constantFlag(b, false));
}

/// The result, where there is one; null if there never is.
Value Cases::choose(ImplicitLocOpBuilder &b, Value isLeft,
                    Value isRight) const {
  if (left && right) {
    Value one = SelectOp::create(b, isLeft, left, right);
    return overlap ? SelectOp::create(b, both(b, isLeft, isRight), overlap, one)
                   : one;
  }
  if (left)
    return overlap ? SelectOp::create(b, isRight, overlap, left) : left;
  if (right)
    return overlap ? SelectOp::create(b, isLeft, overlap, right) : right;
  return overlap;
}

LogicalResult SemiringTranslator::translateBinary(sparse_tensor::BinaryOp op) {
  Value x = mapping.lookup(op.getX()), y = mapping.lookup(op.getY());
  Value isLeft = whereStored(op.getX()), isRight = whereStored(op.getY());
  Cases cases;
  cases.left = op.getLeftIdentity() ? x : Value();
  cases.right = op.getRightIdentity() ? y : Value();
  auto inlineCase = [&](Region &region, ValueRange args, Value &value) {
    if (region.empty())
      return success();
    FailureOr<Value> yielded = inlineRegion(region, args);
    value = yielded.value_or(Value());
    return LogicalResult(yielded);
  };
  if (failed(inlineCase(op.getOverlapRegion(), {x, y}, cases.overlap)) ||
      failed(inlineCase(op.getLeftRegion(), x, cases.left)) ||
      failed(inlineCase(op.getRightRegion(), y, cases.right)))
    return failure();
  Value isStored = cases.whereAny(b, isLeft, isRight);
  Value value = cases.choose(b, isLeft, isRight);
  if (!value)
    value = zeroElement(b, op.getOutput().getType());
  define(op.getOutput(), value, isStored);
  return success();
}

LogicalResult SemiringTranslator::translateSelect(sparse_tensor::SelectOp op) {
  Value x = mapping.lookup(op.getX()), isStored = whereStored(op.getX());
  FailureOr<Value> isKept = inlineRegion(op.getRegion(), x);
  if (failed(isKept))
    return failure();
  define(op.getOutput(), x, both(b, isStored, *isKept));
  return success();
}

/// An operator of the notation on elements that may not be stored: products are
/// stored where all factors are, and anything else where any operand is.
LogicalResult SemiringTranslator::translateOther(Operation &op) {
  IRMapping elements;
  SmallVector<Value> stored;
  for (Value operand : op.getOperands()) {
    elements.map(operand, elementOf(operand));
    if (!mapping.lookup(operand).getDefiningOp<arith::ConstantOp>() ||
        conditions.contains(operand))
      stored.push_back(whereStored(operand));
  }
  Value value = translateElementOp(b, op, elements);
  if (!value)
    return unsupported(op.emitOpError("in the body: not supported"));
  auto binary = value.getDefiningOp<BinaryOp>();
  bool isProduct = binary && nacho::operatorOf(binary.getKind()).annihilator ==
                                 Annihilator::either;
  Value isStored = stored.front();
  for (Value other : ArrayRef(stored).drop_front())
    isStored =
        isProduct ? both(b, isStored, other) : either(b, isStored, other);
  define(op.getResult(0), value, isStored);
  return success();
}
