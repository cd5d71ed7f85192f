//===- AssembleOutputs.cpp - The three kernels of a nest ------------------===//
//
// Consumes functions with one bounded nest; leaves the functions partition,
// assemble and compute of paper section 4, each over all parts, and plan and
// execute, which call them. Results, bounds and counts are buffers from here
// on. Who appends a coordinate of an outer level, and what is counted for it,
// is the business of the result's levels (lib/Levels).
//
//===----------------------------------------------------------------------===//

#include "nacho/Analysis/MergeLattice.h"
#include "nacho/IR/Names.h"
#include "nacho/Kernel.h"
#include "nacho/Levels/Level.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

#include <numeric>

namespace nacho {
#define GEN_PASS_DEF_NACHOASSEMBLEOUTPUTS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {

/// The result's type as buffers and its levels above the last one.
struct ResultLayout {
  RankedTensorType type;
  SmallVector<std::unique_ptr<ResultLevel>> levels;
  SmallVector<Type> buffers; ///< Positions and coordinates by level, values.

  static FailureOr<ResultLayout> get(NestOp nest);

  /// Columns of a row of counts: those of the levels, and the entries.
  int64_t numColumns() const {
    int64_t columns = 1;
    for (const auto &level : levels)
      columns += level->numColumns();
    return columns;
  }
};

/// The arguments of one of the functions, by name.
struct PhaseArguments {
  Value bounds, within, counts, offsets, sizes, status, threads;
  SmallVector<Value> positions, coordinates; ///< Null for full levels.
  Value values;
};

/// Builds one function after the other from the nest's function.
class NestAssembler {
public:
  NestAssembler(func::FuncOp source, NestOp nest, ResultLayout layout);

  void build();

private:
  enum class Argument {
    bounds,
    within,
    counts,
    offsets,
    sizes,
    result,
    status
  };

  func::FuncOp startFunction(StringRef suffix, ArrayRef<Argument> arguments,
                             bool isExported);
  void cloneOperands();
  Value numParts();
  ParallelOp startWorkers(Value parts);

  void buildPartition();
  void buildAssemble();
  void buildCompute();
  void buildPlan();
  void buildExecute();

  SmallVector<Value> loadRow(Value buffer, Value row, int64_t columns);

  func::FuncOp source;
  NestOp nest;
  PartitionOp partition;
  ResultLayout layout;
  ImplicitLocOpBuilder b;

  // Of the function being built.
  IRMapping mapping;
  SmallVector<Value> operands;
  PhaseArguments args;
  llvm::StringMap<func::FuncOp> functions;
};

/// Repeats the loops of a nest for one part, with what the phase carries.
class PartBuilder {
public:
  PartBuilder(ImplicitLocOpBuilder &b, NestOp nest, const ResultLayout &layout,
              IRMapping mapping, const PhaseArguments &args, Value part)
      : b(b), loops(nest.getLoops()), layout(layout), mapping(mapping),
        args(args), part(part) {}

  /// Counts; returns the row of counts.
  SmallVector<Value> count();
  /// Appends between the two rows of the scan; returns whether all went as
  /// counted.
  Value append(ValueRange first, ValueRange last);

private:
  void loadCuts();
  SmallVector<Value> emitLoop(unsigned m, Value lower, Value upper,
                              ArrayRef<Value> carried);
  void emitEntry(CoiterateOp source, MutableArrayRef<Value> carried);
  void checkCoordinate(CoiterateOp loop);
  void appendEntry(Value value, Value coordinate, Value offset);
  MutableArrayRef<Value> valuesOf(unsigned m, MutableArrayRef<Value> carried);
  Value nextOf(unsigned m, ArrayRef<Value> carried) const;
  ValueRange columnsOf(unsigned m, ValueRange row) const;

  ImplicitLocOpBuilder &b;
  SmallVector<CoiterateOp> loops;
  const ResultLayout &layout;
  IRMapping mapping;
  const PhaseArguments &args;
  Value part, lower, upper;

