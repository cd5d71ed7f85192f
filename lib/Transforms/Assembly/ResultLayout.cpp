//===- ResultLayout.cpp - How a nest fills its result ---------------------===//

#include "ResultLayout.h"

#include "nacho/Analysis/LoopFacts.h"
#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/IR/Operators.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// From a nest
//===----------------------------------------------------------------------===//

/// The loop over each level: that of the coordinate which is appended there.
static LogicalResult findLoops(ResultLayout &layout) {
  layout.loopOfLevel.assign(layout.type.getRank(), CoiterateOp());
  layout.partOfLevel.assign(layout.type.getRank(), UnflattenOp());
  WalkResult result = layout.nest.walk([&](AppendOp append) -> WalkResult {
    for (auto [level, coordinate] : llvm::enumerate(append.getCoordinates())) {
      auto part = coordinate.getDefiningOp<UnflattenOp>();
      if (layout.loopOfLevel[level] && layout.partOfLevel[level] != part)
        return append.emitOpError("appends at other parts of keys than before");
      layout.partOfLevel[level] = part;
      if (part)
        coordinate = part.getKey();
      auto arg = dyn_cast<BlockArgument>(coordinate);
      auto loop =
          arg ? dyn_cast<CoiterateOp>(arg.getOwner()->getParentOp()) : nullptr;
      if (loop && loop.getCoordinate() != coordinate)
        loop = nullptr;
      bool isPart = layout.nest.getCollect() == CollectKind::partSums &&
                    coordinate.getDefiningOp<PartOp>() &&
                    level + 1 == layout.loopOfLevel.size();
      if (!loop && !isPart &&
          layout.nest.getCollect() != CollectKind::scannedList)
        return append.emitOpError("appends at coordinates that are no loop's");
      layout.loopOfLevel[level] = loop;
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult refuse(const ResultLayout &layout, const Twine &why) {
  return NestOp(layout.nest).emitOpError()
         << "cannot append to " << layout.type << ": " << why;
}

/// The loops outside of what is scattered, and the level that is scattered.
static LogicalResult classifyScattered(ResultLayout &layout) {
  ArrayRef<CoiterateOp> appended = ArrayRef(layout.loopOfLevel).drop_back();
  layout.numOuter = 0;
  while (layout.numOuter < layout.loops.size() &&
         llvm::is_contained(appended, layout.loops[layout.numOuter]))
    ++layout.numOuter;
  ArrayRef<CoiterateOp> outer =
      ArrayRef(layout.loops).take_front(layout.numOuter);
  for (auto [level, loop] : llvm::enumerate(appended)) {
    if (llvm::is_contained(outer, loop))
      continue;
    if (layout.scattered)
      return refuse(layout, "a workspace holds one level");
    layout.scattered = level;
  }
  if (!layout.scattered)
    return refuse(layout, "nothing is scattered over its workspace");
  if (layout.loopOfLevel.back())
    return refuse(layout, "its last level is for the number of the part");
  return success();
}

/// A workspace has all entries of the last level at once, in order.
static LogicalResult classifyRows(ResultLayout &layout) {
  unsigned last = layout.loopOfLevel.size() - 1;
  layout.numOuter = layout.nest.getMaxCutLoops();
  layout.scattered = last;
  bool isInOrder = ArrayRef(layout.loops).take_front(layout.numOuter) ==
                   ArrayRef(layout.loopOfLevel).drop_back();
  if (layout.structure != last + 1 || !isInOrder)
    return refuse(layout, "a workspace can only collect its last level");
  return success();
}

/// Which loops are the result's outer ones, and which levels are left for the
/// inner ones.
static LogicalResult classifyLoops(ResultLayout &layout) {
  auto isResult = [&](CoiterateOp loop) {
    return llvm::is_contained(layout.loopOfLevel, loop);
  };
  CollectKind kind = layout.nest.getCollect();
  if (kind == CollectKind::partSums)
    return classifyScattered(layout);
  if (kind == CollectKind::wholeRows)
    return classifyRows(layout);
  // Entries that are sorted afterwards can come in any order.
  if (makesList(kind)) {
    layout.numOuter = layout.loops.size();
    return success();
  }
  layout.numOuter = 0;
  while (layout.numOuter < layout.loops.size() &&
         isResult(layout.loops[layout.numOuter]))
    ++layout.numOuter;
  if (!layout.reduction && layout.numOuter != layout.loops.size())
    return refuse(layout, "a loop over other coordinates needs a reduction");
  ArrayRef<CoiterateOp> outer =
      ArrayRef(layout.loops).take_front(layout.numOuter);
  for (auto [level, loop] : llvm::enumerate(layout.loopOfLevel)) {
    if (!loop)
      return refuse(layout, "nothing is appended");
    bool isOuter = llvm::is_contained(outer, loop);
    bool isInOrder = isOuter && (layout.isFlat() ||
                                 CoiterateOp(layout.loops[level]) == loop);
    if (level < layout.structure && !isInOrder)
      return refuse(layout, "its levels are not in the order of the loops");
    if (!isOuter)
      layout.inner.push_back(level);
  }
  return success();
}

FailureOr<ResultLayout> ResultLayout::get(NestOp nest) {
  ResultLayout layout;
  layout.nest = nest;
  layout.loops = nest.getLoops();
  layout.depth = nest.getCutLoops().size();
  // A workspace reduces what is then appended.
  if (nest.getCollect() != CollectKind::wholeRows)
    layout.reduction = nest.getReduce();
  layout.sums = nest.getAppendedTypes();
  nest.walk([&](FindOp find) { layout.finds.push_back(find); });
  RankedTensorType type = layout.type = cast<RankedTensorType>(nest.getType());
  unsigned rank = type.getRank();
  layout.structure = isDense(type) ? 0 : rank;
  while (layout.structure > 0 && isFullLevel(type, layout.structure - 1))
    --layout.structure;
  if (failed(findLoops(layout)) || failed(classifyLoops(layout)))
    return failure();

  bool isDirect = layout.structure == rank && rank > 0 && !layout.reduction;
  for (unsigned level = 0; level < layout.structure; ++level)
    if (!isDirect || level + 1 < layout.structure)
      layout.levels.push_back(ResultLevel::get(type, level));
  return layout;
}

/// The body runs at every coordinate, whatever the operands store.
static bool runsEverywhere(CoiterateOp loop) {
  return isAlways(iterationDomain(loop.getMerge(), [&](unsigned operand) {
    if (operand >= loop.getFibers().size())
      return false;
    auto fiber = cast<FiberType>(loop.getFibers()[operand].getType());
    return llvm::all_of(llvm::seq(fiber.getLevel() + 1), [&](unsigned level) {
      return isFullLevel(fiber.getTensor(), level);
    });
  }));
}

bool ResultLayout::needsFill() const {
  unsigned rank = type.getRank();
  if (structure == rank && rank > 0)
    return false;
  // A block is written as a whole when its position is appended.
  if (structure > 0 && structure == numOuter)
    return false;
  // In a block, a reduction writes no entry that nothing was reduced to.
  if (structure > 0 && reduction)
    return true;
  bool isConditional = false;
  if (!reduction)
    NestOp(nest).walk([&](AppendOp append) {
      isConditional |= static_cast<bool>(append.getCondition());
    });
  return isConditional ||
         !llvm::all_of(ArrayRef(loops).take_front(numOuter), runsEverywhere);
}

bool ResultLayout::shouldDraft() const {
  if (!isDirect() || numColumns() != 1)
    return false;
  NestOp nest = this->nest;
  if (nest.getCollect() != CollectKind::inOrder)
    return true;
  // Unions are counted by their matches. That is fast, and a draft of one would
  // take as much memory as the result.
  CoiterateOp loop = loops.back();
  return loop.getFibers().size() > 1 &&
         loop.getMerge().getKind() == MergeKind::intersect;
}

unsigned ResultLayout::firstFull(unsigned level) const {
  while (level > 0 && isFullLevel(type, level - 1))
    --level;
  return level;
}

bool ResultLayout::hasFullFibers(unsigned level) const {
  return level + 1 < structure && !isFullLevel(type, level) &&
         isFullLevel(type, level + 1);
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

SmallVector<StringRef> ResultLayout::columnNames() const {
  SmallVector<StringRef> names;
  for (const auto &level : levels)
    llvm::append_range(names, level->columnNames());
  if (sumsDraft())
    names.push_back("cost");
  if (isDirect())
    names.push_back("entries");
  return names;
}

ValueRange ResultLayout::columnsOf(unsigned level, ValueRange row) const {
  unsigned begin = 0;
  for (unsigned outer = 0; outer < level; ++outer)
    begin += levels[outer]->numColumns();
  return row.slice(begin, levels[level]->numColumns());
}

Value ResultLayout::positionsOf(ImplicitLocOpBuilder &b, unsigned level,
                                ValueRange row) const {
  while (level < levels.size() && !levels[level]->isCounted())
    ++level;
  return level < levels.size()
             ? levels[level]->position(b, columnsOf(level, row))
             : row.back();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Value nacho::emitExtent(ImplicitLocOpBuilder &b, CoiterateOp loop,
                        const IRMapping &mapping) {
  if (loop.getExtent())
    return mapping.lookupOrDefault(loop.getExtent());
  Value fiber = loop.getFibers().front();
  unsigned level = cast<FiberType>(fiber.getType()).getLevel();
  Value tensor = rootOf(fiber).getTensor();
  return levelExtent(b, mapping.lookupOrDefault(tensor), level);
}

Value ResultLayout::extent(ImplicitLocOpBuilder &b, unsigned level,
                           const IRMapping &mapping) const {
  // What is no loop's can be anything.
  if (!loopOfLevel[level])
    return arith::ConstantIndexOp::create(b,
                                          std::numeric_limits<int64_t>::max());
  UnflattenOp part = partOfLevel[level];
  if (!part)
    return emitExtent(b, loopOfLevel[level], mapping);
  return levelExtent(b, mapping.lookupOrDefault(part.getTensor()),
                     part.getLevel());
}

/// What makes the first operand of a loop; null if nothing does.
static FlattenOp flattenOf(CoiterateOp loop) {
  return loop.getFibers().empty() ? FlattenOp()
                                  : flattenedBy(loop.getFibers().front());
}

/// The parts of the list's own keys, in order.
bool ResultLayout::isFlat() const {
  if (partOfLevel.empty() || !partOfLevel.front() || !isList(type))
    return false;
  CoiterateOp loop = loopOfLevel.front();
  Value tensor = UnflattenOp(partOfLevel.front()).getTensor();
  FlattenOp flatten = loop ? flattenOf(loop) : FlattenOp();
  if (!flatten || flatten.getTensor() != tensor)
    return false;
  for (unsigned level = 0; level < partOfLevel.size(); ++level) {
    UnflattenOp part = partOfLevel[level];
    if (!part || part.getLevel() != level || part.getTensor() != tensor ||
        loopOfLevel[level] != loop)
      return false;
  }
  return true;
}

Value ResultLayout::coordinateOfCut(ImplicitLocOpBuilder &b, Value cut,
                                    unsigned level) const {
  if (level >= depth)
    return arith::ConstantIndexOp::create(b, 0);
  return CutCoordinateOp::create(b, b.getIndexType(), cut, level);
}

Value ResultLayout::numberOf(ImplicitLocOpBuilder &b, unsigned level,
                             Value parent,
                             llvm::function_ref<Value(unsigned)> at,
                             const IRMapping &mapping) const {
  Value number = parent;
  for (unsigned m = firstFull(level); m <= level; ++m) {
    if (number)
      number = arith::MulIOp::create(b, number, extent(b, m, mapping));
    number = number ? Value(arith::AddIOp::create(b, number, at(m))) : at(m);
  }
  return number;
}

Value ResultLayout::numberOfCut(ImplicitLocOpBuilder &b, Value cut,
                                unsigned level,
                                const IRMapping &mapping) const {
  auto at = [&](unsigned m) { return coordinateOfCut(b, cut, m); };
  return numberOf(b, level, Value(), at, mapping);
}

static Value product(ImplicitLocOpBuilder &b, Value x, Value y) {
  return x ? Value(arith::MulIOp::create(b, x, y)) : y;
}

Value ResultLayout::rowSize(ImplicitLocOpBuilder &b,
                            const IRMapping &mapping) const {
  Value size;
  for (unsigned level : inner)
    size = product(b, size, extent(b, level, mapping));
  return size ? size : Value(arith::ConstantIndexOp::create(b, 1));
}

Value ResultLayout::location(ImplicitLocOpBuilder &b, Value position,
                             ArrayRef<Value> coordinates,
                             const IRMapping &mapping) const {
  Value at = structure > 0 ? position : Value();
  for (unsigned level = structure, rank = type.getRank(); level < rank;
       ++level) {
    if (at)
      at = arith::AddIOp::create(b, product(b, at, extent(b, level, mapping)),
                                 coordinates[level]);
    else
      at = coordinates[level];
  }
  return at ? at : Value(arith::ConstantIndexOp::create(b, 0));
}

void ResultLayout::forRow(
    ImplicitLocOpBuilder &b, ArrayRef<Value> coordinates,
    const IRMapping &mapping,
    llvm::function_ref<void(Value, ArrayRef<Value>)> body) const {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> at(coordinates);
  std::function<void(unsigned, Value)> emit = [&](unsigned k, Value number) {
    if (k == inner.size())
      return body(number, at);
    Value size = extent(b, inner[k], mapping);
    Value base = arith::MulIOp::create(b, number, size);
    emitFor(b, zero, size, [&](Value coordinate) {
      at[inner[k]] = coordinate;
      emit(k + 1, arith::AddIOp::create(b, base, coordinate));
    });
  };
  emit(0, zero);
}

/// An element from a small integer.
static Value emitElement(ImplicitLocOpBuilder &b, Type type, int8_t value) {
  return CastOp::create(
      b, type, arith::ConstantOp::create(b, b.getI8IntegerAttr(value)));
}

/// The largest or smallest element.
static Value emitExtreme(ImplicitLocOpBuilder &b, Type type, bool isLargest) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    APFloat infinity =
        APFloat::getInf(floating.getFloatSemantics(), !isLargest);
    return arith::ConstantOp::create(b, b.getFloatAttr(type, infinity));
  }
  auto integer = cast<IntegerType>(type);
  unsigned width = integer.getWidth();
  if (integer.isUnsigned() || width == 1)
    return emitElement(b, type, isLargest ? -1 : 0);
  APInt bound = isLargest ? APInt::getSignedMaxValue(width)
                          : APInt::getSignedMinValue(width);
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, bound));
}

static Value emitIdentity(ImplicitLocOpBuilder &b, BinaryKind reduction,
                          Type type) {
  switch (operatorOf(reduction).identity) {
  case Identity::zero:
    return emitElement(b, type, 0);
  case Identity::one:
    return emitElement(b, type, 1);
  case Identity::largest:
    return emitExtreme(b, type, /*isLargest=*/true);
  case Identity::smallest:
    return emitExtreme(b, type, /*isLargest=*/false);
  case Identity::none:
    break;
  }
  llvm_unreachable("the operator does not reduce");
}

SmallVector<Value> ResultLayout::identities(ImplicitLocOpBuilder &b) const {
  return llvm::map_to_vector(
      sums, [&](Type type) { return emitIdentity(b, *reduction, type); });
}

/// x * y, or the largest number if that is more.
static Value saturatedProduct(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!x)
    return y;
  Value most = arith::ConstantIndexOp::create(b, -1);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value fits =
      arith::DivUIOp::create(b, most, arith::MaxUIOp::create(b, y, one));
  Value isMore = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, x, fits);
  return arith::SelectOp::create(b, isMore, most,
                                 arith::MulIOp::create(b, x, y));
}

