//===- CountUnions.cpp - Counts of unions without merging -----------------===//
//
// Consumes loops that count; leaves loops that count what is simpler:
//
//   |A u B| = |A| + |B| - |A n B|
//   |A u B u C| = |A| + |B| + |C| - |A n B| - |(A u B) n C|
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Fibers.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOCOUNTUNIONS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static SmallVector<MergeAttr> operandsOf(CoiterateOp loop) {
  SmallVector<MergeAttr> leaves;
  for (unsigned n = 0; n < loop.getFibers().size(); ++n)
    leaves.push_back(MergeAttr::get(loop.getContext(), n));
  return leaves;
}

/// Whether a loop counts the coordinates of fibers which have each once.
static bool countsUnion(CoiterateOp loop) {
  if (loop.getFibers().size() < 2 || !loop.getGuards().empty() ||
      !onlyCounts(loop))
    return false;
  if (loop.getMerge() != uniteMerges(loop.getContext(), operandsOf(loop)))
    return false;
  return llvm::all_of(loop.getFibers(), [](Value fiber) {
    auto type = cast<FiberType>(fiber.getType());
    return !isFullLevel(type.getTensor(), type.getLevel()) &&
           isUniqueLevel(type.getTensor(), type.getLevel());
  });
}

/// Each operand is compared with all before it: of more, it is less work to
/// merge them.
static constexpr size_t kMostOperands = 4;

/// Whether the coordinates of all fibers are compared in blocks.
static bool isTakenInBlocks(CoiterateOp loop) {
  auto width = [](Value fiber) {
    auto tensor = cast<FiberType>(fiber.getType()).getTensor();
    return sparse_tensor::getSparseTensorEncoding(tensor).getCrdWidth();
  };
  return loop.getFibers().size() <= kMostOperands &&
         llvm::none_of(loop.getFibers(), flattenedBy) &&
         width(loop.getFibers().front()) >= 16 &&
         llvm::all_equal(llvm::map_range(loop.getFibers(), width));
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
  SmallVector<MergeAttr> operands = operandsOf(loop);
  Operation *yield = loop.getBodyBlock()->getTerminator();
  auto isCounted = [&](unsigned n) {
    return yield->getOperand(n) != loop.getCarried()[n];
  };
  ValueRange all = loop.getInits();
  for (MergeAttr operand : operands)
    all = countAlone(b, loop, operand, all);
  SmallVector<Value> inits(loop.getInits());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  for (unsigned n = 0; n < inits.size(); ++n)
    if (isCounted(n))
      inits[n] = zero;
  ValueRange shared = inits;
  for (unsigned n = 1; n < operands.size(); ++n) {
    MergeAttr before = uniteMerges(context, ArrayRef(operands).take_front(n));
    MergeAttr both = intersectMerges(context, {before, operands[n]});
    shared = countAlone(b, loop, both, shared);
  }
  for (unsigned n = 0; n < inits.size(); ++n)
    loop.getResult(n).replaceAllUsesWith(
        isCounted(n) ? Value(arith::SubIOp::create(b, all[n], shared[n]))
                     : inits[n]);
  loop.erase();
}

namespace {
struct CountUnions : nacho::impl::NachoCountUnionsBase<CountUnions> {
  using NachoCountUnionsBase::NachoCountUnionsBase;

  void runOnOperation() override {
    SmallVector<CoiterateOp> unions;
    getOperation()->walk([&](CoiterateOp loop) {
      bool isSimple = loop.getFibers().size() == 2;
      if (countsUnion(loop) && (isSimple || (blocks && isTakenInBlocks(loop))))
        unions.push_back(loop);
    });
    for (CoiterateOp loop : unions)
      countUnion(loop);
  }
};
} // namespace
