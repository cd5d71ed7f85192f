//===- PartLoops.cpp - The loops of one part ------------------------------===//

#include "PartLoops.h"

#include "CoordinateChecks.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// The chain
//===----------------------------------------------------------------------===//

/// Creates an op with the part's values for the operands of a loop.
template <typename OpT, typename... Args>
static OpT createLike(const Part &part, CoiterateOp loop, Args... args) {
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return part.mapping.lookup(value); });
  };
  Value extent;
  if (loop.getExtent())
    extent = part.mapping.lookupOrDefault(loop.getExtent());
  return OpT::create(part.b, mapped(loop.getFibers()), mapped(loop.getGuards()),
                     extent, loop.getMerge(), args...);
}

CoiterateOp PartLoops::cloneLoop(CoiterateOp from, std::optional<Bounds> bounds,
                                 ValueRange carried) {
  Bounds between = bounds.value_or(Bounds());
  auto loop = createLike<CoiterateOp>(part, from, from.getIndexNameAttr(),
                                      between.lower, between.upper, carried);
  loop.setNonempty(from.getNonempty());
  part.mapping.map(from.getCoordinate(), loop.getCoordinate());
  for (auto [old, now] : llvm::zip(from.getChildren(), loop.getChildren()))
    part.mapping.map(old, now);
  for (auto [level, of] : llvm::enumerate(layout.loopOfLevel))
    if (of == from)
      part.coordinates[level] = loop.getCoordinate();
  return loop;
}

/// Whether the loops of the chain from `m` inwards have no fibers and are not
/// cut, so that their entries can be counted without running them. This does
/// not hold with a workspace, in which only new coordinates count.
static bool isFull(const ResultLayout &layout, unsigned m) {
  if (m < layout.numCut || layout.workspaceLevel)
    return false;
  return llvm::all_of(
      ArrayRef(layout.loops).drop_front(m),
      [](CoiterateOp loop) { return loop.getFibers().empty(); });
}

/// Whether loop `m` is the innermost loop of the chain, and only counts an
/// entry for each append. The loop over a level that is not the last of the
/// result also counts the positions of the level, but keys stand for all levels
/// of a list, which share their positions.
bool PartLoops::onlyCounts(unsigned m) const {
  CoiterateOp loop = layout.loops[m];
  bool countsLevel = m < layout.levels.size() && !layout.appendsKeys();
  if (!entries.areCounted() || m + 1 != layout.loops.size() || countsLevel ||
      !loop.getNonempty().empty() || mustCheck(part, entries, m))
    return false;
  return llvm::all_of(
      loop.getBody().front().without_terminator(), [](Operation &op) {
        if (auto append = dyn_cast<AppendOp>(op))
          return !append.getCondition();
        return isa<PrefetchRowOp>(op) || isMemoryEffectFree(&op);
      });
}

/// Counts the entries of a loop that only counts: for each append, as many as
/// the loop visits coordinates.
void PartLoops::countLoop(CoiterateOp loop, std::optional<Bounds> bounds,
                          Carried &values) {
  Value number;
  {
    NameScope name(b, "visited");
    Bounds between = bounds.value_or(Bounds());
    number = createLike<CountOp>(part, loop, between.lower, between.upper);
  }
  auto appends = loop.getBody().getOps<AppendOp>();
  for (int64_t n = llvm::range_size(appends); n > 0; --n)
    part.countEntries(number, kAlways, values);
}

