//===- TileChain.cpp - Sums that the tiles of a launch pass on ------------===//
//
// Words are accessed atomically, which orders nothing else: a fence lies
// between a sum and the state that says that it is there.
//
//===----------------------------------------------------------------------===//

#include "TileChain.h"

#include "HostSide.h"
#include "WarpOps.h"
#include "nacho/IR/Nacho.h"
#include "nacho/IR/WhileLoop.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;
using arith::AtomicRMWKind;

/// The first words: how many tiles are taken, and how many finished.
static constexpr int64_t kTaken = 0, kFinished = 1, kFirstTile = 2;
/// The states of a tile after the first, in which nothing is known of it.
static constexpr int64_t kOwnSum = 1, kWholeSum = 2;

TileChain::TileChain(ImplicitLocOpBuilder &b, Value tiles, ValueRange none,
                     Combine combine)
    : b(b), tiles(tiles), none(none), combine(std::move(combine)) {
  numWords = wordsOf(tiles);
  Value numBytes = Number(b, numWords) * 8;
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  auto alloc = gpu::AllocOp::create(b, type, Type(), ValueRange(), numBytes,
                                    ValueRange());
  alloc->setAttr(kZerosAttr, b.getUnitAttr());
  bytes = alloc.getMemref();
  words = memref::ViewOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, b.getI64Type()), bytes,
      Number(b, 0), numWords);
}

void TileChain::release() {
  auto dealloc = gpu::DeallocOp::create(b, Type(), ValueRange(), bytes);
  dealloc->setAttr(kZerosAttr, b.getUnitAttr());
}

/// Returns the place of the words of a tile, or, after the last tile, their
/// number.
Value TileChain::wordsOf(Value tile) {
  return Number(b, tile) * int64_t(1 + 2 * none.size()) + kFirstTile;
}

/// Updates a word, and returns what it was.
Value TileChain::update(AtomicRMWKind kind, int64_t value, Value at) {
  Value word = Number(b, value, b.getI64Type());
  return memref::AtomicRMWOp::create(b, kind, word, words, at);
}

