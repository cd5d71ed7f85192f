//===- ReducedEntries.cpp - Entries that a part reduces -------------------===//
//
// While the loops inside of the outer loops run, sums are kept in registers or,
// if these loops also run over coordinates of the result, in a row of memory.
// If the part has reduced all elements of an entry, it writes the entry to the
// result; if not, it keeps the sums as partials.
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "PartialEntries.h"
#include "nacho/Analysis/LoopFacts.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

namespace {

/// The base of sums in registers and sums in rows of memory.
class ReducedEntries : public Entries {
public:
  explicit ReducedEntries(Part &part)
      : Entries(part), reduction(*layout.reduction),
        partials(b, layout, part.args, part.places) {}

  /// Marks the rows of the part as empty.
  void prepare() override {
    if (!layout.hasPartials())
      return;
    if (layout.numPartialRows() == 2)
      partials.setVisited(Number(b, 0), head());
    partials.setVisited(Number(b, 0), tail());
  }

  /// Counts what the loops inside reduce from 0 on.
  void enterOuter(Carried &values) override {
    values.entries = Number(b, 0);
    startSums(values);
  }

  void leaveOuter(CoiterateOp loop, Value entriesBefore,
                  Carried &values) override {
    Values sums = takeSums(values);
    Value count = std::exchange(values.entries, entriesBefore);
    if (layout.makesEntries())
      return makeWhole(values, count, sums);
    // Nobody asks how many elements a dense result is reduced from.
    if (!layout.levels.empty())
      values.entries = Number(b, entriesBefore) + count;
    if (!layout.canSplit())
      return writeWhole(values, count, sums);
    Value isOnLower =
        *part.isCutInside(layout.numOuter - 1, loop.getInnerLower());
    Value completes = part.completes.flag();
    Value isWhole = !Number(b, isOnLower) & completes;
    auto ifWhole = scf::IfOp::create(b, isWhole, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifWhole.thenBlock());
    writeWhole(values, count, sums);
    b.setInsertionPointToStart(ifWhole.elseBlock());
    keepPart(count, sums);
  }

  /// Without outer loops, every part keeps its sums in its tail, and combine
  /// adds them up.
  void finish(Carried &values) override {
    Values sums = takeSums(values);
    Value row = tail();
    partials.setVisited(values.entries, row);
    keepSums(sums, row);
  }

protected:
  Value head() const { return partials.head(part.number); }
  Value tail() const { return partials.tail(part.number); }

  /// Gives the sums their first values.
  virtual void startSums(Carried &values) = 0;
  /// Takes the sums, if there are any, out of the carried values.
  virtual Values takeSums(Carried &values) = 0;
  /// Stores sums that were carried in a row of the partials.
  virtual void keepSums(ValueRange sums, Value row) = 0;
  /// Copies the tail to the head, if the sums are in the tail and the part
  /// completes the entry.
  virtual void moveToHead(Value head, Value tail) {}
  /// Writes the entry, or row of entries, that `count` elements were reduced
  /// to.
  virtual void writeEntries(const Carried &values, Value count,
                            ValueRange sums) = 0;

  const Reduction &reduction;
  PartialEntries partials;

private:
  /// Appends an entry, if any elements were reduced to it.
  void makeWhole(Carried &values, Value count, ValueRange sums) {
    Value offset = values.entries;
    Condition any = Number(b, count) != 0;
    part.countEntries(Number(b, 1), any, values);
    emitIf(b, any, [&] {
      makeEntry(reduction.finish(b, sums, count, part.mapping), offset);
    });
  }

  /// Writes an entry of which the part has reduced all elements. An entry
  /// without elements is only written if the result is one block.
  void writeWhole(const Carried &values, Value count, ValueRange sums) {
    Condition any = kAlways;
    if (layout.numStructural > 0)
      any = Number(b, count) != 0;
    emitIf(b, any, [&] { writeEntries(values, count, sums); });
  }

  /// Keeps the sums of an entry of which the part has only some elements.
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
      startSums(carried);
  }

protected:
  void startSums(Carried &values) override {
    values.sums = reduction.identities(b);
  }

