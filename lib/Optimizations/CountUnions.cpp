//===- CountUnions.cpp - Counts of unions without merging -----------------===//
//
// Replaces counts of unions by counts of single operands and intersections:
//
//   |A u B| = |A| + |B| - |A n B|
//   |A u B u C| = |A| + |B| + |C| - |A n B| - |(A u B) n C|
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOCOUNTUNIONS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static SmallVector<MergeAttr> operandsOf(CountOp op) {
  SmallVector<MergeAttr> leaves;
  for (unsigned n = 0; n < op.getFibers().size(); ++n)
    leaves.push_back(MergeAttr::get(op.getContext(), n));
  return leaves;
}

/// Whether an op counts the union of all its fibers, in each of which a
/// coordinate occurs at most once.
static bool countsUnion(CountOp op) {
  if (op.getFibers().size() < 2 || !op.getGuards().empty())
    return false;
  if (op.getMerge() != uniteMerges(op.getContext(), operandsOf(op)))
    return false;
  return llvm::all_of(op.getFibers(), [](Value fiber) {
    auto type = cast<FiberType>(fiber.getType());
    return !isFullLevel(type.getTensor(), type.getLevel()) &&
           isUniqueLevel(type.getTensor(), type.getLevel());
  });
}

/// Each operand is compared with all operands before it. With more operands
/// than this, merging them is less work.
static constexpr size_t kMostOperands = 4;

/// Whether the lowering can compare the coordinates of all fibers in blocks.
static bool isTakenInBlocks(CountOp op) {
  auto width = [](Value fiber) {
    auto tensor = cast<FiberType>(fiber.getType()).getTensor();
    return sparse_tensor::getSparseTensorEncoding(tensor).getCrdWidth();
  };
  return op.getFibers().size() <= kMostOperands &&
         llvm::none_of(op.getFibers(), flattenedBy) &&
         width(op.getFibers().front()) >= 16 &&
         llvm::all_equal(llvm::map_range(op.getFibers(), width));
}

/// Counts the coordinates of another merge of the same fibers.
static Value countOf(ImplicitLocOpBuilder &b, CountOp op, MergeAttr merge) {
  return CountOp::create(b, op.getFibers(), op.getGuards(), op.getExtent(),
                         merge, op.getLower(), op.getUpper());
}

static void countUnion(CountOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  MLIRContext *context = op.getContext();
  SmallVector<MergeAttr> operands = operandsOf(op);
  auto add = [&](Value sum, Value more) {
    return sum ? Number(b, sum) + more : more;
  };
  Value all, shared;
  for (MergeAttr operand : operands)
    all = add(all, countOf(b, op, operand));
  for (unsigned n = 1; n < operands.size(); ++n) {
    MergeAttr before = uniteMerges(context, ArrayRef(operands).take_front(n));
    MergeAttr both = intersectMerges(context, {before, operands[n]});
    shared = add(shared, countOf(b, op, both));
  }
  op.replaceAllUsesWith(Number(b, all) - shared);
  op.erase();
}

namespace {
struct CountUnions : nacho::impl::NachoCountUnionsBase<CountUnions> {
  using NachoCountUnionsBase::NachoCountUnionsBase;

  void runOnOperation() override {
    SmallVector<CountOp> unions;
    getOperation()->walk([&](CountOp op) {
      bool isSimple = op.getFibers().size() == 2;
      if (countsUnion(op) && (isSimple || (blocks && isTakenInBlocks(op))))
        unions.push_back(op);
    });
    for (CountOp op : unions)
      countUnion(op);
  }
};
} // namespace
