//===- Chooser.cpp - The table of what is chosen --------------------------===//
//
// Every row of a table is a call, with what is known of its operands, and what
// the chooser must choose. The rows lie on both sides of each threshold.
//
//===----------------------------------------------------------------------===//

#include "Unit.h"

#include "nacho/Execution/Chooser.h"
#include "nacho/Runtime/Abi.h"

#include <unordered_set>
#include <vector>

using namespace nacho;
using namespace nacho::unit;

static std::string show(const Choice &choice) {
  std::string text;
  for (const auto &[name, isOn] : choice.variant.choices())
    text += isOn ? name + " " : "";
  return text + Chooser({}, KernelFacts()).describeWorkers(choice);
}

//===----------------------------------------------------------------------===//
// Threads and parts
//===----------------------------------------------------------------------===//

static void checkWorkers() {
  struct Row {
    int64_t threads, parts, work; // Asked for.
    int64_t expectedThreads, expectedParts, expectedWorkers;
    bool isList = false;
  };
  const Row table[] = {
      // The threads do not change the parts.
      {0, 0, 0, 1, 1, 1},
      {3, 0, 0, 1, 1, 1},
      {0, 0, (1 << 13) - 1, 1, 1, 1},
      {0, 0, 1 << 13, 1, 8, 1},
      {0, 0, (3 << 12) - 1, 1, 8, 1},
      {0, 0, 3 << 12, 8, 8, 8},
      {3, 0, (3 << 12) - 1, 3, 8, 3},
      {0, 0, (3 << 12) - 1, 1, 2, 1, true},
      {0, 0, 3 << 12, 2, 2, 2, true},
      {0, 0, (1 << 22) - 1, 8, 8, 8},
      {0, 0, 1 << 22, 8, 16, 8},
      {1, 0, 1 << 22, 1, 16, 1},
      {99, 0, 1 << 22, 16, 16, 16},
      // Lists have fewer parts if they are short.
      {0, 0, (1 << 13) - 1, 1, 1, 1, true},
      {0, 0, 1 << 13, 1, 2, 1, true},
      {0, 0, (1 << 17) - 1, 2, 2, 2, true},
      {0, 0, 1 << 17, 4, 4, 4, true},
      {3, 0, 1 << 17, 3, 4, 3, true},
      {0, 0, 1 << 18, 8, 8, 8, true},
      {0, 0, 1 << 22, 8, 16, 8, true},
      {0, 0, int64_t(1) << 28, 8, 32, 8},
      // Parts are not so large that a signal would have to wait long.
      {0, 0, int64_t(1) << 29, 8, 64, 8},
      {0, 0, int64_t(1) << 40, 8, 1024, 8},
      {0, 5, 1 << 20, 5, 5, 5},
      {0, 100, 1 << 20, 8, 100, 100},
      {2, 7, 0, 2, 7, 7},
      {9, 4, 0, 4, 4, 4},
  };
  for (const Row &row : table) {
    KernelFacts kernel;
    kernel.canMergeKeys = row.isList;
    Chooser chooser({}, kernel);
    Asked asked = {Purpose::call, row.threads, row.parts, row.work};
    Choice choice = chooser.choose(asked, {}, /*available=*/8);
    check(choice.threads == row.expectedThreads &&
              choice.parts == row.expectedParts &&
              choice.workers() == row.expectedWorkers,
          [&] { return show(choice); });
  }
}

static void checkFixedParts() {
  constexpr int64_t least = 1 << 16;
  struct Row {
    int64_t cost, rowSize, expected;
  };
  const Row table[] = {
      {0, 1, 1},
      {1000, 0, 1},
      // Each part costs something.
      {2 * least - 1, 1, 1},
      {2 * least, 1, 2},
      {8 * least, 1, 8},
      {15 * least, 1, 8},
      {64 * least, 1, 64},
      {1000 * least, 1, 64},
      // All rows together have no more sums than a third of the cost.
      {24 * least, least, 8},
      {24 * least, least + 1, 4},
      {16 * least, 8 * least, 1},
      {1000, 10'000'000, 1},
  };
  for (const Row &row : table)
    check(Chooser::fixedParts(row.cost, row.rowSize) == row.expected,
          [&] { return std::to_string(row.cost); });
}

