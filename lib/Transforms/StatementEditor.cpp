//===- StatementEditor.cpp - Moves parts of a statement to others ---------===//

#include "StatementEditor.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace nacho;

AssignOp StatementEditor::makeStatement(CollectKind kind, RankedTensorType type,
                                        Value value, ArrayRef<unsigned> inputs,
                                        ArrayRef<Attribute> access,
                                        ArrayRef<Attribute> loops,
                                        ArrayRef<Attribute> reduced,
                                        MonoidAttr reduction) {
  SmallVector<Value> tensors;
  SmallVector<Attribute> accesses;
  for (unsigned n : inputs) {
    tensors.push_back(op.getInputs()[n]);
    accesses.push_back(op.getAccesses()[n]);
  }
  ArrayAttr order;
  if (!loops.empty())
    order = b.getArrayAttr(loops);
  auto made =
      AssignOp::create(b, type, tensors, Value(), b.getArrayAttr(accesses),
                       b.getArrayAttr(access), order, kind);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&made.getBody());
  IRMapping mapping;
  for (unsigned n : inputs) {
    BlockArgument arg = op.getBodyBlock()->getArgument(n);
    mapping.map(arg, body->addArgument(arg.getType(), arg.getLoc()));
  }
  for (Operation *nested : sliceOf(value))
    b.clone(*nested, mapping);
  Value result = mapping.lookup(value);
  if (!reduction)
    reduction = MonoidAttr::get(b.getContext(), BinaryKind::add);
  if (!reduced.empty())
    result = ReduceOp::create(b, reduction, result, b.getArrayAttr(reduced));
  YieldOp::create(b, result);
  return made;
}

IndexNames StatementEditor::loopsOver(ArrayRef<unsigned> inputs) {
  IndexNames loops;
  if (!op.getOrder())
    return loops;
  for (Attribute index : op.getOrder()->getValue())
    if (llvm::any_of(inputs, [&](unsigned n) {
          return llvm::is_contained(op.getAccess(n), index);
        }))
      loops.push_back(index);
  return loops;
}

void StatementEditor::dropLoops() {
  if (op.getOrder())
    op.setOrderAttr(b.getArrayAttr(loopsOver(
        llvm::to_vector(llvm::seq<unsigned>(op.getInputs().size())))));
}

BlockArgument StatementEditor::bind(Value tensor, ArrayRef<Attribute> access) {
  SmallVector<Attribute> accesses(op.getAccesses().getValue());
  accesses.push_back(b.getArrayAttr(access));
  op.setAccessesAttr(b.getArrayAttr(accesses));
  op.getInputsMutable().append(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  return op.getBodyBlock()->addArgument(type.getElementType(), op.getLoc());
}

/// Whether an operand is needed: for its elements, or for the extent of an
/// index of the result that no other operand has.
static bool isNeeded(AssignOp op, unsigned input) {
  if (!op.getBodyBlock()->getArgument(input).use_empty())
    return true;
  return llvm::any_of(op.getAccess(input), [&](Attribute index) {
    if (!llvm::is_contained(op.getResultAccess(), index))
      return false;
    for (unsigned n = 0; n < op.getInputs().size(); ++n)
      if (n != input && llvm::is_contained(op.getAccess(n), index))
        return false;
    return true;
  });
}

void StatementEditor::dropUnused() {
  Block *body = op.getBodyBlock();
  for (Operation &nested : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&nested))
      nested.erase();
  SmallVector<Attribute> accesses(op.getAccesses().getValue());
  for (unsigned n = accesses.size(); n-- > 0;) {
    if (isNeeded(op, n))
      continue;
    body->eraseArgument(n);
    op.getInputsMutable().erase(n);
    accesses.erase(accesses.begin() + n);
    op.setAccessesAttr(b.getArrayAttr(accesses));
  }
}
