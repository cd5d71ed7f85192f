//===- LoneParts.cpp - Parts that are cut, counted and computed alone -----===//
//
// Groups of parts run with copies of the windows that they read, and write what
// nothing else of the result is next to.
//
//===----------------------------------------------------------------------===//

#include "StepsByHand.h"

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Abi.h"

#include <algorithm>
#include <numeric>

using namespace nacho;
using namespace nacho::unit;

static std::string textOf(const Row &row) {
  std::string text;
  for (int64_t number : row)
    text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

static void expect(const Row &found, const Row &wanted, const char *what) {
  check(found == wanted, [&] {
    return std::string(what) + ": " + textOf(found) + ", not " + textOf(wanted);
  });
}

static constexpr int64_t kParts = 5, kExtent = 40;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static const TensorLayout::Level kEntries = {
    false,
    ElementType::i32,
    {},
    {{ElementType::i32, true, 1, 0, 1}, {ElementType::i32, false, 0, 1, 0}}};

static Step stepOf(const Executable &functions) {
  Step step;
  step.inputs = {{/*isStep=*/false, 0}};
  step.operands = {{{kEntries}, ElementType::f64}};
  step.result = step.operands.front();
  step.order = {"i"};
  step.loops = step.loopInputs = {{0}};
  step.boundColumns = kColumns;
  step.countColumns = 1;
  step.bind(functions, 0);
  return step;
}

namespace {
/// A vector with entries at all odd coordinates, some of which are negative.
struct Operand {
  Operand() {
    for (int32_t at = 1; at < kExtent; at += 2) {
      crd.push_back(at);
      values.push_back(at % 3 ? at : -at);
    }
    pos = {0, int32_t(crd.size())};
  }
  std::vector<Argument> args() {
    int64_t size = int64_t(crd.size());
    return {{pos.data(), 2},
            {crd.data(), size},
            {values.data(), size},
            {nullptr, kExtent}};
  }
  std::vector<int32_t> pos, crd;
  std::vector<double> values;
};

/// Copies of the windows that parts read, with positions of their own.
class Windows {
public:
  Windows(const Step &step, LonePart &part, Operand whole) {
    std::vector<ReadWindow> read =
        windowsRead(step, part, whole.args(), {true});
    auto copy = [&](auto &into, const auto &from, const ReadWindow &window) {
      into.assign(from.begin() + window.window.begin,
                  from.begin() + window.window.end);
    };
    copy(pos, whole.pos, read[0]);
    for (int32_t &position : pos)
      position -= int32_t(read[0].subtracted);
    copy(crd, whole.crd, read[1]);
    copy(values, whole.values, read[2]);
    args = {
        wholeOf(pos.data(), ElementType::i32, read[0].first, read[0].size),
        wholeOf(crd.data(), ElementType::i32, read[1].first, read[1].size),
        wholeOf(values.data(), ElementType::f64, read[2].first, read[2].size),
        {nullptr, kExtent}};
  }

  std::vector<Argument> args;
  std::vector<int32_t> pos, crd;
  std::vector<double> values;
};
} // namespace

/// All cuts of a step, one after the other.
static Row allCuts(const Step &step, Operand &whole) {
  Row cuts(kColumns, 0), end = limitOf(step, whole.args()), queries;
  for (int64_t part = 1; part < kParts; ++part)
    queries.push_back(end[0] * part / kParts);
  Row inner = cutsBetween(step, whole.args(), cuts, end, queries);
  cuts.insert(cuts.end(), inner.begin(), inner.end());
  cuts.insert(cuts.end(), end.begin(), end.end());
  return cuts;
}

/// The parts from `begin` to `end` - 1, of which `all` cuts are known.
static LonePart partsOf(const Row &all, int64_t begin, int64_t end) {
  LonePart part;
  part.number = begin;
  part.parts = kParts;
  part.bounds.assign(all.begin() + begin * kColumns,
                     all.begin() + (end + 1) * kColumns);
  return part;
}

static const std::vector<std::pair<int64_t, int64_t>> kGroups = {
    {0, 1}, {1, 3}, {3, kParts}};

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static void checkCuts() {
  Copies copies;
  Step step = stepOf(copies);
  Operand whole;
  expect(limitOf(step, whole.args()), {20, kExtent, 20}, "the limit");
  Row lower = {0, 9, 4}, upper = {0, 31, 15};
  expect(cutsBetween(step, whole.args(), lower, upper, {2, 6, 6, 11, 19}),
         {4, 9, 4, 6, 13, 6, 6, 13, 6, 11, 23, 11, 15, 31, 15}, "cuts");
  // Each begins at the one before it.
  expect(copies.searched, {4, 15, 4, 15, 6, 15, 6, 15, 11, 15}, "searches");

  copies.costOfEntry = kMostCost / 20;
  expect(Row{limitOf(step, whole.args())[0]}, {kMostCost / 20 * 20}, "a limit");
  copies.costOfEntry = kMostCost / 19;
  bool isRefused = false;
  try {
    limitOf(step, whole.args());
  } catch (const CostOverflow &) {
    isRefused = true;
  }
  check(isRefused, [] { return "costs that are too large are not refused"; });
}

/// The offsets of a plan by given counts, or cuts, are those that were given.
static void checkKnown() {
  Copies copies;
  Step step = stepOf(copies);
  Operand whole;
  LonePart part = partsOf(allCuts(step, whole), 1, 3);
  part.offsets = {3, 5, 8};
  part.sizes = {13, 1, kExtent};
  LonePart second = StepPlan(step, {part}).lonePart(2);
  Row cuts(part.bounds.begin() + kColumns, part.bounds.end());
  expect(second.bounds, cuts, "the cuts of a part");
  expect(second.offsets, {5, 8}, "its offsets");
  expect(second.sizes, part.sizes, "the sizes");
  expect({second.number, second.parts, second.count(step)}, {2, kParts, 1},
         "a part");
}

/// Counts groups of parts, and copies their entries, where nothing else is.
static void checkCopies(bool isUnequal, bool hasWorkspace) {
  Copies copies;
  Step step = stepOf(copies);
  copies.hasOrder = isUnequal;
  step.delta = isUnequal ? -1 : 0;
  copies.hasWorkspace = hasWorkspace;
  if (hasWorkspace)
    step.scattered = 0;
  Operand whole;
  Row cuts = allCuts(step, whole), counts;
  for (auto [begin, end] : kGroups) {
    LonePart part = partsOf(cuts, begin, end);
    Windows windows(step, part, whole);
    Row found;
    copies.ran.clear();
    StepPlan(step, {part}).countParts(part, windows.args, found);
    counts.insert(counts.end(), found.begin(), found.end());
    Row numbers(end - begin);
    std::iota(numbers.begin(), numbers.end(), begin);
    expect(copies.ran, numbers, "the parts that are counted");
  }
  expect(counts, {3, 2, 3, 3, 2}, "counts");

  LonePart none;
  none.parts = kParts;
  StepPlan scanned(step, {none});
  Row offsets = scanned.scanCounts(whole.args(), counts);
  expect(offsets, {0, 3, 5, 8, 11, 13}, "offsets");

  Row crd, wanted;
  for (auto [begin, end] : kGroups) {
    LonePart part = partsOf(cuts, begin, end);
    Windows windows(step, part, whole);
    part.offsets.assign(offsets.begin() + begin, offsets.begin() + end + 1);
    part.sizes = scanned.sizes;
    auto written = windowsWritten(step, part, {0});
    int64_t size = (*written)[1].end - (*written)[1].begin;
    std::vector<int32_t> pos(2), found(size);
    std::vector<double> values(size);
    std::vector<WindowArgument> results = {
        {pos.data(), ElementType::i32, (*written)[0], 2},
        {found.data(), ElementType::i32, (*written)[1], 13},
        {values.data(), ElementType::f64, (*written)[2], 13}};
    StepPlan(step, {part}).computeParts(part, windows.args, results, {});
    crd.insert(crd.end(), found.begin(), found.end());
    check(std::equal(found.begin(), found.end(), values.begin()),
          [] { return "values are not those of their coordinates"; });

    // The parts that are not given complete nothing.
    Row last(part.bounds.end() - kColumns, part.bounds.end());
    for (int64_t row = 0; row <= kParts; ++row) {
      auto at = copies.lastCuts.begin() + row * kColumns;
      if (row < begin)
        check(at[1] > kExtent && at[2] == 0,
              [] { return "an earlier part begins at a coordinate"; });
      if (row > end)
        expect(Row(at, at + kColumns), last, "the cut of a later part");
    }
  }
  for (int32_t at : whole.crd)
    if (at % 3)
      wanted.push_back(at);
  expect(crd, wanted, "the entries of all parts");
  expect(copies.order, isUnequal ? Row{0, 1, 2, 3, 4} : Row(), "their order");
  expect(copies.placesOfWorkspaces,
         hasWorkspace ? Row{0, 0, 0, 0, 0, 1, 1, 1, 1, 1} : Row(),
         "the calls with workspaces");
}

static void checkStatus() {
  Copies copies;
  Step step = stepOf(copies);
  Operand whole;
  LonePart part = partsOf(allCuts(step, whole), 1, 3);
  auto count = [&](int32_t status) {
    Row counts;
    copies.status = status;
    copies.ran.clear();
    return StepPlan(step, {part}).countParts(part, whole.args(), counts);
  };
  count(kWorkspaceFull);
  expect(copies.ran, {1, 2, 1, 2}, "the parts with a larger workspace");
  check(bool(count(kRowTooWide)), [] { return "a wide row is not refused"; });
  bool isRefused = false;
  try {
    count(kCoordinateOutOfRange);
  } catch (const CoordinateOutOfRange &) {
    isRefused = true;
  }
  check(isRefused, [] { return "a coordinate out of range is not refused"; });
}

/// Adds up groups of parts, whose rows of sums are combined at last.
static void checkSums(int64_t rows) {
  Sums functions(rows);
  Step step = stepOf(functions);
  step.result = {{}, ElementType::f64};
  step.countColumns = 0;
  step.partials = {ElementType::f64};
  step.partialRows = rows;
  Operand whole;
  Row cuts = allCuts(step, whole), visited;
  std::vector<double> partials;
  LonePart all = partsOf(cuts, 0, kParts);
  all.sizes = {1};
  for (auto [begin, end] : kGroups) {
    LonePart part = partsOf(cuts, begin, end);
    part.sizes = {1};
    Windows windows(step, part, whole);
    std::vector<double> sums(rows * (end - begin));
    Row seen(sums.size(), 7);
    double result = 7;
    StepPlan(step, {part})
        .computeParts(part, windows.args,
                      {{&result, ElementType::f64, {0, 1}, 1}},
                      {{sums.data()}, seen.data(), /*rowSize=*/1});
    partials.insert(partials.end(), sums.begin(), sums.end());
    visited.insert(visited.end(), seen.begin(), seen.end());
  }
  expect(functions.ran, {0, 1, 2, 3, 4}, "the parts that add up entries");
  expect(functions.cleared, {1, 2, 2}, "the parts whose rows are cleared");
  double sum = 0;
  StepPlan(step, {all})
      .combine(whole.args(), {{&sum, 1}},
               {{partials.data()}, visited.data(), 1});
  double wanted =
      std::accumulate(whole.values.begin(), whole.values.end(), 0.0);
  expect({int64_t(sum)}, {int64_t(wanted)}, "the sum of all parts");
}

NACHO_SUITE("lone-parts") {
  checkCuts();
  checkKnown();
  for (bool isUnequal : {false, true})
    for (bool hasWorkspace : {false, true})
      checkCopies(isUnequal, hasWorkspace);
  checkStatus();
  for (int64_t rows : {1, 2})
    checkSums(rows);
}
