//===- TileCuts.cpp - Cuts that the parts of a tile find for themselves ---===//

#include "TileCuts.h"
#include "TileStages.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Columns with the same numbers
//===----------------------------------------------------------------------===//

namespace {
/// What the columns of a table have in common.
class TableColumns {
public:
  explicit TableColumns(Value table)
      : table(table),
        first(cast<MemRefType>(table.getType()).getDimSize(1), 0) {}

  /// Finds the rows that are stored, and what is loaded. Returns whether that
  /// is all that is done with the table, and all numbers of each row are
  /// stored.
  bool findRows();
  /// Finds the first of the columns that have the same numbers as each one.
  void compare();
  /// Lets loads take the first column. Returns whether any did not.
  bool redirect();
  /// Lets the table have no column that is the same as an earlier one. Returns
  /// which column has the numbers of each that there was.
  SmallVector<int64_t> drop();

private:
  using Row = SmallVector<Value>;

  static std::optional<int64_t> columnOf(ValueRange indices) {
    return getConstantIntValue(indices.back());
  }
  bool areSame(Value one, Value other) const;

  Value table;
  /// The numbers of each row, by the block in which they are stored.
  llvm::MapVector<std::pair<Block *, Value>, Row> rows;
  SmallVector<memref::LoadOp> loads;
  SmallVector<int64_t> first;
};
} // namespace

bool TableColumns::findRows() {
  for (Operation *user : table.getUsers()) {
    if (auto load = dyn_cast<memref::LoadOp>(user)) {
      loads.push_back(load);
      continue;
    }
    auto store = dyn_cast<memref::StoreOp>(user);
    auto column = store ? columnOf(store.getIndices()) : std::nullopt;
    if (!column || store.getValue() == table)
      return false;
    Row &row = rows[{store->getBlock(), store.getIndices().front()}];
    row.resize(first.size());
    if (row[*column])
      return false;
    row[*column] = store.getValue();
  }
  return llvm::all_of(rows, [](const auto &each) {
    return !llvm::is_contained(each.second, Value());
  });
}

/// Whether two numbers of a row are the same, if columns with the same `first`
/// one are: they may come from another row.
bool TableColumns::areSame(Value one, Value other) const {
  if (one == other || isEqualConstantIntOrValue(one, other))
    return true;
  auto a = one.getDefiningOp<memref::LoadOp>(),
       b = other.getDefiningOp<memref::LoadOp>();
  if (!a || !b || a.getMemRef() != table || b.getMemRef() != table ||
      a->getBlock() != b->getBlock() ||
      a.getIndices().front() != b.getIndices().front())
    return false;
  auto from = columnOf(a.getIndices()), to = columnOf(b.getIndices());
  return from && to && first[*from] == first[*to];
}

/// Begins with all columns as if they were the same, and divides them until
/// nothing changes.
void TableColumns::compare() {
  SmallVector<int64_t> before;
  while (before != first) {
    before = first;
    SmallVector<int64_t> next;
    for (int64_t column = 0; column < int64_t(first.size()); ++column) {
      int64_t same = 0;
      while (same < column && (first[same] != first[column] ||
                               !llvm::all_of(
                                   rows,
                                   [&](const auto &row) {
                                     return areSame(row.second[same],
                                                    row.second[column]);
                                   })))
        ++same;
      next.push_back(same);
    }
    first = next;
  }
}

bool TableColumns::redirect() {
  bool isChanged = false;
  for (memref::LoadOp load : loads) {
    auto column = columnOf(load.getIndices());
    if (!column || first[*column] == *column)
      continue;
    ImplicitLocOpBuilder b(load.getLoc(), load);
    load.getIndicesMutable()[1].assign(Number(b, first[*column]));
    isChanged = true;
  }
  return isChanged;
}

SmallVector<int64_t> TableColumns::drop() {
  SmallVector<int64_t> kept, columns;
  for (auto [column, same] : llvm::enumerate(first)) {
    if (same == int64_t(column))
      kept.push_back(column);
    columns.push_back(llvm::find(kept, same) - kept.begin());
  }
  for (Operation *user : llvm::make_early_inc_range(table.getUsers())) {
    bool isLoad = isa<memref::LoadOp>(user);
    OpOperand &index = user->getOpOperand(isLoad ? 2 : 3);
    int64_t column = *getConstantIntValue(index.get());
    ImplicitLocOpBuilder b(user->getLoc(), user);
    if (!isLoad && first[column] != column)
      user->erase();
    else if (columns[column] != column)
      index.set(Number(b, columns[column]));
  }
  return columns;
}

