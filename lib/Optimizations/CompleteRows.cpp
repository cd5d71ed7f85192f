//===- CompleteRows.cpp - Copies of complete rows of sums -----------------===//

#include "CompleteRows.h"

#include "nacho/IR/Arith.h"
#include "nacho/Levels/Buffers.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacho;

/// for n = 0 to number, with nothing but these many ops inside
static bool countsOps(scf::ForOp loop, size_t numOps) {
  return loop.getInitArgs().empty() &&
         matchPattern(loop.getLowerBound(), m_Zero()) &&
         matchPattern(loop.getStep(), m_One()) &&
         llvm::range_size(*loop.getBody()) == numOps;
}

/// sums[row, n], of one of the kept rows
bool CompleteRows::loadsSum(memref::LoadOp load) {
  return llvm::any_of(kept->rows, [&](const Row &row) {
    return row.sums == load.getMemRef() && row.row == load.getIndices()[0] &&
           load.getIndices()[1] == loop.getInductionVar() &&
           matchPattern(row.first, m_Zero());
  });
}

/// buffer[first + n] or buffer[n]
bool CompleteRows::matchPlace() {
  Value number = loop.getInductionVar(), place = store.getIndices().front();
  if (place == number)
    return true;
  auto sum = place.getDefiningOp<arith::AddIOp>();
  if (!sum || !llvm::is_contained(sum.getOperands(), number))
    return false;
  first = sum.getRhs() == number ? sum.getLhs() : sum.getRhs();
  return loop.isDefinedOutsideOfLoop(first);
}

/// Whether all sums of a row are counted, or as many as there is room for.
bool CompleteRows::countsSums(Value number) const {
  auto both = number.getDefiningOp<arith::MinUIOp>();
  return number == kept->length ||
         (both && llvm::is_contained(both->getOperands(), kept->length));
}

/// for n = 0 to number:
///   buffer[first + n] = sums[row, n]
bool CompleteRows::matchLoop(scf::ForOp candidate) {
  auto stores = llvm::to_vector(candidate.getOps<memref::StoreOp>());
  if (stores.size() != 1)
    return false;
  loop = candidate;
  store = stores.front();
  first = {};
  auto load = store.getValue().getDefiningOp<memref::LoadOp>();
  auto type = cast<MemRefType>(store.getMemRef().getType());
  if (!load || type.getRank() != 1 || !type.getLayout().isIdentity() ||
      !isa<BlockArgument>(store.getMemRef()))
    return false;
  // The load, the store, the terminator and perhaps an addition.
  return matchPlace() && countsOps(loop, first ? 4 : 3) && loadsSum(load) &&
         countsSums(loop.getUpperBound());
}

/// Looks for the copy in the ops of a block from `op` on, and in the ops that
/// are done there if a condition holds.
bool CompleteRows::matchAfter(Operation *op) {
  for (; op; op = op->getNextNode()) {
    auto candidate = dyn_cast<scf::ForOp>(op);
    if (candidate && matchLoop(candidate))
      return true;
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && branch.getNumResults() == 0) {
      around.push_back(branch);
      if (matchAfter(&branch.thenBlock()->front()))
        return true;
      around.pop_back();
    }
    // What adds to the sums runs before the copy.
    if (!llvm::is_contained(kept->after, op))
      between.push_back(op);
  }
  return false;
}

/// Whether an op is after the root, but not in any loop around it.
bool CompleteRows::isAfterRoot(Operation *op) const {
  Operation *before = kept->root;
  Operation *ancestor = before->getBlock()->findAncestorOpInBlock(*op);
  return ancestor && before->isBeforeInBlock(ancestor);
}

/// Collects the ops on which a value depends, unless a copy of the root has it.
bool CompleteRows::collect(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isAfterRoot(op))
    return true;
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return collect(operand); }))
    return false;
  needed.insert(op);
  return true;
}

bool CompleteRows::collectAll() {
  return collect(loop.getUpperBound()) && (!first || collect(first)) &&
         llvm::all_of(around, [&](scf::IfOp branch) {
           return collect(branch.getCondition());
         });
}

std::optional<CompleteRows> CompleteRows::match(const KeptLoop &kept) {
  CompleteRows found(kept);
  CoiterateOp root = kept.root;
  if (!found.matchAfter(root->getNextNode()) || !found.collectAll())
    return {};
  // The copy is about to move into the root, before the ops in between.
  Value sums = kept.rows[found.row()].sums;
  Value buffer = found.store.getMemRef();
  bool isUsed = usesBuffer(root, buffer) ||
                llvm::any_of(found.between, [&](Operation *op) {
                  return usesBuffer(op, sums) || usesBuffer(op, buffer);
                });
  if (isUsed)
    return {};
  return found;
}

size_t CompleteRows::row() const {
  memref::StoreOp last = store;
  return kept->rowOf(
      last.getValue().getDefiningOp<memref::LoadOp>().getMemRef());
}

bool CompleteRows::isLastRead() const {
  memref::StoreOp last = store;
  return last.getValue().getDefiningOp()->hasAttr(kLastReadAttrName);
}

void CompleteRows::emit(ImplicitLocOpBuilder &b, IRMapping mapping, Value strip,
                        Value start, Value mask,
                        llvm::function_ref<void()> otherwise) const {
  for (Operation *op : needed)
    b.clone(*op, mapping);
  OpBuilder::InsertionGuard guard(b);
  for (scf::IfOp branch : around) {
    Value condition = mapping.lookupOrDefault(branch.getCondition());
    auto made = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
    b.setInsertionPointToStart(made.elseBlock());
    otherwise();
    b.setInsertionPointToStart(made.thenBlock());
  }
  scf::ForOp copied = loop;
  Value buffer = memref::StoreOp(store).getMemRef(), at = start;
  Value number = mapping.lookupOrDefault(copied.getUpperBound());
  if (first)
    at = Number(b, mapping.lookupOrDefault(first)) + start;
  if (number != kept->length) {
    Value hasRoom = Number(b, number) >= kept->length;
    auto branch = scf::IfOp::create(b, hasRoom, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  if (mask)
    vector::MaskedStoreOp::create(b, buffer, at, mask, strip);
  else
    vector::StoreOp::create(b, strip, buffer, at);
}
