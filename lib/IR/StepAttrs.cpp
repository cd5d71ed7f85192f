//===- StepAttrs.cpp - Attributes of a step, for its callers --------------===//
//
// The syntax of `#nacho.step` and of the attributes in it, and their verifiers.
//
//===----------------------------------------------------------------------===//

#include "StepSyntax.h"
#include "nacho/IR/Collect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nacho;

using ErrorFn = llvm::function_ref<InFlightDiagnostic()>;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// `[a, b, ...]`
static ParseResult parseList(AsmParser &parser,
                             llvm::function_ref<ParseResult()> parseOne) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne);
}

template <typename Range, typename PrintOne>
static void printList(AsmPrinter &printer, const Range &values,
                      PrintOne printOne) {
  printer << '[';
  llvm::interleaveComma(values, printer, printOne);
  printer << ']';
}

static ParseResult parseOfArgument(AsmParser &parser, OfArgument &what) {
  return failure(parser.parseInteger(what.number) ||
                 parser.parseKeyword("of") ||
                 parser.parseInteger(what.argument));
}

static void printOfArgument(AsmPrinter &printer, const OfArgument &what) {
  printer << what.number << " of " << what.argument;
}

ParseResult nacho::parseOfArguments(AsmParser &parser,
                                    SmallVector<OfArgument> &arguments) {
  return parseList(parser, [&] {
    return parseOfArgument(parser, arguments.emplace_back());
  });
}

void nacho::printOfArguments(AsmPrinter &printer,
                             ArrayRef<OfArgument> arguments) {
  printList(printer, arguments,
            [&](const OfArgument &what) { printOfArgument(printer, what); });
}

ParseResult nacho::parseKeptNumbers(AsmParser &parser,
                                    SmallVector<KeptNumber> &kept) {
  return parseList(parser, [&]() -> ParseResult {
    KeptNumber &number = kept.emplace_back(KeptNumber{KeptNumber::other, {}});
    if (succeeded(parser.parseOptionalKeyword("number")))
      return success();
    bool isEnd = succeeded(parser.parseOptionalKeyword("end"));
    number.kind = isEnd ? KeptNumber::end : KeptNumber::position;
    return parseOfArgument(parser, number.level);
  });
}

void nacho::printKeptNumbers(AsmPrinter &printer, ArrayRef<KeptNumber> kept) {
  printList(printer, kept, [&](const KeptNumber &number) {
    if (number.kind == KeptNumber::other) {
      printer << "number";
      return;
    }
    if (number.kind == KeptNumber::end)
      printer << "end ";
    printOfArgument(printer, number.level);
  });
}

ParseResult nacho::parseStepSources(AsmParser &parser,
                                    SmallVector<StepSource> &sources) {
  return parseList(parser, [&]() -> ParseResult {
    StepSource &source = sources.emplace_back();
    source.isStep = succeeded(parser.parseOptionalKeyword("step"));
    if (!source.isStep && parser.parseKeyword("operand", " or 'step'"))
      return failure();
    return parser.parseInteger(source.number);
  });
}

void nacho::printStepSources(AsmPrinter &printer,
                             ArrayRef<StepSource> sources) {
  printList(printer, sources, [&](const StepSource &source) {
    printer << (source.isStep ? "step " : "operand ") << source.number;
  });
}

ParseResult nacho::parseBracketedTypes(AsmParser &parser,
                                       SmallVector<Type> &types) {
  return parseList(parser,
                   [&] { return parser.parseType(types.emplace_back()); });
}

void nacho::printBracketedTypes(AsmPrinter &printer, ArrayRef<Type> types) {
  printList(printer, types, [&](Type type) { printer << type; });
}

ParseResult nacho::parseStepLoops(AsmParser &parser,
                                  SmallVector<StepLoopAttr> &loops) {
  return parseList(parser, [&]() -> ParseResult {
    Attribute loop = StepLoopAttr::parse(parser, Type());
    if (!loop)
      return failure();
    loops.push_back(cast<StepLoopAttr>(loop));
    return success();
  });
}

void nacho::printStepLoops(AsmPrinter &printer, ArrayRef<StepLoopAttr> loops) {
  printList(printer, loops, [&](StepLoopAttr loop) { loop.print(printer); });
}

