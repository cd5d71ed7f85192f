//===- FindSlots.cpp - Parts that can append before they are counted ------===//

#include "RowsOfParts.h"
#include "TileSlots.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Loops that count, and loops that append
//===----------------------------------------------------------------------===//

/// Finds loops that lie in each other, and what counts the steps of one more.
/// Returns whether there is nothing else.
static bool findNest(Block::iterator begin, Block::iterator end,
                     SmallVectorImpl<CoiterateOp> &loops, CountOp &count) {
  Operation *found = nullptr;
  for (Operation &op : llvm::make_range(begin, end)) {
    if (isa<AccumulateOp>(op) || (found && isa<CoiterateOp, CountOp>(op)))
      return false;
    if (isa<CoiterateOp, CountOp>(op))
      found = &op;
  }
  if (auto loop = dyn_cast_or_null<CoiterateOp>(found)) {
    loops.push_back(loop);
    Block *body = loop.getBodyBlock();
    return findNest(body->begin(), body->end(), loops, count);
  }
  count = dyn_cast_or_null<CountOp>(found);
  return true;
}

bool TileSlots::findNests() {
  Block *body = counting.workers.getBodyBlock();
  Block::iterator begin = body->begin();
  for (auto sync : body->getOps<TileSyncOp>())
    begin = std::next(sync->getIterator());
  Block *other = append.workers.getBodyBlock();
  return findNest(begin, body->end(), counted.loops, counted.count) &&
         findNest(other->begin(), other->end(), appending.loops,
                  appending.count) &&
         counted.count && !appending.count &&
         counted.loops.size() + 1 == appending.loops.size();
}

/// Whether a value of the loops that count is the same as one of the others.
bool TileSlots::isAlike(Value one, Value other) {
  auto mine = dyn_cast<BlockArgument>(one);
  auto its = dyn_cast<BlockArgument>(other);
  auto *at = mine ? llvm::find(counted.loops, mine.getOwner()->getParentOp())
                  : counted.loops.end();
  if (!its || at == counted.loops.end())
    return areSame(counting, one, append, other);
  CoiterateOp loop = appending.loops[at - counted.loops.begin()];
  return its.getOwner() == loop.getBodyBlock() &&
         its.getArgNumber() == mine.getArgNumber();
}

/// Whether the loops that append visit the coordinates that are counted.
bool TileSlots::areAlike() {
  auto visitSame = [&](auto one, CoiterateOp other) {
    SmallVector<Value> mine = operandsOf(one), its = operandsOf(other);
    return one.getMerge() == other.getMerge() && mine.size() == its.size() &&
           one.getFibers().size() == other.getFibers().size() &&
           llvm::all_of(llvm::zip(mine, its), [&](auto both) {
             return isAlike(std::get<0>(both), std::get<1>(both));
           });
  };
  for (auto [one, other] : llvm::zip(counted.loops, appending.loops))
    if (!visitSame(one, other) || one.getNonempty() != other.getNonempty() ||
        !one.isBounded() || !other.isBounded())
      return false;
  return visitSame(counted.count, innermost()) &&
         innermost().getNonempty().empty() && counted.count.getLower() &&
         innermost().isBounded();
}

/// Follows a value that loops carry outwards, from what it is in the innermost
/// one to what it is before and after all of them. Returns whether they do
/// nothing else with it.
static bool followOut(ArrayRef<CoiterateOp> loops, Value &before,
                      Value &after) {
  for (CoiterateOp loop : llvm::reverse(loops)) {
    auto carried = loop.getCarried();
    unsigned n = llvm::find(carried, before) - carried.begin();
    if (n == carried.size() ||
        loop.getBodyBlock()->getTerminator()->getOperand(n) != after)
      return false;
    before = loop.getInits()[n];
    after = loop.getResult(n);
  }
  return true;
}

/// Finds where a part appends its entries: one in each step of the innermost
/// loop.
bool TileSlots::findEntries() {
  Operation *yield = innermost().getBodyBlock()->getTerminator();
  if (innermost().getInits().size() != 1)
    return false;
  Value before = innermost().getCarried()[0], after = yield->getOperand(0);
  auto sum = after.getDefiningOp<arith::AddIOp>();
  if (!sum || sum.getLhs() != before || !matchPattern(sum.getRhs(), m_One()) ||
      !followOut(appending.loops, before, after))
    return false;
  auto isOffset = [&](memref::LoadOp load, int64_t ahead) {
    return append.given(load.getMemRef()) == offsets &&
           isRowOf(append.workers, load.getIndices()[0], ahead);
  };
  place = before.getDefiningOp<memref::LoadOp>();
  if (!place || !isOffset(place, 0))
    return false;
  for (auto load : append.workers.getBodyBlock()->getOps<memref::LoadOp>())
    if (isOffset(load, 1) && load.getIndices()[1] == place.getIndices()[1])
      next = load;
  std::optional<int64_t> constant = getConstantIntValue(place.getIndices()[1]);
  column = constant.value_or(0);
  return constant && next;
}

/// Whether the entries that are counted are what is in their column.
bool TileSlots::areCounted(ArrayRef<Value> row) {
  Value all = counted.count.getCount();
  if (counted.loops.empty())
    return row[column] == all;
  if (all.hasOneUse())
    sum = dyn_cast<arith::AddIOp>(*all.getUsers().begin());
  if (!sum || sum.getRhs() != all)
    return false;
  Value before = sum.getLhs();
  all = sum;
  return followOut(counted.loops, before, all) &&
         matchPattern(before, m_Zero()) && row[column] == all;
}

