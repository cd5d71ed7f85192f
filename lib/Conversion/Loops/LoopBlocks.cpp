//===- LoopBlocks.cpp - Intersections by vector registers -----------------===//
//
// Intersections that take blocks of as many coordinates as a vector register
// holds. Each step compares all coordinates of one block with all of the other,
// and then leaves behind the block that ends first.
//
//===----------------------------------------------------------------------===//

#include "LoopLowering.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nacho;

namespace {
/// The coordinates of a block, and the mask of the lanes that have one.
struct Lanes {
  Value values, valid;
};
} // namespace

/// Lanes without a coordinate have an arbitrary value, which may happen to be a
/// coordinate of the other block.
static Lanes load(ImplicitLocOpBuilder &b, const CoordinateBlock &block,
                  unsigned lanes) {
  Value valid = emitMask(b, block.position, block.end, lanes);
  return {block.level->coordinateVector(b, block.position, valid, lanes),
          valid};
}

static Value toBits(ImplicitLocOpBuilder &b, Value flags, unsigned lanes) {
  Type word = b.getIntegerType(lanes);
  Value bits = vector::BitCastOp::create(b, VectorType::get(1, word), flags);
  bits = vector::ExtractOp::create(b, bits, ArrayRef<int64_t>{0});
  return Number(b, bits).as(b.getI64Type());
}

/// matches = or over r of (values == other rotated by r)
Value nacho::emitMatches(ImplicitLocOpBuilder &b, const CoordinateBlock &block,
                         const CoordinateBlock &other, unsigned lanes) {
  Lanes mine = load(b, block, lanes), theirs = load(b, other, lanes);
  // Lanes of the other block without a coordinate must not cause a match. They
  // get the block's first coordinate, which is compared anyway.
  auto type = cast<VectorType>(theirs.values.getType());
  Value first = other.level->coordinateVector(b, other.position, kAlways, 1);
  first = vector::ExtractOp::create(b, first, ArrayRef<int64_t>{0});
  Value values = select(Number(b, theirs.valid), theirs.values,
                        vector::BroadcastOp::create(b, type, first));
  Value matches;
  for (unsigned rotation = 0; rotation < lanes; ++rotation) {
    SmallVector<int64_t> order;
    for (unsigned lane = 0; lane < lanes; ++lane)
      order.push_back((lane + rotation) % lanes);
    Value rotated =
        rotation ? Value(vector::ShuffleOp::create(b, values, values, order))
                 : values;
    Value equal = Number(b, mine.values) == rotated;
    matches = matches ? Number(b, matches) | equal : equal;
  }
  matches = Number(b, matches) & mine.valid;
  return toBits(b, matches, lanes);
}

/// The number of coordinates at the start of a block that are `coordinate`.
Value LoopLowering::countEqual(const CoordinateBlock &block, Value coordinate,
                               unsigned lanes) {
  Lanes mine = load(b, block, lanes);
  auto type = cast<VectorType>(mine.values.getType());
  Value narrow = coordinate;
  if (!isa<IndexType>(type.getElementType()))
    narrow = Number(b, coordinate).as(type.getElementType());
  Value sought = vector::BroadcastOp::create(b, type, narrow);
  Value equal = (Number(b, mine.values) == sought) & mine.valid;
  Value others = Number(b, toBits(b, equal, lanes)) ^ -1;
  return Number(b, math::CountTrailingZerosOp::create(b, others)).asIndex();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The number of coordinates per block; 0 if the loop cannot take blocks.
unsigned LoopLowering::lanesOf(const Loop &loop) {
  SmallVector<unsigned> lanes;
  for (unsigned n : loop.stored) {
    if (!loop.ranges[n].level->isUnique())
      return 0;
    lanes.push_back(lanesOf(loop.fibers[n].tensor));
  }
  return llvm::all_equal(lanes) ? lanes.front() : 0;
}

/// The number of coordinates of a tensor that a register holds; 0 if blocks of
/// them cannot be compared, as coordinates of type `index`, whose width is not
/// fixed.
unsigned LoopLowering::lanesOf(Value tensor) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(tensor.getType());
  auto type = dyn_cast<IntegerType>(encoding.getCrdElemType());
  unsigned lanes = type ? lowering.options.vectorBits / type.getWidth() : 0;
  return lanes > 1 && lanes < 64 ? lanes : 0;
}

