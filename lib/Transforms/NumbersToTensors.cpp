//===- NumbersToTensors.cpp - Numbers that a kernel takes -----------------===//
//
// Consumes functions with numbers as arguments; leaves functions with tensors
// of rank 0, which are operands like all others: a kernel is called with
// tensors.
//
//===----------------------------------------------------------------------===//

#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace nacho {
#define GEN_PASS_DEF_NACHONUMBERSTOTENSORS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Whether an op makes tensors of rank 0 of a number, or an integer of an index
/// of which others do.
static bool makesOperand(Operation *user) {
  if (isa<arith::IndexCastOp>(user))
    return llvm::all_of(user->getUsers(), makesOperand);
  auto made = dyn_cast<tensor::FromElementsOp>(user);
  return made && made.getType().getRank() == 0;
}

/// Replaces tensors that are made of a number.
static void replaceMade(Value number, Value tensor) {
  for (Operation *user : llvm::to_vector(number.getUsers())) {
    Value made = user->getResult(0);
    if (isa<RankedTensorType>(made.getType()))
      made.replaceAllUsesWith(tensor);
    else
      replaceMade(made, tensor);
    user->erase();
  }
}

/// func @f(%s: f64) { %t = tensor.from_elements %s; use %t }
///   -> func @f(%t: tensor<f64>) { use %t }
static void replaceNumber(BlockArgument number) {
  Type type = number.getType();
  if (type.isIndex())
    type = IntegerType::get(type.getContext(), 64);
  number.setType(RankedTensorType::get({}, type));
  replaceMade(number, number);
}

static void replaceNumbers(func::FuncOp func) {
  for (BlockArgument arg : func.getArguments())
    if (arg.getType().isIntOrIndexOrFloat() || isa<ComplexType>(arg.getType()))
      if (!arg.use_empty() && llvm::all_of(arg.getUsers(), makesOperand))
        replaceNumber(arg);
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         func.getBody().getArgumentTypes(),
                                         func.getResultTypes()));
}

namespace {
struct NumbersToTensors
    : nacho::impl::NachoNumbersToTensorsBase<NumbersToTensors> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() &&
          SymbolTable::symbolKnownUseEmpty(func, getOperation()))
        replaceNumbers(func);
  }
};
} // namespace
