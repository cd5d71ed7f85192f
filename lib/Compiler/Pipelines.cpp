//===- Pipelines.cpp - The stages as lists of passes ----------------------===//

#include "nacho/Compiler/Pipelines.h"
#include "nacho/Compiler/Backend.h"
#include "nacho/Compiler/InitAll.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Optimizations/Passes.h"
#include "nacho/Runtime/Abi.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace nacho;

PipelineOptions::PipelineOptions() {
#define NACHO_CHOICE(type, field, plain, summary)                              \
  field.getParser().addLiteralOption(plain, type(), "Like the plain variant");
#define NACHO_VALUE(type, field, value, word, name, summary)                   \
  field.getParser().addLiteralOption(word, type::value, summary);
#include "nacho/Execution/CompileOptions.def"
}

PipelineOptions::PipelineOptions(const CompileOptions &options)
    : PipelineOptions() {
#define NACHO_CHOICE(type, field, plain, summary) field = options.variant.field;
#define NACHO_OPTION(type, field, name, initial, summary) field = options.field;
#include "nacho/Execution/CompileOptions.def"
}

void nacho::addCanonicalizer(OpPassManager &pm,
                             const PipelineOptions &options) {
  // Only a pipeline that is parsed can ask for the test of convergence. To
  // merge equal blocks takes a third of the time, and code has none.
  static const bool isRegistered = [] {
    registerCanonicalizerPass();
    return true;
  }();
  std::string text;
  llvm::raw_string_ostream(text)
      << "canonicalize{test-convergence region-simplify=disabled "
         "max-num-rewrites="
      << options.rewrites << "}";
  LogicalResult parsed = parsePassPipeline(text, pm);
  assert(isRegistered && succeeded(parsed) && "the canonicalizer is there");
  (void)isRegistered, (void)parsed;
}

/// Leads to tensor index notation, in which every level has an index: linalg is
/// translated, and the indices of tensors in blocks are split.
static void addAssign(OpPassManager &pm, const PipelineOptions &) {
  pm.addPass(createNachoFromLinalg());
  pm.addPass(createNachoSplitBlocks());
}

/// Leads to coiterative loops over tensors.
static void addLoops(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createNachoSetIndexWidths());
  pm.addPass(createNachoSeparateReductions());
  pm.addPass(createNachoListSlices());
  pm.addPass(createNachoSolveEquations());
  pm.addPass(createNachoFactorSums());
  NachoOrderLoopsOptions order;
  order.wholeRows = options.rows != Rows::shared;
  order.sortProducts = options.products == Products::sorted;
  order.transposeDense = options.dense == Dense::transposed;
  pm.addPass(createNachoOrderLoops(order));
  pm.addPass(createCSEPass());
  pm.addPass(createNachoConcretize());
  pm.addPass(createCSEPass());
  if (options.merge == Merge::keys) {
    NachoFlattenListsOptions flatten;
    flatten.dynamic = true;
    flatten.trees = options.vectorBits > 0;
    pm.addPass(createNachoFlattenLists(flatten));
  }
  if (options.find) {
    NachoFindCoordinatesOptions find;
    find.seekShared = options.rows >= Rows::heavyApart;
    find.seekInLanes = options.warps;
    pm.addPass(createNachoFindCoordinates(find));
  }
}

/// The number of times that heavy rows are cut into pieces.
static unsigned timesCut(Rows rows) {
  if (rows == Rows::finePieces)
    return 3;
  return rows == Rows::pieces ? 1 : 0;
}

/// Leads to nests, each in a function of its own, in which only the innermost
/// loop may skip coordinates.
static void addRemap(OpPassManager &pm, const PipelineOptions &options) {
  if (options.remap) {
    NachoRemapIntersectionsOptions remap;
    remap.cost = options.cost;
    pm.addPass(createNachoRemapIntersections(remap));
    if (options.rows >= Rows::heavyApart) {
      NachoSplitHeavyRowsOptions heavy;
      heavy.cost = options.cost;
      heavy.pieces = timesCut(options.rows);
      pm.addPass(createNachoSplitHeavyRows(heavy));
    }
    pm.addPass(createCSEPass());
  }
  pm.addPass(createNachoIsolateNests());
}

