//===- LoopOps.cpp - Coiterative loops ------------------------------------===//

#include "nacho/IR/Nacho.h"
#include "nacho/IR/Names.h"
#include "nacho/IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

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
  auto outermost = getBody().front().getOps<CoiterateOp>();
  if (!outermost.empty())
    loops.push_back(*outermost.begin());
  while (!loops.empty()) {
    CoiterateOp inner = loops.back().getInnerLoop();
    if (!inner)
      break;
    loops.push_back(inner);
  }
  return loops;
}

SmallVector<Type> NestOp::getAppendedTypes() {
  if (!getFinish().empty())
    return SmallVector<Type>(getFinish().getArgumentTypes());
  return {cast<RankedTensorType>(getType()).getElementType()};
}

unsigned NestOp::getMaxCutLoops() {
  SmallVector<CoiterateOp> loops = getLoops();
  if (!getWorkspace() || getSorted())
    return loops.size();
  auto isAppended = [](CoiterateOp loop) {
    return llvm::any_of(loop.getCoordinate().getUsers(),
                        llvm::IsaPred<AppendOp>);
  };
  return llvm::find_if_not(loops, isAppended) - loops.begin();
}

SmallVector<CoiterateOp> NestOp::getCutLoops() {
  SmallVector<CoiterateOp> loops = getLoops();
  if (getCuts())
    loops.truncate(getCuts().getType().getWidths().size());
  return loops;
}

/// Every level has one coordinate for every entry.
static bool isList(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  return encoding && type.getRank() > 0 &&
         isCompressedLT(encoding.getLvlType(0)) &&
         llvm::all_of(encoding.getLvlTypes().drop_front(),
                      sparse_tensor::isSingletonLT);
}

LogicalResult NestOp::verify() {
  Block &block = getBody().front();
  if (block.getOps<CoiterateOp>().empty())
    return emitOpError("needs an outermost loop");
  SmallVector<CoiterateOp> chain = getLoops();
  WalkResult inChain = getBody().walk([&](CoiterateOp loop) -> WalkResult {
    if (!loop.getFibers().empty() && !llvm::is_contained(chain, loop))
      return loop.emitOpError("has fibers but is not in the chain of its nest");
    return WalkResult::advance();
  });
  if (inChain.wasInterrupted())
    return failure();
  if (getReduce() == BinaryKind::sub)
    return emitOpError("cannot reduce by a difference");
  if (getReduce() == BinaryKind::div)
    return emitOpError("cannot reduce by a quotient");
  bool isListed = getSorted() || getScanned();
  if (isListed && getReduce())
    return emitOpError("cannot sort or scan what it reduces");
  if (isListed && !isList(cast<RankedTensorType>(getType())))
    return emitOpError() << "can only sort or scan a list of entries, not "
                         << getType();
  if (getWorkspace() && !getSorted() && getReduce() != BinaryKind::add)
    return emitOpError("can only collect sums in a workspace");
  if (getWorkspace() && getMaxCutLoops() == 0 && !getSorted())
    return emitOpError("has no loop outside of its workspace");
  if (getScanned() && !getType().getElementType().isInteger(64))
    return emitOpError("can only scan costs, which are i64");
  if (!getFinish().empty()) {
    if (!getReduce())
      return emitOpError("finishes no reduction");
    Type element = cast<RankedTensorType>(getType()).getElementType();
    auto yield = dyn_cast<YieldOp>(getFinish().front().getTerminator());
    if (!yield || yield.getOperandTypes() != TypeRange(element))
      return emitOpError() << "must finish with one " << element;
  }
  if (!getCuts())
    return block.getNumArguments() == 0 ? success()
                                        : emitOpError("has bounds but no cuts");
  if (block.getNumArguments() == 0)
    return success();
  ArrayRef<int64_t> widths = getCuts().getType().getWidths();
  if (widths.size() > getLoops().size())
    return emitOpError() << "cuts " << widths.size() << " loops of "
                         << getLoops().size();
  auto cut = CutType::get(getContext(), widths);
  if (block.getNumArguments() != 2 || block.getArgument(0).getType() != cut ||
      block.getArgument(1).getType() != cut)
    return emitOpError() << "bounds must be two arguments of type " << cut;
  return success();
}

LogicalResult PartOp::verify() {
  if (!(*this)->getParentOfType<NestOp>())
    return emitOpError("must be inside a nacho.nest");
  return success();
}

LogicalResult RecallOp::verify() {
  auto type = cast<FiberType>(getFiber().getType());
  uint64_t level = type.getLevel() + getBelow();
  if (static_cast<int64_t>(getBelow()) < 0 ||
      level >= static_cast<uint64_t>(type.getTensor().getRank()))
    return emitOpError() << "recalls level " << level << " of "
                         << type.getTensor();
  if (static_cast<int64_t>(getAhead()) < 0)
    return emitOpError("recalls an entry that lies behind");
  return success();
}

LogicalResult PrefetchOp::verify() {
  auto fiber = cast<FiberType>(getFiber().getType());
  if (fiber.isElement())
    return emitOpError() << "needs a fiber with children, not a " << fiber;
  if (getBegin() && getElements())
    return emitOpError("of where children begin has no elements");
  return success();
}

