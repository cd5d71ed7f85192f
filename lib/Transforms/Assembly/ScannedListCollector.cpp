//===- ScannedListCollector.cpp - Entries that are costs, added up --------===//
//
// The value of each entry becomes the sum of all values up to it. If entries
// are counted first, this is done once all parts have appended. If they are
// drafted, each part adds up its own values while it appends them; when its
// entries are moved to the result, the sum of all parts before it is added.
//
// A list of pieces is sorted before its values are added up: the loops come to
// the pieces of one entry of a row after the other, but the entries of each
// piece have to lie side by side, in the order of the row.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Entries.h"
#include "PhaseFunctions.h"
#include "nacho/IR/Arith.h"

using namespace mlir;
using namespace nacho;

namespace {

class ScannedListCollector : public Collector {
public:
  /// The levels after those of the loops may store any numbers.
  bool takes(const ResultLayout &, Value, unsigned) const override {
    return true;
  }

  LogicalResult classifyLoops(ResultLayout &layout) const override {
    layout.numOuter = layout.loops.size();
    return success();
  }

  void finishEntries(PhaseFunctions &function) const override {
    PrefixSumOp::create(function.b, function.args.values,
                        function.args.threads);
  }

  std::unique_ptr<Entries> makeEntries(Part &part) const override {
    if (part.isCounting())
      return std::make_unique<CountedEntries>(part);
    return std::make_unique<AppendedEntries>(part);
  }
};

class PieceListCollector : public ScannedListCollector {
public:
  /// The cost of the list that the loops visit says little about how many
  /// pieces there are: a draft would have room for many more.
  Drafts draftsOf(const ResultLayout &) const override { return Drafts::none; }

  void finishEntries(PhaseFunctions &function) const override {
    emitSort(function, numLevelsToSort(function.layout));
    ScannedListCollector::finishEntries(function);
  }
};

/// Carries the sum of the values that the part has appended.
class SummedEntries : public AppendedEntries {
public:
  using AppendedEntries::AppendedEntries;

  void start(Carried &carried) override {
    carried.sums = {Number(b, 0, b.getI64Type())};
  }

  void addColumns(const Carried &values, Values &row) const override {
    row.push_back(Number(b, values.sums.front()).asSigned(b.getIndexType()));
  }

protected:
  Value valueOf(AppendOp op, Condition condition, Carried &values) override {
    Value value = AppendedEntries::valueOf(op, condition, values);
    Value before = values.sums.front();
    Value sum = Number(b, before) + value;
    values.sums.front() = emitSelect(b, condition, sum, before);
    return sum;
  }
};

/// The counts have a column for the sum of all values of a part.
class RunningSumsCollector : public ScannedListCollector {
public:
  SmallVector<StringRef> columnNames() const override { return {"cost"}; }

  std::optional<Value> sumBefore(PhaseFunctions &function,
                                 Value part) const override {
    ImplicitLocOpBuilder &b = function.b;
    Value sum = function.loadRow(function.args.moved, part).front();
    return Number(b, sum).asSigned(b.getI64Type());
  }

  void finishEntries(PhaseFunctions &) const override {}

  std::unique_ptr<Entries> makeEntries(Part &part) const override {
    return std::make_unique<SummedEntries>(part);
  }
};

} // namespace

std::unique_ptr<Collector> nacho::makeScannedListCollector() {
  return std::make_unique<ScannedListCollector>();
}

std::unique_ptr<Collector> nacho::makeRunningSumsCollector() {
  return std::make_unique<RunningSumsCollector>();
}

std::unique_ptr<Collector> nacho::makePieceListCollector() {
  return std::make_unique<PieceListCollector>();
}
