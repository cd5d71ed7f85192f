//===- LoopBlocks.cpp - Intersections by vector registers -----------------===//
//
// Intersections that take blocks of as many coordinates as a vector register
// holds. Each step compares all coordinates of one block with all of the other,
// and then leaves behind the block that ends first.
//
//===----------------------------------------------------------------------===//

#include "CoordinateBlock.h"
#include "LoopShape.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// if any matches:
///   theirs = which of the next coordinates of B are among those of A
///   while matches and theirs: body at the lowest bits; clear the lowest bits
static Values visitMatches(Coiteration &loop, Value matches,
                           ArrayRef<CoordinateBlock> blocks, ValueRange carried,
                           unsigned lanes) {
  ImplicitLocOpBuilder &b = loop.b;
  Type i64 = b.getI64Type();
  Number none(b, 0, i64);
  Number one(b, 1, i64);
  auto differs = [&](Value bits) { return Number(b, bits) != none; };
  auto ifAny = scf::IfOp::create(b, carried.getTypes(), differs(matches),
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (Block *block : {ifAny.thenBlock(), ifAny.elseBlock()})
    if (!block->empty())
      block->back().erase();
  b.setInsertionPointToEnd(ifAny.elseBlock());
  scf::YieldOp::create(b, carried);
  b.setInsertionPointToEnd(ifAny.thenBlock());
  Values inits = {matches, emitMatches(b, blocks[1], blocks[0], lanes)};
  llvm::append_range(inits, carried);
  auto hasMore = [&](ValueRange values) -> Value {
    Number hasFirst = differs(values[0]);
    return hasFirst & differs(values[1]);
  };
  auto visit = [&](ValueRange values) {
    SmallVector<FiberValue> children = loop.children();
    Values next;
    for (auto [k, n] : llvm::enumerate(loop.stored)) {
      Number bits(b, values[k]);
      Value lane =
          Number(b, math::CountTrailingZerosOp::create(b, i64, bits)).asIndex();
      children[n].position = Number(b, blocks[k].position) + lane;
      next.push_back(bits & (bits - one));
    }
    unsigned first = loop.stored.front();
    Value coordinate =
        loop.ranges[first].level->coordinate(b, children[first].position);
    llvm::append_range(next, loop.emitBody(coordinate, std::move(children),
                                           values.drop_front(2)));
    return next;
  };
  Values results = emitWhile(b, inits, hasMore, visit);
  scf::YieldOp::create(b, ArrayRef(results).drop_front(2));
  return Values(ifAny.getResults());
}

/// Whether nothing but the number of matches of a loop is asked for.
static bool onlyCountsMatches(const Coiteration &loop) {
  return loop.isCount &&
         CoiterateOp(loop.op).getMerge() == intersectStored(loop);
}

/// while posA < endA and posB < endB:
///   matches = which of the next coordinates of A are among the next of B
///   body for each; the operand whose block ends first moves on, or both
static Values emitBlocks(Coiteration &loop) {
  ImplicitLocOpBuilder &b = loop.b;
  unsigned lanes = lanesOf(loop);
  bool onlyCounts = onlyCountsMatches(loop);
  auto step = [&](ValueRange state) {
    SmallVector<CoordinateBlock> blocks;
    Values next, last;
    for (auto [n, position] : llvm::zip(loop.stored, state)) {
      const ChildRange &range = loop.ranges[n];
      blocks.push_back({range.level.get(), position, range.end});
      next.push_back(Number(b, position) + lanes);
      Number end = min(Number(b, next.back()), range.end);
      last.push_back(range.level->coordinate(b, end - 1));
    }
    Value matches = emitMatches(b, blocks[0], blocks[1], lanes);
    ValueRange carried = state.drop_front(2);
    Values results = onlyCounts
                         ? Values{addMatches(b, matches, carried.front())}
                         : visitMatches(loop, matches, blocks, carried, lanes);
    Values yielded;
    for (unsigned k : {0, 1}) {
      Number isBehind = Number(b, last[k]) <= last[1 - k];
      yielded.push_back(select(isBehind, next[k], state[k]));
    }
    llvm::append_range(yielded, results);
    return yielded;
  };
  return emitWhileBelow(b, loop.inits(), loop.ends(), step);
}

static bool intersectsTwo(const Coiteration &loop) {
  return loop.stored.size() == 2 && lanesOf(loop) > 0 &&
         loop.domain == intersectStored(loop);
}

/// Whether a loop counts the matches of fibers below stored coordinates. Each
/// of these fibers has an entry, and in very sparse tensors most have no other.
static bool countsShortFibers(const Coiteration &loop) {
  return onlyCountsMatches(loop) && !hasWindows(loop) &&
         llvm::none_of(loop.stored, [&](unsigned n) {
           const FiberValue &fiber = loop.fibers[n];
           return fiber.level == 0 ||
                  isFullLevel(cast<RankedTensorType>(fiber.tensor.getType()),
                              fiber.level - 1);
         });
}

/// Of fibers with one coordinate each, no blocks are loaded:
///   if |A| == 1 and |B| == 1: count + (crd[posA] == crd[posB])
///   else:                     count matches in blocks
static Values countInBlocks(Coiteration &loop) {
  ImplicitLocOpBuilder &b = loop.b;
  Values inits = loop.inits(), coordinates, results(inits);
  Number isSingle = Number::flag(b, true);
  for (auto [n, position] : llvm::zip(loop.stored, inits)) {
    const ChildRange &range = loop.ranges[n];
    isSingle = isSingle & (Number(b, range.end) - position == 1);
  }
  auto branch = scf::IfOp::create(b, inits.back().getType(), isSingle,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  for (auto [n, position] : llvm::zip(loop.stored, inits))
    coordinates.push_back(loop.ranges[n].level->coordinate(b, position));
  Number isSame = Number(b, coordinates[0]) == coordinates[1];
  Value count = Number(b, inits.back()) + isSame.asIndex();
  scf::YieldOp::create(b, count);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, emitBlocks(loop).back());
  results.back() = branch.getResult(0);
  return results;
}

static Values emitBlocksInWindows(Coiteration &loop) {
  return countsShortFibers(loop) ? countInBlocks(loop)
                                 : emitInWindows(loop, emitBlocks);
}

const LoopShape nacho::kBlocks = {intersectsTwo, emitBlocksInWindows};