void nacho::shareColumns(func::FuncOp function) {
  bool isChanged = false;
  function.walk([&](TileCutsOp cuts) {
    TableColumns columns(cuts.getCuts());
    if (!columns.findRows())
      return;
    columns.compare();
    isChanged |= columns.redirect();
  });
  if (!isChanged)
    return;
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}

//===----------------------------------------------------------------------===//
// Cuts in shared memory
//===----------------------------------------------------------------------===//

TileCuts::TileCuts(gpu::LaunchOp launch, ParallelOp workers,
                   const TileOfBlock &tile)
    : workers(workers), tile(tile) {
  auto found = workers.getBodyBlock()->getOps<TileCutsOp>();
  if (found.empty())
    return;
  TileCutsOp cuts = *found.begin();
  auto space = gpu::AddressSpaceAttr::get(cuts.getContext(),
                                          gpu::AddressSpace::Workgroup);
  MemRefType table = cuts.getCuts().getType();
  bounds = cuts.getBounds();
  isAlone = cuts.getAlone();
  TableColumns all(cuts.getCuts());
  if (isAlone && all.findRows()) {
    all.compare();
    columns = all.drop();
  } else {
    llvm::append_range(columns, llvm::seq<int64_t>(table.getDimSize(1)));
  }
  int64_t kept = *llvm::max_element(columns) + 1;
  auto type =
      MemRefType::get({table.getDimSize(0), kept}, table.getElementType(),
                      MemRefLayoutAttrInterface(), space);
  shared = launch.addWorkgroupAttribution(type, cuts.getLoc());
  cuts.replaceAllUsesWith(shared);
  cuts.erase();
}

int64_t TileCuts::numBytes() const {
  if (!shared)
    return 0;
  auto type = cast<MemRefType>(shared.getType());
  return type.getNumElements() * bytesOf(type.getElementType());
}

TileSyncOp TileCuts::findSync() {
  auto syncs = workers.getBodyBlock()->getOps<TileSyncOp>();
  return !shared || syncs.empty() ? TileSyncOp() : *syncs.begin();
}

/// The most numbers of cuts that threads keep: each takes a register.
static constexpr size_t kMostNumbers = 16;

/// The rows of cuts that parts load: those of their tile, and their own.
static constexpr int64_t kFirstRow = 0, kOwnRow = 1, kNextRow = 2, kLastRow = 3;

/// Returns which of these rows a number is, if it is one:
///
///   0; part - begin; part - begin + 1 or part + 1 - begin; end - begin
std::optional<int64_t> TileCuts::rowOf(Value row, Value part) const {
  auto isNext = [](Value next, llvm::function_ref<bool(Value)> isOwn) {
    auto sum = next.getDefiningOp<arith::AddIOp>();
    return sum && isConstantIntValue(sum.getRhs(), 1) && isOwn(sum.getLhs());
  };
  auto inTile = [&](Value row, llvm::function_ref<bool(Value)> isPart) {
    auto inTile = row.getDefiningOp<arith::SubIOp>();
    return inTile && inTile.getRhs() == tile.begin && isPart(inTile.getLhs());
  };
  auto isPart = [&](Value value) { return value == part; };
  auto isOwn = [&](Value value) { return inTile(value, isPart); };
  if (isConstantIntValue(row, 0))
    return kFirstRow;
  if (isOwn(row))
    return kOwnRow;
  if (isNext(row, isOwn) ||
      inTile(row, [&](Value value) { return isNext(value, isPart); }))
    return kNextRow;
  if (inTile(row, [&](Value value) { return value == tile.end; }))
    return kLastRow;
  return std::nullopt;
}

/// Whether an operation is done unless two numbers are the same.
static bool isUnless(Operation *op, Value one, Value other) {
  auto branch = op->getParentOfType<scf::IfOp>();
  if (!branch)
    return false;
  auto test = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  bool isTest = test && test.getPredicate() == arith::CmpIPredicate::ne &&
                test.getLhs() == one && test.getRhs() == other &&
                branch.getThenRegion().isAncestor(op->getParentRegion());
  return isTest || isUnless(branch, one, other);
}

