//===- CompileKernels.cpp - Outlined kernels to LLVM's dialect ------------===//

#include "KernelWrapper.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/AheadOfTime.h"
#include "nacho/Compiler/Kernel.h"
#include "nacho/Sparsifier/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SparseTensor/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Threading.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOCOMPILEKERNELS
#include "nacho/Sparsifier/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Images: see nacho_image in nacho-c/Runtime.h
//===----------------------------------------------------------------------===//

/// Adds a global whose initial value `emit` returns.
static LLVM::GlobalOp addGlobal(ImplicitLocOpBuilder &b, Type type,
                                bool isConstant, StringRef name,
                                llvm::function_ref<Value(Value poison)> emit) {
  auto global = LLVM::GlobalOp::create(
      b, type, isConstant, LLVM::Linkage::Internal, name, Attribute());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&global.getInitializerRegion());
  Value poison = LLVM::PoisonOp::create(b, type);
  LLVM::ReturnOp::create(b, emit(poison));
  return global;
}

static Value insertAt(ImplicitLocOpBuilder &b, Value into, Value value,
                      int64_t place) {
  return LLVM::InsertValueOp::create(b, into, value, place);
}

static void addImage(ModuleOp module, StringRef name, const StaticCode &code) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto textType = LLVM::LLVMArrayType::get(b.getI8Type(), code.image.size());
  auto text = LLVM::GlobalOp::create(
      b, textType, /*isConstant=*/true, LLVM::Linkage::Internal,
      (name + "_text").str(), b.getStringAttr(code.image));
  auto tableType = LLVM::LLVMArrayType::get(pointer, code.functions.size());
  auto table = addGlobal(
      b, tableType, /*isConstant=*/true, (name + "_functions").str(),
      [&](Value made) {
        for (auto [n, function] : llvm::enumerate(code.functions))
          made = insertAt(b, made,
                          LLVM::AddressOfOp::create(b, pointer, function), n);
        return made;
      });
  auto imageType = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {pointer, i64, pointer, pointer});
  addGlobal(b, imageType, /*isConstant=*/false, (name + "_image").str(),
            [&](Value made) {
              made = insertAt(b, made, LLVM::AddressOfOp::create(b, text), 0);
              made = insertAt(b, made, emitInteger(b, code.image.size()), 1);
              made = insertAt(b, made, LLVM::AddressOfOp::create(b, table), 2);
              return insertAt(b, made, LLVM::ZeroOp::create(b, pointer), 3);
            });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct CompileKernels : nacho::impl::NachoCompileKernelsBase<CompileKernels> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    // Those of packed kernels, too.
    registry
        .insert<arith::ArithDialect, bufferization::BufferizationDialect,
                complex::ComplexDialect, func::FuncDialect,
                linalg::LinalgDialect, math::MathDialect,
                sparse_tensor::SparseTensorDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    if (failed(unpack()))
      return signalPassFailure();
    SmallVector<ModuleOp> kernels = kernelsOf(getOperation());
    std::vector<Compiled> compiled(kernels.size());
    // Each has a context of its own.
    parallelFor(&getContext(), 0, kernels.size(),
                [&](size_t n) { compiled[n] = compile(kernels[n]); });
    for (auto [kernel, made] : llvm::zip(kernels, compiled))
      if (failed(finish(kernel, made)))
        return signalPassFailure();
  }

private:
  LogicalResult unpack();
  struct Compiled {
    std::optional<StaticCode> code;
    std::string error;
  };
  Compiled compile(ModuleOp kernel);
  LogicalResult finish(ModuleOp kernel, const Compiled &compiled);
  LogicalResult lowerWrapper(ModuleOp kernel);
};
} // namespace

/// Puts kernels that were kept as text back in the module.
LogicalResult CompileKernels::unpack() {
  Block *body = getOperation().getBody();
  for (Operation &op : llvm::make_early_inc_range(*body)) {
    auto packed = op.getAttrOfType<StringAttr>(kPackedAttrName);
    if (!packed)
      continue;
    op.removeAttr(kPackedAttrName);
    OwningOpRef<ModuleOp> kernel = parseSourceString<ModuleOp>(
        packed, ParserConfig(&getContext()), "packed kernel");
    if (!kernel)
      return op.emitError() << "has no kernel in '" << kPackedAttrName << "'";
    body->push_front(kernel.release());
  }
  return success();
}

CompileKernels::Compiled CompileKernels::compile(ModuleOp kernel) {
  func::FuncOp func = *kernel.getOps<func::FuncOp>().begin();
  std::string text = "module {\n";
  llvm::raw_string_ostream(text) << func << "\n}\n";
  CompileOptions options = defaultOptions(cpuBackend());
  options.cost = cost;
  options.inProgram = true;
  Compiled compiled;
  compiled.code = compileAhead(text, options, cpuBackend(), compiled.error);
  return compiled;
}

LogicalResult CompileKernels::finish(ModuleOp kernel,
                                     const Compiled &compiled) {
  func::FuncOp func = *kernel.getOps<func::FuncOp>().begin();
  std::string name = func.getName().str();
  FunctionType type = func.getFunctionType(), program = type;
  if (auto attr = kernel->getAttrOfType<TypeAttr>(kProgramTypeAttrName))
    program = cast<FunctionType>(attr.getValue());
  const std::optional<StaticCode> &code = compiled.code;
  if (!code)
    return func.emitError() << compiled.error;
  func.erase();
  ParserConfig config(&getContext());
  if (failed(parseSourceString(code->module, kernel.getBody(), config)))
    return failure();
  addImage(kernel, name, *code);
  if (failed(addWrapper(kernel, name, type, program, code->blocks,
                        {threads, parts, library})))
    return kernel.emitError() << "the result of '" << name
                              << "' has no counterpart in MLIR's library";
  return lowerWrapper(kernel);
}

LogicalResult CompileKernels::lowerWrapper(ModuleOp kernel) {
  OpPassManager pm(ModuleOp::getOperationName());
  pm.addPass(createStorageSpecifierToLLVMPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return runPipeline(pm, kernel);
}
