//===- ShareRows.cpp - Rows shared by the lanes of a warp -----------------===//
//
// Consumes and leaves the parts of stage `scf`, before workspaces are lowered.
// All lanes run the code of a part; what tells them apart is which steps they
// take of loops that insert, and which coordinates they drain. The entries of a
// row are added up in the same order as by one lane: a loop inserts each
// coordinate once, and lanes wait for each other between loops.
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
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOSHAREROWS
#include "nacho/Optimizations/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
/// A part that adds up rows in workspaces.
class PartOfRows {
public:
  PartOfRows(ParallelOp workers, int64_t numLanes)
      : workers(workers), numLanes(numLanes) {}

  /// Whether lanes can do it together.
  bool find();
  void share();

private:
  /// A value that a loop carries, which each lane has for its own steps.
  using Carried = std::pair<scf::ForOp, unsigned>;

  bool addWorkspaces();
  bool addInsert(InsertOp insert);
  bool addCarried(scf::ForOp loop);
  bool add(Operation *op);
  bool isOfLanes(Operation *op) const;
  bool isOfLoops(Operation *op) const;
  void takeSteps(scf::ForOp loop);
  void addUp(Carried first);

  ParallelOp workers;
  SmallVector<WorkspaceOp> workspaces;
  SetVector<Operation *> loops; ///< Those that insert.
  SetVector<Carried> counts;
  SmallVector<Operation *> writes; ///< Outside of these loops, and of drains.
  DenseSet<Value> read, written;
  int64_t numLanes;
  Lanes lanes;
  Value isFirst;
};
} // namespace

//===----------------------------------------------------------------------===//
// Abilities of lanes
//===----------------------------------------------------------------------===//

/// The number that a drain carries, to which each coordinate adds 1.
static bool carriesPosition(DrainOp drain) {
  if (drain.getInits().empty())
    return true;
  auto next = drain.getBodyBlock()
                  ->getTerminator()
                  ->getOperand(0)
                  .getDefiningOp<arith::AddIOp>();
  return drain.getInits().size() == 1 && next &&
         next.getLhs() == drain.getCarried().front() &&
         matchPattern(next.getRhs(), m_One());
}

bool PartOfRows::addWorkspaces() {
  workers.getBody().walk([&](WorkspaceOp op) { workspaces.push_back(op); });
  for (WorkspaceOp workspace : workspaces) {
    if (workspace.getKeys() || workspace.getLane())
      return false;
    for (Operation *user : workspace->getUsers()) {
      auto drain = dyn_cast<DrainOp>(user);
      auto insert = dyn_cast<InsertOp>(user);
      if (!(drain && carriesPosition(drain)) && !(insert && addInsert(insert)))
        return false;
    }
  }
  return !workspaces.empty();
}

bool PartOfRows::addInsert(InsertOp insert) {
  Operation *around = insert->getParentOp();
  while (isa<scf::IfOp>(around))
    around = around->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(around);
  if (!insert.getDistinct() || !loop || !workers->isProperAncestor(loop) ||
      !matchPattern(loop.getStep(), m_One()))
    return false;
  loops.insert(loop);
  return true;
}

/// Whether lanes do an operation in steps of their own, of loops that insert.
bool PartOfRows::isOfLoops(Operation *op) const {
  for (Operation *around = op->getParentOp(); around != workers;
       around = around->getParentOp())
    if (loops.contains(around))
      return true;
  return false;
}

/// Whether an operation differs between lanes.
bool PartOfRows::isOfLanes(Operation *op) const {
  return op->getParentOfType<DrainOp>() || isOfLoops(op);
}

/// Whether a flag only leads to bits of the status, which each lane may set.
static bool onlyReports(Value flag) {
  return llvm::all_of(flag.getUsers(), [](Operation *user) {
    auto branch = dyn_cast<scf::IfOp>(user);
    auto reports = [](Operation &op) {
      auto update = dyn_cast<memref::AtomicRMWOp>(op);
      return update ? update.use_empty() : isPure(&op);
    };
    return branch && branch.getNumResults() == 0 &&
           llvm::all_of(*branch.thenBlock(), reports) &&
           (!branch.elseBlock() || llvm::all_of(*branch.elseBlock(), reports));
  });
}

