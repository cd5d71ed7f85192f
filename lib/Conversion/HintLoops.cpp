//===- HintLoops.cpp - Hints for LLVM's vectoriser and unroller -----------===//
//
// LLVM's own estimates are for long loops; those over the entries of a row are
// short. The hints become metadata of LLVM's loops. The steps of a merge are
// hinted at by how they compare coordinates.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOHINTLOOPS
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The attribute that is handed on from loops to LLVM's branches.
static constexpr StringLiteral kAnnotation = "loop_annotation";

static bool isInnermost(scf::ForOp loop) {
  return !loop.getBody()
              ->walk(
                  [](LoopLikeOpInterface) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

/// Whether the address of a load depends on another load in the same loop.
static bool isIndirect(Operation *load, scf::ForOp loop) {
  SmallPtrSet<Operation *, 8> seen;
  SmallVector<Value> queue(load->getOperands());
  while (!queue.empty()) {
    Operation *inside = queue.pop_back_val().getDefiningOp();
    if (!inside || !loop->isProperAncestor(inside) ||
        !seen.insert(inside).second)
      continue;
    if (hasEffect<MemoryEffects::Read>(inside))
      return true;
    llvm::append_range(queue, inside->getOperands());
  }
  return false;
}

/// Whether each step of a loop adds to sums that take several vector registers,
/// as do rows of sums and the lanes of a sum. Then a step is long enough
/// without being unrolled: if it were, the end of each short row would be
/// mispredicted twice, and compiling would take longer.
static bool carriesRows(scf::ForOp loop) {
  static constexpr int64_t kBitsPerRegister = 256;
  return llvm::any_of(loop.getRegionIterArgs(), [](Value carried) {
    auto type = dyn_cast<VectorType>(carried.getType());
    return type && type.getElementType().isIntOrFloat() &&
           type.getNumElements() * type.getElementTypeBitWidth() >
               kBitsPerRegister;
  });
}

/// Whether a loop has been vectorised before LLVM sees it.
static bool carriesVectors(scf::ForOp loop) {
  return llvm::any_of(loop.getResultTypes(), llvm::IsaPred<VectorType>);
}

/// Loops that store are not interleaved, since rows are too short for
/// interleaving. Loops that only add up need several sums at a time; four are
/// enough if the address of each element is loaded first. (A hint for the width
/// allows LLVM to reorder sums. Sums that are kept in registers may be
/// reordered anyway.)
static void hint(scf::ForOp loop) {
  bool stores = false, looksUp = false;
  loop.getBody()->walk([&](Operation *op) {
    stores |= hasEffect<MemoryEffects::Write>(op);
    looksUp |= hasEffect<MemoryEffects::Read>(op) && isIndirect(op, loop);
  });
  Builder b(loop.getContext());
  LLVM::LoopVectorizeAttr vectorize;
  LLVM::LoopInterleaveAttr interleave;
  LLVM::LoopUnrollAttr unroll;
  if (stores || looksUp)
    interleave =
        LLVM::LoopInterleaveAttr::get(b.getContext(), b.getI32IntegerAttr(1));
  if (looksUp && !stores && !carriesVectors(loop))
    vectorize = LLVM::LoopVectorizeAttr::get(
        b.getContext(), /*disable=*/b.getBoolAttr(false), {}, {},
        b.getI32IntegerAttr(4), {}, {}, {});
  if (carriesRows(loop))
    unroll = LLVM::LoopUnrollAttr::get(b.getContext(), b.getBoolAttr(true), {},
                                       {}, {}, {}, {}, {});
  if (!interleave && !vectorize && !unroll)
    return;
  auto all = LLVM::LoopAnnotationAttr::get(
      b.getContext(), /*disableNonforced=*/{}, vectorize, interleave, unroll,
      /*unrollAndJam=*/{}, /*licm=*/{}, /*distribute=*/{}, /*pipeline=*/{},
      /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{},
      /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
      /*parallelAccesses=*/{});
  loop->setDiscardableAttr(kAnnotation, all);
}

/// Whether a number is the least one of several, of which `one` is one.
static bool isLeastOf(Value least, Value one) {
  auto both = least.getDefiningOp<arith::MinUIOp>();
  return both && llvm::any_of(both->getOperands(), [&](Value value) {
           return value == one || isLeastOf(value, one);
         });
}

/// A position moves on if its coordinate is the least one. Whether the least
/// one is at least the coordinate is the carry of a subtraction, which code
/// generation adds to the position in one instruction. It takes four to add
/// whether the two are equal.
static void compareByCarry(arith::CmpIOp test) {
  if (test.getPredicate() != arith::CmpIPredicate::eq)
    return;
  if (isLeastOf(test.getRhs(), test.getLhs()))
    test->setOperands({test.getRhs(), test.getLhs()});
  else if (!isLeastOf(test.getLhs(), test.getRhs()))
    return;
  test.setPredicate(arith::CmpIPredicate::uge);
}

namespace {
struct HintLoops : nacho::impl::NachoHintLoopsBase<HintLoops> {
  void runOnOperation() override {
    getOperation()->walk([](scf::ForOp loop) {
      // Whoever made a loop for vectors has said what to do with it.
      if (isInnermost(loop) && !loop->hasAttr(kAnnotation))
        hint(loop);
    });
    getOperation()->walk(compareByCarry);
  }
};
} // namespace
