//===- KeepSums.cpp - Rows of sums in vector registers --------------------===//
//
// Rewrites loops that only add terms to rows of sums, and to the same rows
// throughout. Such a loop, with what adds to the same rows before and after it,
// is put inside loops over strips of the rows, and carries the sums of one
// strip in vector registers. Strips of which the rows
// fill all lanes need no masks; only the last strip, if it is not filled, does.
//
//===----------------------------------------------------------------------===//

#include "CompleteRows.h"
#include "CopiedLoop.h"
#include "KeptLoop.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Condition.h"
#include "nacho/IR/Operators.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOKEEPSUMS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Strips
//===----------------------------------------------------------------------===//

namespace {
/// Copies a loop so that it works on one strip of its rows, kept in registers.
class StripBuilder {
public:
  StripBuilder(ImplicitLocOpBuilder &b, const KeptLoop &kept,
               const std::optional<CompleteRows> &copy, int64_t lanes,
               Condition isReadable, Condition isReadableBeside)
      : b(b), kept(kept), copy(copy), lanes(lanes), isReadable(isReadable),
        isReadableBeside(isReadableBeside) {}

  /// Emits the loop over strips that the rows fill. Like the next function, it
  /// returns the results of the root loop, or `before` if there is no strip.
  ValueRange buildWhole(Value begin, Value end, ValueRange before);
  /// Emits the loop over strips of which the rows may fill only some lanes.
  ValueRange buildMasked(Value begin, Value end, ValueRange before);

private:
  VectorType vectorOf(Value sums) {
    return VectorType::get(lanes,
                           cast<MemRefType>(sums.getType()).getElementType());
  }
  SmallVector<Value> stripOf(const Row &row) {
    return {row.row, Number(b, row.first) + start};
  }
  Value allLanes();
  Value lanesIf(Condition isReadable);
  void loadStrips();
  void storeStrip(size_t n);
  void storeStrips();
  ValueRange build(Value begin, Value end, ValueRange before, bool isMasked);
  void copyOps(Block &block);
  void copyLoop(CoiterateOp loop);
  void copySums(AccumulateOp op);
  void addTerms(AccumulateOp op);
  Value locate(LocateOp op);

  ImplicitLocOpBuilder &b;
  const KeptLoop &kept;
  const std::optional<CompleteRows> &copy;
  int64_t lanes;
  Condition isReadable; ///< Whether `kept.tensors` have rows that can be read.
  Condition isReadableBeside; ///< Whether `kept.besideTensors` have such rows.
  IRMapping mapping;
  Value start;
  Value mask;     ///< The lanes of sums; null if rows fill all lanes.
  Value readMask; ///< The lanes of elements that are read.
  SmallVector<Value> strips; ///< The sums of the strip, by row.
};
} // namespace

Value StripBuilder::allLanes() {
  auto type = VectorType::get(lanes, b.getI1Type());
  return arith::ConstantOp::create(b, type, b.getOneAttr(type));
}

/// The lanes of elements that are read, if that is possible.
Value StripBuilder::lanesIf(Condition isReadable) {
  if (!mask)
    return allLanes();
  Number none(b, 0, mask.getType());
  return emitSelect(b, isReadable, mask, none);
}

/// The elements of a strip. A row that lies outside of the tensor is reported
/// by the loops around it, and another row may be read in its place.
Value StripBuilder::locate(LocateOp op) {
  SmallVector<Value> at =
      llvm::map_to_vector(op.getCoordinates(), [&](Value value) {
        return mapping.lookupOrDefault(value);
      });
  Value condition;
  if (op.getCondition())
    condition = mapping.lookupOrDefault(op.getCondition());
  auto made = LocateOp::create(b, op.getTensor(), at, condition, readMask);
  made.setChecked(op.getChecked());
  return made;
}

