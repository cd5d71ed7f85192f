//===- Sparsifier.cpp - The pipeline --nacho-sparsifier -------------------===//

#include "nacho/Sparsifier/Passes.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/SparseTensor/Pipelines/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace nacho;

namespace {
/// The options of MLIR's --sparsifier, and ours.
struct SparsifierOptions : public PassPipelineOptions<SparsifierOptions> {
  Option<std::string> cost{*this, "cost",
                           llvm::cl::desc("What counts as work: nnz, "
                                          "nnz+loops, flops, time"),
                           llvm::cl::init("time")};
  Option<int64_t> threads{
      *this, "threads",
      llvm::cl::desc(
          "How many threads compute a kernel; 0: as many as pay off"),
      llvm::cl::init(0)};
  Option<int64_t> parts{
      *this, "parts",
      llvm::cl::desc("Into how many parts of equal cost kernels are cut; 0: as "
                     "many as pay off"),
      llvm::cl::init(0)};
  Option<bool> remarks{
      *this, "remarks",
      llvm::cl::desc("Say which ops are fused, and why an op is left "
                     "to MLIR's own sparsifier"),
      llvm::cl::init(false)};
};
} // namespace

static llvm::cl::opt<bool>
    alwaysRemark("nacho-remarks",
                 llvm::cl::desc("Say which ops --nacho-sparsifier fuses, and "
                                "why it leaves an op to MLIR's own"));

/// Splits the text of options into ours and those of MLIR's pipeline.
static std::pair<std::string, std::string> splitOptions(StringRef text) {
  std::string ours, theirs;
  SmallVector<StringRef> options;
  text.split(options, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef option : options) {
    StringRef name = option.split('=').first;
    bool isOurs =
        llvm::is_contained({"cost", "threads", "parts", "remarks"}, name);
    (isOurs ? ours : theirs) += (option + " ").str();
  }
  return {ours, theirs};
}

static LogicalResult
buildSparsifier(OpPassManager &pm, StringRef text,
                llvm::function_ref<LogicalResult(const Twine &)> refuse) {
  auto [ours, theirs] = splitOptions(text);
  std::unique_ptr<SparsifierOptions> options =
      SparsifierOptions::createFromString(ours);
  std::unique_ptr<sparse_tensor::SparsifierOptions> upstream =
      sparse_tensor::SparsifierOptions::createFromString(theirs);
  if (!options || !upstream)
    return failure();
  NachoFuseOpsOptions fuse;
  fuse.remarks = options->remarks || alwaysRemark;
  pm.addPass(createNachoFuseOps(fuse));
  NachoOutlineKernelsOptions outline;
  outline.cost = options->cost;
  outline.library = upstream->enableRuntimeLibrary;
  outline.remarks = fuse.remarks;
  outline.pack = true;
  pm.addPass(createNachoOutlineKernels(outline));
  sparse_tensor::buildSparsifier(pm, *upstream);
  if (upstream->testBufferizationAnalysisOnly)
    return success();
  NachoCompileKernelsOptions compile;
  compile.cost = options->cost;
  compile.threads = options->threads;
  compile.parts = options->parts;
  compile.library = upstream->enableRuntimeLibrary;
  pm.addPass(createNachoCompileKernels(compile));
  pm.addPass(createNachoLinkKernels());
  return success();
}

void nacho::registerSparsifier() {
  registerNachoSparsifierPasses();
  registerPassPipeline(
      "nacho-sparsifier",
      "Kernels of Nacho for all linalg ops on sparse tensors that it can "
      "compile, and MLIR's --sparsifier for the rest of a module",
      buildSparsifier,
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(SparsifierOptions());
        handle(sparse_tensor::SparsifierOptions());
      });
}
