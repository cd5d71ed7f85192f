//===- FactorSums.cpp - Factors moved out of sums -------------------------===//
//
// Consumes `nacho.assign`; leaves assignments in which sums of some factors of
// a product are computed by assignments of their own:
//
//   sum_jk A[i, j] * B[j, k] * x[k]  ->  T[j] = sum_k B[j, k] * x[k];
//                                        sum_j A[i, j] * T[j]
//
// ContractionOrder says which sums these are, and why the entries stay the
// same. Where T is dense although some rows of B have no entry, a statement of
// its own finds the others, and the product counts only there:
//
//   has[j] = or_k B[j, k] is stored;
//   sum_j has[j] ? A[i, j] * T[j] : 0
//
//===----------------------------------------------------------------------===//

#include "StatementEditor.h"
#include "nacho/Analysis/Algebra.h"
#include "nacho/Analysis/ContractionOrder.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Collect.h"
#include "nacho/IR/Operators.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOFACTORSUMS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// Factors the sums of one assignment.
class SumFactorer : StatementEditor {
public:
  SumFactorer(AssignOp op, OpBuilder &builder) : StatementEditor(op, builder) {}

  void run();

private:
  void factor(ReduceOp sum);
  void replace(ReduceOp sum, Value product, ArrayRef<Attribute> indices);
  Value multiply(ArrayRef<Value> factors, bool isStored);
  Value multiply(ArrayRef<Value> factors);
  AssignOp compute(const InnerSum &sum, Value product);
  AssignOp findRows(const InnerSum &sum, ArrayRef<Value> group);
  void printFactor(raw_ostream &os, Value factor, ArrayRef<AssignOp> made);
  std::string describe(const InnerSum &sum, ArrayRef<Value> group,
                       ArrayRef<AssignOp> made);

  /// For each dense inner sum that has flags, the flag of its row.
  DenseMap<Value, Value> flags;
};
} // namespace

void SumFactorer::run() {
  // A caller who only orders the loops means those of the whole product.
  bool isWhole =
      op.getContract() ? op.getContract()->empty() : op.getOrder().has_value();
  // Factors of a product with computed indices are not known to be cheaper.
  isWhole |= !op.getEquations().empty();
  if (!isWhole && collectTraitsOf(op).appendsInOrder())
    for (auto sum :
         llvm::make_early_inc_range(op.getBodyBlock()->getOps<ReduceOp>()))
      if (sum.getMonoid().isSum())
        factor(sum);
  op.removeContractAttr();
}

/// ; flags tell which j of T0 have entries
static std::string describeFlags(const ContractionOrder &order) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [n, sum] : llvm::enumerate(order.sums))
    if (sum.flagged)
      os << "; flags tell which " << cast<StringAttr>(sum.flagged).getValue()
         << " of T" << n << " have entries";
  return text;
}

void SumFactorer::factor(ReduceOp sum) {
  ContractionOrder order =
      op.getContract()
          ? ContractionOrder::follow(op, sum, op.getContract()->getValue())
          : ContractionOrder::choose(op, sum);
  if (order.sums.empty())
    return;
  SmallVector<Value> factors = order.factors;
  SmallVector<AssignOp> made;
  llvm::SmallDenseSet<unsigned> used;
  std::string text;
  b.setInsertionPoint(sum);
  for (const InnerSum &inner : order.sums) {
    SmallVector<Value> group;
    for (unsigned n : inner.factors)
      group.push_back(factors[n]);
    used.insert_range(inner.factors);
    text += describe(inner, group, made);
    Value product = multiply(group, !isDense(inner.type));
    made.push_back(compute(inner, product));
    factors.push_back(bind(made.back().getResult(), inner.access));
    if (inner.flagged)
      flags[factors.back()] =
          bind(findRows(inner, group).getResult(), inner.flagged);
  }
  llvm::raw_string_ostream(text)
      << "expected to cost " << llvm::format("%.1e", order.cost)
      << ", and the whole product " << llvm::format("%.1e", order.wholeCost)
      << describeFlags(order);
  emitRemark(op.getLoc()) << text;
  SmallVector<Value> left;
  for (auto [n, value] : llvm::enumerate(factors))
    if (!used.contains(n))
      left.push_back(value);
  replace(sum, multiply(left, !isDense(op.getType())), order.rest);
  dropUnused();
  dropLoops();
}

/// Lets a sum be that of another product, over other indices.
void SumFactorer::replace(ReduceOp sum, Value product,
                          ArrayRef<Attribute> indices) {
  if (indices.empty()) {
    sum.replaceAllUsesWith(product);
    sum.erase();
    return;
  }
  sum.getValueMutable().assign(product);
  sum.setIndicesAttr(b.getArrayAttr(indices));
}

