//===- PartitionLoops.cpp - Hierarchical search for equal parts -----------===//
//
// Consumes nests; leaves before each a `nacho.partition` that answers the query
// of a cut by one search per loop, paper Alg. 1:
//
//   residual = query
//   for each loop m, outermost first:
//     x_m = highest coordinate with C_m(x_m | x_0 ... x_m-1) <= residual
//     residual -= C_m(x_m | ...)
//
// C_m is a sum over the operands, plus the units of the cost model. Monotone
// and consistent by construction: what an outer coordinate costs is what its
// inner loop costs in all.
//
//===----------------------------------------------------------------------===//

#include "nacho/IR/Names.h"
#include "nacho/Levels/Level.h"
#include "nacho/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacho {
#define GEN_PASS_DEF_NACHOPARTITIONLOOPS
#include "nacho/Transforms/Passes.h.inc"
} // namespace nacho

using namespace mlir;
using namespace nacho;

namespace {

/// Emits the cost queries of one nest under one model.
class CostModel {
public:
  CostModel(NestOp nest, bool countLoops);

  /// The cost of the whole nest; zero if an extent is.
  Value total(ImplicitLocOpBuilder &b) const;

  /// C_m in loop `m`, up to coordinate `x`, at which the operands stand at
  /// `positions`. `unit` is the cost of the outer coordinates themselves; null
  /// if it is not counted.
  Value upTo(ImplicitLocOpBuilder &b, unsigned m, ValueRange fibers, Value x,
             ValueRange positions, Value unit) const;

  /// What loop `m + 1` has to charge at its first coordinate: a unit for the
  /// coordinate of loop m at which it runs. In a sparse loop each operand
  /// that stores the coordinate had its step. Null if not counted.
  Value unit(ImplicitLocOpBuilder &b, unsigned m, ValueRange children,
             Value coordinate, Value outerUnit) const;

  /// The most that one coordinate of the innermost loop can cost.
  int64_t delta() const;

  ArrayRef<CoiterateOp> getLoops() const { return loops; }

  /// The loops whose steps are counted can be: one that visits all its
  /// coordinates must not be inside one that does not.
  bool canCount() const;

  /// All coordinates are visited, so that the loop's own steps are the
  /// coordinates, and not the positions of the operands.
  bool visitsAll(unsigned m) const;

private:
  /// The entries, and the steps of the loops, that the operands query.
  Value queries(ImplicitLocOpBuilder &b, unsigned m, ValueRange fibers, Value x,
                ValueRange positions) const;
  Value extent(ImplicitLocOpBuilder &b, unsigned m) const;

  bool isCounted(unsigned m) const {
    return countLoops && m + 1 < loops.size();
  }

  SmallVector<CoiterateOp> loops;
  bool countLoops;
};

} // namespace

CostModel::CostModel(NestOp nest, bool countLoops)
    : loops(nest.getLoops()), countLoops(countLoops) {}

/// A -> costA: the name of a query on a fiber of A.
static std::string queryName(StringRef what, Value fiber) {
  return (what + StringRef(getName(fiber)).rtrim("0123456789")).str();
}

static Value emitCost(ImplicitLocOpBuilder &b, CostKind kind, Value fiber,
                      Value position = {}, int64_t below = 0) {
  NameScope name(b, queryName(kind == CostKind::nnz ? "cost" : "loops", fiber));
  return CostOp::create(b, b.getIndexType(), kind, fiber, position, below);
}

bool CostModel::visitsAll(unsigned m) const {
  return nacho::visitsAll(loops[m]);
}

static Value sum(ImplicitLocOpBuilder &b, Value x, Value y) {
  NameScope name(b, getName(y) == "unit" ? "unit" : "cost");
  return x ? Value(arith::AddIOp::create(b, x, y)) : y;
}

