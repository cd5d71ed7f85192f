//===- LinalgOutput.cpp - Outputs of linalg ops ---------------------------===//
//
// The output of a linalg op is an operand, too. Most ops add to it, or reduce
// to it by another operator; others overwrite it, or compute with it in place.
//
//===----------------------------------------------------------------------===//

#include "LinalgOutput.h"

#include "nacho/IR/Operators.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Content before the op
//===----------------------------------------------------------------------===//

bool OutputStart::isZero() const {
  return !tensor && !number &&
         (!constant || matchPattern(constant, m_AnyZeroFloat()) ||
          matchPattern(constant, m_Zero()));
}

/// Whether a number is a complex zero.
static bool isComplexZero(Value number) {
  auto constant = number.getDefiningOp<complex::ConstantOp>();
  return constant && llvm::all_of(constant.getValue(), [](Attribute part) {
           return cast<FloatAttr>(part).getValue().isZero();
         });
}

/// The content of a tensor whose elements all are the same number.
static OutputStart startAt(Value number) {
  TypedAttr constant;
  if (isComplexZero(number))
    return {};
  if (matchPattern(number, m_Constant(&constant)))
    return {{}, {}, constant};
  return {{}, number, {}};
}

/// The content of a constant tensor.
static OutputStart startAt(Value tensor, DenseElementsAttr elements) {
  if (!elements.isSplat())
    return {tensor, {}, {}};
  if (!isa<ComplexType>(elements.getElementType()))
    return {{}, {}, elements.getSplatValue<TypedAttr>()};
  auto number = elements.getSplatValue<std::complex<APFloat>>();
  bool isZero = number.real().isZero() && number.imag().isZero();
  return {isZero ? Value() : tensor, {}, {}};
}

OutputStart nacho::startOf(Value output) {
  Operation *made = output.getDefiningOp();
  if (auto alloc = dyn_cast_or_null<bufferization::AllocTensorOp>(made);
      alloc && alloc.getCopy())
    return startOf(alloc.getCopy());
  if (isa_and_nonnull<tensor::EmptyOp, bufferization::AllocTensorOp>(made))
    return {};
  if (auto fill = dyn_cast_or_null<linalg::FillOp>(made))
    return startAt(fill.getInputs().front());
  DenseElementsAttr elements;
  if (matchPattern(output, m_Constant(&elements)))
    return startAt(output, elements);
  return {output, {}, {}};
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// Whether an op subtracts its second operand from its first one.
static bool subtracts(Operation *op) {
  std::optional<ElementOperator> found = binaryOperatorOf(*op);
  return found && found->kind == BinaryKind::sub;
}

/// The operator by which an op reduces if it reads an accumulator by `use`.
static std::optional<ElementOperator> reducerOf(OpOperand &use) {
  std::optional<ElementOperator> found = binaryOperatorOf(*use.getOwner());
  if (!found)
    return {};
  if (found->kind == BinaryKind::sub) {
    found->kind = BinaryKind::add;
    return use.getOperandNumber() == 0 ? found : std::nullopt;
  }
  if (operatorOf(found->kind).identity == Identity::none)
    return {};
  return found;
}

std::optional<OutputUpdate> OutputUpdate::find(Block &body) {
  OutputUpdate update;
  Value value = body.getArguments().back();
  Operation *yield = body.getTerminator();
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    if (use.getOwner() == yield)
      return update.chain.empty() ? std::nullopt : std::optional(update);
    std::optional<ElementOperator> by = reducerOf(use);
    if (!by || (!update.chain.empty() &&
                (by->kind != update.by.kind || by->type != update.by.type)))
      return {};
    update.by = *by;
    update.chain.push_back(&use);
    value = use.getOwner()->getResult(0);
  }
  return {};
}

bool OutputUpdate::contains(Operation *op) const {
  return llvm::any_of(chain,
                      [&](OpOperand *use) { return use->getOwner() == op; });
}

Value OutputUpdate::term(ImplicitLocOpBuilder &b,
                         const IRMapping &mapping) const {
  Value all;
  for (OpOperand *use : chain) {
    Operation *op = use->getOwner();
    Value other = op->getOperand(1 - use->getOperandNumber());
    Value value = castElement(b, mapping.lookup(other), by.type);
    bool isNegated = subtracts(op);
    if (!all)
      all =
          isNegated ? Value(UnaryOp::create(b, UnaryKind::neg, value)) : value;
    else if (isNegated)
      all = BinaryOp::create(b, BinaryKind::sub, all, value);
    else
      all = BinaryOp::createCommutative(b, by.kind, all, value);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Makers of operands
//===----------------------------------------------------------------------===//

static bool isUnused(Operation *op) {
  return isOpTriviallyDead(op) ||
         (isa<bufferization::AllocTensorOp>(op) && op->use_empty());
}

llvm::SetVector<Operation *> nacho::makersOfOperands(linalg::GenericOp op) {
  llvm::SetVector<Operation *> makers;
  op->walk([&](Operation *reader) {
    for (Value operand : reader->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && !op->isAncestor(maker))
        makers.insert(maker);
  });
  return makers;
}

void nacho::eraseUnused(llvm::SetVector<Operation *> ops) {
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!isUnused(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *made = operand.getDefiningOp())
        ops.insert(made);
    op->erase();
  }
}
