//===- SeparateOps.cpp - A function for each op of linalg -----------------===//
//
// Consumes functions with several ops of linalg; leaves them as calls of
// functions with one op each, from which kernels can be made.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Errors.h"
#include "nacho/Transforms/KernelBuilder.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSEPARATEOPS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// %Z = sparse_tensor.convert %A : T to U
///   -> %Z = linalg.copy ins(%A : T) outs(tensor.empty : U)
///
/// Unless the operand is dense: its zeros would become entries.
static void replaceConversions(func::FuncOp func) {
  SmallVector<sparse_tensor::ConvertOp> ops(
      func.getOps<sparse_tensor::ConvertOp>());
  for (sparse_tensor::ConvertOp op : ops) {
    if (!sparse_tensor::getSparseTensorEncoding(op.getSource().getType()))
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    RankedTensorType type = op.getType();
    Value empty = tensor::EmptyOp::create(
        b, tensor::getMixedSizes(b, op.getLoc(), op.getSource()),
        type.getElementType(), type.getEncoding());
    if (empty.getType() != type)
      continue;
    auto copy = linalg::CopyOp::create(b, op.getSource(), empty);
    op->replaceAllUsesWith(copy);
    op->erase();
  }
}

/// Erases what nothing uses, outputs that bufferization would allocate
/// included.
static void eraseUnusedOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op) ||
        (isa<bufferization::AllocTensorOp>(op) && op.use_empty()))
      op.erase();
}

namespace {
struct SeparateOps : nacho::impl::NachoSeparateOpsBase<SeparateOps> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp func : functions)
      if (func.getBody().hasOneBlock() && failed(separate(func, symbols)))
        return signalPassFailure();
  }

private:
  LogicalResult separate(func::FuncOp func, SymbolTable &symbols);
};
} // namespace

/// %Z = linalg.op ins(%A, %s)  ->  %Z = call @name(%A, %s)
static LogicalResult replaceByCall(linalg::LinalgOp op, const Twine &name,
                                   func::FuncOp before, SymbolTable &symbols) {
  std::string wanted = name.str();
  KernelBuilder builder(op, wanted, /*passesSlices=*/false);
  OwningOpRef<func::FuncOp> kernel = builder.build();
  if (!kernel)
    return unsupported(op.emitOpError() << "cannot be a kernel, since "
                                        << builder.reason << ": not supported");
  kernel->setPrivate();
  func::FuncOp callee = kernel.release();
  symbols.insert(callee, before->getIterator());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  op->replaceAllUsesWith(func::CallOp::create(b, callee, builder.arguments));
  op->erase();
  return success();
}

LogicalResult SeparateOps::separate(func::FuncOp func, SymbolTable &symbols) {
  replaceConversions(func);
  SmallVector<linalg::LinalgOp> ops;
  for (auto op : func.getOps<linalg::LinalgOp>())
    if (!isFilledOutput(op))
      ops.push_back(op);
  if (ops.size() < 2 && func.getNumResults() == 1)
    return success();
  for (auto [n, op] : llvm::enumerate(ops))
    if (failed(
            replaceByCall(op, func.getName() + "_" + Twine(n), func, symbols)))
      return failure();
  eraseUnusedOps(func.getBody().front());
  return success();
}
