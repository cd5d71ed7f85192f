//===- OrderLoops.cpp - What no order of loops can read is made anew ------===//
//
// Consumes `nacho.assign`; leaves assignments whose loops follow the levels of
// every sparse operand and of the result. What stands in the way is computed
// by an assignment of its own, whose entries are sorted: a transposed operand,
// a diagonal, or the products that a reduction scatters over the result.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/Algebra.h"
#include "nacho/Analysis/LoopCost.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Level.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOORDERLOOPS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {

/// Removes the obstacles from one assignment, one after the other.
class StatementSplitter {
public:
  /// Lists that are made are added to the statements.
  StatementSplitter(AssignOp op, OpBuilder &builder,
                    SmallVectorImpl<AssignOp> &statements, bool splitRows)
      : op(op), b(withoutName(op.getLoc()), builder), statements(statements),
        splitRows(splitRows) {}

  LogicalResult run();

private:
  FailureOr<bool> step();
  FailureOr<bool> followOrder(const Terms &terms, const LoopOrder &proposed);
  bool rewrite(const Terms &terms, const Term &term, const TermOrder &order,
               const LoopOrder &proposed);
  bool canCollect(const TermOrder &order);
  IndexNames indicesOf(const Term &term, ArrayRef<Attribute> first);
  bool canList(const Term &term);
  bool isOpen(const Term &term);
  TermOrder orderOf(const Term &term, BinaryKind reduction,
                    const LoopOrder &order);
  RankedTensorType listType(ArrayRef<Attribute> access, Type element,
                            ArrayRef<unsigned> inputs);
  void rearrange(const Term &term, const TermOrder &order);
  void scatter(const Term &term, const TermOrder &order,
               const LoopOrder &loops);
  AssignOp makeList(Value value, ArrayRef<unsigned> inputs,
                    ArrayRef<Attribute> access, ArrayRef<Attribute> loops,
                    bool isPartial);
  Value makeRows(AssignOp list, RankedTensorType type);
  AssignOp makeSums(const Term &term, ArrayRef<Attribute> access,
                    ArrayRef<Attribute> loops);
  AssignOp makeStatement(RankedTensorType type, Value value,
                         ArrayRef<unsigned> inputs, ArrayRef<Attribute> access,
                         ArrayRef<Attribute> loops, ArrayRef<Attribute> reduced,
                         bool isSorted, bool isPartial);
  Attribute partIndex();
  BlockArgument bind(Value tensor, ArrayRef<Attribute> access);
  void replace(const Term &term, Value value, ArrayRef<Attribute> reduced);
  void dropUnused();

  AssignOp op;
  ImplicitLocOpBuilder b;
  SmallVectorImpl<AssignOp> &statements;
  bool splitRows; ///< A workspace must not have to do a whole row.
};

} // namespace

LogicalResult StatementSplitter::run() {
  while (true) {
    FailureOr<bool> changed = step();
    if (failed(changed))
      return failure();
    if (!*changed)
      return success();
    dropUnused();
  }
}

/// Removes the first obstacle; false if there is none.
FailureOr<bool> StatementSplitter::step() {
  b.setInsertionPoint(op);
  FailureOr<Terms> terms = Terms::split(op);
  if (failed(terms))
    return failure();
  FailureOr<LoopOrder> proposed = LoopOrder::propose(op, *terms);
  if (failed(proposed))
    return failure();
  // Those are in the loops of their term, which is not reduced over them.
  for (Term &term : terms->terms)
    llvm::erase_if(term.reduced, [&](Attribute index) {
      return llvm::is_contained(proposed->scattered, index);
    });
  if (op.getOrder())
    return followOrder(*terms, *proposed);
  if (op.getSorted())
    return false;
  for (const Term &term : terms->terms) {
    TermOrder order = orderOf(term, terms->reduction, *proposed);
    if (order.scatters || !order.transposed.empty()) {
      rewrite(*terms, term, order, *proposed);
      return true;
    }
  }
  return false;
}

/// Returns whether the term is now what another statement has scattered.
bool StatementSplitter::rewrite(const Terms &terms, const Term &term,
                                const TermOrder &order,
                                const LoopOrder &proposed) {
  if (!order.scatters) {
    rearrange(term, order);
    return false;
  }
  bool isAll =
      terms.terms.size() == 1 && terms.sums.size() == 1 && !term.isNegated;
  if (!isAll || !canCollect(order)) {
    scatter(term, order, proposed);
    return true;
  }
  op.setOrderAttr(b.getArrayAttr(order.loops));
  op.setWorkspace(!isDense(op.getType()));
  return false;
}

