//===- KernelFacts.cpp - Facts about a kernel, for the chooser ------------===//

#include "KernelFacts.h"

#include "Compilation.h"
#include "nacho/Analysis/LoopCost.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Nacho.h"

using namespace mlir;
using namespace nacho;

/// The facts of a module whose lists are merged by keys.
static KernelFacts factsOfNest(ModuleOp module) {
  SmallVector<NestOp> nests;
  module.walk([&](NestOp nest) { nests.push_back(nest); });
  // With several nests, some would make lists that others merge.
  if (nests.size() != 1)
    return {};
  CoiterateOp loop = nests.front().getLoops().front();
  bool intersects =
      llvm::all_of(llvm::seq<unsigned>(loop.getFibers().size()),
                   [&](auto n) { return holdsOnlyWith(loop.getMerge(), n); });
  return {/*canMergeKeys=*/true, intersects};
}

/// Lowers a module to loops, if its lists can be merged by keys where the
/// extents allow, and returns the facts about them.
static KernelFacts readListFacts(Compilation &compilation,
                                 const Backend &backend, CompileOptions options,
                                 const std::vector<TensorLayout> &operands) {
  // Only these can be, which saves lowering all other modules twice.
  unsigned numTensors = 0;
  for (const TensorLayout &layout : operands) {
    bool hasFullLevel = llvm::any_of(
        layout.levels, [](const auto &level) { return level.isFull; });
    if (layout.levels.size() == 1 || hasFullLevel)
      return {};
    numTensors += !layout.levels.empty();
  }
  options.variant.merge = Merge::keys;
  auto hasFlat = [&] {
    return compilation.module
        ->walk([](FlattenOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  };
  if (numTensors == 0 || hasFlat() ||
      failed(compilation.runTo("loops", backend, options)) || !hasFlat())
    return {};
  return factsOfNest(*compilation.module);
}

/// Whether a module at the stage `assign` may unite entries of operands. All
/// that products and quotients do is to intersect.
static bool mayUnite(ModuleOp module) {
  return module
      .walk([](BinaryOp op) {
        bool intersects =
            op.getKind() == BinaryKind::mul || op.getKind() == BinaryKind::div;
        return intersects ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The dense operands of the function of a module that are better transposed.
static std::vector<std::pair<size_t, size_t>> transposedIn(ModuleOp module) {
  std::vector<std::pair<size_t, size_t>> found;
  module.walk([&](AssignOp op) {
    for (auto [n, input] : llvm::enumerate(op.getInputs()))
      if (auto argument = dyn_cast<BlockArgument>(input))
        if (size_t rows = storageAlongLoops(op, n).rows)
          found.emplace_back(argument.getArgNumber(), rows);
  });
  return found;
}

KernelFacts nacho::readFacts(Compilation &compilation, const Backend &backend,
                             CompileOptions options,
                             const std::vector<TensorLayout> &operands) {
  auto transposed = transposedIn(*compilation.module);
  bool unites = backend.device()->isHost() && mayUnite(*compilation.module);
  KernelFacts facts = readListFacts(compilation, backend, options, operands);
  facts.entriesPerPart = backend.device()->entriesPerPart();
  facts.transposed = std::move(transposed);
  facts.unites = unites;
  return facts;
}