Value CostModel::queries(ImplicitLocOpBuilder &b, unsigned m, ValueRange fibers,
                         Value x, ValueRange positions) const {
  Value cost, steps = x;
  auto add = [&](CostKind kind, unsigned below) {
    for (auto [n, fiber] : llvm::enumerate(fibers)) {
      Value position = positions.empty() ? Value() : positions[n];
      cost = sum(b, cost, emitCost(b, kind, fiber, position, below));
    }
  };
  add(CostKind::nnz, 0);
  for (unsigned k = m; isCounted(k); ++k) {
    if (!visitsAll(k)) {
      add(CostKind::loops, k - m);
      continue;
    }
    // All around it visit all as well: x times the extents in between.
    if (k > m)
      steps = arith::MulIOp::create(b, steps, extent(b, k));
    cost = sum(b, cost, steps);
  }
  return cost;
}

/// The number of coordinates of loop `m`.
Value CostModel::extent(ImplicitLocOpBuilder &b, unsigned m) const {
  auto root = CoiterateOp(loops.front()).getFibers()[0].getDefiningOp<RootOp>();
  Value level = arith::ConstantIndexOp::create(b, m);
  return sparse_tensor::LvlOp::create(b, root.getTensor(), level);
}

Value CostModel::total(ImplicitLocOpBuilder &b) const {
  CoiterateOp outer = loops.front();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value cost = queries(b, 0, outer.getFibers(), extent(b, 0), {}), empty;
  // Without inner coordinates there is none at which to charge a unit.
  for (unsigned m = 0; m < loops.size(); ++m) {
    Value none =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, extent(b, m), zero);
    empty = empty ? Value(arith::OrIOp::create(b, empty, none)) : none;
  }
  NameScope name(b, "total");
  return arith::SelectOp::create(b, empty, zero, cost);
}

Value CostModel::upTo(ImplicitLocOpBuilder &b, unsigned m, ValueRange fibers,
                      Value x, ValueRange positions, Value unit) const {
  Value cost = queries(b, m, fibers, x, positions);
  if (unit) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value charged = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, zero);
    cost = sum(b, cost, arith::SelectOp::create(b, charged, unit, zero));
  }
  return cost;
}

Value CostModel::unit(ImplicitLocOpBuilder &b, unsigned m, ValueRange children,
                      Value coordinate, Value outerUnit) const {
  if (!isCounted(m))
    return {};
  NameScope name(b, "unit");
  Value unit;
  if (visitsAll(m)) {
    unit = arith::ConstantIndexOp::create(b, 1);
  } else {
    for (Value child : children) {
      Value present = PresentOp::create(b, b.getI1Type(), child);
      unit = sum(b, unit,
                 arith::IndexCastUIOp::create(b, b.getIndexType(), present));
    }
  }
  if (!outerUnit)
    return unit;
  // The first coordinate of all is the first one of this loop too.
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, coordinate, zero);
  return sum(b, unit, arith::SelectOp::create(b, first, outerUnit, zero));
}

bool CostModel::canCount() const {
  for (unsigned m = 1; isCounted(m); ++m)
    if (visitsAll(m) && !visitsAll(m - 1))
      return false;
  return true;
}

int64_t CostModel::delta() const {
  CoiterateOp innermost = loops.back();
  int64_t delta = innermost.getFibers().size();
  for (unsigned m = 0; m < loops.size(); ++m)
    if (isCounted(m))
      delta += visitsAll(m) ? 1 : CoiterateOp(loops[m]).getFibers().size();
  return delta;
}

/// The operands of each loop, by number; the roots are those of the outermost.
static ArrayAttr describeLoops(Builder &builder, ArrayRef<CoiterateOp> loops) {
  SmallVector<Attribute> described;
  for (CoiterateOp loop : loops)
    described.push_back(builder.getI64ArrayAttr(llvm::to_vector(
        llvm::seq<int64_t>(0, CoiterateOp(loop).getFibers().size()))));
  return builder.getArrayAttr(described);
}

