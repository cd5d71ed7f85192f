//===- FromLinalg.cpp - linalg.generic to tensor index notation -----------===//
//
// Consumes `linalg.generic` (and named ops, as what they generalise to) whose
// maps are lists of dimensions and whose bodies the notation has operators for;
// leaves `nacho.assign`. This is what users of MLIR's own sparsifier write.
//
//===----------------------------------------------------------------------===//

#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// (d0, d1) -> (d1, d0) as [j, i]; null if it is anything but dimensions.
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

/// Nothing to add to: an empty tensor, or one filled with zeros.
static bool isZero(Value value) {
  if (value.getDefiningOp<tensor::EmptyOp>())
    return true;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs().front(), m_AnyZeroFloat()) ||
           matchPattern(fill.getInputs().front(), m_Zero());
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

namespace {
/// Translates one op.
class GenericTranslator {
public:
  GenericTranslator(linalg::GenericOp op)
      : op(op), b(op.getLoc(), op), out(op.getBlock()->getArguments().back()) {}

  FailureOr<AssignOp> translate();

private:
  LogicalResult findAccesses();
  LogicalResult findUpdate();
  LogicalResult translateBody();
  Value translateOp(Operation &nested);

  linalg::GenericOp op;
  ImplicitLocOpBuilder b;
  BlockArgument out;
  SmallVector<Attribute> accesses;
  ArrayAttr resultAccess;
  Operation *update = nullptr; ///< What adds to the output.
  Value updated;               ///< What it adds.
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

/// out + v, or v + out, where nothing else reads the output.
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
  updated = sum->getOperand(sum->getOperand(0) == out ? 1 : 0);
  return success();
}

/// The comparison of the notation, in which a NaN is equal to nothing.
static std::optional<CompareKind> comparisonOf(arith::CmpFOp op) {
  switch (op.getPredicate()) {
  case arith::CmpFPredicate::OLT:
    return CompareKind::lt;
  case arith::CmpFPredicate::OLE:
    return CompareKind::le;
  case arith::CmpFPredicate::OGT:
    return CompareKind::gt;
  case arith::CmpFPredicate::OGE:
    return CompareKind::ge;
  case arith::CmpFPredicate::OEQ:
    return CompareKind::eq;
  case arith::CmpFPredicate::UNE:
    return CompareKind::ne;
  default:
    return {};
  }
}

/// Integers without a sign are signed ones in the notation.
static std::optional<CompareKind> comparisonOf(arith::CmpIOp op) {
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return CompareKind::lt;
  case arith::CmpIPredicate::sle:
    return CompareKind::le;
  case arith::CmpIPredicate::sgt:
    return CompareKind::gt;
  case arith::CmpIPredicate::sge:
    return CompareKind::ge;
  case arith::CmpIPredicate::eq:
    return CompareKind::eq;
  case arith::CmpIPredicate::ne:
    return CompareKind::ne;
  default:
    return {};
  }
}

static std::optional<BinaryKind> binaryOf(Operation &op) {
  return llvm::TypeSwitch<Operation *, std::optional<BinaryKind>>(&op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return BinaryKind::add; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return BinaryKind::sub; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return BinaryKind::mul; })
      .Case<arith::DivFOp>([](auto) { return BinaryKind::div; })
      .Case<arith::MinimumFOp, arith::MinSIOp>(
          [](auto) { return BinaryKind::min; })
      .Case<arith::MaximumFOp, arith::MaxSIOp>(
          [](auto) { return BinaryKind::max; })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<UnaryKind> unaryOf(Operation &op) {
  return llvm::TypeSwitch<Operation *, std::optional<UnaryKind>>(&op)
      .Case<arith::NegFOp>([](auto) { return UnaryKind::neg; })
      .Case<math::AbsFOp, math::AbsIOp>([](auto) { return UnaryKind::abs; })
      .Case<math::SqrtOp>([](auto) { return UnaryKind::sqrt; })
      .Case<math::ExpOp>([](auto) { return UnaryKind::exp; })
      .Case<math::LogOp>([](auto) { return UnaryKind::log; })
      .Case<math::SinOp>([](auto) { return UnaryKind::sin; })
      .Case<math::CosOp>([](auto) { return UnaryKind::cos; })
      .Case<math::TanhOp>([](auto) { return UnaryKind::tanh; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The op of the notation for an op of arith or math; null if there is none.
Value GenericTranslator::translateOp(Operation &nested) {
  // The sum of booleans is another one in the notation, and so are their sign
  // and their order.
  bool isOfBooleans = llvm::any_of(nested.getOperandTypes(),
                                   [](Type type) { return type.isInteger(1); });
  if (isOfBooleans && !isa<arith::SelectOp>(nested))
    return {};
  SmallVector<Value> args;
  for (Value operand : nested.getOperands())
    args.push_back(mapping.lookupOrNull(operand));
  if (llvm::is_contained(args, Value()))
    return {};
  if (std::optional<BinaryKind> kind = binaryOf(nested))
    return BinaryOp::createCommutative(b, *kind, args[0], args[1]);
  if (std::optional<UnaryKind> kind = unaryOf(nested))
    return UnaryOp::create(b, *kind, args[0]);
  auto compare = [&](std::optional<CompareKind> kind) {
    return kind ? Value(CompareOp::create(b, *kind, args[0], args[1]))
                : Value();
  };
  return llvm::TypeSwitch<Operation *, Value>(&nested)
      .Case<arith::CmpFOp, arith::CmpIOp>(
          [&](auto comparison) { return compare(comparisonOf(comparison)); })
      .Case([&](arith::SelectOp) -> Value {
        return SelectOp::create(b, args[0], args[1], args[2]);
      })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::SIToFPOp>(
          [&](Operation *cast) -> Value {
            return CastOp::create(b, cast->getResult(0).getType(), args[0]);
          })
      .Case([&](arith::ConstantOp constant) -> Value {
        return b.clone(*constant)->getResult(0);
      })
      .Default([](Operation *) { return Value(); });
}

LogicalResult GenericTranslator::translateBody() {
  for (Operation &nested : op.getBlock()->without_terminator()) {
    if (&nested == update)
      continue;
    Value value = translateOp(nested);
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
      update ? updated : op.getBlock()->getTerminator()->getOperand(0);
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

/// The producers of outputs that are not needed any more.
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
