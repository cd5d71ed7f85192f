//===- FiberTables.cpp - Tables for the lookups of a part -----------------===//

#include "FiberTables.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"

using namespace mlir;
using namespace nacho;

/// The position that the loops carry for a table without a fiber in it. It is
/// the position of an absent fiber.
static constexpr int64_t kNoFiber = -1;

unsigned FiberTables::numberOf(FindOp find) const {
  return llvm::find(part.layout.finds, find) - part.layout.finds.begin();
}

void FiberTables::start(Carried &carried) {
  if (part.layout.finds.empty())
    return;
  ImplicitLocOpBuilder &b = part.b;
  Value slot = SlotOp::create(b, b.getIndexType());
  auto type = WorkspaceType::get(b.getContext(), b.getI64Type());
  for (auto [op, table] : llvm::zip(part.layout.finds, part.args.tables)) {
    Value fiber = FindOp(op).getFiber();
    RootOp root = rootOf(fiber);
    Number level(b, cast<FiberType>(fiber.getType()).getLevel());
    Value extent = sparse_tensor::LvlOp::create(
        b, part.mapping.lookup(root.getTensor()), level);
    NameScope name(b, "table");
    tables.push_back(
        WorkspaceOp::create(b, type, table.keys, table.marks, table.positions,
                            slot, /*lane=*/Value(), extent, part.args.status));
    carried.tables.push_back(Number(b, kNoFiber));
  }
}

/// What tells a fiber from others of its tensor: its position or, of children
/// that a list keeps, that of the first. There is one, or no coordinate is
/// looked up.
static Value identify(ImplicitLocOpBuilder &b, Value fiber) {
  if (auto children = fiber.getDefiningOp<ChildrenAtOp>())
    return children.getBegin();
  return PositionOp::create(b, fiber, /*end=*/false);
}

/// if position(fiber) != position of the fiber in the table:
///   clear the table
///   for k of fiber: table[k] = position of the child at k
void FiberTables::fillFor(CoiterateOp loop, Carried &values) {
  ImplicitLocOpBuilder &b = part.b;
  for (auto find : loop.getBody().getOps<FindOp>()) {
    unsigned number = numberOf(find);
    Value &inTable = values.tables[number];
    Value fiber = part.mapping.lookup(find.getFiber());
    Value position = identify(b, fiber);
    Value isOther = Number(b, position) != inTable;
    emitIf(b, isOther, [&] {
      DrainOp::create(b, tables[number], ValueRange());
      auto fill = CoiterateOp::create(b, fiber, ValueRange(), Value(),
                                      MergeAttr::get(b.getContext(), 0u),
                                      loop.getIndexNameAttr());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(fill.getBodyBlock());
      Value child =
          PositionOp::create(b, fill.getChildren().front(), /*end=*/false);
      InsertOp::create(b, b.getI1Type(),
                       Number(b, child).asSigned(b.getI64Type()),
                       fill.getCoordinate(), tables[number],
                       /*distinct=*/false, MonoidAttr());
      YieldOp::create(b, ValueRange());
    });
    inTable = position;
  }
}

void FiberTables::emit(FindOp find) {
  auto now = cast<FindOp>(part.b.clone(*find, part.mapping));
  now.getTableMutable().assign(tables[numberOf(find)]);
}

void FiberTables::clear() {
  for (Value table : tables)
    DrainOp::create(part.b, table, ValueRange());
}
