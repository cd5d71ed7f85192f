//===- WorkspaceRepeats.cpp - How often keys are inserted again -----------===//

#include "WorkspaceRepeats.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// Keys that are inserted fewer times on average than this are few. Up to 4
/// times, code without branches took 0.66 to 0.95 of the time on most matrices
/// of people, and from 10 times on 1.05 to 1.9.
static constexpr int64_t kFewTimes = 5;

Value WorkspaceRepeats::load(Value counter) {
  return memref::LoadOp::create(b, counter);
}

void WorkspaceRepeats::store(Value number, Value counter) {
  memref::StoreOp::create(b, number, counter);
}

void WorkspaceRepeats::start() {
  auto counter = [&](StringRef called, Value first) -> Value {
    NameScope name(b, called);
    auto type = MemRefType::get({}, first.getType());
    Value made = memref::AllocaOp::create(b, type);
    store(first, made);
    return made;
  };
  products = counter("products", Number(b, 0));
  entries = counter("entries", Number(b, 0));
  few = counter("few", Number::flag(b, true));
}

std::optional<Value> WorkspaceRepeats::areFew(InsertOp insert) {
  auto loop = insert->getParentOfType<LoopLikeOpInterface>();
  auto steps = dyn_cast_if_present<scf::ForOp>(loop.getOperation());
  if (!few || !steps || insert.getMonoid())
    return std::nullopt;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(steps);
  Number upper(b, steps.getUpperBound());
  Value inserted = max(upper, steps.getLowerBound()) - steps.getLowerBound();
  store(Number(b, load(products)) + inserted, products);
  return load(few);
}

void WorkspaceRepeats::endRow(Value places) {
  Number inserted(b, load(products));
  Number used = Number(b, load(entries)) + places;
  store(inserted <= used * kFewTimes, few);
  store(inserted >> 1, products);
  store(used >> 1, entries);
}
