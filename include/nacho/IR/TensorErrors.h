//===- TensorErrors.h - Errors about one tensor of a statement ------------===//
//
// Callers have names of their own for the tensors of a statement. A diagnostic
// therefore keeps the number of the operand, and what it says of it, as data.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_TENSORERRORS_H
#define NACHO_IR_TENSORERRORS_H

#include "nacho/IR/Nacho.h"

#include <optional>
#include <string>

namespace nacho {

/// Begins an error `operand 2 ...`; a type is mentioned after the number.
mlir::InFlightDiagnostic emitOperandError(AssignOp op, unsigned number,
                                          mlir::Type type = {});
/// Begins an error `the result of type ...`.
mlir::InFlightDiagnostic emitResultError(AssignOp op);

/// The operand, or the result, that such an error is about.
struct TensorError {
  std::optional<size_t> operand; ///< No value stands for the result.
  std::string reason;            ///< The rest of the error.
};

/// Reads such an error; returns no value for another one.
std::optional<TensorError> tensorErrorIn(mlir::Diagnostic &diagnostic);

} // namespace nacho

#endif // NACHO_IR_TENSORERRORS_H
