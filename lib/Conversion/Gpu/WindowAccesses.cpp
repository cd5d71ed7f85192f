//===- WindowAccesses.cpp - Accesses to windows in place of arrays --------===//
//
// Nothing asks whether a row is in its window where that has all rows that
// parts of valid operands need.
//
//===----------------------------------------------------------------------===//

#include "WindowAccesses.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacho;

std::optional<ArrayAccesses> nacho::findAccesses(ParallelOp workers,
                                                 Value array) {
  bool hasRows = cast<MemRefType>(array.getType()).getRank() > 1;
  ArrayAccesses found;
  for (OpOperand &use : array.getUses()) {
    Operation *user = use.getOwner();
    if (!workers->isProperAncestor(user) ||
        isa<memref::DimOp, StageInOp, StageOutOp, TileAppendOp>(user))
      continue;
    bool isVector = isa<vector::LoadOp, vector::StoreOp>(user);
    if (isVector && hasRows)
      return std::nullopt;
    if (isa<memref::LoadOp, vector::LoadOp>(user))
      found.loads.push_back(&use);
    else if (isa<memref::StoreOp, vector::StoreOp>(user))
      found.stores.push_back(&use);
    else
      return std::nullopt;
  }
  return found;
}

int64_t nacho::rowsOf(Operation *access) {
  if (auto load = dyn_cast<vector::LoadOp>(access))
    return load.getVectorType().getNumElements();
  if (auto store = dyn_cast<vector::StoreOp>(access))
    return store.getVectorType().getNumElements();
  return 1;
}

/// Whether nobody sees what is loaded, or computed of it, unless a condition
/// holds:
///
///   condition ? f(loaded) : other
static bool isSeenOnlyIf(Value condition, Value loaded) {
  return llvm::all_of(loaded.getUsers(), [&](Operation *user) {
    auto choice = dyn_cast<arith::SelectOp>(user);
    if (choice && choice.getCondition() == condition &&
        choice.getFalseValue() != loaded)
      return true;
    return isa<arith::ArithDialect>(user->getDialect()) &&
           isSeenOnlyIf(condition, user->getResult(0));
  });
}

Value nacho::wantedRow(Operation *load, Value row) {
  auto choice = row.getDefiningOp<arith::SelectOp>();
  bool isOptional = choice && matchPattern(choice.getFalseValue(), m_Zero()) &&
                    isSeenOnlyIf(choice.getCondition(), load->getResult(0));
  return isOptional ? choice.getTrueValue() : row;
}

/// Returns whether the window has all rows that an access needs, from `at` on:
///
///   at < size - (rows - 1), where size < rows is as if it were 0
static Number isInside(ImplicitLocOpBuilder &b, Value at, Value size,
                       int64_t rows) {
  if (rows == 1)
    return Number(b, at) < size;
  Value starts = max(Number(b, size), rows - 1) - (rows - 1);
  return Number(b, at) < starts;
}

/// Returns the last row of a window at which an access finds all that it needs,
/// computed where the size is: the same for all accesses, in loops or not.
static Value lastRow(OpBuilder around, Location loc, Value size, int64_t rows) {
  around.setInsertionPointAfterValue(size);
  ImplicitLocOpBuilder b(loc, around);
  return Number(b, size) - rows;
}

/// at = row - from
/// load: window[min(at, size - rows of the access)]
/// store: if isInside(at): window[at]
void nacho::goToWindow(const WindowAccess &access, Operation *copy) {
  ImplicitLocOpBuilder b(copy->getLoc(), copy);
  unsigned number = access.memory->getOperandNumber();
  int64_t rows = rowsOf(copy);
  bool isLoad = copy->getNumResults() > 0;
  Value row = copy->getOperand(number + 1);
  Value size = access.rows.size;
  Number at = Number(b, isLoad ? wantedRow(copy, row) : row) - access.rows.from;
  copy->setOperand(number, access.shared);
  if (isLoad) {
    Value last = lastRow(b, b.getLoc(), size, rows);
    return copy->setOperand(number + 1, min(at, last));
  }
  copy->setOperand(number + 1, at);
  auto ifInside = scf::IfOp::create(b, isInside(b, at, size, rows),
                                    /*withElse=*/false);
  copy->moveBefore(ifInside.thenBlock(), ifInside.thenBlock()->begin());
}

/// Whether nothing is written from a branch on until a later operation of its
/// block.
static bool isUnchangedUntil(scf::IfOp branch, Operation *later) {
  if (branch->getBlock() != later->getBlock() ||
      !branch->isBeforeInBlock(later))
    return false;
  Operation *between = branch->getNextNode();
  while (between != later &&
         (isMemoryEffectFree(between) || isa<memref::LoadOp>(between)))
    between = between->getNextNode();
  return between == later;
}

/// Yields what a load gives, too, which moves there.
static void yieldToo(scf::YieldOp yield, Operation *load) {
  load->moveBefore(yield);
  yield->insertOperands(yield->getNumOperands(), load->getResults());
}

/// Adds a load to both sides of a branch, the second of which is there. Returns
/// the branch, which gives what is loaded.
static scf::IfOp addLoad(scf::IfOp branch, Operation *near, Operation *far) {
  yieldToo(branch.thenYield(), near);
  yieldToo(branch.elseYield(), far);
  OpBuilder b(branch);
  auto made = scf::IfOp::create(b, branch.getLoc(),
                                branch.thenYield().getOperandTypes(),
                                branch.getCondition());
  made.getThenRegion().takeBody(branch.getThenRegion());
  made.getElseRegion().takeBody(branch.getElseRegion());
  ResultRange before = made.getResults().drop_back(far->getNumResults());
  branch->replaceAllUsesWith(before);
  branch->erase();
  far->replaceUsesWithIf(
      made.getResults().take_back(far->getNumResults()),
      [&](OpOperand &use) { return use.getOwner() != made.elseYield(); });
  return made;
}

/// Whether all operands of an operation are there where another one is, in a
/// block around it or in the same one.
static bool hasOperandsAt(Operation *op, Operation *place) {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    return !source || source->getBlock() != place->getBlock() ||
           source->isBeforeInBlock(place);
  });
}

/// at = row - from
/// if isInside(at): load window[at]; else: load array[row]
void nacho::askWindow(const WindowAccess &access, Operation *copy,
                      SmallVectorImpl<AskedWindow> &asked) {
  ImplicitLocOpBuilder b(copy->getLoc(), copy);
  unsigned number = access.memory->getOperandNumber();
  Value row = copy->getOperand(number + 1);
  int64_t count = rowsOf(copy);
  auto *same = llvm::find_if(asked, [&](const AskedWindow &each) {
    return each.row == row && each.count == count &&
           each.rows.from == access.rows.from &&
           each.rows.size == access.rows.size &&
           hasOperandsAt(copy, each.branch) &&
           isUnchangedUntil(each.branch, copy);
  });
  if (same == asked.end()) {
    Value at = Number(b, row) - access.rows.from;
    Value inside = isInside(b, at, access.rows.size, count);
    auto branch = scf::IfOp::create(b, inside, /*withElse=*/true);
    asked.push_back({row, count, access.rows, at, branch});
    same = &asked.back();
  }
  Operation *near = b.clone(*copy);
  near->setOperand(number, access.shared);
  near->setOperand(number + 1, same->at);
  same->branch = addLoad(same->branch, near, copy);
}
