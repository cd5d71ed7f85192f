//===- PartBuilder.cpp - The loops of one part ----------------------------===//

#include "PartBuilder.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Names.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void PartBuilder::loadCuts() {
  NestOp nest = layout.nest;
  Type cut = nest.getBody().getArgument(0).getType();
  Value next = arith::AddIOp::create(b, part, constant(1));
  lower = loadCut(b, "lo", cut, args.bounds, part);
  upper = loadCut(b, "hi", cut, args.bounds, next);
  coordinates.assign(layout.type.getRank(), Value());
}

void PartBuilder::initLevels(bool counting, Values &carried) {
  for (auto [m, level] : llvm::enumerate(layout.levels)) {
    size_t before = carried.size();
    if (counting)
      level->initCount(b, carried);
    else
      level->initAppend(b, contexts[m], carried);
    numValues.push_back(carried.size() - before);
  }
  numLevelValues = carried.size();
}

SmallVector<Value> PartBuilder::count() {
  counting = true;
  loadCuts();
  Values carried;
  initLevels(counting, carried);
  {
    NameScope name(b, "entries");
    carried.push_back(constant(0));
  }
  startWorkspace();
  startTables(carried);
  Values counted = emitLoop(0, lower, upper, carried);
  if (layout.scattered && layout.numOuter == 0)
    drainWorkspace(counted);
  clearTables();

  Values row;
  Value spans = arith::ConstantIntOp::create(b, 0, 1);
  for (auto [m, level] : llvm::enumerate(layout.levels)) {
    if (m < layout.depth) {
      Type index = b.getIndexType();
      Value from = CutCoordinateOp::create(b, index, lower, m);
      Value to = CutCoordinateOp::create(b, index, upper, m);
      Value differ =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, from, to);
      spans = m ? Value(arith::OrIOp::create(b, spans, differ)) : differ;
    }
    level->columns(b, spans, valuesOf(m, counted), row);
  }
  if (layout.isDirect())
    row.push_back(entriesOf(counted));
  return row;
}

/// The coordinate of a cut in the loop of a level. Of a full level, its number;
/// or, if the parent is not appended, where that would begin.
Value PartBuilder::cutCoordinate(Value cut, unsigned level, ValueRange row) {
  if (!isFullLevel(layout.type, level))
    return layout.coordinateOfCut(b, cut, level);
  unsigned first = layout.firstFull(level);
  if (first == 0)
    return layout.numberOfCut(b, cut, level, mapping);
  Value parent = layout.positionsOf(b, first - 1, row);
  Value isOpen =
      layout.levels[first - 1]->isOpen(b, layout.columnsOf(first - 1, row));
  auto at = [&](unsigned m) -> Value {
    Value coordinate = layout.coordinateOfCut(b, cut, m);
    return arith::SelectOp::create(b, isOpen, coordinate, constant(0));
  };
  return layout.numberOf(b, level, parent, at, mapping);
}

AppendContext PartBuilder::contextOf(unsigned level, ValueRange first,
                                     ValueRange last) {
  AppendContext context;
  context.part = part;
  context.lower = cutCoordinate(lower, level, first);
  context.upper = cutCoordinate(upper, level, last);
  context.first = Values(layout.columnsOf(level, first));
  context.last = Values(layout.columnsOf(level, last));
  if (level + 1 < layout.structure)
    context.positions = args.positions[level + 1];
  if (isFullLevel(layout.type, level))
    return context;
  for (unsigned from = firstSharing(layout.type, level); from <= level; ++from)
    context.coordinates.push_back(args.coordinates[from]);
  return context;
}

