//===- BoundLoops.cpp - Loops that do one part ----------------------------===//
//
// Consumes partitioned nests. Passes the cuts at the beginning and the end of a
// part to the outermost loop. Inside, each loop passes on the cuts that remain
// at its coordinate. `nacho.coiterate` defines what a cut means to a loop.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Names.h"
#include "nacho/Transforms/Passes.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOBOUNDLOOPS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// coiterate %i of ... { body }
///   -> coiterate %i of ... between (%lo1 = %lo, %hi1 = %hi) { body }
static CoiterateOp bound(CoiterateOp loop, Value lower, Value upper) {
  OpBuilder builder(loop);
  auto bounded = CoiterateOp::create(builder, loop.getLoc(), loop.getFibers(),
                                     loop.getGuards(), loop.getExtent(),
                                     loop.getMerge(), loop.getIndexNameAttr(),
                                     lower, upper, loop.getInits());
  bounded.setNonempty(loop.getNonempty());
  Block *from = loop.getBodyBlock(), *to = bounded.getBodyBlock();
  to->getOperations().splice(to->end(), from->getOperations());
  loop.getCoordinate().replaceAllUsesWith(bounded.getCoordinate());
  for (auto [old, now] : llvm::zip(loop.getChildren(), bounded.getChildren()))
    old.replaceAllUsesWith(now);
  for (auto [old, now] : llvm::zip(loop.getCarried(), bounded.getCarried()))
    old.replaceAllUsesWith(now);
  loop.replaceAllUsesWith(bounded.getResults());
  loop.erase();
  return bounded;
}

namespace {
struct BoundLoops : nacho::impl::NachoBoundLoopsBase<BoundLoops> {
  void runOnOperation() override {
    getOperation().walk([&](NestOp nest) {
      if (!nest.getCuts() || nest.getBody().getNumArguments() != 0)
        return;
      auto cut =
          CutType::get(&getContext(), nest.getCuts().getType().getWidths());
      Location loc = withoutName(nest.getLoc());
      Value lower = nest.getBody().addArgument(cut, nameLoc(loc, "lo"));
      Value upper = nest.getBody().addArgument(cut, nameLoc(loc, "hi"));
      for (CoiterateOp loop : nest.getCutLoops()) {
        CoiterateOp bounded = bound(loop, lower, upper);
        lower = bounded.getInnerLower();
        upper = bounded.getInnerUpper();
      }
    });
  }
};
} // namespace
