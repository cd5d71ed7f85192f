//===- SolveEquations.cpp - Loops for sparse operands at sums of indices --===//
//
// Consumes `nacho.assign` with equations, such as A[m] where m = i + k; leaves
// statements in which only dense operands, and lists, have computed indices.
//
//===----------------------------------------------------------------------===//

#include "StatementEditor.h"
#include "nacho/Analysis/Algebra.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Collect.h"
#include "nacho/IR/Errors.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSOLVEEQUATIONS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// The equations for a statement that lists what some operands have.
struct Solution {
  SmallVector<Attribute> equations;
  /// The number of equations that could be solved for no index.
  unsigned numConditions = 0;
};

/// Solves the equations of one assignment.
class EquationSolver : StatementEditor {
public:
  EquationSolver(AssignOp op, OpBuilder &builder)
      : StatementEditor(op, builder) {}

  LogicalResult run();

private:
  bool isSparse(unsigned n) {
    return !isDense(cast<RankedTensorType>(op.getInputs()[n].getType()));
  }
  bool hasEquation(unsigned n) {
    return llvm::any_of(op.getAccess(n), [&](Attribute index) {
      return static_cast<bool>(op.getEquation(index));
    });
  }
  bool hasOnlyNumbers(unsigned n) {
    return op.getIndependent(op.getAccess(n)).empty();
  }
  Solution solve(ArrayRef<unsigned> inputs);
  bool canList(const Term &term, ArrayRef<unsigned> unsolved);
  IndexNames accessOf(const Term &term, ArrayRef<unsigned> inputs);
  unsigned widthOf(ArrayRef<Attribute> access);
  bool isNarrowIn(unsigned n, Attribute index);
  AssignOp listOf(Value value, ArrayRef<unsigned> inputs,
                  ArrayRef<Attribute> access);
  Value makeList(const Term &term, Value value, ArrayRef<unsigned> inputs);
  Value makeElement(unsigned n);
  LogicalResult checkElements(const Term &term, ArrayRef<unsigned> unsolved);
  void listTerm(const Term &term);
  void listOperands(const Term &term, ArrayRef<unsigned> unsolved);
  void dropEquations();
  bool orderLoops();
};
} // namespace

/// index = factor * source + rest  ->  source = (index - rest) / factor
static DerivedIndexAttr solveFor(DerivedIndexAttr equation, Attribute source) {
  SmallVector<StringAttr> sources = {equation.getIndex()};
  SmallVector<int64_t> factors = {equation.getDivisor()};
  int64_t divisor = 0;
  for (auto [other, factor] :
       llvm::zip(equation.getSources(), equation.getFactors())) {
    if (other == source) {
      divisor = factor;
      continue;
    }
    sources.push_back(other);
    factors.push_back(-factor);
  }
  int64_t constant = -equation.getConstant();
  if (divisor < 0) {
    divisor = -divisor;
    constant = -constant;
    for (int64_t &factor : factors)
      factor = -factor;
  }
  return DerivedIndexAttr::get(equation.getContext(), cast<StringAttr>(source),
                               sources, factors, constant, divisor,
                               /*rounds=*/false);
}

/// The index to solve an equation for: one of the result if that is possible;
/// null if all indices are `taken`.
static Attribute chooseUnknown(DerivedIndexAttr equation,
                               ArrayRef<Attribute> result,
                               const llvm::SmallDenseSet<Attribute> &taken) {
  Attribute unknown;
  for (StringAttr source : equation.getSources())
    if (!taken.contains(source) &&
        (!unknown || (llvm::is_contained(result, source) &&
                      !llvm::is_contained(result, unknown))))
      unknown = source;
  return unknown;
}

/// Solves the equations of indices that sparse ones of the inputs store, each
/// for an index that none of them stores and that no other equation uses.
Solution EquationSolver::solve(ArrayRef<unsigned> inputs) {
  llvm::SmallDenseSet<Attribute> stored, accessed;
  for (unsigned n : inputs) {
    accessed.insert_range(op.getAccess(n));
    if (isSparse(n))
      stored.insert_range(op.getAccess(n));
  }
  Solution solution;
  SmallVector<Attribute> located;
  llvm::SmallDenseSet<Attribute> taken = stored;
  for (Attribute attr : op.getEquations()) {
    auto equation = cast<DerivedIndexAttr>(attr);
    if (!accessed.contains(equation.getIndex()))
      continue;
    if (!stored.contains(equation.getIndex())) {
      located.push_back(equation);
      continue;
    }
    Attribute unknown =
        chooseUnknown(equation, op.getResultAccess().getValue(), taken);
    taken.insert_range(equation.getSources());
    if (!unknown)
      ++solution.numConditions;
    solution.equations.push_back(unknown ? solveFor(equation, unknown)
                                         : equation);
  }
  llvm::append_range(solution.equations, located);
  return solution;
}

