//===- WorkspaceEntries.cpp - Entries that a part collects in a workspace -===//

#include "Entries.h"
#include "FiberTables.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

namespace {

/// The base of counting and of adding up in a workspace, which holds one row
/// and is drained when the outer loops move on. If each coordinate of the row
/// is one of the same fiber, as in masked products, the workspace holds its
/// number among these: they are few, and lie side by side.
class RowEntries : public Entries {
public:
  RowEntries(Part &part, Type element)
      : Entries(part), mask(findMask(layout)), element(element) {}

  void start(Carried &) override {
    Value slot = SlotOp::create(b, b.getIndexType());
    Value extent = part.places.extent(level());
    const PhaseArguments &args = part.args;
    NameScope name(b, "sums");
    workspace = WorkspaceOp::create(
        b, WorkspaceType::get(b.getContext(), element),
        args.keys.value_or(Value()), args.marks, args.sums.value_or(Value()),
        isFlat(), slot, /*lane=*/Value(), extent, args.status);
  }

  void leaveOuter(CoiterateOp, Value, Carried &values) override {
    drain(values);
  }

  void leaveLoops(Carried &values) override {
    if (layout.numOuter == 0)
      drain(values);
  }

protected:
  virtual void drain(Carried &values) = 0;

  unsigned level() const { return *layout.workspaceLevel; }

  /// The fiber of which the workspace has numbers; none if it has coordinates.
  std::optional<Value> maskIn(const Carried &values) {
    if (!mask)
      return std::nullopt;
    return FiberTables::fiberInTable(part, mask, values);
  }

  /// How many children this fiber has: all numbers are below.
  Value childrenIn(const Carried &values) {
    return isFlat() ? FiberTables::numberInTable(part, mask, values) : Value();
  }

  /// workspace[coordinate] += value; returns whether the coordinate is new.
  Value insert(AppendOp op, std::optional<Value> value) {
    Value coordinate = part.coordinates[level()], key = coordinate;
    if (mask)
      key = ChildNumberOp::create(b, b.getIndexType(),
                                  part.mapping.lookup(mask.getChild()),
                                  part.mapping.lookup(mask.getFiber()));
    NestOp nest = layout.nest;
    MonoidAttr monoid = nest.getReduceAttr();
    if (monoid)
      monoid = monoid.from(nullptr);
    if (!value || (monoid && monoid.isSum()))
      monoid = {};
    auto insert = InsertOp::create(b, b.getI1Type(), value.value_or(Value()),
                                   key, workspace, /*distinct=*/false, monoid);
    auto loop = insert->getParentOfType<CoiterateOp>();
    insert.setDistinct(loop && coordinate == loop.getCoordinate());
    return insert;
  }

  Value workspace;

private:
  bool isFlat() const { return mask && !part.args.keys; }
  static FindOp findMask(const ResultLayout &layout);

  /// The lookup that finds whatever is appended; null if there is none.
  FindOp mask;
  Type element;
};

/// Counts an entry when its coordinate is new in the workspace, which holds
/// coordinates only.
class CountedRows : public RowEntries {
public:
  explicit CountedRows(Part &part)
      : RowEntries(part, NoneType::get(part.b.getContext())) {}

protected:
  void add(AppendOp op, Condition condition, Carried &values) override {
    Value isNew = insertIf(op, condition);
    part.countEntries(Number(b, 1), isNew, values);
  }

  void drain(Carried &values) override {
    DrainOp::create(b, workspace, childrenIn(values), ValueRange());
  }

private:
  Value insertIf(AppendOp op, Condition condition) {
    if (condition.isAlways())
      return insert(op, std::nullopt);
    auto ifCondition = scf::IfOp::create(b, b.getI1Type(), condition.flag(),
                                         /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifCondition.thenBlock());
    scf::YieldOp::create(b, insert(op, std::nullopt));
    b.setInsertionPointToStart(ifCondition.elseBlock());
    Value no = Number::flag(b, false);
    scf::YieldOp::create(b, no);
    return ifCondition.getResult(0);
  }
};

/// Adds up values in the workspace, and makes entries of the sums.
class AddedRows : public RowEntries {
public:
  AddedRows(Part &part, std::optional<unsigned> partLevel)
      : RowEntries(part, part.layout.type.getElementType()),
        partLevel(partLevel) {}

protected:
  void add(AppendOp op, Condition condition, Carried &values) override {
    Value value = part.mapping.lookupOrDefault(op.getValue());
    emitIf(b, condition, [&] { insert(op, value); });
  }

  void drain(Carried &values) override {
    std::optional<Value> mask = maskIn(values);
    auto drain =
        DrainOp::create(b, workspace, childrenIn(values), values.entries);
    values.entries = drain.getResult(0);
    if (partLevel)
      part.coordinates[*partLevel] = part.number;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(drain.getBodyBlock());
    part.coordinates[level()] =
        mask ? ChildCoordinateOp::create(b, b.getIndexType(), drain.getKey(),
                                         *mask)
             : drain.getKey();
    Value offset = drain.getCarried().front();
    makeEntry(emitFromStart(drain.getValue()), offset);
    Value next = Number(b, offset) + 1;
    YieldOp::create(b, next);
  }

private:
  /// The entry for what has been added up.
  Value emitFromStart(Value sum) {
    NestOp nest = layout.nest;
    return nest.getReduce() ? nest.getReduce()->emitFromStart(b, sum) : sum;
  }

  std::optional<unsigned> partLevel;
};

} // namespace

/// Whether a condition only holds if a lookup finds something.
static bool implies(Value condition, FindOp find) {
  if (!condition)
    return false;
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return implies(both.getLhs(), find) || implies(both.getRhs(), find);
  auto present = condition.getDefiningOp<PresentOp>();
  return present && present.getFiber() == find.getChild();
}

FindOp RowEntries::findMask(const ResultLayout &layout) {
  auto isMask = [&](FindOp find) {
    if (!find.getOfRow() || find.getFiber().getDefiningOp<ChildrenAtOp>())
      return false;
    return !NestOp(layout.nest)
                .walk([&](AppendOp append) {
                  return implies(append.getCondition(), find)
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  };
  const auto *found = llvm::find_if(layout.finds, isMask);
  return found == layout.finds.end() ? FindOp() : *found;
}

std::unique_ptr<Entries>
nacho::makeWorkspaceEntries(Part &part, std::optional<unsigned> partLevel) {
  if (part.isCounting())
    return std::make_unique<CountedRows>(part);
  return std::make_unique<AddedRows>(part, partLevel);
}
