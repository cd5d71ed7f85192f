//===- CostModels.cpp - The table of cost models --------------------------===//
//
// The attribute, and the models that have names. What each kind of charge means
// for the loops of a nest is in lib/Transforms/Nests/CostModel.cpp.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Nacho.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nacho;

namespace {
/// A model is one row.
struct NamedModel {
  StringLiteral name;
  StringLiteral charges; ///< The text of the attribute.
};
} // namespace

static constexpr NamedModel kModels[] = {
    {"nnz", "#nacho.cost_model<entries, steps>"},
    {"nnz+loops", "#nacho.cost_model<entries, steps, units>"},
    {"flops", "#nacho.cost_model<products>"},
    // Calibrated in tools/nacho-bench/results/parts.md.
    {"time", "#nacho.cost_model<entries, steps, 4 * units>"},
};

/// The largest weight of a charge. With 2^40 entries of 2^6 operands, what they
/// cost still fits into 63 bits.
static constexpr int64_t kMostWeight = 1 << 16;

FailureOr<CostModelAttr> CostModelAttr::lookUp(Operation *op, StringRef text) {
  MLIRContext *context = op->getContext();
  for (const NamedModel &model : kModels)
    if (model.name == text)
      return cast<CostModelAttr>(parseAttribute(model.charges, context));
  if (text.starts_with("#nacho.cost_model<")) {
    Attribute model = parseAttribute(text, context);
    if (!model)
      return failure();
    return cast<CostModelAttr>(model);
  }
  InFlightDiagnostic error = op->emitError()
                             << "unknown cost model '" << text << "': ";
  llvm::interleaveComma(kModels, error,
                        [&](const NamedModel &model) { error << model.name; });
  return failure();
}

int64_t CostModelAttr::getWeight(ChargeKind kind) const {
  for (auto [known, weight] : llvm::zip(getKinds(), getWeights()))
    if (known == kind)
      return weight;
  return 0;
}

int64_t CostModelAttr::getEntryCost() const {
  int64_t least = 0;
  for (auto [kind, weight] : llvm::zip(getKinds(), getWeights()))
    if (kind != ChargeKind::units)
      least = least ? std::min(least, weight) : weight;
  return std::max<int64_t>(least, 1);
}

LogicalResult
CostModelAttr::verify(llvm::function_ref<InFlightDiagnostic()> error,
                      ArrayRef<ChargeKind> kinds, ArrayRef<int64_t> weights) {
  if (kinds.empty())
    return error() << "a cost model that charges nothing";
  if (kinds.size() != weights.size())
    return error() << "a cost model needs a weight for each of its charges";
  for (auto [n, kind] : llvm::enumerate(kinds)) {
    if (llvm::is_contained(kinds.drop_front(n + 1), kind))
      return error() << "a cost model that charges "
                     << stringifyChargeKind(kind) << " twice";
    if (weights[n] < 1)
      return error() << "the weight of " << stringifyChargeKind(kind)
                     << " must be positive, not " << weights[n];
    if (weights[n] > kMostWeight)
      return error() << "the weight of " << stringifyChargeKind(kind)
                     << " must be at most " << kMostWeight << ", not "
                     << weights[n];
  }
  return success();
}

void CostModelAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(llvm::zip(getKinds(), getWeights()), printer,
                        [&](auto charge) {
                          auto [kind, weight] = charge;
                          if (weight != 1)
                            printer << weight << " * ";
                          printer << stringifyChargeKind(kind);
                        });
  printer << '>';
}

/// `weight * kind`, or just `kind`
static ParseResult parseCharge(AsmParser &parser,
                               SmallVectorImpl<ChargeKind> &kinds,
                               SmallVectorImpl<int64_t> &weights) {
  int64_t weight = 1;
  OptionalParseResult written = parser.parseOptionalInteger(weight);
  if (written.has_value() && (failed(*written) || parser.parseStar()))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<ChargeKind> kind = symbolizeChargeKind(name);
  if (!kind)
    return parser.emitError(loc)
           << "nothing is called '" << name << "' that a cost model can charge";
  kinds.push_back(*kind);
  weights.push_back(weight);
  return success();
}

Attribute CostModelAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<ChargeKind> kinds;
  SmallVector<int64_t> weights;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseCharge(parser, kinds, weights);
      }))
    return {};
  return parser.getChecked<CostModelAttr>(loc, parser.getContext(),
                                          ArrayRef<ChargeKind>(kinds),
                                          ArrayRef<int64_t>(weights));
}
