//===- LoopOps.cpp - Coiterative loops ------------------------------------===//

#include "nacho/IR/Nacho.h"
#include "nacho/IR/Names.h"
#include "nacho/IR/Syntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace mlir;
using namespace nacho;

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

/// The numbers of fibers, guards, extents, lower cuts, upper cuts and inits.
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
                        MergeAttr merge, StringAttr indexName, Value lower,
                        Value upper, ValueRange inits) {
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
  props.index_name = indexName;
  props.nonempty = builder.getDenseI32ArrayAttr({});
  props.operandSegmentSizes =
      segmentSizes(fibers.size(), guards.size(), static_cast<bool>(extent),
                   static_cast<bool>(lower), inits.size());
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types =
      getBodyTypes(builder.getContext(), fibers, cut, inits);
  SmallVector<Location> locs(types.size(), state.location);
  Block *body = builder.createBlock(state.addRegion(), {}, types, locs);
  // The body's fibers and cuts are named after the operands: A0 -> A1.
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

void CoiterateOp::getAsmBlockArgumentNames(Region & /*body*/,
                                           OpAsmSetValueNameFn setName) {
  if (std::optional<StringRef> name = getIndexName())
    setName(getCoordinate(), *name);
}

SmallVector<Region *> CoiterateOp::getLoopRegions() { return {&getBody()}; }

Block::BlockArgListType CoiterateOp::getRegionIterArgs() {
  return getBodyBlock()->getArguments().take_back(getInits().size());
}

std::optional<MutableArrayRef<OpOperand>>
CoiterateOp::getYieldedValuesMutable() {
  return getBodyBlock()->getTerminator()->getOpOperands();
}

std::optional<ResultRange> CoiterateOp::getLoopResults() {
  return getResults();
}

CoiterateOp CoiterateOp::getInnerLoop() {
  auto loops = getBodyBlock()->getOps<CoiterateOp>();
  return loops.empty() ? CoiterateOp() : *loops.begin();
}

namespace {
/// Syntax: `%arg = %operand`. The caller fills in the type of the argument.
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

/// Syntax: `between (%lo1 = %lo, %hi1 = %hi : type)`, or nothing.
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

/// Syntax: `nonempty(%arg, ...)`, or nothing. Gives the numbers of the
/// arguments.
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

/// Whether MLIR prints values without a name by this one: `0`, or `arg0`.
static bool isMadeUp(StringRef name) {
  name.consume_front("arg");
  return llvm::all_of(name, llvm::isDigit);
}

/// Names the index of a loop as its coordinate, if no attribute names it.
static void nameIndex(const OpAsmParser::Argument &coordinate,
                      NamedAttrList &attributes) {
  StringRef name = coordinate.ssaName.name.drop_front();
  if (!isMadeUp(name) && !attributes.get("index_name"))
    attributes.append("index_name",
                      StringAttr::get(coordinate.type.getContext(), name));
}

ParseResult CoiterateOp::parse(OpAsmParser &parser, OperationState &result) {
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
  if (fibers.resolve(parser, loc, result.operands) ||
      parser.resolveOperands(guards, guardTypes, loc, result.operands) ||
      parser.resolveOperands(extent, builder.getIndexType(), result.operands) ||
      bounds.resolve(parser, loc, result.operands) ||
      inits.resolve(parser, loc, result.operands) ||
      parser.parseRegion(*result.addRegion(), args) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*result.regions.front(), builder, result.location);
  nameIndex(args.front(), result.attributes);
  Properties &props = result.getOrAddProperties<Properties>();
  props.merge = merge;
  props.nonempty = builder.getDenseI32ArrayAttr(nonempty);
  props.operandSegmentSizes =
      segmentSizes(fibers.types.size(), guards.size(), !extent.empty(),
                   !bounds.types.empty(), inits.types.size());
  result.addTypes(inits.types);
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
  SmallVector<StringRef> printed = {"merge", "nonempty", "operandSegmentSizes"};
  std::string coordinate;
  llvm::raw_string_ostream stream(coordinate);
  printer.printOperand(getCoordinate(), stream);
  if (StringRef(coordinate).drop_front() == getIndexName())
    printed.push_back("index_name");
  printer.printOptionalAttrDict((*this)->getAttrs(), printed);
}

/// Drops carried values that every step hands on as they are.
LogicalResult CoiterateOp::canonicalize(CoiterateOp op,
                                        PatternRewriter &rewriter) {
  Operation *yield = op.getBodyBlock()->getTerminator();
  auto isSame = [&](unsigned n) {
    return yield->getOperand(n) == op.getCarried()[n];
  };
  SmallVector<Value> inits, yielded;
  for (unsigned n = 0; n < op.getNumResults(); ++n)
    if (!isSame(n)) {
      inits.push_back(op.getInits()[n]);
      yielded.push_back(yield->getOperand(n));
    }
  if (inits.size() == op.getNumResults())
    return failure();
  auto made =
      CoiterateOp::create(rewriter, op.getLoc(), op.getFibers(), op.getGuards(),
                          op.getExtent(), op.getMerge(), op.getIndexNameAttr(),
                          op.getLower(), op.getUpper(), inits);
  made.setNonempty(op.getNonempty());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  SmallVector<Value> args(
      made.getBodyBlock()->getArguments().drop_back(inits.size()));
  SmallVector<Value> results;
  for (unsigned n = 0, kept = 0; n < op.getNumResults(); ++n) {
    Value init = op.getInits()[n];
    args.push_back(isSame(n) ? init : made.getCarried()[kept]);
    results.push_back(isSame(n) ? init : made.getResult(kept));
    kept += !isSame(n);
  }
  for (auto [now, old] : llvm::zip(args, op.getBodyBlock()->getArguments()))
    if (now.getParentBlock() == made.getBodyBlock())
      now.setLoc(old.getLoc());
  rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
  rewriter.mergeBlocks(op.getBodyBlock(), made.getBodyBlock(), args);
  rewriter.replaceOp(op, results);
  return success();
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
  for (int32_t n : getNonempty()) {
    if (n < 0 || n >= static_cast<int64_t>(getFibers().size()))
      return emitOpError("has no such fiber to be nonempty: ") << n;
    if (!getMerge().mentions(n))
      return emitOpError("does not merge the fiber that is to be nonempty");
    if (cast<FiberType>(getChildren()[n].getType()).isElement())
      return emitOpError("cannot ask whether an element is nonempty");
  }
  if (getResultTypes() != getInits().getTypes() ||
      getBodyBlock()->getTerminator()->getOperandTypes() != getResultTypes())
    return emitOpError("carried values, yielded values and results differ");
  return success();
}