/// `<"name"[0, 1]>` or `<"name"[0, 1] full>`
Attribute StepLoopAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SmallVector<unsigned> accesses;
  if (parser.parseLess() || parser.parseString(&name) || parseList(parser, [&] {
        return parser.parseInteger(accesses.emplace_back());
      }))
    return {};
  bool isFull = succeeded(parser.parseOptionalKeyword("full"));
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), parser.getBuilder().getStringAttr(name),
             accesses, isFull);
}

void StepLoopAttr::print(AsmPrinter &printer) const {
  printer << '<' << getName();
  printList(printer, getAccesses(),
            [&](unsigned access) { printer << access; });
  printer << (getIsFull() ? " full>" : ">");
}

/// `<union(level of argument, level of argument)>`
Attribute StepMergeAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  OfArgument left, right;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&name) ||
      parser.parseLParen() || parseOfArgument(parser, left) ||
      parser.parseComma() || parseOfArgument(parser, right) ||
      parser.parseRParen() || parser.parseGreater())
    return {};
  std::optional<MergeKind> kind = symbolizeMergeKind(name);
  if (!kind) {
    parser.emitError(loc) << "expected union or intersect, not '" << name
                          << "'";
    return {};
  }
  return parser.getChecked<StepMergeAttr>(loc, parser.getContext(), *kind, left,
                                          right);
}

void StepMergeAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyMergeKind(getKind()) << '(';
  printOfArgument(printer, getLeft());
  printer << ", ";
  printOfArgument(printer, getRight());
  printer << ")>";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult StepMergeAttr::verify(ErrorFn error, MergeKind kind, OfArgument,
                                    OfArgument) {
  if (kind == MergeKind::leaf)
    return error() << "expected a union or an intersection";
  return success();
}

int64_t StepCutsAttr::getNumColumns() const {
  int64_t columns = 1 + getLoops().size();
  for (StepLoopAttr loop : getLoops())
    columns += loop.getAccesses().size();
  return columns;
}

LogicalResult StepCutsAttr::verify(ErrorFn error, ArrayRef<OfArgument> accesses,
                                   ArrayRef<StepLoopAttr> loops, CostModelAttr,
                                   int64_t delta, StepMergeAttr) {
  if (loops.empty())
    return error() << "a step has a loop that is cut";
  for (StepLoopAttr loop : loops)
    for (unsigned access : loop.getAccesses())
      if (access >= accesses.size())
        return error() << "loop " << loop.getName() << " names access "
                       << access << " of " << accesses.size();
  if (delta < -1)
    return error() << "the bound of a cut's cost cannot be " << delta;
  return success();
}

/// Verifies what a step says of its rows of partials.
static LogicalResult verifyPartials(ErrorFn error, ArrayRef<Type> partials,
                                    unsigned partialRows) {
  if (partialRows < 1 || partialRows > 2)
    return error() << "parts have one or two rows of partials, not "
                   << partialRows;
  return success();
}

/// Verifies the level at whose coordinates entries are added up.
static LogicalResult verifyWorkspace(ErrorFn error, RankedTensorType result,
                                     CollectKind collect,
                                     std::optional<unsigned> workspaceLevel) {
  if (workspaceLevel && *workspaceLevel >= result.getRank())
    return error() << "adds up entries at level " << *workspaceLevel << " of "
                   << result;
  if (traitsOf(collect).usesWorkspaces && !workspaceLevel)
    return error() << stringifyCollectKind(collect)
                   << " need a level at which they are added up";
  if (workspaceLevel && !traitsOf(collect).usesWorkspaces)
    return error() << stringifyCollectKind(collect)
                   << " adds up nothing at any level";
  return success();
}

LogicalResult StepBuffersAttr::verify(
    ErrorFn error, StringAttr name, RankedTensorType result, int64_t counts,
    ArrayRef<Type> partials, unsigned partialRows, bool fixedParts,
    CollectKind collect, FillingKind filling,
    std::optional<unsigned> workspaceLevel, ArrayRef<OfArgument>,
    ArrayRef<OfArgument> buckets, ArrayRef<KeptNumber> kept, bool) {
  if (name.getValue().empty())
    return error() << "a step that fills buffers has a name";
  if (counts < 0)
    return error() << "counts cannot have " << counts << " columns";
  if (filling != FillingKind::counted && counts == 0)
    return error() << "a draft needs counts";
  if (fixedParts && partials.empty() && !traitsOf(collect).listsPartSums())
    return error() << "parts are fixed only where what they add up is added up "
                      "again";
  if (failed(verifyPartials(error, partials, partialRows)) ||
      failed(verifyWorkspace(error, result, collect, workspaceLevel)))
    return failure();
  size_t needed = collect == CollectKind::buckets ? 1 : 0;
  if (buckets.size() != needed)
    return error() << stringifyCollectKind(collect) << " needs " << needed
                   << " level of buckets, not " << buckets.size();
  if (!kept.empty() && !traitsOf(collect).scansCosts)
    return error() << stringifyCollectKind(collect) << " keeps no positions";
  if (kept.size() > static_cast<size_t>(result.getRank()))
    return error() << kept.size() << " numbers are not kept in " << result;
  return success();
}

