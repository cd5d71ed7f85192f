//===- KeepSums.cpp - Rows of sums stay in registers ----------------------===//
//
// Rewrites loops that only add terms to rows of sums, and to the same rows
// throughout. Such a loop is put inside a loop over strips of the rows, and
// carries the sums of one strip in vector registers.
//
//===----------------------------------------------------------------------===//

#include "KeptLoop.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Operators.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
  StripBuilder(ImplicitLocOpBuilder &b, const KeptLoop &kept, int64_t lanes)
      : b(b), kept(kept), lanes(lanes) {}

  /// Emits the loop over the strips; returns the results of the root loop.
  ValueRange build();

private:
  VectorType vectorOf(Value sums) {
    return VectorType::get(lanes,
                           cast<MemRefType>(sums.getType()).getElementType());
  }
  SmallVector<Value> stripOf(const Row &row) {
    return {row.row, arith::AddIOp::create(b, row.first, start)};
  }
  void copyOps(Block &block);
  void copyLoop(CoiterateOp loop);
  void copySums(AccumulateOp op);
  void addTerms(AccumulateOp op);

  ImplicitLocOpBuilder &b;
  const KeptLoop &kept;
  int64_t lanes;
  IRMapping mapping;
  Value start, mask;
  SmallVector<Value> strips; ///< By row: the sums of the strip.
};
} // namespace

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
      SmallVector<Value> at =
          llvm::map_to_vector(locate.getCoordinates(), [&](Value value) {
            return mapping.lookupOrDefault(value);
          });
      Value condition;
      if (locate.getCondition())
        condition = mapping.lookupOrDefault(locate.getCondition());
      vectors.push_back(
          LocateOp::create(b, locate.getTensor(), at, condition, mask));
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
    sum = BinaryOp::createCommutative(b, op.getKind(), sum,
                                      mapping.lookupOrDefault(term));
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
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  auto mappedOrNull = [&](Value value) {
    return value ? mapping.lookupOrDefault(value) : Value();
  };
  SmallVector<Value> inits = mapped(loop.getInits());
  llvm::append_range(inits, strips);
  auto made = CoiterateOp::create(
      b, mapped(loop.getFibers()), mapped(loop.getGuards()),
      mappedOrNull(loop.getExtent()), loop.getMerge(), loop.getIndexNameAttr(),
      mappedOrNull(loop.getLower()), mappedOrNull(loop.getUpper()), inits);
  made.setNonempty(loop.getNonempty());
  for (auto [old, now] : llvm::zip(loop.getBodyBlock()->getArguments(),
                                   made.getBodyBlock()->getArguments())) {
    mapping.map(old, now);
    now.setLoc(old.getLoc());
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBodyBlock());
  strips = llvm::to_vector(made.getCarried().take_back(strips.size()));
  copyOps(*loop.getBodyBlock());
  SmallVector<Value> yielded =
      mapped(loop.getBodyBlock()->getTerminator()->getOperands());
  llvm::append_range(yielded, strips);
  YieldOp::create(b, yielded);
  size_t count = loop.getNumResults();
  mapping.map(loop.getResults(), made.getResults().take_front(count));
  strips.assign(made.result_begin() + count, made.result_end());
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
      if (row && kept.readsRowsOf(row.getTensor()))
        row.getFromMutable().assign(start);
    }
  }
}

ValueRange StripBuilder::build() {
  CoiterateOp root = kept.root;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value width = arith::ConstantIndexOp::create(b, lanes);
  // At least one strip, since the root has results even if the rows are empty.
  Value end = arith::MaxSIOp::create(b, kept.length, one);
  auto loop = scf::ForOp::create(b, zero, end, width, root.getInits());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  start = loop.getInductionVar();
  mask = emitMask(b, start, kept.length, lanes);
  for (const Row &row : kept.rows)
    strips.push_back(
        vector::MaskedLoadOp::create(
            b, vectorOf(row.sums), row.sums, stripOf(row), mask,
            arith::ConstantOp::create(b, b.getZeroAttr(vectorOf(row.sums))))
            .getResult());
  copyLoop(root);
  for (auto [row, strip] : llvm::zip(kept.rows, strips))
    vector::MaskedStoreOp::create(b, row.sums, stripOf(row), mask, strip);
  SmallVector<Value> results;
  for (Value result : root.getResults())
    results.push_back(mapping.lookup(result));
  if (!results.empty())
    scf::YieldOp::create(b, results);
  return loop.getResults();
}

/// length <= half a strip ? strips of half the size : strips
static void split(const KeptLoop &kept, unsigned stripBits) {
  unsigned bits = 0;
  for (const Row &row : kept.rows)
    bits = std::max(
        bits, cast<MemRefType>(row.sums.getType()).getElementTypeBitWidth());
  int64_t lanes = stripBits / bits;
  CoiterateOp root = kept.root;
  ImplicitLocOpBuilder b(root.getLoc(), root);
  Value half = arith::ConstantIndexOp::create(b, lanes / 2);
  Value isShort =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ule, kept.length, half);
  auto branch =
      scf::IfOp::create(b, root.getResultTypes(), isShort, true, true);
  auto fill = [&](Block *block, int64_t lanes) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    scf::YieldOp::create(b, StripBuilder(b, kept, lanes).build());
  };
  fill(branch.thenBlock(), lanes / 2);
  fill(branch.elseBlock(), lanes);
  root.replaceAllUsesWith(branch.getResults());
  root.erase();
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
    SmallVector<KeptLoop> found;
    getOperation().walk<WalkOrder::PreOrder>([&](CoiterateOp loop) {
      std::optional<KeptLoop> kept = KeptLoop::match(loop);
      if (!kept)
        return WalkResult::advance();
      found.push_back(std::move(*kept));
      return WalkResult::skip();
    });
    for (const KeptLoop &kept : found)
      split(kept, stripBits);
  }
};
} // namespace
