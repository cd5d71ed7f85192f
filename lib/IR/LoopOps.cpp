//===- LoopOps.cpp - Coiterative loops ------------------------------------===//

#include "nacho/IR/MergeSyntax.h"
#include "nacho/IR/Nacho.h"
#include "nacho/IR/Names.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nacho;

LogicalResult RootOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto tensor = cast<RankedTensorType>(adaptor.getTensor().getType());
  types.push_back(FiberType::get(context, tensor, 0));
  return success();
}

//===----------------------------------------------------------------------===//
// NestOp
//===----------------------------------------------------------------------===//

SmallVector<CoiterateOp> NestOp::getLoops() {
  SmallVector<CoiterateOp> loops;
  for (Operation &op : getBody().front())
    if (auto loop = dyn_cast<CoiterateOp>(op))
      loops.push_back(loop);
  while (!loops.empty()) {
    CoiterateOp inner = loops.back().getInnerLoop();
    if (!inner)
      break;
    loops.push_back(inner);
  }
  return loops;
}

LogicalResult NestOp::verify() {
  Block &block = getBody().front();
  if (llvm::range_size(block.getOps<CoiterateOp>()) != 1)
    return emitOpError("needs exactly one outermost loop");
  if (!getCuts())
    return block.getNumArguments() == 0 ? success()
                                        : emitOpError("has bounds but no cuts");
  if (block.getNumArguments() == 0)
    return success();
  auto cut = CutType::get(getContext(), getCuts().getType().getWidths());
  if (block.getNumArguments() != 2 || block.getArgument(0).getType() != cut ||
      block.getArgument(1).getType() != cut)
    return emitOpError() << "bounds must be two arguments of type " << cut;
  return success();
}

//===----------------------------------------------------------------------===//
// CoiterateOp
//===----------------------------------------------------------------------===//

SmallVector<Type> CoiterateOp::getBodyTypes(ValueRange fibers, CutType cut,
                                            ValueRange inits) {
  SmallVector<Type> types;
  if (!fibers.empty())
    types.push_back(IndexType::get(fibers.front().getContext()));
  for (Value fiber : fibers)
    types.push_back(cast<FiberType>(fiber.getType()).getChild());
  if (cut)
    types.append(2, cut.getInner());
  llvm::append_range(types, inits.getTypes());
  return types;
}

void CoiterateOp::build(OpBuilder &builder, OperationState &state,
                        ValueRange fibers, MergeAttr merge, Value lower,
                        Value upper, ValueRange inits) {
  state.addOperands(fibers);
  CutType cut;
  if (lower) {
    state.addOperands({lower, upper});
    cut = cast<CutType>(lower.getType());
  }
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Properties &props = state.getOrAddProperties<Properties>();
  props.merge = merge;
  int32_t bounds = lower ? 1 : 0;
  props.operandSegmentSizes = {static_cast<int32_t>(fibers.size()), bounds,
                               bounds, static_cast<int32_t>(inits.size())};
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types = getBodyTypes(fibers, cut, inits);
  SmallVector<Location> locs(types.size(), state.location);
  Block *body = builder.createBlock(state.addRegion(), {}, types, locs);
  // Cuts and fibers are named after those of the loop around.
  SmallVector<Value> outer(fibers);
  if (lower)
    outer.append({lower, upper});
  for (auto [arg, value] : llvm::zip(body->getArguments().drop_front(), outer))
    if (!getName(value).empty())
      setName(arg, innerName(getName(value)));
  for (auto [arg, value] :
       llvm::zip(body->getArguments().take_back(inits.size()), inits))
    if (!getName(value).empty())
      setName(arg, getName(value));
}

CoiterateOp CoiterateOp::getInnerLoop() {
  auto loops = getBodyBlock()->getOps<CoiterateOp>();
  return loops.empty() ? CoiterateOp() : *loops.begin();
}

namespace {
/// `%arg = %operand`, the argument's type to be filled in later.
struct Bindings {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;