  bool counting = false;
  Value end; ///< Where the entries of the part end.
  SmallVector<AppendContext> contexts;
  SmallVector<unsigned> numValues; ///< Carried by each level.
};

} // namespace

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

static Value loadCut(ImplicitLocOpBuilder &b, StringRef name, Type cut,
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
  MergeAttr domain = iterationDomain(loop.getMerge(), [&](unsigned operand) {
    auto fiber = cast<FiberType>(loop.getFibers()[operand].getType());
    return Level::isFull(fiber.getTensor(), fiber.getLevel());
  });
  if (isAlways(domain))
    return;
  Value extent =
      ExtentOp::create(b, b.getIndexType(), loop.getFibers().front());
  Value outside = arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                                        loop.getCoordinate(), extent);
  auto ifOutside = scf::IfOp::create(b, outside, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOutside.thenBlock());
  Value code = arith::ConstantIntOp::create(b, kCoordinateOutOfRange, 32);
  memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, code, args.status,
                              ValueRange());
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
    emitEntry(from, values);
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
void PartBuilder::emitEntry(CoiterateOp source,
                            MutableArrayRef<Value> carried) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value offset = carried.back();
  if (!counting) {
    for (Operation &op : source.getBodyBlock()->without_terminator()) {
      if (auto append = dyn_cast<AppendOp>(op))
        appendEntry(mapping.lookupOrDefault(append.getValue()),
                    mapping.lookup(append.getCoordinates().back()), offset);
      else
        b.clone(op, mapping);
    }
  }
  carried.back() = arith::AddIOp::create(b, offset, one);
}

/// values[offset] = value; crd[offset] = coordinate. Within the part's own
/// entries: only operands that changed since they were counted could give more.
void PartBuilder::appendEntry(Value value, Value coordinate, Value offset) {
  Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, offset, end);
  auto ifFits = scf::IfOp::create(b, fits, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifFits.thenBlock());
  memref::StoreOp::create(b, value, args.values, offset);
  storeIndex(b, coordinate, args.coordinates.back(), offset);
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
  carried.push_back(arith::ConstantIndexOp::create(b, 0));
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

Value PartBuilder::append(ValueRange first, ValueRange last) {
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
  return complete;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

NestAssembler::NestAssembler(func::FuncOp source, NestOp nest,
                             ResultLayout layout)
    : source(source), nest(nest),
      partition(nest.getCuts().getDefiningOp<PartitionOp>()),
      layout(std::move(layout)), b(nest.getLoc(), source) {}

void NestAssembler::build() {
  buildPartition();
  buildAssemble();
  buildCompute();
  buildPlan();
  buildExecute();
}

/// Every function takes the operands first and the number of threads last.
func::FuncOp NestAssembler::startFunction(StringRef suffix,
                                          ArrayRef<Argument> arguments,
                                          bool isExported) {
  Type index = b.getIndexType();
  auto rows = [&](int64_t columns) {
    return MemRefType::get({ShapedType::kDynamic, columns}, index);
  };
  auto cut = CutType::get(b.getContext(), nest.getCuts().getType().getWidths());
  SmallVector<Type> types(source.getArgumentTypes().drop_back());
  size_t numOperands = types.size();
  SmallVector<std::pair<Value *, std::string>> targets;
  args = PhaseArguments();
  auto add = [&](Type type, Value &target, const Twine &name) {
    types.push_back(type);
    targets.push_back({&target, name.str()});
  };
  for (Argument argument : arguments) {
    switch (argument) {
    case Argument::bounds:
      add(rows(cut.getNumColumns()), args.bounds, "bounds");
      break;
    case Argument::within:
      add(index, args.within, "within");
      break;
    case Argument::counts:
      add(rows(layout.numColumns()), args.counts, "counts");
      break;
    case Argument::offsets:
      add(rows(layout.numColumns()), args.offsets, "offsets");
      break;
    case Argument::sizes:
      add(MemRefType::get({layout.type.getRank()}, index), args.sizes, "sizes");
      break;
    case Argument::status:
      add(MemRefType::get({}, b.getI32Type()), args.status, "status");
      break;
    case Argument::result: {
      unsigned rank = layout.type.getRank(), next = 0;
      args.positions.resize(rank);
      args.coordinates.resize(rank);
      for (unsigned level = 0; level < rank; ++level) {
        if (Level::isFull(layout.type, level))
          continue;
        add(layout.buffers[next++], args.positions[level],
            "pos" + Twine(level));
        add(layout.buffers[next++], args.coordinates[level],
            "crd" + Twine(level));
      }
      add(layout.buffers[next], args.values, "values");
      break;
    }
    }
  }
  add(index, args.threads, "threads");

  std::string name = (source.getName() + "_" + suffix).str();
  b.setInsertionPoint(source);
  auto func = func::FuncOp::create(b, name, b.getFunctionType(types, {}));
  if (isExported)
    func->setAttr("llvm.emit_c_interface", b.getUnitAttr());
  else
    func.setPrivate();
  functions[suffix] = func;
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);
  mapping.clear();
  operands.clear();
  for (unsigned n = 0; n < numOperands; ++n) {
    operands.push_back(entry->getArgument(n));
    entry->getArgument(n).setLoc(source.getArgument(n).getLoc());
    mapping.map(source.getArgument(n), entry->getArgument(n));
  }
  for (auto [target, value] :
       llvm::zip(targets, entry->getArguments().drop_front(numOperands))) {
    *target.first = value;
    setName(value, target.second);
  }
  return func;
}

