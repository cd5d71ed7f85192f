//===- LeaveLoops.cpp - Exits from loops on signals -----------------------===//
//
// The function of a worker reads the word of Stop.h at its beginning, and at
// the beginning of each iteration of a loop that has loops inside, and returns
// if the word is set. Innermost loops do not read it: most of them are
// vectorised, and the others so short that the read would cost a few percent.
// So a part runs on for as long as one innermost loop takes.
//
//   worker(number, slot, word, ...):
//             if (*word) goto left, else goto rest
//     ...
//     header: if (more) goto body, else goto after
//     body:   if (*word) goto left, else goto rest
//     ...
//     left:   return
//
//   if (nacho.parallel_call @worker) return
//
// The last line keeps the caller from working on what is incomplete.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

/// Emits at the place in `block`: if (*word) goto left.
static void leaveAt(Block *block, Block::iterator place, Value word,
                    Block *left) {
  Block *rest = block->splitBlock(place);
  auto b = ImplicitLocOpBuilder::atBlockEnd(word.getLoc(), block);
  // A volatile load is not moved out of loops, and other loads may be.
  Value read = LLVM::LoadOp::create(b, b.getI32Type(), word, /*alignment=*/4,
                                    /*isVolatile=*/true);
  Number zero(b, 0, b.getI32Type());
  Value isSet = Number(b, read) != zero;
  cf::CondBranchOp::create(b, isSet, left, rest);
}

/// Adds a block that returns.
static Block *addReturn(func::FuncOp func) {
  ImplicitLocOpBuilder b(func.getLoc(), func.getContext());
  Block *left = b.createBlock(&func.getBody(), func.getBody().end());
  func::ReturnOp::create(b);
  return left;
}

/// Makes the caller return if it was stopped. (No function with a result has
/// parallel parts, apart from tests.)
static void returnAfter(ParallelCallOp call) {
  auto func = dyn_cast<func::FuncOp>(call->getParentOp());
  if (!func || func.getNumResults())
    return;
  Block *before = call->getBlock();
  Block *next = before->splitBlock(call->getNextNode());
  auto b = ImplicitLocOpBuilder::atBlockEnd(call.getLoc(), before);
  cf::CondBranchOp::create(b, call.getStopped(), addReturn(func), next);
}

/// Makes a worker, and its loops, read the word of the thread that calls it.
static void leaveLoopsOf(func::FuncOp worker) {
  SmallVector<Block *> begins = beginsIn(worker.getBody());
  Block &entry = worker.getBody().front();
  Block *left = addReturn(worker);
  auto b = ImplicitLocOpBuilder::atBlockBegin(worker.getLoc(), &entry);
  Value word = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), entry.getArgument(2));
  for (Block *block : begins)
    leaveAt(block, block->begin(), word, left);
  // LLVM keeps in registers what is on the stack of the first block.
  Block::iterator place = std::next(word.getDefiningOp()->getIterator());
  for (auto alloca : entry.getOps<memref::AllocaOp>())
    place = std::next(alloca->getIterator());
  leaveAt(&entry, place, word, left);
}

namespace {
struct LeaveLoops : nacho::impl::NachoLeaveLoopsBase<LeaveLoops> {
  void runOnOperation() override {
    SymbolTable functions(getOperation());
    SmallVector<ParallelCallOp> calls;
    getOperation().walk([&](ParallelCallOp call) { calls.push_back(call); });
    SetVector<func::FuncOp> workers;
    for (ParallelCallOp call : calls) {
      workers.insert(functions.lookup<func::FuncOp>(call.getCallee()));
      returnAfter(call);
    }
    llvm::for_each(workers, leaveLoopsOf);
  }
};
} // namespace
