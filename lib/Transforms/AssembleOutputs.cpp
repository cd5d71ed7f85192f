//===- AssembleOutputs.cpp - The three kernels of a nest ------------------===//
//
// Consumes functions with one bounded nest; leaves the functions partition,
// assemble and compute of paper section 4, each over all parts, and plan and
// execute, which call them. Results, bounds and counts are buffers from here
// on. Who appends a coordinate of an outer level, and what is counted for it,
// is the business of the result's levels (lib/Levels).
//
//===----------------------------------------------------------------------===//

#include "PartBuilder.h"
#include "nacho/IR/Names.h"
#include "nacho/Kernel.h"
#include "nacho/Levels/Level.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOASSEMBLEOUTPUTS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {
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
    partials,
    status
  };
  using Arguments = SmallVector<Argument>;

  func::FuncOp startFunction(StringRef suffix, const Arguments &arguments,
                             bool isExported);
  Arguments executeArguments() const;
  void cloneOperands();
  Value numParts();
  ParallelOp startWorkers(Value parts);

  void buildPartition();
  void buildAssemble();
  void buildFill();
  void buildCompute();
  void buildCombine();
  void writeCombined(Value row, Value part, Value cut);
  void buildPlan();
  void buildScan();
  void storeSizes(Value parts);
  void buildExecute();

  SmallVector<Value> loadRow(Value buffer, Value row);

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
} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

NestAssembler::NestAssembler(func::FuncOp source, NestOp nest,
                             ResultLayout layout)
    : source(source), nest(nest),
      partition(nest.getCuts().getDefiningOp<PartitionOp>()),
      layout(std::move(layout)), b(withoutName(nest.getLoc()), source) {}

void NestAssembler::build() {
  buildPartition();
  if (layout.hasCounts())
    buildAssemble();
  if (layout.needsFill())
    buildFill();
  buildCompute();
  if (layout.canSplit())
    buildCombine();
  buildPlan();
  buildExecute();
}

