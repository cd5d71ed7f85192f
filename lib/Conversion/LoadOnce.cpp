//===- LoadOnce.cpp - Loads that LLVM must not repeat ---------------------===//
//
// Whoever owns an operand may edit its arrays during a call, so that a kernel
// compares each coordinate with a bound before it accesses memory there
// (VerifyAccesses). LLVM assumes that nobody edits them, and may load a number
// again instead of keeping it: once to compare it, and once to use it. It must
// not do so with an atomic load, even an unordered one, which costs nothing.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOLOADONCE
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// The values from which the addresses of a function are computed.
class AddressParts {
public:
  explicit AddressParts(LLVM::LLVMFuncOp function) {
    function.walk([&](LLVM::GEPOp element) {
      parts.insert_range(element.getDynamicIndices());
    });
    // Grows while it is read.
    size_t next = 0;
    while (next < parts.size())
      addSources(parts[next++]);
  }

  ArrayRef<Value> get() const { return parts.getArrayRef(); }

private:
  void addSources(Value value);
  void addPassed(BlockArgument argument);

  llvm::SetVector<Value> parts;
};
} // namespace

void AddressParts::addSources(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return addPassed(argument);
  Operation *made = value.getDefiningOp();
  if (isMemoryEffectFree(made))
    for (Value operand : made->getOperands())
      if (isa<IntegerType>(operand.getType()))
        parts.insert(operand);
}

/// Adds what branches pass to a block.
void AddressParts::addPassed(BlockArgument argument) {
  Block *block = argument.getOwner();
  for (auto edge = block->pred_begin(); edge != block->pred_end(); ++edge) {
    auto branch = cast<BranchOpInterface>((*edge)->getTerminator());
    SuccessorOperands passed =
        branch.getSuccessorOperands(edge.getSuccessorIndex());
    if (Value value = passed[argument.getArgNumber()])
      parts.insert(value);
  }
}

/// Whether LLVM has atomic loads of a type; it has none of vectors.
static bool canBeAtomic(IntegerType type) {
  return type.getWidth() >= 8 && llvm::isPowerOf2_32(type.getWidth());
}

namespace {
struct LoadOnce : nacho::impl::NachoLoadOnceBase<LoadOnce> {
  void runOnOperation() override {
    getOperation().walk([](LLVM::LLVMFuncOp function) {
      if (function.isExternal())
        return;
      AddressParts parts(function);
      for (Value part : parts.get()) {
        auto load = part.getDefiningOp<LLVM::LoadOp>();
        auto type = dyn_cast<IntegerType>(part.getType());
        if (!load || !type || !canBeAtomic(type) ||
            load.getOrdering() != LLVM::AtomicOrdering::not_atomic)
          continue;
        load.setOrdering(LLVM::AtomicOrdering::unordered);
        load.setAlignment(type.getWidth() / 8);
      }
    });
  }
};
} // namespace