/// Whether parts may still store a row. What is stored for each part but the
/// first one leaves both ends of the tile as they are.
bool TileCuts::isStored(int64_t row, Value part) {
  bool isEnd = row == kFirstRow || row == kLastRow;
  return llvm::any_of(shared.getUsers(), [&](Operation *user) {
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!store || !workers->isProperAncestor(store))
      return false;
    return !isEnd || rowOf(store.getIndices()[0], part) != kOwnRow ||
           !isUnless(store, part, tile.begin);
  });
}

/// Threads without a part take the last row.
Value TileCuts::emitRow(ImplicitLocOpBuilder &b, int64_t row) const {
  if (row == kFirstRow)
    return Number(b, 0);
  Value last = Number(b, tile.end) - tile.begin;
  if (row == kLastRow)
    return last;
  Number thread(b, tile.thread);
  return min(row == kOwnRow ? thread : thread + 1, last);
}

/// x = cuts[thread, column], for each row and column that is loaded later
/// all that parts compute of these numbers alone
void TileCuts::loadOnce(ImplicitLocOpBuilder &b, Value part) {
  if (!shared)
    return;
  llvm::MapVector<std::pair<int64_t, int64_t>, SmallVector<memref::LoadOp>> all;
  workers.getBodyBlock()->walk([&](memref::LoadOp load) {
    if (load.getMemRef() != shared)
      return;
    auto row = rowOf(load.getIndices()[0], part);
    auto column = getConstantIntValue(load.getIndices()[1]);
    if (row && column && !isStored(*row, part))
      all[{*row, *column}].push_back(load);
  });
  if (all.size() > kMostNumbers)
    return;
  for (auto &[place, loads] : all) {
    Value row = emitRow(b, place.first), column = Number(b, place.second);
    auto once = cast<memref::LoadOp>(b.clone(*loads.front()));
    once.getIndicesMutable().assign({row, column});
    for (memref::LoadOp load : loads) {
      load.replaceAllUsesWith(once.getResult());
      load.erase();
    }
  }
  for (Operation &op : llvm::make_early_inc_range(
           workers.getBodyBlock()->without_terminator())) {
    bool isKnown = llvm::none_of(op.getOperands(), [&](Value operand) {
      return operand.getParentBlock() == workers.getBodyBlock();
    });
    if (isKnown && isPure(&op) && op.getNumRegions() == 0)
      op.moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  }
}

/// barrier
/// if end == parts: bounds[end] = shared[end - begin], by one thread
void TileCuts::emitLast(ImplicitLocOpBuilder &b) {
  Number isLast = Number(b, tile.end) == workers.getWorkers();
  Number isFirst = Number(b, tile.thread) == 0;
  auto branch = scf::IfOp::create(b, isLast & isFirst, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value row = Number(b, tile.end) - tile.begin;
  for (auto [column, kept] : llvm::enumerate(columns)) {
    Value from = Number(b, kept), to = Number(b, int64_t(column));
    Value number = memref::LoadOp::create(b, shared, ValueRange{row, from});
    memref::StoreOp::create(b, number, bounds, ValueRange{tile.end, to});
  }
}

/// barrier
/// rows = end - begin, and one more if end == parts
/// for n in thread .. rows * columns step threads:
///   bounds[begin * columns + n] = shared[n], as lists of numbers
///
/// If nobody needs the others, only the last row of all is copied.
void TileCuts::emitAfter(ImplicitLocOpBuilder &b) {
  if (!shared)
    return;
  gpu::BarrierOp::create(b);
  if (isAlone)
    return emitLast(b);
  Number inRow(b, cast<MemRefType>(shared.getType()).getDimSize(1));
  Number isLast = Number(b, tile.end) == workers.getWorkers();
  Number one(b, 1);
  Number rows = Number(b, tile.end) - tile.begin;
  rows = rows + select(isLast, one, Number(b, 0));
  Value numbers = rows * inRow;
  Value from = flatten(b, shared), to = flatten(b, bounds);
  Value start = Number(b, tile.begin) * inRow;
  auto loop = scf::ForOp::create(b, tile.thread, numbers, tile.threads);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  Value number = memref::LoadOp::create(b, from, at);
  Value inBounds = Number(b, start) + at;
  memref::StoreOp::create(b, number, to, inBounds);
}
