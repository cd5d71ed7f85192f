//===- PartialEntries.cpp - Sums of entries that several parts make -------===//

#include "PartialEntries.h"
#include "PartGroups.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

Value PartialEntries::head(Value part) const {
  assert(layout.numPartialRows() == 2 && "parts have no heads");
  return Number(b, part) * 2;
}

Value PartialEntries::tail(Value part) const {
  if (layout.numPartialRows() == 1)
    return part;
  Value row = head(part);
  return Number(b, row) + 1;
}

Value PartialEntries::rowOf(Value group, Value bits) const {
  Number first(b, head(Number(b, group) << bits));
  Number others = (Number(b, 2) << bits) - 1;
  return first + others;
}

Value PartialEntries::countedAt(Value group, Value bits) const {
  Number first(b, head(Number(b, group) << bits));
  // Two rows for each part of the first smaller group; a part has no smaller.
  Number rows = (Number(b, 2 * kGroup) << bits) >> (2 * kGroupBits);
  return first + max(rows, 1);
}

void PartialEntries::setVisited(Value count, Value row) const {
  memref::StoreOp::create(b, count, args.visited, row);
}

Value PartialEntries::visited(Value row) const {
  return memref::LoadOp::create(b, args.visited, row);
}

void PartialEntries::clear(Value row) const {
  clear(row, {Number(b, 0), places.rowSize()});
}

void PartialEntries::clear(Value row, Interval numbers) const {
  Values identities = layout.reduction->identities(b);
  emitFor(b, numbers.from, numbers.to,
          [&](Value number) { store(identities, row, number); });
}

Values PartialEntries::load(Value row, Value number) const {
  return llvm::map_to_vector(args.partials, [&](Value partials) -> Value {
    return memref::LoadOp::create(b, partials, ValueRange{row, number});
  });
}

void PartialEntries::store(ValueRange sums, Value row, Value number) const {
  for (auto [sum, partials] : llvm::zip(sums, args.partials))
    memref::StoreOp::create(b, sum, partials, ValueRange{row, number});
}

Values PartialEntries::add(ValueRange sums, ValueRange others) const {
  MonoidAttr monoid = layout.reduction->getMonoid();
  Values added;
  for (auto [x, y] : llvm::zip(sums, others))
    added.push_back(monoid.emit(b, x, y));
  return added;
}

Values PartialEntries::choose(Condition any, ValueRange sums,
                              ValueRange others) const {
  Values chosen;
  for (auto [sum, other] : llvm::zip(sums, others))
    chosen.push_back(emitSelect(b, any, sum, other));
  return chosen;
}

Values PartialEntries::choose(Condition any, ValueRange sums) const {
  if (any.isAlways())
    return Values(sums);
  return choose(any, sums, layout.reduction->identities(b));
}
