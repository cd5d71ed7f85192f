//===- ReducedEntries.cpp - Entries that a part reduces -------------------===//
//
// While the loops inside of the outer ones run, sums are reduced in registers
// or, if inner loops run over coordinates of the result, in a row of memory.
// The sums of which the part has all elements go to the result; the others go
// to the partial entries.
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "PartialEntries.h"
#include "nacho/Analysis/LoopFacts.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

namespace {

/// What sums in registers and in rows have in common.
class ReducedEntries : public Entries {
public:
  explicit ReducedEntries(Part &part)
      : Entries(part), reduction(*layout.reduction),
        partials(b, layout, part.args, part.places) {}

  /// There is nothing in the rows of the part; in those of a scalar, nothing
  /// yet but what sums begin with.
  void prepare() override {
    if (!layout.hasPartials())
      return;
    partials.setVisited(part.constant(0), head());
    partials.setVisited(part.constant(0), tail());
    if (layout.numOuter == 0)
      partials.clear(tail());
  }

  void leaveOuter(CoiterateOp loop, Value entriesBefore,
                  Carried &values) override {
    Values sums = takeSums(values);
    Value count = arith::SubIOp::create(b, values.entries, entriesBefore);
    if (!layout.canSplit())
      return writeWhole(values, count, sums);
    Value isOnLower =
        *part.isCutInside(layout.numOuter - 1, loop.getInnerLower());
    Value completes = part.completes.flag();
    Value isWhole = arith::AndIOp::create(b, emitNot(b, isOnLower), completes);
    auto ifWhole = scf::IfOp::create(b, isWhole, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifWhole.thenBlock());
    writeWhole(values, count, sums);
    b.setInsertionPointToStart(ifWhole.elseBlock());
    keepPart(count, sums);
  }

  /// A scalar is what all parts have together.
  void finish(Carried &values) override {
    Values sums = takeSums(values);
    Value row = tail();
    partials.setVisited(values.entries, row);
    keepSums(sums, row);
  }

protected:
  Value head() const { return partials.head(part.number); }
  Value tail() const { return partials.tail(part.number); }

  /// The sums that were carried, which they are no longer.
  virtual Values takeSums(Carried &values) = 0;
  /// Stores carried sums in a row of the partial entries.
  virtual void keepSums(ValueRange sums, Value row) = 0;
  /// Copies what is in the tail to the head, if sums are in the tail.
  virtual void moveToHead(Value head, Value tail) {}
  /// Writes the entries that were reduced from `count` elements.
  virtual void writeEntries(const Carried &values, Value count,
                            ValueRange sums) = 0;

  const Reduction &reduction;
  PartialEntries partials;

private:
  /// The part has reduced an entry from its first to its last element. Only a
  /// block is written even if there were none.
  void writeWhole(const Carried &values, Value count, ValueRange sums) {
    Condition any = kAlways;
    if (layout.numStructural > 0)
      any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, count,
                                  part.constant(0));
    emitIf(b, any, [&] { writeEntries(values, count, sums); });
  }

  /// The part has only some of the elements of an entry.
  void keepPart(Value count, ValueRange sums) {
    Value head = this->head(), tail = this->tail();
    Value row = emitSelect(b, part.completes, head, tail);
    partials.setVisited(count, row);
    keepSums(sums, row);
    moveToHead(head, tail);
  }
};

//===----------------------------------------------------------------------===//
// In registers
//===----------------------------------------------------------------------===//

class RegisterSums : public ReducedEntries {
public:
  using ReducedEntries::ReducedEntries;

  void start(Carried &carried) override {
    if (layout.numOuter == 0)
      enterOuter(carried);
  }

  void enterOuter(Carried &values) override {
    values.sums = reduction.identities(b);
  }

protected:
  void add(AppendOp op, Condition condition, Carried &values) override {
    part.countEntries(part.constant(1), condition, values);
    Value value = part.mapping.lookupOrDefault(op.getValue());
    Value &sum = values.sums[op.getNumber()];
    auto next = BinaryOp::create(b, reduction.getKind(), sum, value);
    next.setReassociable(true);
    sum = emitSelect(b, condition, next, sum);
  }

  Values takeSums(Carried &values) override {
    return std::exchange(values.sums, {});
  }

  void keepSums(ValueRange sums, Value row) override {
    for (auto [sum, array] : llvm::zip(sums, part.args.partials))
      memref::StoreOp::create(b, sum, array, ValueRange{row, part.constant(0)});
  }

  void writeEntries(const Carried &values, Value count,
                    ValueRange sums) override {
    Value at =
        part.places.location(part.blockPosition(values), part.coordinates);
    storeValue(reduction.finish(b, sums, count, part.mapping), at);
  }
};

//===----------------------------------------------------------------------===//
// In rows
//===----------------------------------------------------------------------===//

class RowSums : public ReducedEntries {
public:
  using ReducedEntries::ReducedEntries;

  void enterOuter(Carried &values) override { partials.clear(tail()); }

