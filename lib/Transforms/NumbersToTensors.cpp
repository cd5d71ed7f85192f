//===- NumbersToTensors.cpp - Numbers that a kernel takes -----------------===//
//
// Consumes functions with numbers as arguments; leaves functions with tensors
// of rank 0, which are operands like all others: a kernel is called with
// tensors.
//
//===----------------------------------------------------------------------===//

#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace nacho {
#define GEN_PASS_DEF_NACHONUMBERSTOTENSORS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Whether an op makes a tensor of rank 0 of a number.
static bool makesOperand(Operation *user) {
  auto made = dyn_cast<tensor::FromElementsOp>(user);
  return made && made.getType().getRank() == 0;
}

/// func @f(%s: f64) { %t = tensor.from_elements %s; use %t }
///   -> func @f(%t: tensor<f64>) { use %t }
static void replaceNumber(BlockArgument number) {
  auto users = llvm::to_vector(number.getUsers());
  number.setType(RankedTensorType::get({}, number.getType()));
  for (Operation *user : users) {
    user->getResult(0).replaceAllUsesWith(number);
    user->erase();
  }
}

static void replaceNumbers(func::FuncOp func) {
  for (BlockArgument arg : func.getArguments())
    if (arg.getType().isIntOrFloat() || isa<ComplexType>(arg.getType()))
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