/// Whether an attribute is a list of strings, in so many lists.
static bool areNames(Attribute attribute, unsigned depth) {
  if (depth == 0)
    return isa<StringAttr>(attribute);
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::all_of(list, [&](Attribute each) {
           return areNames(each, depth - 1);
         });
}

/// Verifies the names of loops over the levels of what a step reads and makes.
static LogicalResult verifyNames(ErrorFn error, size_t numInputs,
                                 ArrayAttr reads, ArrayAttr makes) {
  if (reads && reads.size() != numInputs)
    return error() << "reads " << reads.size() << " of " << numInputs
                   << " inputs";
  if ((reads && !areNames(reads, 3)) || (makes && !areNames(makes, 1)))
    return error() << "the loops over levels have names";
  return success();
}

/// All levels of arguments that a step names.
static SmallVector<OfArgument> levelsOf(StepCutsAttr cuts,
                                        StepBuffersAttr buffers) {
  SmallVector<OfArgument> levels;
  if (cuts && cuts.getMerge())
    levels = {cuts.getMerge().getLeft(), cuts.getMerge().getRight()};
  if (!buffers)
    return levels;
  for (const KeptNumber &kept : buffers.getKept())
    if (kept.kind != KeptNumber::other)
      levels.push_back(kept.level);
  llvm::append_range(levels, buffers.getBuckets());
  llvm::append_range(levels, buffers.getTables());
  return levels;
}

LogicalResult StepAttr::verify(ErrorFn error, ArrayRef<StepSource> inputs,
                               StepCutsAttr cuts, StepBuffersAttr buffers,
                               ArrayAttr reads, ArrayAttr makes) {
  if (failed(verifyNames(error, inputs.size(), reads, makes)))
    return failure();
  auto verifyArguments = [&](ArrayRef<OfArgument> what,
                             StringRef kind) -> LogicalResult {
    for (const OfArgument &one : what)
      if (one.argument >= inputs.size())
        return error() << kind << " " << one.number << " is of argument "
                       << one.argument << " of " << inputs.size();
    return success();
  };
  if (buffers && !cuts)
    return error() << "a step that fills buffers is cut";
  if (cuts && failed(verifyArguments(cuts.getAccesses(), "access")))
    return failure();
  return verifyArguments(levelsOf(cuts, buffers), "level");
}

StepAttr StepAttr::ofFunction(Operation *func, unsigned numOperands) {
  if (auto step = func->getAttrOfType<StepAttr>(NachoDialect::kStepAttrName))
    return step;
  SmallVector<StepSource> operands;
  for (unsigned n = 0; n < numOperands; ++n)
    operands.push_back({/*isStep=*/false, n});
  return get(func->getContext(), operands, StepCutsAttr(), StepBuffersAttr(),
             ArrayAttr(), ArrayAttr());
}

LogicalResult NachoDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == kPlaceAttrName &&
      !(isa<memref::LoadOp>(op) && op->getResult(0).getType().isIndex()))
    return op->emitOpError()
           << "'" << kPlaceAttrName << "' is of loads of indices";
  if (attribute.getName() != kStepAttrName)
    return success();
  auto func = dyn_cast<FunctionOpInterface>(op);
  auto step = dyn_cast<StepAttr>(attribute.getValue());
  if (!func || !step)
    return op->emitOpError()
           << "'" << kStepAttrName << "' is not a #nacho.step of a function";
  if (func.getNumArguments() < step.getInputs().size())
    return op->emitOpError()
           << "has " << func.getNumArguments() << " arguments, but '"
           << kStepAttrName << "' has " << step.getInputs().size() << " inputs";
  return success();
}
