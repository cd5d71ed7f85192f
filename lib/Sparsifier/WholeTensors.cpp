//===- WholeTensors.cpp - Functions that take whole tensors for slices ----===//
//
// MLIR's runtime library has no slices that could be passed to a function. So
// functions take the whole tensors, followed by the numbers that the type of
// the slice does not tell, and make the slices themselves:
//
//   func @f(%S: tensor<4xf64, #slice(?, 4, 2)>) { ... %S ... }
//   call @f(tensor.extract_slice %A[%o] [4] [2])
//     ->
//   func @f(%A: tensor<?xf64>, %o: index) {
//     %S = tensor.extract_slice %A[%o] [4] [2]
//     ... %S ...
//   }
//   call @f(%A, %o)
//
// A function stays as it is if any of its callers has the slice from elsewhere,
// or if they slice tensors of different types.
//
//===----------------------------------------------------------------------===//

#include "WholeTensors.h"

#include "nacho/Transforms/KernelBuilder.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nacho;

namespace {
/// The numbers of a slice, as far as its type tells them; else dynamic.
struct KnownNumbers {
  explicit KnownNumbers(RankedTensorType slice) {
    auto encoding = sparse_tensor::getSparseTensorEncoding(slice);
    for (int64_t dim = 0; dim < slice.getRank(); ++dim) {
      auto add = [](std::optional<uint64_t> known,
                    SmallVectorImpl<int64_t> &to) {
        to.push_back(known ? int64_t(*known) : ShapedType::kDynamic);
      };
      add(encoding.getStaticDimSliceOffset(dim), offsets);
      add(encoding.getStaticDimSliceStride(dim), strides);
    }
    sizes.assign(slice.getShape().begin(), slice.getShape().end());
  }

  SmallVector<int64_t> offsets, sizes, strides;
};

class WholeTensors {
public:
  explicit WholeTensors(ModuleOp module) : module(module) {}

  void run();

private:
  bool comesFromSlicing(Value slice);
  bool noteTypes(func::FuncOp callee, func::CallOp call);
  bool canChange(func::FuncOp func);
  void findFunctions();
  void changeFunction(func::FuncOp func);
  void takeWhole(func::FuncOp func, BlockArgument slice);
  void changeCall(func::CallOp call);

  ModuleOp module;
  llvm::SetVector<func::FuncOp> changed;
  /// The types of the whole tensors that calls pass for arguments.
  DenseMap<Value, Type> wholes;
  bool hasGrown = false; ///< While `findFunctions` runs.
  SmallVector<func::CallOp> calls;
};
} // namespace

static bool takesSlices(func::FuncOp func) {
  return !func.isExternal() && llvm::any_of(func.getArgumentTypes(), isSlice);
}

/// Whether a slice is made where it is passed on, or is an argument of a
/// function that will make it.
bool WholeTensors::comesFromSlicing(Value slice) {
  auto arg = dyn_cast<BlockArgument>(slice);
  auto func =
      arg ? dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp()) : nullptr;
  return slicingOf(slice) || (func && changed.contains(func));
}

/// Notes the types of the whole tensors that a call will pass. Returns whether
/// it can: whether it makes all slices, or will, of tensors of the types that
/// other calls pass.
bool WholeTensors::noteTypes(func::FuncOp callee, func::CallOp call) {
  for (auto [operand, param] :
       llvm::zip(call.getOperands(), callee.getArguments())) {
    if (!isSlice(operand.getType()))
      continue;
    if (!comesFromSlicing(operand))
      return false;
    tensor::ExtractSliceOp slice = slicingOf(operand);
    Type whole = slice ? slice.getSourceType() : wholes.lookup(operand);
    if (!whole) {
      // No call passes anything here, so that it can be what is passed on.
      if (Type passedOn = wholes.lookup(param)) {
        wholes[operand] = passedOn;
        hasGrown = true;
      }
      continue;
    }
    auto [known, isNew] = wholes.try_emplace(param, whole);
    if (known->second != whole)
      return false;
    hasGrown |= isNew;
  }
  return true;
}

