//===- AssignOps.cpp - Tensor index notation ------------------------------===//

#include "nacho/IR/Collect.h"
#include "nacho/IR/Operators.h"
#include "nacho/IR/Syntax.h"

#include "Equations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace nacho;

/// Syntax: `[i, j]`
ParseResult nacho::parseAccess(OpAsmParser &parser, ArrayAttr &access) {
  SmallVector<Attribute> names;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            StringRef name;
            if (parser.parseKeyword(&name))
              return failure();
            names.push_back(parser.getBuilder().getStringAttr(name));
            return success();
          }))
    return failure();
  access = parser.getBuilder().getArrayAttr(names);
  return success();
}

void nacho::printAccess(OpAsmPrinter &printer, Operation *, Attribute access) {
  printer << '[';
  llvm::interleaveComma(cast<ArrayAttr>(access), printer, [&](Attribute name) {
    printer << cast<StringAttr>(name).getValue();
  });
  printer << ']';
}

/// Syntax: `collect<part_sums>`, or nothing for `in_order`.
static ParseResult parseCollect(OpAsmParser &parser, CollectKindAttr &collect) {
  if (succeeded(parser.parseOptionalKeyword("collect")))
    return parser.parseCustomAttributeWithFallback(collect);
  collect = CollectKindAttr::get(parser.getContext(), CollectKind::inOrder);
  return success();
}

/// Syntax: `init(%Z : type)`, or nothing; adds the operand and its type.
static ParseResult
parseInit(OpAsmParser &parser,
          SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
          SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalKeyword("init")))
    return success();
  return failure(
      parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
      parser.parseColonType(types.emplace_back()) || parser.parseRParen());
}

ParseResult AssignOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SmallVector<Attribute> accesses;
  auto parseBinding = [&]() -> ParseResult {
    ArrayAttr access;
    Type type;
    if (parser.parseArgument(args.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(operands.emplace_back()) ||
        parseAccess(parser, access) || parser.parseColonType(type))
      return failure();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return parser.emitError(operands.back().location,
                              "expected a ranked tensor type");
    args.back().type = tensor.getElementType();
    types.push_back(type);
    accesses.push_back(access);
    return success();
  };
  ArrayAttr resultAccess;
  Type resultType;
  SMLoc loc = parser.getCurrentLocation();
  Builder &builder = parser.getBuilder();
  CollectKindAttr collect;
  ArrayAttr where;
  if (parseCollect(parser, collect) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     parseBinding) ||
      parseWhere(parser, where))
    return failure();
  int32_t numInputs = operands.size();
  if (parseInit(parser, operands, types))
    return failure();
  if (parser.parseArrow() || parseAccess(parser, resultAccess) ||
      parser.parseColonType(resultType) ||
      parser.resolveOperands(operands, types, loc, result.operands) ||
      parser.parseRegion(*result.addRegion(), args) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  result.addTypes(resultType);
  Properties &props = result.getOrAddProperties<Properties>();
  props.accesses = builder.getArrayAttr(accesses);
  props.resultAccess = resultAccess;
  props.collect = collect;
  props.where = where;
  props.operandSegmentSizes = {
      numInputs, static_cast<int32_t>(operands.size()) - numInputs};
  return success();
}

void AssignOp::print(OpAsmPrinter &printer) {
  if (getCollect() != CollectKind::inOrder) {
    printer << " collect";
    printer.printStrippedAttrOrType(getCollectAttr());
  }
  printer << " (";
  llvm::interleaveComma(
      llvm::zip(getBody().getArguments(), getInputs(), getAccesses()), printer,
      [&](auto binding) {
        auto [arg, operand, access] = binding;
        printer << arg << " = " << operand;
        printAccess(printer, *this, access);
        printer << " : " << operand.getType();
      });
  printer << ')';
  printWhere(printer, *this);
  if (getInit())
    printer << " init(" << getInit() << " : " << getInit().getType() << ')';
  printer << " -> ";
  printAccess(printer, *this, getResultAccess());
  printer << " : " << getType() << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {"accesses", "resultAccess", "collect", "where", "operandSegmentSizes"});
}

/// Whether an attribute is a list of names. The custom syntax allows only
/// names, but the generic syntax allows any attribute.
static bool isAccess(Attribute attr) {
  auto access = dyn_cast<ArrayAttr>(attr);
  return access && llvm::all_of(access, llvm::IsaPred<StringAttr>);
}

