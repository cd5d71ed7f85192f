//===- FactorSums.cpp - Factors are taken out of sums ---------------------===//
//
// Consumes `nacho.assign`; leaves assignments in which sums of some factors of
// a product are computed by assignments of their own:
//
//   sum_jk A[i, j] * B[j, k] * x[k]  ->  T[j] = sum_k B[j, k] * x[k];
//                                        sum_j A[i, j] * T[j]
//
// ContractionOrder says which sums these are, and why the entries stay the
// same.
//
//===----------------------------------------------------------------------===//

#include "StatementEditor.h"
#include "nacho/Analysis/ContractionOrder.h"
#include "nacho/Transforms/Passes.h"

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
  Value multiply(ArrayRef<Value> factors);
  AssignOp compute(const PartialSum &sum, Value product);
  IndexNames loopsOver(ArrayRef<unsigned> inputs);
  void report(const ContractionOrder &order, ArrayRef<AssignOp> made);
};
} // namespace

void SumFactorer::run() {
  // A caller who orders the loops means those of the whole product.
  bool isPinned = op.getContract() && op.getContract()->empty();
  if (op.getCollect() == CollectKind::inOrder && !isPinned &&
      (op.getContract() || !op.getOrder()))
    for (auto sum :
         llvm::make_early_inc_range(op.getBodyBlock()->getOps<ReduceOp>()))
      if (sum.getKind() == BinaryKind::add)
        factor(sum);
  op.removeContractAttr();
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
  b.setInsertionPoint(sum);
  for (const PartialSum &partial : order.sums) {
    SmallVector<Value> group;
    for (unsigned n : partial.factors)
      group.push_back(factors[n]);
    used.insert_range(partial.factors);
    made.push_back(compute(partial, multiply(group)));
    factors.push_back(bind(made.back().getResult(), partial.access));
  }
  report(order, made);
  SmallVector<Value> left;
  for (auto [n, value] : llvm::enumerate(factors))
    if (!used.contains(n))
      left.push_back(value);
  Value product = multiply(left);
  if (order.rest.empty()) {
    sum.replaceAllUsesWith(product);
    sum.erase();
  } else {
    sum.getValueMutable().assign(product);
    sum.setIndicesAttr(b.getArrayAttr(order.rest));
  }
  dropUnused();
  if (op.getOrder())
    op.setOrderAttr(b.getArrayAttr(loopsOver(
        llvm::to_vector(llvm::seq<unsigned>(op.getInputs().size())))));
}

/// Multiplies values from left to right.
Value SumFactorer::multiply(ArrayRef<Value> factors) {
  Value product = factors.front();
  for (Value factor : factors.drop_front())
    product = BinaryOp::create(b, BinaryKind::mul, product, factor);
  return product;
}

/// Inserts before the assignment: T[access] = the sum of the product.
AssignOp SumFactorer::compute(const PartialSum &sum, Value product) {
  SmallVector<unsigned> inputs = inputsOf(product);
  IndexNames loops;
  if (op.getOrder())
    loops = loopsOver(inputs);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  AssignOp made = makeStatement(CollectKind::inOrder, sum.type, product, inputs,
                                sum.access, loops, sum.summed);
  made.setSizesAttr(b.getDenseI64ArrayAttr(sum.sizes));
  setName(made.getResult(), "T");
  return made;
}

/// The loops that are asked for, without those over indices of no input.
IndexNames SumFactorer::loopsOver(ArrayRef<unsigned> inputs) {
  IndexNames loops;
  for (Attribute index : op.getOrder()->getValue())
    if (llvm::any_of(inputs, [&](unsigned n) {
          return llvm::is_contained(op.getAccess(n), index);
        }))
      loops.push_back(index);
  return loops;
}

/// [i, j]
static void printIndices(raw_ostream &os, ArrayRef<Attribute> indices) {
  os << '[';
  llvm::interleaveComma(indices, os, [&](Attribute index) {
    os << cast<StringAttr>(index).getValue();
  });
  os << ']';
}

void SumFactorer::report(const ContractionOrder &order,
                         ArrayRef<AssignOp> made) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto nameOf = [&](Value tensor) -> std::string {
    auto found = llvm::find(made, tensor.getDefiningOp<AssignOp>());
    return found == made.end() ? getName(tensor)
                               : "T" + std::to_string(found - made.begin());
  };
  for (auto [n, given] : llvm::enumerate(made)) {
    AssignOp statement = given;
    os << "T" << n;
    printIndices(os, statement.getResultAccess().getValue());
    os << " sums over ";
    printIndices(os, order.sums[n].summed);
    for (auto [number, input] : llvm::enumerate(statement.getInputs())) {
      os << (number ? ", " : " what comes of ") << nameOf(input);
      printIndices(os, statement.getAccess(number));
    }
    os << "; ";
  }
  os << "expected to cost " << llvm::format("%.3g", order.cost)
     << " steps, and the whole product "
     << llvm::format("%.3g", order.wholeCost);
  emitRemark(op.getLoc()) << text;
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
