//===- Pipelines.h - The stages as lists of passes ------------------------===//

#ifndef NACHO_PIPELINES_H
#define NACHO_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <vector>

namespace nacho {

struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> cost{*this, "cost",
                           llvm::cl::desc("Cost model: nnz, nnz+loops"),
                           llvm::cl::init("nnz+loops")};
  Option<bool> remap{*this, "remap",
                     llvm::cl::desc("List what outer intersections leave over"),
                     llvm::cl::init(true)};
  Option<bool> find{
      *this, "find",
      llvm::cl::desc("Look in fibers that would be merged again and again"),
      llvm::cl::init(true)};
  Option<bool> flatten{
      *this, "flatten",
      llvm::cl::desc("Merge lists by keys, of static shapes that have these"),
      llvm::cl::init(true)};
  Option<bool> dynamicKeys{
      *this, "dynamic-keys",
      llvm::cl::desc("Take it that dynamic shapes have keys, too: 62 bits are "
                     "enough for them"),
      llvm::cl::init(false)};
  Option<bool> splitRows{
      *this, "split-rows",
      llvm::cl::desc("Let parts share what a workspace collects"),
      llvm::cl::init(true)};
  Option<bool> singlePass{
      *this, "single-pass",
      llvm::cl::desc("Append to drafts of the results, without counting"),
      llvm::cl::init(false)};
  Option<bool> branches{
      *this, "branches",
      llvm::cl::desc("Branch on which operand of a union comes next"),
      llvm::cl::init(false)};
  Option<unsigned> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Width of the vector registers; 0: do without"),
      llvm::cl::init(0)};
  Option<std::string> until{
      *this, "until",
      llvm::cl::desc("End with this stage; by default the last")};
};

/// The optional parts of the contract (ParallelOps.td) that a backend supports.
/// Without tables or vectors, kernels are compiled to do without, and are
/// slower; without sorts or workspaces, kernels that need them are refused.
struct Capabilities {
  bool sorts = false;      ///< nacho.sort
  bool workspaces = false; ///< nacho.slot, and memory for each slot.
  bool tables = false;     ///< nacho.lookup in tables.
  bool vectors = false;    ///< Values of vector types.
};

class Backend;

/// A stage, and the passes that lower a module from the stage before.
struct Stage {
  const char *name;
  void (*addPasses)(mlir::OpPassManager &, const PipelineOptions &);
};

/// assign, loops, remap, partition, assemble: the same for all backends.
std::vector<Stage> commonStages();

/// The stage scf, the first one of backends that have no coiteration of their
/// own. ParallelOps.td says which operations it leaves.
Stage scfStage();

/// Adds a check that a module holds only operations that a backend lowers. It
/// belongs at the beginning of the stage that lowers them.
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
