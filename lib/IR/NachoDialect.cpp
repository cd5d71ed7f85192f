//===- NachoDialect.cpp - Registration, attributes, types -----------------===//

#include "nacho/IR/Nacho.h"
#include "nacho/IR/Syntax.h"

#include "StepSyntax.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacho;

#include "nacho/IR/NachoDialect.cpp.inc"
#include "nacho/IR/NachoEnums.cpp.inc"

LogicalResult nacho::detail::verifyYields(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.empty() || !isa<YieldOp>(block.back()))
        return op->emitOpError("has a region that does not end with '")
               << YieldOp::getOperationName() << "'";
  return success();
}

/// `, scanned_list`, or nothing.
static ParseResult parseScannedList(AsmParser &parser, bool &scannedList) {
  scannedList = succeeded(parser.parseOptionalComma());
  return scannedList ? parser.parseKeyword("scanned_list")
                     : ParseResult(success());
}

static void printScannedList(AsmPrinter &printer, bool scannedList) {
  if (scannedList)
    printer << ", scanned_list";
}

#define GET_ATTRDEF_CLASSES
#include "nacho/IR/NachoAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "nacho/IR/NachoTypes.cpp.inc"

namespace {
/// Prints fiber types by aliases, since each repeats a whole tensor type.
struct NachoAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Type type, raw_ostream &os) const final {
    if (!isa<FiberType>(type))
      return AliasResult::NoAlias;
    os << "fiber";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void NachoDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nacho/IR/NachoAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "nacho/IR/NachoTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "nacho/IR/NachoOps.cpp.inc"
      >();
  addInterfaces<NachoAsmInterface>();
}

//===----------------------------------------------------------------------===//
// Merge expressions
//===----------------------------------------------------------------------===//

bool MergeAttr::mentions(unsigned operand) const {
  if (isLeaf())
    return getOperand() == operand;
  return llvm::any_of(children(),
                      [&](MergeAttr child) { return child.mentions(operand); });
}

static void printMergeTree(AsmPrinter &printer, MergeAttr merge,
                           llvm::function_ref<void(unsigned)> printLeaf) {
  if (merge.isLeaf())
    return printLeaf(merge.getOperand());
  printer << stringifyMergeKind(merge.getKind()) << '(';
  llvm::interleaveComma(merge.children(), printer, [&](MergeAttr child) {
    printMergeTree(printer, child, printLeaf);
  });
  printer << ')';
}

static FailureOr<MergeAttr>
parseMergeTree(AsmParser &parser,
               llvm::function_ref<FailureOr<unsigned>()> parseLeaf) {
  MLIRContext *context = parser.getContext();
  MergeKind kind;
  if (succeeded(parser.parseOptionalKeyword("union"))) {
    kind = MergeKind::unite;
  } else if (succeeded(parser.parseOptionalKeyword("intersect"))) {
    kind = MergeKind::intersect;
  } else {
    FailureOr<unsigned> operand = parseLeaf();
    if (failed(operand))
      return failure();
    return MergeAttr::get(context, *operand);
  }
  SmallVector<Attribute> args;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren, [&]() -> ParseResult {
            FailureOr<MergeAttr> arg = parseMergeTree(parser, parseLeaf);
            if (failed(arg))
              return failure();
            args.push_back(*arg);
            return success();
          }))
    return failure();
  return MergeAttr::get(context, kind, args);
}

void MergeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printMergeTree(printer, *this, [&](unsigned operand) { printer << operand; });
  printer << '>';
}

Attribute MergeAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<MergeAttr> merge =
      parseMergeTree(parser, [&]() -> FailureOr<unsigned> {
        int64_t operand;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseInteger(operand))
          return failure();
        if (operand < 0 || operand > std::numeric_limits<int32_t>::max()) {
          parser.emitError(loc, "expected the number of an operand");
          return failure();
        }
        return static_cast<unsigned>(operand);
      });
  if (failed(merge) || parser.parseGreater())
    return {};
  return *merge;
}

void nacho::printMerge(OpAsmPrinter &printer, MergeAttr merge,
                       ValueRange values) {
  printMergeTree(printer, merge, [&](unsigned operand) {
    printer.printOperand(values[operand]);
  });
}

