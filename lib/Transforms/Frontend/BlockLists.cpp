//===- BlockLists.cpp - Lists between entries and blocks ------------------===//
//
// A sparse tensor that is not stored in blocks can share an index with one that
// is. The entries of an operand are listed by the parts of their indices:
//
//   E[k0, k1] = A[k]   where (k0 = k floordiv 2, k1 = k - 2 * k0)
//
// and those of a result are listed by its indices again:
//
//   E[i] = Z[i0, i1]   where (i = 2 * i0 + i1)
//
//===----------------------------------------------------------------------===//

#include "BlockLists.h"

#include "nacho/Analysis/LoopOrder.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nacho;

namespace {
/// A statement with one operand, which is being built. Its other operands have
/// the extents of the indices that follow from others.
class ListBuilder {
public:
  ListBuilder(AssignOp op, Value tensor, ArrayRef<Attribute> access)
      : b(withoutName(op.getLoc()), op.getContext()), inputs({tensor}) {
    b.setInsertionPoint(op);
    accesses.push_back(b.getArrayAttr(access));
  }

  /// index = (sum of factors * sources) floordiv divisor
  void derive(StringAttr index, ArrayRef<StringAttr> sources,
              ArrayRef<int64_t> factors, int64_t divisor, OpFoldResult extent) {
    equations.push_back(DerivedIndexAttr::get(b.getContext(), index, sources,
                                              factors, /*constant=*/0, divisor,
                                              /*rounds=*/divisor != 1));
    Value given = dyn_cast<Value>(extent);
    int64_t known = given ? ShapedType::kDynamic : *getConstantIntValue(extent);
    inputs.push_back(CoordinatesOp::create(
        b, RankedTensorType::get({known}, b.getI64Type()), given));
    accesses.push_back(b.getArrayAttr(index));
  }

  AssignOp build(RankedTensorType type, ArrayRef<Attribute> access,
                 Value init = {});

  ImplicitLocOpBuilder b;

private:
  SmallVector<Value> inputs;
  SmallVector<Attribute> accesses, equations;
};
} // namespace

AssignOp ListBuilder::build(RankedTensorType type, ArrayRef<Attribute> access,
                            Value init) {
  auto kind =
      equations.empty() ? CollectKind::inOrder : CollectKind::sortedList;
  auto made =
      AssignOp::create(b, type, inputs, init, b.getArrayAttr(accesses),
                       b.getArrayAttr(access), /*order=*/ArrayAttr(), kind);
  if (!equations.empty())
    made.setWhereAttr(b.getArrayAttr(equations));
  SmallVector<Type> elements;
  for (Value input : inputs)
    elements.push_back(
        cast<RankedTensorType>(input.getType()).getElementType());
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&made.getBody(), {}, elements,
                              SmallVector<Location>(inputs.size(), b.getLoc()));
  YieldOp::create(b, body->getArgument(0));
  return made;
}

static const SplitIndex *find(ArrayRef<SplitIndex> indices, Attribute index) {
  const auto *found = llvm::find_if(
      indices, [&](const SplitIndex &split) { return split.index == index; });
  return found == indices.end() ? nullptr : found;
}

/// The type of a list of the entries of a tensor, accessed by `access`.
static RankedTensorType listOf(RankedTensorType type,
                               ArrayRef<Attribute> access) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  return listTensorType(access.size(), access.size(), type.getElementType(),
                        encoding.getCrdWidth() == 32 ? 32 : 64);
}

/// The indices by which a list has the entries of a tensor, in the order in
/// which they are stored. The parts of an index take its place.
static SmallVector<Attribute> splitAccess(RankedTensorType type,
                                          ArrayRef<Attribute> access,
                                          ArrayRef<SplitIndex> indices) {
  llvm::SetVector<Attribute> parts;
  for (Attribute index : storageOrder(type, access)) {
    const SplitIndex *split = find(indices, index);
    if (split)
      parts.insert_range(ArrayRef<Attribute>{split->block, split->inside});
    else
      parts.insert(index);
  }
  return parts.takeVector();
}

/// The number of blocks of a dimension, rounded up: every entry lies in one.
static OpFoldResult numBlocks(ImplicitLocOpBuilder &b, Value tensor,
                              unsigned dimension, int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dimension))
    return b.getIndexAttr(type.getDimSize(dimension) / size);
  Value extent = tensor::DimOp::create(b, tensor, dimension);
  Number last(b, size - 1), divisor(b, size);
  return (Number(b, extent) + last) / divisor;
}

void nacho::listOperand(AssignOp op, unsigned number,
                        ArrayRef<SplitIndex> indices) {
  Value tensor = op.getInputs()[number];
  auto type = cast<RankedTensorType>(tensor.getType());
  ArrayRef<Attribute> access = op.getAccess(number);
  ListBuilder list(op, tensor, access);
  ImplicitLocOpBuilder &b = list.b;
  for (const SplitIndex &split : indices) {
    const auto *found = llvm::find(access, split.index);
    if (found == access.end())
      continue;
    unsigned dimension = found - access.begin();
    list.derive(split.block, split.index, 1, split.size,
                numBlocks(b, tensor, dimension, split.size));
    list.derive(split.inside, {split.index, split.block}, {1, -split.size}, 1,
                b.getIndexAttr(split.size));
  }
  SmallVector<Attribute> parts = splitAccess(type, access, indices);
  AssignOp made = list.build(listOf(type, parts), parts);
  setName(made.getResult(), "E");
  op.getInputsMutable()[number].set(made.getResult());
  SmallVector<Attribute> accesses(op.getAccesses().getValue());
  accesses[number] = b.getArrayAttr(parts);
  op.setAccessesAttr(b.getArrayAttr(accesses));
}

void nacho::listResult(AssignOp op, ArrayRef<SplitIndex> indices,
                       ArrayRef<OpFoldResult> extents) {
  RankedTensorType type = op.getType();
  SmallVector<Attribute> access(op.getResultAccess().getValue());
  SmallVector<Attribute> parts = splitAccess(type, access, indices);
  ListBuilder list(op, op.getResult(), parts);
  ImplicitLocOpBuilder &b = list.b;
  b.setInsertionPointAfter(op);
  for (const SplitIndex &split : indices) {
    const auto *found = llvm::find(access, split.index);
    if (found != access.end())
      list.derive(split.index, {split.block, split.inside}, {split.size, 1}, 1,
                  extents[found - access.begin()]);
  }
  IndexNames order = storageOrder(type, access);
  AssignOp joined = list.build(listOf(type, order), order);
  setName(joined.getResult(), "E");
  ListBuilder whole(op, joined.getResult(), order);
  whole.b.setInsertionPointAfter(joined);
  AssignOp made = whole.build(type, access, op.getInit());
  op.getResult().replaceAllUsesExcept(made.getResult(), joined);
  op.getInitMutable().clear();
  op.getResult().setType(listOf(type, parts));
  op.setResultAccessAttr(b.getArrayAttr(parts));
}