/// Emits the loops of the chain from `m` inwards.
Carried PartLoops::emitLoop(unsigned m, std::optional<Bounds> bounds,
                            Carried carried) {
  CoiterateOp from = layout.loops[m];
  if (isFull(layout, m) && m >= layout.numOuter) {
    if (part.isCounting())
      countFullLoop(from, carried);
    else
      emitFullLoop(from, carried);
    return carried;
  }
  if (m >= layout.numCut)
    bounds.reset();
  if (onlyCounts(m)) {
    countLoop(from, bounds, carried);
    return carried;
  }
  // Inside of a reduction, every instruction of a step matters: the loop only
  // carries whether a coordinate was outside, and reports it at the end.
  bool isChecked = mustCheck(part, entries, m);
  bool isTracked = isChecked && m >= layout.numOuter;
  Values flat = carried.flatten();
  if (isTracked)
    flat.push_back(Number::flag(b, false));
  CoiterateOp loop = cloneLoop(from, bounds, flat);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBodyBlock());
    Carried values = carried.as(loop.getCarried());
    if (isChecked && !isTracked)
      emitReport(part, emitIsOutside(part, m, loop));
    emitBody(m, loop, values);
    Values next = values.flatten();
    if (isTracked)
      next.push_back(Number(b, loop.getCarried().back()) |
                     emitIsOutside(part, m, loop));
    YieldOp::create(b, next);
  }
  if (isTracked)
    emitReport(part, loop.getResults().back());
  return carried.as(loop.getResults());
}

/// Emits the body of `loop`, the copy of loop `m` of the chain, and before and
/// after it the code of the levels and the entries.
void PartLoops::emitBody(unsigned m, CoiterateOp loop, Carried &values) {
  Value no = Number::flag(b, false);
  std::optional<Value> onLower, onUpper;
  if (loop.isBounded()) {
    onLower = part.isCutInside(m, loop.getInnerLower());
    onUpper = part.isCutInside(m, loop.getInnerUpper());
  }
  bool isLevel = m < layout.levels.size();
  bool isOuter = m + 1 == layout.numOuter;
  PartLevels::Arrival arrival;
  arrival.onLower = onLower.value_or(no);
  arrival.onUpper = onUpper.value_or(no);
  if (isLevel)
    arrival.next = levels.next(m, values);
  arrival.entries = values.entries;
  if (isOuter)
    entries.enterOuter(values);
  auto completes = [&]() -> Condition {
    return onUpper ? Condition(!Number(b, *onUpper)) : kAlways;
  };
  part.completes = completes();
  emitChainBody(m, loop, values);
  part.completes = completes();
  if (isOuter)
    entries.leaveOuter(loop, arrival.entries, values);
  if (isLevel)
    levels.leave(m, arrival, values);
}

/// Emits the statements in the body of a loop of the chain.
void PartLoops::emitChainBody(unsigned m, CoiterateOp loop, Carried &values) {
  Block &body = *CoiterateOp(layout.loops[m]).getBodyBlock();
  if (m + 1 == layout.loops.size())
    return emitStatements(body, std::nullopt, values);
  CoiterateOp inner = layout.loops[m + 1];
  auto emitInner = [&] {
    tables.fillFor(inner, values);
    Condition completes = part.completes;
    std::optional<Bounds> bounds;
    if (loop.isBounded())
      bounds = Bounds{loop.getInnerLower(), loop.getInnerUpper()};
    values = emitLoop(m + 1, bounds, values);
    part.completes = completes;
  };
  emitStatements(body, ChainLoop{inner, emitInner}, values);
}

