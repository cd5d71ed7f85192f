//===- GpuToDriver.cpp - Launches of kernels that are PTX -----------------===//
//
// The text of the kernels becomes a constant of the host's code; the runtime of
// the CUDA backend gives it to the driver before the first launch.
//
//===----------------------------------------------------------------------===//

#include "HostSide.h"
#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOGPUTODRIVER
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
class Converter : public HostSide {
public:
  using HostSide::HostSide;

  LogicalResult convertBinary(gpu::BinaryOp binary);
  LogicalResult convertLaunch(gpu::LaunchFuncOp launch);

private:
  LLVM::GlobalOp getText(StringRef name, StringRef text);
  Value storeParameters(gpu::LaunchFuncOp launch);
};
} // namespace

/// A constant that ends with a zero, as C's strings do.
LLVM::GlobalOp Converter::getText(StringRef name, StringRef text) {
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  std::string ended = text.rtrim('\0').str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), ended.size());
  return LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true,
                                LLVM::Linkage::Internal, name,
                                b.getStringAttr(ended));
}

/// The name of the constant that has the text of kernels.
static std::string nameOfText(StringRef binary) {
  return (binary + "_ptx").str();
}

LogicalResult Converter::convertBinary(gpu::BinaryOp binary) {
  auto object = llvm::hasSingleElement(binary.getObjects())
                    ? dyn_cast<gpu::ObjectAttr>(binary.getObjects()[0])
                    : gpu::ObjectAttr();
  if (!object || object.getFormat() != gpu::CompilationTarget::Assembly)
    return binary.emitOpError("must have one object, which is PTX");
  getText(nameOfText(binary.getName()), object.getObject().getValue());
  binary.erase();
  return success();
}

/// Adds the path of each parameter of a kernel in a frame. The parameters of a
/// memref are the numbers of its descriptor.
static void addParameters(Type type, Type field, SmallVector<int32_t> path,
                          SmallVectorImpl<SmallVector<int32_t>> &paths) {
  auto descend = [&](int32_t n, Type inner) {
    SmallVector<int32_t> longer = path;
    longer.push_back(n);
    addParameters(type, inner, longer, paths);
  };
  if (!isa<MemRefType>(type))
    return paths.push_back(path);
  if (auto parts = dyn_cast<LLVM::LLVMStructType>(field)) {
    for (auto [n, inner] : llvm::enumerate(parts.getBody()))
      descend(int32_t(n), inner);
  } else if (auto array = dyn_cast<LLVM::LLVMArrayType>(field)) {
    for (unsigned n = 0; n < array.getNumElements(); ++n)
      descend(int32_t(n), array.getElementType());
  } else {
    paths.push_back(path);
  }
}

/// An array of addresses: where each parameter is.
Value Converter::storeParameters(gpu::LaunchFuncOp launch) {
  LLVM::LLVMStructType frame = frameOf(launch.getKernelOperands().getTypes());
  SmallVector<SmallVector<int32_t>> paths;
  for (auto [n, operand] : llvm::enumerate(launch.getKernelOperands()))
    addParameters(operand.getType(), frame.getBody()[n], {int32_t(n)}, paths);
  Type addresses = LLVM::LLVMArrayType::get(pointer, paths.size());
  Value at = storeFrame(launch);
  Value parameters = reserve(launch, addresses);
  ImplicitLocOpBuilder b(launch.getLoc(), launch);
  for (auto [n, path] : llvm::enumerate(paths))
    LLVM::StoreOp::create(b, fieldOf(b, frame, at, path),
                          fieldOf(b, addresses, parameters, int32_t(n)));
  return parameters;
}

/// frame = [arguments]
/// parameters = [address of each number in frame]
/// nacho_launch_ptx(text, name, blocks, threads, parameters)
LogicalResult Converter::convertLaunch(gpu::LaunchFuncOp launch) {
  StringRef binary = launch.getKernelModuleName();
  StringRef kernel = launch.getKernelName();
  auto text = module.lookupSymbol<LLVM::GlobalOp>(nameOfText(binary));
  if (!text)
    return launch.emitOpError("launches a kernel that is not PTX");
  LLVM::GlobalOp name = getText((binary + "_name_" + kernel).str(), kernel);
  Value parameters = storeParameters(launch);
  ImplicitLocOpBuilder b(launch.getLoc(), launch);
  callRuntime(b, kLaunchPtxSymbol, LLVM::LLVMVoidType::get(module.getContext()),
              {LLVM::AddressOfOp::create(b, text),
               LLVM::AddressOfOp::create(b, name),
               toNumber(b, launch.getGridSizeX()),
               toNumber(b, launch.getBlockSizeX()), parameters});
  launch.erase();
  return success();
}

namespace {
struct GpuToDriver : nacho::impl::ConvertNachoGpuToDriverBase<GpuToDriver> {
  LogicalResult convert() {
    Converter converter(getOperation());
    SmallVector<gpu::BinaryOp> binaries(getOperation().getOps<gpu::BinaryOp>());
    for (gpu::BinaryOp binary : binaries)
      if (failed(converter.convertBinary(binary)))
        return failure();
    return converter.convert([&](gpu::LaunchFuncOp launch) {
      return converter.convertLaunch(launch);
    });
  }

  void runOnOperation() override {
    if (failed(convert()))
      signalPassFailure();
  }
};
} // namespace
