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
bool LateValues::addLoad(memref::LoadOp load, ArrayRef<ElementsOfArray> read) {
  const auto *elements = llvm::find_if(
      read, [&](const auto &each) { return each.array == load.getMemRef(); });
  if (elements == read.end() || load.getMemRefType().getRank() != 1)
    return false;
  Value position = load.getIndices()[0];
  auto select = position.getDefiningOp<arith::SelectOp>();
  bool isOptional = select && matchPattern(select.getFalseValue(), m_Zero()) &&
                    add(select.getCondition(), read);
  if (isOptional) {
    position = select.getTrueValue();
    ops.insert(select);
  }
  if (isKnownOutside(position))
    return false;
  bool isNew = llvm::none_of(sources, [&](const Source &source) {
    return source.position == position &&
           source.rows.from == elements->rows.from;
  });
  if (isNew)
    sources.push_back({position, elements->rows});
  loads.push_back(load);
  ops.insert(load);
  return true;
}

/// Adds what a value is computed of. Returns whether that can be done later.
bool LateValues::add(Value value, ArrayRef<ElementsOfArray> read) {
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
    return addLoad(load, read);
  bool isPure = op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                llvm::all_of(op->getOperands(),
                             [&](Value operand) { return add(operand, read); });
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

/// Whether parts wait for each other after an operation.
static bool waitsAfter(ParallelOp workers, Operation *op) {
  Operation *code = workers.getBodyBlock()->findAncestorOpInBlock(*op);
  return llvm::any_of(*workers.getBodyBlock(), [&](Operation &other) {
    return isa<TileSyncOp, TileScanOp>(other) && code->isBeforeInBlock(&other);
  });
}

std::optional<LateValues> LateValues::find(ParallelOp workers, Value array,
                                           ArrayRef<ElementsOfArray> read) {
  std::optional<ArrayAccesses> written = findAccesses(workers, array);
  if (!written || !written->loads.empty() || written->stores.size() != 1)
    return std::nullopt;
  auto store = dyn_cast<memref::StoreOp>(written->stores.front()->getOwner());
  bool isKept = array.getDefiningOp<TileMemoryOp>();
  if (!store || store.getMemRefType().getRank() != 1 ||
      (!isKept && waitsAfter(workers, store)))
    return std::nullopt;
  LateValues found(workers, store);
  if (!found.add(store.getValueToStore(), read) || found.loads.empty() ||
      !found.readsForNothingElse())
    return std::nullopt;
  size_t needed = found.flagBit(found.flags.size());
  size_t bits = needed <= 32 ? 32 : 64;
  if (needed > bits ||
      bits > 8 * size_t(bytesOf(store.getMemRefType().getElementType())))
    return std::nullopt;
  found.word = IntegerType::get(workers.getContext(), bits);
  found.noteKnown();
  return found;
}

SmallVector<Value> LateValues::arrays() const {
  return llvm::map_to_vector(
      loads, [](memref::LoadOp load) { return load.getMemRef(); });
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Number LateValues::haveRoom(ImplicitLocOpBuilder &b) const {
  Number all = Number::flag(b, true);
  for (const Source &source : sources) {
    Number isShort = Number(b, source.rows.size) <= int64_t(1) << kBits;
    all = all & isShort;
  }
  return all;
}

/// Whatever a position is, a word has one of the tile.
Number LateValues::emitWord(ImplicitLocOpBuilder &b,
                            const IRMapping &copies) const {
  Number all(b, 0, word);
  for (auto [n, source] : llvm::enumerate(sources)) {
    Number position(b, copies.lookupOrDefault(source.position));
    Number offset = position - source.rows.from;
    Number last = Number(b, source.rows.size) - 1;
    Number moved = min(offset, last).as(word) << int64_t(kBits * n);
    all = all | moved;
  }
  for (auto [n, flag] : llvm::enumerate(flags)) {
    Number isSet(b, copies.lookupOrDefault(flag));
    Number moved = isSet.as(word) << int64_t(flagBit(n));
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

void LateValues::writeWord(memref::StoreOp copy, const IRMapping &copies,
                           Value words) const {
  ImplicitLocOpBuilder b(copy.getLoc(), copy);
  memref::StoreOp::create(b, emitWord(b, copies), words, copy.getIndices());
  copy.erase();
}

/// at = index - from
/// if at < size: words[at] = word
void LateValues::writeWords(const IRMapping &copies, Value words,
                            const RowsOfTile &rows) const {
  auto copy = cast<memref::StoreOp>(copies.lookup(getStore()));
  ImplicitLocOpBuilder b(copy.getLoc(), copy);
  Value at = Number(b, copy.getIndices()[0]) - rows.from;
  copy.getIndicesMutable()[0].assign(at);
  auto ifInside =
      scf::IfOp::create(b, Number(b, at) < rows.size, /*withElse=*/false);
  copy->moveBefore(ifInside.thenBlock(), ifInside.thenBlock()->begin());
  writeWord(copy, copies, words);
}

Value LateValues::compute(ImplicitLocOpBuilder &b, Number written) const {
  IRMapping mapping;
  SmallVector<Value> positions, isSet;
  for (auto [n, source] : llvm::enumerate(sources)) {
    Number bits = written >> int64_t(kBits * n);
    Number offset = bits & (int64_t(1) << kBits) - 1;
    positions.push_back(offset.asIndex() + source.rows.from);
  }
  for (size_t n = 0; n < flags.size(); ++n) {
    Number bit = written & int64_t(1) << flagBit(n);
    bool isSign = flagBit(n) + 1 == word.getIntOrFloatBitWidth();
    isSet.push_back(isSign ? written.compare(arith::CmpIPredicate::slt, 0)
                           : bit != 0);
  }
  for (const Known &each : known)
    mapping.map(each.op->getOperand(each.operand),
                each.isFlag ? isSet[each.number] : positions[each.number]);
  // A word has a position of the tile even if there is no element.
  for (Operation *op : ops) {
    Operation *copy = b.clone(*op, mapping);
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      Value row = wantedRow(load, load.getIndices()[0]);
      copy->setOperand(1, mapping.lookupOrDefault(row));
    }
  }
  return mapping.lookupOrDefault(stored);
}
