//===- Entries.cpp - Entries appended by a part ---------------------------===//

#include "Entries.h"

#include "Filling.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

void Entries::append(AppendOp op, Carried &values) {
  Condition condition = kAlways;
  if (op.getCondition())
    condition = part.mapping.lookupOrDefault(op.getCondition());
  condition = emitBoth(b, condition, part.completes);
  for (auto [level, coordinate] : llvm::enumerate(op.getCoordinates()))
    part.coordinates[level] = part.mapping.lookup(coordinate);
  add(op, condition, values);
}

void Entries::emitChecked(Value condition, int32_t status,
                          llvm::function_ref<void()> body) {
  auto ifOp = scf::IfOp::create(b, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  body();
  b.setInsertionPointToStart(ifOp.elseBlock());
  part.setStatus(arith::ConstantIntOp::create(b, status, 32));
}

/// Whether the current coordinate of the last level's loop, or the current key
/// of a loop over keys, is inside of its extent.
Value Entries::isLastInside() {
  unsigned last = layout.numStructural - 1;
  CoiterateOp loop = layout.loopOfLevel[last];
  // If the level stores no loop's coordinates, it may store any number.
  if (!loop)
    return arith::ConstantIntOp::create(b, 1, 1);
  Value at = layout.appendsKeys() ? part.mapping.lookup(loop.getCoordinate())
                                  : part.coordinates[last];
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at,
                               emitExtent(b, loop, part.mapping));
}

/// Stores the entry if the part has room for it and the coordinate is inside of
/// its extent, else sets the status. Both hold unless the operands have changed
/// since they were checked and counted, or a draft is too small, which is rare.
void Entries::makeEntry(Value value, Value offset) {
  unsigned last = layout.numStructural - 1;
  Value end = part.last.back();
  Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, offset, end);
  Value inside = isLastInside();
  Value valid = arith::AndIOp::create(b, fits, inside);
  auto ifValid = scf::IfOp::create(b, valid, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifValid.thenBlock());
  memref::StoreOp::create(b, value, part.args.values, offset);
  for (unsigned from = layout.firstSharing(last); from <= last; ++from)
    storeIndex(b, part.coordinates[from], part.args.coordinates[from], offset);
  b.setInsertionPointToStart(ifValid.elseBlock());
  Value full =
      arith::ConstantIntOp::create(b, layout.filling->statusWhenFull(), 32);
  Value outOfRange = arith::ConstantIntOp::create(b, kCoordinateOutOfRange, 32);
  part.setStatus(arith::SelectOp::create(b, inside, full, outOfRange));
}

/// The check is for operands that have changed since they were checked: nothing
/// outside of the array may be written.
void Entries::storeValue(Value value, Value at) {
  Value size = memref::DimOp::create(b, part.args.values, part.constant(0));
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, size);
  emitIf(b, inside,
         [&] { memref::StoreOp::create(b, value, part.args.values, at); });
}

/// The place, or the end of the array of values if that comes first.
Value Entries::emitPlaceInside(Value place) {
  Value size = memref::DimOp::create(b, part.args.values, part.constant(0));
  return arith::MinUIOp::create(b, place, size);
}

/// The number of those of `number` values, neighbours in the array, that are
/// inside of it; `first` is the place of the first of them, or the end.
Value Entries::emitNumberInside(Value first, Value number) {
  Value size = memref::DimOp::create(b, part.args.values, part.constant(0));
  Value room = arith::SubIOp::create(b, size, first);
  return arith::MinUIOp::create(b, number, room);
}

//===----------------------------------------------------------------------===//
// Counted
//===----------------------------------------------------------------------===//

/// Counting indexes no memory. A coordinate that makeEntry() would not compare
/// is compared all the same.
bool CountedEntries::needsCheck(CoiterateOp innermost) const {
  return layout.makesEntries() && layout.loopOfLevel.back() != innermost;
}

void CountedEntries::add(AppendOp, Condition condition, Carried &values) {
  part.countEntries(part.constant(1), condition, values);
}

//===----------------------------------------------------------------------===//
// Appended
//===----------------------------------------------------------------------===//

/// makeEntry() already compares the coordinate of the last level.
bool AppendedEntries::needsCheck(CoiterateOp innermost) const {
  return layout.loopOfLevel.back() != innermost;
}

void AppendedEntries::add(AppendOp op, Condition condition, Carried &values) {
  Value offset = values.entries;
  part.countEntries(part.constant(1), condition, values);
  Value value = valueOf(op, condition, values);
  emitIf(b, condition, [&] { makeEntry(value, offset); });
}

Value AppendedEntries::valueOf(AppendOp op, Condition, Carried &) {
  return part.mapping.lookupOrDefault(op.getValue());
}

//===----------------------------------------------------------------------===//
// Stored into a block
//===----------------------------------------------------------------------===//

void BlockEntries::add(AppendOp op, Condition condition, Carried &values) {
  part.countEntries(part.constant(1), condition, values);
  Value value = part.mapping.lookupOrDefault(op.getValue());
  Value at = part.places.location(part.blockPosition(values), part.coordinates);
  emitIf(b, condition, [&] { storeValue(value, at); });
}
