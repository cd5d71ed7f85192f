//===- Pipelines.h - The stages as lists of passes ------------------------===//

#ifndef NACHO_PIPELINES_H
#define NACHO_PIPELINES_H

#include "nacho/Compiler/GpuTarget.h"
#include "nacho/Execution/Variant.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <vector>

namespace nacho {

/// The options of a pipeline: those of CompileOptions, and where it ends.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
#define NACHO_CHOICE(type, field, plain, summary)                              \
  Option<type> field{*this, #field, llvm::cl::desc(summary),                   \
                     llvm::cl::init(type())};
#define NACHO_OPTION(type, field, name, initial, summary)                      \
  Option<type> field{*this, name, llvm::cl::desc(summary),                     \
                     llvm::cl::init(initial)};
#include "nacho/Execution/CompileOptions.def"
  Option<std::string> until{
      *this, "until",
      llvm::cl::desc("End with this stage; by default the last")};

  /// The GPU that kernels are for, or null: see Capabilities.
  const GpuTarget *gpu = nullptr;

  PipelineOptions();
  explicit PipelineOptions(const CompileOptions &options);
};

/// The optional parts of the contract (ParallelOps.td) that a backend supports.
/// Without tables or a GPU, kernels are compiled to do without, and are slower;
/// without sorts or workspaces, kernels that need them are refused.
struct Capabilities {
  bool sorts = false;      ///< nacho.sort
  bool workspaces = false; ///< nacho.slot, and memory for each slot.
  bool tables = false;     ///< nacho.lookup in tables.
  /// The GPU whose threads share memory (nacho.tile), and do parts together
  /// (nacho.lane); null if kernels are for no GPU.
  const GpuTarget *gpu = nullptr;
};

class Backend;

/// A stage, and the passes that lower a module from the stage before.
struct Stage {
  const char *name;
  void (*addPasses)(mlir::OpPassManager &, const PipelineOptions &);
};

/// assign, loops, remap, partition, assemble: the same for all backends.
std::vector<Stage> commonStages();

/// The stage tile, before scf, of backends whose threads share memory.
Stage tileStage();

/// The stage scf, the first one of backends that have no coiteration of their
/// own. ParallelOps.td says which operations it leaves.
Stage scfStage();

/// Adds a canonicalization that fails when it has made too many rewrites, so
/// that rewrites which undo each other do not go on for ever.
void addCanonicalizer(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Adds the check that a module holds only operations that a backend lowers,
/// accesses no memory at an index that nobody compared with a bound, and has no
/// loop that might go on forever. It belongs at the beginning of the stage that
/// lowers the operations.
void addContractCheck(mlir::OpPassManager &pm, const Backend &backend);

/// Adds the passes of stages, with options turned off that need capabilities
/// that the backend lacks.
void addStages(mlir::OpPassManager &pm, llvm::ArrayRef<Stage> stages,
               const Capabilities &capabilities,
               const PipelineOptions &options);

/// Registers --nacho-<name> for every backend.
void registerPipelines(llvm::ArrayRef<const Backend *> backends);

} // namespace nacho

#endif // NACHO_PIPELINES_H
