//===- Errors.cpp - Errors whose cause is kept as data --------------------===//

#include "nacho/IR/Errors.h"

using namespace mlir;
using namespace nacho;

/// Stands for the number of the operand in an error about the result.
static constexpr int64_t kResult = -1;

/// Keeps numbers in a diagnostic.
static InFlightDiagnostic withMetadata(InFlightDiagnostic error,
                                       ArrayRef<int64_t> numbers) {
  Diagnostic &diagnostic = *error.getUnderlyingDiagnostic();
  for (int64_t number : numbers)
    diagnostic.getMetadata().emplace_back(number);
  return error;
}

InFlightDiagnostic nacho::ofKind(ErrorKind kind, InFlightDiagnostic error) {
  return withMetadata(std::move(error), static_cast<int64_t>(kind));
}

/// The metadata are the kind, the number of the operand or kResult, and the
/// number of the diagnostic's argument with which the reason begins.
static InFlightDiagnostic aboutTensor(InFlightDiagnostic error,
                                      int64_t tensor) {
  int64_t begin = error.getUnderlyingDiagnostic()->getArguments().size();
  return withMetadata(unsupported(std::move(error)), {tensor, begin});
}

InFlightDiagnostic nacho::emitOperandError(AssignOp op, unsigned number,
                                           Type type) {
  InFlightDiagnostic error = op.emitOpError() << "operand " << number;
  if (type)
    error << " of type " << type;
  return aboutTensor(std::move(error), number);
}

InFlightDiagnostic nacho::emitResultError(AssignOp op) {
  return aboutTensor(op.emitOpError()
                         << "the result of type " << op.getResult().getType(),
                     kResult);
}

/// Rewrites `'nacho.unary' op of ...` as `a unary of ...`; drops the name of a
/// statement, which is all that its caller wrote.
static std::string withoutOpName(StringRef text) {
  if (text.consume_front("'nacho.assign' op "))
    return text.str();
  auto [name, rest] = text.split("' op ");
  if (name.consume_front("'nacho."))
    return ("a " + name + " " + rest).str();
  return text.str();
}

ErrorFacts nacho::factsOf(Diagnostic &diagnostic) {
  ArrayRef<DiagnosticArgument> metadata = diagnostic.getMetadata();
  ErrorFacts facts;
  facts.reason = withoutOpName(diagnostic.str());
  if (metadata.empty())
    return facts;
  facts.kind = static_cast<ErrorKind>(metadata[0].getAsInteger());
  if (metadata.size() == 1)
    return facts;
  int64_t tensor = metadata[1].getAsInteger();
  facts.isResult = tensor == kResult;
  if (!facts.isResult)
    facts.operand = tensor;
  facts.reason.clear();
  llvm::raw_string_ostream stream(facts.reason);
  for (DiagnosticArgument &argument :
       diagnostic.getArguments().drop_front(metadata[2].getAsInteger()))
    argument.print(stream);
  facts.reason = StringRef(facts.reason).ltrim().str();
  return facts;
}
