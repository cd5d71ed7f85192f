//===- CutParts.cpp - The function that cuts a nest into parts ------------===//

#include "NestAssembler.h"
#include "nacho/IR/Names.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

/// if within == parts: bounds[0] = origin, bounds[parts] = limit
static void storeEnds(PhaseFunctions &function, Value parts, ValueRange roots) {
  ImplicitLocOpBuilder &b = function.b;
  const PhaseArguments &args = function.args;
  PartitionOp partition = function.partition;
  Type cut = function.cutType();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, args.within, parts);
  emitIf(b, isWhole, [&] {
    function.emitOneWorker([&] {
      Value origin = OriginOp::create(b, cut), extent;
      if (partition.getExtent())
        extent = function.mapping.lookup(partition.getExtent());
      Value total = function.mapping.lookup(partition.getTotal());
      Value limit =
          LimitOp::create(b, cut, total, extent, roots, partition.getLoops());
      StoreCutOp::create(b, origin, args.bounds, zero);
      StoreCutOp::create(b, limit, args.bounds, parts);
    });
  });
}

/// Divides the interval from `lower` to `upper` into `within` parts of equal
/// cost, and finds the cut at the beginning of part `inside` of these:
///   bounds[row] = the cut for the query
///                 cost(lower) + inside * (cost(upper) - cost(lower)) / within
static void searchCut(PhaseFunctions &function, Value row, Value inside,
                      Value lower, Value upper) {
  ImplicitLocOpBuilder &b = function.b;
  const PhaseArguments &args = function.args;
  Type index = b.getIndexType();
  Value base = CutCostOp::create(b, index, lower);
  Value limit = CutCostOp::create(b, index, upper);
  // If the interval costs nothing, all of it goes to its last part.
  Value hasCost =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, base, limit);
  auto ifCost = scf::IfOp::create(b, hasCost, /*withElse=*/true);
  b.setInsertionPointToStart(ifCost.elseBlock());
  StoreCutOp::create(b, lower, args.bounds, row);
  b.setInsertionPointToStart(ifCost.thenBlock());
  Value query;
  {
    NameScope name(b, "query");
    query = QueryOp::create(b, index, inside, args.within, base, limit);
  }
  Block *search = function.partition.getBodyBlock();
  IRMapping &mapping = function.mapping;
  mapping.map(search->getArgument(0), query);
  mapping.map(search->getArgument(1), lower);
  mapping.map(search->getArgument(2), upper);
  for (Operation &op : search->without_terminator())
    b.clone(op, mapping);
  Value found = mapping.lookup(search->getTerminator()->getOperand(0));
  StoreCutOp::create(b, found, args.bounds, row);
}

/// parallel p in parts:
///   if p is not a multiple of within:
///     from = p - p % within
///     bounds[p] = cut between bounds[from] and bounds[from + within]
void nacho::buildPartition(PhaseFunctions &function) {
  function.start("partition", {Parameter::bounds, Parameter::within},
                 /*isExported=*/true);
  function.cloneOperands();
  Values roots;
  for (Value root : function.partition.getRoots())
    roots.push_back(function.mapping.lookup(root));
  Value parts = function.numParts();
  storeEnds(function, parts, roots);
  ImplicitLocOpBuilder &b = function.b;
  const PhaseArguments &args = function.args;
  Value part = function.startWorkers(parts).getWorker();
  Value inside = arith::RemUIOp::create(b, part, args.within);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isInterior =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, inside, zero);
  emitIf(b, isInterior, [&] {
    Type cut = function.cutType();
    Value from = arith::SubIOp::create(b, part, inside);
    Value to = arith::AddIOp::create(b, from, args.within);
    Value lower = loadCut(b, "lo", cut, args.bounds, from);
    Value upper = loadCut(b, "hi", cut, args.bounds, to);
    searchCut(function, part, inside, lower, upper);
  });
}
