//===- WorkspaceOps.cpp - Sums by coordinate, in any order ----------------===//

#include "nacho/IR/Lanes.h"
#include "nacho/IR/Nacho.h"
#include "nacho/IR/Names.h"

using namespace mlir;
using namespace nacho;

LogicalResult WorkspaceOp::verify() {
  if (getKeys()) {
    auto keys = cast<MemRefType>(getKeys().getType());
    unsigned width = keys.getElementTypeBitWidth();
    if (width != 32 && width != 64)
      return emitOpError() << "has coordinates of 32 or 64 bits, not " << keys;
  }
  if (getKeys() && getLane())
    return emitOpError("of lanes has no keys");
  if (getFlat() && (getKeys() || getLane()))
    return emitOpError("is flat, and so has no keys, and is not of lanes");
  Type element = NoneType::get(getContext());
  if (getValues())
    element = cast<MemRefType>(getValues().getType()).getElementType();
  if (getType().getElement() != element)
    return emitOpError() << "is a " << getType() << ", but its elements are "
                         << element;
  return success();
}

LogicalResult LaneTableOp::verify() {
  if (!llvm::isPowerOf2_64(getOf()))
    return emitOpError() << "has room for a power of two of coordinates, not "
                         << getOf();
  return verifyOfLanes(*this);
}

LogicalResult RenewOp::verify() {
  Type element = getWorkspace().getType().getElement();
  if (!element.isInteger(32) && !element.isInteger(64))
    return emitOpError() << "needs numbers of 32 or 64 bits, not " << element;
  return success();
}

LogicalResult InsertOp::verify() {
  WorkspaceType workspace = getWorkspace().getType();
  Type element = NoneType::get(getContext());
  if (getValue())
    element = getValue().getType();
  if (workspace.getElement() != element)
    return emitOpError() << "adds " << element << " to a " << workspace;
  return success();
}

Value InsertOp::emitCombined(ImplicitLocOpBuilder &b, Value before) {
  auto sum = MonoidAttr::get(getContext(), BinaryKind::add);
  return getMonoid().value_or(sum).emit(b, before, getValue());
}

//===----------------------------------------------------------------------===//
// DrainOp
//===----------------------------------------------------------------------===//

/// The types of the coordinate, of the element unless the workspace is a set,
/// and of the carried values.
static SmallVector<Type> bodyTypes(WorkspaceType workspace, TypeRange carried) {
  SmallVector<Type> types = {IndexType::get(workspace.getContext())};
  if (!workspace.isSet())
    types.push_back(workspace.getElement());
  llvm::append_range(types, carried);
  return types;
}

Value DrainOp::getValue() {
  return getWorkspace().getType().isSet() ? Value()
                                          : getBodyBlock()->getArgument(1);
}

ValueRange DrainOp::getCarried() {
  return getBodyBlock()->getArguments().take_back(getInits().size());
}

static void setSegments(OperationState &state, bool hasBelow, size_t numInits) {
  auto &sizes =
      state.getOrAddProperties<DrainOp::Properties>().operandSegmentSizes;
  sizes = {1, hasBelow ? 1 : 0, static_cast<int32_t>(numInits)};
}

void DrainOp::build(OpBuilder &builder, OperationState &state, Value workspace,
                    Value below, ValueRange inits) {
  state.addOperands(workspace);
  if (below)
    state.addOperands(below);
  state.addOperands(inits);
  setSegments(state, below != nullptr, inits.size());
  state.addTypes(inits.getTypes());
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types =
      bodyTypes(cast<WorkspaceType>(workspace.getType()), inits.getTypes());
  SmallVector<Location> locs(types.size(), state.location);
  Block *body = builder.createBlock(state.addRegion(), {}, types, locs);
  for (auto [arg, value] :
       llvm::zip(body->getArguments().take_back(inits.size()), inits))
    if (!getName(value).empty())
      setName(arg, getName(value));
  if (inits.empty())
    ensureTerminator(*state.regions.front(), builder, state.location);
}

/// Parses what is drained: %key, %value of %w below %n
static ParseResult
parseDrained(OpAsmParser &parser, SmallVector<OpAsmParser::Argument> &args,
             SmallVector<OpAsmParser::UnresolvedOperand> &operands) {
  if (parser.parseArgument(args.emplace_back()) ||
      (succeeded(parser.parseOptionalComma()) &&
       parser.parseArgument(args.emplace_back())) ||
      parser.parseKeyword("of") || parser.parseOperand(operands.emplace_back()))
    return failure();
  if (failed(parser.parseOptionalKeyword("below")))
    return success();
  return parser.parseOperand(operands.emplace_back());
}

/// Syntax: %key, %value of %w below %n iter_args(%x = %init : type, ...) : type
/// { ... }
ParseResult DrainOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args, carried;
  SmallVector<OpAsmParser::UnresolvedOperand> drained, inits;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parseDrained(parser, args, drained))
    return failure();
  auto parseInit = [&]() -> ParseResult {
    return failure(parser.parseArgument(carried.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(inits.emplace_back()) ||
                   parser.parseColonType(types.emplace_back()));
  };
  if (succeeded(parser.parseOptionalKeyword("iter_args")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInit))
    return failure();
  Type type;
  if (parser.parseColonType(type))
    return failure();
  auto table = dyn_cast<WorkspaceType>(type);
  if (!table)
    return parser.emitError(loc) << "expected a workspace, got " << type;
  if (table.isSet() != (args.size() == 1))
    return parser.emitError(loc)
           << (table.isSet() ? "a set has no elements"
                             : "expected a name for the element");
  llvm::append_range(args, carried);
  for (auto [arg, argType] : llvm::zip(args, bodyTypes(table, types)))
    arg.type = argType;
  setSegments(result, drained.size() > 1, inits.size());
  Type index = IndexType::get(parser.getContext());
  if (parser.resolveOperand(drained.front(), type, result.operands) ||
      parser.resolveOperands(ArrayRef(drained).drop_front(), index,
                             result.operands) ||
      parser.resolveOperands(inits, types, loc, result.operands) ||
      parser.parseRegion(*result.addRegion(), args) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*result.regions.front(), parser.getBuilder(),
                   result.location);
  result.addTypes(types);
  return success();
}

void DrainOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getKey();
  if (getValue())
    printer << ", " << getValue();
  printer << " of " << getWorkspace();
  if (getBelow())
    printer << " below " << getBelow();
  if (!getInits().empty()) {
    printer << " iter_args(";
    llvm::interleaveComma(
        llvm::zip(getCarried(), getInits()), printer, [&](auto binding) {
          auto [arg, init] = binding;
          printer << arg << " = " << init << " : " << init.getType();
        });
    printer << ')';
  }
  printer << " : " << getWorkspace().getType() << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
}

LogicalResult DrainOp::verify() {
  if (getBodyBlock()->getArgumentTypes() !=
      TypeRange(bodyTypes(getWorkspace().getType(), getInits().getTypes())))
    return emitOpError("body takes a coordinate, its element, and what is "
                       "carried");
  if (getResultTypes() != getInits().getTypes() ||
      getBodyBlock()->getTerminator()->getOperandTypes() !=
          getInits().getTypes())
    return emitOpError("must yield what it carries");
  return success();
}
