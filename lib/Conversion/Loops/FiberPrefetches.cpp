//===- FiberPrefetches.cpp - Prefetches of fibers and of dense rows -------===//
//
// Lowers the ops that prefetch fibers, and rows of dense tensors, some
// iterations before they are read, and `nacho.ahead`, which says which
// coordinate a later iteration will have.
//
//===----------------------------------------------------------------------===//

#include "FiberLowering.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

static void lowerPrefetch(FiberLowering &lowering, PrefetchOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue of = lowering.fiber(op.getFiber());
  auto level = Level::get(of.tensor, of.level);
  if (op.getBegin())
    return level->prefetchBegin(b, of.position);
  Value first = of.children ? of.children->begin : level->begin(b, of.position);
  level->prefetch(b, first);
  auto type = cast<RankedTensorType>(of.tensor.getType());
  if (!op.getElements() || of.level + 1 < type.getRank())
    return;
  prefetchElement(b, emitValues(b, of.tensor), first);
}

static void lowerAhead(FiberLowering &lowering, AheadOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  FiberValue of = lowering.fiber(op.getFiber());
  auto level = Level::get(of.tensor, of.level - 1);
  Number size = max(Number(b, level->size(b)), 1);
  Value last = size - 1;
  Number later = Number(b, of.position) + op.getDistance();
  op.replaceAllUsesWith(level->coordinate(b, min(later, last)));
}

/// The number of bits of an element in memory.
static int64_t bitsOf(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  int64_t bits = complex ? 2 * complex.getElementType().getIntOrFloatBitWidth()
                         : element.getIntOrFloatBitWidth();
  return std::max<int64_t>(bits, 8);
}

/// The place of a row, from the given coordinate on, in the array of values.
static Value placeOfRow(ImplicitLocOpBuilder &b, PrefetchRowOp op) {
  Number row(b, 0);
  for (auto [level, coordinate] : llvm::enumerate(op.getCoordinates())) {
    Number below(b, level + 1);
    Value extent = sparse_tensor::LvlOp::create(b, op.getTensor(), below);
    Number at = row + coordinate;
    row = at * extent;
  }
  return op.getFrom() ? row + op.getFrom() : row;
}

/// Prefetches the first few cache lines of the row, if the row is that long;
/// the processor's own prefetcher follows up with the rest. Tensors of up to 8
/// MiB are likely to be in a cache that is near enough: there, a loop gains
/// less from the prefetches than they cost.
static void lowerPrefetchRow(FiberLowering &lowering, PrefetchRowOp op) {
  ImplicitLocOpBuilder &b = lowering.b;
  static constexpr int64_t kLines = 4, kBitsPerLine = 512, kNearBits = 1 << 26;
  Value tensor = op.getTensor(), row = placeOfRow(b, op);
  auto type = cast<RankedTensorType>(tensor.getType());
  Value length =
      sparse_tensor::LvlOp::create(b, tensor, Number(b, type.getRank() - 1));
  Value last = Number(b, length) - 1;
  int64_t bits = bitsOf(type.getElementType());
  Value values = emitValues(b, tensor);
  Value size = memref::DimOp::create(b, values, Number(b, 0));
  OpBuilder::InsertionGuard guard(b);
  auto whenMore = [&](Value number, int64_t than) {
    Value isMore = Number(b, number) > (than / bits);
    auto ifMore = scf::IfOp::create(b, isMore, /*withElseRegion=*/false);
    b.setInsertionPointToStart(ifMore.thenBlock());
  };
  whenMore(size, kNearBits);
  for (int64_t line = 0; line < kLines; ++line) {
    int64_t first = line * kBitsPerLine / bits;
    Number at(b, first);
    if (op.getOnly() && first >= int64_t(*op.getOnly()))
      break;
    if (!op.getOnly()) {
      if (line == kLines / 2)
        whenMore(length, line * kBitsPerLine);
      at = minSigned(at, last);
    }
    prefetchElement(b, values, Number(b, row) + at);
  }
}

void nacho::addFiberPrefetches(FiberLowering &lowering) {
  lowering.add(lowerAhead, lowerPrefetch, lowerPrefetchRow);
}