ParseResult
nacho::parseMerge(OpAsmParser &parser,
                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &names,
                  bool extend, MergeAttr &merge) {
  auto parseLeaf = [&]() -> FailureOr<unsigned> {
    OpAsmParser::UnresolvedOperand leaf;
    if (parser.parseOperand(leaf))
      return failure();
    for (auto [number, name] : llvm::enumerate(names))
      if (name.name == leaf.name && name.number == leaf.number)
        return number;
    if (!extend) {
      parser.emitError(leaf.location)
          << "'" << leaf.name << "' is not a fiber of this loop";
      return failure();
    }
    names.push_back(leaf);
    return names.size() - 1;
  };
  FailureOr<MergeAttr> tree = parseMergeTree(parser, parseLeaf);
  if (failed(tree))
    return failure();
  merge = *tree;
  return success();
}

LogicalResult nacho::verifyMerge(Operation *op, MergeAttr merge,
                                 unsigned numOperands) {
  if (merge.isLeaf()) {
    if (merge.getOperand() < numOperands)
      return success();
    return op->emitOpError() << "merge expression names operand "
                             << merge.getOperand() << " of " << numOperands;
  }
  for (MergeAttr child : merge.children())
    if (failed(verifyMerge(op, child, numOperands)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult FiberType::verify(llvm::function_ref<InFlightDiagnostic()> error,
                                RankedTensorType tensor, unsigned level,
                                bool scannedList) {
  if (level > tensor.getRank())
    return error() << "fiber at level " << level << " of a tensor with "
                   << tensor.getRank() << " levels";
  if (scannedList && !(isList(tensor) && tensor.getElementType().isInteger(64)))
    return error() << "a scanned_list is a list of costs, which are i64, not a "
                   << tensor;
  return success();
}

static void printWidths(AsmPrinter &printer, ArrayRef<int64_t> widths) {
  printer << '<';
  llvm::interleaveComma(widths, printer);
  printer << '>';
}

template <typename T>
static Type parseWidths(AsmParser &parser) {
  SmallVector<int64_t> widths;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parser.parseInteger(widths.emplace_back());
      }))
    return {};
  return parser.getChecked<T>(loc, parser.getContext(), widths);
}

static LogicalResult
verifyWidths(llvm::function_ref<InFlightDiagnostic()> error,
             ArrayRef<int64_t> widths) {
  for (int64_t width : widths)
    if (width < 0)
      return error() << "cut through a loop of " << width << " operands";
  return success();
}

LogicalResult NachoDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned regionIndex,
                                                     unsigned argIndex,
                                                     NamedAttribute attribute) {
  if (attribute.getName() != kSizesAttrName)
    return success();
  auto sizes = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  auto func = dyn_cast<FunctionOpInterface>(op);
  auto type =
      func ? dyn_cast<RankedTensorType>(func.getArgumentTypes()[argIndex])
           : RankedTensorType();
  if (!sizes || !type ||
      (sizes.size() != type.getRank() + 1 &&
       sizes.size() != 2 * type.getRank() + 1) ||
      llvm::any_of(sizes.asArrayRef(), [](int64_t size) { return size < 0; }) ||
      llvm::is_contained(sizes.asArrayRef().drop_front(type.getRank() + 1), 0))
    return op->emitOpError()
           << "'" << kSizesAttrName << "' of argument " << argIndex
           << " is not a number of entries and the extents, nor these and "
              "the skew of each dimension";
  return success();
}

LogicalResult CutType::verify(llvm::function_ref<InFlightDiagnostic()> error,
                              ArrayRef<int64_t> widths) {
  return verifyWidths(error, widths);
}

LogicalResult CutsType::verify(llvm::function_ref<InFlightDiagnostic()> error,
                               ArrayRef<int64_t> widths) {
  return verifyWidths(error, widths);
}

void CutType::print(AsmPrinter &printer) const {
  printWidths(printer, getWidths());
}

Type CutType::parse(AsmParser &parser) { return parseWidths<CutType>(parser); }

int64_t CutType::getNumColumns() const {
  return 1 + getWidths().size() + llvm::sum_of(getWidths());
}

void CutsType::print(AsmPrinter &printer) const {
  printWidths(printer, getWidths());
}

Type CutsType::parse(AsmParser &parser) {
  return parseWidths<CutsType>(parser);
}
