//===- AssembleOutputs.cpp - The three kernels of a nest ------------------===//
//
// Consumes functions with one bounded nest; leaves the functions partition,
// assemble and compute of paper section 4, each over all parts, and plan and
// execute, which call them. Results, bounds and counts are buffers from here
// on. Who appends a coordinate of an outer level, and what is counted for it,
// is the business of the result's levels (lib/Levels).
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"
#include "PartBuilder.h"
#include "nacho/IR/AttrNames.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
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
  if (layout.hasCounts() && !layout.isDraft)
    buildAssemble();
  if (layout.needsFill())
    buildFill();
  buildCompute();
  if (layout.canSplit())
    buildCombine();
  buildPlan();
  buildExecute();
  if (layout.isDraft)
    buildCompact();
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
  Arguments arguments = {Argument::bounds, Argument::counts};
  if (layout.scattered)
    arguments.push_back(Argument::coordinateSet);
  arguments.append({Argument::tables, Argument::status});
  startFunction("assemble", arguments, /*isExported=*/false);
  cloneOperands();
  Value parts = numParts();
  auto workers = startWorkers(parts);
  Value part = workers.getWorker();
  SmallVector<Value> row =
      PartBuilder(b, layout, mapping, args, part, parts).count();
  storeRow(row, args.counts, part);
}

NestAssembler::Arguments NestAssembler::executeArguments() const {
  Arguments arguments = {Argument::bounds};
  if (layout.hasCounts())
    arguments.push_back(Argument::offsets);
  if (layout.isDraft)
    arguments.append({Argument::counts, Argument::moved, Argument::sizes});
  arguments.push_back(Argument::result);
  if (layout.hasPartials())
    arguments.push_back(Argument::partials);
  if (layout.scattered)
    arguments.push_back(Argument::workspace);
  arguments.append({Argument::tables, Argument::status});
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
  if (layout.hasCounts() && !layout.isDraft)
    writeFirstFiber(part, parts, args.offsets);
  SmallVector<Value> row =
      PartBuilder(b, layout, mapping, args, part, parts).append(first, last);
  if (layout.isDraft)
    storeRow(row, args.counts, part);
}

/// Done by the first part, if there is one to write.
void NestAssembler::writeFirstFiber(Value part, Value parts, Value offsets) {
  if (!args.positions.front())
    return;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero);
  emitIf(b, isFirst, [&] { storeFirstFiber(parts, offsets); });
}

/// The one fiber of a first level that is stored: where it begins and ends.
void NestAssembler::storeFirstFiber(Value parts, Value offsets) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value end = layout.positionsOf(b, 0, loadRow(offsets, parts));
  storeIndex(b, zero, args.positions.front(), zero);
  storeIndex(b, end, args.positions.front(), one);
}

/// partition; assemble; offsets = scan(counts); sizes = what to allocate
///
/// Of a draft: partition; offsets = what the parts before cost
void NestAssembler::buildPlan() {
  Arguments arguments = {Argument::bounds};
  if (layout.isDraft)
    arguments.push_back(Argument::offsets);
  else if (layout.hasCounts())
    arguments.append({Argument::counts, Argument::offsets});
  arguments.push_back(Argument::sizes);
  if (!layout.isDraft && layout.scattered)
    arguments.push_back(Argument::coordinateSet);
  if (!layout.isDraft)
    arguments.push_back(Argument::tables);
  arguments.push_back(Argument::status);
  startFunction("plan", arguments, /*isExported=*/true);
  cloneOperands();
  Value parts = numParts();
  SmallVector<Value> callArgs = operands;
  callArgs.append({args.bounds, parts, args.threads});
  func::CallOp::create(b, functions["partition"], callArgs);
  if (layout.isDraft) {
    buildSlots(parts);
  } else if (layout.hasCounts()) {
    callArgs = operands;
    callArgs.append({args.bounds, args.counts});
    if (args.keys)
      callArgs.push_back(args.keys);
    if (layout.scattered)
      callArgs.push_back(args.marks);
    for (const PhaseArguments::Table &table : args.tables)
      callArgs.append({table.keys, table.marks, table.positions});
    callArgs.append({args.status, args.threads});
    func::CallOp::create(b, functions["assemble"], callArgs);
    buildScan(args.offsets);
  }
  storeSizes(args.offsets, parts);
  func::ReturnOp::create(b);
}

void NestAssembler::buildScan(Value offsets) {
  int64_t columns = layout.numColumns();
  auto scan = ExclusiveScanOp::create(b, args.counts, offsets);
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
  for (size_t column = sum.size(); column < x.size(); ++column)
    sum.push_back(arith::AddIOp::create(b, x[column], y[column]));
  YieldOp::create(b, sum);
}

/// By level the number of coordinates that it stores, or of a dense one its
/// extent; the size of a row of partial entries; and the extents of all levels.
void NestAssembler::storeSizes(Value offsets, Value parts) {
  SmallVector<Value> total, sizes;
  if (layout.hasCounts())
    total = loadRow(offsets, parts);
  for (unsigned level = 0, rank = layout.type.getRank(); level < rank; ++level)
    sizes.push_back(level < layout.structure && !isFullLevel(layout.type, level)
                        ? layout.positionsOf(b, level, total)
                        : layout.extent(b, level, mapping));
  sizes.push_back(layout.rowSize(b, mapping));
  for (unsigned level = 0, rank = layout.type.getRank(); level < rank; ++level)
    sizes.push_back(levelExtent(level, parts));
  for (auto [n, size] : llvm::enumerate(sizes)) {
    Value at = arith::ConstantIndexOp::create(b, n);
    memref::StoreOp::create(b, size, args.sizes, at);
  }
}

