//===- Equations.cpp - Indices of a statement that follow from others -----===//

#include "Equations.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Equations as text
//===----------------------------------------------------------------------===//

/// One addend of a sum: `2 * k`, `k`, or `3`, which has no source.
static ParseResult parseAddend(AsmParser &parser, StringRef &source,
                               int64_t &factor) {
  OptionalParseResult number = parser.parseOptionalInteger(factor);
  if (!number.has_value()) {
    factor = 1;
    return parser.parseKeyword(&source);
  }
  if (failed(*number))
    return failure();
  if (failed(parser.parseOptionalStar()))
    return success();
  return parser.parseKeyword(&source);
}

FailureOr<DerivedIndexAttr> DerivedIndexAttr::parseEquation(AsmParser &parser) {
  StringRef index;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&index) || parser.parseEqual())
    return failure();
  SmallVector<StringAttr> sources;
  SmallVector<int64_t> factors;
  int64_t constant = 0, divisor = 1;
  bool isNegated = succeeded(parser.parseOptionalMinus());
  while (true) {
    StringRef source;
    int64_t factor = 0;
    if (parseAddend(parser, source, factor))
      return failure();
    if (isNegated)
      factor = -factor;
    if (source.empty()) {
      constant += factor;
    } else {
      sources.push_back(parser.getBuilder().getStringAttr(source));
      factors.push_back(factor);
    }
    isNegated = succeeded(parser.parseOptionalMinus());
    if (!isNegated && failed(parser.parseOptionalPlus()))
      break;
  }
  bool rounds = succeeded(parser.parseOptionalKeyword("floordiv"));
  if ((rounds || succeeded(parser.parseOptionalKeyword("over"))) &&
      parser.parseInteger(divisor))
    return failure();
  auto made = parser.getChecked<DerivedIndexAttr>(
      loc, parser.getContext(), parser.getBuilder().getStringAttr(index),
      ArrayRef<StringAttr>(sources), ArrayRef<int64_t>(factors), constant,
      divisor, rounds);
  if (!made)
    return failure();
  return made;
}

void DerivedIndexAttr::printEquation(AsmPrinter &printer) const {
  printer << getIndex().getValue() << " =";
  bool isFirst = true;
  auto printAddend = [&](int64_t factor, StringRef source) {
    if (factor < 0)
      printer << (isFirst ? " -" : " - ");
    else
      printer << (isFirst ? " " : " + ");
    isFirst = false;
    uint64_t magnitude = factor < 0 ? -static_cast<uint64_t>(factor) : factor;
    if (source.empty())
      printer << magnitude;
    else if (magnitude != 1)
      printer << magnitude << " * " << source;
    else
      printer << source;
  };
  for (auto [source, factor] : llvm::zip(getSources(), getFactors()))
    printAddend(factor, source.getValue());
  if (getConstant() != 0 || getSources().empty())
    printAddend(getConstant(), "");
  if (getRounds())
    printer << " floordiv " << getDivisor();
  else if (getDivisor() != 1)
    printer << " over " << getDivisor();
}

Attribute DerivedIndexAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<DerivedIndexAttr> made = parseEquation(parser);
  if (failed(made) || parser.parseGreater())
    return {};
  return *made;
}

void DerivedIndexAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printEquation(printer);
  printer << '>';
}

ParseResult nacho::parseWhere(OpAsmParser &parser, ArrayAttr &where) {
  if (failed(parser.parseOptionalKeyword("where")))
    return success();
  SmallVector<Attribute> equations;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren, [&]() -> ParseResult {
            FailureOr<DerivedIndexAttr> equation =
                DerivedIndexAttr::parseEquation(parser);
            if (failed(equation))
              return failure();
            equations.push_back(*equation);
            return success();
          }))
    return failure();
  where = parser.getBuilder().getArrayAttr(equations);
  return success();
}

