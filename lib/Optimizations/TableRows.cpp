//===- TableRows.cpp - Hash tables of short rows in shared memory ---------===//
//
// Consumes and leaves what nacho-share-rows makes. A row is what lies in one
// block from the first operation that inserts into a workspace up to the drain
// of it, which leaves the workspace empty.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Arith.h"
#include "nacho/IR/Lanes.h"
#include "nacho/IR/Nacho.h"
#include "nacho/Optimizations/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOTABLEROWS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Number of coordinates that a row inserts
//===----------------------------------------------------------------------===//

namespace {
/// Emits, before the first operation of a row, code that finds how often loops
/// of the row insert. It computes again what the bounds of these depend on.
class StepCounter {
public:
  StepCounter(ImplicitLocOpBuilder &b, Operation *first, Lanes lanes,
              const SetVector<Operation *> &inserting)
      : b(b), first(first), lanes(lanes), inserting(inserting) {}

  /// The number of insertions of an operation of the row that this lane counts;
  /// null if that cannot be known before they are made.
  Value count(Operation *op);

private:
  bool isKnown(Value value) const;
  Value copy(Value value);
  Value countBlock(Block *body);
  Value countSteps(scf::ForOp loop);
  Value countInLoop(scf::ForOp loop);
  Value countInBranch(scf::IfOp branch);

  ImplicitLocOpBuilder &b;
  Operation *first;
  Lanes lanes;
  /// The operations of the row that have, or are, an insertion.
  const SetVector<Operation *> &inserting;
  bool isInLoop = false; ///< Whether lanes take different steps already.
  IRMapping copies;      ///< Those of the region in which code is emitted.
};
} // namespace

/// Whether a value is known before the row begins.
bool StepCounter::isKnown(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = value.getParentBlock()->getParentOp();
  Operation *inRow = first->getBlock()->findAncestorOpInBlock(*op);
  return !inRow || inRow->isBeforeInBlock(first);
}

/// A value as it is where code is emitted; null if it depends on what a loop
/// carries, or on what is written.
Value StepCounter::copy(Value value) {
  if (Value known = copies.lookupOrNull(value))
    return known;
  if (isKnown(value))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 ||
      !(isMemoryEffectFree(op) || hasSingleEffect<MemoryEffects::Read>(op)))
    return nullptr;
  for (Value operand : op->getOperands())
    if (!copy(operand))
      return nullptr;
  b.clone(*op, copies);
  return copies.lookup(value);
}

Value StepCounter::count(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (loop && llvm::none_of(inserting, [&](Operation *other) {
        return isa<scf::ForOp>(other) && loop->isProperAncestor(other);
      }))
    return countSteps(loop);
  if (loop)
    return countInLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return countInBranch(branch);
  return nullptr;
}

Value StepCounter::countBlock(Block *body) {
  Number all(b, 0);
  for (Operation &op : *body)
    if (inserting.contains(&op)) {
      Value more = count(&op);
      if (!more)
        return nullptr;
      all = all + more;
    }
  return all;
}

/// A loop that inserts, of whose steps every lane takes one in 32. If all lanes
/// count its steps alike, only the first one's are needed.
Value StepCounter::countSteps(scf::ForOp loop) {
  auto begin = loop.getLowerBound().getDefiningOp<arith::AddIOp>();
  if (!begin || begin.getRhs() != lanes.lane())
    return nullptr;
  Value from = copy(begin.getLhs()), to = copy(loop.getUpperBound());
  if (!from || !to)
    return nullptr;
  Number steps = maxSigned(Number(b, to) - from, 0);
  int64_t inserts = llvm::count_if(inserting, [&](Operation *op) {
    return isa<InsertOp>(op) && loop->isAncestor(op);
  });
  steps = steps * inserts;
  if (isInLoop)
    return steps;
  return select(Number(b, lanes.isFirst(b)), steps, 0);
}

/// Lanes count what is inserted in different steps of the outermost loop.
Value StepCounter::countInLoop(scf::ForOp loop) {
  Value from = copy(loop.getLowerBound()), to = copy(loop.getUpperBound());
  if (!from || !to || !matchPattern(loop.getStep(), m_One()))
    return nullptr;
  auto counting = scf::ForOp::create(b, from, to, Number(b, 1), Number(b, 0));
  if (!isInLoop)
    lanes.takeSteps(counting);
  OpBuilder::InsertionGuard guard(b);
  llvm::SaveAndRestore inLoop(isInLoop, true);
  llvm::SaveAndRestore scope(copies);
  b.setInsertionPointToStart(counting.getBody());
  copies.map(loop.getInductionVar(), counting.getInductionVar());
  Value own = countBlock(loop.getBody());
  if (!own)
    return nullptr;
  scf::YieldOp::create(b, Number(b, counting.getRegionIterArg(0)) + own);
  return counting.getResult(0);
}

