//===- Operators.cpp - The table of operators, in C++ ---------------------===//

#include "nacho/IR/Operators.h"

#include "nacho/IR/Arith.h"

#include <cmath>

using namespace nacho;

mlir::Value nacho::zeroElement(mlir::ImplicitLocOpBuilder &b,
                               mlir::Type element) {
  mlir::Value zero = Number(b, 0, b.getI8Type());
  return zero.getType() == element ? zero : CastOp::create(b, element, zero);
}

/// x / y rounded down, as NumPy computes it: y = 0 and y = inf have quotients.
static double flooredQuotient(double x, double y) {
  double rest = std::fmod(x, y);
  if (y == 0 || rest == 0)
    return std::round(x / y);
  double quotient = (x - rest) / y;
  return std::round((y < 0) != (rest < 0) ? quotient - 1 : quotient);
}

/// What x leaves by that quotient.
static double flooredRemainder(double x, double y) {
  double rest = std::fmod(x, y);
  return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
}

namespace nacho {
#define GET_UnaryOperators_IMPL
#define GET_BinaryOperators_IMPL
#define GET_Comparisons_IMPL
#include "nacho/IR/Operators.cpp.inc"
} // namespace nacho

llvm::ArrayRef<UnaryOperator> nacho::unaryOperators() { return UnaryOperators; }

llvm::ArrayRef<BinaryOperator> nacho::binaryOperators() {
  return BinaryOperators;
}

llvm::ArrayRef<Comparison> nacho::comparisons() { return Comparisons; }

/// The record of a kind. Looks for the kind, rather than rely on the kinds
/// being numbered in the order of the records.
template <typename Record, typename Kind>
static const Record &recordOf(llvm::ArrayRef<Record> table, Kind kind) {
  return *findOperator(
      table, [&](const Record &record) { return record.kind == kind; });
}

const UnaryOperator &nacho::operatorOf(UnaryKind kind) {
  return recordOf(unaryOperators(), kind);
}

const BinaryOperator &nacho::operatorOf(BinaryKind kind) {
  return recordOf(binaryOperators(), kind);
}

const Comparison &nacho::operatorOf(CompareKind kind) {
  return recordOf(comparisons(), kind);
}