/// Leads to nests with the searches that find their cuts.
static void addPartition(OpPassManager &pm, const PipelineOptions &options) {
  NachoPartitionLoopsOptions partition;
  partition.cost = options.cost;
  pm.addPass(createNachoPartitionLoops(partition));
  pm.addPass(createCSEPass());
}

static Drafts draftsOf(Fill fill) {
  switch (fill) {
  case Fill::counted:
    return Drafts::none;
  case Fill::drafted:
    return Drafts::some;
  case Fill::unionsDrafted:
    return Drafts::unions;
  }
  llvm_unreachable("all ways to fill are mentioned");
}

/// Leads to loops that do one part, with results, bounds and counts in buffers.
static void addAssemble(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createNachoPrefetchRows());
  pm.addPass(createNachoBoundLoops());
  NachoAssembleOutputsOptions assemble;
  assemble.drafts = draftsOf(options.fill);
  assemble.tile = options.tile;
  assemble.device = options.gpu != nullptr;
  pm.addPass(createNachoAssembleOutputs(assemble));
  addCanonicalizer(pm, options);
  pm.addPass(createCSEPass());
  // From the next stage on, a store might change what a load in a loop reads.
  pm.addPass(createLoopInvariantCodeMotionPass());
}

/// Leads to scf, arith and memref. The operations of ParallelOps.td remain.
static void addScf(OpPassManager &pm, const PipelineOptions &options) {
  NachoCountUnionsOptions unions;
  unions.blocks = options.vectorBits > 0;
  pm.addNestedPass<func::FuncOp>(createNachoCountUnions(unions));
  // Parts whose steps are counted are not shared.
  bool shares = options.warps && !options.countSteps;
  if (options.vectorBits > 0 || shares) {
    NachoKeepSumsOptions keep;
    keep.threads = shares ? options.gpu->lanes : 0;
    pm.addNestedPass<func::FuncOp>(createNachoKeepSums(keep));
  }
  ConvertNachoLoopsToSCFOptions loops;
  loops.branches = options.branching == Branching::branches;
  loops.together = options.tile > 0;
  loops.vectorBits = options.vectorBits;
  if (options.vectorBits > 0 && options.wideKeys &&
      options.merge == Merge::keys)
    loops.vectorBits = 512;
  pm.addNestedPass<func::FuncOp>(createConvertNachoLoopsToSCF(loops));
  if (options.warps) {
    NachoShareRowsOptions share;
    share.lanes = options.gpu->lanes;
    pm.addNestedPass<func::FuncOp>(createNachoShareRows(share));
    pm.addNestedPass<func::FuncOp>(createNachoTableRows());
  }
  ConvertNachoWorkspaceToSCFOptions workspaces;
  workspaces.repeats = !options.gpu;
  pm.addNestedPass<func::FuncOp>(createConvertNachoWorkspaceToSCF(workspaces));
  pm.addNestedPass<func::FuncOp>(createConvertNachoElementsToArith());
  pm.addPass(createConvertNachoStorageToMemRef());
  addCanonicalizer(pm, options);
  pm.addPass(createCSEPass());
  // Steps that are counted are taken one by one.
  if (options.countSteps)
    return;
  if (options.vectorBits > 0)
    pm.addNestedPass<func::FuncOp>(createNachoSumShortRows());
  if (options.tile > 0) {
    NachoStageTermsOptions terms;
    terms.share = options.gpu->entriesPerPart;
    pm.addNestedPass<func::FuncOp>(createNachoStageTerms(terms));
    addCanonicalizer(pm, options);
    pm.addPass(createCSEPass());
  }
  // Whatever the target has, so that sums are the same on all of them.
  NachoSumInLanesOptions sums;
  sums.gathers = options.gathers;
  sums.wide = options.warps;
  sums.narrow = options.vectorBits > 0;
  pm.addNestedPass<func::FuncOp>(createNachoSumInLanes(sums));
  pm.addNestedPass<func::FuncOp>(createNachoBranchOnLookups());
  addCanonicalizer(pm, options);
  if (!options.gpu) {
    NachoSkipStepsOptions skip;
    skip.gathers = options.gathers;
    pm.addNestedPass<func::FuncOp>(createNachoSkipSteps(skip));
  }
  if (options.warps) {
    NachoSharePartsOptions share;
    share.lanes = options.gpu->lanes;
    pm.addNestedPass<func::FuncOp>(createNachoShareParts(share));
    addCanonicalizer(pm, options);
    pm.addPass(createCSEPass());
  }
}

