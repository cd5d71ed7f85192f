//===- CompileKernels.cpp - Outlined kernels to LLVM's dialect ------------===//

#include "KernelWrapper.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/AheadOfTime.h"
#include "nacho/Compiler/Kernel.h"
#include "nacho/Sparsifier/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SparseTensor/Transforms/Passes.h"
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
    registry.insert<arith::ArithDialect, func::FuncDialect,
                    sparse_tensor::SparseTensorDialect>();
  }

  void runOnOperation() override {
    for (ModuleOp kernel : kernelsOf(getOperation()))
      if (failed(compile(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult compile(ModuleOp kernel);
  LogicalResult lowerWrapper(ModuleOp kernel);
};
} // namespace

LogicalResult CompileKernels::compile(ModuleOp kernel) {
  func::FuncOp func = *kernel.getOps<func::FuncOp>().begin();
  std::string name = func.getName().str();
  FunctionType type = func.getFunctionType(), program = type;
  if (auto attr = kernel->getAttrOfType<TypeAttr>(kProgramTypeAttrName))
    program = cast<FunctionType>(attr.getValue());
  OwningOpRef<ModuleOp> alone = ModuleOp::create(kernel.getLoc());
  alone->push_back(func.clone());
  std::string text, error;
  llvm::raw_string_ostream(text) << *alone;
  CompileOptions options = defaultOptions(cpuBackend());
  options.cost = cost;
  options.inProgram = true;
  std::optional<StaticCode> code =
      compileAhead(text, options, cpuBackend(), error);
  if (!code)
    return func.emitError() << error;
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
