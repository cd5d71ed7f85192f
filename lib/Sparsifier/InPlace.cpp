//===- InPlace.cpp - Outputs that ops may overwrite -----------------------===//

#include "InPlace.h"

#include "nacho/Analysis/Algebra.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/SparseTensor/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Outputs that may be overwritten
//===----------------------------------------------------------------------===//

namespace {
/// Follows the arguments of functions to their callers.
class Callers {
public:
  Callers(ModuleOp module, const bufferization::OneShotAnalysisState &state)
      : state(state) {
    module.walk([&](func::CallOp call) {
      calls[call.getCalleeAttr().getAttr()].push_back(call);
    });
  }

  bool mayOverwrite(OpOperand &operand);

private:
  bool mayOverwrite(func::FuncOp function, unsigned argument);

  const bufferization::OneShotAnalysisState &state;
  llvm::DenseMap<StringAttr, SmallVector<func::CallOp>> calls;
  /// The arguments that have been asked for. Those of a function that calls
  /// itself are never overwritten.
  llvm::DenseMap<BlockArgument, bool> known;
};
} // namespace

bool Callers::mayOverwrite(OpOperand &operand) {
  if (!state.isInPlace(operand))
    return false;
  auto function = operand.getOwner()->getParentOfType<func::FuncOp>();
  return llvm::all_of(function.getArguments(), [&](BlockArgument argument) {
    return !isa<TensorType>(argument.getType()) ||
           !state.areAliasingBufferizedValues(operand.get(), argument) ||
           mayOverwrite(function, argument.getArgNumber());
  });
}

/// Whether all callers let a function overwrite an argument.
bool Callers::mayOverwrite(func::FuncOp function, unsigned argument) {
  auto [place, isNew] = known.insert({function.getArgument(argument), false});
  if (!isNew)
    return place->second;
  bool may = llvm::all_of(calls[function.getNameAttr()], [&](func::CallOp c) {
    return mayOverwrite(c->getOpOperand(argument));
  });
  return known[function.getArgument(argument)] = may;
}

InPlaceOutputs::InPlaceOutputs(ModuleOp module) {
  bufferization::OneShotBufferizationOptions options =
      getBufferizationOptionsForSparsification(/*analysisOnly=*/false);
  bufferization::OneShotAnalysisState state(module, options);
  // What cannot be bufferized as it is may become a kernel.
  ScopedDiagnosticHandler silent(module.getContext(),
                                 [](Diagnostic &) { return success(); });
  if (failed(bufferization::analyzeModuleOp(module, state)))
    return;
  Callers callers(module, state);
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
          callers.mayOverwrite(*op.getDpsInitOperand(0)))
        ops.insert(op);
    });
}

//===----------------------------------------------------------------------===//
// Entries that stay in their places
//===----------------------------------------------------------------------===//

bool nacho::keepsEntries(ModuleOp kernel, unsigned argument) {
  OwningOpRef<ModuleOp> statement = kernel.clone();
  PassManager pm(kernel.getContext());
  pm.addPass(createNachoFromLinalg());
  if (failed(pm.run(*statement)))
    return false;
  auto function = *statement->getOps<func::FuncOp>().begin();
  auto assigns = function.getOps<AssignOp>();
  if (!llvm::hasSingleElement(assigns))
    return false;
  AssignOp op = *assigns.begin();
  Value updated = function.getArgument(argument);
  auto input = llvm::find(op.getInputs(), updated);
  if (input == op.getInputs().end() || op.getInit())
    return false;
  unsigned number = std::distance(op.getInputs().begin(), input);
  auto yield = cast<YieldOp>(op.getBodyBlock()->getTerminator());
  MergeAttr pattern = iterationDomain(
      ElementAlgebra(op).get(yield.getOperand(0)).pattern, [&](unsigned n) {
        return isDense(cast<RankedTensorType>(op.getInputs()[n].getType()));
      });
  return op.getAccesses()[number] == op.getResultAccess() &&
         op.getType() == updated.getType() &&
         pattern == MergeAttr::get(op.getContext(), number);
}
