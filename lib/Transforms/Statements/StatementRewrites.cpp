//===- StatementRewrites.cpp - Statements for parts of a statement --------===//
//
// Computes an operand in another order, or the entries that a term scatters, by
// an assignment of its own before the one that needs them.
//
//===----------------------------------------------------------------------===//

#include "StatementSplitter.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/IR/IRMapping.h"

#include <algorithm>

using namespace mlir;
using namespace nacho;

/// The type of a list. Its coordinates have 32 bits if every index is the part
/// number or has 32-bit coordinates in some operand, else 64.
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
  // The index for the number of a part is in no operand.
  auto isPart = [&](Attribute index) {
    return llvm::none_of(inputs, [&](unsigned n) {
      return llvm::is_contained(op.getLoopIndices(op.getAccess(n)), index);
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

/// A type for the rearranged operand whose first level is dense, so that its
/// rows can be located, if `type` has a level in which coordinates can be; else
/// null.
static RankedTensorType rowsType(RankedTensorType type, unsigned rank) {
  auto isFull = [&](unsigned level) { return isFullLevel(type, level); };
  if (rank < 2 || llvm::none_of(llvm::seq<unsigned>(type.getRank()), isFull))
    return {};
  using sparse_tensor::LevelFormat;
  SmallVector<sparse_tensor::LevelType> levels(
      rank, *sparse_tensor::buildLevelType(LevelFormat::Compressed, {}));
  levels.front() = *sparse_tensor::buildLevelType(LevelFormat::Dense, {});
  auto given = sparse_tensor::getSparseTensorEncoding(type);
  // Positions of buckets are found by a prefix sum, which needs 32 bits.
  auto wide = [](unsigned width) {
    return width == 0 ? 0 : std::max(width, 32u);
  };
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(rank, type.getContext());
  auto encoding = sparse_tensor::SparseTensorEncodingAttr::get(
      type.getContext(), levels, identity, identity, wide(given.getPosWidth()),
      wide(given.getCrdWidth()));
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  return RankedTensorType::get(shape, type.getElementType(), encoding);
}

/// T[j, i] -> R[j, i] = T[j, i], where the rows of R can be located
Value StatementSplitter::makeRows(AssignOp list, RankedTensorType type) {
  Attribute accesses[] = {list.getResultAccess()};
  auto rows = AssignOp::create(b, type, list.getResult(), Value(),
                               b.getArrayAttr(accesses), list.getResultAccess(),
                               /*order=*/ArrayAttr());
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&rows.getBody(), {}, type.getElementType(), b.getLoc());
  YieldOp::create(b, body->getArgument(0));
  return rows.getResult();
}

/// term(A[i, j]) -> T[j, i] = A[i, j]; term(T[j, i])
///
/// where T is a list that is sorted, or has rows that can be located: of a
/// matrix, they are its buckets, else they are read from the list.
void StatementSplitter::rearrange(const Term &term, const TermOrder &order) {
  IRMapping mapping;
  for (unsigned input : order.transposed) {
    IndexNames access;
    for (Attribute index : order.loops)
      if (llvm::is_contained(op.getAccess(input), index))
        access.push_back(index);
    Value element = op.getBodyBlock()->getArgument(input);
    auto type = cast<RankedTensorType>(op.getInputs()[input].getType());
    RankedTensorType rows = rowsType(type, access.size());
    std::string name = getName(op.getInputs()[input]);
    Value made;
    if (rows && rows.getRank() == 2) {
      made = makeStatement(CollectKind::buckets, rows, element, {input}, access,
                           {}, {})
                 .getResult();
    } else {
      AssignOp list =
          makeList(CollectKind::sortedList, element, {input}, access, {});
      setName(list.getResult(), name);
      made = rows ? makeRows(list, rows) : list.getResult();
    }
    setName(made, name);
    mapping.map(element, bind(made, access));
  }
  compute(term, mapping);
}

/// E[k, j] -> T[j, k], where T[j, k] = E[k, j], if the loop over k would step
/// across the rows of E.
void StatementSplitter::transposeDense() {
  b.setInsertionPoint(op);
  SmallVector<Attribute> accesses = llvm::to_vector(op.getAccesses());
  for (unsigned n = 0; n < op.getInputs().size(); ++n) {
    IndexNames access = storageAlongLoops(op, n).access;
    if (access.empty())
      continue;
    Value given = op.getInputs()[n];
    BlockArgument element = op.getBodyBlock()->getArgument(n);
    SmallVector<int64_t> shape(access.size(), ShapedType::kDynamic);
    auto type = RankedTensorType::get(shape, element.getType());
    AssignOp made = makeStatement(CollectKind::inOrder, type, element, {n},
                                  access, /*loops=*/{}, /*reduced=*/{});
    setName(made.getResult(), getName(given));
    op.getInputsMutable()[n].set(made.getResult());
    accesses[n] = b.getArrayAttr(access);
  }
  op.setAccessesAttr(b.getArrayAttr(accesses));
}

/// A name for the index of parts that no other index has.
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

/// The indices of loops over a result, and inside of them, that a term has.
static IndexNames namesOf(const LoopOrder &loops, const TermOrder &order) {
  IndexNames found;
  for (ArrayRef<Attribute> names :
       {ArrayRef(loops.result), ArrayRef(loops.inner)})
    llvm::copy_if(names, std::back_inserter(found), [&](Attribute index) {
      return llvm::is_contained(order.loops, index);
    });
  return found;
}

/// sum_j v -> T[result]     if sums can be collected as they come
///         -> sum_part E[result, part]    if each part can collect its own
///         -> sum_j E[result, j]
///
/// where T[result] = sum_j v, E[result, part] = sums of v, sorted, or
/// E[result, j] = v, sorted. The indices j are in the order of the loops, so
/// that the elements of a sum are sorted when they are listed, and are added up
/// in the order in which T would be. If other terms are summed, too, this one
/// has a dense T even where products are sorted, in a statement of its own: a
/// list would be merged with theirs, and sums would have another order.
void StatementSplitter::scatter(const Term &term, const TermOrder &order,
                                const LoopOrder &loops, bool isOnlySum) {
  IndexNames access = namesOf(loops, order), summed = term.reduced;
  bool hasSums = order.collects && isDense(op.getType()) && !isOnlySum;
  bool isList = !canCollect(order) && !hasSums;
  // The workspace of a part holds the coordinates of one level only.
  bool hasPartSums = order.collects && !isDense(op.getType()) &&
                     llvm::none_of(loops.inner, [&](Attribute index) {
                       return llvm::is_contained(order.loops, index);
                     });
  if (!isList) {
    summed.clear();
    // makeSums() stores T as the result: T needs the result's dimensions in
    // order.
    if (!isDense(op.getType()))
      access.assign(op.getResultAccess().begin(), op.getResultAccess().end());
  } else if (hasPartSums) {
    summed = {partIndex()};
  } else {
    llvm::sort(summed, [&](Attribute one, Attribute other) {
      return llvm::find(order.loops, one) < llvm::find(order.loops, other);
    });
  }
  llvm::append_range(access, summed);
  CollectKind list =
      hasPartSums ? CollectKind::partSums : CollectKind::sortedList;
  AssignOp made =
      isList ? makeList(list, term.value, term.inputs, access, order.loops)
             : makeSums(term, access, order.loops);
  MonoidAttr monoid = monoidOf(term).from(nullptr);
  if (hasPartSums && !monoid.isSum())
    made.setPartSumsAttr(monoid);
  setName(made.getResult(), isList ? "E" : "T");
  replace(term, bind(made.getResult(), access), summed);
  op.setWholeEntries(isList);
}

/// Inserts before the assignment: list[access] = value.
AssignOp StatementSplitter::makeList(CollectKind kind, Value value,
                                     ArrayRef<unsigned> inputs,
                                     ArrayRef<Attribute> access,
                                     ArrayRef<Attribute> loops) {
  RankedTensorType type = listType(access, value.getType(), inputs);
  AssignOp made = makeStatement(kind, type, value, inputs, access, loops, {});
  statements.push_back(made);
  return made;
}

/// Inserts before the assignment: T[access] = the sum of the term, where T is
/// stored as the result is.
AssignOp StatementSplitter::makeSums(const Term &term,
                                     ArrayRef<Attribute> access,
                                     ArrayRef<Attribute> loops) {
  SmallVector<int64_t> shape(access.size(), ShapedType::kDynamic);
  Attribute encoding;
  if (!isDense(op.getType()))
    encoding = op.getType().getEncoding();
  auto type = RankedTensorType::get(shape, term.value.getType(), encoding);
  CollectKind kind = encoding ? CollectKind::wholeRows : CollectKind::inOrder;
  AssignOp made = makeStatement(kind, type, term.value, term.inputs, access,
                                loops, term.reduced, monoidOf(term));
  statements.push_back(made);
  return made;
}
