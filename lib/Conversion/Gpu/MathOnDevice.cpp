//===- MathOnDevice.cpp - Functions of numbers on GPUs --------------------===//

#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Errors.h"
#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOMATHONDEVICE
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Replaces a function for which GPUs have an instruction.
template <typename Op, typename Intrinsic, typename... Args>
static bool replace(Operation *op, Args... args) {
  if (!isa<Op>(op) || !isa<IntegerType>(op->getResult(0).getType()))
    return false;
  OpBuilder b(op);
  op->replaceAllUsesWith(Intrinsic::create(
      b, op->getLoc(), op->getResult(0).getType(), op->getOperand(0), args...));
  op->erase();
  return true;
}

/// Calls NVVM's square root, which is correctly rounded. (MLIR's lowering to
/// NVVM accepts no intrinsics of LLVM for this and the next function.)
static bool replaceSqrt(Operation *op) {
  auto sqrt = dyn_cast<math::SqrtOp>(op);
  if (!sqrt || !(sqrt.getType().isF64() || sqrt.getType().isF32()))
    return false;
  OpBuilder b(op);
  StringRef name =
      sqrt.getType().isF64() ? "llvm.nvvm.sqrt.rn.d" : "llvm.nvvm.sqrt.rn.f";
  auto call =
      LLVM::CallIntrinsicOp::create(b, op->getLoc(), sqrt.getType(),
                                    b.getStringAttr(name), sqrt.getOperand());
  op->replaceAllUsesWith(call);
  op->erase();
  return true;
}

/// Drops the sign of a number.
static bool replaceAbs(Operation *op) {
  auto abs = dyn_cast<math::AbsFOp>(op);
  if (!abs || !isa<FloatType>(abs.getType()))
    return false;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Type bits = b.getIntegerType(abs.getType().getIntOrFloatBitWidth());
  Value number = arith::BitcastOp::create(b, bits, abs.getOperand());
  APInt rest = APInt::getSignedMaxValue(bits.getIntOrFloatBitWidth());
  Value mask = arith::ConstantOp::create(b, b.getIntegerAttr(bits, rest));
  Value positive = arith::AndIOp::create(b, number, mask);
  op->replaceAllUsesWith(arith::BitcastOp::create(b, abs.getType(), positive));
  op->erase();
  return true;
}

static bool replaceByInstruction(Operation *op) {
  // Of a 0, all digits are counted, and the least integer stays as it is.
  bool isPoison = false;
  return replaceSqrt(op) || replaceAbs(op) ||
         replace<math::AbsIOp, LLVM::AbsOp>(op, isPoison) ||
         replace<math::CtPopOp, LLVM::CtPopOp>(op) ||
         replace<math::CountTrailingZerosOp, LLVM::CountTrailingZerosOp>(
             op, isPoison) ||
         replace<math::CountLeadingZerosOp, LLVM::CountLeadingZerosOp>(
             op, isPoison);
}

namespace {
struct MathOnDevice : nacho::impl::NachoMathOnDeviceBase<MathOnDevice> {
  using NachoMathOnDeviceBase::NachoMathOnDeviceBase;

  LogicalResult lower(Operation *op) const {
    if (replaceByInstruction(op))
      return success();
    if (isa<UnaryOp>(op))
      return unsupported(op->emitOpError(
          "of complex numbers has no lowering for GPUs: not supported"));
    bool isFunction =
        isa<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op);
    if (isFunction && !libdevice)
      return op->emitOpError(
          "needs CUDA's libdevice, which is not found: set CUDA_HOME to a "
          "folder that has nvvm/libdevice, or install the package nvidia-nvvm, "
          "which has it");
    return success();
  }

  void runOnOperation() override {
    WalkResult result = getOperation().walk(
        [&](Operation *op) -> WalkResult { return lower(op); });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