/// Products are sorted where one part would scatter them, and threads are many.
static void checkSorting() {
  constexpr int64_t large = 1 << 18;
  struct Row {
    int64_t cost, rowSize, threads;
    bool isExpected;
  };
  const Row table[] = {
      {large, large, 16, true},
      {large, 100 * large, 1000, true},
      // Sorting takes longer than scattering.
      {large, large, 1, false},
      {large, large, 6, false},
      {large, large, 7, true},
      // Little work.
      {large - 1, large, 16, false},
      {1000, 10'000'000, 16, false},
      // Rows of sums for several parts.
      {large, large / 6, 1000, false},
      {large, large / 6 + 1, 1000, true},
      {64 * large, large, 1000, false},
  };
  for (const Row &row : table)
    check(Chooser::wantsSorting(row.cost, row.rowSize, row.threads) ==
              row.isExpected,
          [&] {
            return std::to_string(row.cost) + " in rows of " +
                   std::to_string(row.rowSize) + " by " +
                   std::to_string(row.threads);
          });
}

/// A device with a thread for each part has as many parts as there are shares
/// of its entries, does not make drafts, and sorts what some parts would add to
/// rows of sums.
static void checkDevice() {
  KernelFacts kernel;
  kernel.entriesPerPart = 16;
  struct Row {
    int64_t parts, work, expected;
  };
  const Row table[] = {{0, 0, 1},       {0, 15, 1},
                       {0, 32, 2},      {0, 1 << 20, 1 << 16},
                       {7, 1 << 20, 7}, {0, int64_t(1) << 40, 1 << 30}};
  for (const Row &row : table) {
    Asked asked = {Purpose::call, 0, row.parts, row.work};
    Choice choice = Chooser({}, kernel).choose(asked, Facts(), 32);
    check(choice.parts == row.expected && choice.threads == row.expected &&
              choice.variant.fill == Fill::counted,
          [&] { return std::to_string(row.work) + ": " + show(choice); });
  }
  Pins pins;
  pins.fill.least = Fill::drafted;
  check(Chooser(pins, kernel).choose({}, Facts(), 32).variant.fill ==
            Fill::drafted,
        [] { return "a draft that is asked for"; });
  check(!Chooser::wantsSorting(64 * 16, 10, 32, 16) &&
            Chooser::wantsSorting(65 * 16, 10, 32, 16),
        [] { return "sorting on a device"; });
  // The rows of all parts have no more sums than there are entries.
  check(Chooser::partsWithRows(1 << 20, 2) == 1 << 19 &&
            Chooser::partsWithRows(1 << 20, 256) == 1 << 12 &&
            Chooser::partsWithRows(1 << 20, 1 << 20) == 32 &&
            Chooser::partsWithRows(0, 0) == 32,
        [] { return "parts with rows of sums"; });
}

/// The kernels of a device compute with indices of 32 bits, unless a number of
/// the call is too large, or one that only a program can tell.
static void checkIndices() {
  KernelFacts kernel;
  auto indices = [&](int64_t longest, int64_t parts) {
    Facts facts;
    facts.longest = longest;
    Asked asked = {Purpose::call, 0, parts, 1 << 20};
    return Chooser({}, kernel).choose(asked, facts, 32).variant.indices;
  };
  check(indices(1, 0) == Indices::wide,
        [] { return "indices of 32 bits on the host"; });
  kernel.entriesPerPart = 16;
  check(indices(kLongestNarrow, 0) == Indices::narrow &&
            indices(kLongestNarrow + 1, 0) == Indices::wide &&
            indices(1, kLongestNarrow + 1) == Indices::wide,
        [] { return "indices of 32 bits by lengths"; });
  Chooser chooser({}, kernel);
  Refusal refusal = {Refusal::wideIndices, "", 0};
  std::optional<Choice> other =
      chooser.instead(chooser.choose({}, Facts(), 32), refusal);
  check(other && other->variant.indices == Indices::wide &&
            !chooser.instead(*other, refusal),
        [] { return "indices of 64 bits after a refusal"; });
}