/// The roots of the operands, and what else comes before the partition.
void NestAssembler::cloneOperands() {
  for (Operation &op : source.getBody().front())
    if (!isa<PartitionOp, NestOp, func::ReturnOp>(op))
      b.clone(op, mapping);
}

Value NestAssembler::numParts() {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value rows = memref::DimOp::create(b, args.bounds, zero);
  NameScope name(b, "parts");
  return arith::SubIOp::create(b, rows, one);
}

/// The function's workers, one for each part; the builder is left in there.
ParallelOp NestAssembler::startWorkers(Value parts) {
  auto workers = ParallelOp::create(b, parts, args.threads);
  setName(workers.getWorker(), "part");
  func::ReturnOp::create(b);
  b.setInsertionPointToStart(workers.getBodyBlock());
  return workers;
}

SmallVector<Value> NestAssembler::loadRow(Value buffer, Value row,
                                          int64_t columns) {
  SmallVector<Value> values;
  for (int64_t column = 0; column < columns; ++column) {
    Value at = arith::ConstantIndexOp::create(b, column);
    values.push_back(memref::LoadOp::create(b, buffer, ValueRange{row, at}));
  }
  return values;
}

/// if within == parts: bounds[0] = origin, bounds[parts] = limit
/// parallel p in parts: bounds[p] = a cut between bounds[p - p % within] and
///                                  `within` rows further
void NestAssembler::buildPartition() {
  func::FuncOp func = startFunction(
      "partition", {Argument::bounds, Argument::within}, /*isExported=*/true);
  func->setAttr(kDeltaAttr, partition.getDeltaAttr());
  cloneOperands();
  SmallVector<Value> roots;
  for (Value root : partition.getRoots())
    roots.push_back(mapping.lookup(root));
  Value parts = numParts();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Type cut = partition.getBodyBlock()->getArgument(1).getType();

  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, args.within, parts);
  auto ifWhole = scf::IfOp::create(b, isWhole, /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifWhole.thenBlock());
    auto ends = ParallelOp::create(b, one, args.threads);
    b.setInsertionPointToStart(ends.getBodyBlock());
    Value origin = OriginOp::create(b, cut);
    Value limit = LimitOp::create(b, cut, mapping.lookup(partition.getTotal()),
                                  roots, partition.getLoops());
    StoreCutOp::create(b, origin, args.bounds, zero);
    StoreCutOp::create(b, limit, args.bounds, parts);
  }
  auto workers = startWorkers(parts);
  Value inside = arith::RemUIOp::create(b, workers.getWorker(), args.within);
  Value isInterior =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, inside, zero);
  auto ifInterior = scf::IfOp::create(b, isInterior, /*withElse=*/false);
  b.setInsertionPointToStart(ifInterior.thenBlock());
  Value from = arith::SubIOp::create(b, workers.getWorker(), inside);
  Value to = arith::AddIOp::create(b, from, args.within);
  Value lower = loadCut(b, "lo", cut, args.bounds, from);
  Value upper = loadCut(b, "hi", cut, args.bounds, to);
  Value base = CutCostOp::create(b, b.getIndexType(), lower);
  Value limit = CutCostOp::create(b, b.getIndexType(), upper);
  // A part that costs nothing is left whole.
  Value hasCost =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, base, limit);
  auto ifCost = scf::IfOp::create(b, hasCost, /*withElse=*/true);
  b.setInsertionPointToStart(ifCost.elseBlock());
  StoreCutOp::create(b, lower, args.bounds, workers.getWorker());
  b.setInsertionPointToStart(ifCost.thenBlock());
  Value query;
  {
    NameScope name(b, "query");
    query =
        QueryOp::create(b, b.getIndexType(), inside, args.within, base, limit);
  }
  Block *search = partition.getBodyBlock();
  mapping.map(search->getArgument(0), query);
  mapping.map(search->getArgument(1), lower);
  mapping.map(search->getArgument(2), upper);
  for (Operation &op : search->without_terminator())
    b.clone(op, mapping);
  StoreCutOp::create(b, mapping.lookup(search->getTerminator()->getOperand(0)),
                     args.bounds, workers.getWorker());
}

