//===- StorageToMemRef.cpp - Tensors as their buffers ---------------------===//
//
// Rewrites functions on sparse tensors, which by then only read the tensors'
// storage, into functions on buffers. Step.h defines the order of the buffers.
//
//===----------------------------------------------------------------------===//

#include "nacho/Conversion/Passes.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Errors.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Keys.h"
#include "nacho/Levels/Level.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nacho {
#define GEN_PASS_DEF_CONVERTNACHOSTORAGETOMEMREF
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// The buffers of one tensor.
struct Storage {
  RankedTensorType type;
  TensorArrays arrays;
  SmallVector<Value> coordinates; ///< Arrays by level; null for a full level.
  Value values;
  SmallVector<Value> extents; ///< Extents by level.

  SmallVector<Value> flatten() const {
    SmallVector<Value> all = arrays.flatten();
    all.push_back(values);
    llvm::append_range(all, extents);
    return all;
  }
};

using StorageMap = DenseMap<Value, Storage>;
} // namespace

static bool isStored(Type type) { return isa<RankedTensorType>(type); }

/// Inserts arguments for the buffers of `tensor` after the argument `tensor`.
static Storage addArguments(func::FuncOp func, BlockArgument tensor) {
  Storage storage;
  auto type = storage.type = cast<RankedTensorType>(tensor.getType());
  unsigned at = tensor.getArgNumber();
  std::string name = getName(tensor);
  auto add = [&](Type argument, const Twine &part) -> Value {
    Location loc = tensor.getLoc();
    if (!name.empty())
      loc = nameLoc(loc, name + part);
    (void)func.insertArgument(++at, argument, {}, loc);
    return func.getArgument(at);
  };
  if (type.getRank() == 0) {
    storage.values = add(MemRefType::get({}, type.getElementType()), "");
    return storage;
  }
  storage.arrays = TensorArrays(type);
  storage.arrays.forEach(
      [&](Value &buffer, MemRefType bufferType, const Twine &part) {
        buffer = add(bufferType, "_" + part);
      });
  storage.values =
      add(MemRefType::get({ShapedType::kDynamic}, type.getElementType()),
          "_values");
  for (unsigned level = 0; level < type.getRank(); ++level)
    storage.extents.push_back(
        add(IndexType::get(func.getContext()), "_extent" + Twine(level)));
  auto b =
      ImplicitLocOpBuilder::atBlockBegin(tensor.getLoc(), tensor.getOwner());
  for (unsigned level = 0; level < type.getRank(); ++level)
    storage.coordinates.push_back(storage.arrays.coordinates(b, level));
  return storage;
}

static unsigned levelOf(RankedTensorType type, unsigned dimension) {
  unsigned level = 0;
  while (dimensionOf(type, level) != dimension)
    ++level;
  return level;
}

/// The index of an element of a dense tensor: (x_0 * N_1 + x_1) * N_2 + ...
/// None for a tensor of rank 0.
static SmallVector<Value> elementAt(ImplicitLocOpBuilder &b,
                                    ValueRange coordinates,
                                    const Storage &storage) {
  SmallVector<Value> at;
  for (unsigned level = 0; level < storage.extents.size(); ++level) {
    Value coordinate = coordinates[dimensionOf(storage.type, level)];
    if (at.empty()) {
      at.push_back(coordinate);
      continue;
    }
    at[0] = Number(b, at[0]) * storage.extents[level];
    at[0] = Number(b, at[0]) + coordinate;
  }
  return at;
}

static Value readElement(tensor::ExtractOp op, const Storage &storage) {
  if (!isDense(storage.type))
    return {};
  ImplicitLocOpBuilder b(op.getLoc(), op);
  return memref::LoadOp::create(b, storage.values,
                                elementAt(b, op.getIndices(), storage));
}