SmallVector<Value> PartBuilder::append(ValueRange first, ValueRange last) {
  loadCuts();
  if (layout.hasPartials())
    startPartials();
  if (layout.isDirect())
    end = last.back();
  for (unsigned level = 0; level < layout.levels.size(); ++level)
    contexts.push_back(contextOf(level, first, last));
  Values carried;
  initLevels(counting, carried);
  carried.push_back(layout.isDirect() ? first.back() : constant(0));
  startTables(carried);
  if (layout.sumsDraft())
    carried.push_back(arith::ConstantIntOp::create(b, 0, 64));
  bool isScalar = layout.numOuter == 0 && layout.reduction;
  if (isScalar && reducesInRegister())
    llvm::append_range(carried, layout.identities(b));
  startWorkspace();
  Values appended = emitLoop(0, lower, upper, carried);
  if (layout.scattered && layout.numOuter == 0)
    drainWorkspace(appended);
  clearTables();
  if (isScalar) {
    // What is added outside of all loops is the last part's.
    NestOp nest = layout.nest;
    Value isLast = arith::AddIOp::create(b, part, constant(1));
    finished =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, isLast, parts);
    emitStatements(nest.getBody().front(), layout.loops.front(), 0,
                   CoiterateOp(), appended);
    Values reduced = takeReduced(appended);
    keepPartial(partialRow(/*isTail=*/true), entriesOf(appended), reduced);
  }

  Value complete;
  if (layout.isDirect() && !layout.isDraft)
    complete = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                     entriesOf(appended), end);
  for (auto [m, level] : llvm::enumerate(layout.levels))
    complete =
        both(complete, level->finishAppend(b, contexts[m], nextOf(m, appended),
                                           valuesOf(m, appended)));
  if (complete)
    emitIf(b, negate(complete), [&] {
      setStatus(arith::ConstantIntOp::create(b, kOperandsChanged, 32));
    });
  SmallVector<Value> row;
  if (layout.sumsDraft())
    row.push_back(
        arith::IndexCastOp::create(b, b.getIndexType(), sumOf(0, appended)));
  if (layout.isDraft)
    row.push_back(arith::SubIOp::create(b, entriesOf(appended), first.back()));
  return row;
}

//===----------------------------------------------------------------------===//
// Carried values
//===----------------------------------------------------------------------===//

MutableArrayRef<Value> PartBuilder::valuesOf(unsigned level, Values &carried) {
  unsigned begin = 0;
  for (unsigned outer = 0; outer < level; ++outer)
    begin += numValues[outer];
  return MutableArrayRef<Value>(carried).slice(begin, numValues[level]);
}

/// The number of positions of the level after this one so far: the first
/// value that it carries, or the entries.
Value PartBuilder::nextOf(unsigned level, Values &carried) {
  for (unsigned next = level + 1; next < layout.levels.size(); ++next)
    if (layout.levels[next]->isCounted())
      return valuesOf(next, carried).front();
  return entriesOf(carried);
}

/// The sums, which are not carried any further; none if they are in a row.
SmallVector<Value> PartBuilder::takeReduced(Values &values) {
  Values reduced;
  if (reducesInRegister()) {
    reduced.assign(values.end() - layout.sums.size(), values.end());
    values.truncate(values.size() - layout.sums.size());
  }
  return reduced;
}

/// The position that full levels are under; null if they are the first.
Value PartBuilder::parentPosition(unsigned level, Values &carried) {
  unsigned first = layout.firstFull(level);
  return first ? valuesOf(first - 1, carried).front() : Value();
}

/// The position of the structure's last level; null without structure.
Value PartBuilder::blockPosition(Values &carried) {
  if (layout.structure == 0)
    return {};
  return valuesOf(layout.structure - 1, carried).front();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

CoiterateOp PartBuilder::cloneLoop(CoiterateOp from, Value lower, Value upper,
                                   ValueRange carried) {
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return mapping.lookup(value); });
  };
  Value extent;
  if (from.getExtent())
    extent = mapping.lookupOrDefault(from.getExtent());
  auto loop =
      CoiterateOp::create(b, mapped(from.getFibers()), mapped(from.getGuards()),
                          extent, from.getMerge(), lower, upper, carried);
  loop.setNonempty(from.getNonempty());
  mapping.map(from.getCoordinate(), loop.getCoordinate());
  loop.getCoordinate().setLoc(from.getCoordinate().getLoc());
  for (auto [old, now] : llvm::zip(from.getChildren(), loop.getChildren()))
    mapping.map(old, now);
  for (auto [level, of] : llvm::enumerate(layout.loopOfLevel))
    if (of == from)
      coordinates[level] = loop.getCoordinate();
  return loop;
}