//===----------------------------------------------------------------------===//
// What a step of the innermost loop does
//===----------------------------------------------------------------------===//

/// Finds what stores an entry:
///
///   if at < next and it is valid: store; else: say what is wrong
bool TileSlots::findGuard() {
  WalkResult result = innermost().getBody().walk([&](memref::StoreOp store) {
    auto around = dyn_cast<scf::IfOp>(store->getParentOp());
    bool isOther = guard && guard != around;
    guard = around;
    return isOther || !around || around->getParentOp() != innermost() ||
                   store->getBlock() != around.thenBlock()
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (result.wasInterrupted() || !guard || !guard.elseBlock())
    return false;
  isInSlots = guard.getCondition();
  if (auto both = isInSlots.getDefiningOp<arith::AndIOp>()) {
    isInSlots = both.getLhs();
    isValid = both.getRhs();
  }
  auto test = isInSlots.getDefiningOp<arith::CmpIOp>();
  return test && test.getPredicate() == arith::CmpIPredicate::ult &&
         test.getLhs() == innermost().getCarried()[0] &&
         test.getRhs() == next.getResult();
}

/// Finds the arrays to which entries are appended, and what says that one of
/// them is wrong.
bool TileSlots::findArrays() {
  for (auto store : guard.thenBlock()->getOps<memref::StoreOp>()) {
    if (store.getMemRefType().getRank() != 1 ||
        store.getIndices()[0] != innermost().getCarried()[0] ||
        llvm::is_contained(arrays, store.getMemRef()))
      return false;
    arrays.push_back(store.getMemRef());
  }
  for (auto update : guard.elseBlock()->getOps<memref::AtomicRMWOp>())
    status = append.given(update.getMemref());
  return status && !arrays.empty();
}

/// Whether a value that a step needs is known where parts are counted.
bool TileSlots::isKnown(Value value) {
  if (innermost()->isAncestor(value.getParentRegion()->getParentOp()) ||
      !append.workers->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<CoiterateOp>(argument.getOwner()->getParentOp());
    return !loop || !llvm::is_contained(loop.getCarried(), value);
  }
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast<memref::LoadOp>(op);
  bool isAllowed = load ? append.given(load.getMemRef()) != offsets
                        : isa<LoadOp>(op) || isMemoryEffectFree(op);
  return isAllowed && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isKnown(operand); });
}

bool TileSlots::hasKnownOperands() {
  WalkResult result = innermost().getBody().walk([&](Operation *op) {
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) {
                          bool isLimit = op == isInSlots.getDefiningOp() &&
                                         operand == next.getResult();
                          return isLimit || isKnown(operand);
                        })
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool TileSlots::find(ArrayRef<Value> row) {
  if (!findNests() || !areAlike() || !findEntries() || !areCounted(row) ||
      !findGuard() || !findArrays() || !hasKnownOperands())
    return false;
  CoiterateOp outer = appending.loops.front();
  hasRest = outer.getNumResults() > 1;
  outer.walk([&](memref::StoreOp store) {
    hasRest |= !innermost()->isAncestor(store);
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Bounds for steps
//===----------------------------------------------------------------------===//

/// Returns a number that grows by as many as a loop takes steps between two
/// cuts, at least: the positions of the operands that it follows, or nothing if
/// it does not step through them once, from one cut to the next.
static std::optional<Number> stepsBefore(ImplicitLocOpBuilder &b, Value cut,
                                         CoiterateOp loop, unsigned n,
                                         MergeAttr merge) {
  if (merge.isLeaf()) {
    unsigned operand = merge.getOperand();
    if (operand >= loop.getFibers().size())
      return std::nullopt;
    auto type = cast<FiberType>(loop.getFibers()[operand].getType());
    if (type.getLevel() != n)
      return std::nullopt;
    return Number(b,
                  CutPositionOp::create(b, b.getIndexType(), cut, n, operand));
  }
  std::optional<Number> all;
  for (MergeAttr child : merge.children()) {
    std::optional<Number> steps = stepsBefore(b, cut, loop, n, child);
    bool isUnion = merge.getKind() == MergeKind::unite;
    if (steps && !isUnion)
      return steps;
    if (!steps && isUnion)
      return std::nullopt;
    if (steps)
      all = all ? *all + *steps : *steps;
  }
  return all;
}

/// The rows of a loop over all coordinates are those of each operand.
static bool visitsRows(CoiterateOp loop, unsigned n) {
  return n == 0 && llvm::any_of(loop.getFibers(), [](Value fiber) {
           auto type = cast<FiberType>(fiber.getType());
           return isFullLevel(type.getTensor(), type.getLevel());
         });
}

Value TileSlots::stepsBefore(ImplicitLocOpBuilder &b, Value cut, unsigned n) {
  CoiterateOp loop = appending.loops[n];
  if (visitsRows(loop, n))
    return CutCoordinateOp::create(b, b.getIndexType(), cut, n);
  auto steps = ::stepsBefore(b, cut, loop, n, loop.getMerge());
  return steps ? Value(*steps) : CutCostOp::create(b, b.getIndexType(), cut);
}