/// Where elements are not stored, 0 takes part.
static Value withMissing(ImplicitLocOpBuilder &b, BinaryKind reduction,
                         Value reduced, Value count, Value all) {
  Value isMissing =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, count, all);
  Value zero = emitElement(b, reduced.getType(), 0);
  Value other =
      operatorOf(reduction).annihilator == Annihilator::either
          ? zero
          : Value(BinaryOp::createCommutative(b, reduction, reduced, zero));
  return arith::SelectOp::create(b, isMissing, other, reduced);
}

/// times x the number of places that a loop can come by.
static Value timesPlaces(ImplicitLocOpBuilder &b, Value x, CoiterateOp loop,
                         const IRMapping &mapping) {
  FlattenOp flatten = flattenOf(loop);
  if (!flatten)
    return saturatedProduct(b, x, emitExtent(b, loop, mapping));
  // Not all keys are made of coordinates.
  Value tensor = mapping.lookupOrDefault(flatten.getTensor());
  unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (unsigned level = 0; level < rank; ++level)
    x = saturatedProduct(b, x, levelExtent(b, tensor, level));
  return x;
}

Value ResultLayout::finish(ImplicitLocOpBuilder &b, ValueRange reduced,
                           Value count, const IRMapping &mapping) const {
  SmallVector<Value> values(reduced);
  Value all;
  if (*reduction != BinaryKind::add)
    for (CoiterateOp loop : ArrayRef(loops).drop_front(numOuter))
      if (!llvm::is_contained(loopOfLevel, loop))
        all = timesPlaces(b, all, loop, mapping);
  if (all)
    for (Value &value : values)
      value = withMissing(b, *reduction, value, count, all);
  Region &region = NestOp(nest).getFinish();
  if (region.empty())
    return values.front();
  IRMapping inside;
  inside.map(region.getArguments(), values);
  for (Operation &op : region.front().without_terminator())
    b.clone(op, inside);
  return inside.lookup(region.front().getTerminator()->getOperand(0));
}

void ResultArrays::makeViews(ImplicitLocOpBuilder &b, unsigned rank) {
  if (!values)
    return;
  for (unsigned level = 0; level < rank; ++level) {
    positions.push_back(arrays.positions(level));
    coordinates.push_back(arrays.coordinates(b, level));
  }
}

Value nacho::loadCut(ImplicitLocOpBuilder &b, StringRef name, Type cut,
                     Value bounds, Value row) {
  NameScope scope(b, name);
  return LoadCutOp::create(b, cut, bounds, row);
}

Share nacho::shareOf(ImplicitLocOpBuilder &b, Value part, Value parts,
                     Value size) {
  Type index = b.getIndexType();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value next = arith::AddIOp::create(b, part, one);
  return {QueryOp::create(b, index, part, parts, zero, size),
          QueryOp::create(b, index, next, parts, zero, size)};
}

void nacho::emitFor(ImplicitLocOpBuilder &b, Value from, Value to,
                    llvm::function_ref<void(Value)> body) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(b, from, to, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void nacho::emitIf(ImplicitLocOpBuilder &b, Value condition,
                   llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto ifOp = scf::IfOp::create(b, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  body();
}
