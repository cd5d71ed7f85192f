//===- FiberTables.cpp - Tables for the lookups of a part -----------------===//

#include "FiberTables.h"

#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// The position that the loops carry for a table without a fiber in it. It is
/// the position of an absent fiber.
static constexpr int64_t kNoFiber = -1;

static unsigned numberOf(const Part &part, FindOp find) {
  return llvm::find(part.layout.finds, find) - part.layout.finds.begin();
}

/// The numbers that the loops carry for a table: the position of the fiber in
/// it, or of its first child if a list keeps children; and the number of its
/// children.
static constexpr unsigned kCarried = 2;

Value FiberTables::fiberInTable(Part &part, FindOp find,
                                const Carried &values) {
  Value root = part.mapping.lookup(rootOf(find.getFiber()).getResult());
  unsigned first = kCarried * numberOf(part, find);
  return FiberAtOp::create(part.b, find.getFiber().getType(), root,
                           values.tables[first], /*end=*/Value(),
                           /*certain=*/true);
}

Value FiberTables::numberInTable(Part &part, FindOp find,
                                 const Carried &values) {
  return values.tables[kCarried * numberOf(part, find) + 1];
}

void FiberTables::start(Carried &carried) {
  if (part.layout.finds.empty())
    return;
  ImplicitLocOpBuilder &b = part.b;
  Value slot = SlotOp::create(b, b.getIndexType());
  for (auto [op, table] : llvm::zip(part.layout.finds, part.args.tables)) {
    Value fiber = FindOp(op).getFiber();
    RootOp root = rootOf(fiber);
    Number level(b, cast<FiberType>(fiber.getType()).getLevel());
    Value extent = sparse_tensor::LvlOp::create(
        b, part.mapping.lookup(root.getTensor()), level);
    auto numbers = cast<MemRefType>(table.numbers.getType());
    NameScope name(b, "table");
    tables.push_back(WorkspaceOp::create(
        b, WorkspaceType::get(b.getContext(), numbers.getElementType()),
        table.keys, table.marks, table.numbers, /*flat=*/false, slot,
        /*lane=*/Value(), extent, part.args.status));
    carried.tables.append({Number(b, kNoFiber), Number(b, 0)});
  }
}

/// Where a fiber is: the position of its parent, or where its children begin if
/// a list keeps these.
static Value placeOf(ImplicitLocOpBuilder &b, Value fiber) {
  if (auto children = fiber.getDefiningOp<ChildrenAtOp>())
    return min(Number(b, children.getBegin()), children.getEnd());
  return PositionOp::create(b, fiber, /*end=*/false);
}

static Value countChildren(ImplicitLocOpBuilder &b, Value fiber) {
  if (auto children = fiber.getDefiningOp<ChildrenAtOp>())
    return Number(b, children.getEnd()) - placeOf(b, fiber);
  return CostOp::create(b, b.getIndexType(), CostKind::loops, fiber, Value(),
                        /*below=*/0);
}

/// count = if another fiber is in the table, or other children of a list:
///   renew the table
///   for k of fiber: table[k] = number of the child at k
///   the number of children
///
/// What has been added up for a fiber ends where it did when it was put into
/// the table, whatever its operand became in the meantime.
void FiberTables::fillFor(CoiterateOp loop, Carried &values) {
  ImplicitLocOpBuilder &b = part.b;
  for (auto find : loop.getBody().getOps<FindOp>()) {
    unsigned number = numberOf(part, find);
    MutableArrayRef<Value> inTable =
        MutableArrayRef(values.tables).slice(kCarried * number, kCarried);
    Value fiber = part.mapping.lookup(find.getFiber());
    Value place = placeOf(b, fiber);
    Number isOther = Number(b, place) != inTable[0];
    if (fiber.getDefiningOp<ChildrenAtOp>())
      isOther = isOther | (Number(b, countChildren(b, fiber)) != inTable[1]);
    auto ifOther = scf::IfOp::create(b, b.getIndexType(), isOther,
                                     /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOther.elseBlock());
    scf::YieldOp::create(b, inTable[1]);
    b.setInsertionPointToStart(ifOther.thenBlock());
    scf::YieldOp::create(b, fill(tables[number], fiber, loop));
    inTable[0] = place;
    inTable[1] = ifOther.getResult(0);
  }
}

/// Puts a fiber into a table. Returns the number of its children.
Value FiberTables::fill(WorkspaceOp table, Value fiber, CoiterateOp loop) {
  ImplicitLocOpBuilder &b = part.b;
  Value count = countChildren(b, fiber);
  RenewOp::create(b, table, count);
  auto fill = CoiterateOp::create(b, fiber, ValueRange(), Value(),
                                  MergeAttr::get(b.getContext(), 0u),
                                  loop.getIndexNameAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(fill.getBodyBlock());
  Value child = ChildNumberOp::create(b, b.getIndexType(),
                                      fill.getChildren().front(), fiber);
  Type type = table.getType().getElement();
  InsertOp::create(b, b.getI1Type(), Number(b, child).as(type),
                   fill.getCoordinate(), table, /*distinct=*/false,
                   MonoidAttr());
  YieldOp::create(b, ValueRange());
  return count;
}

void FiberTables::emit(FindOp find) {
  auto now = cast<FindOp>(part.b.clone(*find, part.mapping));
  now.getTableMutable().assign(tables[numberOf(part, find)]);
}

void FiberTables::clear() {
  Value none = Number(part.b, 0);
  for (WorkspaceOp table : tables)
    RenewOp::create(part.b, table, none);
}
