//===- FunctionsToLibm.cpp - Functions of complex numbers -----------------===//
//
// Replaces operators on complex numbers by calls of C functions, if the table
// of operators names one; each function is declared once. Functions of real
// numbers are not affected: LLVM has intrinsics for them. The functions of the
// complex dialect are not used: MLIR folds log(exp(x)) to x, whatever the
// branch.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Operators.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOFUNCTIONSTOLIBM
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

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

/// Converts a float to another type, or both parts of a complex number.
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
static void lower(UnaryOp op, StringRef name, ModuleOp module) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type result = op.getType(), part = b.getF64Type();
  Type wide = isa<ComplexType>(result) ? ComplexType::get(part) : part;
  func::FuncOp function = declare(module, name, wide);
  Value x = convert(b, op.getArg(), ComplexType::get(part));
  auto call = func::CallOp::create(b, function, x);
  op.replaceAllUsesWith(convert(b, call.getResult(0), result));
  op.erase();
}

namespace {
struct FunctionsToLibm
    : nacho::impl::ConvertNachoFunctionsToLibmBase<FunctionsToLibm> {
  void runOnOperation() override {
    getOperation().walk([&](UnaryOp op) {
      StringRef name = operatorOf(op.getKind()).libm;
      if (isa<ComplexType>(op.getArg().getType()) && !name.empty())
        lower(op, name, getOperation());
    });
  }
};
} // namespace