/// Every function takes the operands first and the number of threads last.
func::FuncOp NestAssembler::startFunction(StringRef suffix,
                                          const Arguments &arguments,
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
      add(MemRefType::get({layout.type.getRank() + 1}, index), args.sizes,
          "sizes");
      break;
    case Argument::status:
      add(MemRefType::get({}, b.getI32Type()), args.status, "status");
      break;
    case Argument::partials:
      args.partials.resize(layout.sums.size());
      for (auto [type, partials] : llvm::zip(layout.sums, args.partials))
        add(MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic}, type),
            partials, "partials");
      add(MemRefType::get({ShapedType::kDynamic}, index), args.visited,
          "visited");
      break;
    case Argument::result: {
      unsigned rank = layout.type.getRank(), next = 0;
      args.positions.resize(rank);
      args.coordinates.resize(rank);
      for (unsigned level = 0; level < layout.structure; ++level) {
        if (hasPositions(layout.type, level))
          add(layout.buffers[next++], args.positions[level],
              "pos" + Twine(level));
        if (hasCoordinates(layout.type, level))
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

SmallVector<Value> NestAssembler::loadRow(Value buffer, Value row) {
  SmallVector<Value> values;
  for (auto [column, name] : llvm::enumerate(layout.columnNames())) {
    Value at = arith::ConstantIndexOp::create(b, column);
    NameScope scope(b, name);
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
    Value origin = OriginOp::create(b, cut), extent;
    if (partition.getExtent())
      extent = mapping.lookup(partition.getExtent());
    Value limit = LimitOp::create(b, cut, mapping.lookup(partition.getTotal()),
                                  extent, roots, partition.getLoops());
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
  Value parts = numParts();
  auto workers = startWorkers(parts);
  Value part = workers.getWorker();
  SmallVector<Value> row =
      PartBuilder(b, layout, mapping, args, part, parts).count();
  for (auto [column, value] : llvm::enumerate(row)) {
    Value at = arith::ConstantIndexOp::create(b, column);
    memref::StoreOp::create(b, value, args.counts, ValueRange{part, at});
  }
}

/// parallel part in parts: values[n * part / parts ...] = 0
void NestAssembler::buildFill() {
  startFunction("fill", {Argument::bounds, Argument::result},
                /*isExported=*/false);
  cloneOperands();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value parts = numParts();
  Value size = memref::DimOp::create(b, args.values, zero);
  auto workers = startWorkers(parts);
  Value part = workers.getWorker();
  Value next = arith::AddIOp::create(b, part, one);
  Type index = b.getIndexType();
  Value from = QueryOp::create(b, index, part, parts, zero, size);
  Value to = QueryOp::create(b, index, next, parts, zero, size);
  Value nothing;
  if (layout.reduction)
    nothing = layout.finish(b, layout.identities(b), zero, mapping);
  else
    nothing =
        CastOp::create(b, layout.type.getElementType(),
                       arith::ConstantOp::create(b, b.getI8IntegerAttr(0)));
  emitFor(b, from, to, [&](Value at) {
    memref::StoreOp::create(b, nothing, args.values, at);
  });
}

NestAssembler::Arguments NestAssembler::executeArguments() const {
  Arguments arguments = {Argument::bounds};
  if (layout.hasCounts())
    arguments.push_back(Argument::offsets);
  arguments.push_back(Argument::result);
  if (layout.hasPartials())
    arguments.push_back(Argument::partials);
  arguments.push_back(Argument::status);
  return arguments;
}

/// parallel part in parts: append from offsets[part] to offsets[part + 1]
void NestAssembler::buildCompute() {
  startFunction("compute", executeArguments(), /*isExported=*/false);
  cloneOperands();
  Value parts = numParts();
  auto workers = startWorkers(parts);
  Value part = workers.getWorker();
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value next = arith::AddIOp::create(b, part, one);
  SmallVector<Value> first, last;
  if (layout.hasCounts()) {
    first = loadRow(args.offsets, part);
    last = loadRow(args.offsets, next);
  }
  if (layout.hasCounts() && args.positions.front()) {
    // The one fiber of a first level that is stored.
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero);
    emitIf(b, isFirst, [&] {
      SmallVector<Value> total = loadRow(args.offsets, parts);
      storeIndex(b, zero, args.positions.front(), zero);
      storeIndex(b, layout.positionsOf(b, 0, total), args.positions.front(),
                 one);
    });
  }
  PartBuilder(b, layout, mapping, args, part, parts).append(first, last);
}

/// for part in parts, one after the other, which keeps the order of sums:
///   an entry that the part before has not completed goes on in this one's
///   head if that completes it, which then goes to the result; else in its tail
void NestAssembler::buildCombine() {
  Arguments arguments = executeArguments();
  arguments.pop_back();
  startFunction("combine", arguments, /*isExported=*/false);
  cloneOperands();
  Value parts = numParts();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value two = arith::ConstantIndexOp::create(b, 2);
  startWorkers(one);
  Type cut = nest.getBody().getArgument(0).getType();
  Type index = b.getIndexType();
  auto visited = [&](Value row) -> Value {
    return memref::LoadOp::create(b, args.visited, row);
  };
  emitFor(b, zero, parts, [&](Value part) {
    Value lower = loadCut(b, "lo", cut, args.bounds, part);
    Value upper =
        loadCut(b, "hi", cut, args.bounds, arith::AddIOp::create(b, part, one));
    Value spans = arith::ConstantIntOp::create(b, 0, 1);
    for (unsigned m = 0; m < layout.numOuter; ++m) {
      Value differ =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                CutCoordinateOp::create(b, index, lower, m),
                                CutCoordinateOp::create(b, index, upper, m));
      spans = arith::OrIOp::create(b, spans, differ);
    }
    Value head = arith::MulIOp::create(b, part, two);
    Value tail = arith::AddIOp::create(b, head, one);
    Value row = arith::SelectOp::create(b, spans, head, tail);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero);
    // The first part has none before it: its own tail is then as good as any.
    Value before = arith::SelectOp::create(b, isFirst, tail,
                                           arith::SubIOp::create(b, head, one));
    Value isOpen = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                         visited(before), zero);
    Value isNotFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, part, zero);
    emitIf(b, arith::AndIOp::create(b, isNotFirst, isOpen), [&] {
      emitFor(b, zero, layout.rowSize(b, mapping), [&](Value n) {
        for (Value partials : args.partials) {
          Value x = memref::LoadOp::create(b, partials, ValueRange{before, n});
          Value y = memref::LoadOp::create(b, partials, ValueRange{row, n});
          Value sum = BinaryOp::create(b, *layout.reduction, x, y);
          memref::StoreOp::create(b, sum, partials, ValueRange{row, n});
        }
      });
      Value count = arith::AddIOp::create(b, visited(before), visited(row));
      memref::StoreOp::create(b, count, args.visited, row);
    });
    if (layout.numOuter > 0)
      emitIf(b, spans, [&] { writeCombined(row, part, lower); });
  });
  if (layout.numOuter > 0)
    return;
  Value last =
      arith::SubIOp::create(b, arith::MulIOp::create(b, parts, two), one);
  writeCombined(last, Value(), Value());
}