/// Loops over all coordinates that are not cut: their entries can be counted
/// without running them.
bool PartBuilder::isInner(unsigned m) const {
  // What is scattered has to be seen to be counted.
  if (m < layout.depth || layout.scattered)
    return false;
  return llvm::all_of(
      ArrayRef(layout.loops).drop_front(m),
      [](CoiterateOp loop) { return loop.getFibers().empty(); });
}

/// Whether a cut is inside the coordinate that a loop is at; null if it cannot
/// be.
Value PartBuilder::isOnCut(unsigned m, Value cut) {
  if (m + 1 >= layout.depth)
    return {};
  return OnCutOp::create(b, b.getI1Type(), cut);
}

/// The loops from `m` inwards, for the carried values; returns them afterwards.
SmallVector<Value> PartBuilder::emitLoop(unsigned m, Value lower, Value upper,
                                         Values carried) {
  CoiterateOp from = layout.loops[m];
  if (isInner(m) && m >= layout.numOuter) {
    if (counting)
      countInnerLoop(from, carried);
    else
      emitInnerLoop(from, carried);
    return carried;
  }
  if (m >= layout.depth)
    lower = upper = Value();
  // Inside of a reduction, where every step counts, coordinates are checked in
  // passing, and the loop is asked once.
  bool isTracked = mustCheck(m) && m >= layout.numOuter;
  if (isTracked)
    carried.push_back(arith::ConstantIntOp::create(b, 0, 1));
  CoiterateOp loop = cloneLoop(from, lower, upper, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBodyBlock());
    Values values(loop.getCarried());
    Value outside = isTracked ? values.pop_back_val() : Value();
    if (mustCheck(m) && !isTracked)
      refuseIf(isOutside(m, loop));
    emitBody(m, loop, values);
    if (isTracked)
      values.push_back(arith::OrIOp::create(b, outside, isOutside(m, loop)));
    YieldOp::create(b, values);
  }
  Values results(loop.getResults());
  if (isTracked)
    refuseIf(results.pop_back_val());
  return results;
}

void PartBuilder::emitBody(unsigned m, CoiterateOp loop, Values &values) {
  Value no = arith::ConstantIntOp::create(b, 0, 1), onLower, onUpper;
  if (m + 1 < layout.depth) {
    onLower = isOnCut(m, loop.getInnerLower());
    onUpper = isOnCut(m, loop.getInnerUpper());
  }
  const ResultLevel *level =
      m < layout.levels.size() ? layout.levels[m].get() : nullptr;
  Value nextBefore = level && !counting ? nextOf(m, values) : Value();
  bool isEntry = !counting && layout.reduction && m + 1 == layout.numOuter;
  if (isEntry && reducesInRegister())
    llvm::append_range(values, layout.identities(b));
  else if (isEntry)
    clearRow(partialRow(/*isTail=*/true));

  Value before = entriesOf(values);
  finished = onUpper ? negate(onUpper) : Value();
  CoiterateOp inner =
      m + 1 < layout.loops.size() ? layout.loops[m + 1] : CoiterateOp();
  emitStatements(*CoiterateOp(layout.loops[m]).getBodyBlock(), inner, m, loop,
                 values);
  finished = onUpper ? negate(onUpper) : Value();

  if (layout.scattered && m + 1 == layout.numOuter)
    drainWorkspace(values);
  if (isEntry) {
    Values reduced = takeReduced(values);
    Value count = arith::SubIOp::create(b, entriesOf(values), before);
    writeEntry(m, loop, values, count, reduced);
  }
  if (!level)
    return;
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                    entriesOf(values), before);
  if (counting)
    return level->leaveCount(b, any, onLower ? onLower : no,
                             onUpper ? onUpper : no, valuesOf(m, values));
  AppendedCoordinate at;
  unsigned from = m + 1 - contexts[m].coordinates.size();
  at.coordinates.assign(coordinates.begin() + from,
                        coordinates.begin() + m + 1);
  at.any = any;
  at.finished =
      finished ? finished : Value(arith::ConstantIntOp::create(b, 1, 1));
  at.before = nextBefore;
  at.next = nextOf(m, values);
  if (isFullLevel(layout.type, m))
    at.number = layout.numberOf(
        b, m, parentPosition(m, values),
        [&](unsigned outer) { return coordinates[outer]; }, mapping);
  level->leaveAppend(b, contexts[m], at, valuesOf(m, values));
  if (layout.hasFullFibers(m))
    leaveFiber(m, values);
}

