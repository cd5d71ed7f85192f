//===- Part.cpp - What the loops of one part work with --------------------===//

#include "Part.h"

#include "nacho/Analysis/MergeLattice.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

Values Carried::flatten() const {
  Values all;
  for (const Values &level : levels)
    llvm::append_range(all, level);
  all.push_back(entries);
  llvm::append_range(all, tables);
  llvm::append_range(all, sums);
  return all;
}

Carried Carried::as(ValueRange values) const {
  auto take = [&](size_t count) {
    Values taken(values.take_front(count));
    values = values.drop_front(count);
    return taken;
  };
  Carried carried;
  for (const Values &level : levels)
    carried.levels.push_back(take(level.size()));
  carried.entries = take(1).front();
  carried.tables = take(tables.size());
  carried.sums = take(sums.size());
  return carried;
}

Part::Part(PhaseFunctions &function, Value number, Value parts, PartTask task)
    : b(function.b), layout(function.layout), args(function.args),
      mapping(function.mapping), places(b, layout, mapping), number(number),
      parts(parts), task(task) {
  Type cut = function.cutType();
  Value next = arith::AddIOp::create(b, number, constant(1));
  lower = loadCut(b, "lo", cut, args.bounds, number);
  upper = loadCut(b, "hi", cut, args.bounds, next);
  coordinates.assign(layout.type.getRank(), Value());
}

std::optional<Value> Part::isCutInside(unsigned m, Value cut) const {
  if (m + 1 >= layout.numCut)
    return std::nullopt;
  return OnCutOp::create(b, b.getI1Type(), cut);
}

Condition Part::emitHolds(CoiterateOp loop) const {
  auto present =
      llvm::map_to_vector(loop.getGuards(), [&](Value guard) -> Condition {
        return PresentOp::create(b, b.getI1Type(), mapping.lookup(guard));
      });
  return emitMerge(b, loop.getMerge(), present);
}

std::optional<Value> Part::blockPosition(const Carried &values) const {
  if (layout.numStructural == 0)
    return std::nullopt;
  return values.levels[layout.numStructural - 1].front();
}

void Part::countEntries(Value number, Condition condition,
                        Carried &values) const {
  if (!condition.isAlways())
    number = emitSelect(b, condition, number, constant(0));
  values.entries = arith::AddIOp::create(b, values.entries, number);
}

void Part::setStatus(Value bit) const {
  memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, bit, args.status,
                              ValueRange());
}