/// Adds what a loop carries: values that stay the same, numbers to which each
/// step adds something, and flags that report something.
bool PartOfRows::addCarried(scf::ForOp loop) {
  for (unsigned n = 0; n < loop.getNumResults(); ++n) {
    BlockArgument before = loop.getRegionIterArg(n);
    Value after = loop.getYieldedValues()[n];
    if (after == before)
      continue;
    Operation *op = after.getDefiningOp();
    if (!isa_and_nonnull<arith::AddIOp, arith::OrIOp>(op) ||
        op->getOperand(0) != before || !before.hasOneUse())
      return false;
    if (isa<arith::AddIOp>(op))
      counts.insert({loop, n});
    else if (!onlyReports(loop.getResult(n)))
      return false;
  }
  return true;
}

/// Adds an operation of the part.
bool PartOfRows::add(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && loops.contains(op))
    return !isOfLanes(op) && addCarried(loop);
  if (isa<DrainOp>(op))
    return !isOfLanes(op);
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    read.insert(load.getMemRef());
    return true;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    written.insert(store.getMemRef());
    if (!isOfLanes(op))
      writes.push_back(op);
    return !isOfLoops(op);
  }
  if (auto update = dyn_cast<memref::AtomicRMWOp>(op)) {
    written.insert(update.getMemref());
    return update.getKind() == arith::AtomicRMWKind::ori && update.use_empty();
  }
  return isa<InsertOp, WorkspaceOp, SlotOp, scf::ForOp, scf::IfOp, scf::WhileOp,
             memref::PrefetchOp>(op) ||
         isMemoryEffectFree(op);
}

bool PartOfRows::find() {
  if (!workers.getBodyBlock()->getOps<LaneOp>().empty() || !addWorkspaces())
    return false;
  WalkResult result = workers.getBody().walk([&](Operation *op) -> WalkResult {
    return add(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted() && llvm::none_of(written, [&](Value array) {
    return read.contains(array);
  });
}

//===----------------------------------------------------------------------===//
// Operations of lanes
//===----------------------------------------------------------------------===//

void PartOfRows::takeSteps(scf::ForOp loop) {
  lanes.takeSteps(loop);
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  b.setInsertionPointAfter(loop);
  LaneSyncOp::create(b);
}

/// Lets each lane add up a number in its own steps: from what there was before
/// in the first lane, and from 0 in the others. The lanes' numbers are added up
/// where more is done with it than to go on, in further loops.
void PartOfRows::addUp(Carried first) {
  scf::ForOp outer = first.first;
  unsigned number = first.second;
  Value sum = outer.getResult(number);
  counts.remove(first);
  while (sum.hasOneUse()) {
    OpOperand &use = *sum.use_begin();
    auto next = dyn_cast<scf::ForOp>(use.getOwner());
    auto around = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
    if (next && use.getOperandNumber() >= next.getNumControlOperands()) {
      unsigned n = use.getOperandNumber() - next.getNumControlOperands();
      if (!counts.remove({next, n}))
        break;
      sum = next.getResult(n);
    } else if (isa<scf::YieldOp>(use.getOwner()) && around) {
      unsigned n = use.getOperandNumber();
      if (outer.getInitArgs()[number] != around.getRegionIterArg(n) ||
          !around.getRegionIterArg(n).hasOneUse())
        break;
      outer = around;
      number = n;
      sum = around.getResult(n);
    } else {
      break;
    }
  }
  ImplicitLocOpBuilder b(outer.getLoc(), outer);
  OpOperand &init = outer.getInitArgsMutable()[number];
  Number zero(b, 0, sum.getType());
  init.set(select(Number(b, isFirst), init.get(), zero));
  b.setInsertionPointAfterValue(sum);
  SmallVector<OpOperand *> uses(llvm::make_pointer_range(sum.getUses()));
  Value total = lanes.sum(b, sum);
  for (OpOperand *use : uses)
    use->set(total);
}

void PartOfRows::share() {
  auto b = ImplicitLocOpBuilder::atBlockBegin(workers.getLoc(),
                                              workers.getBodyBlock());
  lanes = Lanes::create(b, numLanes);
  isFirst = lanes.isFirst(b);
  for (WorkspaceOp workspace : workspaces)
    workspace.getLaneMutable().assign(lanes.lane());
  while (!counts.empty())
    addUp(counts.front());
  for (Operation *loop : loops)
    takeSteps(cast<scf::ForOp>(loop));
  for (Operation *op : writes)
    Lanes::doOnce(op, isFirst);
}

namespace {
struct ShareRows : nacho::impl::NachoShareRowsBase<ShareRows> {
  using NachoShareRowsBase::NachoShareRowsBase;

  void runOnOperation() override {
    getOperation().walk([&](ParallelOp workers) {
      if (PartOfRows part(workers, lanes); part.find())
        part.share();
    });
  }
};
} // namespace
