//===- FuseRows.cpp - One loop over the entries of a part's rows ----------===//
//
// Lanes of a warp do the same at the same time. Where a loop over rows has a
// loop over the entries of a row inside, all lanes wait for the one whose row
// is longest, row by row. In one loop over the entries of all rows, a lane
// that is done with a row begins the next one, while others are in theirs:
//
//   while more(outer):                   while more(outer):
//     begin                                if not open: begin
//     while more(inner):                   if more(inner): step
//       step                               open = more(inner)
//     end                                  if not open: end
//
// Parts cost the same, so that all lanes take about as many steps. What the
// inner loop takes from the outer one, and hands back to it, both carry as one
// value.
//
//===----------------------------------------------------------------------===//

#include "LoopParts.h"
#include "WarpOps.h"
#include "nacho/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOFUSEROWS
#include "nacho/Conversion/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using nacho::Decision;
using nacho::LoopParts;

using Values = SmallVector<Value>;

static bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

/// Whether a value is the same in all steps of a loop, or one of a few: it is
/// computed from what is known outside.
static bool isSameInSteps(Value value, Operation *loop) {
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  auto isSame = [&](Value operand) { return isSameInSteps(operand, loop); };
  Operation *op = value.getDefiningOp();
  if (auto either = dyn_cast_or_null<scf::IfOp>(op)) {
    unsigned n = cast<OpResult>(value).getResultNumber();
    return isSame(either.thenYield().getOperand(n)) &&
           isSame(either.elseYield().getOperand(n));
  }
  return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), isSame);
}

/// Whether a loop takes as many steps each time as it does in other rows.
static bool isSameInRows(Operation *loop, Operation *rows) {
  auto forOp = dyn_cast<scf::ForOp>(loop);
  return forOp &&
         llvm::all_of(ValueRange{forOp.getLowerBound(), forOp.getUpperBound(),
                                 forOp.getStep()},
                      [&](Value bound) { return isSameInSteps(bound, rows); });
}

