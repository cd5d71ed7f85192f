//===- EntryFunction.cpp - One function of a module -----------------------===//

#include "Compilation.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace nacho;

/// Erases what ends the life of a tensor, which is its owner's affair.
static void eraseDeallocations(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](bufferization::DeallocTensorOp op) { ops.push_back(op); });
  for (Operation *op : ops)
    op->erase();
}

std::string nacho::withOnlyFunction(const std::string &text,
                                    const std::string &entry,
                                    std::string &error) {
  Compilation compilation(error);
  DialectRegistry inlining;
  func::registerInlinerExtension(inlining);
  compilation.context.appendDialectRegistry(inlining);
  if (failed(compilation.parse(text)))
    return {};
  ModuleOp module = *compilation.module;
  if (!module.lookupSymbol<func::FuncOp>(entry)) {
    error = "the module has no function '" + entry + "'";
    return {};
  }
  for (auto function : module.getOps<func::FuncOp>())
    function.setVisibility(function.getName() == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  PassManager pm(&compilation.context, ModuleOp::getOperationName());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  if (failed(pm.run(module)))
    return {};
  eraseDeallocations(module);
  return compilation.print();
}
