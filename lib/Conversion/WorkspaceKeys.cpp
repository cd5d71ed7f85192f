//===- WorkspaceKeys.cpp - Keys of workspaces -----------------------------===//

#include "WorkspaceKeys.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// The factor of the hash: 2^64 divided by the golden ratio.
static constexpr int64_t kFactor = 0x9E3779B97F4A7C15;

void WorkspaceKeys::describe(Value size, Value last) {
  mask = last;
  Value bits = math::CountTrailingZerosOp::create(
      b, Number(b, size).asSigned(b.getI64Type()));
  Number width(b, 64);
  shift = width - Number(b, bits).asSigned(b.getIndexType());
}

Type WorkspaceKeys::type() {
  return cast<MemRefType>(op.getKeys().getType()).getElementType();
}

Value WorkspaceKeys::empty() { return Number(b, -1, type()); }

Value WorkspaceKeys::placeOf(Value key) {
  Number factor(b, kFactor);
  Number product = Number(b, key) * factor;
  Number mixed = product ^ (product >> 32);
  return ((mixed * factor) >> shift) & mask;
}

/// No place is tried twice:
///
///   for n = first to first + size, while key[n & mask] is another one
///
/// One place is always free, so that the search ends earlier.
std::pair<Value, Value> WorkspaceKeys::find(Value key, Value first) {
  Type index = b.getIndexType();
  Value narrow = Number(b, key).as(type());
  Value empty = this->empty();
  Value end = Number(b, first) + mask;
  auto search = scf::WhileOp::create(
      b, TypeRange{index, type()}, ValueRange{first},
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder before(loc, builder);
        Value at = Number(before, args[0]) & mask;
        Value there = memref::LoadOp::create(before, op.getKeys(),
                                             ValueRange{op.getRow(), at});
        Number isNew = Number(before, args[0]) < end;
        Number isOther = Number(before, there) != narrow;
        Value taken = isOther & (Number(before, there) != empty);
        scf::ConditionOp::create(before, isNew & taken,
                                 ValueRange{args[0], there});
      },
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder after(loc, builder);
        Value next = Number(after, args[0]) + 1;
        scf::YieldOp::create(builder, loc, next);
      });
  Value place = Number(b, search.getResult(0)) & mask;
  return {place, search.getResult(1)};
}
