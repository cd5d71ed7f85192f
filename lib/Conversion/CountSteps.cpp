//===- CountSteps.cpp - Counts the iterations of all loops ----------------===//

#include "RuntimeCalls.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOCOUNTSTEPS
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The block that runs once in each iteration of a loop; null for other ops.
static Block *bodyOf(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getBody();
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return loop.getAfterBody();
  return nullptr;
}

namespace {
struct CountSteps : nacho::impl::NachoCountStepsBase<CountSteps> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk([&](Operation *op) {
      if (Block *body = bodyOf(op)) {
        OpBuilder b = OpBuilder::atBlockBegin(body);
        func::CallOp::create(b, op->getLoc(), kCountStepSymbol, TypeRange());
      }
    });
    declare(module, kCountStepSymbol, 0, {});
  }
};
} // namespace
