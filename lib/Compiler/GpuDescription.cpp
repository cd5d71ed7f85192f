//===- GpuDescription.cpp - The functions of a kernel, described ----------===//

#include "Compilation.h"
#include "nacho/Compiler/Description.h"
#include "nacho/IR/Nacho.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace nacho;

template <typename Op>
static bool contains(func::FuncOp func) {
  return func.walk([](Op) { return WalkResult::interrupt(); }).wasInterrupted();
}

std::optional<std::vector<std::string>>
nacho::describeFunctions(const AssignedModule &module, const Backend &backend,
                         const CompileOptions &options, Failure &error) {
  Compilation compilation(module, error);
  if (failed(compilation.runTo("assemble", backend, options)))
    return std::nullopt;
  std::vector<std::string> names;
  for (auto func : compilation.module->getOps<func::FuncOp>())
    names.push_back(func.getName().str());
  return names;
}

/// Describes the tiles of a function at the stage `tile`.
static GpuFunctionDescription describeTile(func::FuncOp func) {
  GpuFunctionDescription described = {func.getName().str(), 0, 0, 0, 0};
  func.walk([&](TileOp tile) {
    described.tile = tile.getBy();
    described.shared = tile.getBytes().value_or(0);
    return WalkResult::interrupt();
  });
  func.walk([&](TileCutsOp cuts) {
    MemRefType type = cuts.getCuts().getType();
    described.shared +=
        type.getNumElements() * nacho::bytesOf(type.getElementType());
  });
  return described;
}

static int64_t bytesOf(MemRefType type) {
  Type element = type.getElementType();
  int64_t numbers = type.getNumElements();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    numbers *= 2;
  }
  return numbers * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Describes the warps of a function at the stage `scf`.
static void describeWarps(func::FuncOp func, GpuFunctionDescription &into) {
  func.walk([&](LaneOp lane) {
    into.lanes = std::max(into.lanes, int64_t(lane.getOf()));
  });
  func.walk([&](LaneMemoryOp memory) {
    into.tables += bytesOf(cast<MemRefType>(memory.getMemory().getType()));
  });
}

std::optional<GpuDescription> nacho::describeGpu(const AssignedModule &module,
                                                 const Backend &backend,
                                                 const CompileOptions &options,
                                                 Failure &error) {
  Compilation compilation(module, error);
  GpuDescription described;
  if (failed(compilation.runTo("tile", backend, options)))
    return std::nullopt;
  for (auto func : compilation.module->getOps<func::FuncOp>())
    if (contains<ParallelOp>(func))
      described.functions.push_back(describeTile(func));
  if (failed(compilation.runTo("scf", backend, options)))
    return std::nullopt;
  for (GpuFunctionDescription &function : described.functions)
    if (auto func =
            compilation.module->lookupSymbol<func::FuncOp>(function.name))
      describeWarps(func, function);
  if (failed(compilation.runTo("gpu", backend, options)))
    return std::nullopt;
  compilation.module->walk([&](gpu::LaunchFuncOp launch) {
    if (auto threads = getConstantIntValue(launch.getBlockSizeX()))
      described.threads[launch.getKernelName().str()] = *threads;
  });
  return described;
}
