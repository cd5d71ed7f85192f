//===- FunctionsToLibm.cpp - Functions of complex numbers -----------------===//
//
// Consumes the functions of complex numbers; leaves calls of C's, which are
// declared once each. Those of real numbers are intrinsics of LLVM.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOFUNCTIONSTOLIBM
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// The function of C for an op, in double precision; none for other ops.
static StringRef nameOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](complex::AbsOp) { return "cabs"; })
      .Case([](complex::SqrtOp) { return "csqrt"; })
      .Case([](complex::ExpOp) { return "cexp"; })
      .Case([](complex::LogOp) { return "clog"; })
      .Case([](complex::SinOp) { return "csin"; })
      .Case([](complex::CosOp) { return "ccos"; })
      .Case([](complex::TanhOp) { return "ctanh"; })
      .Default([](Operation *) { return ""; });
}

static func::FuncOp declare(ModuleOp module, StringRef name, Type result) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto argument = ComplexType::get(b.getF64Type());
  auto function = func::FuncOp::create(b, module.getLoc(), name,
                                       b.getFunctionType(argument, result));
  function.setPrivate();
  return function;
}

/// Between floats, or the parts of complex numbers.
static Value convert(ImplicitLocOpBuilder &b, Value x, Type to) {
  if (x.getType() == to)
    return x;
  if (auto complex = dyn_cast<ComplexType>(to)) {
    Type part = complex.getElementType();
    return complex::CreateOp::create(
        b, to, convert(b, complex::ReOp::create(b, x), part),
        convert(b, complex::ImOp::create(b, x), part));
  }
  if (to.getIntOrFloatBitWidth() > x.getType().getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, to, x);
  return arith::TruncFOp::create(b, to, x);
}

/// f(x) -> (complex<f32>) cf((complex<f64>) x)
static void lower(Operation *op, StringRef name, ModuleOp module) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Type result = op->getResult(0).getType(), part = b.getF64Type();
  Type wide = isa<ComplexType>(result) ? ComplexType::get(part) : part;
  func::FuncOp function = declare(module, name, wide);
  Value x = convert(b, op->getOperand(0), ComplexType::get(part));
  auto call = func::CallOp::create(b, function, x);
  op->replaceAllUsesWith(ValueRange(convert(b, call.getResult(0), result)));
  op->erase();
}

namespace {
struct FunctionsToLibm
    : nacho::impl::ConvertNachoFunctionsToLibmBase<FunctionsToLibm> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      StringRef name = nameOf(op);
      if (!name.empty())
        lower(op, name, getOperation());
    });
  }
};
} // namespace