  void add(AppendOp op, Condition condition, Carried &values) override {
    if (!condition.isAlways() && !op->getBlock()->getOps<FindOp>().empty())
      return addIfFound(op, condition.flag(), values);
    part.countEntries(Number(b, 1), condition, values);
    Value &sum = values.sums[op.getNumber()];
    sum = emitSelect(b, condition, emitSum(op, sum), sum);
  }

  Values takeSums(Carried &values) override {
    return std::exchange(values.sums, {});
  }

  void keepSums(ValueRange sums, Value row) override {
    for (auto [sum, array] : llvm::zip(sums, part.args.partials))
      memref::StoreOp::create(b, sum, array, ValueRange{row, Number(b, 0)});
  }

  void writeEntries(const Carried &values, Value count,
                    ValueRange sums) override {
    Value at =
        part.places.location(part.blockPosition(values), part.coordinates);
    storeValue(reduction.finish(b, sums, count, part.mapping), at);
  }

private:
  Value emitSum(AppendOp op, Value sum) {
    Value value = part.mapping.lookupOrDefault(op.getValue());
    bool reassociable = !NestOp(layout.nest).getWholeEntries();
    return reduction.getMonoid().emit(b, sum, value, reassociable);
  }

  /// Most lookups find nothing: then no values are loaded either.
  void addIfFound(AppendOp op, Value isFound, Carried &values) {
    Value before = values.entries, &sum = values.sums[op.getNumber()];
    auto branch =
        scf::IfOp::create(b, TypeRange{before.getType(), sum.getType()},
                          isFound, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, ValueRange{before, sum});
    b.setInsertionPointToStart(branch.thenBlock());
    Value after = Number(b, before) + 1;
    scf::YieldOp::create(b, ValueRange{after, emitSum(op, sum)});
    values.entries = branch.getResult(0);
    sum = branch.getResult(1);
  }
};

//===----------------------------------------------------------------------===//
// In rows
//===----------------------------------------------------------------------===//

class RowSums : public ReducedEntries {
public:
  using ReducedEntries::ReducedEntries;

  /// add() compares the coordinate with the extent and sets the status, so that
  /// nothing is left to do after the loop.
  bool needsCheck(CoiterateOp innermost) const override {
    return !reportsCoordinateOf(innermost);
  }

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
    Number first(b, 0);
    if (!outer.empty())
      first = Number(b, numberOf(outer, condition)) * length;
    Values sums = llvm::map_to_vector(appends, [&](AppendOp append) {
      return part.args.partials[append.getNumber()];
    });
    auto op = AccumulateOp::create(b, reduction.getMonoid(), sums, tail(),
                                   first, length, toOperand(condition));
    emitTerms(loop, op);
    return true;
  }

protected:
  void startSums(Carried &) override { partials.clear(tail()); }

  /// tail[number of the coordinates] += value
  void add(AppendOp op, Condition condition, Carried &values) override {
    part.countEntries(Number(b, 1), condition, values);
    Value value = part.mapping.lookupOrDefault(op.getValue());
    if (variesInRow(layout, op)) {
      Number isStored(b, part.mapping.lookupOrDefault(op.getCondition()));
      value = select(isStored, value, reduction.missing(b, value.getType()));
    }
    Condition inside = kAlways;
    Value row = tail(), number = numberOf(layout.innerLevels, inside);
    emitAdd(condition, inside, [&] {
      Value sums = part.args.partials[op.getNumber()];
      Values at = {row, number};
      Value before = memref::LoadOp::create(b, sums, at);
      Value after = reduction.getMonoid().emit(b, before, value);
      memref::StoreOp::create(b, after, sums, at);
    });
  }

  Values takeSums(Carried &) override { return {}; }

  // The sums are already in the tail.
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
    // If neighbours in the row are neighbours in the array, too, only the end
    // of the loop has to be compared with the size of the array.
    bool areNeighbours = layout.innerLevels.back() + 1 == layout.type.getRank();
    Value start; // The place of the first of these neighbours.
    auto store = [&](Value number, ArrayRef<Value> at) {
      Values sums = partials.load(row, number);
      for (Value sum : sums)
        sum.getDefiningOp()->setAttr(kLastReadAttrName, b.getUnitAttr());
      Value entry = reduction.finish(b, sums, count, part.mapping);
      if (!areNeighbours)
        return storeValue(entry, part.places.location(position, at));
      Value place = Number(b, start) + at[layout.innerLevels.back()];
      memref::StoreOp::create(b, entry, part.args.values, place);
    };
    auto numberInside = [&](ArrayRef<Value> first, Value extent) {
      if (!areNeighbours)
        return extent;
      start = emitPlaceInside(part.places.location(position, first));
      return emitNumberInside(start, extent);
    };
    part.places.forRow(part.coordinates, store, numberInside);
  }