/// Whether an op has loops inside that take another number of steps in each of
/// some rows.
static bool hasLoops(Operation *op, Operation *rows) {
  return op
      ->walk([&](Operation *inner) {
        return inner != op && isLoop(inner) && !isSameInRows(inner, rows)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

static Value zeroOf(ImplicitLocOpBuilder &b, Type type) {
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

static bool isNumber(Type type) { return type.isSignlessIntOrIndexOrFloat(); }

namespace {
class Fusion {
public:
  Fusion(Operation *outer, Operation *inner)
      : b(outer->getLoc(), outer), outer(outer), inner(inner) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(inner->getRegions(), used);
    if (auto loop = dyn_cast<scf::ForOp>(inner))
      used.insert_range(ValueRange{loop.getUpperBound(), loop.getStep()});
    for (Operation *op = inner->getNextNode(); op; op = op->getNextNode()) {
      used.insert_range(op->getOperands());
      getUsedValuesDefinedAbove(op->getRegions(), used);
    }
    for (Value value : used)
      if (value.getParentBlock() == this->outer.body() &&
          value.getDefiningOp() &&
          value.getDefiningOp()->isBeforeInBlock(inner))
        kept.push_back(value);
    findShared();
  }

  /// Whether all that is carried from step to step is a number.
  bool isPossible() {
    auto areNumbers = [](TypeRange types) {
      return llvm::all_of(types, isNumber);
    };
    return areNumbers(ValueRange(kept).getTypes()) &&
           areNumbers(inner.arguments().getTypes()) &&
           areNumbers(ValueRange(inner.inits({})).getTypes());
  }

  void emit();

private:
  void findShared();
  bool isTaken(BlockArgument argument);
  Values begin(IRMapping mapping);
  Values step(const IRMapping &mapping, Value goesOn, ValueRange state);
  Values finish(IRMapping mapping, Value isOpen, ValueRange ended,
                ValueRange state);
  void startElse(scf::IfOp op, ValueRange values);
  static void append(Values &to, ValueRange values) {
    to.append(values.begin(), values.end());
  }

  ImplicitLocOpBuilder b;
  LoopParts outer, inner;
  Values kept; ///< The values that the rest of a row needs of its beginning.
  /// For each argument of the inner body, that of the outer one which is the
  /// same value, with its number in the state.
  using Shared = std::pair<BlockArgument, unsigned>;
  SmallVector<std::optional<Shared>> shared;
  /// For each of these arguments, the number in the state of what it is at
  /// first. It begins so where no row is open, too, for its bounds to be known.
  SmallVector<std::optional<unsigned>> firsts;
};
} // namespace

/// Whether an argument of the outer body is used by the beginning of a row, and
/// as one of the values with which the inner loop begins.
bool Fusion::isTaken(BlockArgument argument) {
  unsigned times = 0;
  bool isOther = false;
  for (Operation *user : argument.getUsers()) {
    Operation *op = outer.body()->findAncestorOpInBlock(*user);
    times += user == inner.op;
    isOther |= user != inner.op && !op->isBeforeInBlock(inner.op);
  }
  return times == 1 && !isOther;
}

/// Finds the values that the inner loop begins with as the outer one has them,
/// and that the outer one goes on with as the inner one leaves them.
void Fusion::findShared() {
  Values inits = inner.inits({}), results(inner.arguments());
  llvm::copy(inner.op->getResults(), results.end() - inner.op->getNumResults());
  for (unsigned k = 0; k < results.size(); ++k) {
    shared.push_back(std::nullopt);
    firsts.push_back(std::nullopt);
    std::optional<unsigned> from = inner.findInState(k);
    auto argument =
        from ? dyn_cast<BlockArgument>(inits[*from]) : BlockArgument();
    if (!argument || argument.getOwner() != outer.body())
      continue;
    std::optional<unsigned> to = outer.findInState(argument.getArgNumber());
    firsts.back() = to;
    if (to && isTaken(argument) && outer.decidesWithout(*to) &&
        outer.yielded(*to) == results[k])
      shared.back() = Shared(argument, *to);
  }
}

void Fusion::startElse(scf::IfOp op, ValueRange values) {
  b.setInsertionPointToEnd(op.elseBlock());
  scf::YieldOp::create(b, values);
  b.setInsertionPointAfter(op);
}

/// The beginning of a row: returns whether the row has entries, what is kept,
/// and the values with which the inner loop goes on.
Values Fusion::begin(IRMapping mapping) {
  for (Operation &op : *outer.body()) {
    if (&op == inner.op)
      break;
    b.clone(op, mapping);
  }
  Decision first = inner.decide(b, mapping, inner.inits(mapping));
  Values values = {first.goesOn};
  for (Value value : kept)
    values.push_back(mapping.lookup(value));
  append(values, first.values);
  return values;
}

/// if goesOn: the body of the inner loop. Returns whether the row has more
/// entries, and the values with which the inner loop goes on, or has ended.
Values Fusion::step(const IRMapping &mapping, Value goesOn, ValueRange state) {
  SmallVector<Type> types = {b.getI1Type()};
  llvm::append_range(types, state.getTypes());
  auto ifOp = scf::IfOp::create(b, types, goesOn, /*withElse=*/true);
  b.setInsertionPointToStart(ifOp.thenBlock());
  IRMapping inside = mapping;
  inside.map(inner.arguments(), state);
  for (Operation &op : inner.body()->without_terminator())
    b.clone(op, inside);
  Decision next = inner.decide(b, mapping, inner.next(b, inside));
  Values yielded = {next.goesOn};
  append(yielded, next.values);
  scf::YieldOp::create(b, yielded);
  Values otherwise = {goesOn};
  append(otherwise, state);
  startElse(ifOp, otherwise);
  return Values(ifOp.getResults());
}

/// if not isOpen: the end of the row. Returns the state of the outer loop.
Values Fusion::finish(IRMapping mapping, Value isOpen, ValueRange ended,
                      ValueRange state) {
  auto ifOp = scf::IfOp::create(b, state.getTypes(), isOpen, /*withElse=*/true);
  b.setInsertionPointToStart(ifOp.thenBlock());
  scf::YieldOp::create(b, state);
  b.setInsertionPointToStart(ifOp.elseBlock());
  mapping.map(inner.op->getResults(), inner.results(ended));
  for (Operation *op = inner.op->getNextNode();
       !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
    b.clone(*op, mapping);
  scf::YieldOp::create(b, outer.next(b, mapping));
  b.setInsertionPointAfter(ifOp);
  return Values(ifOp.getResults());
}

/// The loop carries the state of the outer loop, whether a row is open and, if
/// so, what is kept of its beginning and the other values of the inner loop.
void Fusion::emit() {
  Values outerInits = outer.inits({}), inits = outerInits;
  inits.push_back(arith::ConstantIntOp::create(b, 0, 1));
  SmallVector<Type> rowTypes(ValueRange(kept).getTypes());
  llvm::append_range(rowTypes, inner.arguments().getTypes());
  for (Type type : ValueRange(kept).getTypes())
    inits.push_back(zeroOf(b, type));
  for (auto [argument, same, first] :
       llvm::zip(inner.arguments(), shared, firsts))
    if (!same)
      inits.push_back(first ? outerInits[*first]
                            : zeroOf(b, argument.getType()));
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());

  SmallVector<Type> results(types);
  llvm::append_range(results, outer.arguments().getTypes());
  auto loop = scf::WhileOp::create(b, results, inits);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locs);
  size_t numOuter = outerInits.size();
  Decision decision =
      outer.decide(b, {}, before->getArguments().take_front(numOuter));
  Values forwarded(before->getArguments());
  append(forwarded, decision.values);
  scf::ConditionOp::create(b, decision.goesOn, forwarded);

  Block *after =
      b.createBlock(&loop.getAfter(), {}, results,
                    SmallVector<Location>(results.size(), b.getLoc()));
  ValueRange all = after->getArguments();
  Values outerState(all.take_front(numOuter));
  Value wasOpen = all[numOuter];
  IRMapping mapping;
  mapping.map(outer.arguments(), all.take_back(outer.arguments().size()));
  ValueRange carried = all.drop_front(numOuter + 1);
  Values row(carried.take_front(kept.size()));
  carried = carried.drop_front(kept.size());
  for (const std::optional<Shared> &same : shared) {
    row.push_back(same ? mapping.lookup(same->first) : carried.front());
    carried = carried.drop_front(same ? 0 : 1);
  }

  SmallVector<Type> opened = {b.getI1Type()};
  llvm::append_range(opened, rowTypes);
  auto ifOpen = scf::IfOp::create(b, opened, wasOpen, /*withElse=*/true);
  b.setInsertionPointToStart(ifOpen.thenBlock());
  Values same = {wasOpen};
  append(same, row);
  scf::YieldOp::create(b, same);
  b.setInsertionPointToStart(ifOpen.elseBlock());
  scf::YieldOp::create(b, begin(mapping));
  b.setInsertionPointAfter(ifOpen);

  ValueRange now = ifOpen.getResults();
  for (auto [value, carried] : llvm::zip(kept, now.slice(1, kept.size())))
    mapping.map(value, carried);
  Values stepped = step(mapping, now.front(), now.drop_front(1 + kept.size()));
  ArrayRef<Value> state = ArrayRef(stepped).drop_front();
  for (auto [value, same] : llvm::zip(state, shared))
    if (same)
      outerState[same->second] = value;
  Values next = finish(mapping, stepped.front(), state, outerState);
  next.push_back(stepped.front());
  append(next, now.slice(1, kept.size()));
  for (auto [value, same] : llvm::zip(state, shared))
    if (!same)
      next.push_back(value);
  scf::YieldOp::create(b, next);
  b.setInsertionPointAfter(loop);
  outer.op->replaceAllUsesWith(
      outer.results(loop.getResults().take_back(outer.arguments().size())));
  outer.op->erase();
}

//===----------------------------------------------------------------------===//
// Loops over rows
//===----------------------------------------------------------------------===//

/// The only loop whose steps depend on the row, if it is directly inside of the
/// loop over rows; null if there are others, or none.
static Operation *findEntries(Operation *rows) {
  Operation *found = nullptr;
  for (Operation &op : *LoopParts(rows).body()) {
    bool isOfRow = isLoop(&op) && !isSameInRows(&op, rows);
    if (hasLoops(&op, rows) || (isOfRow && found))
      return nullptr;
    if (isOfRow)
      found = &op;
  }
  return found;
}

/// Whether a loop decides by what it carries alone if it goes on: it does so
/// again in each step, when the row may have written to memory.
static bool decidesByState(Operation *loop) {
  auto whileOp = dyn_cast<scf::WhileOp>(loop);
  return !whileOp || llvm::all_of(*whileOp.getBeforeBody(), [](Operation &op) {
    return op.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&op);
  });
}

/// Whether threads wait for each other in a loop: they have to take the same
/// steps, and one loop instead of two would give them steps of their own. Those
/// who do a part together, and ask each other, are in the same row anyway.
static bool waitsForOthers(Operation *loop) {
  return loop
      ->walk([](Operation *op) {
        return nacho::isMeeting(op) && !isa<NVVM::ShflOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct FuseRows : nacho::impl::NachoFuseRowsBase<FuseRows> {
  void runOnOperation() override {
    SmallVector<std::pair<Operation *, Operation *>> found;
    getOperation().walk([&](gpu::LaunchOp launch) {
      // No thread of a warp that does a part waits for another one's row.
      if (launch->hasAttr(nacho::kDoesParts))
        return;
      launch.walk([&](Operation *op) {
        if (!isLoop(op) || !decidesByState(op) || waitsForOthers(op))
          return;
        if (Operation *entries = findEntries(op))
          found.push_back({op, entries});
      });
    });
    for (auto [rows, entries] : found)
      if (Fusion fusion(rows, entries); fusion.isPossible())
        fusion.emit();
  }
};
} // namespace