Value StepCounter::countInBranch(scf::IfOp branch) {
  Value condition = copy(branch.getCondition());
  if (!condition)
    return nullptr;
  auto counting =
      scf::IfOp::create(b, b.getIndexType(), condition, /*withElse=*/true);
  for (auto [from, to] :
       llvm::zip(branch->getRegions(), counting->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    llvm::SaveAndRestore scope(copies);
    b.setInsertionPointToStart(&to.front());
    Value own = from.empty() ? Number(b, 0) : countBlock(&from.front());
    if (!own)
      return nullptr;
    scf::YieldOp::create(b, own);
  }
  return counting.getResult(0);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// The rows that a workspace of lanes collects.
class TabledRows {
public:
  TabledRows(WorkspaceOp workspace, int64_t most)
      : workspace(workspace), most(most), lanes(workspace.getLane()) {}

  /// Finds where a row begins and ends.
  bool find();
  void split();

private:
  Value countAll(ImplicitLocOpBuilder &b);

  WorkspaceOp workspace;
  int64_t most;
  Lanes lanes;
  Operation *first = nullptr;
  DrainOp drain; ///< The last operation of the row.
  SetVector<Operation *> inserting;
};
} // namespace

bool TabledRows::find() {
  for (Operation *user : workspace->getUsers())
    if (auto op = dyn_cast<DrainOp>(user)) {
      if (drain)
        return false;
      drain = op;
    }
  if (!drain)
    return false;
  Block *row = drain->getBlock();
  for (Operation *user : workspace->getUsers()) {
    Operation *inRow = row->findAncestorOpInBlock(*user);
    if (!inRow || !isa<InsertOp, DrainOp>(user))
      return false;
    if (user == drain)
      continue;
    if (!inRow->isBeforeInBlock(drain))
      return false;
    if (!first || inRow->isBeforeInBlock(first))
      first = inRow;
    for (Operation *op = user; op != row->getParentOp(); op = op->getParentOp())
      inserting.insert(op);
  }
  return first;
}

/// The most coordinates that the row inserts, if these are not more than a
/// table has room for; null if that is not known.
Value TabledRows::countAll(ImplicitLocOpBuilder &b) {
  StepCounter counter(b, first, lanes, inserting);
  Number own(b, 0);
  for (Operation *op = first; op != drain; op = op->getNextNode())
    if (inserting.contains(op)) {
      Value more = counter.count(op);
      if (!more)
        return nullptr;
      own = own + more;
    }
  // Sums of these take 32 bits.
  own = min(own, most + 1).as(b.getI32Type());
  return Number(b, lanes.sum(b, own)).asIndex();
}

void TabledRows::split() {
  Operation *before = first->getPrevNode();
  ImplicitLocOpBuilder b(first->getLoc(), first);
  Value all = countAll(b);
  if (!all) {
    // Some of the code that counts may be there.
    while (first->getPrevNode() != before)
      first->getPrevNode()->erase();
    return;
  }
  SmallVector<Operation *> row;
  for (Operation *op = first; op != drain; op = op->getNextNode())
    row.push_back(op);
  row.push_back(drain);
  auto isLater = [&](Operation *user) {
    return drain->isBeforeInBlock(
        drain->getBlock()->findAncestorOpInBlock(*user));
  };
  SmallVector<Value> results;
  for (Operation *op : row)
    llvm::copy_if(
        op->getResults(), std::back_inserter(results),
        [&](Value value) { return llvm::any_of(value.getUsers(), isLater); });
  Value isShort = Number(b, all) <= most;
  auto choice = scf::IfOp::create(b, ValueRange(results).getTypes(), isShort,
                                  /*withElse=*/true);
  for (auto [value, chosen] : llvm::zip(results, choice.getResults()))
    value.replaceUsesWithIf(
        chosen, [&](OpOperand &use) { return isLater(use.getOwner()); });
  b.setInsertionPointToStart(choice.thenBlock());
  IRMapping inTable;
  Value table = LaneTableOp::create(b, workspace.getType(), all, most,
                                    lanes.lane(), workspace.getStatus());
  inTable.map(workspace.getResult(), table);
  for (Operation *op : row)
    b.clone(*op, inTable);
  if (!results.empty())
    scf::YieldOp::create(b, llvm::map_to_vector(results, [&](Value value) {
                           return inTable.lookup(value);
                         }));
  b.setInsertionPointToStart(choice.elseBlock());
  for (Operation *op : row)
    op->moveBefore(choice.elseBlock(), b.getInsertionPoint());
  if (!results.empty())
    scf::YieldOp::create(b, results);
}

namespace {
struct TableRows : nacho::impl::NachoTableRowsBase<TableRows> {
  using NachoTableRowsBase::NachoTableRowsBase;

  void runOnOperation() override {
    SmallVector<WorkspaceOp> workspaces;
    getOperation().walk([&](WorkspaceOp op) {
      if (op.getLane())
        workspaces.push_back(op);
    });
    for (WorkspaceOp op : workspaces)
      if (TabledRows rows(op, most); rows.find())
        rows.split();
  }
};
} // namespace
