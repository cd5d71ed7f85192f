//===- StatementEditor.cpp - Moves parts of a statement to others ---------===//

#include "StatementEditor.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

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
  setEquations(made, equationsFor(inputs, access));
  return made;
}

SmallVector<Attribute>
StatementEditor::equationsFor(ArrayRef<unsigned> inputs,
                              ArrayRef<Attribute> access) {
  llvm::SmallDenseSet<Attribute> needed(access.begin(), access.end());
  for (unsigned n : inputs)
    needed.insert_range(op.getAccess(n));
  SmallVector<Attribute> equations;
  for (Attribute attr : llvm::reverse(op.getEquations())) {
    auto equation = cast<DerivedIndexAttr>(attr);
    if (!needed.contains(equation.getIndex()))
      continue;
    needed.insert_range(equation.getSources());
    equations.push_back(equation);
  }
  std::reverse(equations.begin(), equations.end());
  return equations;
}

void StatementEditor::setEquations(AssignOp made,
                                   ArrayRef<Attribute> equations) {
  if (equations.empty())
    return;
  made.setWhereAttr(b.getArrayAttr(equations));
  llvm::SetVector<Attribute> indices(made.getResultAccess().begin(),
                                     made.getResultAccess().end());
  for (Attribute equation : equations)
    indices.insert_range(cast<DerivedIndexAttr>(equation).getSources());
  for (Attribute index : indices) {
    auto hasIndex = [&](Attribute access) {
      return llvm::is_contained(cast<ArrayAttr>(access), index);
    };
    if (made.isPart(index) || llvm::any_of(made.getAccesses(), hasIndex))
      continue;
    const auto *found = llvm::find_if(op.getAccesses(), hasIndex);
    bool isInput = found != op.getAccesses().end();
    StatementEditor(made, b).bind(
        isInput ? op.getInputs()[found - op.getAccesses().begin()]
                : op.getInit(),
        cast<ArrayAttr>(isInput ? *found : op.getResultAccess()).getValue());
  }
}

MonoidAttr nacho::monoidOf(const Term &term) {
  if (auto reduce = term.use->get().getDefiningOp<ReduceOp>())
    return reduce.getMonoid();
  return MonoidAttr::get(term.value.getContext(), BinaryKind::add);
}

void StatementEditor::replace(const Term &term, Value value,
                              ArrayRef<Attribute> reduced) {
  if (!reduced.empty()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(term.use->getOwner());
    value = ReduceOp::create(b, monoidOf(term), value, b.getArrayAttr(reduced));
  }
  term.use->set(value);
}

void StatementEditor::compute(const Term &term, IRMapping &from) {
  SmallVector<Operation *> slice = sliceOf(term.value);
  OpBuilder::InsertionGuard guard(b);
  if (!slice.empty())
    b.setInsertionPointAfter(slice.back());
  for (Operation *nested : slice)
    b.clone(*nested, from);
  replace(term, from.lookup(term.value), term.reduced);
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
  ArrayAttr indices = b.getArrayAttr(access);
  for (auto [n, input] : llvm::enumerate(op.getInputs()))
    if (input == tensor && op.getAccesses()[n] == indices)
      return op.getBodyBlock()->getArgument(n);
  SmallVector<Attribute> accesses(op.getAccesses().getValue());
  accesses.push_back(indices);
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
  if (!op.getEquations().empty())
    return;
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
