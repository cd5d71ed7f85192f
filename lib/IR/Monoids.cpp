//===- Monoids.cpp - Monoids of reductions --------------------------------===//

#include "nacho/IR/Arith.h"
#include "nacho/IR/Nacho.h"
#include "nacho/IR/Operators.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Monoids in the module
//===----------------------------------------------------------------------===//

LogicalResult MonoidOp::verify() {
  Block &body = getBody().front();
  Type element = getElement();
  if (body.getArgumentTypes() != TypeRange({element, element}))
    return emitOpError() << "must combine two elements of type " << element;
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getOperandTypes() != TypeRange(element))
    return emitOpError() << "must yield one " << element;
  for (Operation &op : body.without_terminator())
    if (!isMemoryEffectFree(&op) || op.getNumRegions() != 0)
      return op.emitOpError("combines no elements: it has effects or a region");
  return success();
}

Value MonoidOp::emit(ImplicitLocOpBuilder &b, Value x, Value y) {
  Block &body = getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), ValueRange{x, y});
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  return mapping.lookup(body.getTerminator()->getOperand(0));
}

/// The monoid that a symbol names, seen from an op. Kernels of a GPU are in
/// modules of their own, inside of the module that has the monoids.
static MonoidOp lookUp(Operation *from, FlatSymbolRefAttr name) {
  for (Operation *table = from; table; table = table->getParentOp())
    if (table->hasTrait<OpTrait::SymbolTable>())
      if (auto found = dyn_cast_or_null<MonoidOp>(
              SymbolTable::lookupSymbolIn(table, name)))
        return found;
  return {};
}

LogicalResult ReduceOp::verifySymbolUses(SymbolTableCollection &) {
  FlatSymbolRefAttr name = getMonoid().getName();
  if (!name)
    return success();
  MonoidOp monoid = lookUp(*this, name);
  if (!monoid)
    return emitOpError() << "reduces by " << name << ", which is no monoid";
  if (monoid.getElement() != getType())
    return emitOpError() << "reduces elements of type " << getType() << " by "
                         << name << ", which combines those of type "
                         << monoid.getElement();
  return success();
}

//===----------------------------------------------------------------------===//
// Monoids as attributes
//===----------------------------------------------------------------------===//

void MonoidAttr::print(AsmPrinter &printer) const {
  printer << ' ';
  if (getName())
    printer << getName();
  else
    printer << stringifyBinaryKind(getKind()) << (getStored() ? " stored" : "");
  if (getStart())
    printer << " from " << getStart();
}

/// add | min stored | @name
static FailureOr<MonoidAttr> parseOperator(AsmParser &parser) {
  StringAttr symbol;
  if (succeeded(parser.parseOptionalSymbolName(symbol)))
    return MonoidAttr::get(FlatSymbolRefAttr::get(symbol));
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<BinaryKind> kind = symbolizeBinaryKind(name);
  if (!kind)
    return parser.emitError(loc) << "'" << name << "' is no binary operator";
  bool stored = succeeded(parser.parseOptionalKeyword("stored"));
  return MonoidAttr::get(parser.getContext(), *kind, stored);
}

Attribute MonoidAttr::parse(AsmParser &parser, Type) {
  FailureOr<MonoidAttr> monoid = parseOperator(parser);
  if (failed(monoid))
    return {};
  TypedAttr start;
  if (succeeded(parser.parseOptionalKeyword("from")) &&
      parser.parseAttribute(start))
    return {};
  return monoid->from(start);
}

MonoidAttr MonoidAttr::from(TypedAttr start) const {
  return get(getContext(), getKind(), getStored(), start, getName());
}

bool MonoidAttr::reducesAbsent() const {
  return !getStored() && operatorOf(getKind()).identity != Identity::zero;
}

/// A small integer as an element of a type.
static Value emitElement(ImplicitLocOpBuilder &b, Type type, int8_t value) {
  return CastOp::create(b, type, Number(b, value, b.getI8Type()));
}

/// The largest or smallest element of a type.
static Value emitExtreme(ImplicitLocOpBuilder &b, Type type, bool isLargest) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    APFloat infinity =
        APFloat::getInf(floating.getFloatSemantics(), !isLargest);
    return arith::ConstantOp::create(b, b.getFloatAttr(type, infinity));
  }
  auto integer = cast<IntegerType>(type);
  unsigned width = integer.getWidth();
  if (integer.isUnsigned() || width == 1)
    return emitElement(b, type, isLargest ? -1 : 0);
  APInt bound = isLargest ? APInt::getSignedMaxValue(width)
                          : APInt::getSignedMinValue(width);
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, bound));
}

Value MonoidAttr::emitIdentity(ImplicitLocOpBuilder &b, Type type) const {
  if (getName()) {
    Operation *from = b.getInsertionBlock()->getParentOp();
    return arith::ConstantOp::create(b, lookUp(from, getName()).getIdentity());
  }
  switch (operatorOf(getKind()).identity) {
  case Identity::zero:
    return emitElement(b, type, 0);
  case Identity::one:
    return emitElement(b, type, 1);
  case Identity::bits:
    return emitElement(b, type, -1);
  case Identity::largest:
    return emitExtreme(b, type, /*isLargest=*/true);
  case Identity::smallest:
    return emitExtreme(b, type, /*isLargest=*/false);
  case Identity::nan:
    return arith::ConstantOp::create(
        b,
        b.getFloatAttr(
            type, APFloat::getNaN(cast<FloatType>(type).getFloatSemantics())));
  case Identity::none:
    break;
  }
  llvm_unreachable("the operator does not reduce");
}

Value MonoidAttr::emitFromStart(ImplicitLocOpBuilder &b, Value x) const {
  if (!getStart())
    return x;
  return emit(b, arith::ConstantOp::create(b, getStart()), x);
}

Value MonoidAttr::emit(ImplicitLocOpBuilder &b, Value x, Value y,
                       bool reassociable) const {
  if (getName()) {
    Operation *from = b.getInsertionBlock()->getParentOp();
    return lookUp(from, getName()).emit(b, x, y);
  }
  BinaryOp op = BinaryOp::createCommutative(b, getKind(), x, y);
  if (reassociable)
    op.setReassociable(true);
  return op;
}
