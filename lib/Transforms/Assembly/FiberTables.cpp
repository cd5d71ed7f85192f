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

static unsigned numberOf(const Part &part, FindOp find) {
  return llvm::find(part.layout.finds, find) - part.layout.finds.begin();
}

/// Whether a list keeps the children of the fiber of a lookup.
static bool hasKeptChildren(FindOp find) {
  return find.getFiber().getDefiningOp<ChildrenAtOp>() != nullptr;
}

/// The first of the numbers, and how many there are, that the loops carry for
/// the table of a lookup.
static std::pair<unsigned, unsigned> carriedBy(const Part &part,
                                               unsigned number) {
  auto count = [](FindOp find) { return hasKeptChildren(find) ? 2u : 1u; };
  ArrayRef<FindOp> finds = part.layout.finds;
  unsigned first = 0;
  for (FindOp find : finds.take_front(number))
    first += count(find);
  return {first, count(finds[number])};
}

Value FiberTables::fiberInTable(Part &part, FindOp find,
                                const Carried &values) {
  Value root = part.mapping.lookup(rootOf(find.getFiber()).getResult());
  unsigned first = carriedBy(part, numberOf(part, find)).first;
  return FiberAtOp::create(part.b, find.getFiber().getType(), root,
                           values.tables[first], /*end=*/Value(),
                           /*certain=*/true);
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
    carried.tables.append(hasKeptChildren(op) ? 2 : 1, Number(b, kNoFiber));
  }
}

/// What tells a fiber from others of its tensor: its position or, of children
/// that a list keeps, where they begin and end.
static SmallVector<Value> identify(ImplicitLocOpBuilder &b, Value fiber) {
  if (auto children = fiber.getDefiningOp<ChildrenAtOp>())
    return {children.getBegin(), children.getEnd()};
  return {PositionOp::create(b, fiber, /*end=*/false)};
}

/// if position(fiber) != position of the fiber in the table:
///   clear the table
///   for k of fiber: table[k] = position of the child at k
void FiberTables::fillFor(CoiterateOp loop, Carried &values) {
  ImplicitLocOpBuilder &b = part.b;
  for (auto find : loop.getBody().getOps<FindOp>()) {
    unsigned number = numberOf(part, find);
    auto [first, count] = carriedBy(part, number);
    MutableArrayRef<Value> inTable =
        MutableArrayRef(values.tables).slice(first, count);
    Value fiber = part.mapping.lookup(find.getFiber());
    SmallVector<Value> wanted = identify(b, fiber);
    Number isOther = Number(b, wanted.front()) != inTable.front();
    for (unsigned n = 1; n < count; ++n)
      isOther = isOther | (Number(b, wanted[n]) != inTable[n]);
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
    llvm::copy(wanted, inTable.begin());
  }
}

void FiberTables::emit(FindOp find) {
  auto now = cast<FindOp>(part.b.clone(*find, part.mapping));
  now.getTableMutable().assign(tables[numberOf(part, find)]);
}

void FiberTables::clear() {
  for (Value table : tables)
    DrainOp::create(part.b, table, ValueRange());
}