  /// tail[number of n] += term(n), for all n
  bool addRow(CoiterateOp loop) override {
    if (!addsToRow(loop))
      return false;
    auto appends = llvm::to_vector(loop.getBody().getOps<AppendOp>());
    Condition condition = emitBoth(b, part.completes, part.emitHolds(loop));
    ArrayRef<unsigned> outer = ArrayRef(layout.innerLevels).drop_back();
    for (unsigned level : outer)
      part.coordinates[level] =
          part.mapping.lookup(appends.front().getCoordinates()[level]);
    Value length = emitExtent(b, loop, part.mapping);
    Value first = part.constant(0);
    if (!outer.empty())
      first = arith::MulIOp::create(b, numberOf(outer, condition), length);
    Values sums = llvm::map_to_vector(appends, [&](AppendOp append) {
      return part.args.partials[append.getNumber()];
    });
    auto op = AccumulateOp::create(b, reduction.getKind(), sums, tail(), first,
                                   length, toOperand(condition));
    emitTerms(loop, op);
    return true;
  }

protected:
  /// tail[number of the coordinates] += value
  void add(AppendOp op, Condition condition, Carried &values) override {
    part.countEntries(part.constant(1), condition, values);
    Value value = part.mapping.lookupOrDefault(op.getValue());
    Value row = tail(), number = numberOf(layout.innerLevels, condition);
    emitIf(b, condition, [&] {
      Value sums = part.args.partials[op.getNumber()];
      Values at = {row, number};
      Value before = memref::LoadOp::create(b, sums, at);
      Value after =
          BinaryOp::createCommutative(b, reduction.getKind(), before, value);
      memref::StoreOp::create(b, after, sums, at);
    });
  }

  Values takeSums(Carried &) override { return {}; }

  // The sums are in the tail.
  void keepSums(ValueRange, Value) override {}

  void moveToHead(Value head, Value tail) override {
    emitIf(b, part.completes, [&] {
      part.places.forRow(part.coordinates, [&](Value number, ArrayRef<Value>) {
        partials.store(partials.load(tail, number), head, number);
      });
    });
  }

  void writeEntries(const Carried &values, Value count, ValueRange) override {
    std::optional<Value> position = part.blockPosition(values);
    Value row = tail();
    part.places.forRow(part.coordinates, [&](Value number, ArrayRef<Value> at) {
      Value entry =
          reduction.finish(b, partials.load(row, number), count, part.mapping);
      storeValue(entry, part.places.location(position, at));
    });
  }

private:
  bool addsToRow(CoiterateOp loop) const;
  Value numberOf(ArrayRef<unsigned> levels, Condition &condition);
  void emitTerms(CoiterateOp loop, AccumulateOp op);
};

} // namespace

/// Whether a loop over all coordinates does nothing but to append a term to
/// each sum of a row, or of a part of a row that lies together.
bool RowSums::addsToRow(CoiterateOp loop) const {
  if (!loop.getFibers().empty())
    return false;
  unsigned last = layout.innerLevels.back();
  auto addsTerm = [&](AppendOp append) {
    return !append.getCondition() &&
           append.getCoordinates()[last] == loop.getCoordinate();
  };
  auto appends = loop.getBody().getOps<AppendOp>();
  return !appends.empty() && llvm::all_of(appends, addsTerm) &&
         llvm::all_of(
             loop.getBody().front().without_terminator(), [](Operation &op) {
               return isa<AppendOp>(op) ||
                      (isMemoryEffectFree(&op) && !isa<FindOp, PartOp>(op));
             });
}

/// The number that a sum has in its row, by the part's coordinates in these
/// levels. `condition` becomes one that holds only where they are inside.
Value RowSums::numberOf(ArrayRef<unsigned> levels, Condition &condition) {
  Value number;
  for (unsigned level : levels) {
    Value coordinate = part.coordinates[level];
    // What an operand stores can be any number.
    if (!visitsAll(layout.loopOfLevel[level]))
      condition = emitBoth(b, condition,
                           arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                                 coordinate,
                                                 part.places.extent(level)));
    if (level != levels.front()) {
      Value extent = part.places.extent(level);
      coordinate = arith::AddIOp::create(
          b, arith::MulIOp::create(b, number, extent), coordinate);
    }
    number = coordinate;
  }
  return number;
}

/// Repeats the body of a loop as one that yields its terms.
void RowSums::emitTerms(CoiterateOp loop, AccumulateOp op) {
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&op.getBody(), {}, b.getIndexType(),
                              loop.getCoordinate().getLoc());
  part.mapping.map(loop.getCoordinate(), body->getArgument(0));
  Values terms;
  for (Operation &inner : loop.getBody().front().without_terminator()) {
    if (auto append = dyn_cast<AppendOp>(inner))
      terms.push_back(part.mapping.lookupOrDefault(append.getValue()));
    else
      b.clone(inner, part.mapping);
  }
  YieldOp::create(b, terms);
}

std::unique_ptr<Entries> nacho::makeRegisterSums(Part &part) {
  return std::make_unique<RegisterSums>(part);
}

std::unique_ptr<Entries> nacho::makeRowSums(Part &part) {
  return std::make_unique<RowSums>(part);
}