/// Reads elements that are neighbours in memory, in the lanes that the mask
/// sets; null for any other read.
static Value readElements(vector::TransferReadOp op, const Storage &storage) {
  unsigned last = storage.type.getRank() - 1;
  if (!isDense(storage.type) || !op.getMask() ||
      op.getPermutationMap().getResults() !=
          ArrayRef(getAffineDimExpr(dimensionOf(storage.type, last),
                                    op.getContext())))
    return {};
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value none =
      vector::BroadcastOp::create(b, op.getVectorType(), op.getPadding());
  return vector::MaskedLoadOp::create(b, op.getVectorType(), storage.values,
                                      elementAt(b, op.getIndices(), storage),
                                      op.getMask(), none);
}

/// The value that a use of a tensor reads; null if the use does not read the
/// storage.
static Value readStorage(Operation *user, const Storage &storage) {
  return llvm::TypeSwitch<Operation *, Value>(user)
      .Case([&](sparse_tensor::ToPositionsOp op) {
        return storage.arrays.positions(op.getLevel());
      })
      .Case([&](sparse_tensor::ToCoordinatesOp op) -> Value {
        Value coordinates = storage.coordinates[op.getLevel()];
        auto type = cast<MemRefType>(op.getType());
        if (!coordinates || coordinates.getType() == type || type.getRank() > 1)
          return coordinates;
        OpBuilder b(op);
        return memref::CastOp::create(b, op.getLoc(), op.getType(),
                                      coordinates);
      })
      .Case([&](sparse_tensor::ToValuesOp) { return storage.values; })
      .Case([&](sparse_tensor::LvlOp op) -> Value {
        auto level = op.getConstantLvlIndex();
        return level ? storage.extents[*level] : Value();
      })
      .Case([&](tensor::DimOp op) -> Value {
        auto dimension = op.getConstantIndex();
        return dimension ? storage.extents[levelOf(storage.type, *dimension)]
                         : Value();
      })
      .Case([&](tensor::ExtractOp op) { return readElement(op, storage); })
      .Case(
          [&](vector::TransferReadOp op) { return readElements(op, storage); })
      .Default([](Operation *) { return Value(); });
}

/// Arrays of batches are one row each from here on, which nothing collapses.
static void replaceArray(Value array, Value row) {
  if (array.getType() != row.getType())
    for (Operation *user : llvm::make_early_inc_range(array.getUsers())) {
      user->getResult(0).replaceAllUsesWith(row);
      user->erase();
    }
  array.replaceAllUsesWith(row);
}

static LogicalResult replaceUses(Value tensor, const Storage &storage) {
  for (Operation *user : llvm::make_early_inc_range(tensor.getUsers())) {
    if (isa<func::CallOp>(user))
      continue;
    Value value = readStorage(user, storage);
    if (!value)
      return user->emitOpError("cannot be lowered to the buffers of ")
             << tensor.getType();
    replaceArray(user->getResult(0), value);
    user->erase();
  }
  return success();
}

/// A flattened tensor has the elements of the original tensor; its extent is
/// that of the keys.
static LogicalResult unfoldFlatten(FlattenOp op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    ImplicitLocOpBuilder b(user->getLoc(), user);
    if (isa<sparse_tensor::ToValuesOp>(user)) {
      user->setOperands(op.getTensor());
      continue;
    }
    if (!isa<sparse_tensor::LvlOp>(user))
      return user->emitOpError("cannot be lowered to what was flattened");
    user->getResult(0).replaceAllUsesWith(emitKeyExtent(b, op.getTensor()));
    user->erase();
  }
  op.erase();
  return success();
}

