//===- OwnFunctions.cpp - Functions by names that no program has ----------===//
//
// A program may define a function that is called like one of C's. The linker
// then takes it for the calls that kernels make, and for those that LLVM makes
// of its intrinsics and of remainders. So kernels call functions of the runtime
// library instead, whose names nobody else uses; these call libm's.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringSet.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOCALLOWNFUNCTIONS
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

/// Whether the runtime library has a function in place of this one.
static bool hasOwn(StringRef name) {
  static const llvm::StringSet<> names = {
#define NACHO_REAL(name, parameters) #name, #name "f",
#define NACHO_COMPLEX(name, result) #name,
#include "nacho/Runtime/Functions.def"
  };
  return names.contains(name);
}

static std::string ownName(StringRef name) {
  return (kOwnFunctionPrefix + name).str();
}

namespace {
struct CallOwnFunctions
    : nacho::impl::NachoCallOwnFunctionsBase<CallOwnFunctions> {
  void runOnOperation() override;

private:
  LLVM::LLVMFuncOp declare(StringRef name, Type type, unsigned parameters);
  Value call(ImplicitLocOpBuilder &b, StringRef name, Type type,
             ValueRange arguments);
  void lower(Operation *intrinsic, StringRef name);
};
} // namespace

/// Declares a function of numbers of one type, which does nothing but compute.
LLVM::LLVMFuncOp CallOwnFunctions::declare(StringRef name, Type type,
                                           unsigned parameters) {
  ModuleOp module = getOperation();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  SmallVector<Type> types(parameters, type);
  auto function = LLVM::LLVMFuncOp::create(
      b, module.getLoc(), name, LLVM::LLVMFunctionType::get(type, types));
  function.setNoUnwind(true);
  function.setWillReturn(true);
  auto none = LLVM::ModRefInfo::NoModRef;
  function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
      b.getContext(), {none, none, none, none, none, none}));
  return function;
}

/// f(x, ...) of numbers; of narrow ones: (f16) f((f32) x, ...)
Value CallOwnFunctions::call(ImplicitLocOpBuilder &b, StringRef name, Type type,
                             ValueRange arguments) {
  bool isNarrow = type.getIntOrFloatBitWidth() < 32;
  Type computed = isNarrow ? b.getF32Type() : type;
  std::string own = ownName(name) + (computed.isF32() ? "f" : "");
  SmallVector<Value> converted(arguments);
  if (isNarrow)
    for (Value &argument : converted)
      argument = LLVM::FPExtOp::create(b, computed, argument);
  LLVM::LLVMFuncOp function = declare(own, computed, arguments.size());
  Value result = LLVM::CallOp::create(b, function, converted).getResult();
  return isNarrow ? LLVM::FPTruncOp::create(b, type, result) : result;
}

/// Replaces an intrinsic or a remainder; that of a vector element by element.
void CallOwnFunctions::lower(Operation *intrinsic, StringRef name) {
  ImplicitLocOpBuilder b(intrinsic->getLoc(), intrinsic);
  Type type = intrinsic->getResult(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  Value result;
  if (!vector) {
    result = call(b, name, type, intrinsic->getOperands());
  } else {
    result = LLVM::PoisonOp::create(b, vector);
    for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
      Value place = LLVM::ConstantOp::create(b, b.getI64Type(),
                                             b.getI64IntegerAttr(lane));
      SmallVector<Value> elements;
      for (Value operand : intrinsic->getOperands())
        elements.push_back(LLVM::ExtractElementOp::create(b, operand, place));
      Value element = call(b, name, vector.getElementType(), elements);
      result = LLVM::InsertElementOp::create(b, result, element, place);
    }
  }
  intrinsic->getResult(0).replaceAllUsesWith(result);
  intrinsic->erase();
}

void CallOwnFunctions::runOnOperation() {
  SymbolTable symbols(getOperation());
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
    if (function.isExternal() && hasOwn(function.getName()) &&
        failed(symbols.rename(function, ownName(function.getName()))))
      return signalPassFailure();
  getOperation().walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (isa<LLVM::FRemOp>(op))
      lower(op, "fmod");
    else if (name.consume_front("llvm.intr.") && hasOwn(name))
      lower(op, name);
  });
}
