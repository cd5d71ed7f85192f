//===- OutlineKernels.cpp - Ops on sparse tensors as kernels --------------===//

#include "InPlace.h"
#include "KernelTypes.h"
#include "KernelWrapper.h"
#include "WholeTensors.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/AheadOfTime.h"
#include "nacho/Compiler/Kernel.h"
#include "nacho/IR/Arith.h"
#include "nacho/Sparsifier/Passes.h"
#include "nacho/Transforms/KernelBuilder.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Pass/PassManager.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOOUTLINEKERNELS
#include "nacho/Sparsifier/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The types of the results of a kernel's function: were one a tensor, MLIR's
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

/// The result of a kernel, as a tensor.
static Value madeBy(ImplicitLocOpBuilder &b, func::CallOp call,
                    RankedTensorType type) {
  if (isSparse(type))
    return UnrealizedConversionCastOp::create(b, TypeRange(type),
                                              call.getResults())
        .getResult(0);
  return bufferization::ToTensorOp::create(b, type, call.getResult(0),
                                           /*restrict=*/true,
                                           /*writable=*/true);
}

/// Overwrites the elements of a tensor, as the linalg op would have done, and
/// releases where they come from: whoever passes the tensor relies on that. Of
/// two sparse tensors, the coordinates are the same.
static Value overwrite(ImplicitLocOpBuilder &b, Value made, Value output) {
  Value written = output;
  if (auto type = cast<RankedTensorType>(output.getType()); isSparse(type)) {
    auto values =
        MemRefType::get({ShapedType::kDynamic}, type.getElementType());
    Value from = sparse_tensor::ToValuesOp::create(b, values, made);
    Value to = sparse_tensor::ToValuesOp::create(b, values, output);
    memref::CopyOp::create(b, from, to);
  } else {
    written = bufferization::MaterializeInDestinationOp::create(b, made, output)
                  .getResult();
  }
  bufferization::DeallocTensorOp::create(b, made);
  return written;
}

/// Whether the output of an op is a sparse tensor with elements.
static bool updatesSparse(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInits(), [](Value output) {
    return isSparse(output.getType()) && hasElements(output);
  });
}

/// Whether a tensor is what a loop has from the iteration before.
static bool isCarried(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument &&
         isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
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
    value = Number(b, value).asSigned(type.getElementType());
  return tensor::FromElementsOp::create(b, type, value);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Erases an op, and the ops that make what its kernel makes by itself.
static void eraseWithMakers(linalg::LinalgOp op) {
  llvm::SetVector<Operation *> makers;
  Value output = op.getDpsInits().front();
  if (auto fill = output.getDefiningOp<linalg::FillOp>()) {
    makers.insert(fill);
    output = fill.getDpsInits().front();
  }
  if (isEmptyOutput(output))
    makers.insert(output.getDefiningOp());
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
    // Most modules update no sparse tensor, and need no analysis.
    InPlaceOutputs inPlace;
    if (llvm::any_of(ops, updatesSparse))
      inPlace = InPlaceOutputs(getOperation());
    for (linalg::LinalgOp op : ops)
      outline(op, inPlace.contains(op));
  }

private:
  void outline(linalg::LinalgOp op, bool isInPlace);
  std::pair<std::string, std::string> unusedNames();
  OwningOpRef<ModuleOp> buildKernel(linalg::LinalgOp op,
                                    KernelBuilder &builder);
  func::FuncOp insertKernel(ImplicitLocOpBuilder &b,
                            OwningOpRef<ModuleOp> kernel,
                            ArrayRef<Value> passed, RankedTensorType result);
  LogicalResult setIndexWidths(ModuleOp kernel) {
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createNachoSetIndexWidths());
    return runPipeline(pm, kernel);
  }
  void leave(linalg::LinalgOp op, KernelBuilder &builder) {
    for (Operation *number : builder.numbers)
      number->erase();
    if (remarks)
      op->emitRemark() << "left to upstream's sparsifier: " << builder.reason;
  }

  unsigned numKernels = 0;
};
} // namespace

