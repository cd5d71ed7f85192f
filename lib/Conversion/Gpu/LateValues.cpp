//===- LateValues.cpp - Values that a block computes last -----------------===//
//
// Where sparse operands are added up, what a part has to do in its order is to
// find which entries the result has. Of their values, each is read once: it
// needs no window, which would take the room of other blocks.
//
//   before:                              after:
//     value = f(a[p], b[q])                words[n] = p, q
//     values[n] = value                    barrier
//                                          for n in the window, by threads:
//                                            p, q = words[n]
//                                            values[n] = f(a[p], b[q])
//
//===----------------------------------------------------------------------===//

#include "LateValues.h"

#include "WindowAccesses.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

/// The bits that a position takes in a word.
static constexpr size_t kBits = 15;

//===----------------------------------------------------------------------===//
// What an element is computed of
//===----------------------------------------------------------------------===//

/// Whether a value is the same for all parts: it is computed neither by these
/// nor by the threads that do them.
bool LateValues::isKnownOutside(Value value) const {
  Operation *parent = value.getParentRegion()->getParentOp();
  return !workers->isAncestor(parent) && !isa<gpu::LaunchOp>(parent) &&
         !parent->getParentOfType<gpu::LaunchOp>();
}

/// Adds an element that is read, at a position, or at 0 if a flag is not set.
bool LateValues::addLoad(memref::LoadOp load,
                         ArrayRef<ElementsOfArray> windows) {
  const auto *window = llvm::find_if(windows, [&](const auto &each) {
    return each.array == load.getMemRef();
  });
  if (window == windows.end() || load.getMemRefType().getRank() != 1)
    return false;
  Value position = load.getIndices()[0];
  auto select = position.getDefiningOp<arith::SelectOp>();
  bool isOptional = select && matchPattern(select.getFalseValue(), m_Zero()) &&
                    add(select.getCondition(), windows);
  if (isOptional) {
    position = select.getTrueValue();
    ops.insert(select);
  }
  alwaysReads |= !isOptional;
  if (isKnownOutside(position))
    return false;
  bool isNew = llvm::none_of(sources, [&](const Source &source) {
    return source.position == position && source.from == window->from;
  });
  if (isNew)
    sources.push_back({position, window->from});
  loads.push_back(load);
  ops.insert(load);
  return true;
}

/// Adds what a value is computed of. Returns whether that can be done later.
bool LateValues::add(Value value, ArrayRef<ElementsOfArray> windows) {
  Operation *op = value.getDefiningOp();
  if (isKnownOutside(value) || ops.contains(op))
    return true;
  bool isConstant = op && op->hasTrait<OpTrait::ConstantLike>();
  if (value.getType().isInteger(1) && !isConstant) {
    if (!llvm::is_contained(flags, value))
      flags.push_back(value);
    return true;
  }
  if (auto load = dyn_cast_or_null<memref::LoadOp>(op))
    return addLoad(load, windows);
  bool isPure = op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                llvm::all_of(op->getOperands(), [&](Value operand) {
                  return add(operand, windows);
                });
  if (isPure)
    ops.insert(op);
  return isPure;
}

/// Whether a value leads to nothing but what is stored.
bool LateValues::isOnlyStored(Value value) const {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == store ||
           (ops.contains(user) && isOnlyStored(user->getResult(0)));
  });
}

/// Whether no other elements of the arrays are read, nor these elsewhere.
bool LateValues::readsForNothingElse() const {
  return llvm::all_of(loads, [&](memref::LoadOp load) {
    std::optional<ArrayAccesses> all = findAccesses(workers, load.getMemRef());
    auto isKnown = [&](OpOperand *other) {
      return ops.contains(other->getOwner());
    };
    return all && all->stores.empty() && llvm::all_of(all->loads, isKnown) &&
           isOnlyStored(load);
  });
}

size_t LateValues::flagBit(size_t n) const {
  return kBits * sources.size() + n;
}

size_t LateValues::numBits() const {
  return flagBit(flags.size()) + (alwaysReads ? 1 : 0);
}