/// The extent of a level of the result, of which one may number the parts.
Value NestAssembler::levelExtent(unsigned level, Value parts) {
  bool isPart = nest.getCollect() == CollectKind::partSums &&
                level + 1 == layout.type.getRank();
  return isPart ? parts : layout.extent(b, level, mapping);
}

/// The entries are all there. Levels whose loops come in their order, after
/// those of the levels before, are in order as it is.
void NestAssembler::buildSort() {
  cloneOperands();
  auto depthOf = [&](unsigned level) {
    return llvm::find(layout.loops, layout.loopOfLevel[level]) -
           layout.loops.begin();
  };
  // The last levels of the longest run of loops in order, but at least one key.
  // Parts are in order in any case.
  unsigned keys = layout.structure - (layout.scattered ? 1 : 0);
  while (!layout.scattered && keys > 1 &&
         (keys == layout.structure || depthOf(keys - 1) < depthOf(keys)))
    --keys;
  SmallVector<Value> extents;
  for (unsigned level = 0; level < keys; ++level)
    extents.push_back(layout.extent(b, level, mapping));
  ArrayRef<Value> coordinates(args.coordinates);
  SortOp::create(b, coordinates.take_front(keys), extents,
                 coordinates.drop_front(keys), args.values, args.status,
                 args.threads);
}

/// The number of the operand that is looked into.
static int64_t argumentOf(FindOp find) {
  Value tensor = rootOf(find.getFiber()).getTensor();
  return cast<BlockArgument>(tensor).getArgNumber();
}

/// fill; compute; combine; sort or scan
///
/// Of a draft: compute; moved = scan(counts); sizes = what to allocate
void NestAssembler::buildExecute() {
  func::FuncOp func =
      startFunction("execute", executeArguments(), /*isExported=*/true);
  if (layout.hasCounts())
    func->setAttr(kCountsAttr, b.getUnitAttr());
  if (layout.isDraft)
    func->setAttr(kDraftAttr, b.getUnitAttr());
  if (layout.hasPartials())
    func->setAttr(kPartialsAttr, b.getTypeArrayAttr(layout.sums));
  if (layout.scattered)
    func->setAttr(kWorkspaceAttr, b.getI64IntegerAttr(*layout.scattered));
  if (nest.getCollect() == CollectKind::wholeRows)
    func->setAttr(kWholeRowsAttr, b.getUnitAttr());
  SmallVector<Attribute> tables;
  for (FindOp find : layout.finds)
    tables.push_back(b.getI64ArrayAttr(
        {argumentOf(find),
         cast<FiberType>(find.getFiber().getType()).getLevel()}));
  if (!tables.empty())
    func->setAttr(kTablesAttr, b.getArrayAttr(tables));
  SmallVector<Value> filled = operands;
  filled.push_back(args.bounds);
  llvm::append_range(filled, args.arrays.flatten());
  filled.append({args.values, args.threads});
  if (layout.needsFill())
    func::CallOp::create(b, functions["fill"], filled);
  func::CallOp::create(b, functions["compute"], func.getArguments());
  if (layout.canSplit()) {
    SmallVector<Value> combined(func.getArguments());
    combined.erase(combined.end() - 2);
    func::CallOp::create(b, functions["combine"], combined);
  }
  if (layout.isDraft) {
    cloneOperands();
    Value parts = numParts();
    buildScan(args.moved);
    storeSizes(args.moved, parts);
    if (args.positions.front()) {
      // There may be nothing to move then.
      Value one = arith::ConstantIndexOp::create(b, 1);
      auto worker = ParallelOp::create(b, one, args.threads);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(worker.getBodyBlock());
      storeFirstFiber(parts, args.moved);
    }
  } else {
    buildOrder();
  }
  func::ReturnOp::create(b);
}

/// What the entries have to be done to when all are there.
void NestAssembler::buildOrder() {
  if (sortsEntries(nest.getCollect()))
    buildSort();
  if (nest.getCollect() == CollectKind::scannedList && !layout.sumsDraft())
    PrefixSumOp::create(b, args.values, args.threads);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

static LogicalResult assemble(func::FuncOp func, NestOp nest, bool singlePass) {
  if (!nest.getCuts() || nest.getBody().getNumArguments() == 0)
    return nest.emitOpError("must be partitioned and bounded first");
  if (!nest.getCuts().getDefiningOp<PartitionOp>() ||
      nest->getParentOp() != func || !nest->hasOneUse() ||
      !func.getBody().hasOneBlock() ||
      func.getBody().front().getTerminator()->getOperands() !=
          nest->getResults())
    return nest.emitOpError("must be all that its function does");
  // The rest is repeated in each of the functions.
  for (Operation &op : func.getBody().front().without_terminator())
    if (&op != nest && !isMemoryEffectFree(&op))
      return op.emitOpError("has an effect next to a nest");
  if (failed(verifyHasRoots(nest)))
    return failure();
  if (!SymbolTable::symbolKnownUseEmpty(func, func->getParentOp()))
    return func.emitOpError("is used, but its nest makes it five functions");
  FailureOr<ResultLayout> layout = ResultLayout::get(nest);
  if (failed(layout))
    return failure();
  layout->isDraft = singlePass && layout->shouldDraft();
  NestAssembler(func, nest, std::move(*layout)).build();
  func.erase();
  return success();
}

namespace {
struct AssembleOutputs
    : nacho::impl::NachoAssembleOutputsBase<AssembleOutputs> {
  using Base::Base;

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
      if (failed(assemble(func, nests.front(), singlePass)))
        return signalPassFailure();
    }
  }
};
} // namespace
