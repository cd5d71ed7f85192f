//===- SumLoops.cpp - Loops that add to rows of sums ----------------------===//
//
// Recognises loops over the elements of a row that add to a row of sums, and
// loops around them that do nothing else.
//
//===----------------------------------------------------------------------===//

#include "SumLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Loops over a row
//===----------------------------------------------------------------------===//

static bool isElement(Type type) {
  return isa<FloatType>(type) || type.isSignlessInteger();
}

/// Of narrow ones not every processor can load some and leave others.
static bool isWide(Type type) {
  return isElement(type) && type.getIntOrFloatBitWidth() >= 32;
}

/// Whether elements with one index after the other are next to each other.
static bool isContiguous(Value memref) {
  return cast<MemRefType>(memref.getType()).getLayout().isIdentity();
}

/// The row that an access is in, if it is one at the number of the iteration.
static std::optional<Row> rowAt(Value memref, ValueRange indices, Value n) {
  if (!isContiguous(memref) || indices.empty() || indices.back() != n ||
      llvm::is_contained(indices.drop_back(), n))
    return {};
  return Row{memref, llvm::to_vector(indices.drop_back())};
}

bool nacho::hasRowOf(ArrayRef<Row> rows, Value memref) {
  return llvm::any_of(rows,
                      [&](const Row &row) { return row.memref == memref; });
}

/// Whether nothing is left of an element where a condition does not hold.
static bool isDiscarded(Value value, Value condition) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto select = dyn_cast<arith::SelectOp>(user))
      return select.getCondition() == condition &&
             select.getFalseValue() != value;
    return isa<arith::BitcastOp>(user) &&
           isDiscarded(user->getResult(0), condition);
  });
}

bool SumLoop::matchStore(memref::StoreOp store) {
  auto row =
      rowAt(store.getMemRef(), store.getIndices(), loop.getInductionVar());
  return row && llvm::is_contained(rows, *row) &&
         kindOf(store.getValue()) != Kind::number;
}

bool SumLoop::matchLoad(memref::LoadOp load) {
  Value memref = load.getMemRef();
  if (!isWide(load.getType()))
    return false;
  kinds[load] = Kind::element;
  if (hasRowOf(rows, memref)) {
    auto row = rowAt(memref, load.getIndices(), loop.getInductionVar());
    return row && llvm::is_contained(rows, *row);
  }
  OperandRange indices = load.getIndices();
  if (!isContiguous(memref) || indices.empty() ||
      kindOf(indices.back()) != Kind::number ||
      llvm::any_of(indices.drop_back(),
                   [&](Value index) { return kindOf(index) != Kind::same; }))
    return false;
  Value condition = conditions.lookup(indices.back());
  return !condition || isDiscarded(load, condition);
}

/// number + x, condition ? number : x
bool SumLoop::matchNumber(Operation &op) {
  auto isNumber = [&](Value value) { return kindOf(value) == Kind::number; };
  Value number, condition;
  if (auto add = dyn_cast<arith::AddIOp>(op)) {
    if (isNumber(add.getLhs()) == isNumber(add.getRhs()))
      return false;
    number = isNumber(add.getLhs()) ? add.getLhs() : add.getRhs();
    condition = conditions.lookup(number);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    number = select.getTrueValue();
    condition = select.getCondition();
    if (kindOf(condition) != Kind::same || conditions.contains(number) ||
        !isNumber(number) || isNumber(select.getFalseValue()))
      return false;
  } else {
    return false;
  }
  Value result = op.getResult(0);
  kinds[result] = Kind::number;
  if (condition)
    conditions[result] = condition;
  return true;
}

bool SumLoop::matchOp(Operation &op) {
  if (isUnwanted(op))
    return true;
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return matchStore(store);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return matchLoad(load);
  if (!isa<arith::ArithDialect>(op.getDialect()) || !isPure(&op) ||
      op.getNumResults() != 1)
    return false;
  auto has = [&](Kind kind) {
    return llvm::any_of(op.getOperands(),
                        [&](Value arg) { return kindOf(arg) == kind; });
  };
  if (has(Kind::number))
    return !has(Kind::element) && matchNumber(op);
  if (!has(Kind::element))
    return true;
  kinds[op.getResult(0)] = Kind::element;
  return OpTrait::hasElementwiseMappableTraits(&op) &&
         isElement(op.getResult(0).getType());
}