/// Multiplies values from left to right.
Value SumFactorer::multiply(ArrayRef<Value> factors) {
  Value product = factors.front();
  for (Value factor : factors.drop_front())
    product = BinaryOp::create(b, BinaryKind::mul, product, factor);
  return product;
}

/// The same where the flags of all factors are set; there is no entry elsewhere
/// if the product `isStored` in a sparse tensor, and a zero otherwise.
Value SumFactorer::multiply(ArrayRef<Value> factors, bool isStored) {
  Value product = multiply(factors);
  SmallVector<Value> found;
  for (Value factor : factors)
    if (Value flag = flags.lookup(factor))
      found.push_back(flag);
  // Where its flag is not set, a factor is 0.
  if (found.empty() || (factors.size() == 1 && !isStored))
    return product;
  Value areSet = multiply(found);
  if (isStored)
    return KeepOp::create(b, product, areSet);
  Value zero = zeroElement(b, product.getType());
  return SelectOp::create(b, areSet, product, zero);
}

/// Inserts before the assignment: has[flagged] = whether the product has an
/// entry for some of the other indices.
AssignOp SumFactorer::findRows(const InnerSum &sum, ArrayRef<Value> group) {
  ElementAlgebra algebra(op);
  SmallVector<Value> stored;
  for (Value factor : group)
    if (Value flag = flags.lookup(factor))
      stored.push_back(flag);
    else if (!isAlways(algebra.get(factor).pattern))
      stored.push_back(StoredOp::create(b, b.getI1Type(), factor));
  Value areStored = multiply(stored);
  SmallVector<unsigned> inputs = inputsOf(areStored);
  llvm::SetVector<Attribute> others;
  for (unsigned n : inputs)
    others.insert_range(op.getAccess(n));
  others.remove(sum.flagged);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  auto type = RankedTensorType::get({ShapedType::kDynamic}, b.getI1Type());
  AssignOp made =
      makeStatement(CollectKind::inOrder, type, areStored, inputs, sum.flagged,
                    loopsOver(inputs), others.getArrayRef());
  setName(made.getResult(), "has");
  return made;
}

/// Inserts before the assignment: T[access] = the sum of the product.
AssignOp SumFactorer::compute(const InnerSum &sum, Value product) {
  SmallVector<unsigned> inputs = inputsOf(product);
  IndexNames loops = loopsOver(inputs);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  AssignOp made = makeStatement(CollectKind::inOrder, sum.type, product, inputs,
                                sum.access, loops, sum.summed);
  made.setSizesAttr(b.getDenseI64ArrayAttr(sum.sizes));
  setName(made.getResult(), "T");
  return made;
}

/// [i, j]
static void printIndices(raw_ostream &os, ArrayRef<Attribute> indices) {
  os << '[';
  llvm::interleaveComma(indices, os, [&](Attribute index) {
    os << cast<StringAttr>(index).getValue();
  });
  os << ']';
}

/// B[j, k]; of a factor that is no operand, all its operands: (B[j, k], C[j,
/// k])
void SumFactorer::printFactor(raw_ostream &os, Value factor,
                              ArrayRef<AssignOp> made) {
  SmallVector<unsigned> inputs = inputsOf(factor);
  bool isOperand = isa<BlockArgument>(factor);
  os << (isOperand ? "" : "(");
  llvm::interleaveComma(inputs, os, [&](unsigned n) {
    Value tensor = op.getInputs()[n];
    const auto *found = llvm::find(made, tensor.getDefiningOp<AssignOp>());
    if (found == made.end())
      os << getName(tensor);
    else
      os << 'T' << found - made.begin();
    printIndices(os, op.getAccess(n));
  });
  os << (isOperand ? "" : ")");
}

/// T0[j] = sum over [k] of B[j, k] * x[k]
std::string SumFactorer::describe(const InnerSum &sum, ArrayRef<Value> group,
                                  ArrayRef<AssignOp> made) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << 'T' << made.size();
  printIndices(os, sum.access);
  os << " = sum over ";
  printIndices(os, sum.summed);
  os << " of ";
  llvm::interleave(
      group, os, [&](Value factor) { printFactor(os, factor, made); }, " * ");
  os << "; ";
  return text;
}

namespace {
struct FactorSums : nacho::impl::NachoFactorSumsBase<FactorSums> {
  using NachoFactorSumsBase::NachoFactorSumsBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<AssignOp> statements;
    getOperation().walk([&](AssignOp op) { statements.push_back(op); });
    for (AssignOp op : statements)
      SumFactorer(op, builder).run();
  }
};
} // namespace