/// A complete entry, at the coordinates of a cut, goes to the result.
void NestAssembler::writeCombined(Value row, Value part, Value cut) {
  Value count = memref::LoadOp::create(b, args.visited, row);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> coordinates(layout.type.getRank());
  Value isEntry, position;
  for (auto [level, loop] : llvm::enumerate(layout.loopOfLevel)) {
    unsigned m = llvm::find(layout.loops, loop) - layout.loops.begin();
    if (m >= layout.numOuter)
      continue;
    coordinates[level] = CutCoordinateOp::create(b, b.getIndexType(), cut, m);
    Value inside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, coordinates[level],
                              layout.extent(b, level, mapping));
    isEntry =
        isEntry ? Value(arith::AndIOp::create(b, isEntry, inside)) : inside;
  }
  if (layout.hasCounts()) {
    isEntry = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, count, zero);
    position = layout.positionsOf(b, layout.structure - 1,
                                  loadRow(args.offsets, part));
  }
  emitIf(b, isEntry, [&] {
    layout.forRow(b, coordinates, mapping, [&](Value n, ArrayRef<Value> at) {
      SmallVector<Value> sums;
      for (Value partials : args.partials)
        sums.push_back(memref::LoadOp::create(b, partials, ValueRange{row, n}));
      Value where = layout.location(b, position, at, mapping);
      Value size = memref::DimOp::create(b, args.values, zero);
      Value fits =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, where, size);
      emitIf(b, fits, [&] {
        memref::StoreOp::create(b, layout.finish(b, sums, count, mapping),
                                args.values, where);
      });
    });
  });
}

/// partition; assemble; offsets = scan(counts); sizes = what to allocate
void NestAssembler::buildPlan() {
  Arguments arguments = {Argument::bounds};
  if (layout.hasCounts())
    arguments.append({Argument::counts, Argument::offsets});
  arguments.append({Argument::sizes, Argument::status});
  startFunction("plan", arguments, /*isExported=*/true);
  cloneOperands();
  Value parts = numParts();
  SmallVector<Value> callArgs = operands;
  callArgs.append({args.bounds, parts, args.threads});
  func::CallOp::create(b, functions["partition"], callArgs);
  if (layout.hasCounts()) {
    callArgs = operands;
    callArgs.append({args.bounds, args.counts, args.status, args.threads});
    func::CallOp::create(b, functions["assemble"], callArgs);
    buildScan();
  }
  storeSizes(parts);
  func::ReturnOp::create(b);
}

void NestAssembler::buildScan() {
  int64_t columns = layout.numColumns();
  auto scan = ExclusiveScanOp::create(b, args.counts, args.offsets);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(2 * columns, b.getIndexType());
  SmallVector<Location> locs;
  for (StringRef run : {"x_", "y_"})
    for (StringRef name : layout.columnNames())
      locs.push_back(nameLoc(b.getLoc(), run + name));
  Block *combine = b.createBlock(&scan.getCombine(), {}, types, locs);
  ValueRange x = combine->getArguments().take_front(columns);
  ValueRange y = combine->getArguments().drop_front(columns);
  SmallVector<Value> sum;
  for (auto [m, level] : llvm::enumerate(layout.levels))
    level->combine(b, layout.columnsOf(m, x), layout.columnsOf(m, y), sum);
  if (layout.isDirect())
    sum.push_back(arith::AddIOp::create(b, x.back(), y.back()));
  YieldOp::create(b, sum);
}

/// By level the number of coordinates that it stores, or of a dense one its
/// extent; and the size of a row of partial entries.
void NestAssembler::storeSizes(Value parts) {
  SmallVector<Value> total, sizes;
  if (layout.hasCounts())
    total = loadRow(args.offsets, parts);
  for (unsigned level = 0, rank = layout.type.getRank(); level < rank; ++level)
    sizes.push_back(hasCoordinates(layout.type, level)
                        ? layout.positionsOf(b, level, total)
                        : layout.extent(b, level, mapping));
  sizes.push_back(layout.rowSize(b, mapping));
  for (auto [n, size] : llvm::enumerate(sizes)) {
    Value at = arith::ConstantIndexOp::create(b, n);
    memref::StoreOp::create(b, size, args.sizes, at);
  }
}

/// fill; compute; combine
void NestAssembler::buildExecute() {
  func::FuncOp func =
      startFunction("execute", executeArguments(), /*isExported=*/true);
  if (layout.hasCounts())
    func->setAttr(kCountsAttr, b.getUnitAttr());
  if (layout.hasPartials())
    func->setAttr(kPartialsAttr, b.getTypeArrayAttr(layout.sums));
  SmallVector<Value> filled = operands;
  filled.push_back(args.bounds);
  for (unsigned level = 0; level < args.positions.size(); ++level)
    for (Value buffer : {args.positions[level], args.coordinates[level]})
      if (buffer)
        filled.push_back(buffer);
  filled.append({args.values, args.threads});
  if (layout.needsFill())
    func::CallOp::create(b, functions["fill"], filled);
  func::CallOp::create(b, functions["compute"], func.getArguments());
  if (layout.canSplit()) {
    SmallVector<Value> combined(func.getArguments());
    combined.erase(combined.end() - 2);
    func::CallOp::create(b, functions["combine"], combined);
  }
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
  // The rest is repeated in each of the functions.
  for (Operation &op : func.getBody().front().without_terminator())
    if (&op != nest && !isMemoryEffectFree(&op))
      return op.emitOpError("has an effect next to a nest");
  if (!SymbolTable::symbolKnownUseEmpty(func, func->getParentOp()))
    return func.emitOpError("is used, but its nest makes it five functions");
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