  ParseResult parseOne(OpAsmParser &parser) {
    return failure(parser.parseArgument(args.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  }

  ParseResult parseTyped(OpAsmParser &parser) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
      return failure(parseOne(parser) ||
                     parser.parseColonType(types.emplace_back()));
    });
  }

  ParseResult resolve(OpAsmParser &parser, SMLoc loc,
                      SmallVectorImpl<Value> &values) {
    return parser.resolveOperands(operands, types, loc, values);
  }
};
} // namespace

/// `between (%lo1 = %lo, %hi1 = %hi : type)`
static ParseResult parseBounds(OpAsmParser &parser, Bindings &bounds) {
  if (failed(parser.parseOptionalKeyword("between")))
    return success();
  Type type;
  if (parser.parseLParen() || bounds.parseOne(parser) || parser.parseComma() ||
      bounds.parseOne(parser) || parser.parseColonType(type) ||
      parser.parseRParen())
    return failure();
  bounds.types.assign(2, type);
  return success();
}

ParseResult CoiterateOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  SMLoc loc = parser.getCurrentLocation();
  Bindings fibers, bounds, inits;
  OpAsmParser::Argument coordinate;
  if (parser.parseArgument(coordinate) || parser.parseKeyword("of") ||
      fibers.parseTyped(parser) || parser.parseKeyword("in"))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> names;
  for (const OpAsmParser::Argument &arg : fibers.args)
    names.push_back(arg.ssaName);
  MergeAttr merge;
  if (parseMerge(parser, names, /*extend=*/false, merge) ||
      parseBounds(parser, bounds))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("iter_args")) &&
      inits.parseTyped(parser))
    return failure();

  auto badType = [&](StringRef what, Type type) {
    return parser.emitError(loc) << "expected a " << what << ", got " << type;
  };
  SmallVector<OpAsmParser::Argument> args = {coordinate};
  args.front().type = builder.getIndexType();
  for (auto [arg, type] : llvm::zip(fibers.args, fibers.types)) {
    auto fiber = dyn_cast<FiberType>(type);
    if (!fiber || fiber.isElement())
      return badType("fiber with children", type);
    args.push_back(arg);
    args.back().type = fiber.getChild();
  }
  for (auto [arg, type] : llvm::zip(bounds.args, bounds.types)) {
    auto cut = dyn_cast<CutType>(type);
    if (!cut || cut.getWidths().empty())
      return badType("cut through this loop", type);
    args.push_back(arg);
    args.back().type = cut.getInner();
  }
  for (auto [arg, type] : llvm::zip(inits.args, inits.types)) {
    args.push_back(arg);
    args.back().type = type;
  }
  if (fibers.resolve(parser, loc, state.operands) ||
      bounds.resolve(parser, loc, state.operands) ||
      inits.resolve(parser, loc, state.operands) ||
      parser.parseRegion(*state.addRegion(), args) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  ensureTerminator(*state.regions.front(), builder, state.location);
  Properties &props = state.getOrAddProperties<Properties>();
  props.merge = merge;
  int32_t bounded = bounds.types.empty() ? 0 : 1;
  props.operandSegmentSizes = {static_cast<int32_t>(fibers.types.size()),
                               bounded, bounded,
                               static_cast<int32_t>(inits.types.size())};
  state.addTypes(inits.types);
  return success();
}

void CoiterateOp::print(OpAsmPrinter &printer) {
  auto printBindings = [&](ValueRange args, ValueRange values) {
    printer << '(';
    llvm::interleaveComma(llvm::zip(args, values), printer, [&](auto binding) {
      auto [arg, value] = binding;
      printer << arg << " = " << value << " : " << value.getType();
    });
    printer << ')';
  };
  printer << ' ' << getCoordinate() << " of ";
  printBindings(getChildren(), getFibers());
  printer << " in ";
  printMerge(printer, getMerge(), getChildren());
  if (isBounded())
    printer << " between (" << getInnerLower() << " = " << getLower() << ", "
            << getInnerUpper() << " = " << getUpper() << " : "
            << getLower().getType() << ')';
  if (!getInits().empty()) {
    printer << " iter_args";
    printBindings(getCarried(), getInits());
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"merge", "operandSegmentSizes"});
}

