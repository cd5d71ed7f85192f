//===- FromLinalg.cpp - linalg.generic to tensor index notation -----------===//
//
// Consumes `linalg.generic`, and named ops after generalising them; leaves
// `nacho.assign`. Indexing maps must be linear (LinalgMaps.cpp). Bodies must
// consist of ops for which the table of operators has an operator
// (LinalgBody.cpp), or which depend on what is stored (LinalgSemirings.cpp).
// LinalgOutput.cpp says what they do with their output. Users of MLIR's own
// sparsifier write such ops.
//
//===----------------------------------------------------------------------===//

#include "LinalgMaps.h"
#include "LinalgMonoids.h"
#include "LinalgNumbers.h"
#include "LinalgOutput.h"
#include "LinalgSemirings.h"
#include "LinalgSlices.h"
#include "nacho/Analysis/Algebra.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Errors.h"
#include "nacho/IR/Operators.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOFROMLINALG
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// Translates one `linalg.generic`.
class GenericTranslator {
public:
  GenericTranslator(linalg::GenericOp op)
      : op(op), maps(op), outer(op.getLoc(), op),
        b(op.getLoc(), op.getContext()), body(&region.emplaceBlock()),
        semirings(b, mapping,
                  [this](Value number) { return bindNumber(number); }) {
    b.setInsertionPointToStart(body);
  }

  FailureOr<AssignOp> translate();

private:
  LogicalResult findAccesses();
  LogicalResult findUpdate();
  LogicalResult translateBody();
  LogicalResult translateOp(Operation &nested);
  Value translateOutput();
  Value bind(Value tensor, ArrayAttr access);
  Value bindNumber(Value number);
  Value bindCoordinate(unsigned dimension);
  Value bindStart(Type type);
  void bindMissing();
  Value buildConstant(TypedAttr element);
  bool isOutside(Value value);
  ArrayAttr reducedIndices();
  bool updatesInit() const;