/// An access must have one index per dimension, and an index only one extent.
static LogicalResult verifyAccess(AssignOp op, ArrayRef<Attribute> access,
                                  Type type, const Twine &what,
                                  llvm::StringMap<int64_t> &extents) {
  auto tensor = cast<RankedTensorType>(type);
  if (static_cast<int64_t>(access.size()) != tensor.getRank())
    return op.emitOpError()
           << what << " of rank " << tensor.getRank() << " is accessed by "
           << access.size() << " indices";
  for (auto [index, extent] : llvm::zip(access, tensor.getShape())) {
    if (ShapedType::isDynamic(extent))
      continue;
    StringRef name = cast<StringAttr>(index).getValue();
    int64_t known = extents.try_emplace(name, extent).first->second;
    if (known != extent)
      return op.emitOpError() << "index '" << name << "' has the extents "
                              << known << " and " << extent;
  }
  return success();
}

bool AssignOp::isPart(Attribute index) {
  return collectTraitsOf(*this).listsPartSums() &&
         index == getResultAccess().getValue().back();
}

/// Verifies what the assignment's way of collecting entries requires of it.
static LogicalResult verifyCollect(AssignOp op) {
  CollectKind kind = op.getCollect();
  const CollectTraits &traits = traitsOf(kind);
  StringRef name = stringifyCollectKind(kind);
  if (traits.scansCosts)
    return op.emitOpError()
           << "cannot collect a " << name << ": only a nest does";
  if (traits.usesWorkspaces && op.getResultAccess().empty())
    return op.emitOpError()
           << "collects " << name << ", for which the result needs an index";
  if (!traits.rearrangesEntries)
    return success();
  if (op.getInit())
    return op.emitOpError() << "collects complete entries (" << name
                            << ") and cannot start from another tensor";
  if (!op.getBodyBlock()->getOps<ReduceOp>().empty())
    return op.emitOpError()
           << "collects complete entries (" << name << ") and cannot reduce";
  return success();
}

/// Whether two types differ at most in the widths of their index arrays.
static bool agreeButForWidths(RankedTensorType lhs, RankedTensorType rhs) {
  auto withoutWidths = [](RankedTensorType type) {
    auto encoding = sparse_tensor::getSparseTensorEncoding(type);
    return encoding ? type.cloneWithEncoding(encoding.withoutBitWidths())
                    : type;
  };
  return withoutWidths(lhs) == withoutWidths(rhs);
}

/// Each tensor has one index for each dimension, and each index one extent.
static LogicalResult verifyAccesses(AssignOp op) {
  if (op.getAccesses().size() != op.getInputs().size())
    return op.emitOpError("needs one access per operand");
  if (!isAccess(op.getResultAccess()) ||
      !llvm::all_of(op.getAccesses(), isAccess))
    return op.emitOpError("accesses must be lists of names of indices");
  llvm::StringMap<int64_t> extents;
  for (auto [n, operand] : llvm::enumerate(op.getInputs()))
    if (failed(verifyAccess(op, op.getAccess(n), operand.getType(),
                            "operand " + Twine(n), extents)))
      return failure();
  return verifyAccess(op, op.getResultAccess().getValue(), op.getType(),
                      "the result", extents);
}

/// Every index of the result must be an index of an operand or of the tensor to
/// start from. But no operand may have the index that is the number of the
/// part.
static LogicalResult verifyResultIndices(AssignOp op) {
  IndexSet bound, seen;
  for (unsigned n = 0; n < op.getInputs().size(); ++n)
    bound.insert_range(op.getAccess(n));
  for (Attribute attr : op.getEquations()) {
    auto equation = cast<DerivedIndexAttr>(attr);
    bound.insert(equation.getIndex());
    bound.insert_range(equation.getSources());
  }
  for (Attribute index : op.getResultAccess()) {
    StringRef name = cast<StringAttr>(index).getValue();
    bool isPart = op.isPart(index), isBound = bound.contains(index);
    if (isPart && isBound)
      return op.emitOpError() << "result index '" << name
                              << "' tells parts apart, but is an operand's";
    if (!isPart && !op.getInit() && !isBound)
      return op.emitOpError()
             << "result index '" << name << "' is an index of no operand";
    if (!seen.insert(index))
      return op.emitOpError() << "result index '" << name << "' is repeated";
  }
  return success();
}

/// The body takes one element of each operand, and yields one of the result.
static LogicalResult verifyElements(AssignOp op) {
  auto elementOf = [](Type type) {
    return cast<RankedTensorType>(type).getElementType();
  };
  if (!llvm::equal(op.getBodyBlock()->getArgumentTypes(),
                   llvm::map_range(op.getInputs().getTypes(), elementOf)))
    return op.emitOpError("body takes one element of each operand");
  auto yield = cast<YieldOp>(op.getBodyBlock()->getTerminator());
  Type element = op.getType().getElementType();
  if (yield.getNumOperands() != 1 || yield.getOperand(0).getType() != element)
    return op.emitOpError() << "must yield one " << element;
  return success();
}