/// Whether a list of the whole term has fewer entries than lists of the
/// operands whose equations are to be solved, since other sparse operands are
/// factors, and no more loops.
bool EquationSolver::canList(const Term &term, ArrayRef<unsigned> unsolved) {
  ElementAlgebra algebra(op);
  const ElementFacts &facts = algebra.get(term.value);
  if (!facts.isZeroPreserving())
    return false;
  unsigned numSparse = 0;
  for (unsigned n : term.inputs) {
    if (isSparse(n) && !holdsOnlyWith(facts.pattern, n))
      return false;
    numSparse += isSparse(n);
  }
  if (numSparse < 2)
    return false;
  unsigned apart = 0;
  for (unsigned n : unsolved) {
    if (hasOnlyNumbers(n))
      return false;
    apart += solve(n).numConditions;
  }
  return solve(term.inputs).numConditions <= apart;
}

/// The indices from which those of some inputs follow: those of the result in
/// the order of its levels, and the term's reduced ones.
IndexNames EquationSolver::accessOf(const Term &term,
                                    ArrayRef<unsigned> inputs) {
  llvm::SetVector<Attribute> all;
  for (unsigned n : inputs)
    all.insert_range(op.getIndependent(op.getAccess(n)));
  IndexNames access =
      storageOrder(op.getType(), op.getResultAccess().getValue());
  llvm::append_range(access, term.reduced);
  llvm::erase_if(access, [&](Attribute index) { return !all.contains(index); });
  return access;
}

/// The width of a list's coordinates: 32 bits if every index is stored in 32
/// bits, or has an extent that fits, in some operand; else 64.
unsigned EquationSolver::widthOf(ArrayRef<Attribute> access) {
  auto isNarrow = [&](Attribute index) {
    return llvm::any_of(llvm::seq<unsigned>(op.getInputs().size()),
                        [&](unsigned n) { return isNarrowIn(n, index); });
  };
  return llvm::all_of(access, isNarrow) ? 32 : 64;
}

