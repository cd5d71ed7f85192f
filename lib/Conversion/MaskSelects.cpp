//===- MaskSelects.cpp - Selects that LLVM cannot turn into branches ------===//
//
// The selects of a merge depend on the operand that comes next, which no branch
// predictor foresees: as branches they would make a merge several times slower.
// LLVM's metadata `unpredictable` says so, but its dialect has no place for
// metadata. An empty assembly text, of which LLVM does not know that it does
// nothing, hides from LLVM that a mask is a condition.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>

namespace nacho {
#define GEN_PASS_DEF_NACHOMASKSELECTS
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
struct MaskSelects : nacho::impl::NachoMaskSelectsBase<MaskSelects> {
  void runOnOperation() override;
};
} // namespace

/// Whether the innermost loop around an op is one that merges: it steps by what
/// it finds, so that LLVM does not vectorise it.
static bool isInMerge(Operation *op) {
  return isa_and_nonnull<scf::WhileOp>(
      op->getParentOfType<LoopLikeOpInterface>());
}

/// Returns all ones if the condition holds, else zero.
static Value emitMask(ImplicitLocOpBuilder &b, Value condition, Type type) {
  Value extended = Number(b, condition).asSigned(type);
  return LLVM::InlineAsmOp::create(
             b, type, extended, /*asm_string=*/"", /*constraints=*/"=r,0",
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

/// select(c, a, b)  ->  b ^ ((a ^ b) & mask(c))
static Value emitMasked(ImplicitLocOpBuilder &b, arith::SelectOp select,
                        Value mask) {
  auto toInteger = [&](Value value) -> Value {
    return Number(b, value).asSigned(mask.getType());
  };
  Value yes = toInteger(select.getTrueValue());
  Value no = toInteger(select.getFalseValue());
  Number change = Number(b, yes) ^ no;
  Number made = Number(b, no) ^ (change & mask);
  return made.asSigned(select.getType());
}

/// Whether a mask can have the type of what is selected.
static bool isMaskable(Type type) {
  return type.isIndex() || type.isInteger(64) || type.isInteger(32);
}

void MaskSelects::runOnOperation() {
  std::map<std::tuple<Block *, void *, unsigned>, Value> masks;
  getOperation()->walk([&](arith::SelectOp select) {
    Type type = select.getType();
    if (!isMaskable(type) || !isInMerge(select))
      return;
    ImplicitLocOpBuilder b(select.getLoc(), select);
    Type bits = type.isIndex() ? b.getI64Type() : type;
    Value condition = select.getCondition();
    Value &mask = masks[{select->getBlock(), condition.getAsOpaquePointer(),
                         bits.getIntOrFloatBitWidth()}];
    if (!mask)
      mask = emitMask(b, condition, bits);
    select.replaceAllUsesWith(emitMasked(b, select, mask));
    select.erase();
  });
}