/// parallel part in parts: counts[part] = what the part appends
void NestAssembler::buildAssemble() {
  startFunction("assemble",
                {Argument::bounds, Argument::counts, Argument::status},
                /*isExported=*/false);
  cloneOperands();
  auto workers = startWorkers(numParts());
  Value part = workers.getWorker();
  SmallVector<Value> row =
      PartBuilder(b, nest, layout, mapping, args, part).count();
  for (auto [column, value] : llvm::enumerate(row)) {
    Value at = arith::ConstantIndexOp::create(b, column);
    memref::StoreOp::create(b, value, args.counts, ValueRange{part, at});
  }
}

/// parallel part in parts: append from offsets[part] to offsets[part + 1]
void NestAssembler::buildCompute() {
  startFunction(
      "compute",
      {Argument::bounds, Argument::offsets, Argument::result, Argument::status},
      /*isExported=*/false);
  cloneOperands();
  Value parts = numParts();
  auto workers = startWorkers(parts);
  Value part = workers.getWorker();
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value next = arith::AddIOp::create(b, part, one);
  int64_t columns = layout.numColumns();
  SmallVector<Value> first = loadRow(args.offsets, part, columns);
  SmallVector<Value> last = loadRow(args.offsets, next, columns);
  if (Value positions = args.positions.front()) {
    // The one fiber of a compressed first level.
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero);
    auto ifFirst = scf::IfOp::create(b, isFirst, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifFirst.thenBlock());
    SmallVector<Value> total = loadRow(args.offsets, parts, columns);
    Value size = layout.levels.empty() ? total.back()
                                       : layout.levels.front()->size(b, total);
    storeIndex(b, zero, positions, zero);
    storeIndex(b, size, positions, one);
  }
  Value complete =
      PartBuilder(b, nest, layout, mapping, args, part).append(first, last);
  Value yes = arith::ConstantIntOp::create(b, 1, 1);
  Value changed = arith::XOrIOp::create(b, complete, yes);
  auto ifChanged = scf::IfOp::create(b, changed, /*withElse=*/false);
  b.setInsertionPointToStart(ifChanged.thenBlock());
  Value code = arith::ConstantIntOp::create(b, kOperandsChanged, 32);
  memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, code, args.status,
                              ValueRange());
}

