//===- Operators.h - The table of operators, in C++ -----------------------===//
//
// The records of Operators.td, which says what each field means.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_OPERATORS_H
#define NACHO_IR_OPERATORS_H

#include "nacho/IR/Nacho.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {

/// The operands of a binary operator without which its result is 0.
enum class Annihilator { none, either, dividend };

/// The number that a reduction by a binary operator starts with.
enum class Identity { none, zero, one, bits, largest, smallest, nan };

struct UnaryOperator {
  UnaryKind kind;
  llvm::StringRef name;
  bool needsOrder;
  bool isFractional;
  bool isIntegral;
  bool givesReal;
  llvm::StringRef floatOp, signedOp, unsignedOp, boolOp, complexOp;
  llvm::StringRef libm;
  double (*compute)(double);
};

struct BinaryOperator {
  BinaryKind kind;
  llvm::StringRef name;
  llvm::StringRef noun;
  bool needsOrder;
  bool isFractional;
  bool isIntegral;
  Annihilator annihilator;
  Identity identity;
  llvm::StringRef floatOp, signedOp, unsignedOp, boolOp, complexOp;
  double (*compute)(double, double);
};

struct Comparison {
  CompareKind kind;
  llvm::StringRef name;
  bool needsOrder;
  bool isFractional;
  bool isIntegral;
  mlir::arith::CmpFPredicate floatPredicate;
  mlir::arith::CmpIPredicate signedPredicate, unsignedPredicate;
  bool (*compute)(double, double);
};

llvm::ArrayRef<UnaryOperator> unaryOperators();
llvm::ArrayRef<BinaryOperator> binaryOperators();
llvm::ArrayRef<Comparison> comparisons();

/// The record of a kind.
const UnaryOperator &operatorOf(UnaryKind kind);
const BinaryOperator &operatorOf(BinaryKind kind);
const Comparison &operatorOf(CompareKind kind);

/// The first record of a table for which `predicate` holds; null if there is
/// none.
template <typename Record, typename Predicate>
const Record *findOperator(llvm::ArrayRef<Record> table, Predicate predicate) {
  const Record *found = llvm::find_if(table, predicate);
  return found == table.end() ? nullptr : found;
}

/// The name of the op of MLIR that is an operator on elements of a type; empty
/// if there is none, as for complex numbers.
template <typename Record>
llvm::StringRef loweredName(const Record &record, mlir::Type type) {
  if (mlir::isa<mlir::FloatType>(type))
    return record.floatOp;
  if (mlir::isa<mlir::ComplexType>(type))
    return {};
  if (type.isInteger(1))
    return record.boolOp;
  return type.isUnsignedInteger() ? record.unsignedOp : record.signedOp;
}

/// The element 0 of any type.
mlir::Value zeroElement(mlir::ImplicitLocOpBuilder &b, mlir::Type element);

} // namespace nacho

#endif // NACHO_IR_OPERATORS_H