/// What is scattered over a dense result can be added up in rows of the parts;
/// over a sparse one, in a workspace that has a whole row at a time: its last
/// level, inside of loops over the others.
bool StatementSplitter::canCollect(const TermOrder &order) {
  if (!order.collects || isDense(op.getType()))
    return order.collects;
  RankedTensorType type = op.getType();
  unsigned rank = type.getRank();
  IndexNames levels = storageOrder(type, op.getResultAccess().getValue());
  ArrayRef<Attribute> outer = ArrayRef(levels).drop_back();
  return !splitRows && rank > 1 && !isFullLevel(type, rank - 1) &&
         ArrayRef(order.loops).take_front(rank - 1) == outer &&
         llvm::is_contained(order.loops, levels.back());
}

/// The loops run in the order that was asked for, those of the lists that are
/// needed for it at least.
FailureOr<bool> StatementSplitter::followOrder(const Terms &terms,
                                               const LoopOrder &proposed) {
  bool isChanged = false, isListed = false;
  for (const Term &term : terms.terms) {
    IndexNames loops = indicesOf(term, op.getOrder()->getValue());
    TermOrder order =
        LoopCost(op, term, terms.reduction, proposed.result).evaluate(loops);
    order.scatters &= !op.getSorted() && !op.getWorkspace();
    if (!order.scatters && order.transposed.empty())
      continue;
    if (order.scatters && !canList(term))
      return op.emitOpError("is not zero where all operands are, and the "
                            "result stores its entries in another order than ")
             << *op.getOrder();
    isListed |= rewrite(terms, term, order, proposed);
    isChanged = true;
  }
  // What is scattered is in the order of the result then.
  if (isListed)
    op.removeOrderAttr();
  return isChanged;
}

/// The indices of a term, those of a list first.
IndexNames StatementSplitter::indicesOf(const Term &term,
                                        ArrayRef<Attribute> first) {
  llvm::SetVector<Attribute> all;
  for (unsigned n : term.inputs)
    all.insert_range(op.getAccess(n));
  llvm::SetVector<Attribute> sorted;
  for (Attribute index : first)
    if (all.contains(index))
      sorted.insert(index);
  sorted.insert_range(all);
  return IndexNames(sorted.getArrayRef());
}

/// Elements that are not 0 where nothing is stored cannot be listed.
bool StatementSplitter::canList(const Term &term) {
  return ElementAlgebra(op).get(term.value).isZeroPreserving();
}

/// Whether it is worthwhile to look for other loops: all that is sparse is as
/// the user has it.
bool StatementSplitter::isOpen(const Term &term) {
  bool hasSparse = false;
  for (unsigned n : term.inputs) {
    Value tensor = op.getInputs()[n];
    if (tensor.getDefiningOp<AssignOp>())
      return false;
    hasSparse |= !isDense(cast<RankedTensorType>(tensor.getType()));
  }
  return hasSparse;
}

/// The loops that a term is better off with: those that are proposed, unless
/// something is in their way or they are expected to cost much more.
TermOrder StatementSplitter::orderOf(const Term &term, BinaryKind reduction,
                                     const LoopOrder &order) {
  LoopCost cost(op, term, reduction, order.result);
  IndexNames loops = order.result;
  llvm::append_range(loops, term.reduced);
  TermOrder proposed = cost.evaluate(indicesOf(term, loops));
  if (proposed.transposed.empty() && !isOpen(term))
    return proposed;
  // There is nothing to be gained by a list of what is not reduced.
  TermOrder best = cost.choose(canList(term) && !term.reduced.empty());
  bool isBetter = 2 * best.cost < proposed.cost;
  if (proposed.transposed.empty() && !isBetter)
    return proposed;
  return best.cost < proposed.cost ? best : proposed;
}

/// A list of entries, by coordinates as wide as those of the operands that
/// have the index.
RankedTensorType StatementSplitter::listType(ArrayRef<Attribute> access,
                                             Type element,
                                             ArrayRef<unsigned> inputs) {
  auto isNarrow = [&](Attribute index) {
    return llvm::any_of(inputs, [&](unsigned n) {
      auto encoding =
          sparse_tensor::getSparseTensorEncoding(op.getInputs()[n].getType());
      return encoding && encoding.getCrdWidth() == 32 &&
             llvm::is_contained(op.getAccess(n), index);
    });
  };
  // What tells parts apart is no operand's.
  auto isPart = [&](Attribute index) {
    return llvm::none_of(inputs, [&](unsigned n) {
      return llvm::is_contained(op.getAccess(n), index);
    });
  };
  unsigned width = llvm::all_of(access,
                                [&](Attribute index) {
                                  return isNarrow(index) || isPart(index);
                                })
                       ? 32
                       : 64;
  return listTensorType(access.size(), access.size(), element, width);
}