/// partition; assemble; offsets = scan(counts); sizes = what to allocate
void NestAssembler::buildPlan() {
  startFunction("plan",
                {Argument::bounds, Argument::counts, Argument::offsets,
                 Argument::sizes, Argument::status},
                /*isExported=*/true);
  Value parts = numParts();
  SmallVector<Value> callArgs = operands;
  callArgs.append({args.bounds, parts, args.threads});
  func::CallOp::create(b, functions["partition"], callArgs);
  callArgs = operands;
  callArgs.append({args.bounds, args.counts, args.status, args.threads});
  func::CallOp::create(b, functions["assemble"], callArgs);

  int64_t columns = layout.numColumns();
  auto scan = ExclusiveScanOp::create(b, args.counts, args.offsets);
  {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Type> types(2 * columns, b.getIndexType());
    SmallVector<Location> locs(types.size(), b.getLoc());
    Block *combine = b.createBlock(&scan.getCombine(), {}, types, locs);
    SmallVector<Value> sum;
    unsigned column = 0;
    for (const auto &level : layout.levels) {
      unsigned width = level->numColumns();
      ValueRange x = combine->getArguments().slice(column, width);
      ValueRange y = combine->getArguments().slice(columns + column, width);
      level->combine(b, x, y, sum);
      column += width;
    }
    sum.push_back(arith::AddIOp::create(b, combine->getArgument(columns - 1),
                                        combine->getArguments().back()));
    YieldOp::create(b, sum);
  }

  SmallVector<Value> total = loadRow(args.offsets, parts, columns);
  unsigned column = 0;
  for (auto [m, level] : llvm::enumerate(layout.levels)) {
    ValueRange columnsOfLevel(total);
    columnsOfLevel = columnsOfLevel.slice(column, level->numColumns());
    column += level->numColumns();
    Value size = level->size(b, columnsOfLevel);
    if (!size)
      continue;
    Value at = arith::ConstantIndexOp::create(b, m);
    memref::StoreOp::create(b, size, args.sizes, at);
  }
  Value at = arith::ConstantIndexOp::create(b, layout.levels.size());
  memref::StoreOp::create(b, total.back(), args.sizes, at);
  func::ReturnOp::create(b);
}

void NestAssembler::buildExecute() {
  startFunction(
      "execute",
      {Argument::bounds, Argument::offsets, Argument::result, Argument::status},
      /*isExported=*/true);
  func::FuncOp func = functions["execute"];
  func::CallOp::create(b, functions["compute"], func.getArguments());
  func::ReturnOp::create(b);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static LogicalResult assemble(func::FuncOp func, NestOp nest) {
  if (!nest.getCuts() || nest.getBody().getNumArguments() == 0)
    return nest.emitOpError("must be partitioned and bounded first");
  if (!nest.getCuts().getDefiningOp<PartitionOp>() ||
      nest->getParentOp() != func || !func.getBody().hasOneBlock() ||
      func.getBody().front().getTerminator()->getOperands() !=
          nest->getResults())
    return nest.emitOpError("must be all that its function does");
  FailureOr<ResultLayout> layout = ResultLayout::get(nest);
  if (failed(layout))
    return failure();
  NestAssembler(func, nest, std::move(*layout)).build();
  func.erase();
  return success();
}

namespace {
struct AssembleOutputs
    : nacho::impl::NachoAssembleOutputsBase<AssembleOutputs> {
  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      SmallVector<NestOp> nests;
      func.walk([&](NestOp nest) { nests.push_back(nest); });
      if (nests.empty())
        continue;
      if (nests.size() > 1) {
        nests[1].emitOpError("must be the only nest of its function");
        return signalPassFailure();
      }
      if (failed(assemble(func, nests.front())))
        return signalPassFailure();
    }
  }
};
} // namespace
