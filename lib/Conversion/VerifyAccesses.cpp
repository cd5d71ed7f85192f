//===- VerifyAccesses.cpp - Proof that every loaded index is checked ------===//
//
// Arrays of operands may hold anything: their owner may have edited them since
// they were checked, or may edit them now. So an integer that was loaded says
// nothing about memory until the kernel itself has compared it with a bound.
// This file follows loaded integers through a function, and refuses those that
// arrive unchecked at an access to memory, at the bounds of a loop, or in one
// of Nacho's own buffers of indices, by which another function accesses memory.
//
//===----------------------------------------------------------------------===//

#include "ContractChecks.h"

#include "nacho/IR/Nacho.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacho;

namespace {
/// The values of a function that may be any number: loaded integers, and what
/// is computed from them, up to where they are compared with a bound.
class UncheckedValues {
public:
  explicit UncheckedValues(func::FuncOp function) {
    // Loops hand values back to their beginning, where they are met again.
    do {
      hasGrown = false;
      function.walk([&](Operation *op) { visit(op); });
    } while (hasGrown);
  }

  bool contains(Value value) const { return values.contains(value); }
  bool isCheckedAround(Operation *op, Value value) const;

private:
  void visit(Operation *op);
  void forward(RegionBranchOpInterface branch);
  void insert(Value value) { hasGrown |= values.insert(value).second; }

  bool areAll(ValueRange operands) const {
    return llvm::all_of(operands, [&](Value v) { return contains(v); });
  }
  bool areAny(ValueRange operands) const {
    return llvm::any_of(operands, [&](Value v) { return contains(v); });
  }
  bool hasUpperBound(Value value) const;
  bool isChecked(Value value, Value condition) const;
  bool mayBeAnything(Operation *op) const;

  DenseSet<Value> values;
  /// The buffers in which such values were stored, each with the column.
  DenseSet<std::pair<Value, Value>> columns;
  bool hasGrown = false;
};
} // namespace

namespace {
/// An access to an element, or to lanes, of a buffer.
struct Access {
  Value buffer;
  OperandRange indices;
  Value stored; ///< Null if the operation loads.

  /// The last index, by which the columns of a table are told apart that have
  /// nothing to do with each other, such as costs and positions of cuts; null
  /// for an array.
  Value column() const { return indices.size() < 2 ? Value() : indices.back(); }
  Type elementType() const {
    return cast<MemRefType>(buffer.getType()).getElementType();
  }
};
} // namespace

static std::optional<Access> accessOf(Operation *op) {
  using Found = std::optional<Access>;
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([](memref::LoadOp load) {
        return Access{load.getMemRef(), load.getIndices(), {}};
      })
      .Case<vector::LoadOp, vector::MaskedLoadOp>([](auto load) {
        return Access{load.getBase(), load.getIndices(), {}};
      })
      .Case([](vector::GatherOp load) {
        return Access{load.getBase(), load.getOffsets(), {}};
      })
      .Case([](memref::StoreOp store) {
        return Access{store.getMemRef(), store.getIndices(), store.getValue()};
      })
      .Case([](memref::AtomicRMWOp store) {
        return Access{store.getMemref(), store.getIndices(), store.getValue()};
      })
      .Case([](vector::ScatterOp store) {
        return Access{store.getBase(), store.getOffsets(),
                      store.getValueToStore()};
      })
      .Case<vector::StoreOp, vector::MaskedStoreOp, vector::CompressStoreOp>(
          [](auto store) {
            return Access{store.getBase(), store.getIndices(),
                          store.getValueToStore()};
          })
      .Default(Found());
}

/// Whether no more than a signed number can be that was not loaded.
bool UncheckedValues::hasUpperBound(Value value) const {
  auto least = value.getDefiningOp<arith::MinSIOp>();
  return !contains(value) || (least && !areAll(least->getOperands()));
}

/// Whether the condition implies that the value is below, or equal to, one that
/// was not loaded.
bool UncheckedValues::isChecked(Value value, Value condition) const {
  Operation *test = condition.getDefiningOp();
  // Lanes that are all the same are checked like the one that they copy.
  if (auto copies = dyn_cast_or_null<vector::BroadcastOp>(test)) {
    auto values = value.getDefiningOp<vector::BroadcastOp>();
    return values && isChecked(values.getSource(), copies.getSource());
  }
  if (isa_and_nonnull<arith::AndIOp>(test))
    return llvm::any_of(test->getOperands(),
                        [&](Value part) { return isChecked(value, part); });
  auto compared = dyn_cast_or_null<arith::CmpIOp>(test);
  if (!compared)
    return false;
  using Predicate = arith::CmpIPredicate;
  auto is = [&](std::initializer_list<Predicate> predicates) {
    return llvm::is_contained(predicates, compared.getPredicate());
  };
  if (compared.getLhs() == value && !contains(compared.getRhs()))
    return is({Predicate::ult, Predicate::ule, Predicate::eq});
  if (compared.getRhs() == value && !contains(compared.getLhs()))
    return is({Predicate::ugt, Predicate::uge, Predicate::eq});
  return false;
}