/// The positions of the full levels after one that is not go as far as it has
/// been appended to.
void PartBuilder::leaveFiber(unsigned m, Values &values) {
  Value end = valuesOf(m, values).front();
  unsigned last = m;
  for (; isFullLevel(layout.type, last + 1); ++last)
    end = arith::MulIOp::create(b, end, layout.extent(b, last + 1, mapping));
  layout.levels[last]->leaveFiber(b, contexts[last], end, nextOf(last, values),
                                  valuesOf(last, values));
}

/// The ops of a body. The inner loop of the chain comes first.
void PartBuilder::emitStatements(Block &block, CoiterateOp inner, unsigned m,
                                 CoiterateOp loop, Values &values) {
  for (Operation &op : block.without_terminator()) {
    if (inner && &op == inner && !loop)
      continue;
    if (auto inside = dyn_cast<CoiterateOp>(op))
      rememberFibers(inside, values);
    if (inner && &op == inner) {
      Value outer = finished;
      Value lower = loop.isBounded() ? loop.getInnerLower() : Value();
      Value upper = loop.isBounded() ? loop.getInnerUpper() : Value();
      values = emitLoop(m + 1, lower, upper, values);
      finished = outer;
    } else if (auto find = dyn_cast<FindOp>(op)) {
      auto number = llvm::find(layout.finds, find) - layout.finds.begin();
      auto now = cast<FindOp>(b.clone(op, mapping));
      now.getTableMutable().assign(tables[number]);
    } else if (counting && isa<PrefetchRowOp>(op)) {
      continue;
    } else if (isa<PartOp>(op)) {
      mapping.map(op.getResult(0), part);
    } else if (auto append = dyn_cast<AppendOp>(op)) {
      emitAppend(append, values);
    } else if (auto other = dyn_cast<CoiterateOp>(op)) {
      if (counting)
        countInnerLoop(other, values);
      else
        emitInnerLoop(other, values);
    } else if (auto fetch = dyn_cast<PrefetchOp>(b.clone(op, mapping))) {
      fetch.setElements(fetch.getElements() && !counting);
    }
  }
}

/// Whether a loop over all coordinates, that is not run, would run at all.
Value PartBuilder::hasIterations(CoiterateOp loop) {
  SmallVector<Value> present =
      llvm::map_to_vector(loop.getGuards(), [&](Value guard) -> Value {
        return PresentOp::create(b, b.getI1Type(), mapping.lookup(guard));
      });
  Value holds = emitMerge(b, b.getLoc(), loop.getMerge(), present);
  Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                     emitExtent(b, loop, mapping), constant(0));
  return both(holds, some);
}

/// Counts what loops over all coordinates append: of each append one entry, if
/// its loops run at all. What holds at some coordinate of such a loop holds at
/// the first.
void PartBuilder::countInnerLoop(CoiterateOp from, Values &values) {
  from->walk([&](AppendOp append) {
    Value condition = finished;
    for (auto loop = append->getParentOfType<CoiterateOp>();
         from->isAncestor(loop); loop = loop->getParentOfType<CoiterateOp>()) {
      condition = both(condition, hasIterations(loop));
      mapping.map(loop.getCoordinate(), constant(0));
      if (loop == from)
        break;
    }
    if (append.getCondition())
      condition = both(condition, cloneFrom(from, append.getCondition()));
    countEntries(constant(1), condition, values);
  });
}

