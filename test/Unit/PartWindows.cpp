//===- PartWindows.cpp - What parts read of operands and write of results -===//
//
// The steps are described by hand, as the compiler describes them, for each way
// of collecting entries. Their functions are not called.
//
//===----------------------------------------------------------------------===//

#include "Unit.h"

#include "nacho/Execution/LonePart.h"

#include <memory>

using namespace nacho;
using namespace nacho::unit;

using Row = std::vector<int64_t>;

static void expect(const std::string &found, const std::string &wanted,
                   const char *what) {
  check(found == wanted, [&] {
    return std::string(what) + ": '" + found + "', not '" + wanted + "'";
  });
}

static std::string textOf(const Row &row) {
  std::string text;
  for (int64_t number : row)
    text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

static std::string textOf(Window window) {
  return std::to_string(window.begin) + ":" + std::to_string(window.end);
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

static const TensorLayout::Array kPos = {ElementType::i32, true, 1, 0, 1};
static const TensorLayout::Array kCrd = {ElementType::i32, false, 0, 1, 0};
static const TensorLayout::Array kAllCrd = {ElementType::i32, false, 0, 2, 0};

static TensorLayout::Level levelOf(bool isFull,
                                   std::vector<TensorLayout::Array> arrays) {
  // The coordinates of an outermost level are in the array behind `pos`.
  return {isFull, ElementType::i32, {1, 0, 1}, std::move(arrays)};
}

static const TensorLayout::Level kDense = levelOf(true, {});
static const TensorLayout::Level kCompressed = levelOf(false, {kPos, kCrd});
static const TensorLayout::Level kSingleton = levelOf(false, {kCrd});

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The matrix of all operands: its rows have the columns 1 and 3, none, 0, 2
/// and 4, and 3.
static constexpr int64_t kRows = 4, kColumns = 5;
static const std::vector<int32_t> kColumnsOfEntries = {1, 3, 0, 2, 4, 3};
static const std::vector<int32_t> kRowsOfEntries = {0, 0, 2, 2, 2, 3};

namespace {
/// A step, its arguments, and some of its parts.
struct Call {
  Step step;
  std::vector<Argument> args;
  std::vector<bool> areWindows;
  LonePart part;
  std::vector<std::shared_ptr<std::vector<int32_t>>> held;

  void add(const std::vector<TensorLayout::Level> &levels,
           const std::vector<std::vector<int32_t>> &arrays, int64_t values,
           const Row &extents, StepInput input = {false, 0}) {
    step.operands.push_back({levels, ElementType::f64});
    step.inputs.push_back(input);
    areWindows.push_back(true);
    for (const std::vector<int32_t> &array : arrays) {
      held.push_back(std::make_shared<std::vector<int32_t>>(array));
      args.push_back({held.back()->data(), int64_t(array.size())});
    }
    args.push_back({&args, values});
    for (int64_t extent : extents)
      args.push_back({nullptr, extent});
  }

  /// Sets the loops, by the inputs with positions in cuts, and two cuts.
  void cut(const std::vector<Row> &loopInputs, const Row &lower,
           const Row &upper) {
    step.loopInputs = loopInputs;
    step.order.assign(loopInputs.size(), "loop");
    step.boundColumns = int64_t(lower.size());
    part.bounds = lower;
    part.bounds.insert(part.bounds.end(), upper.begin(), upper.end());
  }

  /// What is read of each array: `begin:end`, its first index for the step if
  /// that is not 0, and what is subtracted. Then the positions in the cuts.
  void expectRead(const std::string &wanted, const Row &positions,
                  const char *what) {
    std::string found;
    size_t next = 0;
    std::vector<ReadWindow> read = windowsRead(step, part, args, areWindows);
    for (const TensorLayout &layout : step.operands) {
      for (size_t n = 0; n <= layout.numArrays(); ++n) {
        const ReadWindow &each = read[next++];
        found += (found.empty() ? "" : " ") + textOf(each.window);
        if (each.first)
          found += "@" + std::to_string(each.first);
        if (each.subtracted)
          found += "-" + std::to_string(each.subtracted);
        int64_t length = each.window.end - each.window.begin;
        check(each.size == each.first + length,
              [&] { return std::string(what) + ": a wrong size"; });
      }
      next += layout.levels.size();
    }
    expect(found, wanted, what);
    Row left;
    size_t begin = 1 + step.order.size();
    for (size_t at = 0; at < part.bounds.size(); ++at)
      if (at % step.boundColumns >= begin)
        left.push_back(part.bounds[at]);
    expect(textOf(left), textOf(positions), what);
  }
};
} // namespace

static const std::vector<std::vector<int32_t>> kCsr = {{0, 2, 2, 5, 6},
                                                       kColumnsOfEntries};
static const std::vector<std::vector<int32_t>> kDcsr = {
    {0, 3}, {0, 2, 3}, {0, 2, 5, 6}, kColumnsOfEntries};
static const std::vector<std::vector<int32_t>> kCoo = {
    {0, 6}, kRowsOfEntries, kColumnsOfEntries};

/// Operands whose levels the loops visit, the outermost first.
static void checkOperandsInOrder() {
  Call csr;
  csr.add({kDense, kCompressed}, kCsr, 6, {kRows, kColumns});
  csr.add({kDense}, {}, kColumns, {kColumns});
  csr.cut({{0}, {0}}, {1, 0, 3, 0, 1}, {3, 2, 2, 2, 3});
  Call whole = csr;
  csr.expectRead("0:4-1 1:4 1:4 0:5", {0, 0, 2, 2}, "CSR, and a vector");
  whole.areWindows[0] = false;
  whole.expectRead("0:5 0:6 0:6 0:5", {0, 1, 2, 3}, "no windows");

  Call dcsr;
  dcsr.add({kCompressed, kCompressed}, kDcsr, 6, {kRows, kColumns});
  dcsr.cut({{0}, {0}}, {2, 2, 0, 1, 2}, {4, 2, 4, 1, 4});
  dcsr.expectRead("0:2-1 1:2 1:3-2 2:5 2:5", {0, 0, 0, 2}, "DCSR");

  Call rows;
  rows.add({kCompressed, kCompressed}, kDcsr, 6, {kRows, kColumns});
  rows.cut({{0}}, {0, 1, 1}, {3, 3, 2});
  Call found = rows;
  rows.expectRead("0:2-1 1:3 1:4-2 2:6 2:6", {0, 1}, "all of some rows");
  found.step.tables = {{0, 1}};
  found.expectRead("0:2-1 1:3 1:4-2 2:6 2:6", {0, 1}, "rows in a table");
  found.cut({{0}}, {0, 1, 1}, {3, 3, 2});
  found.step.tables = {{0, 0}};
  found.expectRead("0:2 0:3 0:4 0:6 0:6", {1, 2}, "a table of the rows");

  Call coo;
  coo.add({kCompressed, kSingleton}, kCoo, 6, {kRows, kColumns});
  coo.cut({{0}, {0}}, {3, 2, 2, 2, 3}, {5, 3, 3, 5, 5});
  coo.expectRead("0:2-2 2:6 2:6 2:6", {0, 1, 3, 3}, "COO, from a run on");

  Call joined;
  std::vector<int32_t> pairs(12);
  joined.add({levelOf(false, {kPos, kAllCrd}), levelOf(false, {})},
             {{0, 6}, pairs}, 6, {kRows, kColumns});
  joined.cut({{0}, {0}}, {3, 2, 2, 2, 3}, {5, 3, 3, 5, 5});
  joined.expectRead("0:2-2 4:12 2:6", {0, 1, 3, 3}, "COO in one array");
}

/// Operands that are read in other orders, or by several accesses.
static void checkOperandsInOtherOrders() {
  Call twice;
  twice.add({kDense, kCompressed}, kCsr, 6, {kRows, kColumns});
  twice.cut({{0, 0}}, {1, 1, 1, 1}, {3, 3, 3, 3});
  twice.expectRead("0:5 0:6 0:6", {1, 1, 3, 3}, "two accesses");

  Call inner;
  inner.add({kCompressed, kCompressed}, kDcsr, 6, {kRows, kColumns});
  inner.cut({{}, {0}}, {1, 1, 2, 1}, {3, 3, 3, 2});
  inner.expectRead("0:2 0:3 0:4 0:6 0:6", {1, 2}, "an inner loop");

  // The loop between the others has no position in the operand.
  Call apart;
  apart.add({kCompressed, kCompressed}, kDcsr, 6, {kRows, kColumns});
  apart.cut({{0}, {}, {0}}, {1, 2, 0, 2, 1, 3}, {2, 2, 0, 4, 1, 4});
  apart.expectRead("0:2-1 1:2 1:3-2 2:5 2:5", {0, 1, 0, 2}, "loops apart");

  // Of the row in which the upper cut lies, all entries are read.
  Call runs;
  runs.add({kCompressed, kSingleton}, kCoo, 6, {kRows, kColumns});
  runs.cut({{0}, {}, {0}}, {1, 0, 1, 1, 0, 0}, {3, 2, 0, 2, 2, 3});
  runs.expectRead("0:2 0:5 0:5 0:5", {0, 0, 2, 3}, "runs apart");

  Call located;
  located.add({kCompressed, kDense, kCompressed},
              {{0, 1}, {2}, {0, 2, 2, 5}, {1, 3, 0, 2, 4}}, 5, {4, 3, 5});
  located.cut({{0}, {}, {0}}, {1, 2, 0, 2, 0, 3}, {2, 2, 0, 4, 0, 4});
  located.expectRead("0:2 0:1 0:4 0:5 0:5", {0, 3, 0, 4}, "a level located");
}

/// Operands of which a list has the positions of rows: those of its entries are
/// 0, 1 and 2, if all are there.
static Call callWithList(const std::vector<int32_t> &kept) {
  Call call;
  call.add({kCompressed, kCompressed}, kDcsr, 6, {kRows, kColumns});
  call.add({kCompressed, kSingleton}, {{0, 3}, {0, 2, 3}, kept}, 3,
           {kRows, int64_t(1) << 62}, {true, 0, /*isList=*/true});
  call.step.recalled = {{/*list=*/1, /*level=*/1, {0, 0}}};
  call.cut({{1}, {0}}, {2, 2, 0, 1, 2}, {4, 2, 4, 1, 4});
  return call;
}

static void checkListedOperands() {
  // The entry before the first has the sum of the costs so far.
  const std::string list = " 0:2 0:2 0:2-1 0:2";
  callWithList({0, 1, 2}).expectRead("0:2-1 1:2 1:3-2 2:5 2:5" + list,
                                     {1, 0, 1, 2}, "a listed row");
  callWithList({0, -1, 2})
      .expectRead("0:2 0:0 0:1 0:0 0:0 0:2 0:2 0:2 0:2", {1, 2, 1, 4},
                  "no row is there");
  callWithList({0, 3, 2}).expectRead(
      "0:2-3 3:3 3:4-6 6:6 6:6 0:2 0:2 0:2-3 0:2", {1, -4, 1, -2},
      "the end of a fiber");

  Call whole = callWithList({0, 1, 2});
  whole.areWindows[1] = false;
  whole.expectRead("0:2 0:3 0:4 0:6 0:6 0:2 0:3 0:3 0:3", {1, 2, 1, 4},
                   "a whole list");
  Call table = callWithList({0, 1, 2});
  table.step.tables = {{0, 1}};
  table.expectRead("0:2 0:3 0:4 0:6 0:6 0:2 0:2 0:2 0:2", {1, 2, 1, 4},
                   "a table of a level with loops");
  Call other = callWithList({0, 1, 2});
  other.step.recalled.push_back({1, 1, {0, 1}});
  other.expectRead("0:2 0:3 0:4 0:6 0:6 0:2 0:2 0:2 0:2", {1, 2, 1, 4},
                   "two levels are kept");
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The windows that a part writes; `sizes` are those of the result, and the
/// cuts have coordinates only. Parts have numbers from 0 on.
static std::string written(const Step &given, const Row &loops, const Row &cuts,
                           const Row &counts, const Row &sizes,
                           int64_t number = 1) {
  Step step = given;
  LonePart part;
  part.number = number;
  part.parts = number + 2;
  step.countColumns = int64_t(counts.size()) / 2;
  step.boundColumns = int64_t(cuts.size()) / 2;
  step.order.assign(step.boundColumns - 1, "loop");
  part.bounds = cuts;
  part.offsets = counts;
  part.sizes = sizes;
  auto windows = windowsWritten(step, part, loops);
  std::string text = windows ? "" : "none";
  for (Window window : windows.value_or(std::vector<Window>()))
    text += (text.empty() ? "" : " ") + textOf(window);
  return text;
}

static Step stepTo(const std::vector<TensorLayout::Level> &levels) {
  Step step;
  step.result = {levels, ElementType::f64};
  return step;
}

/// Entries that are appended in order, and whole rows, light or not.
static void checkAppended() {
  const Row inner = {8, 2, 1, 13, 3, 4}, rows = {8, 2, 13, 3};
  Step csr = stepTo({kDense, kCompressed});
  const Row sizes = {4, 10, 1, 4, 5};
  expect(written(csr, {0, 1}, inner, {4, 7}, sizes), "3:4 4:7 4:7", "CSR");
  expect(written(csr, {0, 1}, {0, 0, 0, 8, 2, 1}, {0, 4}, sizes, 0),
         "0:3 0:4 0:4", "the first part of CSR");
  for (Rows whole : {Rows::whole, Rows::heavyApart}) {
    csr.rows = whole;
    csr.scattered = 1;
    expect(written(csr, {0, -1}, rows, {4, 7}, sizes), "3:4 4:7 4:7",
           "whole rows");
  }

  // A row that is not at an end is open or has been left: spans, head, mid,
  // tail; then the entries.
  Step dcsr = stepTo({kCompressed, kCompressed});
  expect(written(dcsr, {0, 1}, inner, {1, 0, 2, 1, 4, 1, 1, 2, 0, 7},
                 {4, 10, 1, 4, 5}),
         "0:0 2:3 3:4 4:7 4:7", "DCSR");
  expect(written(dcsr, {0, 1}, {0, 0, 0, 8, 2, 1},
                 {0, 0, 0, 0, 0, 1, 0, 2, 1, 4}, {4, 10, 1, 4, 5}, 0),
         "0:2 0:2 0:3 0:4 0:4", "the first part of DCSR");
  Step sums = stepTo({kDense, kCompressed});
  expect(written(sums, {0, 1}, inner, {1, 0, 4, 1, 1, 1, 6, 0}, sizes),
         "3:4 4:7 4:7", "sums of a sorted list");
}

/// Lists of entries, of costs, and of the pieces of heavy rows.
static void checkLists() {
  const Row cuts = {8, 2, 1, 13, 3, 4};
  Step coo = stepTo({kCompressed, kSingleton});
  expect(written(coo, {0, 1}, cuts, {4, 7}, {10, 10, 1, 4, 5}),
         "0:0 4:7 4:7 4:7", "COO");
  Step joined = stepTo({levelOf(false, {kPos, kAllCrd}), levelOf(false, {})});
  expect(written(joined, {0, 1}, cuts, {4, 7}, {10, 10, 1, 4, 5}),
         "0:0 8:14 4:7", "COO in one array");
  for (Step::List kind : {Step::List::inOrder, Step::List::ofPieces}) {
    Step list = stepTo({kCompressed, kSingleton, kSingleton});
    list.result.values = ElementType::i64;
    list.list = kind;
    expect(written(list, {0, 1, -1}, cuts, {4, 7}, {9, 9, 9, 1, 4, 5, 99}),
           "0:0 4:7 4:7 4:7 4:7", "a list that keeps positions");
  }
}

/// Values at coordinates, whose sums several parts may have.
static void checkDense() {
  const Row cuts = {8, 2, 1, 13, 3, 4};
  Step vector = stepTo({kDense});
  expect(written(vector, {0}, cuts, {}, {4, 1, 4}), "2:3", "sums of rows");
  vector.partials = {ElementType::f64};
  expect(written(vector, {0}, cuts, {}, {4, 2, 4}), "2:3", "rows in parts");
  vector.partialRows = 1;
  expect(written(vector, {1}, cuts, {}, {4, 5, 4}), "0:0", "part sums");
  Step number = stepTo({});
  number.partials = {ElementType::f64};
  number.partialRows = 1;
  expect(written(number, {}, cuts, {}, {1}), "0:0", "a number");

  Step matrix = stepTo({kDense, kDense});
  expect(written(matrix, {0, 1}, cuts, {}, {4, 5, 1, 4, 5}), "11:19", "matrix");
  expect(written(matrix, {0, -1}, cuts, {}, {4, 5, 5, 4, 5}), "10:15", "rows");
  expect(written(matrix, {1, 0}, cuts, {}, {5, 4, 1, 5, 4}), "none",
         "a matrix in the other order");
  Step blocks = stepTo({kCompressed, kDense});
  expect(written(blocks, {0, -1}, {8, 2, 13, 3}, {2, 3}, {4, 5, 1, 4, 5}),
         "0:0 2:3 10:15", "blocks");
  expect(written(blocks, {0, 1}, cuts, {2, 3}, {4, 5, 1, 4, 5}), "none",
         "blocks that parts divide");
}

/// An array is found by the place of any of its elements.
static void checkWhole() {
  double elements[3] = {};
  for (int64_t begin : {0, 7, -2}) {
    Argument whole = wholeOf(elements, ElementType::f64, begin, begin + 3);
    auto first = reinterpret_cast<uintptr_t>(whole.data) + 8 * begin;
    check(first == reinterpret_cast<uintptr_t>(elements) &&
              whole.size == begin + 3,
          [&] { return "the whole from " + std::to_string(begin) + " on"; });
  }
}

NACHO_SUITE("part-windows") {
  checkOperandsInOrder();
  checkOperandsInOtherOrders();
  checkListedOperands();
  checkAppended();
  checkLists();
  checkDense();
  checkWhole();
}