/// The type of rows that can be located, as one of the given type has some;
/// null if it has none.
static RankedTensorType rowsType(RankedTensorType type, unsigned rank) {
  auto isFull = [&](unsigned level) { return isFullLevel(type, level); };
  if (rank < 2 || llvm::none_of(llvm::seq<unsigned>(type.getRank()), isFull))
    return {};
  using sparse_tensor::LevelFormat;
  SmallVector<sparse_tensor::LevelType> levels(
      rank, *sparse_tensor::buildLevelType(LevelFormat::Compressed, {}));
  levels.front() = *sparse_tensor::buildLevelType(LevelFormat::Dense, {});
  auto given = sparse_tensor::getSparseTensorEncoding(type);
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(rank, type.getContext());
  auto encoding = sparse_tensor::SparseTensorEncodingAttr::get(
      type.getContext(), levels, identity, identity, given.getPosWidth(),
      given.getCrdWidth());
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  return RankedTensorType::get(shape, type.getElementType(), encoding);
}

/// T[j, i] -> R[j, i] = T[j, i], of which the rows can be located.
Value StatementSplitter::makeRows(AssignOp list, RankedTensorType type) {
  Attribute accesses[] = {list.getResultAccess()};
  auto rows = AssignOp::create(b, type, list.getResult(), Value(),
                               b.getArrayAttr(accesses), list.getResultAccess(),
                               /*sorted=*/false, /*partial=*/false,
                               /*workspace=*/false, ArrayAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&rows.getBody(), {}, type.getElementType(), b.getLoc());
  YieldOp::create(b, body->getArgument(0));
  return rows.getResult();
}

/// term(A[i, j]) -> T[j, i] = sorted A[i, j]; term(T[j, i])
void StatementSplitter::rearrange(const Term &term, const TermOrder &order) {
  IRMapping mapping;
  for (unsigned input : order.transposed) {
    IndexNames access;
    for (Attribute index : order.loops)
      if (llvm::is_contained(op.getAccess(input), index))
        access.push_back(index);
    Value element = op.getBodyBlock()->getArgument(input);
    AssignOp list = makeList(element, {input}, access, {}, /*isPartial=*/false);
    std::string name = getName(op.getInputs()[input]);
    setName(list.getResult(), name);
    Value made = list.getResult();
    auto type = cast<RankedTensorType>(op.getInputs()[input].getType());
    if (RankedTensorType rows = rowsType(type, access.size()))
      made = makeRows(list, rows);
    setName(made, name);
    mapping.map(element, bind(made, access));
  }
  SmallVector<Operation *> slice = sliceOf(term.value);
  OpBuilder::InsertionGuard guard(b);
  if (!slice.empty())
    b.setInsertionPointAfter(slice.back());
  for (Operation *nested : slice)
    b.clone(*nested, mapping);
  replace(term, mapping.lookup(term.value), term.reduced);
}

/// A name that no index has.
Attribute StatementSplitter::partIndex() {
  std::string name = "part";
  auto isUsed = [&](ArrayRef<Attribute> names) {
    return llvm::is_contained(names, b.getStringAttr(name));
  };
  while (isUsed(op.getResultAccess().getValue()) ||
         llvm::any_of(op.getAccesses(), [&](Attribute access) {
           return isUsed(cast<ArrayAttr>(access).getValue());
         }))
    name += '_';
  return b.getStringAttr(name);
}

/// sum_j v -> T[result]     if sums can be collected as they come
///         -> sum_part E[result, part]    if each part can collect its own
///         -> sum_j E[result, j]
///
/// where T[result] = sum_j v, E[result, part] = sums of v, sorted, or
/// E[result, j] = v, sorted.
void StatementSplitter::scatter(const Term &term, const TermOrder &order,
                                const LoopOrder &loops) {
  IndexNames access, summed = term.reduced;
  for (ArrayRef<Attribute> names :
       {ArrayRef(loops.result), ArrayRef(loops.inner)})
    for (Attribute index : names)
      if (llvm::is_contained(order.loops, index))
        access.push_back(index);
  bool isList = !canCollect(order);
  if (!isList) {
    summed.clear();
    // The result's levels are in the order of its dimensions.
    if (!isDense(op.getType()))
      access.assign(op.getResultAccess().begin(), op.getResultAccess().end());
  } else if (order.collects) {
    summed = {partIndex()};
  }
  llvm::append_range(access, summed);
  AssignOp made = isList ? makeList(term.value, term.inputs, access,
                                    order.loops, order.collects)
                         : makeSums(term, access, order.loops);
  setName(made.getResult(), isList ? "E" : "T");
  replace(term, bind(made.getResult(), access), summed);
}

/// access = sorted value, before the assignment.
AssignOp StatementSplitter::makeList(Value value, ArrayRef<unsigned> inputs,
                                     ArrayRef<Attribute> access,
                                     ArrayRef<Attribute> loops,
                                     bool isPartial) {
  RankedTensorType type = listType(access, value.getType(), inputs);
  return makeStatement(type, value, inputs, access, loops, {},
                       /*isSorted=*/true, isPartial);
}