/// A value that a loop computes from what is known outside of it.
Value PartBuilder::cloneFrom(CoiterateOp loop, Value value) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !loop->isAncestor(definition))
    return mapping.lookupOrDefault(value);
  for (Value operand : definition->getOperands())
    cloneFrom(loop, operand);
  b.clone(*definition, mapping);
  return mapping.lookup(value);
}

/// Whether a loop runs over coordinates of the result inside of a reduction.
static bool isRowLoop(Operation *op, const ResultLayout &layout) {
  auto loop = dyn_cast<CoiterateOp>(op);
  if (!loop || llvm::is_contained(
                   ArrayRef(layout.loops).take_front(layout.numOuter), loop))
    return false;
  return llvm::any_of(loop.getCoordinate().getUsers(), llvm::IsaPred<AppendOp>);
}

/// A loop over all coordinates, inside of those that are cut.
void PartBuilder::emitInnerLoop(CoiterateOp from, Values &values) {
  CoiterateOp loop = cloneLoop(from, Value(), Value(), values);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBodyBlock());
    Values inside(loop.getCarried());
    emitStatements(*from.getBodyBlock(), CoiterateOp(), 0, CoiterateOp(),
                   inside);
    YieldOp::create(b, inside);
  }
  Value before = entriesOf(values);
  values = Values(loop.getResults());
  // A row counts as one entry.
  if (!isRowLoop(from, layout) || isRowLoop(from->getParentOp(), layout))
    return;
  entriesOf(values) = before;
  countInnerLoop(from, values);
}

/// Whether a coordinate of the loop is used to read or write somewhere.
bool PartBuilder::indexesMemory(CoiterateOp loop) {
  for (Operation *user : loop.getCoordinate().getUsers())
    if (isa<LocateOp, AppendOp>(user))
      return true;
  return llvm::any_of(loop.getFibers(), [](Value fiber) {
    auto type = cast<FiberType>(fiber.getType());
    return isFullLevel(type.getTensor(), type.getLevel());
  });
}

/// A coordinate that indexes memory must be inside its extent, whatever has
/// happened to the arrays since they were checked.
bool PartBuilder::mustCheck(unsigned m) {
  CoiterateOp from = layout.loops[m];
  // A list that keeps more than coordinates was made of checked ones.
  auto isKept = [](Value fiber) {
    return !hasSupportedLevels(cast<FiberType>(fiber.getType()).getTensor());
  };
  if (!from.getFibers().empty() && llvm::all_of(from.getFibers(), isKept))
    return false;
  // What is appended directly is compared then, and not counted.
  bool isCompared = m + 1 == layout.loops.size() && !layout.scattered &&
                    (counting || layout.isDirect()) &&
                    (!layout.isDirect() || layout.loopOfLevel.back() == from);
  return !visitsAll(from) && indexesMemory(from) && !isCompared;
}

Value PartBuilder::isOutside(unsigned m, CoiterateOp loop) {
  auto isBeyond = [&](Value fiber) -> Value {
    Value extent = ExtentOp::create(b, b.getIndexType(), fiber);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                                 loop.getCoordinate(), extent);
  };
  if (!CoiterateOp(layout.loops[m]).getExtent())
    return isBeyond(loop.getFibers().front());
  // Fibers of terms that share a loop have extents of their own.
  Value outside = arith::ConstantIntOp::create(b, 0, 1);
  for (auto [fiber, child] : llvm::zip(loop.getFibers(), loop.getChildren())) {
    Value present = PresentOp::create(b, b.getI1Type(), child);
    outside = arith::OrIOp::create(b, outside, both(isBeyond(fiber), present));
  }
  return outside;
}

void PartBuilder::refuseIf(Value outside) {
  emitIf(b, outside, [&] {
    setStatus(arith::ConstantIntOp::create(b, kCoordinateOutOfRange, 32));
  });
}
