//===- LinalgMonoids.cpp - Monoids of sparse_tensor.reduce ----------------===//
//
// The region of a reduction becomes a monoid of the module. If the region is an
// operator of the table, the reduction is one by that operator instead:
//
//   reduce %x, %y, %inf { yield (x < y ? x : y) }  ->  reduce min stored
//
// A number that is not the identity of the operator is what the reduction
// begins from.
//
//===----------------------------------------------------------------------===//

#include "LinalgMonoids.h"

#include "LinalgBody.h"
#include "nacho/IR/Errors.h"
#include "nacho/IR/Operators.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacho;

/// The constant that a value is; null if it is none.
static TypedAttr constantOf(Value value) {
  TypedAttr constant;
  matchPattern(value, m_Constant(&constant));
  return constant;
}

/// Creates the constants from outside of a region that an op takes.
static void bindConstants(ImplicitLocOpBuilder &b, Operation &op,
                          IRMapping &mapping) {
  for (Value operand : op.getOperands())
    if (!mapping.contains(operand))
      if (TypedAttr constant = constantOf(operand))
        mapping.map(operand, arith::ConstantOp::create(b, constant));
}

/// Defines a monoid of the module whose region is that of the op.
static FailureOr<MonoidOp> defineMonoid(sparse_tensor::ReduceOp op,
                                        TypedAttr identity) {
  auto module = op->getParentOfType<ModuleOp>();
  ImplicitLocOpBuilder b(op.getLoc(), module.getBodyRegion());
  auto monoid = MonoidOp::create(b, "monoid", identity);
  SymbolTable(module).insert(monoid);
  Block &region = op.getRegion().front();
  Block *body = b.createBlock(&monoid.getBody());
  IRMapping mapping;
  for (BlockArgument arg : region.getArguments())
    mapping.map(arg, body->addArgument(arg.getType(), arg.getLoc()));
  for (Operation &nested : region.without_terminator()) {
    bindConstants(b, nested, mapping);
    Value value = translateElementOp(b, nested, mapping);
    if (!value) {
      monoid.erase();
      return unsupported(
          nested.emitOpError("in the region of a reduction: not supported"));
    }
    mapping.map(nested.getResult(0), value);
  }
  bindConstants(b, *region.getTerminator(), mapping);
  Value yielded = mapping.lookupOrNull(region.getTerminator()->getOperand(0));
  if (!yielded) {
    monoid.erase();
    return unsupported(
        op.emitOpError("yields a value from outside: not supported"));
  }
  YieldOp::create(b, yielded);
  return monoid;
}

/// x < y ? x : y  ->  min, and so on
static std::optional<BinaryKind> extremeOf(SelectOp select, Value x, Value y) {
  auto compare = select.getCondition().getDefiningOp<CompareOp>();
  if (!compare)
    return {};
  CompareKind kind = compare.getKind();
  bool isLess = kind == CompareKind::lt || kind == CompareKind::le;
  bool isMore = kind == CompareKind::gt || kind == CompareKind::ge;
  bool isSame = compare.getLhs() == select.getOnTrue() &&
                compare.getRhs() == select.getOnFalse();
  bool isOpposite = compare.getLhs() == select.getOnFalse() &&
                    compare.getRhs() == select.getOnTrue();
  if (!(isLess || isMore) || !(isSame || isOpposite))
    return {};
  return isLess == isSame ? BinaryKind::min : BinaryKind::max;
}

/// The operator of the table that a monoid is; none if there is no such one.
static std::optional<BinaryKind> recognise(MonoidOp monoid) {
  Block &body = monoid.getBody().front();
  Value x = body.getArgument(0), y = body.getArgument(1);
  Operation *last = body.getTerminator()->getOperand(0).getDefiningOp();
  auto combines = [&](Value one, Value other) {
    return (one == x && other == y) || (one == y && other == x);
  };
  if (auto binary = dyn_cast_or_null<BinaryOp>(last)) {
    bool reduces =
        nacho::operatorOf(binary.getKind()).identity != Identity::none;
    if (reduces && combines(binary.getLhs(), binary.getRhs()))
      return binary.getKind();
  }
  auto select = dyn_cast_or_null<SelectOp>(last);
  if (select && combines(select.getOnTrue(), select.getOnFalse()))
    return extremeOf(select, x, y);
  return {};
}

static bool isIdentity(const APFloat &value, Identity identity) {
  switch (identity) {
  case Identity::zero:
    return value.isZero();
  case Identity::one:
    return value.isExactlyValue(1);
  case Identity::largest:
    return value.isPosInfinity();
  case Identity::smallest:
    return value.isNegInfinity();
  default:
    return false;
  }
}

static bool isIdentity(const APInt &value, Identity identity) {
  switch (identity) {
  case Identity::zero:
    return value.isZero();
  case Identity::one:
    return value.isOne();
  case Identity::bits:
    return value.isAllOnes();
  case Identity::largest:
    return value.isMaxSignedValue();
  case Identity::smallest:
    return value.isMinSignedValue();
  default:
    return false;
  }
}

/// Whether combining a number with another one by an operator gives that one.
static bool isIdentity(TypedAttr number, BinaryKind kind) {
  Identity identity = nacho::operatorOf(kind).identity;
  if (auto value = dyn_cast<FloatAttr>(number))
    return isIdentity(value.getValue(), identity);
  if (auto value = dyn_cast<IntegerAttr>(number))
    return isIdentity(value.getValue(), identity);
  return false;
}

bool nacho::isConstant(Value number) {
  return static_cast<bool>(constantOf(number));
}

FailureOr<MonoidAttr> nacho::monoidOf(sparse_tensor::ReduceOp op) {
  TypedAttr start = constantOf(op.getIdentity());
  // Operators of the table have identities of their own.
  TypedAttr given = start ? start : Builder(op).getZeroAttr(op.getType());
  if (!given)
    return unsupported(
        op.emitOpError("begins from a number that is no constant: "
                       "not supported"));
  FailureOr<MonoidOp> monoid = defineMonoid(op, given);
  if (failed(monoid))
    return failure();
  std::optional<BinaryKind> kind = recognise(*monoid);
  if (!kind && start)
    return MonoidAttr::get(FlatSymbolRefAttr::get(*monoid));
  monoid->erase();
  if (!kind)
    return unsupported(
        op.emitOpError("reduces by an operator of its own, and begins from "
                       "a number that is no constant: not supported"));
  if (start && isIdentity(start, *kind))
    start = {};
  return MonoidAttr::get(op.getContext(), *kind, /*stored=*/true, start);
}

/// Whether an element of an assignment is another one for each coordinate.
static bool dependsOn(AssignOp assign, Value element, Attribute index) {
  llvm::SetVector<Value> read;
  read.insert(element);
  for (unsigned n = 0; n < read.size(); ++n)
    if (Operation *made = read[n].getDefiningOp())
      read.insert_range(made->getOperands());
  return llvm::any_of(read, [&](Value value) {
    auto arg = dyn_cast<BlockArgument>(value);
    return arg && llvm::is_contained(assign.getIndependent(
                                         assign.getAccess(arg.getArgNumber())),
                                     index);
  });
}

LogicalResult nacho::checkReductions(linalg::LinalgOp op, AssignOp assign) {
  for (auto reduce : assign.getBody().getOps<ReduceOp>())
    for (Attribute index : reduce.getIndices())
      if (!dependsOn(assign, reduce.getValue(), index))
        return unsupported(
            op.emitOpError("reduces over dimension ")
            << index << ", on which the value does not depend: not supported");
  return success();
}