/// access = the sum of the term's value, before the assignment, stored as the
/// result is.
AssignOp StatementSplitter::makeSums(const Term &term,
                                     ArrayRef<Attribute> access,
                                     ArrayRef<Attribute> loops) {
  SmallVector<int64_t> shape(access.size(), ShapedType::kDynamic);
  Attribute encoding;
  if (!isDense(op.getType()))
    encoding = op.getType().getEncoding();
  auto type = RankedTensorType::get(shape, term.value.getType(), encoding);
  AssignOp made =
      makeStatement(type, term.value, term.inputs, access, loops, term.reduced,
                    /*isSorted=*/false, /*isPartial=*/false);
  made.setWorkspace(static_cast<bool>(encoding));
  return made;
}

AssignOp StatementSplitter::makeStatement(RankedTensorType type, Value value,
                                          ArrayRef<unsigned> inputs,
                                          ArrayRef<Attribute> access,
                                          ArrayRef<Attribute> loops,
                                          ArrayRef<Attribute> reduced,
                                          bool isSorted, bool isPartial) {
  SmallVector<Value> tensors;
  SmallVector<Attribute> accesses;
  for (unsigned n : inputs) {
    tensors.push_back(op.getInputs()[n]);
    accesses.push_back(op.getAccesses()[n]);
  }
  ArrayAttr order;
  if (!loops.empty())
    order = b.getArrayAttr(loops);
  auto made = AssignOp::create(b, type, tensors, Value(),
                               b.getArrayAttr(accesses), b.getArrayAttr(access),
                               isSorted, isPartial, /*workspace=*/false, order);
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
  if (!reduced.empty())
    result =
        ReduceOp::create(b, BinaryKind::add, result, b.getArrayAttr(reduced));
  YieldOp::create(b, result);
  statements.push_back(made);
  return made;
}

/// One more input of the assignment.
BlockArgument StatementSplitter::bind(Value tensor,
                                      ArrayRef<Attribute> access) {
  SmallVector<Attribute> accesses(op.getAccesses().getValue());
  accesses.push_back(b.getArrayAttr(access));
  op.setAccessesAttr(b.getArrayAttr(accesses));
  op.getInputsMutable().append(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  return op.getBodyBlock()->addArgument(type.getElementType(), op.getLoc());
}

static bool isSameSet(ArrayRef<Attribute> one, ArrayRef<Attribute> other) {
  return std::is_permutation(one.begin(), one.end(), other.begin(),
                             other.end());
}

/// Puts another value, reduced over some indices, in the place of a term.
void StatementSplitter::replace(const Term &term, Value value,
                                ArrayRef<Attribute> reduced) {
  Block *body = op.getBodyBlock();
  for (Operation &nested : llvm::make_early_inc_range(*body)) {
    auto reduce = dyn_cast<ReduceOp>(nested);
    // Of what is reduced, only the reduction over the term's indices is it.
    if (!term.reduced.empty() &&
        (!reduce || reduce.getValue() != term.value ||
         !isSameSet(reduce.getIndices().getValue(), term.reduced)))
      continue;
    if (term.reduced.empty() && (reduce || nested.getNumOperands() == 0))
      continue;
    if (reduce && reduced.empty()) {
      reduce.replaceAllUsesWith(value);
      reduce.erase();
      continue;
    }
    if (reduce)
      reduce.setIndicesAttr(b.getArrayAttr(reduced));
    for (OpOperand &operand : nested.getOpOperands())
      if (operand.get() == term.value)
        operand.set(value);
  }
}

/// Forgets what the statement no longer reads.
void StatementSplitter::dropUnused() {
  Block *body = op.getBodyBlock();
  for (Operation &nested : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&nested))
      nested.erase();
  SmallVector<Attribute> accesses(op.getAccesses().getValue());
  for (unsigned n = accesses.size(); n-- > 0;) {
    if (!body->getArgument(n).use_empty())
      continue;
    body->eraseArgument(n);
    op.getInputsMutable().erase(n);
    accesses.erase(accesses.begin() + n);
  }
  op.setAccessesAttr(b.getArrayAttr(accesses));
}

namespace {
struct OrderLoops : nacho::impl::NachoOrderLoopsBase<OrderLoops> {
  using NachoOrderLoopsBase::NachoOrderLoopsBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    // Lists are made for statements, and may need lists of operands.
    SmallVector<AssignOp> statements;
    getOperation().walk([&](AssignOp op) { statements.push_back(op); });
    while (!statements.empty())
      if (failed(StatementSplitter(statements.pop_back_val(), builder,
                                   statements, splitRows)
                     .run()))
        return signalPassFailure();
  }
};
} // namespace
