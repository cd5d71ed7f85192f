//===- OutlineKernels.cpp - Ops on sparse tensors as kernels --------------===//

#include "KernelTypes.h"
#include "KernelWrapper.h"
#include "WholeTensors.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/AheadOfTime.h"
#include "nacho/Compiler/Kernel.h"
#include "nacho/Sparsifier/Passes.h"
#include "nacho/Transforms/KernelBuilder.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Pass/PassManager.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOOUTLINEKERNELS
#include "nacho/Sparsifier/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static bool hasSparseTensors(linalg::LinalgOp op) {
  return llvm::any_of(op->getOperandTypes(), isSparse) ||
         llvm::any_of(op->getResultTypes(), isSparse);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// What the function of a kernel returns: were it a tensor, MLIR's
/// bufferization would have to assume that it is one of the operands.
static SmallVector<Type> returnedFor(RankedTensorType result, bool library) {
  SmallVector<Type> returned;
  if (isSparse(result))
    addSparseParameters(result, library, returned);
  else
    returned.push_back(memRefOf(result));
  return returned;
}

/// Declares the function of a kernel, which reads its operands only.
static func::FuncOp declareKernel(ImplicitLocOpBuilder &b, StringRef name,
                                  ArrayRef<Value> passed, TypeRange returned) {
  auto type = b.getFunctionType(TypeRange(ValueRange(passed)), returned);
  auto func = func::FuncOp::create(b, name, type);
  func.setPrivate();
  for (unsigned n = 0; n < passed.size(); ++n)
    func.setArgAttr(n,
                    bufferization::BufferizationDialect::kBufferAccessAttrName,
                    b.getStringAttr("read"));
  return func;
}

/// What a kernel has returned, as a tensor. The linalg op would have
/// overwritten an output that is an argument, of a function or of a loop;
/// whoever passes it may rely on that.
static Value resultOf(ImplicitLocOpBuilder &b, func::CallOp call,
                      Value output) {
  auto type = cast<RankedTensorType>(output.getType());
  if (isSparse(type))
    return UnrealizedConversionCastOp::create(b, TypeRange(type),
                                              call.getResults())
        .getResult(0);
  Value made = bufferization::ToTensorOp::create(b, type, call.getResult(0),
                                                 /*restrict=*/true,
                                                 /*writable=*/true);
  if (!isa<BlockArgument>(output))
    return made;
  Value copied =
      bufferization::MaterializeInDestinationOp::create(b, made, output)
          .getResult();
  bufferization::DeallocTensorOp::create(b, made);
  return copied;
}

static bool isInBatches(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && numBatchLevels(type) > 0;
}

/// A value as a tensor, which a kernel can take.
static Value asTensor(ImplicitLocOpBuilder &b, Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  RankedTensorType type = passedType(value.getType());
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, type.getElementType(), value);
  return tensor::FromElementsOp::create(b, type, value);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Erases an op, and the ops that make what its kernel makes by itself.
static void eraseWithMakers(linalg::LinalgOp op) {
  llvm::SetVector<Operation *> makers;
  if (auto fill = op.getDpsInits().front().getDefiningOp<linalg::FillOp>())
    makers.insert(fill);
  for (Value operand : op->getOperands()) {
    if (tensor::PadOp pad = paddingOf(operand)) {
      makers.insert(pad);
      operand = pad.getSource();
    }
    if (tensor::ExtractSliceOp slice = slicingOf(operand))
      makers.insert(slice);
  }
  op->erase();
  for (Operation *maker : makers)
    if (maker->use_empty())
      maker->erase();
}

/// Builds a module with the function of a kernel. On failure returns null.
static OwningOpRef<ModuleOp> buildModule(KernelBuilder &builder) {
  OwningOpRef<func::FuncOp> func = builder.build();
  if (!func)
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(func->getLoc());
  SmallVector<Type> passed(func->getArgumentTypes());
  for (auto [number, slice] : builder.slices)
    passed[number] = slice;
  FunctionType program =
      FunctionType::get(func->getContext(), passed, func->getResultTypes());
  if (failed(useKernelTypes(*func, builder.reason)))
    return nullptr;
  if (func->getFunctionType() != program)
    (*module)->setAttr(kProgramTypeAttrName, TypeAttr::get(program));
  module->push_back(func.release());
  return module;
}

namespace {
struct OutlineKernels : nacho::impl::NachoOutlineKernelsBase<OutlineKernels> {
  using Base::Base;

  void runOnOperation() override {
    if (library)
      passWholeTensors(getOperation());
    SmallVector<linalg::LinalgOp> ops;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](linalg::LinalgOp op) {
        if (hasSparseTensors(op) && !isFilledOutput(op))
          ops.push_back(op);
      });
    for (linalg::LinalgOp op : ops)
      outline(op);
  }

private:
  void outline(linalg::LinalgOp op);
  LogicalResult setIndexWidths(ModuleOp kernel) {
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createNachoSetIndexWidths());
    return runPipeline(pm, kernel);
  }
  void leave(linalg::LinalgOp op, StringRef reason) {
    if (remarks)
      op->emitRemark() << "left to upstream's sparsifier: " << reason;
  }

  unsigned numKernels = 0;
};
} // namespace

void OutlineKernels::outline(linalg::LinalgOp op) {
  std::string module, name;
  do {
    std::string number = std::to_string(numKernels++);
    module = "kernel_" + number;
    name = "nacho_kernel_" + number;
  } while (getOperation().lookupSymbol(module) ||
           getOperation().lookupSymbol(name));
  KernelBuilder builder(op, name, /*passesSlices=*/!library);
  OwningOpRef<ModuleOp> kernel = buildModule(builder);
  auto leaveToUpstream = [&](StringRef reason) {
    for (Operation *number : builder.numbers)
      number->erase();
    leave(op, reason);
  };
  if (!kernel)
    return leaveToUpstream(builder.reason);
  if (library && llvm::any_of(op->getOperands(), isInBatches))
    return leaveToUpstream("MLIR's library has no tensors in batches");
  std::string text, error;
  llvm::raw_string_ostream(text) << *kernel;
  CompileOptions options = defaultOptions(cpuBackend());
  options.cost = cost;
  if (!canCompile(text, options, cpuBackend(), error))
    return leaveToUpstream(error);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> passed;
  for (Value argument : builder.arguments)
    passed.push_back(asTensor(b, argument));
  b.setInsertionPointToStart(getOperation().getBody());
  kernel->setSymName(module);
  (*kernel)->setAttr(kKernelAttrName, b.getUnitAttr());
  ModuleOp inserted = kernel.release();
  b.insert(inserted);
  if (failed(setIndexWidths(inserted)))
    return signalPassFailure();
  func::FuncOp func =
      declareKernel(b, name, passed, returnedFor(type, library));
  b.setInsertionPoint(op);
  auto call = func::CallOp::create(b, func, passed);
  op->getResult(0).replaceAllUsesWith(
      resultOf(b, call, op.getDpsInits().front()));
  eraseWithMakers(op);
}