/// strip = strip + terms, in each lane
void StripBuilder::addTerms(AccumulateOp op) {
  Block &body = *op.getBodyBlock();
  mapping.map(op.getNumber(), start);
  // Before the op on lanes come the ops whose results are the same in all
  // lanes, and the loads from rows of tensors.
  SmallVector<Value> vectors = strips, inside;
  SmallVector<Operation *> operators;
  DenseSet<Value> different;
  for (Operation &inner : body.without_terminator()) {
    auto locate = dyn_cast<LocateOp>(inner);
    if (locate && llvm::is_contained(locate.getCoordinates(), op.getNumber())) {
      vectors.push_back(this->locate(locate));
      inside.push_back(locate);
      different.insert(locate);
    } else if (llvm::any_of(inner.getOperands(), [&](Value value) {
                 return different.contains(value);
               })) {
      operators.push_back(&inner);
      different.insert(inner.result_begin(), inner.result_end());
    } else {
      b.clone(inner, mapping);
    }
  }
  auto each = EachLaneOp::create(b, ValueRange(strips).getTypes(), vectors);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types = llvm::map_to_vector(vectors, [](Value value) {
    return cast<VectorType>(value.getType()).getElementType();
  });
  SmallVector<Location> locs(types.size(), b.getLoc());
  Block *block = b.createBlock(&each.getBody(), {}, types, locs);
  SmallVector<Value> sums(block->getArguments().take_front(strips.size()));
  for (auto [value, lane] :
       llvm::zip(inside, block->getArguments().drop_front(strips.size())))
    mapping.map(value, lane);
  for (Operation *inner : operators)
    b.clone(*inner, mapping);
  for (auto [buffer, term] : llvm::zip(op.getSums(), op.getTerms())) {
    Value &sum = sums[kept.rowOf(buffer)];
    sum = op.getMonoid().emit(b, sum, mapping.lookupOrDefault(term));
  }
  YieldOp::create(b, sums);
  strips.assign(each.result_begin(), each.result_end());
}

void StripBuilder::copySums(AccumulateOp op) {
  if (!op.getCondition())
    return addTerms(op);
  auto ifHolds = scf::IfOp::create(b, ValueRange(strips).getTypes(),
                                   mapping.lookupOrDefault(op.getCondition()),
                                   /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifHolds.elseBlock());
  scf::YieldOp::create(b, strips);
  b.setInsertionPointToStart(ifHolds.thenBlock());
  addTerms(op);
  scf::YieldOp::create(b, strips);
  strips.assign(ifHolds.result_begin(), ifHolds.result_end());
}

/// Copies a loop, which then carries the sums as well.
void StripBuilder::copyLoop(CoiterateOp loop) {
  CoiterateOp made = nacho::copyLoop(b, loop, mapping, strips);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBodyBlock());
  strips = llvm::to_vector(made.getCarried().take_back(strips.size()));
  copyOps(*loop.getBodyBlock());
  yieldMore(b, loop, mapping, strips);
  strips.assign(made.result_begin() + loop.getNumResults(), made.result_end());
}

void StripBuilder::copyOps(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto sums = dyn_cast<AccumulateOp>(op)) {
      copySums(sums);
    } else if (kept.around.contains(&op)) {
      copyLoop(cast<CoiterateOp>(op));
    } else {
      // Prefetch from where the strip begins, not from where the row begins.
      auto row = dyn_cast<PrefetchRowOp>(b.clone(op, mapping));
      if (row && kept.readsRowsOf(row.getTensor())) {
        row.getFromMutable().assign(start);
        row.setOnly(lanes);
      }
    }
  }
}

/// The sums before the first step: what the rows have, or are about to get.
void StripBuilder::loadStrips() {
  for (auto [n, row] : llvm::enumerate(kept.rows)) {
    VectorType type = vectorOf(row.sums);
    if (kept.clear) {
      Value first = kept.firstSums[n];
      strips.push_back(vector::BroadcastOp::create(b, type, first));
      continue;
    }
    if (!mask) {
      strips.push_back(vector::LoadOp::create(b, type, row.sums, stripOf(row)));
      continue;
    }
    Number none(b, 0, type);
    strips.push_back(vector::MaskedLoadOp::create(b, type, row.sums,
                                                  stripOf(row), mask, none));
  }
}

void StripBuilder::storeStrip(size_t n) {
  const Row &row = kept.rows[n];
  if (mask)
    vector::MaskedStoreOp::create(b, row.sums, stripOf(row), mask, strips[n]);
  else
    vector::StoreOp::create(b, strips[n], row.sums, stripOf(row));
}

/// Stores the sums where others read them: those of a row that is complete have
/// been copied then, and are not stored if nobody reads them again.
void StripBuilder::storeStrips() {
  bool isMoved = copy && copy->isLastRead();
  for (size_t n = 0; n < strips.size(); ++n)
    if (!isMoved || n != copy->row())
      storeStrip(n);
  if (copy)
    copy->emit(b, mapping, strips[copy->row()], start, mask, [&] {
      if (isMoved)
        storeStrip(copy->row());
    });
}

