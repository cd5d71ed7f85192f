//===- PtxStage.cpp - Kernels as the text that CUDA's driver compiles -----===//

#include "GpuStage.h"
#include "nacho/Conversion/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace mlir;
using namespace nacho;

static bool hasLibdevice(const Twine &toolkit) {
  SmallString<128> path;
  toolkit.toVector(path);
  llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
  return llvm::sys::fs::exists(path);
}

/// A folder with CUDA's functions of numbers: the one that is asked for, or of
/// the environment, or where CUDA is installed by default; empty if there is
/// none.
static std::string findToolkit(const std::string &asked) {
  if (!asked.empty())
    return asked;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char *path = std::getenv(variable); path && hasLibdevice(path))
      return path;
  static constexpr char kDefault[] = "/usr/local/cuda";
  return hasLibdevice(kDefault) ? kDefault : "";
}

/// Leads to gpu.binary, which has PTX. What the host does stays as it is.
static void addPtx(OpPassManager &pm, const PipelineOptions &options) {
  std::string toolkit = findToolkit(options.toolkit);
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  NachoMathOnDeviceOptions math;
  math.libdevice = hasLibdevice(toolkit);
  kernels.addPass(createNachoMathOnDevice(math));
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createConvertComplexToLLVMPass());
  ConvertGpuOpsToNVVMOpsOptions nvvm;
  nvvm.indexBitwidth = 64;
  kernels.addPass(createConvertGpuOpsToNVVMOps(nvvm));
  kernels.addPass(createReconcileUnrealizedCastsPass());
  addCanonicalizer(kernels, options);
  GpuNVVMAttachTargetOptions target;
  target.chip = options.chip;
  // LLVM chooses the oldest version of PTX that knows the chip.
  target.features = "";
  target.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(target));
  GpuModuleToBinaryPassOptions binary;
  binary.compilationTarget = "isa";
  binary.toolkitPath = toolkit;
  pm.addPass(createGpuModuleToBinaryPass(binary));
  pm.addPass(createNachoForgetTimes());
}

Stage nacho::ptxStage() { return {"ptx", addPtx}; }
