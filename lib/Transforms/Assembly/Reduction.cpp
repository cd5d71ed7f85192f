//===- Reduction.cpp - Sources of reduced entries -------------------------===//

#include "Reduction.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Operators.h"
#include "nacho/Levels/Level.h"
#include "nacho/Levels/LevelFormat.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Before anything is reduced
//===----------------------------------------------------------------------===//

Reduction::Reduction(NestOp nest, ArrayRef<CoiterateOp> loops)
    : nest(nest), monoid(*nest.getReduce()), types(nest.getAppendedTypes()),
      loops(loops) {}

/// A sum of whole entries begins with -0, so that it is its first element even
/// if that is -0: as in a workspace, which adds nothing to that. Where a dense
/// level may have entries without elements, these are 0.
Values Reduction::identities(ImplicitLocOpBuilder &b) const {
  NestOp op = nest;
  RankedTensorType result = op.getType();
  bool isSigned = op.getWholeEntries() && monoid.from(nullptr).isSum() &&
                  !isDense(result) &&
                  !isFullLevel(result, result.getRank() - 1);
  return llvm::map_to_vector(types, [&](Type type) -> Value {
    Value identity = monoid.emitIdentity(b, type);
    if (!isSigned || !isa<FloatType, ComplexType>(type))
      return identity;
    return UnaryOp::create(b, UnaryKind::neg, identity);
  });
}

Value Reduction::missing(ImplicitLocOpBuilder &b, Type type) const {
  return monoid.reducesAbsent() ? zeroElement(b, type)
                                : monoid.emitIdentity(b, type);
}

//===----------------------------------------------------------------------===//
// After everything is reduced
//===----------------------------------------------------------------------===//

/// x * y, or the largest number if the product is larger than that.
static Value emitSaturatedProduct(ImplicitLocOpBuilder &b, Value x, Value y) {
  Number most(b, -1);
  Value fits = most / max(Number(b, y), 1);
  Number isMore = Number(b, x) > fits;
  return select(isMore, most, Number(b, x) * y);
}

namespace {
/// The number of combinations of coordinates that some loops run over. For a
/// loop over keys, this is the product of the extents of all fields: not every
/// number below the extent of keys is a key.
class Combinations {
public:
  Combinations(ImplicitLocOpBuilder &b, const IRMapping &mapping)
      : b(b), mapping(mapping) {}

  void add(CoiterateOp loop) {
    FlattenOp flatten = flattenOf(loop);
    if (!flatten)
      return multiply(emitExtent(b, loop, mapping));
    Value tensor = mapping.lookupOrDefault(flatten.getTensor());
    unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
    for (unsigned level = 0; level < rank; ++level)
      multiply(levelExtent(b, tensor, level));
  }

  /// None if there is no loop.
  std::optional<Value> number;

private:
  void multiply(Value extent) {
    number = number ? emitSaturatedProduct(b, *number, extent) : extent;
  }

  ImplicitLocOpBuilder &b;
  const IRMapping &mapping;
};
} // namespace

/// The sum, combined with 0 if fewer than `all` elements were reduced: then
/// some elements were not stored, and these are 0.
static Value emitWithMissing(ImplicitLocOpBuilder &b, BinaryKind kind,
                             Value sum, Value count, Value all) {
  Number isMissing = Number(b, count) < all;
  Value zero = zeroElement(b, sum.getType());
  Value other = operatorOf(kind).annihilator == Annihilator::either
                    ? zero
                    : Value(BinaryOp::createCommutative(b, kind, sum, zero));
  return select(isMissing, other, sum);
}

Value Reduction::finish(ImplicitLocOpBuilder &b, ValueRange sums, Value count,
                        const IRMapping &mapping) const {
  Values values(sums);
  Combinations all(b, mapping);
  if (monoid.reducesAbsent())
    for (CoiterateOp loop : loops)
      all.add(loop);
  if (all.number)
    for (Value &value : values)
      value = emitWithMissing(b, monoid.getKind(), value, count, *all.number);
  for (Value &value : values)
    value = monoid.emitFromStart(b, value);
  Region &region = NestOp(nest).getFinish();
  if (region.empty())
    return values.front();
  IRMapping inside;
  inside.map(region.getArguments(), values);
  for (Operation &op : region.front().without_terminator())
    b.clone(op, inside);
  return inside.lookup(region.front().getTerminator()->getOperand(0));
}
