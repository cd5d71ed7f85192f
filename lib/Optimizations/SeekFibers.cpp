//===- SeekFibers.cpp - Rows that are searched for their coordinates ------===//
//
// A list may be made of coordinates at which an operand has a row, where the
// loops around do not say which rows of the operand to step through. Stepping
// through all of them again and again would take quadratic time:
//
//   for i in A:                           for i in A:
//     for j in A[i] n B:                    for j in A[i]:
//       append (i, j, B[j])        ->         Bj = binary search for j in B
//                                             append (i, j, Bj) if it is there
//
//===----------------------------------------------------------------------===//

#include "RepeatedFibers.h"
#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Optimizations/Passes.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSEEKFIBERS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
struct SeekFibers : nacho::impl::NachoSeekFibersBase<SeekFibers> {
  void runOnOperation() override {
    SmallVector<CoiterateOp> innermost;
    getOperation()->walk([&](NestOp nest) {
      if (!nest.getCuts())
        innermost.push_back(nest.getLoops().back());
    });
    for (CoiterateOp loop : innermost) {
      bool isLast = loop.getBody().getOps<CoiterateOp>().empty();
      llvm::SmallBitVector repeated = fibersToSeek(loop);
      if (isLast && repeated.any())
        takeOut(loop, repeated, seek);
    }
  }
};
} // namespace
