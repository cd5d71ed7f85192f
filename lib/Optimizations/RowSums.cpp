//===- RowSums.cpp - Loops over rows that add up their entries ------------===//

#include "RowSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nacho;

std::optional<Value> RowSums::offsetOf(Value index) {
  if (index == rows.getInductionVar())
    return Value();
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (sum && sum.getLhs() == rows.getInductionVar() &&
      rows.isDefinedOutsideOfLoop(sum.getRhs()))
    return sum.getRhs();
  return std::nullopt;
}

/// Whether the loop over entries computes terms that depend on the entries, and
/// on nothing of the row, and begins each sum with the same value.
bool RowSums::matchEntries() {
  if (entries.getLowerBound() != begin() ||
      rows.getYieldedValues()[0] != end() || !begin().hasOneUse() ||
      !body.canUseLanes() || !body.conditions.empty())
    return false;
  auto isOutside = [&](Value value) {
    return rows.isDefinedOutsideOfLoop(value);
  };
  auto isCounter = [](const CarriedValue &one) {
    return one.kind == CarriedValue::counter;
  };
  WalkResult ofEntries = entries.getBody()->walk([&](Operation *op) {
    bool isKnown = llvm::all_of(op->getOperands(), [&](Value value) {
      return isOutside(value) || value.getParentBlock() == entries.getBody();
    });
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !ofEntries.wasInterrupted() &&
         llvm::all_of(entries.getInitArgs(), isOutside) &&
         llvm::none_of(body.carried, isCounter);
}

/// if flag: tell the caller
bool RowSums::isAlarm(scf::IfOp branch) {
  auto flag = dyn_cast<OpResult>(branch.getCondition());
  if (!flag || flag.getOwner() != entries || !flag.hasOneUse() ||
      !body.carried[flag.getResultNumber()].isFlag() ||
      branch.getNumResults() > 0 || branch.elseBlock())
    return false;
  return llvm::all_of(branch.thenBlock()->without_terminator(), [&](auto &op) {
    return isa<memref::AtomicRMWOp>(op) &&
           llvm::all_of(op.getOperands(), [&](Value value) {
             return rows.isDefinedOutsideOfLoop(value);
           });
  });
}

/// element[row] = value, for an element that a vector can hold
static bool storesElement(memref::StoreOp store, Value row) {
  MemRefType type = store.getMemRefType();
  return isContiguous(type) && store.getIndices().front() == row;
}

/// if row < limit: element[row] = value
bool RowSums::matchStore(scf::IfOp branch) {
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  Value row = rows.getInductionVar();
  if (branch.getNumResults() > 0 || branch.elseBlock() || !compare ||
      compare.getPredicate() != arith::CmpIPredicate::ult ||
      compare.getLhs() != row)
    return false;
  auto ops = branch.thenBlock()->without_terminator();
  auto store = dyn_cast<memref::StoreOp>(*ops.begin());
  if (!store || !llvm::hasSingleElement(ops) || !storesElement(store, row))
    return false;
  Operation *limit = compare.getRhs().getDefiningOp();
  bool isKnown = rows.isDefinedOutsideOfLoop(compare.getRhs()) ||
                 (isa_and_nonnull<memref::DimOp>(limit) &&
                  llvm::all_of(limit->getOperands(), [&](Value operand) {
                    return rows.isDefinedOutsideOfLoop(operand);
                  }));
  if (isKnown)
    stores.push_back(store);
  return isKnown;
}

Value RowSums::limitOf(memref::StoreOp store) {
  auto branch = dyn_cast<scf::IfOp>(store->getParentOp());
  if (!branch)
    return {};
  return branch.getCondition().getDefiningOp<arith::CmpIOp>().getRhs();
}

/// Whether an op computes something of a row that a lane of a vector can hold.
bool RowSums::isOfRow(Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isRepeatable(&op) && isContiguous(load.getMemRefType()) &&
           offsetOf(load.getIndices().front());
  if (isa<memref::DimOp>(op))
    return isRepeatable(&op);
  return OpTrait::hasElementwiseMappableTraits(&op) && isPure(&op);
}

/// Whether the loop over rows does nothing else that lanes cannot do.
bool RowSums::matchRest() {
  for (Operation &op : rows.getBody()->without_terminator()) {
    if (&op == entries)
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (isAlarm(branch))
        alarms.push_back(branch);
      else if (!matchStore(branch))
        return false;
      continue;
    }
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      if (!storesElement(store, rows.getInductionVar()))
        return false;
      stores.push_back(store);
      continue;
    }
    if (!isOfRow(op))
      return false;
  }
  // A flag is only there to tell the caller.
  size_t flags = llvm::count_if(
      body.carried, [](const CarriedValue &one) { return one.isFlag(); });
  return flags == alarms.size() && !stores.empty();
}

std::optional<RowSums> RowSums::match(scf::ForOp rows) {
  auto loops = rows.getBody()->getOps<scf::ForOp>();
  if (!matchPattern(rows.getStep(), m_One()) ||
      rows.getNumRegionIterArgs() != 1 || !llvm::hasSingleElement(loops))
    return std::nullopt;
  RowSums sums(rows, *loops.begin());
  if (!sums.matchEntries() || !sums.matchRest())
    return std::nullopt;
  return sums;
}

Value RowSums::emitAgain(ImplicitLocOpBuilder &b, Value value,
                         IRMapping &known) {
  if (rows.isDefinedOutsideOfLoop(value) || known.contains(value))
    return known.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    emitAgain(b, operand, known);
  b.clone(*op, known);
  return known.lookup(value);
}
