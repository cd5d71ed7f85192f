//===- PartEntries.cpp - The entries of one part --------------------------===//
//
// What an append means to the part: an entry more; a store into a block; or an
// element more of the sums that make up an entry, in registers or, if inner
// loops run over coordinates of the result, in a row of memory. Sums that
// the part does not have all of go to the partial entries.
//
//===----------------------------------------------------------------------===//

#include "PartBuilder.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

void PartBuilder::countEntries(Value number, Value condition, Values &values) {
  if (condition)
    number = arith::SelectOp::create(b, condition, number, constant(0));
  entriesOf(values) = arith::AddIOp::create(b, entriesOf(values), number);
}

void PartBuilder::emitAppend(AppendOp append, Values &values) {
  Value condition;
  if (append.getCondition())
    condition = mapping.lookupOrDefault(append.getCondition());
  condition = both(condition, finished);
  for (auto [level, coordinate] : llvm::enumerate(append.getCoordinates()))
    coordinates[level] = mapping.lookup(coordinate);
  if (layout.scattered) {
    Value value;
    if (!counting)
      value = mapping.lookupOrDefault(append.getValue());
    return collect(value, condition, values);
  }
  Value offset = entriesOf(values);
  countEntries(constant(1), condition, values);
  if (counting)
    return;
  Value value = mapping.lookupOrDefault(append.getValue());
  if (layout.sumsDraft()) {
    Value &sum = sumOf(0, values);
    Value before = sum;
    value = arith::AddIOp::create(b, before, value);
    sum = condition
              ? Value(arith::SelectOp::create(b, condition, value, before))
              : value;
  }
  if (layout.isDirect())
    return emitIf(b, condition, [&] { appendEntry(value, offset); });
  if (!layout.reduction)
    return store(value, condition, values);
  if (!reducesInRegister())
    return reduceInRow(append.getNumber(), value, condition);
  Value &reduced = sumOf(append.getNumber(), values);
  auto next = BinaryOp::create(b, *layout.reduction, reduced, value);
  next.setReassociable(true);
  reduced = condition
                ? Value(arith::SelectOp::create(b, condition, next, reduced))
                : Value(next);
}

/// Whether the coordinate, or key, that the last level's loop is at is inside
/// of its extent.
Value PartBuilder::isLastInside() {
  unsigned last = layout.structure - 1;
  CoiterateOp loop = layout.loopOfLevel[last];
  // What is no loop's can be anything.
  if (!loop)
    return arith::ConstantIntOp::create(b, 1, 1);
  Value at = layout.isFlat() ? mapping.lookup(loop.getCoordinate())
                             : coordinates[last];
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at,
                               emitExtent(b, loop, mapping));
}

/// values[offset] = value; crd[offset] = coordinate. Unless the operands
/// changed since they were checked and counted, the part has room for the entry
/// and the result for the coordinate. A draft has it in all but odd cases.
void PartBuilder::appendEntry(Value value, Value offset) {
  unsigned last = layout.structure - 1;
  Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, offset, end);
  Value inside = isLastInside();
  Value valid = arith::AndIOp::create(b, fits, inside);
  auto ifValid = scf::IfOp::create(b, valid, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifValid.thenBlock());
  memref::StoreOp::create(b, value, args.values, offset);
  for (unsigned from = firstSharing(layout.type, last); from <= last; ++from)
    storeIndex(b, coordinates[from], args.coordinates[from], offset);
  b.setInsertionPointToStart(ifValid.elseBlock());
  Value changed = arith::ConstantIntOp::create(
      b, layout.isDraft ? kDraftFull : kOperandsChanged, 32);
  Value outOfRange = arith::ConstantIntOp::create(b, kCoordinateOutOfRange, 32);
  setStatus(arith::SelectOp::create(b, inside, changed, outOfRange));
}

/// Never outside of the values, whatever has happened to the operands.
void PartBuilder::storeValue(Value value, Value at) {
  Value size = memref::DimOp::create(b, args.values, constant(0));
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, size);
  emitIf(b, inside,
         [&] { memref::StoreOp::create(b, value, args.values, at); });
}