/// The names of a new module and its function.
std::pair<std::string, std::string> OutlineKernels::unusedNames() {
  std::pair<std::string, std::string> names;
  do {
    std::string number = std::to_string(numKernels++);
    names = {"kernel_" + number, "nacho_kernel_" + number};
  } while (getOperation().lookupSymbol(names.first) ||
           getOperation().lookupSymbol(names.second));
  return names;
}

/// Builds a kernel that can be compiled. On failure returns null and says why
/// in the builder's reason.
OwningOpRef<ModuleOp> OutlineKernels::buildKernel(linalg::LinalgOp op,
                                                  KernelBuilder &builder) {
  OwningOpRef<ModuleOp> kernel = buildModule(builder);
  if (!kernel)
    return nullptr;
  if (library && llvm::any_of(op->getOperands(), isInBatches)) {
    builder.reason = "MLIR's library has no tensors in batches";
    return nullptr;
  }
  std::string text;
  llvm::raw_string_ostream(text) << *kernel;
  CompileOptions options = defaultOptions(cpuBackend());
  options.cost = cost;
  if (!canCompile(text, options, cpuBackend(), builder.reason))
    return nullptr;
  return kernel;
}

/// Whether what a kernel makes takes the place of its output. Fails if the
/// output would have to, and cannot.
static FailureOr<bool> overwritesOutput(linalg::LinalgOp op, bool isInPlace,
                                        ModuleOp kernel,
                                        KernelBuilder &builder) {
  Value output = op.getDpsInits().front();
  if (!hasElements(output) || !isSparse(output.getType()))
    return hasElements(output);
  auto *argument = llvm::find(builder.arguments, output);
  bool isKept = !kernel->hasAttr(kProgramTypeAttrName) &&
                keepsEntries(kernel, argument - builder.arguments.begin());
  if (isKept && isInPlace)
    return true;
  if (!isCarried(output))
    return false;
  builder.reason = isKept
                       ? "its output is read later, and would have to be copied"
                       : "a loop carries its output, which gets other entries";
  return failure();
}

/// Inserts a kernel, and declares its function. On failure returns null.
func::FuncOp OutlineKernels::insertKernel(ImplicitLocOpBuilder &b,
                                          OwningOpRef<ModuleOp> kernel,
                                          ArrayRef<Value> passed,
                                          RankedTensorType result) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(getOperation().getBody());
  StringRef name = (*kernel->getOps<func::FuncOp>().begin()).getName();
  func::FuncOp func =
      declareKernel(b, name, passed, returnedFor(result, library));
  (*kernel)->setAttr(kKernelAttrName, b.getUnitAttr());
  ModuleOp inserted = kernel.release();
  b.setInsertionPoint(func);
  b.insert(inserted);
  if (failed(setIndexWidths(inserted)))
    return {};
  if (pack) {
    std::string packed;
    llvm::raw_string_ostream(packed) << inserted;
    func->setAttr(kPackedAttrName, b.getStringAttr(packed));
    inserted.erase();
  }
  return func;
}

void OutlineKernels::outline(linalg::LinalgOp op, bool isInPlace) {
  auto [module, name] = unusedNames();
  KernelBuilder builder(op, name, /*passesSlices=*/!library);
  OwningOpRef<ModuleOp> kernel = buildKernel(op, builder);
  if (!kernel)
    return leave(op, builder);
  kernel->setSymName(module);
  FailureOr<bool> overwrites =
      overwritesOutput(op, isInPlace, *kernel, builder);
  if (failed(overwrites))
    return leave(op, builder);
  Value output = op.getDpsInits().front();
  auto type = cast<RankedTensorType>(output.getType());
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Value> passed, temporaries;
  for (Value argument : builder.arguments) {
    passed.push_back(asTensor(b, argument));
    if (passed.back() != argument ||
        (argument == output && !hasElements(output) && output.hasOneUse()))
      temporaries.push_back(passed.back());
  }
  func::FuncOp func = insertKernel(b, std::move(kernel), passed, type);
  if (!func)
    return signalPassFailure();
  auto call = func::CallOp::create(b, func, passed);
  Value made = madeBy(b, call, type);
  for (Value temporary : temporaries)
    bufferization::DeallocTensorOp::create(b, temporary);
  op->getResult(0).replaceAllUsesWith(*overwrites ? overwrite(b, made, output)
                                                  : made);
  eraseWithMakers(op);
}
