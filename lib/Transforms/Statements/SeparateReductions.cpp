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
  AssignOp firstLike(AssignOp made);

  /// The reductions that other values than a sum of terms are computed from.
  DenseSet<Operation *> inner;
  SmallVector<AssignOp> separated; ///< The statements made; no two are alike.
};
} // namespace

/// Maps the names of indices of one statement to those of the other that stand
/// in their places; fails if that does not rename the statement.
static FailureOr<DenseMap<Attribute, Attribute>> renaming(AssignOp from,
                                                          AssignOp to) {
  DenseMap<Attribute, Attribute> names, sources;
  auto rename = [&](ArrayAttr one, ArrayAttr other) {
    return one.size() == other.size() &&
           llvm::all_of_zip(one, other, [&](Attribute name, Attribute target) {
             return names.try_emplace(name, target).first->second == target &&
                    sources.try_emplace(target, name).first->second == name;
           });
  };
  if (from.getAccesses().size() != to.getAccesses().size() ||
      !rename(from.getResultAccess(), to.getResultAccess()))
    return failure();
  for (auto [one, other] : llvm::zip(from.getAccesses(), to.getAccesses()))
    if (!rename(cast<ArrayAttr>(one), cast<ArrayAttr>(other)))
      return failure();
  return names;
}

/// Whether two statements are the same but for the names of their indices.
static bool areAlike(AssignOp one, AssignOp other) {
  auto names = renaming(one, other);
  if (failed(names))
    return false;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](StringAttr name) -> Attribute {
    auto found = names->find(name);
    return found == names->end() ? name : found->second;
  });
  OwningOpRef<AssignOp> renamed = one.clone();
  replacer.recursivelyReplaceElementsIn(*renamed);
  return OperationEquivalence::isEquivalentTo(
      *renamed, other, OperationEquivalence::IgnoreLocations);
}

/// The value of which another one is a cast.
static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getArg();
  return value;
}

/// Follows additions from the assigned value down to the terms. A reduction
/// that is no sum can only be the whole value, or what that is a cast of.
void ReductionSeparator::findInner(Value root) {
  SmallVector<Value> pending = {root}, values;
  Value whole = withoutCasts(root);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    auto reduce = dyn_cast_or_null<ReduceOp>(op);
    auto unary = dyn_cast_or_null<UnaryOp>(op);
    auto binary = dyn_cast_or_null<BinaryOp>(op);
    if (reduce && (value == whole || reduce.getMonoid().isSum()))
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
  AssignOp first = firstLike(made);
  reduce.replaceAllUsesWith(bind(first.getResult(), sum.access));
  reduce.erase();
  if (first != made)
    made.erase();
}

/// The first of the separated statements that computes the same; the new one
/// if there is none.
AssignOp ReductionSeparator::firstLike(AssignOp made) {
  for (AssignOp known : separated)
    if (areAlike(made, known))
      return known;
  separated.push_back(made);
  return made;
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