/// The intersection of all operands that store coordinates.
MergeAttr LoopLowering::bothStored(const Loop &loop) {
  SmallVector<MergeAttr> leaves;
  for (unsigned n : loop.stored)
    leaves.push_back(MergeAttr::get(b.getContext(), n));
  return intersectMerges(b.getContext(), leaves);
}

/// while posA < endA and posB < endB:
///   matches = which of the next coordinates of A are among the next of B
///   body for each; the operand whose block ends first moves on, or both
SmallVector<Value> LoopLowering::emitBlocks(Loop &loop) {
  unsigned lanes = lanesOf(loop);
  OpBuilder::InsertionGuard guard(b);
  scf::WhileOp whileOp = startWhileAll(loop);
  ValueRange state = whileOp.getAfterArguments();
  SmallVector<CoordinateBlock> blocks;
  SmallVector<Value> next, last;
  for (auto [n, position] : llvm::zip(loop.stored, state)) {
    const ChildRange &range = loop.ranges[n];
    blocks.push_back({range.level.get(), position, range.end});
    next.push_back(Number(b, position) + lanes);
    Number end = min(Number(b, next.back()), range.end);
    last.push_back(range.level->coordinate(b, end - 1));
  }
  Value matches = emitMatches(b, blocks[0], blocks[1], lanes);
  ValueRange carried = state.drop_front(2);
  bool isCount =
      loop.isCount && CoiterateOp(loop.op).getMerge() == bothStored(loop);
  SmallVector<Value> results =
      isCount ? addMatches(matches, carried)
              : visitMatches(loop, matches, blocks, carried, lanes);
  SmallVector<Value> yielded;
  for (unsigned k : {0, 1}) {
    Number isBehind = Number(b, last[k]) <= last[1 - k];
    yielded.push_back(select(isBehind, next[k], state[k]));
  }
  llvm::append_range(yielded, results);
  scf::YieldOp::create(b, yielded);
  return SmallVector<Value>(whileOp.getResults());
}

/// if any matches:
///   theirs = which of the next coordinates of B are among those of A
///   while matches and theirs: body at the lowest bits; clear the lowest bits
SmallVector<Value> LoopLowering::visitMatches(Loop &loop, Value matches,
                                              ArrayRef<CoordinateBlock> blocks,
                                              ValueRange carried,
                                              unsigned lanes) {
  Type i64 = b.getI64Type();
  Number none(b, 0, b.getI64Type());
  Number one(b, 1, b.getI64Type());
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
  SmallVector<Value> inits = {matches,
                              emitMatches(b, blocks[1], blocks[0], lanes)};
  llvm::append_range(inits, carried);
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto whileOp = scf::WhileOp::create(b, types, inits);
  scf::YieldOp::create(b, whileOp.getResults().drop_front(2));

  Block *before = b.createBlock(&whileOp.getBefore(), {}, types, locs);
  Number hasFirst = differs(before->getArgument(0));
  Value more = hasFirst & differs(before->getArgument(1));
  scf::ConditionOp::create(b, more, before->getArguments());
  Block *after = b.createBlock(&whileOp.getAfter(), {}, types, locs);
  unsigned numFibers = loop.fibers.size();
  SmallVector<Value> positions(numFibers), rest;
  for (auto [k, n] : llvm::enumerate(loop.stored)) {
    Number bits(b, after->getArgument(k));
    Value lane =
        Number(b, math::CountTrailingZerosOp::create(b, i64, bits)).asIndex();
    positions[n] = Number(b, blocks[k].position) + lane;
    rest.push_back(bits & (bits - one));
  }
  unsigned first = loop.stored.front();
  Value coordinate = loop.ranges[first].level->coordinate(b, positions[first]);
  llvm::append_range(rest,
                     emitBody(loop, coordinate, Conditions(numFibers, kAlways),
                              positions, Ends(numFibers),
                              after->getArguments().drop_front(2),
                              /*visitsAll=*/false));
  scf::YieldOp::create(b, rest);
  return SmallVector<Value>(ifAny.getResults());
}
