//===- KeepSums.cpp - Sums of dense loops stay in registers ---------------===//
//
// Consumes loops that add to rows of sums in memory; leaves loops over strips
// of these rows, outside of all that adds to them.
//
//===----------------------------------------------------------------------===//

#include "SumLoops.h"

#include "nacho/Levels/Buffers.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOKEEPSUMS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// Copies a region for one strip of its rows, which is in registers.
class StripBuilder {
public:
  StripBuilder(ImplicitLocOpBuilder &b, const SumRegion &region, int64_t lanes)
      : b(b), region(region), lanes(lanes) {}

  /// Loops over the strips; returns what the root returns.
  ValueRange build();

private:
  ImplicitLocOpBuilder &b;
  const SumRegion &region;
  int64_t lanes;
  IRMapping mapping;
  Value start, mask;
  SmallVector<Value> accumulators;

  VectorType vectorOf(Type type) { return VectorType::get(lanes, type); }
  SmallVector<Value> stripOf(const Row &row);
  Value &accumulatorOf(Value memref);
  void copy(Block &block);
  void copyAround(Operation &op);
  void copyInto(Block &from, Region &into, Block::BlockArgListType args);
  SmallVector<Value> withAccumulators(ValueRange values);
  void takeResults(Operation &old, Operation *made);

  Value elementOf(const SumLoop &sum, Value value);
  void askForStrip(memref::PrefetchOp prefetch);
  void copySum(const SumLoop &sum);
  void copyLoad(const SumLoop &sum, memref::LoadOp load);
};
} // namespace

SmallVector<Value> StripBuilder::stripOf(const Row &row) {
  SmallVector<Value> indices = row.indices;
  indices.push_back(start);
  return indices;
}

Value &StripBuilder::accumulatorOf(Value memref) {
  for (auto [row, accumulator] : llvm::zip(region.rows, accumulators))
    if (row.memref == memref)
      return accumulator;
  llvm_unreachable("no row of sums");
}

/// The strip of an element; all of it the same if the value is.
Value StripBuilder::elementOf(const SumLoop &sum, Value value) {
  Value mapped = mapping.lookupOrDefault(value);
  if (sum.kindOf(value) == Kind::element)
    return mapped;
  return vector::BroadcastOp::create(b, vectorOf(value.getType()), mapped);
}

void StripBuilder::copyLoad(const SumLoop &sum, memref::LoadOp load) {
  if (hasRowOf(sum.rows, load.getMemRef())) {
    mapping.map(load, accumulatorOf(load.getMemRef()));
    return;
  }
  VectorType type = vectorOf(load.getType());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value there = mask;
  if (Value condition = sum.conditions.lookup(load.getIndices().back())) {
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(mask.getType()));
    condition = mapping.lookupOrDefault(condition);
    there = arith::SelectOp::create(b, condition, mask, none);
  }
  SmallVector<Value> indices;
  for (Value index : load.getIndices())
    indices.push_back(mapping.lookupOrDefault(index));
  mapping.map(load, vector::MaskedLoadOp::create(b, type, load.getMemRef(),
                                                 indices, there, zero)
                        .getResult());
}

void StripBuilder::copySum(const SumLoop &sum) {
  mapping.map(sum.loop.getInductionVar(), start);
  for (Operation &op : sum.loop.getBody()->without_terminator()) {
    if (sum.isUnwanted(op))
      continue;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      copyLoad(sum, load);
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      accumulatorOf(store.getMemRef()) = elementOf(sum, store.getValue());
    } else if (sum.kindOf(op.getResult(0)) != Kind::element) {
      b.clone(op, mapping);
    } else {
      OperationState state(op.getLoc(), op.getName());
      for (auto [n, operand] : llvm::enumerate(op.getOperands())) {
        // One condition for all lanes may stay what it is.
        bool isCondition = isa<arith::SelectOp>(op) && n == 0;
        bool isScalar = isCondition && sum.kindOf(operand) == Kind::same;
        state.addOperands(isScalar ? mapping.lookupOrDefault(operand)
                                   : elementOf(sum, operand));
      }
      state.addTypes(vectorOf(op.getResult(0).getType()));
      state.addAttributes(op.getAttrs());
      mapping.map(op.getResult(0), b.create(state)->getResult(0));
    }
  }
}

SmallVector<Value> StripBuilder::withAccumulators(ValueRange values) {
  SmallVector<Value> found;
  for (Value value : values)
    found.push_back(mapping.lookupOrDefault(value));
  llvm::append_range(found, accumulators);
  return found;
}

void StripBuilder::takeResults(Operation &old, Operation *made) {
  unsigned count = old.getNumResults();
  for (unsigned n = 0; n < count; ++n)
    mapping.map(old.getResult(n), made->getResult(n));
  accumulators.assign(made->result_begin() + count, made->result_end());
}

/// Fills a block of an op that has the accumulators as arguments and results.
void StripBuilder::copyInto(Block &from, Region &into,
                            Block::BlockArgListType args) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&into.front());
  for (auto [old, arg] : llvm::zip(from.getArguments(), args))
    mapping.map(old, arg);
  if (!args.empty())
    accumulators =
        llvm::to_vector_of<Value>(args.take_back(accumulators.size()));
  copy(from);
  OperationState state(b.getLoc(), from.getTerminator()->getName());
  state.addOperands(withAccumulators(from.getTerminator()->getOperands()));
  b.create(state);
}

