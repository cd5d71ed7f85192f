//===- Errors.h - Errors whose cause is kept as data ----------------------===//
//
// Callers tell programs that are wrong from those that Nacho does not support,
// and have names of their own for the tensors of a statement. A diagnostic
// therefore keeps its kind, the number of the operand, and what it says of it.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_ERRORS_H
#define NACHO_IR_ERRORS_H

#include "nacho/IR/Nacho.h"

#include <optional>
#include <string>

namespace nacho {

enum class ErrorKind {
  wrong,       ///< The program is.
  unsupported, ///< The program is valid, and Nacho cannot compile it.
  dense        ///< A result that is to be sparse would have all entries.
};

/// Gives a kind to an error; the message says the same.
mlir::InFlightDiagnostic ofKind(ErrorKind kind, mlir::InFlightDiagnostic error);
inline mlir::InFlightDiagnostic unsupported(mlir::InFlightDiagnostic error) {
  return ofKind(ErrorKind::unsupported, std::move(error));
}

/// Begins an error `operand 2 ...` about an operand that is not supported; a
/// type is mentioned after the number.
mlir::InFlightDiagnostic emitOperandError(AssignOp op, unsigned number,
                                          mlir::Type type = {});
/// Begins an error `the result of type ...`, which is not supported.
mlir::InFlightDiagnostic emitResultError(AssignOp op);

/// The facts that a diagnostic keeps.
struct ErrorFacts {
  ErrorKind kind = ErrorKind::wrong;
  /// The number of the operand of a statement that the error is about.
  std::optional<size_t> operand;
  bool isResult = false; ///< The error is about the statement's result.
  /// The message without the names of the operand and of the statement.
  std::string reason;
};

/// Reads the facts of an error; one without any is of a wrong program.
ErrorFacts factsOf(mlir::Diagnostic &diagnostic);

} // namespace nacho

#endif // NACHO_IR_ERRORS_H
