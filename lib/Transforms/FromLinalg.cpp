//===- FromLinalg.cpp - linalg.generic to tensor index notation -----------===//
//
// Consumes `linalg.generic`, and named ops after generalising them; leaves
// `nacho.assign`. Indexing maps must be lists of dimensions. Bodies must
// consist of ops of arith and math for which the table of operators has an
// operator. Users of MLIR's own sparsifier write such ops.
//
//===----------------------------------------------------------------------===//

#include "LinalgBody.h"

#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOFROMLINALG
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// i, j, k, ..., and from the thirteenth on d12, d13, ...
static StringAttr indexName(MLIRContext *context, unsigned dimension) {
  StringRef letters = "ijklmnopqrst";
  if (dimension < letters.size())
    return StringAttr::get(context, letters.substr(dimension, 1));
  return StringAttr::get(context, "d" + Twine(dimension));
}

/// (d0, d1) -> (d1, d0) as [j, i]; null if a result of the map is not just a
/// dimension.
static ArrayAttr accessOf(AffineMap map) {
  SmallVector<Attribute> names;
  for (AffineExpr expr : map.getResults()) {
    auto dimension = dyn_cast<AffineDimExpr>(expr);
    if (!dimension)
      return {};
    names.push_back(indexName(map.getContext(), dimension.getPosition()));
  }
  return ArrayAttr::get(map.getContext(), names);
}

/// Whether a tensor is uninitialised or all zeros, so that adding to it is the
/// same as assigning.
static bool isZero(Value value) {
  if (value.getDefiningOp<tensor::EmptyOp>())
    return true;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs().front(), m_AnyZeroFloat()) ||
           matchPattern(fill.getInputs().front(), m_Zero());
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

namespace {
/// Translates one `linalg.generic`.
class GenericTranslator {
public:
  GenericTranslator(linalg::GenericOp op)
      : op(op), b(op.getLoc(), op), out(op.getBlock()->getArguments().back()) {}

  FailureOr<AssignOp> translate();

private:
  LogicalResult findAccesses();
  LogicalResult findUpdate();
  LogicalResult translateBody();

  linalg::GenericOp op;
  ImplicitLocOpBuilder b;
  BlockArgument out;
  SmallVector<Attribute> accesses;
  ArrayAttr resultAccess;
  Operation *update = nullptr; ///< The op that adds to the output.
  Value added;                 ///< The value that it adds.
  IRMapping mapping;
};
} // namespace

LogicalResult GenericTranslator::findAccesses() {
  if (op.getNumDpsInits() != 1 || op.getNumResults() != 1)
    return op.emitOpError("must have one result to become an assignment");
  for (OpOperand &operand : op->getOpOperands()) {
    ArrayAttr access = accessOf(op.getMatchingIndexingMap(&operand));
    if (!isa<RankedTensorType>(operand.get().getType()))
      return op.emitOpError() << "operand " << operand.getOperandNumber()
                              << " is no ranked tensor";
    if (!access)
      return op.emitOpError()
             << "the indexing map of operand " << operand.getOperandNumber()
             << " has more than dimensions: not supported";
    if (op.isDpsInit(&operand))
      resultAccess = access;
    else
      accesses.push_back(access);
  }
  return success();
}

/// Finds the only op that reads the output, which must be out + v or v + out.
LogicalResult GenericTranslator::findUpdate() {
  if (out.use_empty()) {
    if (op.getNumReductionLoops() != 0)
      return op.emitOpError("reduces without reading its output");
    return success();
  }
  Operation *yield = op.getBlock()->getTerminator();
  Operation *sum = yield->getOperand(0).getDefiningOp();
  bool isSum = !out.getType().isInteger(1) && out.hasOneUse() &&
               *out.user_begin() == sum &&
               isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum);
  if (!isSum)
    return op.emitOpError(
        "can only use its output by adding to it: not supported");
  update = sum;
  added = sum->getOperand(sum->getOperand(0) == out ? 1 : 0);
  return success();
}

LogicalResult GenericTranslator::translateBody() {
  for (Operation &nested : op.getBlock()->without_terminator()) {
    if (&nested == update)
      continue;
    Value value = translateElementOp(b, nested, mapping);
    if (!value)
      return op.emitOpError()
             << "has " << nested.getName() << " in its body: not supported";
    mapping.map(nested.getResult(0), value);
  }
  return success();
}

FailureOr<AssignOp> GenericTranslator::translate() {
  if (failed(findAccesses()) || failed(findUpdate()))
    return failure();
  Value init = op.getDpsInitOperand(0)->get();
  if (!update || isZero(init))
    init = Value();
  auto assign = AssignOp::create(b, op.getResult(0).getType(), op.getInputs(),
                                 init, b.getArrayAttr(accesses), resultAccess,
                                 /*order=*/ArrayAttr());
  Block *body = b.createBlock(&assign.getBody());
  for (BlockArgument arg : op.getBlock()->getArguments().drop_back())
    mapping.map(arg, body->addArgument(arg.getType(), arg.getLoc()));
  if (failed(translateBody())) {
    assign.erase();
    return failure();
  }
  Value yielded =
      update ? added : op.getBlock()->getTerminator()->getOperand(0);
  Value value = mapping.lookupOrNull(yielded);
  if (!value) {
    assign.erase();
    return op.emitOpError("yields a value from outside: not supported");
  }
  SmallVector<Attribute> reduced;
  for (auto [dimension, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      reduced.push_back(indexName(b.getContext(), dimension));
  if (!reduced.empty())
    value =
        ReduceOp::create(b, BinaryKind::add, value, b.getArrayAttr(reduced));
  YieldOp::create(b, value);
  return assign;
}

/// Erases the ops that made initial outputs, if nothing uses them any more.
static void eraseDead(ArrayRef<Value> outputs) {
  for (Value output : outputs) {
    Operation *producer = output.getDefiningOp();
    if (producer && producer->use_empty() &&
        isa<tensor::EmptyOp, linalg::FillOp>(producer)) {
      SmallVector<Value> operands(producer->getOperands());
      producer->erase();
      eraseDead(operands);
    }
  }
}

namespace {
struct FromLinalg : nacho::impl::NachoFromLinalgBase<FromLinalg> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::FillOp>(op.getOperation()))
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::GenericOp> made =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(made)) {
          op.emitOpError("cannot become an assignment: not supported");
          return signalPassFailure();
        }
        generic = *made;
      }
      FailureOr<AssignOp> assign = GenericTranslator(generic).translate();
      if (failed(assign))
        return signalPassFailure();
      SmallVector<Value> outputs(generic.getOutputs());
      rewriter.replaceOp(generic, assign->getResult());
      eraseDead(outputs);
    }
  }
};
} // namespace