std::vector<Stage> nacho::commonStages() {
  return {{"assign", addAssign},
          {"loops", addLoops},
          {"remap", addRemap},
          {"partition", addPartition},
          {"assemble", addAssemble}};
}

/// Leads to parts that share memory with their neighbours.
static void addTile(OpPassManager &pm, const PipelineOptions &options) {
  if (!options.tile)
    return;
  pm.addPass(createNachoJoinTiles());
  NachoScanTilesOptions scan;
  scan.lanes = options.gpu->lanes;
  scan.warps = options.warps;
  pm.addPass(createNachoScanTiles(scan));
  NachoTilePartsOptions tile;
  tile.parts = options.tile;
  tile.share = options.gpu->entriesPerPart;
  tile.sharedBytes = options.gpu->sharedBytes;
  tile.warps = options.warps;
  pm.addNestedPass<func::FuncOp>(createNachoTileParts(tile));
  pm.addPass(createCSEPass());
}

Stage nacho::tileStage() { return {"tile", addTile}; }

Stage nacho::scfStage() { return {"scf", addScf}; }

void nacho::addContractCheck(OpPassManager &pm, const Backend &backend) {
  Capabilities capabilities = backend.capabilities();
  NachoVerifyContractOptions contract;
  contract.target = backend.name().str();
  contract.sorts = capabilities.sorts;
  contract.workspaces = capabilities.workspaces;
  contract.tiles = capabilities.gpu != nullptr;
  pm.addPass(createNachoVerifyContract(contract));
}

void nacho::addStages(OpPassManager &pm, ArrayRef<Stage> stages,
                      const Capabilities &capabilities,
                      const PipelineOptions &options) {
  PipelineOptions possible;
  possible.copyOptionValuesFrom(options);
  if (!capabilities.tables)
    possible.find = false;
  possible.gpu = capabilities.gpu;
  if (!capabilities.gpu)
    possible.tile = possible.warps = 0;
  for (const Stage &stage : stages)
    stage.addPasses(pm, possible);
}

void nacho::registerPipelines(ArrayRef<const Backend *> backends) {
  for (const Backend *backend : backends)
    registerPassPipeline(
        ("nacho-" + backend->name()).str(), backend->summary(),
        [backend](OpPassManager &pm, StringRef text,
                  llvm::function_ref<LogicalResult(const Twine &)> refuse)
            -> LogicalResult {
          std::unique_ptr<PipelineOptions> options =
              PipelineOptions::createFromString(text);
          if (!options)
            return failure();
          StringRef until = options->until;
          std::vector<Stage> stages =
              until.empty() ? backend->stages() : backend->stagesUntil(until);
          if (stages.empty())
            return refuse("target '" + backend->name() + "' has no stage '" +
                          until + "'");
          addStages(pm, stages, backend->capabilities(), *options);
          return success();
        },
        [](llvm::function_ref<void(const mlir::detail::PassOptions &)> handle) {
          handle(PipelineOptions());
        });
}

void nacho::registerAllPasses(ArrayRef<const Backend *> backends) {
  registerNachoTransformsPasses();
  registerNachoOptimizationsPasses();
  registerNachoConversionPasses();
  registerPipelines(backends);
}

/// Registers what MLIR's passes need from dialects on the way to PTX.
static void registerForPtx(DialectRegistry &registry) {
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertComplexToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void nacho::registerAllDialects(DialectRegistry &registry) {
  registry.insert<NachoDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, complex::ComplexDialect,
                  func::FuncDialect, gpu::GPUDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, sparse_tensor::SparseTensorDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
  registerForPtx(registry);
}