/// Heavy parts come first, if they are notably heavier and some parts have to
/// wait.
static void checkStartOrder() {
  struct Row {
    std::vector<int64_t> costs, expected;
    int64_t threads = 2;
  };
  const Row table[] = {
      {{}, {}},
      {{5}, {0}},
      {{80, 79, 72, 80}, {0, 1, 2, 3}},
      {{72, 79, 90, 80}, {2, 3, 1, 0}},
      {{72, 79, 90, 80}, {2, 3, 1, 0}, 3},
      {{72, 79, 90, 80}, {0, 1, 2, 3}, 4},
      {{72, 79, 90, 80}, {0, 1, 2, 3}, 1},
      {{1, 9, 1, 9, 4}, {1, 3, 4, 0, 2}},
  };
  for (const Row &row : table)
    check(Chooser::startOrder(row.costs, row.threads) == row.expected,
          [&] { return std::to_string(row.costs.size()) + " parts"; });
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static void checkKeys() {
  constexpr int64_t many = 1 << 20;
  struct Row {
    unsigned bits;
    int64_t entries, rows;
    bool isExpected;
  };
  const Row table[] = {
      // Few entries are merged by keys.
      {30, many - 1, 1, true},
      {62, 10, 10, true},
      // A key has to fit.
      {63, 10, 10, false},
      {63, many, many, false},
      // With many, the length of rows.
      {30, many, many / 64, false},
      {30, many, many / 64 + 1, true},
  };
  auto choose = [](Pins pins, bool canMergeKeys, Purpose purpose,
                   const Row &row) {
    Asked asked;
    asked.purpose = purpose;
    Facts facts = {row.bits, row.entries, row.rows, /*overlap=*/1};
    KernelFacts kernel = {canMergeKeys, /*intersectsKeys=*/true};
    return Chooser(pins, kernel).choose(asked, facts, 1);
  };
  Pins always, never;
  always.merge.least = Merge::keys;
  never.merge.most = Merge::levels;
  for (const Row &row : table) {
    auto expect = [&](const Choice &choice, bool isExpected) {
      check((choice.variant.merge == Merge::keys) == isExpected, [&] {
        return show(choice) + ": " + std::to_string(row.bits) + " bits, " +
               std::to_string(row.entries) + " entries";
      });
    };
    expect(choose({}, true, Purpose::call, row), row.isExpected);
    expect(choose({}, true, Purpose::count, row), row.isExpected);
    expect(choose({}, true, Purpose::plan, row), false);
    expect(choose({}, false, Purpose::call, row), false);
    expect(choose(never, true, Purpose::call, row), false);
    expect(choose(always, true, Purpose::call, row), row.bits <= 62);
    expect(choose(always, true, Purpose::plan, row), false);
  }
}

/// Intersections that skip most entries are done level by level.
static void checkOverlaps() {
  for (bool intersects : {false, true}) {
    Chooser chooser({}, {/*canMergeKeys=*/true, intersects});
    check(chooser.wantsOverlap({}, {30, 1 << 14, 1, 1}) == intersects,
          [] { return "a sample of the overlap"; });
    check(!chooser.wantsOverlap({}, {30, (1 << 14) - 1, 1, 1}),
          [] { return "a sample of the overlap of few entries"; });
  }
  Chooser chooser({}, {/*canMergeKeys=*/true, /*intersectsKeys=*/true});
  for (double overlap : {0.24, 0.25}) {
    Choice choice = chooser.choose({}, {30, 1 << 14, 1, overlap}, 1);
    check((choice.variant.merge == Merge::keys) == (overlap == 0.25),
          [&] { return show(choice); });
  }
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// What is known of a list of rank 3, a tree of rank 2, and a number.
static void checkFacts() {
  using Array = TensorLayout::Array;
  Array positions = {ElementType::i32, true, 1, 0, 1};
  Array coordinates = {ElementType::i32, false, 0, 1, 0};
  TensorLayout::Level compressed = {
      false, ElementType::i32, {0, 0, 1}, {positions, coordinates}};
  TensorLayout::Level singleton = {
      false, ElementType::i32, {0, 0, 1}, {coordinates}};
  TensorLayout list = {{compressed, singleton, singleton}, ElementType::f64};
  TensorLayout tree = {{compressed, compressed}, ElementType::f64};
  TensorLayout number = {{}, ElementType::f64};
  auto arrays = [](const std::vector<int64_t> &sizes) {
    std::vector<Argument> args;
    args.reserve(sizes.size());
    for (int64_t size : sizes)
      args.push_back({nullptr, size});
    return args;
  };
  // Of the list: two arrays, one, one, the values, three extents. Of the tree:
  // 2 + 2 arrays, the values, two extents. Then the number.
  std::vector<Argument> args =
      arrays({2, 50, 50, 50, 50, 7, 8, 1, 2, 9, 10, 40, 40, 100, 200, 1});
  Facts facts = factsOf({list, tree, number}, args);
  check(facts.keyBits == 3 + 3, [&] { return std::to_string(facts.keyBits); });
  check(facts.entries == 90, [&] { return std::to_string(facts.entries); });
  check(facts.rows == 7 * 8 + 9, [&] { return std::to_string(facts.rows); });
  check(!factsOf({number}, arrays({1})).keyBits, [] { return "no key"; });
}

//===----------------------------------------------------------------------===//
// Drafts, whole rows and branches
//===----------------------------------------------------------------------===//

/// Heavy rows are computed apart, then shared by parts, then accepted.
static void checkHeavyRows(const Choice &first) {
  Refusal heavy = {Refusal::heavyRows, "a row"};
  Chooser chooser({}, {});
  std::optional<Choice> apart = chooser.instead(first, heavy);
  check(apart && apart->variant.rows == Rows::heavyApart,
        [&] { return show(*apart); });
  std::optional<Choice> shared = chooser.instead(*apart, heavy);
  check(shared && shared->variant.rows == Rows::shared &&
            !shared->acceptsImbalance,
        [&] { return show(*shared); });
  // A row that is too wide for a workspace is too wide for that of light rows.
  std::optional<Choice> wide =
      chooser.instead(*apart, {Refusal::splitRows, "a row"});
  check(wide && wide->variant == shared->variant, [&] { return show(*wide); });
  Pins pins;
  pins.rows.most = Rows::whole;
  std::optional<Choice> pinned = Chooser(pins, {}).instead(first, heavy);
  check(pinned && pinned->variant == shared->variant,
        [&] { return show(*pinned); });
  std::optional<Choice> unequal = Chooser(pins, {}).instead(*pinned, heavy);
  check(unequal && unequal->acceptsImbalance &&
            !Chooser(pins, {}).instead(*unequal, heavy),
        [&] { return show(*unequal); });
}

/// Heavy rows are cut into pieces if there is enough for each worker, and then
/// into finer ones, as far as the caller allows.
static void checkPieces(const Choice &first) {
  auto follows = [&](const Pins &pins, const std::vector<Rows> &expected) {
    std::optional<Choice> choice = first;
    std::vector<Rows> found;
    while (choice && choice->variant.rows != Rows::shared) {
      choice = Chooser(pins, {}).instead(
          *choice, {Refusal::heavyRows, "a row", /*share=*/1 << 20});
      found.push_back(choice->variant.rows);
    }
    return found == expected;
  };
  Pins once, never;
  once.rows.narrow(Rows::finePieces, false);
  never.rows.narrow(Rows::pieces, false);
  check(follows({}, {Rows::pieces, Rows::finePieces, Rows::heavyApart,
                     Rows::shared}) &&
            follows(once, {Rows::pieces, Rows::heavyApart, Rows::shared}) &&
            follows(never, {Rows::heavyApart, Rows::shared}),
        [] { return "pieces of heavy rows"; });
}

/// A caller turns on a value with those before it, and off with those after it.
static void checkPins() {
  Pin<Rows> pin;
  check(!pin.isSet() && pin.nearest(Rows::whole) == Rows::whole,
        [] { return "no pin"; });
  pin.narrow(Rows::heavyApart, true);
  pin.narrow(Rows::whole, true);
  pin.narrow(Rows::finePieces, false);
  check(pin.nearest(Rows::whole) == Rows::heavyApart &&
            pin.nearest(Rows::finePieces) == Rows::pieces &&
            pin.allows(Rows::pieces) && !pin.allows(Rows::finePieces),
        [] { return "a range"; });
  pin.narrow(Rows::whole, false);
  check(pin.nearest(Rows::pieces) == Rows::shared,
        [] { return "what excludes each other"; });
}

/// Products are sorted once, unless the caller has chosen.
static void checkUnsorted(const Choice &first) {
  Refusal unsorted = {Refusal::sorting, "one part"};
  std::optional<Choice> sorted = Chooser({}, {}).instead(first, unsorted);
  check(
      first.variant.products == Products::scattered && !first.acceptsOnePart &&
          sorted && sorted->variant.products == Products::sorted &&
          sorted->acceptsOnePart && !Chooser({}, {}).instead(*sorted, unsorted),
      [&] { return show(*sorted); });
  for (Products products : {Products::scattered, Products::sorted}) {
    Pins pins;
    pins.products = {products, products};
    Choice pinned = Chooser(pins, {}).choose({}, {}, 2);
    check(pinned.variant.products == products && pinned.acceptsOnePart,
          [&] { return show(pinned); });
  }
}

/// Dense operands are transposed if there are entries enough, and memory.
static void checkTransposed() {
  KernelFacts kernel;
  kernel.transposed = {{1, 0b10}};
  auto isTransposed = [&](int64_t stored, int64_t memory, const Pins &pins) {
    Asked asked;
    asked.memory = memory;
    Facts facts;
    facts.stored = stored;
    facts.transposedRows = 100;
    return Chooser(pins, kernel).choose(asked, facts, 2).variant.dense ==
           Dense::transposed;
  };
  Pins pinned;
  pinned.dense.least = Dense::transposed;
  check(isTransposed(200, 0, {}) && !isTransposed(199, 0, {}) &&
            !isTransposed(200, 1, {}) && isTransposed(0, 0, pinned),
        [] { return "transposed"; });
}

/// Every variant that calls can come to is among those that are reachable.
static void checkReachable() {
  Pins pinned;
  pinned.rows.most = Rows::whole;
  pinned.branching.most = Branching::selects;
  KernelFacts merging = {/*canMergeKeys=*/true, false, /*unites=*/true};
  merging.transposed = {{0, 1}};
  auto isReachable = [](const Chooser &chooser, const Choice &choice) {
    std::vector<Variant> all = chooser.reachable();
    return std::find(all.begin(), all.end(), choice.variant) != all.end();
  };
  for (const Pins &pins : {Pins(), pinned})
    for (const KernelFacts &kernel : {KernelFacts(), merging}) {
      Chooser chooser(pins, kernel);
      for (int64_t work : {0, 1 << 13, 1 << 20, 1 << 24})
        for (Purpose purpose : {Purpose::call, Purpose::count, Purpose::plan}) {
          Asked asked;
          asked.work = work;
          asked.purpose = purpose;
          Facts facts;
          facts.entries = facts.stored = facts.rows = work;
          std::optional<Choice> choice = chooser.choose(asked, facts, 2);
          for (int64_t share : {0, 1 << 12})
            for (auto needs :
                 {Refusal::sorting, Refusal::heavyRows, Refusal::heavyRows,
                  Refusal::heavyRows, Refusal::counts, Refusal::splitRows}) {
              check(isReachable(chooser, *choice),
                    [&] { return show(*choice); });
              std::optional<Choice> other =
                  chooser.instead(*choice, {needs, "", share});
              choice = other ? other : choice;
            }
        }
    }
  // Calls and plans begin with whole rows, which may be shared; sums may be
  // sorted.
  size_t count = Chooser(pinned, {}).reachable().size();
  check(count == 8, [&] { return std::to_string(count) + " variants"; });
}

static void checkRefusals() {
  Asked asked;
  asked.work = 1 << 20;
  Chooser chooser({}, {});
  Choice first = chooser.choose(asked, {}, /*available=*/2);
  check(first.variant.rows == Rows::whole &&
            first.variant.fill == Fill::drafted &&
            first.variant.branching == Branching::selects,
        [&] { return show(first); });
  std::optional<Choice> split =
      chooser.instead(first, {Refusal::splitRows, "a row"});
  check(split && split->variant.rows == Rows::shared &&
            split->variant.fill == Fill::drafted && split->parts == first.parts,
        [&] { return show(*split); });
  std::optional<Choice> counted =
      chooser.instead(*split, {Refusal::counts, "a draft"});
  check(counted && counted->variant == Variant() &&
            counted->refusals.size() == 2,
        [&] { return show(*counted); });
  for (Refusal::Needs needs : {Refusal::splitRows, Refusal::counts})
    check(!chooser.instead(*counted, {needs, ""}),
          [] { return "the plain variant is refused"; });
  checkHeavyRows(first);
  checkPieces(first);
  checkUnsorted(first);
  asked.purpose = Purpose::plan;
  Choice plan = chooser.choose(asked, {}, 2);
  check(plan.variant.fill == Fill::counted && plan.variant.rows == Rows::whole,
        [&] { return show(plan); });
  // Parts that the caller asked for stay.
  asked.parts = 6;
  Choice six = chooser.choose(asked, {}, 2);
  check(chooser.instead(six, {Refusal::splitRows, ""})->parts == 6,
        [&] { return show(six); });
}

static void checkSamples() {
  Chooser chooser({}, {});
  Pins pins;
  pins.branching.least = Branching::branches;
  Chooser asks(pins, {});
  Choice choice = chooser.choose({}, {}, 1);
  const int64_t enough = 1 << 17;
  check(chooser.wantsSample(enough), [] { return "a sample"; });
  check(!chooser.wantsSample(enough - 1),
        [] { return "a sample of few entries"; });
  check(!asks.wantsSample(enough),
        [] { return "a sample for what was asked for"; });
  for (int64_t surprises : {20, 21}) {
    choice.sample = Sample{70, surprises};
    bool isForeseen = surprises == 20;
    check(chooser.wantsBranches(choice, 1 << 24) == isForeseen,
          [] { return "branches"; });
    check(!chooser.wantsBranches(choice, (1 << 24) - 1),
          [] { return "branches for few entries"; });
  }
}

static void checkVariants() {
  std::unordered_set<Variant> all;
  for (int n = 0; n < 5 * 2 * 3; ++n) {
    Variant variant;
    variant.rows = Rows(n % 5);
    variant.products = Products(n / 5 % 2);
    variant.fill = Fill(n / 10);
    all.insert(variant);
  }
  check(all.size() == 30, [&] { return std::to_string(all.size()); });
  CompileOptions plain, drafts;
  drafts.variant.fill = Fill::drafted;
  check(plain.key() != drafts.key(), [&] { return plain.key(); });
}

/// The parts of a union move their entries in turn, unless there is little work
/// or somebody asked for a number of parts.
static void checkUnions() {
  struct Row {
    bool unites;
    Purpose purpose;
    int64_t threads, parts, work;
    bool isExpected;
  };
  constexpr int64_t large = 1 << 20;
  const Row table[] = {
      {true, Purpose::call, 1, 0, large, true},
      // Little work is not worth another variant.
      {true, Purpose::call, 1, 0, 3 << 12, true},
      {true, Purpose::call, 1, 0, (3 << 12) - 1, false},
      {true, Purpose::call, 0, 0, 1000, false},
      {true, Purpose::call, 0, 0, large, true},
      {true, Purpose::call, 1, 8, large, false},
      // Only a call is not asked for counts.
      {true, Purpose::count, 1, 0, large, false},
      {true, Purpose::plan, 1, 0, large, false},
      {false, Purpose::call, 1, 0, large, false},
  };
  KernelFacts kernel;
  for (const Row &row : table) {
    kernel.unites = row.unites;
    Asked asked = {row.purpose, row.threads, row.parts, row.work};
    Choice choice = Chooser({}, kernel).choose(asked, {}, /*available=*/8);
    check((choice.variant.fill == Fill::unionsDrafted) == row.isExpected,
          [&] { return show(choice); });
    auto counted = Chooser({}, kernel).instead(choice, {Refusal::counts, ""});
    check(!counted || counted->variant.fill == Fill::counted,
          [&] { return show(*counted); });
  }
  kernel.unites = true;
  Pins pins;
  pins.fill.most = Fill::counted;
  check(Chooser(pins, kernel).choose({}, {}, 1).variant.fill == Fill::counted,
        [] { return "a draft that is turned off"; });
}

/// Where other programs have the processors, one thread computes a union that
/// is not too large, unless the caller says how many threads there are, and
/// several threads do not wait for each other.
static void checkCrowd() {
  struct Row {
    bool unites;
    Purpose purpose;
    int64_t threads, work;
    bool isExpected;
  };
  const Row table[] = {
      {true, Purpose::call, 0, (3 << 12) - 1, false},
      {true, Purpose::call, 0, 3 << 12, true},
      {true, Purpose::call, 1, 1 << 20, false},
      {true, Purpose::call, 2, 1 << 20, true},
      {true, Purpose::plan, 0, 1 << 20, false},
      {false, Purpose::call, 0, 1 << 20, false},
  };
  KernelFacts kernel;
  for (const Row &row : table) {
    kernel.unites = row.unites;
    Asked asked = {row.purpose, row.threads, 0, row.work};
    check(Chooser({}, kernel).wantsCrowd(asked) == row.isExpected,
          [&] { return "a crowd, with work " + std::to_string(row.work); });
  }
  kernel.unites = true;
  Asked asked = {Purpose::call, 0, 0, 1 << 20};
  Facts facts;
  for (bool isCrowded : {false, true}) {
    facts.isCrowded = isCrowded;
    Choice choice = Chooser({}, kernel).choose(asked, facts, /*available=*/8);
    check(choice.threads == (isCrowded ? 1 : 8) && choice.parts == 8 &&
              choice.variant.fill == Fill::unionsDrafted,
          [&] { return show(choice); });
    for (const Asked &many : {Asked{Purpose::call, 2, 0, 1 << 20},
                              Asked{Purpose::call, 0, 0, 1 << 21}}) {
      choice = Chooser({}, kernel).choose(many, facts, /*available=*/8);
      check(choice.threads == (many.threads ? 2 : 8) &&
                (choice.variant.fill == Fill::unionsDrafted) != isCrowded,
            [&] { return show(choice); });
    }
  }
}

static void checkTables() {
  struct Row {
    int64_t elements, entries, expected;
  };
  for (const Row &row : {Row{0, 0, 8}, Row{1 << 20, 1 << 20, 8},
                         Row{1 << 20, 1 << 13, 16}, Row{1 << 20, 0, 1 << 17}})
    check(Chooser::partsWithTable(row.elements, row.entries) == row.expected,
          [&] { return std::to_string(row.elements); });
}

NACHO_SUITE("chooser") {
  checkTables();
  checkCrowd();
  checkWorkers();
  checkFixedParts();
  checkSorting();
  checkDevice();
  checkIndices();
  checkStartOrder();
  checkKeys();
  checkOverlaps();
  checkFacts();
  checkTransposed();
  checkReachable();
  checkPins();
  checkRefusals();
  checkSamples();
  checkVariants();
  checkUnions();
}
