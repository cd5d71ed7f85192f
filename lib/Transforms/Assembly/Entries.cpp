//===- Entries.cpp - Entries appended by a part ---------------------------===//

#include "Entries.h"

#include "Filling.h"
#include "nacho/IR/Arith.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace nacho;

bool nacho::variesInRow(const ResultLayout &layout, AppendOp op) {
  if (!op.getCondition() || !layout.reduction || layout.innerLevels.empty() ||
      layout.workspaceLevel)
    return false;
  llvm::SmallPtrSet<Value, 4> row;
  for (auto loop = op->getParentOfType<CoiterateOp>();
       loop && loop.getFibers().empty() &&
       llvm::is_contained(op.getCoordinates(), loop.getCoordinate());
       loop = loop->getParentOfType<CoiterateOp>())
    row.insert(loop.getCoordinate());
  llvm::SetVector<Value> open;
  open.insert(op.getCondition());
  for (unsigned n = 0; n < open.size(); ++n) {
    if (row.contains(open[n]))
      return true;
    if (Operation *definition = open[n].getDefiningOp())
      open.insert_range(definition->getOperands());
  }
  return false;
}

void Entries::append(AppendOp op, Carried &values) {
  Condition condition = kAlways;
  if (op.getCondition() && !variesInRow(layout, op))
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
  part.setStatus(Number(b, status, b.getI32Type()));
}

/// Whether the current coordinate of the last level's loop, or the current key
/// of a loop over keys, is inside of its extent.
Value Entries::isLastInside() {
  unsigned last = layout.numStructural - 1;
  CoiterateOp loop = layout.loopOfLevel[last];
  // If the level stores no loop's coordinates, it may store any number.
  if (!loop)
    return Number::flag(b, true);
  Value at = layout.appendsKeys() ? part.mapping.lookup(loop.getCoordinate())
                                  : part.coordinates[last];
  return Number(b, at) < emitExtent(b, loop, part.mapping);
}

/// Stores the entry if the part has room for it and the coordinate is inside of
/// its extent, else sets the status. Both hold unless the operands have changed
/// since they were checked and counted, or a draft is too small, which is rare.
void Entries::makeEntry(Value value, Value offset) {
  unsigned last = layout.numStructural - 1;
  Value end = part.last.back();
  Number fits = Number(b, offset) < end;
  Value inside = isLastInside();
  Value valid = fits & inside;
  auto ifValid = scf::IfOp::create(b, valid, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifValid.thenBlock());
  memref::StoreOp::create(b, value, part.args.values, offset);
  for (unsigned from = layout.firstSharing(last); from <= last; ++from)
    storeIndex(b, part.coordinates[from], part.args.coordinates[from], offset);
  b.setInsertionPointToStart(ifValid.elseBlock());
  Number full(b, layout.filling->statusWhenFull(), b.getI32Type());
  Number outOfRange(b, kCoordinateOutOfRange, b.getI32Type());
  part.setStatus(select(Number(b, inside), full, outOfRange));
}

/// The check is for operands that have changed since they were checked: nothing
/// outside of the array may be written.
void Entries::storeValue(Value value, Value at) {
  Value size = memref::DimOp::create(b, part.args.values, Number(b, 0));
  Value inside = Number(b, at) < size;
  emitIf(b, inside,
         [&] { memref::StoreOp::create(b, value, part.args.values, at); });
}

/// The place, or the end of the array of values if that comes first.
Value Entries::emitPlaceInside(Value place) {
  Value size = memref::DimOp::create(b, part.args.values, Number(b, 0));
  return min(Number(b, place), size);
}

/// The number of those of `number` values, neighbours in the array, that are
/// inside of it; `first` is the place of the first of them, or the end.
Value Entries::emitNumberInside(Value first, Value number) {
  Value size = memref::DimOp::create(b, part.args.values, Number(b, 0));
  Value room = Number(b, size) - first;
  return min(Number(b, number), room);
}

//===----------------------------------------------------------------------===//
// Counted
//===----------------------------------------------------------------------===//

/// Counting indexes no memory. A coordinate that makeEntry() would not compare
/// is compared all the same.
bool CountedEntries::needsCheck(CoiterateOp innermost) const {
  return layout.makesEntries() && layout.loopOfLevel.back() != innermost;
}

void CountedEntries::leaveOuter(CoiterateOp, Value entriesBefore,
                                Carried &values) {
  if (!layout.reduction || !layout.makesEntries())
    return;
  Value any = Number(b, values.entries) != entriesBefore;
  values.entries = entriesBefore;
  part.countEntries(Number(b, 1), any, values);
}

void CountedEntries::add(AppendOp, Condition condition, Carried &values) {
  part.countEntries(Number(b, 1), condition, values);
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
  part.countEntries(Number(b, 1), condition, values);
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
  part.countEntries(Number(b, 1), condition, values);
  Value value = part.mapping.lookupOrDefault(op.getValue());
  Value at = part.places.location(part.blockPosition(values), part.coordinates);
  emitIf(b, condition, [&] { storeValue(value, at); });
}