LogicalResult AheadOp::verify() {
  auto fiber = cast<FiberType>(getFiber().getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(fiber.getTensor());
  if (fiber.getLevel() == 0 || !encoding ||
      sparse_tensor::isDenseLT(encoding.getLvlType(fiber.getLevel() - 1)))
    return emitOpError() << "needs a child with a stored coordinate, not a "
                         << fiber;
  if (static_cast<int64_t>(getDistance()) < 1)
    return emitOpError("must look ahead");
  return success();
}

LogicalResult PrefetchRowOp::verify() {
  auto type = cast<RankedTensorType>(getTensor().getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || !encoding.isAllDense())
    return emitOpError() << "needs an encoded dense tensor, got " << type;
  if (static_cast<int64_t>(getCoordinates().size()) + 1 != type.getRank())
    return emitOpError() << "has " << getCoordinates().size()
                         << " coordinates for a row of " << type;
  return success();
}

LogicalResult FiberAtOp::verify() {
  auto root = cast<FiberType>(getRoot().getType());
  auto fiber = cast<FiberType>(getFiber().getType());
  if (root.getLevel() != 0 || root.getTensor() != fiber.getTensor())
    return emitOpError() << "cannot get a " << fiber << " from a " << root;
  return success();
}

LogicalResult FindOp::verify() {
  FiberType fiber = cast<FiberType>(getFiber().getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(fiber.getTensor());
  bool isFindable = encoding && !fiber.isElement();
  if (isFindable) {
    sparse_tensor::LevelType level = encoding.getLvlType(fiber.getLevel());
    isFindable = sparse_tensor::isCompressedLT(level) &&
                 sparse_tensor::isUniqueLT(level);
  }
  if (!isFindable)
    return emitOpError() << "cannot look into a " << fiber
                         << ": its children need unique coordinates";
  if (getTable() &&
      !cast<WorkspaceType>(getTable().getType()).getElement().isInteger(64))
    return emitOpError() << "looks for positions in a " << getTable().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// CoiterateOp
//===----------------------------------------------------------------------===//

SmallVector<Type> CoiterateOp::getBodyTypes(MLIRContext *context,
                                            ValueRange fibers, CutType cut,
                                            ValueRange inits) {
  SmallVector<Type> types = {IndexType::get(context)};
  for (Value fiber : fibers)
    types.push_back(cast<FiberType>(fiber.getType()).getChild());
  if (cut)
    types.append(2, cut.getInner());
  llvm::append_range(types, inits.getTypes());
  return types;
}

/// fibers, guards, extent, lower, upper, inits
static std::array<int32_t, 6> segmentSizes(size_t fibers, size_t guards,
                                           bool extent, bool bounded,
                                           size_t inits) {
  return {static_cast<int32_t>(fibers),
          static_cast<int32_t>(guards),
          extent,
          bounded,
          bounded,
          static_cast<int32_t>(inits)};
}

void CoiterateOp::build(OpBuilder &builder, OperationState &state,
                        ValueRange fibers, ValueRange guards, Value extent,
                        MergeAttr merge, Value lower, Value upper,
                        ValueRange inits) {
  state.addOperands(fibers);
  state.addOperands(guards);
  if (extent)
    state.addOperands(extent);
  CutType cut;
  if (lower) {
    state.addOperands({lower, upper});
    cut = cast<CutType>(lower.getType());
  }
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Properties &props = state.getOrAddProperties<Properties>();
  props.merge = merge;
  props.nonempty = builder.getDenseI32ArrayAttr({});
  props.operandSegmentSizes =
      segmentSizes(fibers.size(), guards.size(), static_cast<bool>(extent),
                   static_cast<bool>(lower), inits.size());
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types =
      getBodyTypes(builder.getContext(), fibers, cut, inits);
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

/// `nonempty(%arg, ...)`, as the numbers of the arguments
static ParseResult parseNonempty(OpAsmParser &parser,
                                 ArrayRef<OpAsmParser::Argument> args,
                                 SmallVectorImpl<int32_t> &nonempty) {
  if (failed(parser.parseOptionalKeyword("nonempty")))
    return success();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::UnresolvedOperand name;
        if (parser.parseOperand(name))
          return failure();
        const auto *arg = llvm::find_if(args, [&](const auto &arg) {
          return arg.ssaName.name == name.name &&
                 arg.ssaName.number == name.number;
        });
        if (arg == args.end())
          return parser.emitError(name.location)
                 << "expected a fiber of the loop";
        nonempty.push_back(arg - args.begin());
        return success();
      });
}

ParseResult CoiterateOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  SMLoc loc = parser.getCurrentLocation();
  Bindings fibers, bounds, inits;
  OpAsmParser::Argument coordinate;
  SmallVector<OpAsmParser::UnresolvedOperand> extent, guards;
  SmallVector<Type> guardTypes;
  if (parser.parseArgument(coordinate))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("to")) &&
      parser.parseOperand(extent.emplace_back()))
    return failure();
  if (parser.parseKeyword("of") || fibers.parseTyped(parser))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("given")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return failure(parser.parseOperand(guards.emplace_back()) ||
                       parser.parseColonType(guardTypes.emplace_back()));
      }))
    return failure();
  if (parser.parseKeyword("in"))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> names;
  for (const OpAsmParser::Argument &arg : fibers.args)
    names.push_back(arg.ssaName);
  llvm::append_range(names, guards);
  MergeAttr merge;
  SmallVector<int32_t> nonempty;
  if (parseMerge(parser, names, /*extend=*/false, merge) ||
      parseNonempty(parser, fibers.args, nonempty) ||
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
      parser.resolveOperands(guards, guardTypes, loc, state.operands) ||
      parser.resolveOperands(extent, builder.getIndexType(), state.operands) ||
      bounds.resolve(parser, loc, state.operands) ||
      inits.resolve(parser, loc, state.operands) ||
      parser.parseRegion(*state.addRegion(), args) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  ensureTerminator(*state.regions.front(), builder, state.location);
  Properties &props = state.getOrAddProperties<Properties>();
  props.merge = merge;
  props.nonempty = builder.getDenseI32ArrayAttr(nonempty);
  props.operandSegmentSizes =
      segmentSizes(fibers.types.size(), guards.size(), !extent.empty(),
                   !bounds.types.empty(), inits.types.size());
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
  printer << ' ' << getCoordinate();
  if (getExtent())
    printer << " to " << getExtent();
  printer << " of ";
  printBindings(getChildren(), getFibers());
  if (!getGuards().empty()) {
    printer << " given (";
    llvm::interleaveComma(getGuards(), printer, [&](Value guard) {
      printer << guard << " : " << guard.getType();
    });
    printer << ')';
  }
  printer << " in ";
  SmallVector<Value> leaves(getChildren());
  llvm::append_range(leaves, getGuards());
  printMerge(printer, getMerge(), leaves);
  if (!getNonempty().empty()) {
    printer << " nonempty(";
    llvm::interleaveComma(getNonempty(), printer,
                          [&](int32_t n) { printer << leaves[n]; });
    printer << ')';
  }
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
                                {"merge", "nonempty", "operandSegmentSizes"});
}

