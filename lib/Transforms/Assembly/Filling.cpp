//===- Filling.cpp - Common parts of counting and drafting ----------------===//

#include "Filling.h"

#include "Collector.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

std::pair<Values, Values> Filling::places(PhaseFunctions &function,
                                          Value part) const {
  Value next = Number(function.b, part) + 1;
  Values first = function.loadRow(function.args.offsets, part);
  Values last = function.loadRow(function.args.offsets, next);
  llvm::for_each(first, markPlace);
  llvm::for_each(last, markPlace);
  return {first, last};
}

void nacho::emitScan(PhaseFunctions &function, Value offsets) {
  auto scan =
      ExclusiveScanOp::create(function.b, function.args.counts, offsets);
  buildSum(function, scan.getCombine());
}

void nacho::buildSum(PhaseFunctions &function, Region &region) {
  ImplicitLocOpBuilder &b = function.b;
  const ResultLayout &layout = function.layout;
  int64_t columns = layout.numColumns();
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(2 * columns, b.getIndexType());
  SmallVector<Location> locs;
  for (StringRef run : {"x_", "y_"})
    for (StringRef name : layout.columnNames())
      locs.push_back(nameLoc(b.getLoc(), run + name));
  Block *rows = b.createBlock(&region, {}, types, locs);
  ValueRange x = rows->getArguments().take_front(columns);
  ValueRange y = rows->getArguments().drop_front(columns);
  Values sum;
  for (auto [m, level] : llvm::enumerate(layout.levels))
    level->combine(b, layout.columnsOf(m, x), layout.columnsOf(m, y), sum);
  for (size_t column = sum.size(); column < x.size(); ++column)
    sum.push_back(Number(b, x[column]) + y[column]);
  YieldOp::create(b, sum);
}

void nacho::storeSizes(PhaseFunctions &function, Value offsets, Value parts) {
  ImplicitLocOpBuilder &b = function.b;
  const ResultLayout &layout = function.layout;
  ResultPlaces places = function.places();
  unsigned rank = layout.type.getRank();
  Values total, sizes;
  if (layout.hasCounts())
    total = function.loadRow(offsets, parts);
  for (unsigned level = 0; level < rank; ++level)
    sizes.push_back(level < layout.numStructural &&
                            !isFullLevel(layout.type, level)
                        ? layout.positionsOf(b, level, total)
                        : places.extent(level));
  sizes.push_back(places.rowSize());
  for (unsigned level = 0; level < rank; ++level)
    sizes.push_back(
        layout.collector->levelExtent(places, layout, level, parts));
  for (auto [n, size] : llvm::enumerate(sizes)) {
    Number at(b, n);
    memref::StoreOp::create(b, size, function.args.sizes, at);
  }
}

void nacho::storeSizesOnce(PhaseFunctions &function, Value worker) {
  Value isFirst = Number(function.b, worker) == 0;
  emitIf(function.b, isFirst,
         [&] { storeSizes(function, /*offsets=*/{}, function.numParts()); });
}

void nacho::storeFirstFiber(PhaseFunctions &function, Value offsets,
                            Value parts) {
  ImplicitLocOpBuilder &b = function.b;
  Value positions = function.args.positions.front();
  Number zero(b, 0);
  Number one(b, 1);
  Value end =
      function.layout.positionsOf(b, 0, function.loadRow(offsets, parts));
  storeIndex(b, zero, positions, zero);
  storeIndex(b, end, positions, one);
}

void nacho::storeFirstFiberInPart(PhaseFunctions &function, Value offsets,
                                  Value part, Value parts) {
  if (isFullLevel(function.layout.type, 0))
    return;
  ImplicitLocOpBuilder &b = function.b;
  Value isFirst = Number(b, part) == 0;
  emitIf(b, isFirst, [&] { storeFirstFiber(function, offsets, parts); });
}