/// An entry of a block that nothing is reduced to.
void PartBuilder::store(Value value, Value condition, Values &values) {
  Value at = layout.location(b, blockPosition(values), coordinates, mapping);
  emitIf(b, condition, [&] { storeValue(value, at); });
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

void PartBuilder::startWorkspace() {
  if (!layout.scattered)
    return;
  Value slot = SlotOp::create(b, b.getIndexType());
  Value extent = layout.extent(b, *layout.scattered, mapping);
  Type element = NoneType::get(b.getContext());
  if (args.sums)
    element = cast<MemRefType>(args.sums.getType()).getElementType();
  NameScope name(b, "sums");
  workspace = WorkspaceOp::create(
      b, WorkspaceType::get(b.getContext(), element), args.keys, args.marks,
      args.sums, slot, extent, args.status);
}

/// While counting, entries are counted when they are new.
void PartBuilder::collect(Value value, Value condition, Values &values) {
  Value key = coordinates[*layout.scattered];
  auto insert = [&] {
    return InsertOp::create(b, b.getI1Type(), value, key, workspace);
  };
  if (!counting)
    return emitIf(b, condition, [&] { insert(); });
  Value isNew;
  if (condition) {
    auto ifCondition =
        scf::IfOp::create(b, b.getI1Type(), condition, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifCondition.thenBlock());
    scf::YieldOp::create(b, insert().getIsNew());
    b.setInsertionPointToStart(ifCondition.elseBlock());
    Value no = arith::ConstantIntOp::create(b, 0, 1);
    scf::YieldOp::create(b, no);
    isNew = ifCondition.getResult(0);
  } else {
    isNew = insert();
  }
  countEntries(constant(1), isNew, values);
}

/// Appends what has been collected.
void PartBuilder::drainWorkspace(Values &values) {
  if (counting) {
    DrainOp::create(b, workspace, ValueRange());
    return;
  }
  auto drain = DrainOp::create(b, workspace, entriesOf(values));
  entriesOf(values) = drain.getResult(0);
  coordinates[*layout.scattered] = drain.getKey();
  if (NestOp(layout.nest).getCollect() == CollectKind::partSums)
    coordinates.back() = part;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(drain.getBodyBlock());
  Value offset = drain.getCarried().front();
  appendEntry(drain.getValue(), offset);
  Value next = arith::AddIOp::create(b, offset, constant(1));
  YieldOp::create(b, next);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Nothing is remembered yet: the position of a fiber that is absent.
void PartBuilder::startTables(Values &carried) {
  if (layout.finds.empty())
    return;
  Value slot = SlotOp::create(b, b.getIndexType());
  auto type = WorkspaceType::get(b.getContext(), b.getI64Type());
  for (auto [op, table] : llvm::zip(layout.finds, args.tables)) {
    Value fiber = FindOp(op).getFiber();
    RootOp root = rootOf(fiber);
    Value level = constant(cast<FiberType>(fiber.getType()).getLevel());
    Value extent = sparse_tensor::LvlOp::create(
        b, mapping.lookup(root.getTensor()), level);
    NameScope name(b, "table");
    tables.push_back(WorkspaceOp::create(b, type, table.keys, table.marks,
                                         table.positions, slot, extent,
                                         args.status));
    carried.push_back(constant(-1));
  }
}

/// if position(fiber) != remembered:
///   clear table; for k of fiber: table[k] = position of the child
void PartBuilder::rememberFibers(CoiterateOp loop, Values &values) {
  for (auto find : loop.getBody().getOps<FindOp>()) {
    unsigned number = llvm::find(layout.finds, find) - layout.finds.begin();
    Value &remembered = rememberedIn(number, values);
    Value fiber = mapping.lookup(find.getFiber());
    Value position = PositionOp::create(b, fiber, /*end=*/false);
    Value isOther = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, position,
                                          remembered);
    emitIf(b, isOther, [&] {
      DrainOp::create(b, tables[number], ValueRange());
      auto fill = CoiterateOp::create(b, fiber, ValueRange(), Value(),
                                      MergeAttr::get(b.getContext(), 0u));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(fill.getBodyBlock());
      Value child =
          PositionOp::create(b, fill.getChildren().front(), /*end=*/false);
      InsertOp::create(b, b.getI1Type(),
                       arith::IndexCastOp::create(b, b.getI64Type(), child),
                       fill.getCoordinate(), tables[number]);
      YieldOp::create(b, ValueRange());
    });
    remembered = position;
  }
}

void PartBuilder::clearTables() {
  for (Value table : tables)
    DrainOp::create(b, table, ValueRange());
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Part p has the partial rows 2 * p, of the entry that it completes but has
/// not begun alone, and 2 * p + 1, of the one that it has not completed.
Value PartBuilder::partialRow(bool isTail) {
  Value row = arith::MulIOp::create(b, part, constant(2));
  return isTail ? Value(arith::AddIOp::create(b, row, constant(1))) : row;
}

/// Rows are cleared when an entry is begun; until then they count nothing.
void PartBuilder::startPartials() {
  for (bool isTail : {false, true})
    memref::StoreOp::create(b, constant(0), args.visited, partialRow(isTail));
  if (layout.numOuter == 0)
    clearRow(partialRow(/*isTail=*/true));
}

void PartBuilder::clearRow(Value row) {
  Values identities = layout.identities(b);
  emitFor(b, constant(0), layout.rowSize(b, mapping), [&](Value n) {
    for (auto [identity, partials] : llvm::zip(identities, args.partials))
      memref::StoreOp::create(b, identity, partials, ValueRange{row, n});
  });
}

/// partials[row][number of the coordinates] += value
void PartBuilder::reduceInRow(unsigned sum, Value value, Value condition) {
  Value row = partialRow(/*isTail=*/true), number;
  for (unsigned level : layout.inner) {
    Value coordinate = coordinates[level];
    // What an operand stores can be anything.
    if (!visitsAll(layout.loopOfLevel[level]))
      condition =
          both(condition,
               arith::CmpIOp::create(b, arith::CmpIPredicate::ult, coordinate,
                                     layout.extent(b, level, mapping)));
    if (number) {
      Value extent = layout.extent(b, level, mapping);
      coordinate = arith::AddIOp::create(
          b, arith::MulIOp::create(b, number, extent), coordinate);
    }
    number = coordinate;
  }
  emitIf(b, condition, [&] {
    SmallVector<Value> at = {row, number};
    Value before = memref::LoadOp::create(b, args.partials[sum], at);
    Value after =
        BinaryOp::createCommutative(b, *layout.reduction, before, value);
    memref::StoreOp::create(b, after, args.partials[sum], at);
  });
}

void PartBuilder::keepPartial(Value row, Value count, ValueRange reduced) {
  memref::StoreOp::create(b, count, args.visited, row);
  for (auto [value, partials] : llvm::zip(reduced, args.partials))
    memref::StoreOp::create(b, value, partials, ValueRange{row, constant(0)});
}

SmallVector<Value> PartBuilder::loadPartials(Value row, Value number) {
  return llvm::map_to_vector(args.partials, [&](Value partials) -> Value {
    return memref::LoadOp::create(b, partials, ValueRange{row, number});
  });
}

/// The part has reduced an entry from its first to its last element.
void PartBuilder::writeWhole(Values &values, Value count, ValueRange reduced) {
  Value any;
  if (layout.structure > 0)
    any =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, count, constant(0));
  Value position = blockPosition(values);
  emitIf(b, any, [&] {
    if (!reduced.empty()) {
      Value at = layout.location(b, position, coordinates, mapping);
      return storeValue(layout.finish(b, reduced, count, mapping), at);
    }
    Value row = partialRow(/*isTail=*/true);
    layout.forRow(b, coordinates, mapping,
                  [&](Value number, ArrayRef<Value> at) {
                    storeValue(layout.finish(b, loadPartials(row, number),
                                             count, mapping),
                               layout.location(b, position, at, mapping));
                  });
  });
}

/// What was reduced at a coordinate goes to the result if the part has all of
/// it, else to the partial entries.
void PartBuilder::writeEntry(unsigned m, CoiterateOp loop, Values &values,
                             Value count, ValueRange reduced) {
  if (!layout.canSplit())
    return writeWhole(values, count, reduced);
  Value isBegun = negate(isOnCut(m, loop.getInnerLower()));
  Value whole = arith::AndIOp::create(b, isBegun, finished);
  auto ifWhole = scf::IfOp::create(b, whole, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifWhole.thenBlock());
  writeWhole(values, count, reduced);
  b.setInsertionPointToStart(ifWhole.elseBlock());
  Value head = partialRow(/*isTail=*/false), tail = partialRow(/*isTail=*/true);
  Value row = arith::SelectOp::create(b, finished, head, tail);
  keepPartial(row, count, reduced);
  if (!reduced.empty())
    return;
  emitIf(b, finished, [&] {
    layout.forRow(b, coordinates, mapping, [&](Value number, ArrayRef<Value>) {
      for (auto [entry, partials] :
           llvm::zip(loadPartials(tail, number), args.partials))
        memref::StoreOp::create(b, entry, partials, ValueRange{head, number});
    });
  });
}

void PartBuilder::setStatus(Value code) {
  memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, code, args.status,
                              ValueRange());
}
