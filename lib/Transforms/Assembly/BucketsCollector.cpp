//===- BucketsCollector.cpp - Entries that are counted per bucket ---------===//
//
// The result has a dense level, whose coordinates are buckets, and inside of it
// a compressed level, in whose order the loops append. For T[j, i] = A[i, j]:
//
//   assemble, for each part p:
//     count[p, j] = 0 for all j
//     for i, j of A in p: count[p, j] += 1
//   execute, before the parts append:
//     pos[j + 1] = sum over all parts and all buckets up to j of their counts
//     next[p, j] = p == 0 ? pos[j] : next[p - 1, j] + count[p - 1, j]
//   compute, for each part p:
//     for i, j of A in p: at = next[p, j]++; crd[at] = i; values[at] = A[i, j]
//
// The counts stay as they are, so that a plan can be executed again. An entry
// is read twice and moved once, whatever its bucket. The step has as few parts
// as its buckets are many (StepPlan.cpp), so that clearing and adding up the
// counts takes no longer than that.
//
// Counts and places are as wide as the positions of the result, since entries
// find them in no order: what is narrower is more often in a cache. What is
// done for all buckets is done row by row, in loops that LLVM vectorises.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Entries.h"
#include "PhaseFunctions.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

static Value numBuckets(ImplicitLocOpBuilder &b, const PhaseArguments &args) {
  Number one(b, 1);
  return memref::DimOp::create(b, args.buckets, one);
}

/// An element of `buckets`, as wide as it is stored.
static Value load(ImplicitLocOpBuilder &b, Value buckets, Value row, Value at) {
  return memref::LoadOp::create(b, buckets, ValueRange{row, at});
}

/// A number of the type of the elements of `buckets`.
static Value numberLike(ImplicitLocOpBuilder &b, Value buckets, int64_t value) {
  Type type = cast<MemRefType>(buckets.getType()).getElementType();
  return Number(b, value, type);
}

/// An index as an element of `buckets`, or of positions of the same type.
static Value narrowLike(ImplicitLocOpBuilder &b, Value buckets, Value index) {
  Type type = cast<MemRefType>(buckets.getType()).getElementType();
  return Number(b, index).as(type);
}

static Value widen(ImplicitLocOpBuilder &b, Value number) {
  return Number(b, number).asIndex();
}

static void store(ImplicitLocOpBuilder &b, Value value, Value buckets,
                  Value row, Value at) {
  memref::StoreOp::create(b, value, buckets, ValueRange{row, at});
}

namespace {

/// The base of counting and of appending: adds 1 to an element of `buckets`.
class EntriesOfBuckets : public Entries {
public:
  using Entries::Entries;

  void start(Carried &) override {
    extent = numBuckets(b, part.args);
    startRow();
  }

  /// add() compares the bucket with the number of buckets.
  bool needsCheck(CoiterateOp innermost) const override {
    return layout.loopOfLevel.front() != innermost;
  }

protected:
  void add(AppendOp op, Condition condition, Carried &values) override {
    part.countEntries(Number(b, 1), condition, values);
    emitIf(b, condition, [&] { addToBucket(op, part.coordinates[0]); });
  }

  /// Emits the first code of a part; sets `row`.
  virtual void startRow() = 0;
  /// Emits what else is to be done with an append; `before` is the element
  /// before it was counted.
  virtual void addTo(AppendOp op, Value before) {}

  Value row;    ///< The row of `buckets` with the elements.
  Value extent; ///< The number of buckets.

private:
  void addToBucket(AppendOp op, Value bucket) {
    Value inside = Number(b, bucket) < extent;
    emitChecked(inside, kCoordinateOutOfRange, [&] {
      Value before = load(b, part.args.buckets, row, bucket);
      store(b, Number(b, before) + 1, part.args.buckets, row, bucket);
      addTo(op, before);
    });
  }
};

/// Counts the entries of each bucket.
class CountedBuckets : public EntriesOfBuckets {
public:
  using EntriesOfBuckets::EntriesOfBuckets;

protected:
  void startRow() override {
    row = part.number;
    Value none = numberLike(b, part.args.buckets, 0);
    emitFor(b, Number(b, 0), extent, [&](Value bucket) {
      setName(bucket, "bucket");
      store(b, none, part.args.buckets, row, bucket);
    });
  }
};

/// Stores each entry at the next place of its bucket.
class StoredInBuckets : public EntriesOfBuckets {
public:
  using EntriesOfBuckets::EntriesOfBuckets;

protected:
  void startRow() override {
    size = memref::DimOp::create(b, part.args.values, Number(b, 0));
    NameScope name(b, "next");
    row = Number(b, part.parts) + part.number;
  }

  /// A place is beyond the end only if the operands have changed since they
  /// were counted.
  void addTo(AppendOp op, Value place) override {
    Value at = widen(b, place);
    Value fits = Number(b, at) < size;
    emitChecked(fits, kOperandsChanged, [&] {
      Value value = part.mapping.lookupOrDefault(op.getValue());
      memref::StoreOp::create(b, value, part.args.values, at);
      storeIndex(b, part.coordinates[1], part.args.coordinates[1], at);
    });
  }

private:
  Value size; ///< The number of entries of all buckets.
};

/// Emits what happens between counting and appending, and after that.
class Buckets {
public:
  explicit Buckets(PhaseFunctions &function)
      : b(function.b), function(function), args(function.args),
        buckets(args.buckets), positions(args.positions[1]),
        parts(b, function.numParts()), zero(b, 0), one(b, 1) {}