void PartLoops::emitOutside(Carried &values) {
  NestOp nest = layout.nest;
  emitStatements(nest.getBody().front(), ChainLoop{layout.loops.front(), [] {}},
                 values);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void PartLoops::emitStatements(Block &block, std::optional<ChainLoop> next,
                               Carried &values) {
  for (Operation &op : block.without_terminator()) {
    if (next && &op == next->loop)
      next->emit();
    else
      emitStatement(op, values);
  }
}

void PartLoops::emitStatement(Operation &op, Carried &values) {
  if (auto loop = dyn_cast<CoiterateOp>(op)) {
    tables.fillFor(loop, values);
    return part.isCounting() ? countFullLoop(loop, values)
                             : emitFullLoop(loop, values);
  }
  if (auto find = dyn_cast<FindOp>(op))
    return tables.emit(find);
  if (auto append = dyn_cast<AppendOp>(op))
    return entries.append(append, values);
  if (isa<PartOp>(op))
    return part.mapping.map(op.getResult(0), part.number);
  if (auto heavy = dyn_cast<HeavyOp>(op))
    return part.mapping.map(heavy.getIsHeavy(), part.emitIsHeavy(heavy));
  if (auto shift = dyn_cast<PieceShiftOp>(op))
    return part.mapping.map(shift.getShift(), part.emitPieceShift(shift));
  if (auto row = dyn_cast<RowPositionOp>(op))
    return part.mapping.map(row.getPosition(), part.emitRowPosition(row));
  // Elements are not read while entries are counted.
  if (part.isCounting() && isa<PrefetchRowOp>(op))
    return;
  Operation *now = b.clone(op, part.mapping);
  // The loops around it compare their coordinates with the extents.
  if (auto locate = dyn_cast<LocateOp>(now))
    locate.setChecked(true);
  if (auto prefetch = dyn_cast<PrefetchOp>(now))
    prefetch.setElements(prefetch.getElements() && !part.isCounting());
}

//===----------------------------------------------------------------------===//
// Loops over all coordinates
//===----------------------------------------------------------------------===//

/// Whether a loop without fibers would visit any coordinate.
Condition PartLoops::emitHasIterations(CoiterateOp loop) {
  Value some = Number(b, emitExtent(b, loop, part.mapping)) != 0;
  return emitBoth(b, part.emitHolds(loop), some);
}

/// Counts one entry for each append in a loop, if the loops around it visit any
/// coordinate. A condition that holds at some coordinate of a loop without
/// fibers holds at its first coordinate, unless it varies in a row of sums.
void PartLoops::countFullLoop(CoiterateOp from, Carried &values) {
  from->walk([&](AppendOp append) {
    Condition condition = part.completes;
    for (auto loop = append->getParentOfType<CoiterateOp>();
         from->isAncestor(loop); loop = loop->getParentOfType<CoiterateOp>()) {
      condition = emitBoth(b, condition, emitHasIterations(loop));
      part.mapping.map(loop.getCoordinate(), Number(b, 0));
      if (loop == from)
        break;
    }
    if (append.getCondition() && !variesInRow(layout, append))
      condition =
          emitBoth(b, condition, cloneFrom(from, append.getCondition()));
    part.countEntries(Number(b, 1), condition, values);
  });
}

/// Copies the ops by which a loop computes a value to a place outside of it.
Value PartLoops::cloneFrom(CoiterateOp loop, Value value) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !loop->isAncestor(definition))
    return part.mapping.lookupOrDefault(value);
  for (Value operand : definition->getOperands())
    cloneFrom(loop, operand);
  b.clone(*definition, part.mapping);
  return part.mapping.lookup(value);
}

/// Whether an operation is a loop that emitFullLoop emits, and that runs over
/// coordinates of the result inside of a reduction.
bool PartLoops::isRowLoop(Operation *op) const {
  auto loop = dyn_cast<CoiterateOp>(op);
  if (!loop)
    return false;
  const auto *at = llvm::find(layout.loops, loop);
  unsigned m = std::distance(layout.loops.begin(), at);
  if (at != layout.loops.end() && (m < layout.numOuter || !isFull(layout, m)))
    return false;
  return llvm::any_of(loop.getCoordinate().getUsers(), llvm::IsaPred<AppendOp>);
}

/// Emits a loop without fibers, which no cut divides.
void PartLoops::emitFullLoop(CoiterateOp from, Carried &values) {
  Value before = values.entries;
  if (!entries.addRow(from)) {
    CoiterateOp loop = cloneLoop(from, std::nullopt, values.flatten());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBodyBlock());
    Carried inside = values.as(loop.getCarried());
    emitStatements(*from.getBodyBlock(), std::nullopt, inside);
    YieldOp::create(b, inside.flatten());
    values = values.as(loop.getResults());
  }
  // A row of sums counts as one entry, however many loops make it.
  if (!isRowLoop(from) || isRowLoop(from->getParentOp()))
    return;
  values.entries = before;
  countFullLoop(from, values);
}