void nacho::printWhere(OpAsmPrinter &printer, AssignOp op) {
  if (op.getEquations().empty())
    return;
  printer << " where (";
  llvm::interleaveComma(op.getEquations(), printer, [&](Attribute equation) {
    cast<DerivedIndexAttr>(equation).printEquation(printer);
  });
  printer << ')';
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult
DerivedIndexAttr::verify(llvm::function_ref<InFlightDiagnostic()> error,
                         StringAttr, ArrayRef<StringAttr> sources,
                         ArrayRef<int64_t> factors, int64_t constant,
                         int64_t divisor, bool) {
  if (sources.size() != factors.size())
    return error() << "has " << sources.size() << " indices and "
                   << factors.size() << " factors";
  if (divisor <= 0)
    return error() << "divides by " << divisor;
  for (unsigned n = 1; n < sources.size(); ++n)
    if (llvm::is_contained(sources.take_front(n), sources[n]))
      return error() << "has index " << sources[n] << " twice";
  return success();
}

FailureOr<IndexSet> nacho::freeIndices(AssignOp op) {
  DenseMap<Value, IndexSet> free;
  for (BlockArgument arg : op.getBodyBlock()->getArguments())
    free[arg].insert_range(op.getIndependent(op.getAccess(arg.getArgNumber())));
  for (Operation &nested : op.getBodyBlock()->without_terminator()) {
    if (nested.getNumRegions() != 0)
      return nested.emitOpError("has a region, inside of an assignment");
    IndexSet indices;
    for (Value operand : nested.getOperands())
      indices.insert_range(free[operand]);
    if (auto reduce = dyn_cast<ReduceOp>(nested)) {
      for (Attribute index : reduce.getIndices())
        if (!indices.remove(index))
          return reduce.emitOpError() << "reduces over index " << index
                                      << ", which its value does not have";
    }
    for (Value result : nested.getResults())
      free[result] = indices;
  }
  return free[op.getBodyBlock()->getTerminator()->getOperand(0)];
}

/// Whether an operand has an index, and thereby its extent.
static bool hasExtent(AssignOp op, Attribute index) {
  if (op.getInit() && llvm::is_contained(op.getResultAccess(), index))
    return true;
  return llvm::any_of(op.getAccesses(), [&](Attribute access) {
    return llvm::is_contained(cast<ArrayAttr>(access), index);
  });
}

LogicalResult nacho::verifyEquations(AssignOp op) {
  if (op.getEquations().empty())
    return success();
  llvm::SetVector<Attribute> derived, used;
  for (Attribute attr : op.getEquations()) {
    auto equation = cast<DerivedIndexAttr>(attr);
    used.insert_range(equation.getSources());
    if (equation.getRounds() && op.getCollect() != CollectKind::sortedList)
      return op.emitOpError()
             << "rounds index " << equation.getIndex()
             << " down, which can only be done for a sorted list";
    if (!derived.insert(equation.getIndex()))
      return op.emitOpError()
             << "has two equations for index " << equation.getIndex();
    if (used.contains(equation.getIndex()))
      return op.emitOpError()
             << "uses index " << equation.getIndex() << " before its equation";
  }
  used.insert_range(derived);
  used.insert_range(op.getResultAccess());
  for (Attribute index : used)
    if (!op.isPart(index) && !hasExtent(op, index))
      return op.emitOpError()
             << "has no operand that tells the extent of index " << index;
  return success();
}

//===----------------------------------------------------------------------===//
// Statements with equations
//===----------------------------------------------------------------------===//

DerivedIndexAttr AssignOp::getEquation(Attribute index) {
  for (Attribute equation : getEquations())
    if (cast<DerivedIndexAttr>(equation).getIndex() == index)
      return cast<DerivedIndexAttr>(equation);
  return {};
}

/// Whether an operand that is not dense, and whose elements are used, has an
/// index. All levels of such an operand have loops.
static bool isStored(AssignOp op, Attribute index) {
  for (auto [n, input] : llvm::enumerate(op.getInputs())) {
    auto encoding = sparse_tensor::getSparseTensorEncoding(input.getType());
    if (encoding && !encoding.isAllDense() &&
        !op.getBodyBlock()->getArgument(n).use_empty() &&
        llvm::is_contained(op.getAccess(n), index))
      return true;
  }
  return false;
}

bool AssignOp::isComputed(Attribute index) {
  return getEquation(index) && !isStored(*this, index);
}

/// Replaces the indices that `isReplaced` by the sources of their equations,
/// until none is left.
static SmallVector<Attribute>
replaceIndices(AssignOp op, ArrayRef<Attribute> access,
               llvm::function_ref<bool(Attribute)> isReplaced) {
  llvm::SetVector<Attribute> found;
  SmallVector<Attribute> pending(llvm::reverse(access));
  while (!pending.empty()) {
    Attribute index = pending.pop_back_val();
    if (isReplaced(index))
      llvm::append_range(pending,
                         llvm::reverse(op.getEquation(index).getSources()));
    else
      found.insert(index);
  }
  return found.takeVector();
}

SmallVector<Attribute> AssignOp::getLoopIndices(ArrayRef<Attribute> access) {
  return replaceIndices(*this, access,
                        [&](Attribute index) { return isComputed(index); });
}

SmallVector<Attribute> AssignOp::getIndependent(ArrayRef<Attribute> access) {
  return replaceIndices(*this, access, [&](Attribute index) {
    return static_cast<bool>(getEquation(index));
  });
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

LogicalResult DeriveOp::verify() {
  if (getSources().size() != getFactors().size())
    return emitOpError() << "has " << getSources().size() << " coordinates and "
                         << getFactors().size() << " factors";
  if (static_cast<int64_t>(getDivisor()) <= 0)
    return emitOpError() << "divides by " << static_cast<int64_t>(getDivisor());
  return success();
}