LogicalResult CoiterateOp::verify() {
  if (getFibers().empty())
    return emitOpError("needs at least one fiber");
  for (Value fiber : getFibers())
    if (cast<FiberType>(fiber.getType()).isElement())
      return emitOpError("cannot iterate an element");
  if (failed(verifyMerge(*this, getMerge(), getFibers().size())))
    return failure();
  if (!getLower() != !getUpper())
    return emitOpError("needs both bounds or none");
  CutType cut;
  if (isBounded()) {
    cut = getLower().getType();
    ArrayRef<int64_t> widths = cut.getWidths();
    if (getUpper().getType() != cut || widths.empty() ||
        widths.front() != static_cast<int64_t>(getFibers().size()))
      return emitOpError() << "iterates " << getFibers().size()
                           << " fibers but is cut by " << cut;
  }
  if (getBodyBlock()->getArgumentTypes() !=
      TypeRange(getBodyTypes(getFibers(), cut, getInits())))
    return emitOpError("body arguments do not match the operands");
  if (getResultTypes() != getInits().getTypes() ||
      getBodyBlock()->getTerminator()->getOperandTypes() != getResultTypes())
    return emitOpError("carried values, yielded values and results differ");
  return success();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto fiber = cast<FiberType>(adaptor.getElement().getType());
  types.push_back(fiber.getTensor().getElementType());
  return success();
}

LogicalResult LoadOp::verify() {
  if (!getElement().getType().isElement())
    return emitOpError() << "needs an element, got " << getElement().getType();
  return success();
}

ParseResult RestrictOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand value;
  SmallVector<OpAsmParser::UnresolvedOperand> fibers;
  MergeAttr merge;
  Type type;
  SmallVector<Type> fiberTypes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperand(value) || parser.parseKeyword("to") ||
      parseMerge(parser, fibers, /*extend=*/true, merge) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  // Without fibers the value is zero everywhere, or restricted nowhere.
  if (succeeded(parser.parseOptionalKeyword("of")) &&
      parser.parseTypeList(fiberTypes))
    return failure();
  if (parser.resolveOperand(value, type, state.operands) ||
      parser.resolveOperands(fibers, fiberTypes, loc, state.operands))
    return failure();
  state.getOrAddProperties<Properties>().merge = merge;
  state.addTypes(type);
  return success();
}

/// Operand numbers in order of first appearance, which is how they are parsed.
static void collectLeaves(MergeAttr merge, SmallVectorImpl<unsigned> &leaves) {
  if (merge.isLeaf()) {
    if (!llvm::is_contained(leaves, merge.getOperand()))
      leaves.push_back(merge.getOperand());
    return;
  }
  for (MergeAttr child : merge.children())
    collectLeaves(child, leaves);
}

void RestrictOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getValue() << " to ";
  printMerge(printer, getMerge(), getFibers());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"merge"});
  printer << " : " << getType();
  if (!getFibers().empty())
    printer << " of " << getFibers().getTypes();
}

LogicalResult RestrictOp::verify() {
  if (failed(verifyMerge(*this, getMerge(), getFibers().size())))
    return failure();
  SmallVector<unsigned> leaves;
  collectLeaves(getMerge(), leaves);
  if (leaves.size() != getFibers().size() || !llvm::is_sorted(leaves))
    return emitOpError("must name every fiber, in order of appearance");
  return success();
}

LogicalResult AppendOp::verify() {
  auto nest = (*this)->getParentOfType<NestOp>();
  if (!nest)
    return emitOpError("must be inside a nacho.nest");
  auto type = cast<RankedTensorType>(nest.getType());
  if (type.getRank() != static_cast<int64_t>(getCoordinates().size()) ||
      type.getElementType() != getValue().getType())
    return emitOpError() << "appends to " << type << " a "
                         << getValue().getType() << " at "
                         << getCoordinates().size() << " coordinates";
  return success();
}
