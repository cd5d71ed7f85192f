//===- LateReads.cpp - Elements that only results need --------------------===//
//
//===----------------------------------------------------------------------===//

#include "LateReads.h"

#include "nacho/IR/Fibers.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

/// The tensor that has what a fiber is of: that which was flattened or sliced,
/// if it was; null if it is not known.
Value nacho::storedTensorOf(Value fiber) {
  RootOp root = rootOf(fiber);
  if (!root)
    return {};
  auto flatten = root.getTensor().getDefiningOp<FlattenOp>();
  return flatten ? flatten.getTensor() : wholeTensorOf(root.getTensor());
}

/// The bits of a word that say which element of an operand is loaded, if any.
static constexpr int64_t kBitsOfLoad = 16;

/// The only store of workers to an array; null if there are others.
static memref::StoreOp storeTo(ParallelOp workers, Value array) {
  memref::StoreOp found;
  WalkResult several = workers.walk([&](memref::StoreOp store) {
    if (store.getMemRef() != array)
      return WalkResult::advance();
    return std::exchange(found, store) ? WalkResult::interrupt()
                                       : WalkResult::advance();
  });
  return several.wasInterrupted() ? memref::StoreOp() : found;
}

namespace {
/// What an element of the result is computed of.
class Reads {
public:
  explicit Reads(ParallelOp workers) : workers(workers) {}

  bool add(Value value);
  bool isOnlyStored(Value value, memref::StoreOp store);
  bool areForNothingElse(memref::StoreOp store);
  int64_t numBits() const {
    return kBitsOfLoad * int64_t(loads.size()) + numFlags;
  }
  /// The tensors that have the elements; null if some of these are not known.
  llvm::SetVector<Value> tensors;

private:
  ParallelOp workers;
  llvm::SetVector<Operation *> ops, loads;
  int64_t numFlags = 0;
};
} // namespace

/// Adds what a value is computed of. Returns whether that can be done later.
bool Reads::add(Value value) {
  Operation *op = value.getDefiningOp();
  if (!workers.getBody().isAncestor(value.getParentRegion()) ||
      ops.contains(op))
    return true;
  if (auto load = dyn_cast_or_null<LoadOp>(op)) {
    tensors.insert(storedTensorOf(load.getElement()));
    loads.insert(op);
    return ops.insert(op);
  }
  if (value.getType().isInteger(1))
    return ++numFlags > 0;
  return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return add(operand); }) &&
         ops.insert(op);
}

/// Whether a value leads to nothing but what is stored.
bool Reads::isOnlyStored(Value value, memref::StoreOp store) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == store ||
           (ops.contains(user) && isOnlyStored(user->getResult(0), store));
  });
}

/// Whether no other elements of the tensors are loaded, nor these elsewhere.
bool Reads::areForNothingElse(memref::StoreOp store) {
  bool areOnlyStored = llvm::all_of(loads, [&](Operation *load) {
    return isOnlyStored(load->getResult(0), store);
  });
  if (!areOnlyStored)
    return false;
  WalkResult others = workers.walk([&](LoadOp load) {
    bool isOther = !loads.contains(load) &&
                   tensors.contains(storedTensorOf(load.getElement()));
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !others.wasInterrupted();
}

std::optional<LateReads> LateReads::find(ParallelOp workers, Value array) {
  Reads reads(workers);
  memref::StoreOp store = storeTo(workers, array);
  if (!store || !reads.add(store.getValueToStore()) || reads.tensors.empty() ||
      reads.tensors.contains(Value()) || !reads.areForNothingElse(store))
    return std::nullopt;
  int64_t bytes = reads.numBits() <= 32 ? 4 : 8;
  if (reads.numBits() > 8 * bytes ||
      bytes > bytesOf(store.getMemRefType().getElementType()))
    return std::nullopt;
  return LateReads{reads.tensors, bytes};
}
