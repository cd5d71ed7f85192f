//===- MergeKernels.cpp - All kernels in one module -----------------------===//

#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOMERGEKERNELS
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;

/// The name of the module that all kernels are moved to.
static constexpr char kModule[] = "kernels";

/// Views of shared memory may have elements of any type.
static constexpr int64_t kSharedAlignment = 16;

/// The layout of data on NVIDIA's GPUs. Without it, LLVM takes 64-bit integers
/// to be aligned to 32 bits, and loads each half on its own.
static constexpr char kDataLayout[] =
    "e-i64:64-i128:128-v16:16-v32:32-n16:32:64";

/// Whether the blocks of a kernel wait for each other (TileChain.h,
/// BlocksInOrder.h): no others have fences. They need few registers, and to
/// spill some in one block would delay all others.
static bool waitsForBlocks(gpu::GPUFuncOp kernel) {
  return kernel.walk([](LLVM::FenceOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// A kernel gets the name of its module, which no other module has. It does not
/// keep the number of threads in its blocks, which PTX cannot say together with
/// a limit for registers.
static void moveKernel(gpu::GPUModuleOp from, gpu::GPUModuleOp to,
                       int32_t registers) {
  from.walk([&](gpu::GPUFuncOp kernel) {
    kernel.setName(from.getName());
    kernel.removeKnownBlockSizeAttr();
    if (registers > 0 && !waitsForBlocks(kernel))
      kernel->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                      OpBuilder(kernel).getI32IntegerAttr(registers));
    for (unsigned n = 0; n < kernel.getNumWorkgroupAttributions(); ++n)
      kernel.setWorkgroupAttributionAttr(
          n, "llvm.align",
          OpBuilder(kernel).getI64IntegerAttr(kSharedAlignment));
    kernel->moveBefore(to.getBody(), to.getBody()->end());
  });
  from.erase();
}

namespace {
struct MergeKernels : nacho::impl::NachoMergeKernelsBase<MergeKernels> {
  using NachoMergeKernelsBase::NachoMergeKernelsBase;

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    if (modules.empty())
      return;
    for (gpu::GPUModuleOp module : modules)
      if (!llvm::hasSingleElement(*module.getBody()) ||
          !isa<gpu::GPUFuncOp>(module.getBody()->front())) {
        module.emitOpError("must have one kernel, and nothing else");
        return signalPassFailure();
      }
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    auto merged = gpu::GPUModuleOp::create(b, getOperation().getLoc(), kModule);
    merged->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                    b.getStringAttr(kDataLayout));
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      launch.setKernelAttr(SymbolRefAttr::get(
          merged.getNameAttr(),
          FlatSymbolRefAttr::get(launch.getKernelModuleName())));
    });
    for (gpu::GPUModuleOp module : modules)
      moveKernel(module, merged, registers);
  }
};
} // namespace
