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
//     next[p, j] = pos[j] + sum over all parts before p of count[., j]
//   compute, for each part p:
//     for i, j of A in p: at = next[p, j]++; crd[at] = i; values[at] = A[i, j]
//
// The counts stay as they are, so that a plan can be executed again. An entry
// is read twice and moved once, whatever its bucket. The step has as few parts
// as its buckets are many (StepPlan.cpp), so that clearing and adding up the
// counts takes no longer than that.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Entries.h"
#include "PhaseFunctions.h"
#include "nacho/IR/Fibers.h"
#include "nacho/IR/Names.h"
#include "nacho/Levels/Buffers.h"
#include "nacho/Runtime/Abi.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nacho;

static Value numBuckets(ImplicitLocOpBuilder &b, const PhaseArguments &args) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  return memref::DimOp::create(b, args.buckets, one);
}

/// An element of `buckets`.
static Value load(ImplicitLocOpBuilder &b, Value buckets, Value row, Value at) {
  return memref::LoadOp::create(b, buckets, ValueRange{row, at});
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
    part.countEntries(part.constant(1), condition, values);
    emitIf(b, condition, [&] { addToBucket(op, part.coordinates[0]); });
  }

  /// Emits the first code of a part; sets `row`.
  virtual void startRow() = 0;
  /// Emits what else is to be done with an append; `before` is the element
  /// before it was counted.
  virtual void addTo(AppendOp op, Value before) {}

  /// if condition: body() else: set the status
  void emitChecked(Value condition, Status status,
                   llvm::function_ref<void()> body) {
    auto ifOp = scf::IfOp::create(b, condition, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(ifOp.thenBlock());
    body();
    b.setInsertionPointToStart(ifOp.elseBlock());
    part.setStatus(arith::ConstantIntOp::create(b, status, 32));
  }

  Value row;    ///< The row of `buckets` with the elements.
  Value extent; ///< The number of buckets.

private:
  void addToBucket(AppendOp op, Value bucket) {
    Value inside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, bucket, extent);
    emitChecked(inside, kCoordinateOutOfRange, [&] {
      Value before = load(b, part.args.buckets, row, bucket);
      Value after = arith::AddIOp::create(b, before, part.constant(1));
      store(b, after, part.args.buckets, row, bucket);
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
    Value none = part.constant(0);
    emitFor(b, none, extent, [&](Value bucket) {
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
    size = memref::DimOp::create(b, part.args.values, part.constant(0));
    NameScope name(b, "next");
    row = arith::AddIOp::create(b, part.parts, part.number);
  }

  /// A place is beyond the end only if the operands have changed since they
  /// were counted.
  void addTo(AppendOp op, Value at) override {
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, size);
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
        parts(function.numParts()), zero(constant(0)), one(constant(1)) {}

  /// pos[j + 1] = the number of entries in bucket j
  void countAll() {
    function.emitOneWorker([&] { storeIndex(b, zero, positions, zero); });
    inParallel([&](Value bucket) {
      Value count = sumOverParts(bucket, zero, [](Value, Value) {});
      storeIndex(b, count, positions, after(bucket));
    });
    PrefixSumOp::create(b, positions, args.threads);
  }

  /// next[p, j] = pos[j] + what the parts before p append to bucket j
  void startPlaces() {
    Value size = memref::DimOp::create(b, args.values, zero);
    inParallel([&](Value bucket) {
      Value first = loadIndex(b, positions, bucket);
      first = arith::MinUIOp::create(b, first, size);
      sumOverParts(bucket, first, [&](Value part, Value place) {
        store(b, place, buckets, nextRow(part), bucket);
      });
    });
  }

  /// Sets the status if a part has not appended to a bucket what it counted.
  void check() {
    inParallel([&](Value bucket) {
      Value first = loadIndex(b, positions, bucket);
      sumOverParts(bucket, first, [&](Value part, Value place) {
        Value count = load(b, buckets, part, bucket);
        Value end = arith::AddIOp::create(b, place, count);
        Value reached = load(b, buckets, nextRow(part), bucket);
        Value differs =
            arith::CmpIOp::create(b, arith::CmpIPredicate::ne, end, reached);
        emitIf(b, differs, [&] {
          Value bit = arith::ConstantIntOp::create(b, kOperandsChanged, 32);
          memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::ori, bit,
                                      args.status, ValueRange());
        });
      });
    });
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value after(Value number) { return arith::AddIOp::create(b, number, one); }
  Value nextRow(Value part) { return arith::AddIOp::create(b, parts, part); }

  /// parallel: for each bucket: body(bucket)
  void inParallel(llvm::function_ref<void(Value)> body) {
    auto workers = ParallelOp::create(b, args.threads, args.threads);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(workers.getBodyBlock());
    Interval some =
        evenInterval(b, workers.getWorker(), args.threads, numBuckets(b, args));
    emitFor(b, some.from, some.to, [&](Value bucket) {
      setName(bucket, "bucket");
      body(bucket);
    });
  }

  /// sum = first; for each part: visit(part, sum), sum += count[part, bucket]
  Value sumOverParts(Value bucket, Value first,
                     llvm::function_ref<void(Value, Value)> visit) {
    auto loop = scf::ForOp::create(b, zero, parts, one, first);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value part = loop.getInductionVar(), sum = loop.getRegionIterArg(0);
    setName(part, "part");
    visit(part, sum);
    Value count = load(b, buckets, part, bucket);
    scf::YieldOp::create(b, Value(arith::AddIOp::create(b, sum, count)));
    return loop.getResult(0);
  }

  ImplicitLocOpBuilder &b;
  PhaseFunctions &function;
  const PhaseArguments &args;
  Value buckets, positions, parts, zero, one;
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

  bool prefersDraft(const ResultLayout &) const override { return false; }
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