  /// pos[j + 1] = the number of entries in bucket j
  void countAll() {
    function.emitOneWorker([&] { storeIndex(b, zero, positions, zero); });
    inParallel([&](Interval some) {
      forBuckets(some, [&](Value bucket) {
        store(load(buckets, zero, bucket), positions, after(bucket));
      });
      forParts(one, [&](Value part) {
        forBuckets(some, [&](Value bucket) {
          Value count = load(buckets, part, bucket);
          Value sum = load(positions, after(bucket));
          store(Number(b, sum) + count, positions, after(bucket));
        });
      });
    });
    PrefixSumOp::create(b, positions, args.threads);
  }

  /// next[0, j] = pos[j]
  /// next[p, j] = next[p - 1, j] + count[p - 1, j]
  void startPlaces() {
    Value size = memref::DimOp::create(b, args.values, zero);
    Value most = narrowLike(b, positions, size);
    inParallel([&](Interval some) {
      forBuckets(some, [&](Value bucket) {
        Value first = load(positions, bucket);
        first = min(Number(b, first), most);
        store(first, buckets, nextRow(zero), bucket);
      });
      forParts(one, [&](Value part) {
        Value before = Number(b, part) - one;
        forBuckets(some, [&](Value bucket) {
          Value place = load(buckets, nextRow(before), bucket);
          Value count = load(buckets, before, bucket);
          store(Number(b, place) + count, buckets, nextRow(part), bucket);
        });
      });
    });
  }

  /// Sets the status if a part has not appended to a bucket what it counted: it
  /// has reached the place at which the next part began, and that part the
  /// place beyond what it has counted itself.
  void check() {
    Value none = numberLike(b, buckets, 0);
    inParallel([&](Interval some) {
      Value first = differences(some, none, zero, [&](Value bucket) {
        return load(positions, bucket);
      });
      auto others = scf::ForOp::create(b, one, parts, one, first);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(others.getBody());
        Value part = others.getInductionVar();
        setName(part, "part");
        Value before = Number(b, part) - one;
        Value any = differences(some, others.getRegionIterArg(0), part,
                                [&](Value bucket) {
                                  return load(buckets, nextRow(before), bucket);
                                });
        scf::YieldOp::create(b, any);
      }
      Value differs = Number(b, others.getResult(0)) != none;
      emitIf(b, differs, [&] {
        Number bit(b, kOperandsChanged, b.getI32Type());
        memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, bit,
                                    args.status, ValueRange());
      });
    });
  }

private:
  Number after(Value number) { return Number(b, number) + one; }
  Number nextRow(Value part) { return parts + part; }

  Value load(Value array, Value at) {
    return memref::LoadOp::create(b, array, at);
  }
  Value load(Value table, Value row, Value at) {
    return ::load(b, table, row, at);
  }
  void store(Value value, Value array, Value at) {
    memref::StoreOp::create(b, value, array, at);
  }
  void store(Value value, Value table, Value row, Value at) {
    ::store(b, value, table, row, at);
  }

  /// parallel: body(some of the buckets)
  void inParallel(llvm::function_ref<void(Interval)> body) {
    auto workers = ParallelOp::create(b, args.threads, args.threads);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(workers.getBodyBlock());
    body(evenInterval(b, workers.getWorker(), args.threads,
                      numBuckets(b, args)));
  }

  void forBuckets(Interval some, llvm::function_ref<void(Value)> body) {
    emitFor(b, some.from, some.to, [&](Value bucket) {
      setName(bucket, "bucket");
      body(bucket);
    });
  }

  void forParts(Value first, llvm::function_ref<void(Value)> body) {
    emitFor(b, first, parts, [&](Value part) {
      setName(part, "part");
      body(part);
    });
  }

  /// any = first; for each bucket of some:
  ///   any |= (next[part, bucket] - count[part, bucket]) ^ start(bucket)
  Value differences(Interval some, Value first, Value part,
                    llvm::function_ref<Value(Value)> start) {
    auto loop = scf::ForOp::create(b, some.from, some.to, one, first);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value bucket = loop.getInductionVar();
    setName(bucket, "bucket");
    Value reached = load(buckets, nextRow(part), bucket);
    Value count = load(buckets, part, bucket);
    Number began = Number(b, reached) - count;
    Value differs = began ^ start(bucket);
    Value any = Number(b, loop.getRegionIterArg(0)) | differs;
    scf::YieldOp::create(b, any);
    return loop.getResult(0);
  }

  ImplicitLocOpBuilder &b;
  PhaseFunctions &function;
  const PhaseArguments &args;
  Value buckets, positions;
  Number parts, zero, one;
};

class BucketsCollector : public Collector {
public:
  LogicalResult classifyLoops(ResultLayout &layout) const override {
    layout.numOuter = layout.loops.size();
    CoiterateOp bucket = layout.loopOfLevel.front();
    if (!bucket || !layout.loopOfLevel.back() || bucket.getFibers().empty() ||
        !argumentOf(bucket.getFibers().front()))
      return refuseResult(layout, "buckets are the coordinates of an operand");
    return success();
  }

  Drafts draftsOf(const ResultLayout &) const override { return Drafts::none; }
  bool appendsToLevels() const override { return false; }
  bool hasBuckets() const override { return true; }

  void startEntries(PhaseFunctions &function) const override {
    Buckets buckets(function);
    buckets.countAll();
    buckets.startPlaces();
  }

  void finishEntries(PhaseFunctions &function) const override {
    Buckets(function).check();
  }

  std::unique_ptr<Entries> makeEntries(Part &part) const override {
    if (part.isCounting())
      return std::make_unique<CountedBuckets>(part);
    return std::make_unique<StoredInBuckets>(part);
  }
};

} // namespace

std::unique_ptr<Collector> nacho::makeBucketsCollector() {
  return std::make_unique<BucketsCollector>();
}