ValueRange StripBuilder::build(Value begin, Value end, ValueRange before,
                               bool isMasked) {
  CoiterateOp root = kept.root;
  Number width(b, lanes);
  auto loop = scf::ForOp::create(b, begin, end, width, before);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  start = loop.getInductionVar();
  if (isMasked)
    mask = emitMask(b, start, kept.length, lanes);
  Value inLoops = lanesIf(isReadable);
  auto addBeside = [&](ArrayRef<AccumulateOp> ops) {
    if (!ops.empty())
      readMask = lanesIf(isReadableBeside);
    llvm::for_each(ops, [&](AccumulateOp op) { copySums(op); });
  };
  loadStrips();
  addBeside(kept.before);
  readMask = inLoops;
  copyLoop(root);
  addBeside(kept.after);
  storeStrips();
  SmallVector<Value> results;
  for (Value result : root.getResults())
    results.push_back(mapping.lookup(result));
  if (!results.empty())
    scf::YieldOp::create(b, results);
  return loop.getResults();
}

ValueRange StripBuilder::buildWhole(Value begin, Value end, ValueRange before) {
  return build(begin, end, before, /*isMasked=*/false);
}

ValueRange StripBuilder::buildMasked(Value begin, Value end,
                                     ValueRange before) {
  return build(begin, end, before, /*isMasked=*/true);
}

/// The number of sums of each row that so many bits hold.
static int64_t lanesOf(const KeptLoop &kept, unsigned stripBits) {
  unsigned bits = 0;
  for (const Row &row : kept.rows)
    bits = std::max(
        bits, cast<MemRefType>(row.sums.getType()).getElementTypeBitWidth());
  return stripBits / bits;
}

/// for s = 0 to length, while the rows fill a strip:  a strip
/// for the rest, while the rows fill half a strip:    half a strip
/// for the rest, if it takes more than a quarter:     half a strip, masked
/// for the rest, if it does not:                      a quarter, masked
///
/// The threads of a warp, most of which would have nothing to do in half a
/// strip, have a masked strip instead.
static void split(const KeptLoop &kept, int64_t lanes, bool areThreads) {
  CoiterateOp root = kept.root;
  ImplicitLocOpBuilder b(root.getLoc(), root);
  auto filledBy = [&](Value number, int64_t lanes) -> Value {
    return Number(b, number) & -lanes;
  };
  Number zero(b, 0);
  Number one(b, 1);
  Condition inLoops = emitIsReadable(b, kept.tensors.getArrayRef());
  Condition beside = emitIsReadable(b, kept.besideTensors.getArrayRef());
  int64_t fewest = areThreads ? lanes : lanes / 2;
  Value readable =
      emitSelect(b, emitBoth(b, inLoops, beside), kept.length, zero);
  Value strips = filledBy(readable, lanes);
  Value halves = filledBy(readable, fewest);
  // At least one strip, since the root has results even if the rows are empty.
  Value end = maxSigned(Number(b, kept.length), one);
  std::optional<CompleteRows> copy = CompleteRows::match(kept);
  auto builder = [&](int64_t lanes) {
    return StripBuilder(b, kept, copy, lanes, inLoops, beside);
  };
  ValueRange results = root.getInits();
  results = builder(lanes).buildWhole(zero, strips, results);
  if (!areThreads)
    results = builder(fewest).buildWhole(strips, halves, results);
  Value rest = halves;
  if (!areThreads) {
    int64_t shortest = std::max<int64_t>(fewest / 2, 2);
    Value isShort =
        (Number(b, end) - halves)
            .compare(arith::CmpIPredicate::sle, Number(b, shortest));
    rest = emitSelect(b, isShort, halves, end);
    results = builder(fewest).buildMasked(halves, rest, results);
    fewest = shortest;
  }
  results = builder(fewest).buildMasked(rest, end, results);
  root.replaceAllUsesWith(results);
  root.erase();
  for (AccumulateOp op :
       llvm::concat<const AccumulateOp>(kept.before, kept.after))
    op.erase();
  if (copy)
    copy->erase();
  if (kept.clear)
    scf::ForOp(kept.clear).erase();
}

namespace {
struct KeepSums : nacho::impl::NachoKeepSumsBase<KeepSums> {
  using NachoKeepSumsBase::NachoKeepSumsBase;

  void runOnOperation() override {
    // Even half a strip must have at least two lanes of the widest elements.
    if (stripBits < 256) {
      getOperation().emitError() << "strips of " << Twine(stripBits.getValue())
                                 << " bits are too short: 256 at least";
      return signalPassFailure();
    }
    SmallVector<CoiterateOp> roots;
    getOperation().walk<WalkOrder::PreOrder>([&](CoiterateOp loop) {
      if (!KeptLoop::match(loop))
        return WalkResult::advance();
      roots.push_back(loop);
      return WalkResult::skip();
    });
    // What is between two loops is kept by the first of them.
    for (CoiterateOp root : roots) {
      KeptLoop kept = *KeptLoop::match(root);
      split(kept, threads ? int64_t(threads) : lanesOf(kept, stripBits),
            threads > 0);
    }
  }
};
} // namespace
