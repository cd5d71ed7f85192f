//===- PartBuilder.cpp - The loops of one part ----------------------------===//

#include "PartBuilder.h"

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Names.h"
#include "nacho/Kernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

FailureOr<ResultLayout> ResultLayout::get(NestOp nest) {
  ResultLayout layout;
  layout.type = cast<RankedTensorType>(nest.getType());
  auto encoding = sparse_tensor::getSparseTensorEncoding(layout.type);
  unsigned rank = layout.type.getRank();
  auto vectorOf = [](Type type) {
    return MemRefType::get({ShapedType::kDynamic}, type);
  };
  for (unsigned level = 0; level < rank; ++level) {
    bool isFull = Level::isFull(layout.type, level);
    if (isFull && (level > 0 || level + 1 == rank))
      return nest.emitOpError()
             << "cannot append to " << layout.type
             << ": only the first of several levels can be dense";
    if (level + 1 < rank)
      layout.levels.push_back(ResultLevel::get(layout.type, level));
    if (!isFull)
      layout.buffers.append({vectorOf(encoding.getPosElemType()),
                             vectorOf(encoding.getCrdElemType())});
  }
  layout.buffers.push_back(vectorOf(layout.type.getElementType()));
  return layout;
}

//===----------------------------------------------------------------------===//
// One part
//===----------------------------------------------------------------------===//

Value nacho::loadCut(ImplicitLocOpBuilder &b, StringRef name, Type cut,
                     Value bounds, Value row) {
  NameScope scope(b, name);
  return LoadCutOp::create(b, cut, bounds, row);
}

void PartBuilder::loadCuts() {
  NestOp nest = loops.front()->getParentOfType<NestOp>();
  Block &body = nest.getBody().front();
  Type cut = body.getArgument(0).getType();
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value next = arith::AddIOp::create(b, part, one);
  lower = loadCut(b, "lo", cut, args.bounds, part);
  upper = loadCut(b, "hi", cut, args.bounds, next);
}

MutableArrayRef<Value> PartBuilder::valuesOf(unsigned m,
                                             MutableArrayRef<Value> carried) {
  unsigned begin =
      std::accumulate(numValues.begin(), numValues.begin() + m, 0u);
  return carried.slice(begin, numValues[m]);
}

/// The number of positions of the level after level m so far: its first
/// carried value, or the entries.
Value PartBuilder::nextOf(unsigned m, ArrayRef<Value> carried) const {
  return carried[std::accumulate(numValues.begin(), numValues.begin() + m + 1,
                                 0u)];
}

ValueRange PartBuilder::columnsOf(unsigned m, ValueRange row) const {
  unsigned begin = 0;
  for (unsigned outer = 0; outer < m; ++outer)
    begin += layout.levels[outer]->numColumns();
  return row.slice(begin, layout.levels[m]->numColumns());
}

/// A coordinate that indexes memory must be inside its extent, whatever has
/// happened to the arrays since they were checked.
void PartBuilder::checkCoordinate(CoiterateOp loop) {
  if (visitsAll(loop))
    return;
  Value extent =
      ExtentOp::create(b, b.getIndexType(), loop.getFibers().front());
  Value outside = arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                                        loop.getCoordinate(), extent);
  auto ifOutside = scf::IfOp::create(b, outside, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOutside.thenBlock());
  setStatus(arith::ConstantIntOp::create(b, kCoordinateOutOfRange, 32));
}

/// The loops from `m` inwards, for the carried values; returns them afterwards.
SmallVector<Value> PartBuilder::emitLoop(unsigned m, Value lower, Value upper,
                                         ArrayRef<Value> carried) {
  CoiterateOp from = loops[m];
  SmallVector<Value> fibers;
  for (Value fiber : from.getFibers())
    fibers.push_back(mapping.lookup(fiber));
  auto loop =
      CoiterateOp::create(b, fibers, from.getMerge(), lower, upper, carried);
  mapping.map(from.getCoordinate(), loop.getCoordinate());
  loop.getCoordinate().setLoc(from.getCoordinate().getLoc());
  for (auto [old, now] : llvm::zip(from.getChildren(), loop.getChildren()))
    mapping.map(old, now);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBodyBlock());
  SmallVector<Value> values(loop.getCarried());
  if (m + 1 == loops.size()) {
    emitEntry(from, loop, values);
    YieldOp::create(b, values);
    return SmallVector<Value>(loop.getResults());
  }

  const ResultLevel &level = *layout.levels[m];
  checkCoordinate(loop);
  if (!counting)
    level.enterAppend(b, contexts[m], loop.getCoordinate(), nextOf(m, values),
                      valuesOf(m, values));
  Value before = values.back();
  values = emitLoop(m + 1, loop.getInnerLower(), loop.getInnerUpper(), values);
  Value any =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, values.back(), before);
  Value onUpper = OnCutOp::create(b, b.getI1Type(), loop.getInnerUpper());
  if (counting) {
    Value onLower = OnCutOp::create(b, b.getI1Type(), loop.getInnerLower());
    level.leaveCount(b, any, onLower, onUpper, valuesOf(m, values));
  } else {
    Value yes = arith::ConstantIntOp::create(b, 1, 1);
    Value finished = arith::XOrIOp::create(b, onUpper, yes);
    level.leaveAppend(b, contexts[m], loop.getCoordinate(), any, finished,
                      nextOf(m, values), valuesOf(m, values));
  }
  YieldOp::create(b, values);
  return SmallVector<Value>(loop.getResults());
}

