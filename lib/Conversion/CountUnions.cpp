//===- CountUnions.cpp - Counts of unions without merging -----------------===//
//
// Consumes loops that count; leaves loops that count what is simpler:
//
//   |A u B| = |A| + |B| - |A n B|
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Levels/Level.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOCOUNTUNIONS
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Whether a loop counts the coordinates of two fibers which have each once.
static bool countsUnion(CoiterateOp loop) {
  MLIRContext *context = loop.getContext();
  if (loop.getFibers().size() != 2 || !loop.getGuards().empty() ||
      !onlyCounts(loop))
    return false;
  MergeAttr one = MergeAttr::get(context, 0u),
            other = MergeAttr::get(context, 1u);
  if (loop.getMerge() != uniteMerges(context, {one, other}))
    return false;
  return llvm::all_of(loop.getFibers(), [](Value fiber) {
    auto type = cast<FiberType>(fiber.getType());
    return !isFullLevel(type.getTensor(), type.getLevel()) &&
           isUniqueLevel(type.getTensor(), type.getLevel());
  });
}

/// The loop over what another merge expression says.
static ValueRange countAlone(OpBuilder &builder, CoiterateOp loop,
                             MergeAttr merge, ValueRange inits) {
  IRMapping mapping;
  auto copy = cast<CoiterateOp>(builder.clone(*loop, mapping));
  copy.setMergeAttr(merge);
  copy.getInitsMutable().assign(inits);
  return copy.getResults();
}

static void countUnion(CoiterateOp loop) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  MLIRContext *context = loop.getContext();
  MergeAttr one = MergeAttr::get(context, 0u),
            other = MergeAttr::get(context, 1u);
  Operation *yield = loop.getBodyBlock()->getTerminator();
  auto isCounted = [&](unsigned n) {
    return yield->getOperand(n) != loop.getCarried()[n];
  };
  ValueRange all = countAlone(b, loop, one, loop.getInits());
  all = countAlone(b, loop, other, all);
  SmallVector<Value> inits(loop.getInits());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  for (unsigned n = 0; n < inits.size(); ++n)
    if (isCounted(n))
      inits[n] = zero;
  ValueRange shared =
      countAlone(b, loop, intersectMerges(context, {one, other}), inits);
  for (unsigned n = 0; n < inits.size(); ++n)
    loop.getResult(n).replaceAllUsesWith(
        isCounted(n) ? Value(arith::SubIOp::create(b, all[n], shared[n]))
                     : inits[n]);
  loop.erase();
}

namespace {
struct CountUnions : nacho::impl::NachoCountUnionsBase<CountUnions> {
  void runOnOperation() override {
    SmallVector<CoiterateOp> unions;
    getOperation()->walk([&](CoiterateOp loop) {
      if (countsUnion(loop))
        unions.push_back(loop);
    });
    for (CoiterateOp loop : unions)
      countUnion(loop);
  }
};
} // namespace
