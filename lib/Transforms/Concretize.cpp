//===- Concretize.cpp - Tensor index notation to coiterative loops --------===//
//
// Consumes `nacho.assign`; leaves one `nacho.nest` per statement, its loops in
// the order in which the operands store their dimensions. Operands that would
// have to be transposed, reduced or broadcast are refused.
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/Algebra.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Level.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOCONCRETIZE
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

using IndexNames = SmallVector<Attribute>;

static std::string toText(ArrayRef<Attribute> names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(names, os, [&](Attribute name) {
    os << cast<StringAttr>(name).getValue();
  });
  os << ')';
  return text;
}

/// The indices of an access in the order in which the tensor's levels store
/// them.
static FailureOr<IndexNames> storageOrder(AssignOp op, const Twine &what,
                                          Type type,
                                          ArrayRef<Attribute> access) {
  auto tensor = cast<RankedTensorType>(type);
  auto encoding = sparse_tensor::getSparseTensorEncoding(tensor);
  if (!encoding || !encoding.isPermutation() || !hasSupportedLevels(tensor))
    return op.emitOpError()
           << what << " of type " << tensor
           << " must have an encoding with dense and compressed levels";
  IndexNames names;
  for (unsigned level = 0, rank = tensor.getRank(); level < rank; ++level)
    names.push_back(access[sparse_tensor::toDim(encoding, level)]);
  return names;
}

/// The loops, outermost first: the order in which every operand, and the
/// result, stores its indices.
static FailureOr<IndexNames> chooseLoopOrder(AssignOp op) {
  FailureOr<IndexNames> order = storageOrder(op, "the result", op.getType(),
                                             op.getResultAccess().getValue());
  if (failed(order))
    return failure();
  for (auto [n, operand] : llvm::enumerate(op.getOperands())) {
    ArrayRef<Attribute> access = op.getAccess(n);
    if (access.empty())
      continue;
    std::string what = "operand " + std::to_string(n);
    FailureOr<IndexNames> stored =
        storageOrder(op, what, operand.getType(), access);
    if (failed(stored))
      return failure();
    for (Attribute index : *stored)
      if (!llvm::is_contained(*order, index))
        return op.emitOpError() << what << " is reduced over index " << index
                                << ", which is not supported";
    for (Attribute index : *order)
      if (!llvm::is_contained(*stored, index))
        return op.emitOpError() << what << " is broadcast over index " << index
                                << ", which is not supported";
    if (*stored != *order)
      return op.emitOpError()
             << what << " is stored in the order " << toText(*stored)
             << " but the loops run in the order " << toText(*order)
             << ", which would need a transposition";
  }
  return order;
}

namespace {
/// Builds the loops of one assignment.
class NestBuilder {
public:
  NestBuilder(AssignOp op, IRRewriter &rewriter)
      : op(op), b(withoutName(op.getLoc()), rewriter), algebra(op) {}

  LogicalResult build();

private:
  void buildLoops(ArrayRef<Attribute> order, ValueRange fibers);
  void buildBody(ValueRange elements);
  std::string operandName(unsigned n);

  AssignOp op;
  ImplicitLocOpBuilder b;
  ElementAlgebra algebra;
  MergeAttr merge;                ///< Over the iterated operands.
  SmallVector<unsigned> iterated; ///< Operands of the assignment with levels.
  SmallVector<Value> coordinates;
};
} // namespace

LogicalResult NestBuilder::build() {
  FailureOr<IndexNames> order = chooseLoopOrder(op);
  if (failed(order))
    return failure();
  Value yielded = op.getBodyBlock()->getTerminator()->getOperand(0);
  const ElementFacts &result = algebra.get(yielded);
  if (!result.isZeroPreserving())
    return op.emitOpError("is not zero where all operands are, so that its "
                          "result would be dense");
  if (isNever(result.pattern))
    return op.emitOpError("needs a sparse operand");

  SmallVector<Value> roots;
  DenseMap<unsigned, unsigned> numbers;
  for (auto [n, operand] : llvm::enumerate(op.getOperands())) {
    if (op.getAccess(n).empty() ||
        op.getBodyBlock()->getArgument(n).use_empty())
      continue;
    numbers[n] = iterated.size();
    iterated.push_back(n);
    NameScope name(b, operandName(n) + "0");
    roots.push_back(RootOp::create(b, operand));
  }
  merge = mapLeaves(result.pattern, [&](unsigned n) { return numbers[n]; });

  auto nest = NestOp::create(b, op.getType(), Value());
  nest->setLoc(op.getLoc());
  b.createBlock(&nest.getBody());
  buildLoops(*order, roots);
  YieldOp::create(b);
  op.replaceAllUsesWith(nest.getResult());
  return success();
}

/// The user's name of an operand, or a letter.
std::string NestBuilder::operandName(unsigned n) {
  std::string name = getName(op.getOperand(n));
  if (!name.empty())
    return name;
  return n < 26 ? std::string(1, 'A' + n) : "T" + std::to_string(n);
}

void NestBuilder::buildLoops(ArrayRef<Attribute> order, ValueRange fibers) {
  if (order.empty())
    return buildBody(fibers);
  OpBuilder::InsertionGuard guard(b);
  auto loop = CoiterateOp::create(b, fibers, merge);
  coordinates.push_back(loop.getCoordinate());
  setName(loop.getCoordinate(), cast<StringAttr>(order.front()).getValue());
  b.setInsertionPointToStart(loop.getBodyBlock());
  buildLoops(order.drop_front(), loop.getChildren());
  YieldOp::create(b);
}

/// Loads the operands, repeats the body, and restricts those products to their
/// pattern that the coordinates visited do not already restrict.
void NestBuilder::buildBody(ValueRange elements) {
  IRMapping mapping;
  for (auto [n, element] : llvm::zip(iterated, elements)) {
    NameScope name(b, StringRef(operandName(n)).lower());
    mapping.map(op.getBodyBlock()->getArgument(n), LoadOp::create(b, element));
  }
  for (auto [n, operand] : llvm::enumerate(op.getOperands()))
    if (op.getAccess(n).empty())
      mapping.map(op.getBodyBlock()->getArgument(n),
                  tensor::ExtractOp::create(b, operand, ValueRange()));

  Operation *yield = op.getBodyBlock()->getTerminator();
  MergeAttr visited = algebra.get(yield->getOperand(0)).pattern;
  for (Operation &nested : op.getBodyBlock()->without_terminator()) {
    Operation *copy = b.clone(nested, mapping);
    for (auto [value, result] :
         llvm::zip(nested.getResults(), copy->getResults())) {
      if (!algebra.needsRestriction(value, visited))
        continue;
      SmallVector<Value> fibers;
      MergeAttr pattern =
          mapLeaves(algebra.get(value).pattern, [&](unsigned n) {
            Value fiber = elements[llvm::find(iterated, n) - iterated.begin()];
            auto known = llvm::find(fibers, fiber);
            unsigned number = known - fibers.begin();
            if (known == fibers.end())
              fibers.push_back(fiber);
            return number;
          });
      mapping.map(value, RestrictOp::create(b, result.getType(), result, fibers,
                                            pattern));
    }
  }
  Value value = mapping.lookupOrDefault(yield->getOperand(0));
  AppendOp::create(b, value, coordinates);
}

namespace {
struct Concretize : nacho::impl::NachoConcretizeBase<Concretize> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    WalkResult result = getOperation().walk([&](AssignOp op) {
      rewriter.setInsertionPoint(op);
      if (failed(NestBuilder(op, rewriter).build()))
        return WalkResult::interrupt();
      op.erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
