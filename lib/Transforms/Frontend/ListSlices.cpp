//===- ListSlices.cpp - The entries of slices as lists --------------------===//
//
// Consumes `nacho.slice` of sparse tensors; leaves, for each of them, one
// statement that lists its entries:
//
//   S = A[offset : : stride]            S = A[offset : : stride]
//   y[i] = S[i, j] * x[j]         ->    E[i, j] = S[i, j]
//                                       y[i] = E[i, j] * x[j]
//
// The loops of that statement run over levels of A between the ends of the
// slice, and drop what the stride skips. No other statement has to know of
// either. So are the entries listed at a coordinate that is a number, which are
// else searched for at each coordinate of the loops around them:
//
//   Z[i, j] = A[m, j] * B[i, j]         E[j] = A[m, j] where m = 3
//       where m = 3               ->    Z[i, j] = E[j] * B[i, j]
//
//===----------------------------------------------------------------------===//

#include "LinalgMaps.h"

#include "nacho/Analysis/LoopOrder.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOLISTSLICES
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The width of a list's coordinates: 32 bits if those of the tensor, or all
/// extents of the slice, fit; else 64.
static unsigned widthOf(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  bool fits32 =
      encoding.getCrdWidth() == 32 ||
      llvm::all_of(type.getShape(), [](int64_t extent) {
        return !ShapedType::isDynamic(extent) && llvm::isInt<32>(extent);
      });
  return fits32 ? 32 : 64;
}

/// E[i, j] = S[i, j], whose dimensions are in the order of the slice's levels.
static AssignOp makeList(ImplicitLocOpBuilder &b, SliceOp slice) {
  RankedTensorType type = slice.getType();
  IndexNames access;
  for (unsigned n = 0; n < type.getRank(); ++n)
    access.push_back(indexName(b.getContext(), n));
  RankedTensorType list = listTensorType(type.getRank(), type.getRank(),
                                         type.getElementType(), widthOf(type));
  auto made = AssignOp::create(b, list, slice.getResult(), Value(),
                               b.getArrayAttr({b.getArrayAttr(access)}),
                               b.getArrayAttr(storageOrder(type, access)),
                               /*order=*/ArrayAttr(), CollectKind::sortedList);
  setName(made.getResult(), "E");
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&made.getBody());
  YieldOp::create(b, body->addArgument(type.getElementType(), b.getLoc()));
  return made;
}

/// Lets statements read the list, whose dimensions are in another order.
static void readList(SliceOp slice, AssignOp list) {
  Builder b(slice.getContext());
  auto isRead = [&](OpOperand &use) { return use.getOwner() != list; };
  for (OpOperand &use : llvm::make_early_inc_range(
           llvm::make_filter_range(slice->getUses(), isRead))) {
    auto op = cast<AssignOp>(use.getOwner());
    SmallVector<Attribute> accesses(op.getAccesses().getValue());
    Attribute &access = accesses[use.getOperandNumber()];
    access = b.getArrayAttr(
        storageOrder(slice.getType(), cast<ArrayAttr>(access).getValue()));
    op.setAccessesAttr(b.getArrayAttr(accesses));
    use.set(list.getResult());
  }
}

/// Whether an assignment starts from a slice, or another op reads it.
static Operation *findOtherUser(SliceOp slice) {
  for (OpOperand &use : slice->getUses()) {
    auto op = dyn_cast<AssignOp>(use.getOwner());
    if (!op || use.getOperandNumber() >= op.getInputs().size())
      return use.getOwner();
  }
  return nullptr;
}

/// Whether an index of a statement is a number.
static bool isNumber(AssignOp op, Attribute index) {
  DerivedIndexAttr equation = op.getEquation(index);
  return equation && equation.getSources().empty();
}

/// The indices of a sparse operand that are no numbers, in storage order; none
/// if there is no number among them, or nothing else.
static IndexNames indicesBesideNumbers(AssignOp op, unsigned input) {
  Type type = op.getInputs()[input].getType();
  IndexNames stored = storageOrder(type, op.getAccess(input)), rest;
  for (Attribute index : stored)
    if (!isNumber(op, index))
      rest.push_back(index);
  return rest.size() < stored.size() ? rest : IndexNames();
}

/// E[j] = A[m, j] where m = 3. The statement then reads E in place of A.
static void listAtNumbers(AssignOp op, unsigned input, const IndexNames &rest) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value tensor = op.getInputs()[input];
  auto type = cast<RankedTensorType>(tensor.getType());
  RankedTensorType list = listTensorType(rest.size(), rest.size(),
                                         type.getElementType(), widthOf(type));
  SmallVector<Attribute> numbers;
  for (Attribute index : op.getAccess(input))
    if (isNumber(op, index) && !llvm::is_contained(rest, index))
      numbers.push_back(op.getEquation(index));
  auto made = AssignOp::create(
      b, list, tensor, Value(), b.getArrayAttr(op.getAccesses()[input]),
      b.getArrayAttr(rest), /*order=*/ArrayAttr(), CollectKind::sortedList);
  made.setWhereAttr(b.getArrayAttr(numbers));
  setName(made.getResult(), "E");
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&made.getBody());
  YieldOp::create(b, body->addArgument(type.getElementType(), b.getLoc()));
  SmallVector<Attribute> accesses(op.getAccesses().getValue());
  accesses[input] = b.getArrayAttr(rest);
  op.setAccessesAttr(b.getArrayAttr(accesses));
  op->setOperand(input, made.getResult());
}

/// Drops the equations of numbers that no operand has as an index any more.
static void dropUnused(AssignOp op) {
  SmallVector<Attribute> used;
  for (Attribute equation : op.getEquations()) {
    Attribute index = cast<DerivedIndexAttr>(equation).getIndex();
    bool isRead = llvm::any_of(op.getAccesses(), [&](Attribute access) {
      return llvm::is_contained(cast<ArrayAttr>(access), index);
    });
    if (isRead || !isNumber(op, index))
      used.push_back(equation);
  }
  op.setWhereAttr(used.empty() ? ArrayAttr()
                               : ArrayAttr::get(op.getContext(), used));
}

/// Lists what a statement reads at numbers, if it reads something else as well.
static void listNumbers(AssignOp op) {
  auto hasIndices = [](Value input) {
    return cast<RankedTensorType>(input.getType()).getRank() > 0;
  };
  if (!op.getWhere() || llvm::count_if(op.getInputs(), hasIndices) < 2)
    return;
  for (unsigned input = 0; input < op.getInputs().size(); ++input) {
    if (isDense(cast<RankedTensorType>(op.getInputs()[input].getType())))
      continue;
    IndexNames rest = indicesBesideNumbers(op, input);
    if (!rest.empty())
      listAtNumbers(op, input, rest);
  }
  dropUnused(op);
}

namespace {
struct ListSlices : nacho::impl::NachoListSlicesBase<ListSlices> {
  void runOnOperation() override {
    SmallVector<SliceOp> slices;
    getOperation().walk([&](SliceOp op) {
      if (!isDense(op.getType()) && !op.use_empty())
        slices.push_back(op);
    });
    for (SliceOp slice : slices) {
      if (Operation *other = findOtherUser(slice)) {
        other->emitOpError("reads a slice, which only assignments can, and not "
                           "to start from");
        return signalPassFailure();
      }
      ImplicitLocOpBuilder b(slice.getLoc(), slice);
      b.setInsertionPointAfter(slice);
      readList(slice, makeList(b, slice));
    }
    SmallVector<AssignOp> statements;
    getOperation().walk([&](AssignOp op) { statements.push_back(op); });
    llvm::for_each(statements, listNumbers);
  }
};
} // namespace