/// Whether all users of a function are calls that can pass whole tensors.
bool WholeTensors::canChange(func::FuncOp func) {
  auto uses = SymbolTable::getSymbolUses(func, module);
  return uses && llvm::all_of(*uses, [&](SymbolTable::SymbolUse use) {
           auto call = dyn_cast<func::CallOp>(use.getUser());
           return call && noteTypes(func, call);
         });
}

/// Finds the functions to change. One that stays as it is passes slices on that
/// it does not make, and one that has got a type may pass it on.
void WholeTensors::findFunctions() {
  for (auto func : module.getOps<func::FuncOp>())
    if (takesSlices(func))
      changed.insert(func);
  do {
    hasGrown = false;
    if (changed.remove_if(
            [&](func::FuncOp func) { return !canChange(func); })) {
      hasGrown = true;
      wholes.clear();
    }
  } while (hasGrown);
}

void WholeTensors::takeWhole(func::FuncOp func, BlockArgument slice) {
  auto type = cast<RankedTensorType>(slice.getType());
  KnownNumbers known(type);
  auto b = ImplicitLocOpBuilder::atBlockBegin(slice.getLoc(), slice.getOwner());
  unsigned next = slice.getArgNumber();
  auto mixed = [&](ArrayRef<int64_t> numbers) {
    return llvm::map_to_vector(numbers, [&](int64_t number) -> OpFoldResult {
      if (!ShapedType::isDynamic(number))
        return b.getIndexAttr(number);
      (void)func.insertArgument(++next, b.getIndexType(), {}, slice.getLoc());
      return func.getArgument(next);
    });
  };
  SmallVector<OpFoldResult> offsets = mixed(known.offsets),
                            sizes = mixed(known.sizes),
                            strides = mixed(known.strides);
  Type whole = wholes.lookup(slice);
  slice.setType(whole ? whole : wholeTypeOf(type));
  auto made =
      tensor::ExtractSliceOp::create(b, type, slice, offsets, sizes, strides);
  slice.replaceAllUsesExcept(made, made);
}

void WholeTensors::changeFunction(func::FuncOp func) {
  for (unsigned n = 0; n < func.getNumArguments(); ++n)
    if (isSlice(func.getArgument(n).getType()))
      takeWhole(func, func.getArgument(n));
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         func.getBody().getArgumentTypes(),
                                         func.getResultTypes()));
}

void WholeTensors::changeCall(func::CallOp call) {
  ImplicitLocOpBuilder b(call.getLoc(), call);
  SmallVector<Value> passed;
  for (Value operand : call.getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !isSlice(type)) {
      passed.push_back(operand);
      continue;
    }
    tensor::ExtractSliceOp slice = slicingOf(operand);
    passed.push_back(slice.getSource());
    KnownNumbers known(type);
    auto pass = [&](ArrayRef<int64_t> numbers, ArrayRef<OpFoldResult> given) {
      for (auto [number, value] : llvm::zip(numbers, given))
        if (ShapedType::isDynamic(number))
          passed.push_back(
              getValueOrCreateConstantIndexOp(b, b.getLoc(), value));
    };
    pass(known.offsets, slice.getMixedOffsets());
    pass(known.sizes, slice.getMixedSizes());
    pass(known.strides, slice.getMixedStrides());
  }
  auto made = func::CallOp::create(b, call.getCalleeAttr(),
                                   call.getResultTypes(), passed);
  call.replaceAllUsesWith(made.getResults());
  call.erase();
}

void WholeTensors::run() {
  findFunctions();
  for (func::FuncOp func : changed)
    changeFunction(func);
  module.walk([&](func::CallOp call) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (callee && changed.contains(callee))
      calls.push_back(call);
  });
  llvm::for_each(calls, [&](func::CallOp call) { changeCall(call); });
  SmallVector<Operation *> slices;
  module.walk([&](tensor::ExtractSliceOp op) {
    if (slicingOf(op.getResult()) && op.use_empty())
      slices.push_back(op);
  });
  for (Operation *slice : slices)
    slice->erase();
}

void nacho::passWholeTensors(ModuleOp module) { WholeTensors(module).run(); }