/// The yielded value must have no other indices than the result, unless each
/// part sums over all other indices.
static LogicalResult verifyYieldedIndices(AssignOp op) {
  FailureOr<IndexSet> free = freeIndices(op);
  if (failed(free))
    return failure();
  if (collectTraitsOf(op).listsPartSums())
    return success();
  SmallVector<Attribute> kept =
      op.getIndependent(op.getResultAccess().getValue());
  for (Attribute index : *free)
    if (!llvm::is_contained(kept, index))
      return op.emitOpError() << "index " << index
                              << " is neither the result's nor reduced over";
  return success();
}

LogicalResult AssignOp::verify() {
  if (failed(verifyAccesses(*this)) || failed(verifyCollect(*this)))
    return failure();
  if (getInit() && !agreeButForWidths(getInit().getType(), getType()))
    return emitOpError() << "starts from " << getInit().getType()
                         << " but results in " << getType();
  if (getOrder() && !isAccess(*getOrder()))
    return emitOpError("order must be a list of names of indices");
  if (getContract() && !isAccess(*getContract()))
    return emitOpError("contract must be a list of names of indices");
  if (getSizes() &&
      static_cast<int64_t>(getSizes()->size()) != getType().getRank() + 1)
    return emitOpError("sizes must be a number of entries and the extents");
  if (failed(verifyEquations(*this)) || failed(verifyResultIndices(*this)))
    return failure();
  return verifyElements(*this);
}

LogicalResult AssignOp::verifyRegions() { return verifyYieldedIndices(*this); }

/// Refuses elements of a type that an operator of the table is not defined on:
/// complex numbers have no order, only integers have bits, and the notation
/// converts integers before it applies a fractional operator.
template <typename Record>
static LogicalResult verifyElement(Operation *op, const Record &record,
                                   Type type) {
  if (record.needsOrder && isa<ComplexType>(type))
    return op->emitOpError()
           << record.name << " needs an order, which " << type << " has not";
  if (record.isFractional && isa<IntegerType>(type))
    return op->emitOpError()
           << record.name << " is not defined on integers: " << type;
  if (record.isIntegral && !isa<IntegerType>(type))
    return op->emitOpError()
           << record.name << " is defined on integers only: " << type;
  return success();
}

BinaryOp BinaryOp::createCommutative(ImplicitLocOpBuilder &b, BinaryKind kind,
                                     Value lhs, Value rhs) {
  BinaryOp op = create(b, kind, lhs, rhs);
  op.setReassociable(isa<FloatType>(lhs.getType()) &&
                     operatorOf(kind).needsOrder);
  return op;
}

LogicalResult BinaryOp::verify() {
  return verifyElement(*this, operatorOf(getKind()), getType());
}

/// Infers the type of the result: abs : complex<f64> -> f64.
LogicalResult UnaryOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        UnaryOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Type type = adaptor.getArg().getType();
  auto complex = dyn_cast<ComplexType>(type);
  bool isReal = complex && operatorOf(adaptor.getKind()).givesReal;
  types.push_back(isReal ? complex.getElementType() : type);
  return success();
}

LogicalResult UnaryOp::verify() {
  const UnaryOperator &record = operatorOf(getKind());
  Type type = getArg().getType();
  return verifyElement(*this, record, type);
}

LogicalResult CoordinatesOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getEncoding())
    return emitOpError("has no encoding: nothing is stored");
  if (type.isDynamicDim(0) != static_cast<bool>(getExtent()))
    return emitOpError("needs an extent if, and only if, its type has none");
  return success();
}

LogicalResult BitcastOp::verify() {
  Type from = getArg().getType(), to = getType();
  if (isa<ComplexType>(from) || isa<ComplexType>(to) ||
      from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << "of " << from << " is no " << to;
  return success();
}

LogicalResult CompareOp::verify() {
  return verifyElement(*this, operatorOf(getKind()), getLhs().getType());
}

LogicalResult ReduceOp::verify() {
  const BinaryOperator &info = operatorOf(getMonoid().getKind());
  if (info.identity == Identity::none)
    return emitOpError() << "cannot reduce by a " << info.noun;
  if (failed(verifyElement(*this, info, getType())))
    return failure();
  if (TypedAttr start = getMonoid().getStart();
      start && start.getType() != getType())
    return emitOpError() << "begins from a number of another type: "
                         << start.getType();
  if (!isAccess(getIndices()))
    return emitOpError("reduces over a list of names of indices");
  return success();
}
