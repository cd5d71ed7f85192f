//===- SeparateReductions.cpp - Reductions inside of expressions ----------===//
//
// Consumes `nacho.assign`; leaves assignments that yield a sum whose terms are
// reductions or unreduced values. Other reductions become assignments of their
// own:
//
//   y[i] = sqrt(sum_j A[i, j] * A[i, j])
//     ->  T[i] = sum_j A[i, j] * A[i, j];  y[i] = sqrt(T[i])
//
//===----------------------------------------------------------------------===//

#include "StatementEditor.h"
#include "nacho/Analysis/ContractionOrder.h"
#include "nacho/Transforms/Passes.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSEPARATEREDUCTIONS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// Separates the reductions of one assignment.
class ReductionSeparator : StatementEditor {
public:
  ReductionSeparator(AssignOp op, OpBuilder &builder)
      : StatementEditor(op, builder) {}

  void run();

private:
  void findInner(Value root);
  void separate(ReduceOp reduce);

  /// The reductions that other values than a sum of terms are computed from.
  DenseSet<Operation *> inner;
};
} // namespace

/// Follows additions from the assigned value down to the terms. A reduction
/// that is no sum can only be the whole value.
void ReductionSeparator::findInner(Value root) {
  SmallVector<Value> pending = {root}, values;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    auto reduce = dyn_cast_or_null<ReduceOp>(op);
    auto unary = dyn_cast_or_null<UnaryOp>(op);
    auto binary = dyn_cast_or_null<BinaryOp>(op);
    if (reduce && (value == root || reduce.getMonoid().isSum()))
      values.push_back(reduce.getValue());
    else if (isa_and_nonnull<CastOp>(op) ||
             (unary && unary.getKind() == UnaryKind::neg) ||
             (binary && (binary.getKind() == BinaryKind::add ||
                         binary.getKind() == BinaryKind::sub)))
      llvm::append_range(pending, op->getOperands());
    else
      values.push_back(value);
  }
  for (Value value : values)
    for (Operation *op : sliceOf(value))
      if (isa<ReduceOp>(op))
        inner.insert(op);
}

/// Reductions inside of others come first, as in the body: no statement gets
/// one inside of another.
void ReductionSeparator::run() {
  findInner(op.getBodyBlock()->getTerminator()->getOperand(0));
  if (inner.empty())
    return;
  for (auto reduce :
       llvm::make_early_inc_range(op.getBodyBlock()->getOps<ReduceOp>()))
    if (inner.contains(reduce))
      separate(reduce);
  dropUnused();
  dropLoops();
}

void ReductionSeparator::separate(ReduceOp reduce) {
  InnerSum sum = wholeSum(op, reduce);
  SmallVector<unsigned> inputs = inputsOf(reduce.getValue());
  b.setInsertionPoint(op);
  AssignOp made = makeStatement(
      CollectKind::inOrder, sum.type, reduce.getValue(), inputs, sum.access,
      loopsOver(inputs), sum.summed, reduce.getMonoid());
  if (!sum.sizes.empty())
    made.setSizesAttr(b.getDenseI64ArrayAttr(sum.sizes));
  made.setContractAttr(op.getContractAttr());
  setName(made.getResult(), "T");
  reduce.replaceAllUsesWith(bind(made.getResult(), sum.access));
  reduce.erase();
}

namespace {
struct SeparateReductions
    : nacho::impl::NachoSeparateReductionsBase<SeparateReductions> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<AssignOp> ops;
    getOperation().walk([&](AssignOp op) { ops.push_back(op); });
    for (AssignOp op : ops)
      ReductionSeparator(op, builder).run();
  }
};
} // namespace