bool EquationSolver::isNarrowIn(unsigned n, Attribute index) {
  auto type = cast<RankedTensorType>(op.getInputs()[n].getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  const auto *found = llvm::find(op.getAccess(n), index);
  if (found == op.getAccess(n).end())
    return false;
  int64_t extent = type.getDimSize(found - op.getAccess(n).begin());
  return (encoding && encoding.getCrdWidth() == 32) ||
         (!ShapedType::isDynamic(extent) && llvm::isInt<32>(extent));
}

/// Asks for the order of loops that was found, if none follows all operands of
/// a list's statement: --nacho-order-loops then rearranges operands.
static void orderIfCrossed(AssignOp made) {
  FailureOr<Terms> terms = Terms::split(made);
  assert(succeeded(terms) && "a list is not reduced");
  FailureOr<LoopOrder> order = LoopOrder::propose(made, *terms);
  if (succeeded(order) && !order->obstacles.empty())
    made.setOrderAttr(ArrayAttr::get(made.getContext(), order->result));
}

/// Inserts before the assignment: E[access] = value.
AssignOp EquationSolver::listOf(Value value, ArrayRef<unsigned> inputs,
                                ArrayRef<Attribute> access) {
  RankedTensorType type = listTensorType(access.size(), access.size(),
                                         value.getType(), widthOf(access));
  AssignOp made = makeStatement(CollectKind::sortedList, type, value, inputs,
                                access, {}, {});
  setEquations(made, solve(inputs).equations);
  setName(made.getResult(), "E");
  orderIfCrossed(made);
  return made;
}

/// Lists a value as above, and returns the element of the list.
Value EquationSolver::makeList(const Term &term, Value value,
                               ArrayRef<unsigned> inputs) {
  IndexNames access = accessOf(term, inputs);
  return bind(listOf(value, inputs, access).getResult(), access);
}

/// Whether a value is computed from an element.
static bool reads(Value value, Value element) {
  return value == element ||
         llvm::any_of(sliceOf(value), [&](Operation *nested) {
           return llvm::is_contained(nested->getOperands(), element);
         });
}

/// Whether a term depends on whether an element is stored, and not only on what
/// it is.
static bool dependsOnStorage(const Term &term, Value element) {
  return monoidOf(term).getStored() ||
         llvm::any_of(sliceOf(term.value), [&](Operation *nested) {
           auto reduce = dyn_cast<ReduceOp>(nested);
           return (isa<StoredOp>(nested) ||
                   (reduce && reduce.getMonoid().getStored())) &&
                  reads(nested->getOperand(0), element);
         });
}

/// A[m, n]  ->  s[], where s[] = sum_n E[n], and E[n] = A[m, n]
///
/// All indices of the operand are numbers, so that the list has one entry, or
/// none.
Value EquationSolver::makeElement(unsigned n) {
  auto type = cast<RankedTensorType>(op.getInputs()[n].getType());
  Attribute index = storageOrder(type, op.getAccess(n)).back();
  AssignOp list = listOf(op.getBodyBlock()->getArgument(n), n, index);
  ArrayAttr access = b.getArrayAttr(index);
  auto sum = AssignOp::create(
      b, RankedTensorType::get({}, type.getElementType()), list.getResult(),
      Value(), b.getArrayAttr(access), b.getArrayAttr({}), ArrayAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&sum.getBody());
  Value entry = body->addArgument(type.getElementType(), op.getLoc());
  auto kind = MonoidAttr::get(b.getContext(), BinaryKind::add);
  Value found = ReduceOp::create(b, kind, entry, access);
  YieldOp::create(b, found);
  setName(sum.getResult(), "s");
  return bind(sum.getResult(), {});
}

/// sum_k A[m] * F[k]  ->  sum_k E[i, k], where E[i, k] = A[m] * F[k]
void EquationSolver::listTerm(const Term &term) {
  replace(term, makeList(term, term.value, term.inputs), term.reduced);
}

/// sum_k A[m] * F[k]  ->  sum_k E[i, k] * F[k], where E[i, k] = A[m]
void EquationSolver::listOperands(const Term &term,
                                  ArrayRef<unsigned> unsolved) {
  IRMapping mapping;
  for (unsigned n : unsolved) {
    Value element = op.getBodyBlock()->getArgument(n);
    mapping.map(element, hasOnlyNumbers(n) ? makeElement(n)
                                           : makeList(term, element, n));
  }
  compute(term, mapping);
}

/// Removes the equations of indices by which no used input is accessed.
void EquationSolver::dropEquations() {
  dropUnused();
  SmallVector<unsigned> used;
  for (BlockArgument arg : op.getBodyBlock()->getArguments())
    if (!arg.use_empty())
      used.push_back(arg.getArgNumber());
  SmallVector<Attribute> equations = equationsFor(used, {});
  if (!equations.empty())
    return op.setWhereAttr(b.getArrayAttr(equations));
  op.removeWhereAttr();
  dropUnused();
}

/// Lets the loops over the result's indices but the last come first, if only
/// dense tensors have them. Returns whether they do.
bool EquationSolver::orderLoops() {
  llvm::SetVector<Attribute> reduced;
  FailureOr<Terms> terms = Terms::split(op);
  assert(succeeded(terms) && "the statement was split before");
  for (const Term &term : terms->terms) {
    reduced.insert_range(term.reduced);
    for (unsigned n : term.inputs)
      if (isSparse(n) && llvm::any_of(op.getAccess(n), [&](Attribute index) {
            return llvm::is_contained(op.getResultAccess(), index);
          }))
        return false;
  }
  IndexNames order =
      storageOrder(op.getType(), op.getResultAccess().getValue());
  if (reduced.empty() || order.empty() || !isDense(op.getType()))
    return false;
  unsigned numOuter = std::max<size_t>(1, order.size() - 1);
  order.insert(order.begin() + numOuter, reduced.begin(), reduced.end());
  op.setOrderAttr(b.getArrayAttr(order));
  return true;
}

/// Refuses elements of sparse operands for which a sum cannot stand.
LogicalResult EquationSolver::checkElements(const Term &term,
                                            ArrayRef<unsigned> unsolved) {
  for (unsigned n : unsolved)
    if (hasOnlyNumbers(n) &&
        dependsOnStorage(term, op.getBodyBlock()->getArgument(n)))
      return emitOperandError(op, n)
             << " is sparse and has no index, only numbers: not supported "
                "where it matters whether the element is stored";
  return success();
}

LogicalResult EquationSolver::run() {
  if (op.getEquations().empty() || collectTraitsOf(op).rearrangesEntries)
    return success();
  FailureOr<Terms> terms = Terms::split(op);
  if (failed(terms))
    return failure();
  b.setInsertionPoint(op);
  bool isReduced = false, readsList = false;
  for (const Term &term : terms->terms) {
    isReduced |= !term.reduced.empty();
    SmallVector<unsigned> unsolved;
    llvm::copy_if(term.inputs, std::back_inserter(unsolved),
                  [&](unsigned n) { return isSparse(n) && hasEquation(n); });
    if (unsolved.empty())
      continue;
    readsList |=
        !llvm::all_of(unsolved, [&](unsigned n) { return hasOnlyNumbers(n); });
    if (failed(checkElements(term, unsolved)))
      return failure();
    if (canList(term, unsolved))
      listTerm(term);
    else
      listOperands(term, unsolved);
  }
  dropEquations();
  // The parts do not change sums of what lists have, or that they have whole.
  if (isReduced && !op.getResultAccess().empty() && !op.getOrder() &&
      (op.getEquations().empty() ? readsList : orderLoops()))
    op.setWholeEntries(true);
  return success();
}

namespace {
struct SolveEquations : nacho::impl::NachoSolveEquationsBase<SolveEquations> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    SmallVector<AssignOp> statements;
    getOperation().walk([&](AssignOp op) { statements.push_back(op); });
    for (AssignOp op : statements)
      if (failed(EquationSolver(op, builder).run()))
        return signalPassFailure();
  }
};
} // namespace