/// Whether an operation is only done where a condition holds that checks the
/// value, or all values of which it is the sum or the high bits.
bool UncheckedValues::isCheckedAround(Operation *op, Value value) const {
  if (!contains(value))
    return true;
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion()) {
    auto branch = dyn_cast<scf::IfOp>(region->getParentOp());
    if (branch && region == &branch.getThenRegion() &&
        isChecked(value, branch.getCondition()))
      return true;
  }
  Operation *source = value.getDefiningOp();
  return isa_and_nonnull<arith::AddIOp, arith::ShRUIOp>(source) &&
         llvm::all_of(source->getOperands(), [&](Value operand) {
           return isCheckedAround(op, operand);
         });
}

/// Whether the results of an operation without regions may be any number.
bool UncheckedValues::mayBeAnything(Operation *op) const {
  if (std::optional<Access> load = accessOf(op))
    // Arrays of operands have integers of a fixed width; Nacho's own buffers
    // have indices, which were computed here or by another function, or are
    // allocated here.
    return (load->elementType().isInteger() &&
            !load->buffer.getDefiningOp<memref::AllocaOp>()) ||
           columns.contains({load->buffer, load->column()});
  // What another function returns may be anything.
  if (isa<func::CallOp>(op))
    return true;
  // The least of several numbers is bounded if one of them is; so is a number
  // of bits that another number has as well.
  if (isa<arith::MinUIOp, arith::AndIOp>(op))
    return areAll(op->getOperands());
  if (isa<arith::RemUIOp>(op))
    return contains(op->getOperand(1));
  // There are only so many bits in a word.
  if (isa<math::CountTrailingZerosOp>(op))
    return false;
  // A signed number has to be bounded from both sides.
  if (isa<arith::MaxSIOp>(op))
    return areAll(op->getOperands()) ||
           !llvm::all_of(op->getOperands(),
                         [&](Value v) { return hasUpperBound(v); });
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value chosen = select.getTrueValue();
    return contains(select.getFalseValue()) ||
           (contains(chosen) && !isChecked(chosen, select.getCondition()));
  }
  return areAny(op->getOperands());
}

/// Hands values on to the blocks and results that a control flow leads to.
void UncheckedValues::forward(RegionBranchOpInterface branch) {
  RegionBranchSuccessorMapping mapping;
  branch.getSuccessorOperandInputMapping(mapping);
  for (auto &[operand, inputs] : mapping)
    if (contains(operand->get()))
      llvm::for_each(inputs, [&](Value input) { insert(input); });
  auto loop = dyn_cast<scf::ForOp>(branch.getOperation());
  if (loop && areAny({loop.getLowerBound(), loop.getUpperBound()}))
    insert(loop.getInductionVar());
}

void UncheckedValues::visit(Operation *op) {
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    return forward(branch);
  std::optional<Access> access = accessOf(op);
  if (access && access->stored && contains(access->stored))
    hasGrown |= columns.insert({access->buffer, access->column()}).second;
  if (op->getNumResults() == 0 || op->getNumRegions() || !mayBeAnything(op))
    return;
  for (Value result : op->getResults())
    if (getElementTypeOrSelf(result).isIntOrIndex() &&
        !getElementTypeOrSelf(result).isInteger(1))
      insert(result);
}

/// Whether a store writes a number that another function may use as an index:
/// to a buffer of Nacho's own that this function has not made. In a table of
/// cuts, the first column has costs, which are not used as indices.
static bool passesOn(const Access &access) {
  if (!access.stored || !access.elementType().isIndex() ||
      access.buffer.getDefiningOp<memref::AllocaOp>())
    return false;
  auto type = cast<MemRefType>(access.buffer.getType());
  bool isCut = type.getRank() == 2 && !type.isDynamicDim(1);
  return !isCut || !matchPattern(access.column(), m_Zero());
}

/// The operands of an operation that say where, or how often, memory is
/// accessed, here or by another function.
static SmallVector<Value> findPlaces(Operation *op) {
  SmallVector<Value> places;
  if (std::optional<Access> access = accessOf(op)) {
    llvm::append_range(places, access->indices);
    if (passesOn(*access))
      places.push_back(access->stored);
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<vector::GatherOp, vector::ScatterOp>(
          [&](auto lanes) { places.push_back(lanes.getIndices()); })
      .Case<scf::ForOp>([&](scf::ForOp loop) {
        places.append(
            {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      })
      .Case<ParallelOp>(
          [&](ParallelOp loop) { places.push_back(loop.getWorkers()); })
      .Case<func::CallOp>([&](func::CallOp call) {
        llvm::append_range(places, call.getOperands());
      });
  return places;
}

LogicalResult nacho::verifyAccesses(func::FuncOp function) {
  UncheckedValues unchecked(function);
  bool areChecked = true;
  function.walk([&](Operation *op) {
    for (Value place : findPlaces(op))
      if (!unchecked.isCheckedAround(op, place)) {
        op->emitOpError("uses an index that was loaded and not compared "
                        "with a bound");
        areChecked = false;
        return;
      }
  });
  return success(areChecked);
}
