//===- LeaveLoops.cpp - Loops that are left when a signal comes -----------===//
//
// Compiled code reads the word of Stop.h at the beginning of each iteration of
// a loop that has loops inside, and leaves the part if the word is set.
// Innermost loops do not read it: most of them are vectorised, and the others
// so short that the read would cost a few percent. So a part runs on for as
// long as one innermost loop takes.
//
//   word = nacho_stop_word()              // of the thread that has called
//   omp.parallel:
//     header: if (more) goto body, else goto after
//     body:   if (*word) goto left, else goto rest
//     ...
//     left:   end of the region
//   if (*word) return
//
// The last line keeps the functions from working on what is incomplete.
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOLEAVELOOPS
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The block in which an iteration of a loop begins: the one after the
/// condition if there is one at the top, so that LLVM can still move that to
/// the end.
static Block *beginOfIteration(const CFGLoop &loop) {
  Block *header = loop.getHeader();
  auto branch = dyn_cast<cf::CondBranchOp>(header->getTerminator());
  if (!branch || loop.contains(branch.getTrueDest()) ==
                     loop.contains(branch.getFalseDest()))
    return header;
  Block *inside = loop.contains(branch.getTrueDest()) ? branch.getTrueDest()
                                                      : branch.getFalseDest();
  return inside->getSinglePredecessor() ? inside : header;
}

/// The blocks of a region in which iterations of loops with loops inside begin.
static SmallVector<Block *> beginsIn(Region &region) {
  SmallVector<Block *> begins;
  if (region.hasOneBlock())
    return begins;
  DominanceInfo dominance;
  CFGLoopInfo loops(dominance.getDomTree(&region));
  for (CFGLoop *loop : loops.getLoopsInPreorder())
    if (!loop->isInnermost())
      begins.push_back(beginOfIteration(*loop));
  return begins;
}

/// At the beginning of `block`: if (*word) goto left.
static void leaveAt(Block *block, Value word, Block *left) {
  Block *rest = block->splitBlock(block->begin());
  auto b = ImplicitLocOpBuilder::atBlockEnd(word.getLoc(), block);
  // A volatile load is not moved out of loops, and other loads may be.
  Value read = LLVM::LoadOp::create(b, b.getI32Type(), word, /*alignment=*/4,
                                    /*isVolatile=*/true);
  Value zero = arith::ConstantIntOp::create(b, 0, 32);
  Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, read, zero);
  cf::CondBranchOp::create(b, isSet, left, rest);
}

/// Makes a function return after `parallel` if the word is set. (No function
/// with a result has parallel parts, apart from tests.)
static void returnAfter(omp::ParallelOp parallel, Value word) {
  auto func = dyn_cast<func::FuncOp>(parallel->getParentOp());
  if (!func || func.getNumResults())
    return;
  Block *before = parallel->getBlock();
  Block *next = before->splitBlock(parallel->getNextNode());
  auto b = ImplicitLocOpBuilder::atBlockEnd(parallel.getLoc(), before);
  cf::BranchOp::create(b, next);
  Block *left = b.createBlock(&func.getBody(), func.getBody().end());
  func::ReturnOp::create(b);
  leaveAt(next, word, left);
}

/// Makes the loops of `parallel` read the word of the thread that calls it.
static void leaveLoopsOf(omp::ParallelOp parallel) {
  SmallVector<Block *> begins = beginsIn(parallel.getRegion());
  if (begins.empty())
    return;
  ImplicitLocOpBuilder b(parallel.getLoc(), parallel);
  func::FuncOp stopWord = declare(parallel->getParentOfType<ModuleOp>(),
                                  kStopWordSymbol, 0, b.getI64Type());
  Value address = func::CallOp::create(b, stopWord, ValueRange()).getResult(0);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value word = LLVM::IntToPtrOp::create(b, pointer, address);
  Region &region = parallel.getRegion();
  Block *left = b.createBlock(&region, region.end());
  omp::TerminatorOp::create(b);
  for (Block *block : begins)
    leaveAt(block, word, left);
  returnAfter(parallel, word);
}

namespace {
struct LeaveLoops : nacho::impl::NachoLeaveLoopsBase<LeaveLoops> {
  void runOnOperation() override {
    SmallVector<omp::ParallelOp> all;
    getOperation().walk([&](omp::ParallelOp op) { all.push_back(op); });
    llvm::for_each(all, leaveLoopsOf);
  }
};
} // namespace
