//===- FunctionsToLibm.cpp - Functions computed by libm -------------------===//
//
// Replaces operators on complex numbers by calls of C functions, if the table
// of operators names one; each function is declared once. The functions of the
// complex dialect are not used: MLIR folds log(exp(x)) to x, whatever the
// branch. For functions of real numbers, LLVM has intrinsics, but for two: MLIR
// would compute them from others, and lose all digits of small numbers.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Operators.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOFUNCTIONSTOLIBM
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

static func::FuncOp declare(ModuleOp module, StringRef name, Type argument,
                            Type result) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
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
  Type argument = ComplexType::get(part);
  func::FuncOp function = declare(module, name, argument, wide);
  Value x = convert(b, op.getArg(), argument);
  auto call = func::CallOp::create(b, function, x);
  op.replaceAllUsesWith(convert(b, call.getResult(0), result));
  op.erase();
}

/// f(x) -> f32: (f32) f((f64) x); of a vector, element by element
static void lowerReal(Operation *op, StringRef name, ModuleOp module) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Type wide = b.getF64Type();
  func::FuncOp function = declare(module, name, wide, wide);
  auto apply = [&](Value x) {
    Value argument = convert(b, x, wide);
    auto call = func::CallOp::create(b, function, argument);
    return convert(b, call.getResult(0), x.getType());
  };
  Value x = op->getOperand(0), result = x;
  if (auto vector = dyn_cast<VectorType>(x.getType())) {
    for (int64_t n = 0; n < vector.getNumElements(); ++n)
      result = vector::InsertOp::create(
          b, apply(vector::ExtractOp::create(b, x, n)), result, n);
  } else {
    result = apply(x);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
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
    getOperation().walk([&](Operation *op) {
      if (isa<math::ExpM1Op>(op))
        lowerReal(op, "expm1", getOperation());
      else if (isa<math::Log1pOp>(op))
        lowerReal(op, "log1p", getOperation());
    });
  }
};
} // namespace
