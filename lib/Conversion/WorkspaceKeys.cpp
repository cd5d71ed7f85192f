//===- WorkspaceKeys.cpp - Keys of workspaces -----------------------------===//

#include "WorkspaceKeys.h"

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
      b, arith::IndexCastOp::create(b, b.getI64Type(), size));
  shift = arith::SubIOp::create(
      b, arith::ConstantIndexOp::create(b, 64),
      arith::IndexCastOp::create(b, b.getIndexType(), bits));
}

Type WorkspaceKeys::type() {
  return cast<MemRefType>(op.getKeys().getType()).getElementType();
}

Value WorkspaceKeys::empty() {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type(), -1));
}

Value WorkspaceKeys::placeOf(Value key) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value factor = constant(kFactor);
  Value product = arith::MulIOp::create(b, key, factor);
  Value high = arith::ShRUIOp::create(b, product, constant(32));
  Value mixed = arith::XOrIOp::create(b, product, high);
  Value again = arith::MulIOp::create(b, mixed, factor);
  Value place = arith::ShRUIOp::create(b, again, shift);
  return arith::AndIOp::create(b, place, mask);
}

/// No place is tried twice:
///
///   for n = first to first + size, while key[n & mask] is another one
///
/// One place is always free, so that the search ends earlier.
std::pair<Value, Value> WorkspaceKeys::find(Value key, Value first) {
  Type index = b.getIndexType();
  Value narrow = arith::IndexCastUIOp::create(b, type(), key);
  Value empty = this->empty();
  Value end = arith::AddIOp::create(b, first, mask);
  auto search = scf::WhileOp::create(
      b, TypeRange{index, type()}, ValueRange{first},
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder before(loc, builder);
        Value at = arith::AndIOp::create(before, args[0], mask);
        Value there = memref::LoadOp::create(before, op.getKeys(),
                                             ValueRange{op.getRow(), at});
        Value isNew = arith::CmpIOp::create(before, arith::CmpIPredicate::ult,
                                            args[0], end);
        auto differs = [&](Value other) -> Value {
          return arith::CmpIOp::create(before, arith::CmpIPredicate::ne, there,
                                       other);
        };
        Value taken =
            arith::AndIOp::create(before, differs(narrow), differs(empty));
        scf::ConditionOp::create(before,
                                 arith::AndIOp::create(before, isNew, taken),
                                 ValueRange{args[0], there});
      },
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value one = arith::ConstantIndexOp::create(builder, loc, 1);
        Value next = arith::AddIOp::create(builder, loc, args[0], one);
        scf::YieldOp::create(builder, loc, next);
      });
  Value place = arith::AndIOp::create(b, search.getResult(0), mask);
  return {place, search.getResult(1)};
}