private:
  bool addsToRow(CoiterateOp loop) const;
  bool reportsCoordinateOf(CoiterateOp innermost) const;
  void emitAdd(Condition condition, Condition inside,
               llvm::function_ref<void()> body);
  Value numberOf(ArrayRef<unsigned> levels, Condition &condition);
  void emitTerms(CoiterateOp loop, AccumulateOp op);
};

} // namespace

/// Whether a loop without fibers only appends a term to each of a number of
/// sums that lie side by side in a row.
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

/// Whether the only thing that the coordinate of a loop leads to is a sum.
bool RowSums::reportsCoordinateOf(CoiterateOp innermost) const {
  return layout.innerLevels.size() == 1 && innermost.getFibers().size() == 1 &&
         layout.loopOfLevel[layout.innerLevels.front()] == innermost &&
         llvm::all_of(innermost.getCoordinate().getUsers(),
                      llvm::IsaPred<AppendOp>);
}

/// Emits `body` under both conditions. If nothing else tells that a coordinate
/// is not inside of its extent, this does.
void RowSums::emitAdd(Condition condition, Condition inside,
                      llvm::function_ref<void()> body) {
  CoiterateOp innermost = layout.loops.back();
  if (inside.isAlways() || !reportsCoordinateOf(innermost))
    return emitIf(b, emitBoth(b, condition, inside), body);
  emitIf(b, condition,
         [&] { emitChecked(inside.flag(), kCoordinateOutOfRange, body); });
}

/// The number, in its row, of the sum for the part's coordinates in `levels`.
/// Adds to `condition` that these coordinates are inside of their extents. If
/// numbers are computed from one that is not, it is taken for 0.
Value RowSums::numberOf(ArrayRef<unsigned> levels, Condition &condition) {
  bool isScaled = layout.innerLevels.size() > 1;
  Value number;
  for (unsigned level : levels) {
    Value coordinate = part.coordinates[level];
    // A coordinate that an operand stores may be outside.
    if (!visitsAll(layout.loopOfLevel[level])) {
      Number inside = Number(b, coordinate) < part.places.extent(level);
      if (isScaled)
        coordinate = select(inside, coordinate, 0);
      condition = emitBoth(b, condition, inside);
    }
    if (level != levels.front()) {
      Value extent = part.places.extent(level);
      coordinate = Number(b, number) * extent + coordinate;
    }
    number = coordinate;
  }
  return number;
}

/// Copies the body of a loop to an op whose region yields the terms.
void RowSums::emitTerms(CoiterateOp loop, AccumulateOp op) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = nameLoc(b.getLoc(), loop.getIndexName().value_or(""));
  Block *body = b.createBlock(&op.getBody(), {}, b.getIndexType(), loc);
  part.mapping.map(loop.getCoordinate(), body->getArgument(0));
  Values terms;
  for (Operation &inner : loop.getBody().front().without_terminator()) {
    if (auto append = dyn_cast<AppendOp>(inner)) {
      terms.push_back(part.mapping.lookupOrDefault(append.getValue()));
      continue;
    }
    Operation *now = b.clone(inner, part.mapping);
    // The loops around it compare their coordinates with the extents.
    if (auto locate = dyn_cast<LocateOp>(now))
      locate.setChecked(true);
  }
  YieldOp::create(b, terms);
}

std::unique_ptr<Entries> nacho::makeRegisterSums(Part &part) {
  return std::make_unique<RegisterSums>(part);
}

std::unique_ptr<Entries> nacho::makeRowSums(Part &part) {
  return std::make_unique<RowSums>(part);
}