/// The first lane does `body`, and all have the word that it returns.
static Value emitOnce(ImplicitLocOpBuilder &b, const Lanes &lanes,
                      llvm::function_ref<Value()> body) {
  auto once = scf::IfOp::create(b, b.getI64Type(), lanes.isFirst(b),
                                /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(once.thenBlock());
  scf::YieldOp::create(b, body());
  b.setInsertionPointToStart(once.elseBlock());
  scf::YieldOp::create(b, Value(Number(b, 0, b.getI64Type())));
  b.setInsertionPointAfter(once);
  return lanes.from(b, once.getResult(0), Number(b, 0)).front();
}

static void emitIf(ImplicitLocOpBuilder &b, Value condition,
                   llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value TileChain::take(const Lanes &lanes) {
  Value taken = emitOnce(b, lanes, [&] {
    return update(AtomicRMWKind::addi, 1, Number(b, kTaken));
  });
  return Number(b, taken).asIndex();
}

/// Stores a sum of a tile, and then the state in which the tile is.
void TileChain::tell(Value tile, int64_t state, ValueRange sum) {
  Number at(b, wordsOf(tile));
  int64_t first = state == kOwnSum ? 1 : 1 + int64_t(none.size());
  for (auto [n, value] : llvm::enumerate(sum)) {
    Value word = Number(b, value).as(b.getI64Type());
    memref::AtomicRMWOp::create(b, AtomicRMWKind::assign, word, words,
                                ValueRange{at + (first + int64_t(n))});
  }
  emitFence(b, b.getLoc());
  update(AtomicRMWKind::assign, state, at);
}

/// do state = that of the tile of this lane; while a lane has none
Value TileChain::waitFor(Value tile) {
  Value at = wordsOf(tile), state;
  auto loop = scf::WhileOp::create(b, b.getI64Type(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  state = update(AtomicRMWKind::ori, 0, at);
  Value isUnknown = Number(b, state) == 0;
  Value unknown = BallotOp::create(b, b.getI32Type(), isUnknown);
  scf::ConditionOp::create(b, Number(b, unknown) != 0, state);
  b.createBlock(&loop.getAfter(), {}, b.getI64Type(), b.getLoc());
  scf::YieldOp::create(b);
  return loop.getResult(0);
}

/// Loads the sum that a state promises.
TileChain::Values TileChain::sumOf(Value tile, Value state) {
  auto columns = int64_t(none.size());
  Number isWhole = Number(b, state) == kWholeSum;
  Number first = Number(b, wordsOf(tile)) + 1;
  Number skipped = select(isWhole, Number(b, columns), 0);
  first = first + skipped;
  Values sum;
  for (int64_t n = 0; n < columns; ++n) {
    Number word(b, update(AtomicRMWKind::ori, 0, first + n));
    sum.push_back(word.as(none[n].getType()));
  }
  return sum;
}

/// One step back. The state has the first tile that is added up already, and
/// the sum of those from there on. The lanes look at one tile each, the last
/// one at the nearest. What lies before the nearest whole sum is in that sum.
TileChain::Values TileChain::lookBack(const Lanes &lanes, ValueRange state) {
  Number at(b, state.front()), count(b, lanes.count());
  Number lane(b, lanes.lane());
  Number shifted = at + lane;
  Number isThere = shifted >= count;
  Value tile = select(isThere, shifted - count, 0);
  Value known = waitFor(tile);
  emitFence(b, b.getLoc());
  Number isWhole = Number(b, known) == kWholeSum;
  Value ends = isThere & isWhole;
  Number whole(b, BallotOp::create(b, b.getI64Type(), ends));
  Value after = (lane + 1).as(b.getI64Type());
  Number isNear = (whole >> after) == 0;
  Value isUsed = isNear & isThere;
  Values sum;
  for (auto [value, nothing] : llvm::zip(sumOf(tile, known), none))
    sum.push_back(select(Number(b, isUsed), value, nothing));
  Values all = lanes.from(b, lanes.scan(b, sum, combine), count - 1);
  Number isLast = at <= count;
  Number hasWhole = whole != 0;
  Number isDone = isLast | hasWhole;
  Values next = {select(isDone, Number(b, 0), at - count)};
  llvm::append_range(next, combine(all, state.drop_front()));
  return next;
}

/// tell the sum
/// at = tile; before = none
/// while at > 0: look back
/// tell the sum up to here
TileChain::Values TileChain::passOn(const Lanes &lanes, Value tile,
                                    ValueRange sum) {
  emitIf(b, lanes.isFirst(b), [&] { tell(tile, kOwnSum, sum); });
  Values inits = {tile};
  llvm::append_range(inits, none);
  Values left = emitWhile(
      b, inits,
      [&](ValueRange state) -> Value { return Number(b, state.front()) != 0; },
      [&](ValueRange state) { return lookBack(lanes, state); });
  Values before(llvm::drop_begin(left));
  Values whole = combine(before, sum);
  emitIf(b, lanes.isFirst(b), [&] { tell(tile, kWholeSum, whole); });
  return before;
}

void TileChain::finish(const Lanes &lanes, llvm::function_ref<void()> rest) {
  LaneSyncOp::create(b);
  Number finished(b, emitOnce(b, lanes, [&] {
                    emitFence(b, b.getLoc());
                    Value before =
                        update(AtomicRMWKind::addi, 1, Number(b, kFinished));
                    emitFence(b, b.getLoc());
                    return before;
                  }));
  Value isLast = finished.asIndex() + 1 == tiles;
  emitIf(b, isLast, [&] {
    auto clear =
        scf::ForOp::create(b, lanes.lane(), numWords, Number(b, lanes.count()));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(clear.getBody());
    update(AtomicRMWKind::assign, 0, clear.getInductionVar());
    b.setInsertionPointAfter(clear);
    emitIf(b, lanes.isFirst(b), rest);
  });
}