/// Whether a loop returns something that anybody wants. What nobody does may
/// be carried by an op that has no other use.
static bool isResultUsed(scf::ForOp loop) {
  return llvm::any_of(llvm::enumerate(loop.getResults()), [&](auto result) {
    BlockArgument arg = loop.getRegionIterArg(result.index());
    Operation *yield = loop.getBody()->getTerminator();
    bool isCarried = llvm::all_of(arg.getUsers(), [&](Operation *user) {
      return user == yield || (isPure(user) && user->hasOneUse() &&
                               *user->user_begin() == yield);
    });
    return !isCarried || !result.value().use_empty();
  });
}

std::optional<SumLoop> SumLoop::match(scf::ForOp loop) {
  if (!matchPattern(loop.getLowerBound(), m_Zero()) ||
      !matchPattern(loop.getStep(), m_One()) || loop.getUnsignedCmp() ||
      isResultUsed(loop))
    return {};
  SumLoop found;
  found.loop = loop;
  Value n = loop.getInductionVar();
  for (auto store : loop.getBody()->getOps<memref::StoreOp>()) {
    auto row = rowAt(store.getMemRef(), store.getIndices(), n);
    // What is stored is what was there, and something more.
    bool isAddedTo = llvm::any_of(
        loop.getBody()->getOps<memref::LoadOp>(), [&](memref::LoadOp load) {
          return row && rowAt(load.getMemRef(), load.getIndices(), n) == row;
        });
    if (!isAddedTo || !isWide(store.getValue().getType()))
      return {};
    if (!llvm::is_contained(found.rows, *row))
      found.rows.push_back(*row);
  }
  if (found.rows.empty())
    return {};
  found.kinds[n] = Kind::number;
  for (Operation &op : loop.getBody()->without_terminator())
    if (!found.matchOp(op))
      return {};
  return found;
}

//===----------------------------------------------------------------------===//
// Regions that add to rows
//===----------------------------------------------------------------------===//

bool SumRegion::addSum(SumLoop sum) {
  Value end = sum.loop.getUpperBound();
  if (!isOutside(end) || (extent && extent != end))
    return false;
  extent = end;
  for (const Row &row : sum.rows) {
    if (!isOutside(row.memref) || !llvm::all_of(row.indices, [&](Value index) {
          return isOutside(index);
        }))
      return false;
    if (llvm::is_contained(rows, row))
      continue;
    // Two rows of one buffer might be the same one.
    if (hasRowOf(rows, row.memref))
      return false;
    rows.push_back(row);
  }
  for (Operation *op = sum.loop->getParentOp(); op != root->getParentOp();
       op = op->getParentOp())
    around.insert(op);
  sums.try_emplace(sum.loop, std::move(sum));
  return true;
}

/// Doing it once more makes no difference.
bool SumRegion::isRepeatable(Operation &op) const {
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    return atomic.getKind() == arith::AtomicRMWKind::ori && op.use_empty();
  return isPure(&op) || isa<memref::LoadOp, memref::PrefetchOp>(op);
}

bool SumRegion::matchOp(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (auto sum = SumLoop::match(loop))
      return addSum(std::move(*sum));
    if (loop.getUnsignedCmp())
      return false;
  }
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return llvm::all_of(op.getRegions(), [&](Region &region) {
      return llvm::all_of(region.getOps(),
                          [&](Operation &inner) { return matchOp(inner); });
    });
  return op.hasTrait<OpTrait::IsTerminator>() || isRepeatable(op);
}

static bool isViewLike(Operation *op) { return isa<ViewLikeOpInterface>(op); }

std::optional<SumRegion> SumRegion::match(scf::ForOp root) {
  SumRegion found(root);
  if (!found.matchOp(*root) || found.sums.empty() || found.sums.contains(root))
    return {};
  // Arguments of kernels do not overlap.
  for (const Row &row : found.rows)
    if (!isa<BlockArgument>(row.memref) ||
        llvm::any_of(row.memref.getUsers(), isViewLike))
      return {};
  // A sum is read by what adds to it, and by nothing else; nor is what another
  // strip has written.
  WalkResult reads = root.walk([&](memref::LoadOp load) {
    Value memref = load.getMemRef();
    auto sum = found.sums.find(load->getParentOp());
    bool isOwn = sum != found.sums.end() && hasRowOf(sum->second.rows, memref);
    bool isKept = hasRowOf(found.rows, memref) && !isOwn;
    bool isMarked = llvm::any_of(memref.getUsers(), [&](Operation *user) {
      return isa<memref::AtomicRMWOp>(user) && root->isAncestor(user);
    });
    return isKept || isMarked ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (reads.wasInterrupted())
    return {};
  return found;
}
