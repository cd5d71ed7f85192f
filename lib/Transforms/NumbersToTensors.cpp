//===- NumbersToTensors.cpp - Numbers that a kernel takes -----------------===//
//
// Consumes functions with numbers as arguments; leaves functions with tensors
// of rank 0, which are operands like all others: a kernel is called with
// tensors.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Nacho.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
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

/// Whether an op makes a number of an index of which only tensors of rank 0 are
/// made.
static bool makesOperandOfIndex(Operation *user) {
  return isa<arith::IndexCastOp>(user) &&
         user->getResultTypes()[0].isInteger(64) &&
         llvm::all_of(user->getUsers(), makesOperand);
}

/// func @f(%n: index) { %i = arith.index_cast %n; %t = tensor.from_elements %i;
///                      use %t; nacho.slice %A[%n] ... }
///   -> func @f(%t: tensor<i64>) { %i = tensor.extract %t[];
///                                 %n = arith.index_cast %i;
///                                 use %t; nacho.slice %A[%n] ... }
static void replaceIndex(BlockArgument number) {
  auto users = llvm::to_vector(number.getUsers());
  auto b =
      ImplicitLocOpBuilder::atBlockBegin(number.getLoc(), number.getOwner());
  number.setType(RankedTensorType::get({}, b.getI64Type()));
  Value element = tensor::ExtractOp::create(b, number, ValueRange());
  Value index = arith::IndexCastOp::create(b, b.getIndexType(), element);
  for (Operation *user : users) {
    if (isa<SliceOp>(user)) {
      user->replaceUsesOfWith(number, index);
      continue;
    }
    for (Operation *made : llvm::make_early_inc_range(user->getUsers())) {
      made->getResult(0).replaceAllUsesWith(number);
      made->erase();
    }
    user->erase();
  }
}

static bool isNumber(Type type) {
  return type.isIntOrFloat() || isa<ComplexType>(type);
}

static void replaceNumbers(func::FuncOp func) {
  for (BlockArgument arg : func.getArguments()) {
    if (arg.use_empty())
      continue;
    if (isNumber(arg.getType()) && llvm::all_of(arg.getUsers(), makesOperand))
      replaceNumber(arg);
    if (arg.getType().isIndex() &&
        llvm::all_of(arg.getUsers(), [](Operation *user) {
          return isa<SliceOp>(user) || makesOperandOfIndex(user);
        }))
      replaceIndex(arg);
  }
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