/// The body of the innermost loop: an entry more.
void PartBuilder::emitEntry(CoiterateOp source, CoiterateOp loop,
                            MutableArrayRef<Value> carried) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value offset = carried.back();
  if (!counting) {
    Value extent =
        ExtentOp::create(b, b.getIndexType(), loop.getFibers().front());
    for (Operation &op : source.getBodyBlock()->without_terminator()) {
      if (auto append = dyn_cast<AppendOp>(op))
        appendEntry(mapping.lookupOrDefault(append.getValue()),
                    mapping.lookup(append.getCoordinates().back()), extent,
                    offset);
      else
        b.clone(op, mapping);
    }
  }
  carried.back() = arith::AddIOp::create(b, offset, one);
}

/// values[offset] = value; crd[offset] = coordinate. Unless the operands
/// changed since they were checked and counted, the part has room for the entry
/// and the result for the coordinate.
void PartBuilder::appendEntry(Value value, Value coordinate, Value extent,
                              Value offset) {
  auto less = arith::CmpIPredicate::ult;
  Value fits = arith::CmpIOp::create(b, less, offset, end);
  Value inside = arith::CmpIOp::create(b, less, coordinate, extent);
  Value valid = arith::AndIOp::create(b, fits, inside);
  auto ifValid = scf::IfOp::create(b, valid, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifValid.thenBlock());
  memref::StoreOp::create(b, value, args.values, offset);
  storeIndex(b, coordinate, args.coordinates.back(), offset);
  b.setInsertionPointToStart(ifValid.elseBlock());
  Value changed = arith::ConstantIntOp::create(b, kOperandsChanged, 32);
  Value outOfRange = arith::ConstantIntOp::create(b, kCoordinateOutOfRange, 32);
  setStatus(arith::SelectOp::create(b, inside, changed, outOfRange));
}

void PartBuilder::setStatus(Value code) {
  memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, code, args.status,
                              ValueRange());
}

SmallVector<Value> PartBuilder::count() {
  counting = true;
  loadCuts();
  SmallVector<Value> carried;
  for (const auto &level : layout.levels) {
    size_t before = carried.size();
    level->initCount(b, carried);
    numValues.push_back(carried.size() - before);
  }
  {
    NameScope name(b, "entries");
    carried.push_back(arith::ConstantIndexOp::create(b, 0));
  }
  SmallVector<Value> counted = emitLoop(0, lower, upper, carried);

  SmallVector<Value> row;
  Value spans;
  for (auto [m, level] : llvm::enumerate(layout.levels)) {
    Type index = b.getIndexType();
    Value from = CutCoordinateOp::create(b, index, lower, m);
    Value to = CutCoordinateOp::create(b, index, upper, m);
    Value differ = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, from, to);
    spans = spans ? Value(arith::OrIOp::create(b, spans, differ)) : differ;
    level->columns(b, spans, valuesOf(m, counted), row);
  }
  row.push_back(counted.back());
  return row;
}

void PartBuilder::append(ValueRange first, ValueRange last) {
  loadCuts();
  end = last.back();
  SmallVector<Value> carried;
  for (auto [m, level] : llvm::enumerate(layout.levels)) {
    Type index = b.getIndexType();
    contexts.push_back({part, CutCoordinateOp::create(b, index, lower, m),
                        CutCoordinateOp::create(b, index, upper, m),
                        columnsOf(m, first), columnsOf(m, last),
                        args.positions[m + 1], args.coordinates[m]});
    size_t before = carried.size();
    level->initAppend(b, contexts[m], carried);
    numValues.push_back(carried.size() - before);
  }
  carried.push_back(first.back());
  SmallVector<Value> appended = emitLoop(0, lower, upper, carried);

  Value complete =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, appended.back(), end);
  for (auto [m, level] : llvm::enumerate(layout.levels))
    complete = emitAnd(b, b.getLoc(), complete,
                       level->finishAppend(b, contexts[m], nextOf(m, appended),
                                           valuesOf(m, appended)));
  Value yes = arith::ConstantIntOp::create(b, 1, 1);
  Value changed = arith::XOrIOp::create(b, complete, yes);
  auto ifChanged = scf::IfOp::create(b, changed, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifChanged.thenBlock());
  setStatus(arith::ConstantIntOp::create(b, kOperandsChanged, 32));
}
