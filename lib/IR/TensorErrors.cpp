//===- TensorErrors.cpp - Errors about one tensor of a statement ----------===//

#include "nacho/IR/TensorErrors.h"

using namespace mlir;
using namespace nacho;

/// The metadata of the diagnostic: the number of the operand, or -1, and that
/// of the argument with which the reason begins.
static InFlightDiagnostic withMetadata(InFlightDiagnostic error,
                                       int64_t operand) {
  Diagnostic &diagnostic = *error.getUnderlyingDiagnostic();
  int64_t begin = diagnostic.getArguments().size();
  for (int64_t number : {operand, begin})
    diagnostic.getMetadata().emplace_back(number);
  return error;
}

InFlightDiagnostic nacho::emitOperandError(AssignOp op, unsigned number,
                                           Type type) {
  InFlightDiagnostic error = op.emitOpError() << "operand " << number;
  if (type)
    error << " of type " << type;
  return withMetadata(std::move(error), number);
}

InFlightDiagnostic nacho::emitResultError(AssignOp op) {
  return withMetadata(op.emitOpError()
                          << "the result of type " << op.getResult().getType(),
                      /*operand=*/-1);
}

std::optional<TensorError> nacho::tensorErrorIn(Diagnostic &diagnostic) {
  ArrayRef<DiagnosticArgument> metadata = diagnostic.getMetadata();
  if (metadata.size() != 2)
    return std::nullopt;
  TensorError found;
  int64_t operand = metadata[0].getAsInteger();
  if (operand >= 0)
    found.operand = operand;
  llvm::raw_string_ostream stream(found.reason);
  for (DiagnosticArgument &argument :
       diagnostic.getArguments().drop_front(metadata[1].getAsInteger()))
    argument.print(stream);
  found.reason = StringRef(found.reason).ltrim().str();
  return found;
}