void StripBuilder::copyAround(Operation &op) {
  SmallVector<Value> before = accumulators;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto made =
        scf::ForOp::create(b, mapping.lookupOrDefault(loop.getLowerBound()),
                           mapping.lookupOrDefault(loop.getUpperBound()),
                           mapping.lookupOrDefault(loop.getStep()),
                           withAccumulators(loop.getInitArgs()));
    copyInto(*loop.getBody(), made.getRegion(), made.getBody()->getArguments());
    return takeResults(op, made);
  }
  SmallVector<Type> types = llvm::to_vector(op.getResultTypes());
  llvm::append_range(types, ValueRange(accumulators).getTypes());
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    auto made = scf::IfOp::create(
        b, types, mapping.lookupOrDefault(branch.getCondition()), true, true);
    copyInto(*branch.thenBlock(), made.getThenRegion(), {});
    accumulators = before;
    if (Block *other = branch.elseBlock()) {
      copyInto(*other, made.getElseRegion(), {});
    } else {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(made.elseBlock());
      scf::YieldOp::create(b, accumulators);
    }
    return takeResults(op, made);
  }
  auto loop = cast<scf::WhileOp>(op);
  auto made = scf::WhileOp::create(b, types, withAccumulators(loop.getInits()));
  auto fill = [&](Region &from, Region &into) {
    SmallVector<Type> argTypes = llvm::to_vector(from.getArgumentTypes());
    llvm::append_range(argTypes, ValueRange(before).getTypes());
    SmallVector<Location> locs(argTypes.size(), op.getLoc());
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&into, {}, argTypes, locs);
    copyInto(from.front(), into, block->getArguments());
  };
  fill(loop.getBefore(), made.getBefore());
  fill(loop.getAfter(), made.getAfter());
  takeResults(op, made);
}

/// What is asked for of a row is a strip of it.
void StripBuilder::askForStrip(memref::PrefetchOp prefetch) {
  bool isOfRows = llvm::any_of(region.sums, [&](const auto &sum) {
    return llvm::any_of(
        sum.second.loop.getBody()->template getOps<memref::LoadOp>(),
        [&](memref::LoadOp load) {
          return load.getMemRef() == prefetch.getMemref();
        });
  });
  if (!isOfRows || prefetch.getIndices().empty())
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(prefetch);
  MutableOperandRange indices = prefetch.getIndicesMutable();
  OpOperand &last = indices[indices.size() - 1];
  last.set(arith::AddIOp::create(b, last.get(), start));
}

void StripBuilder::copy(Block &block) {
  for (Operation &op : block.without_terminator()) {
    auto sum = region.sums.find(&op);
    if (sum != region.sums.end())
      copySum(sum->second);
    else if (region.around.contains(&op))
      copyAround(op);
    else
      b.clone(op, mapping)->walk([&](memref::PrefetchOp prefetch) {
        askForStrip(prefetch);
      });
  }
}

ValueRange StripBuilder::build() {
  scf::ForOp root = region.root;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value width = arith::ConstantIndexOp::create(b, lanes);
  // What the root returns is wanted even if the rows are empty.
  Value end = arith::MaxSIOp::create(b, region.extent, one);
  auto strips = scf::ForOp::create(b, zero, end, width, root.getInitArgs());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(strips.getBody());
  start = strips.getInductionVar();
  mask = emitMask(b, start, region.extent, lanes);
  for (const Row &row : region.rows) {
    VectorType type =
        vectorOf(cast<MemRefType>(row.memref.getType()).getElementType());
    Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
    accumulators.push_back(vector::MaskedLoadOp::create(
        b, type, row.memref, stripOf(row), mask, none));
  }
  copyAround(*root);
  for (auto [row, accumulator] : llvm::zip(region.rows, accumulators))
    vector::MaskedStoreOp::create(b, row.memref, stripOf(row), mask,
                                  accumulator);
  SmallVector<Value> results;
  for (Value result : root.getResults())
    results.push_back(mapping.lookup(result));
  if (!results.empty())
    scf::YieldOp::create(b, results);
  return strips.getResults();
}

/// extent <= half a strip ? strips of half the size : strips
static void split(const SumRegion &region, unsigned stripBits) {
  unsigned bits = 0;
  for (const Row &row : region.rows)
    bits = std::max(
        bits, cast<MemRefType>(row.memref.getType()).getElementTypeBitWidth());
  int64_t lanes = stripBits / bits;
  scf::ForOp loop = region.root;
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value half = arith::ConstantIndexOp::create(b, lanes / 2);
  Value isShort =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ule, region.extent, half);
  auto branch =
      scf::IfOp::create(b, loop.getResultTypes(), isShort, true, true);
  auto fill = [&](Block *block, int64_t lanes) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    scf::YieldOp::create(b, StripBuilder(b, region, lanes).build());
  };
  fill(branch.thenBlock(), lanes / 2);
  fill(branch.elseBlock(), lanes);
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
}

namespace {
struct KeepSums : nacho::impl::NachoKeepSumsBase<KeepSums> {
  using NachoKeepSumsBase::NachoKeepSumsBase;

  void runOnOperation() override {
    // Half a strip has two of the widest elements.
    if (stripBits < 256) {
      getOperation().emitError() << "strips of " << Twine(stripBits.getValue())
                                 << " bits are too short: 256 at least";
      return signalPassFailure();
    }
    SmallVector<SumRegion> found;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      std::optional<SumRegion> region = SumRegion::match(loop);
      if (!region)
        return WalkResult::advance();
      found.push_back(std::move(*region));
      return WalkResult::skip();
    });
    for (const SumRegion &region : found)
      split(region, stripBits);
  }
};
} // namespace