/// One search per loop, each inside the coordinate that the last one found.
static void buildSearches(ImplicitLocOpBuilder &b, PartitionOp partition,
                          const CostModel &model) {
  Block *body = partition.getBodyBlock();
  Value query = body->getArgument(0), residual = query;
  Value lower = body->getArgument(1), upper = body->getArgument(2), unit;
  SmallVector<Value> coordinates, found;
  SmallVector<Value> fibers(partition.getRoots());
  for (unsigned m = 0; m < model.getLoops().size(); ++m) {
    auto search = SearchOp::create(b, residual, fibers, lower, upper);
    {
      OpBuilder::InsertionGuard guard(b);
      SmallVector<Type> types(1 + fibers.size(), b.getIndexType());
      SmallVector<Location> locs(types.size(), b.getLoc());
      locs.front() = CoiterateOp(model.getLoops()[m]).getCoordinate().getLoc();
      for (auto [loc, fiber] : llvm::zip(llvm::drop_begin(locs), fibers))
        loc = nameLoc(b.getLoc(), queryName("pos", fiber));
      Block *block = b.createBlock(&search.getBody(), {}, types, locs);
      Value cost = model.upTo(b, m, fibers, block->getArgument(0),
                              block->getArguments().drop_front(), unit);
      YieldOp::create(b, cost);
    }
    coordinates.push_back(search.getCoordinate());
    llvm::append_range(found, search.getChildren());
    unit = model.unit(b, m, search.getChildren(), search.getCoordinate(), unit);
    fibers.assign(search.getChildren().begin(), search.getChildren().end());
    residual = search.getResidual();
    lower = search.getInnerLower();
    upper = search.getInnerUpper();
  }
  Value cost = arith::SubIOp::create(b, query, residual);
  NameScope name(b, "cut");
  Value cut = CutOp::create(b, body->getArgument(1).getType(), cost,
                            coordinates, found);
  YieldOp::create(b, cut);
}

/// The number of parts becomes the last argument of the function.
static Value addPartsArgument(func::FuncOp func) {
  auto index = IndexType::get(func.getContext());
  unsigned number = func.getNumArguments();
  (void)func.insertArgument(number, index, {}, nameLoc(func.getLoc(), "parts"));
  return func.getArgument(number);
}

static LogicalResult partition(NestOp nest, bool countLoops) {
  auto func = nest->getParentOfType<func::FuncOp>();
  if (!func)
    return nest.emitOpError("must be in a function to be partitioned");
  CostModel model(nest, countLoops);
  SmallVector<int64_t> widths;
  for (CoiterateOp loop : model.getLoops())
    widths.push_back(loop.getFibers().size());
  if (widths.size() != static_cast<size_t>(nest.getType().getRank()) ||
      !llvm::all_equal(widths))
    return nest.emitOpError("every operand must take part in every loop");
  if (model.visitsAll(widths.size() - 1))
    return nest.emitOpError("no operand limits the innermost loop, and no cost "
                            "model counts its coordinates");

  if (!model.canCount())
    return nest.emitOpError("a loop over all coordinates inside a sparse one "
                            "has no steps that the model can count");

  ImplicitLocOpBuilder b(withoutName(nest.getLoc()), nest);
  auto cuts = CutsType::get(b.getContext(), widths);
  auto cut = CutType::get(b.getContext(), widths);
  auto op = PartitionOp::create(
      b, cuts, model.total(b),
      CoiterateOp(model.getLoops().front()).getFibers(), addPartsArgument(func),
      describeLoops(b, model.getLoops()), b.getI64IntegerAttr(model.delta()));
  op->setLoc(nameLoc(b.getLoc(), "cuts"));
  {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Type> types = {b.getIndexType(), cut, cut};
    SmallVector<Location> locs = {nameLoc(b.getLoc(), "query"),
                                  nameLoc(b.getLoc(), "lo"),
                                  nameLoc(b.getLoc(), "hi")};
    b.createBlock(&op.getBody(), {}, types, locs);
    buildSearches(b, op, model);
  }
  nest.getCutsMutable().assign(op.getCuts());
  return success();
}

namespace {
struct PartitionLoops : nacho::impl::NachoPartitionLoopsBase<PartitionLoops> {
  using NachoPartitionLoopsBase::NachoPartitionLoopsBase;

  void runOnOperation() override {
    if (cost != "nnz" && cost != "nnz+loops") {
      getOperation().emitError()
          << "unknown cost model '" << cost << "': nnz, nnz+loops";
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](NestOp nest) -> WalkResult {
      if (nest.getCuts())
        return WalkResult::advance();
      return partition(nest, cost == "nnz+loops");
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
