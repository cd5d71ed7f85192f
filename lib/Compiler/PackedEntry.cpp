//===- PackedEntry.cpp - Functions that take an array of parameters -------===//

#include "nacho/Compiler/PackedEntry.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace nacho;

LLVM::LLVMFuncOp nacho::addPackedEntry(ModuleOp module, StringRef function,
                                       StringRef name) {
  auto callee =
      module.lookupSymbol<LLVM::LLVMFuncOp>(("_mlir_ciface_" + function).str());
  ImplicitLocOpBuilder b(callee.getLoc(), module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {pointer});
  auto entry = LLVM::LLVMFuncOp::create(b, name, type);
  Block *block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> args;
  for (auto [n, param] : llvm::enumerate(callee.getArgumentTypes())) {
    Value place =
        LLVM::GEPOp::create(b, pointer, b.getI64Type(), block->getArgument(0),
                            LLVM::GEPArg(static_cast<int32_t>(n)));
    args.push_back(LLVM::LoadOp::create(b, param, place));
  }
  LLVM::CallOp::create(b, callee, args);
  LLVM::ReturnOp::create(b, ValueRange());
  return entry;
}
