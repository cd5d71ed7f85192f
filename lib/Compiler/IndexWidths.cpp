//===- IndexWidths.cpp - A module for index arrays of some widths ---------===//
//
// A user who does not give widths in an encoding leaves them open. When a
// kernel is called, the statement is rewritten with the widths of the operands.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace nacho;

/// The type with index arrays of these widths, if it has any.
static Type withWidths(Type type, IndexWidths widths) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  if (!encoding || encoding.isAllDense())
    return type;
  return cast<RankedTensorType>(type).cloneWithEncoding(
      encoding.withBitWidths(widths.positions, widths.coordinates));
}

/// func @f(%A: tensor<?xf64, #V>) -> tensor<?xf64, #V> {
///   %Z = assign (%a = %A[i]) -> [i] ...
///     -> the same with an encoding of its own for each tensor
static LogicalResult setWidths(func::FuncOp func,
                               ArrayRef<IndexWidths> widths) {
  if (widths.size() != func.getNumArguments() + 1 || func.getNumResults() != 1)
    return func.emitError("needs widths for each argument and the result");
  for (auto [argument, wanted] : llvm::zip(func.getArguments(), widths))
    argument.setType(withWidths(argument.getType(), wanted));
  // Slices have the arrays of the tensor.
  for (SliceOp slice : func.getOps<SliceOp>())
    slice.getResult().setType(
        slice.getType().cloneWithEncoding(slice.getSourceType().getEncoding()));
  for (AssignOp assign : func.getOps<AssignOp>()) {
    Value made = assign.getResult();
    made.setType(withWidths(made.getType(), widths.back()));
  }
  Type result = withWidths(func.getResultTypes().front(), widths.back());
  func.setFunctionType(FunctionType::get(
      func.getContext(), func.getBody().getArgumentTypes(), result));
  return verify(func);
}

std::shared_ptr<const AssignedModule>
nacho::withIndexWidths(const AssignedModule &module,
                       const std::vector<IndexWidths> &widths, Failure &error) {
  Compilation compilation(module, error);
  FailureOr<func::FuncOp> func = compilation.onlyFunction();
  if (failed(func) || failed(setWidths(*func, widths)))
    return nullptr;
  return std::make_shared<AssignedModule>(compilation.print(), nullptr);
}