LogicalResult CoiterateOp::verify() {
  if (getFibers().empty() && !getExtent())
    return emitOpError("needs fibers or the number of coordinates");
  for (Value fiber : getFibers())
    if (cast<FiberType>(fiber.getType()).isElement())
      return emitOpError("cannot iterate an element");
  if (failed(verifyMerge(*this, getMerge(),
                         getFibers().size() + getGuards().size())))
    return failure();
  for (int32_t n : getNonempty()) {
    if (n < 0 || n >= static_cast<int64_t>(getFibers().size()))
      return emitOpError("has no such fiber to be nonempty: ") << n;
    if (cast<FiberType>(getChildren()[n].getType()).isElement())
      return emitOpError("cannot ask whether an element is nonempty");
  }
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
      TypeRange(getBodyTypes(getContext(), getFibers(), cut, getInits())))
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

void LocateOp::build(OpBuilder &builder, OperationState &state, Value tensor,
                     ValueRange coordinates, Value condition) {
  build(builder, state,
        cast<RankedTensorType>(tensor.getType()).getElementType(), tensor,
        coordinates, condition);
}

ParseResult LocateOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand tensor;
  SmallVector<OpAsmParser::UnresolvedOperand> coordinates, condition;
  Type type;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(tensor) ||
      parser.parseOperandList(coordinates, OpAsmParser::Delimiter::Square) ||
      (succeeded(parser.parseOptionalKeyword("if")) &&
       parser.parseOperand(condition.emplace_back())) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return parser.emitError(tensor.location, "expected a ranked tensor type");
  if (parser.resolveOperand(tensor, type, state.operands) ||
      parser.resolveOperands(coordinates, builder.getIndexType(),
                             state.operands) ||
      parser.resolveOperands(condition, builder.getI1Type(), state.operands))
    return failure();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      1, static_cast<int32_t>(coordinates.size()),
      static_cast<int32_t>(condition.size())};
  state.addTypes(ranked.getElementType());
  return success();
}

void LocateOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getTensor() << '[' << getCoordinates() << ']';
  if (getCondition())
    printer << " if " << getCondition();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
  printer << " : " << getTensor().getType();
}

LogicalResult LocateOp::verify() {
  auto type = cast<RankedTensorType>(getTensor().getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (encoding && !encoding.isAllDense())
    return emitOpError() << "needs a dense tensor, got " << type;
  if (static_cast<int64_t>(getCoordinates().size()) != type.getRank())
    return emitOpError() << "locates " << getCoordinates().size()
                         << " coordinates in " << type;
  if (getValue().getType() != type.getElementType())
    return emitOpError() << "reads a " << type.getElementType();
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
      getNumber() >= nest.getAppendedTypes().size() ||
      nest.getAppendedTypes()[getNumber()] != getValue().getType())
    return emitOpError() << "appends to " << type << " a "
                         << getValue().getType() << " at "
                         << getCoordinates().size() << " coordinates";
  return success();
}
