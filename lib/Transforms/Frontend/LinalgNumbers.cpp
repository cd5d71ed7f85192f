//===- LinalgNumbers.cpp - Numbers that a kernel takes --------------------===//
//
// Consumes functions with numbers as arguments; leaves functions with tensors
// of rank 0, which are operands like all others: a kernel is called with
// tensors. Where a number tells where a slice lies, the function reads it from
// the tensor.
//
//===----------------------------------------------------------------------===//

#include "LinalgNumbers.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nacho;

/// Whether an op makes a tensor of rank 0 of a number, or makes an integer of
/// an index and all users of this integer make such tensors.
static bool makesOperand(Operation *user) {
  if (isa<arith::IndexCastOp>(user))
    return llvm::all_of(user->getUsers(), makesOperand);
  auto made = dyn_cast<tensor::FromElementsOp>(user);
  return made && made.getType().getRank() == 0;
}

/// Replaces the tensors that an op, and users of the op, make of a number.
static void replaceMade(Operation *op, Value tensor) {
  Value made = op->getResult(0);
  if (isa<RankedTensorType>(made.getType()))
    made.replaceAllUsesWith(tensor);
  else
    for (Operation *user : llvm::to_vector(made.getUsers()))
      replaceMade(user, tensor);
  op->erase();
}

/// func @f(%s: index) { %t = tensor.from_elements %s; use %t
///                      nacho.slice %A[%s] ... }
///   -> func @f(%t: tensor<i64>) { %i = tensor.extract %t[]
///                                 %s = arith.index_cast %i
///                                 use %t
///                                 nacho.slice %A[%s] ... }
static void replaceNumber(BlockArgument number) {
  llvm::SetVector<Operation *> users(number.getUsers().begin(),
                                     number.getUsers().end());
  auto b =
      ImplicitLocOpBuilder::atBlockBegin(number.getLoc(), number.getOwner());
  Type type = number.getType();
  if (type.isIndex())
    type = b.getI64Type();
  number.setType(RankedTensorType::get({}, type));
  Value index;
  for (Operation *user : users) {
    if (!isa<SliceOp>(user)) {
      replaceMade(user, number);
      continue;
    }
    if (!index)
      index = Number(b, tensor::ExtractOp::create(b, number, ValueRange()))
                  .asSigned(b.getIndexType());
    user->replaceUsesOfWith(number, index);
  }
}

static bool isNumber(Type type) {
  return type.isIntOrIndexOrFloat() || isa<ComplexType>(type);
}

void nacho::takeTensorsForNumbers(func::FuncOp func) {
  for (BlockArgument arg : func.getArguments())
    if (isNumber(arg.getType()) && !arg.use_empty() &&
        llvm::all_of(arg.getUsers(), [](Operation *user) {
          return isa<SliceOp>(user) || makesOperand(user);
        }))
      replaceNumber(arg);
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         func.getBody().getArgumentTypes(),
                                         func.getResultTypes()));
}