/// A slice has the arrays of the whole tensor, and the extents of its own
/// levels.
static LogicalResult unfoldSlice(SliceOp op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    if (isa<sparse_tensor::ToPositionsOp, sparse_tensor::ToCoordinatesOp,
            sparse_tensor::ToValuesOp>(user)) {
      user->setOperands(op.getSource());
      continue;
    }
    auto extent = dyn_cast<sparse_tensor::LvlOp>(user);
    if (!extent || !extent.getConstantLvlIndex())
      return user->emitOpError("cannot be lowered to what was sliced");
    ImplicitLocOpBuilder b(user->getLoc(), user);
    extent.replaceAllUsesWith(
        levelExtent(b, op.getResult(), *extent.getConstantLvlIndex()));
    extent.erase();
  }
  op.erase();
  return success();
}

static LogicalResult convertFunction(func::FuncOp func, StorageMap &map) {
  SmallVector<FlattenOp> flattened;
  func.walk([&](FlattenOp op) { flattened.push_back(op); });
  for (FlattenOp op : llvm::reverse(flattened))
    if (failed(unfoldFlatten(op)))
      return failure();
  // Their users are erased, too, so that none of them may be walked over.
  SmallVector<SliceOp> slices;
  func.walk([&](SliceOp op) { slices.push_back(op); });
  for (SliceOp op : slices)
    if (failed(unfoldSlice(op)))
      return failure();
  func.walk([](UnflattenOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(
        emitCoordinateOfKey(b, op.getTensor(), op.getLevel(), op.getKey()));
    op.erase();
  });
  SmallVector<BlockArgument> tensors;
  for (BlockArgument arg : func.getArguments())
    if (isStored(arg.getType()))
      tensors.push_back(arg);
  for (BlockArgument tensor : tensors)
    if (auto type = cast<RankedTensorType>(tensor.getType());
        !isDense(type) && !hasReadableLevels(type))
      return unsupported(func.emitOpError()
                         << "argument #" << tensor.getArgNumber()
                         << " is stored in a way that is not supported");
  for (BlockArgument tensor : tensors) {
    Storage storage = addArguments(func, tensor);
    if (failed(replaceUses(tensor, storage)))
      return failure();
    map[tensor] = std::move(storage);
  }
  return success();
}

/// f(%A, %n) -> f(%pos, %crd, %values, %extents, %n)
static void convertCall(func::CallOp call, const StorageMap &map) {
  SmallVector<Value> operands;
  for (Value operand : call.getOperands()) {
    auto storage = map.find(operand);
    if (storage == map.end())
      operands.push_back(operand);
    else
      llvm::append_range(operands, storage->second.flatten());
  }
  call.getOperandsMutable().assign(operands);
}

namespace {
struct StorageToMemRef
    : nacho::impl::ConvertNachoStorageToMemRefBase<StorageToMemRef> {
  void runOnOperation() override {
    StorageMap map;
    SmallVector<func::FuncOp> functions;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && llvm::any_of(func.getArgumentTypes(), isStored))
        functions.push_back(func);
    for (func::FuncOp func : functions)
      if (failed(convertFunction(func, map)))
        return signalPassFailure();
    WalkResult calls = getOperation().walk([&](func::CallOp call) {
      auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
      if (callee.isExternal() &&
          llvm::any_of(call.getOperandTypes(), isStored)) {
        call.emitOpError("passes a sparse tensor to an external function");
        return WalkResult::interrupt();
      }
      convertCall(call, map);
      return WalkResult::advance();
    });
    if (calls.wasInterrupted())
      return signalPassFailure();
    // The step attributes describe tensors that are arguments. From here on the
    // functions have none.
    for (auto func : getOperation().getOps<func::FuncOp>())
      func->removeAttr(NachoDialect::kStepAttrName);
    // Whatever combines elements has the regions of monoids inlined by now.
    for (auto monoid :
         llvm::make_early_inc_range(getOperation().getOps<MonoidOp>()))
      monoid.erase();
    for (func::FuncOp func : functions)
      for (unsigned n = func.getNumArguments(); n-- > 0;)
        if (isStored(func.getArgument(n).getType()) &&
            failed(func.eraseArgument(n)))
          return signalPassFailure();
  }
};
} // namespace
