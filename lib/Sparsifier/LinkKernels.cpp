//===- LinkKernels.cpp - Kernels linked into the calling module -----------===//

#include "KernelWrapper.h"
#include "nacho/Sparsifier/Passes.h"

#include "mlir/IR/SymbolTable.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOLINKKERNELS
#include "nacho/Sparsifier/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
struct LinkKernels : nacho::impl::NachoLinkKernelsBase<LinkKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (ModuleOp kernel : kernelsOf(getOperation())) {
      for (Operation &op : llvm::make_early_inc_range(*kernel.getBody()))
        if (failed(link(&op, symbols)))
          return signalPassFailure();
      symbols.erase(kernel);
    }
  }

private:
  LogicalResult link(Operation *op, SymbolTable &symbols);
};
} // namespace

/// Moves a function or a global to the module, unless both declare the same
/// function of a library.
LogicalResult LinkKernels::link(Operation *op, SymbolTable &symbols) {
  StringAttr name = SymbolTable::getSymbolName(op);
  if (Operation *known = symbols.lookup(name)) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    auto declared = dyn_cast<LLVM::LLVMFuncOp>(known);
    if (!function || !declared || !declared.isExternal() ||
        function.getFunctionType() != declared.getFunctionType())
      return known->emitError()
             << "@" << name.getValue()
             << " is a name that kernels of Nacho use for something else";
    if (function.isExternal())
      return success();
    symbols.erase(known);
  }
  op->remove();
  symbols.insert(op);
  return success();
}