std::optional<LateValues> LateValues::find(ParallelOp workers, Value array,
                                           ArrayRef<ElementsOfArray> windows) {
  std::optional<ArrayAccesses> written = findAccesses(workers, array);
  if (!written || !written->loads.empty() || written->stores.size() != 1)
    return std::nullopt;
  auto store = dyn_cast<memref::StoreOp>(written->stores.front()->getOwner());
  if (!store || store.getMemRefType().getRank() != 1)
    return std::nullopt;
  LateValues found(workers, store);
  if (!found.add(store.getValueToStore(), windows) || found.loads.empty() ||
      !found.readsForNothingElse())
    return std::nullopt;
  size_t bits = found.numBits() <= 32 ? 32 : 64;
  if (found.numBits() > bits ||
      bits > 8 * size_t(bytesOf(store.getMemRefType().getElementType())))
    return std::nullopt;
  found.word = IntegerType::get(workers.getContext(), bits);
  return found;
}

SmallVector<Value> LateValues::arrays() const {
  return llvm::map_to_vector(
      loads, [](memref::LoadOp load) { return load.getMemRef(); });
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Number LateValues::emitWord(ImplicitLocOpBuilder &b) const {
  Number all(b, alwaysReads ? int64_t(1) << flagBit(flags.size()) : 0, word);
  for (auto [n, source] : llvm::enumerate(sources)) {
    Number offset = Number(b, source.position) - source.from;
    Number moved = offset.as(word) << int64_t(kBits * n);
    all = all | moved;
  }
  for (auto [n, flag] : llvm::enumerate(flags)) {
    Number moved = Number(b, flag).as(word) << int64_t(flagBit(n));
    all = all | moved;
  }
  return all;
}

/// Notes which operands are positions and flags.
void LateValues::noteKnown() {
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      auto isHere = [&](const Source &source) {
        auto load = dyn_cast<memref::LoadOp>(op);
        return source.position == operand.get() &&
               (isa<arith::SelectOp>(op) || load);
      };
      if (const auto *flag = llvm::find(flags, operand.get());
          flag != flags.end())
        known.push_back({op, operand.getOperandNumber(), /*isFlag=*/true,
                         size_t(flag - flags.begin())});
      else if (const auto *source = llvm::find_if(sources, isHere);
               source != sources.end())
        known.push_back({op, operand.getOperandNumber(), /*isFlag=*/false,
                         size_t(source - sources.begin())});
    }
}

void LateValues::writeWords(Value words, Value from, Value size) {
  ImplicitLocOpBuilder b(store.getLoc(), store);
  Number at = Number(b, store.getIndices()[0]) - from;
  Number isInside = at < size, offsets(b, 0);
  for (const Source &source : sources) {
    Number offset = Number(b, source.position) - source.from;
    offsets = offsets | offset;
  }
  Number areNear = offsets < int64_t(1) << kBits;
  Value fits = isInside & areNear;
  auto either = scf::IfOp::create(b, fits, /*withElse=*/true);
  b.setInsertionPointToStart(either.thenBlock());
  memref::StoreOp::create(b, emitWord(b), words, at);
  // Parts that compute an element themselves do so where they store it.
  b.setInsertionPointToStart(either.elseBlock());
  IRMapping copies;
  llvm::SetVector<Operation *> moved;
  for (Operation *op : ops)
    moved.insert(b.clone(*op, copies));
  store->moveBefore(either.elseBlock(), b.getInsertionPoint());
  store->setOperand(0, copies.lookupOrDefault(store.getValueToStore()));
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  ops = std::move(moved);
  noteKnown();
}

Value LateValues::compute(ImplicitLocOpBuilder &b, Number written) const {
  Number zero(b, 0), isWritten = written != 0;
  IRMapping mapping;
  SmallVector<Value> positions, isSet;
  for (auto [n, source] : llvm::enumerate(sources)) {
    Number bits = written >> int64_t(kBits * n);
    Number offset = bits & (int64_t(1) << kBits) - 1;
    Number position = offset.asIndex() + source.from;
    positions.push_back(alwaysReads ? select(isWritten, position, zero)
                                    : Value(position));
  }
  for (size_t n = 0; n < flags.size(); ++n) {
    Number bit = written & int64_t(1) << flagBit(n);
    isSet.push_back(bit != 0);
  }
  for (const Known &each : known)
    mapping.map(each.op->getOperand(each.operand),
                each.isFlag ? isSet[each.number] : positions[each.number]);
  for (Operation *op : ops)
    b.clone(*op, mapping);
  return mapping.lookupOrDefault(store->getOperand(0));
}