  linalg::GenericOp op;
  LinalgMaps maps;
  ImplicitLocOpBuilder outer; ///< Builds before the linalg op.
  ImplicitLocOpBuilder b;     ///< Builds in the body of the assignment.
  Region region;              ///< Will be the body of the assignment.
  Block *body;
  SmallVector<Value> inputs;
  SmallVector<Attribute> accesses;
  ArrayAttr resultAccess;
  Value init;
  OutputStart start;
  std::optional<OutputUpdate> update;
  /// An update by an operator of its own, which begins from a number of its
  /// own; null if there is none.
  sparse_tensor::ReduceOp reduction;
  MonoidAttr monoid; ///< The operator of the reduction.
  IRMapping mapping;
  SemiringTranslator semirings;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult GenericTranslator::findAccesses() {
  if (op.getNumDpsInits() != 1 || op.getNumResults() != 1)
    return op.emitOpError("must have one result to become an assignment");
  FailureOr<SmallVector<LinalgOperand>> operands = maps.read();
  if (failed(operands))
    return failure();
  for (const LinalgOperand &operand : *operands) {
    Value value = operand.value;
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (tensor &&
        !isa<IntegerType, FloatType, ComplexType>(tensor.getElementType()))
      return unsupported(op.emitOpError()
                         << "operand " << operand.operand->getOperandNumber()
                         << " has elements of " << tensor.getElementType()
                         << ": not supported");
    if (op.isDpsInit(operand.operand)) {
      resultAccess = operand.access;
      continue;
    }
    if (maps.isOnlyShape(operand))
      continue;
    BlockArgument element = op.getMatchingBlockArgument(operand.operand);
    mapping.map(element,
                tensor ? bind(value, operand.access) : bindNumber(value));
  }
  return success();
}

/// Makes a tensor an operand of the assignment. Coordinates are the last ones:
/// they are no arguments of the function.
Value GenericTranslator::bind(Value tensor, ArrayAttr access) {
  unsigned place = inputs.size();
  if (!tensor.getDefiningOp<CoordinatesOp>())
    place -= llvm::count_if(inputs, [](Value input) {
      return input.getDefiningOp<CoordinatesOp>() != nullptr;
    });
  inputs.insert(inputs.begin() + place, tensor);
  accesses.insert(accesses.begin() + place, access);
  auto type = cast<RankedTensorType>(tensor.getType());
  return body->insertArgument(place, type.getElementType(), op.getLoc());
}

Value GenericTranslator::buildConstant(TypedAttr element) {
  if (isa<IndexType>(element.getType()))
    element = b.getI64IntegerAttr(cast<IntegerAttr>(element).getInt());
  return arith::ConstantOp::create(b, element);
}

/// Makes a number that is computed outside of the body a constant, if it is
/// one, or else an operand without indices. Null for what is no number.
Value GenericTranslator::bindNumber(Value number) {
  if (!isa<IntegerType, IndexType, FloatType, ComplexType>(number.getType()))
    return {};
  TypedAttr element;
  if (matchPattern(number, m_Constant(&element)))
    return buildConstant(element);
  if (auto constant = number.getDefiningOp<complex::ConstantOp>())
    return b.clone(*constant)->getResult(0);
  ArrayAttr access = b.getArrayAttr({});
  if (auto extract = number.getDefiningOp<tensor::ExtractOp>();
      extract && extract.getIndices().empty())
    return bind(extract.getTensor(), access);
  Type type = notationType(number.getType());
  if (number.getType() != type)
    number = Number(outer, number).asSigned(type);
  return bind(tensor::FromElementsOp::create(
                  outer, RankedTensorType::get({}, type), number),
              access);
}

bool GenericTranslator::isOutside(Value value) {
  return !op.getRegion().isAncestor(value.getParentRegion());
}

/// Makes the coordinates of a dimension an operand: its elements are numbers of
/// which nothing is stored.
Value GenericTranslator::bindCoordinate(unsigned dimension) {
  return bind(coordinatesOf(outer, op, dimension),
              b.getArrayAttr(indexName(op.getContext(), dimension)));
}

/// Makes coordinates operands, for the indices of the result, or in equations,
/// that no other operand has: these give the extents of loops.
void GenericTranslator::bindMissing() {
  llvm::SmallDenseSet<Attribute> bound, needed;
  for (Attribute access : accesses)
    bound.insert_range(cast<ArrayAttr>(access));
  if (init)
    bound.insert_range(resultAccess);
  needed.insert_range(resultAccess);
  for (Attribute equation : maps.getEquations())
    needed.insert_range(cast<DerivedIndexAttr>(equation).getSources());
  for (unsigned dimension = 0; dimension < op.getNumLoops(); ++dimension) {
    StringAttr index = indexName(op.getContext(), dimension);
    if (needed.contains(index) && !bound.contains(index))
      bindCoordinate(dimension);
  }
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

LogicalResult GenericTranslator::translateOp(Operation &nested) {
  if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
    mapping.map(index, bindCoordinate(index.getDim()));
    return success();
  }
  if (semirings.takes(nested))
    return semirings.translate(nested);
  Value value = translateElementOp(b, nested, mapping);
  if (!value)
    return unsupported(op.emitOpError() << "has " << nested.getName()
                                        << " in its body: not supported");
  mapping.map(nested.getResult(0), value);
  return success();
}

LogicalResult GenericTranslator::translateBody() {
  for (Operation &nested : op.getBlock()->getOperations()) {
    bool isReduction = reduction && &nested == reduction.getOperation();
    for (Value operand : nested.getOperands())
      if (isOutside(operand) && !mapping.contains(operand) &&
          !(isReduction && isConstant(operand)))
        mapping.map(operand, bindNumber(operand));
    bool isLast = isReduction || isa<linalg::YieldOp>(nested) ||
                  (update && update->contains(&nested));
    if (isLast)
      llvm::for_each(nested.getOperands(),
                     [&](Value operand) { semirings.keep(operand); });
    else if (failed(translateOp(nested)))
      return failure();
  }
  return success();
}

/// The indices that the output does not have. What an op calls its loops does
/// not matter: MLIR's sparsifier takes sums whose loops are called parallel.
ArrayAttr GenericTranslator::reducedIndices() {
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<Attribute> reduced;
  for (unsigned dimension = 0; dimension < op.getNumLoops(); ++dimension)
    if (!output.isFunctionOfDim(dimension))
      reduced.push_back(indexName(b.getContext(), dimension));
  return b.getArrayAttr(reduced);
}

/// The element of the output before the op, converted to a type.
Value GenericTranslator::bindStart(Type type) {
  if (start.tensor)
    return castElement(b, bind(start.tensor, resultAccess), type);
  if (start.number)
    return castElement(b, bindNumber(start.number), type);
  if (start.constant)
    return castElement(b, buildConstant(start.constant), type);
  return castElement(b, buildConstant(b.getI8IntegerAttr(0)), type);
}

/// Whether the assignment starts from a tensor to which terms are added.
bool GenericTranslator::updatesInit() const {
  return update->by.kind == BinaryKind::add && start.tensor;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// Translates what is yielded:
///
///   out <- out op f   as   start op (reduce op f), or init(start) and f for +
///   out <- f          as   f
///   out <- reduce(out, f, number)   as   reduce op from number, f
Value GenericTranslator::translateOutput() {
  ArrayAttr reduced = reducedIndices();
  if (reduction) {
    bool isFirst = reduction.getX() == op.getBlock()->getArguments().back();
    Value added = isFirst ? reduction.getY() : reduction.getX();
    Value value = ReduceOp::create(b, monoid, mapping.lookup(added), reduced);
    if (isConstant(reduction.getIdentity()))
      return value;
    return BinaryOp::createCommutative(
        b, monoid.getKind(), mapping.lookup(reduction.getIdentity()), value);
  }
  if (!update)
    return mapping.lookup(op.getBlock()->getTerminator()->getOperand(0));
  Value value = update->term(b, mapping);
  if (!reduced.empty())
    value = ReduceOp::create(
        b, MonoidAttr::get(b.getContext(), update->by.kind), value, reduced);
  if (updatesInit())
    init = start.tensor;
  else if (update->by.kind != BinaryKind::add || !start.isZero())
    value = BinaryOp::createCommutative(b, update->by.kind,
                                        bindStart(update->by.type), value);
  auto element = cast<RankedTensorType>(op.getResult(0).getType());
  return castElement(b, value, notationType(element.getElementType()));
}

LogicalResult GenericTranslator::findUpdate() {
  BlockArgument out = op.getBlock()->getArguments().back();
  Operation *last =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if ((reduction = dyn_cast_or_null<sparse_tensor::ReduceOp>(last))) {
    if (!out.hasOneUse() || *out.user_begin() != reduction)
      return reduction.emitOpError("must combine the output with a value");
    FailureOr<MonoidAttr> found = monoidOf(reduction);
    monoid = found.value_or(MonoidAttr());
    return found;
  }
  bool reduces = !reducedIndices().empty();
  update = OutputUpdate::find(*op.getBlock());
  if (!reduces && update && update->by.kind != BinaryKind::add)
    update.reset();
  if (reduces && !update)
    return out.use_empty()
               ? op.emitOpError("reduces without reading its output")
               : unsupported(op.emitOpError("reduces its output by no operator "
                                            "that can reduce: not supported"));
  if (!update && !out.use_empty())
    mapping.map(out, bindStart(notationType(out.getType())));
  return success();
}

/// Gives a sparse result all entries if it is not 0 where no operand has one.
/// The type of the op asks for that, and MLIR's sparsifier does so, too.
///
///   yield 1   ->   yield (keep 1 if true)
static void storeBackground(AssignOp assign) {
  auto yield = cast<YieldOp>(assign.getBodyBlock()->getTerminator());
  Value value = yield.getOperand(0);
  if (ElementAlgebra(assign).get(value).isZeroPreserving())
    return;
  ImplicitLocOpBuilder b(assign.getLoc(), yield);
  Value always = Number::flag(b, true);
  yield.setOperand(0, KeepOp::create(b, value, always));
}

FailureOr<AssignOp> GenericTranslator::translate() {
  if (failed(findAccesses()))
    return failure();
  start = startOf(op.getDpsInitOperand(0)->get());
  if (failed(findUpdate()) || failed(translateBody()))
    return failure();
  Value value = translateOutput();
  bindMissing();
  YieldOp::create(b, value);
  auto assign = AssignOp::create(outer, op.getResult(0).getType(), inputs, init,
                                 b.getArrayAttr(accesses), resultAccess,
                                 /*order=*/ArrayAttr());
  if (!maps.getEquations().empty())
    assign.setWhereAttr(b.getArrayAttr(maps.getEquations()));
  assign.getBody().takeBody(region);
  if (!isDense(assign.getType()) && reducedIndices().empty())
    storeBackground(assign);
  return assign;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Replaces an op of linalg by an assignment.
static LogicalResult replace(linalg::LinalgOp op) {
  IRRewriter rewriter(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    if (failed(made))
      return unsupported(
          op.emitOpError("cannot become an assignment: not supported"));
    generic = *made;
  }
  FailureOr<AssignOp> assign = GenericTranslator(generic).translate();
  if (failed(assign) || failed(checkReductions(generic, *assign)))
    return failure();
  llvm::SetVector<Operation *> made = makersOfOperands(generic);
  rewriter.replaceOp(generic, assign->getResult());
  eraseUnused(std::move(made));
  return success();
}

namespace {
struct FromLinalg : nacho::impl::NachoFromLinalgBase<FromLinalg> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(translate(func)))
        return signalPassFailure();
  }

private:
  LogicalResult translate(func::FuncOp func) {
    bool isEntry = !func.isExternal() &&
                   SymbolTable::symbolKnownUseEmpty(func, getOperation());
    if (isEntry && failed(takeWholeTensors(func)))
      return failure();
    SmallVector<linalg::LinalgOp> ops;
    func.walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::FillOp>(op.getOperation()))
        ops.push_back(op);
    });
    if (!llvm::all_of(ops, [](auto op) { return succeeded(replace(op)); }))
      return failure();
    if (isEntry)
      takeTensorsForNumbers(func);
    return success();
  }
};
} // namespace
