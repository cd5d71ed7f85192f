//===- Export.cpp - Kernels as object files -------------------------------===//
//
// The kernel is what a program of --nacho-sparsifier would have of it: variants
// that were compiled ahead of time, and an image that says how the runtime
// library calls them.
//
//===----------------------------------------------------------------------===//

#include "nacho/Backends/Export.h"

#include "Jit.h"
#include "nacho/Backends/Backends.h"
#include "nacho/Compiler/AheadOfTime.h"
#include "nacho/Compiler/InitAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/Constants.h"

using namespace nacho;

static llvm::GlobalVariable *addGlobal(llvm::Module &module,
                                       llvm::Constant *value, bool isConstant,
                                       llvm::StringRef name,
                                       bool isExported = false) {
  using llvm::GlobalValue;
  return new llvm::GlobalVariable(module, value->getType(), isConstant,
                                  isExported ? GlobalValue::ExternalLinkage
                                             : GlobalValue::InternalLinkage,
                                  value, name);
}

/// Adds a nacho_image, and the description.
static void addImage(llvm::Module &module, const StaticCode &code,
                     const ExportedNames &names,
                     const std::string &description) {
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  llvm::SmallVector<llvm::Constant *> functions;
  for (const std::string &name : code.functions)
    functions.push_back(module.getFunction(name));
  auto *table = llvm::ConstantArray::get(
      llvm::ArrayType::get(pointer, functions.size()), functions);
  auto *text = llvm::ConstantDataArray::getString(context, code.image);
  auto *size = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context),
                                      code.image.size());
  auto *image = llvm::ConstantStruct::getAnon(
      {addGlobal(module, text, /*isConstant=*/true, "nacho_text"), size,
       addGlobal(module, table, /*isConstant=*/true, "nacho_functions"),
       llvm::ConstantPointerNull::get(pointer)});
  addGlobal(module, image, /*isConstant=*/false, names.image,
            /*isExported=*/true);
  addGlobal(module, llvm::ConstantDataArray::getString(context, description),
            /*isConstant=*/true, names.description, /*isExported=*/true);
}

std::optional<std::string> nacho::exportKernel(const std::string &text,
                                               CompileOptions options,
                                               const ExportedNames &names,
                                               const std::string &description,
                                               std::string &error) {
  options.inProgram = true;
  std::optional<StaticCode> code =
      compileAhead(text, options, cpuBackend(), error);
  if (!code)
    return std::nullopt;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(code->module, &context);
  llvm::LLVMContext llvmContext;
  hideWarnings(llvmContext);
  std::unique_ptr<llvm::Module> translated =
      module ? mlir::translateModuleToLLVMIR(*module, llvmContext) : nullptr;
  if (!translated) {
    error = "the code of a kernel cannot be read";
    return std::nullopt;
  }
  addImage(*translated, *code, names, description);
  auto object = objectForHost(*translated);
  if (!object) {
    error = llvm::toString(object.takeError());
    return std::nullopt;
  }
  return std::string(object->begin(), object->end());
}
