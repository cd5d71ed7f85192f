//===- Foresight.cpp - Whether a branch predictor would do well -----------===//
//
// A small predictor is run on samples of the merge: it expects what came last
// time after the same steps.
//
//===----------------------------------------------------------------------===//

#include "Foresight.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

using namespace nacho;

static constexpr int64_t kSamples = 8, kSteps = 256;
/// One step in so many may come as a surprise.
static constexpr int64_t kRate = 16;

namespace {
/// Expects what came last after the same few steps.
class Predictor {
public:
  /// Whether an outcome (0, 1, 2) is a surprise.
  bool isWrong(unsigned outcome) {
    uint8_t &expected = after[history];
    bool wrong = expected != outcome + 1;
    expected = outcome + 1;
    history = (3 * history + outcome) % after.size();
    return wrong;
  }

private:
  std::array<uint8_t, 729> after = {}; ///< 3^6 histories.
  unsigned history = 0;
};

/// One operand of a merge: fibers follow one another, each in order.
template <typename T>
class Cursor {
public:
  Cursor(const Argument &coordinates, int64_t position)
      : data(static_cast<const T *>(coordinates.data)), at(position),
        size(coordinates.size), begin(position) {}

  bool isDone() const { return at >= size; }
  bool isAtFiber() const { return at > begin && data[at] <= data[at - 1]; }
  T coordinate() const { return data[at]; }
  void step() { ++at; }
  void enterFiber() { begin = at; }

private:
  const T *data;
  int64_t at, size, begin;
};
} // namespace

template <typename T>
static bool canForesee(const std::array<Argument, 2> &coordinates,
                       const int64_t *bounds, int64_t columns, int64_t parts) {
  Predictor predictor;
  int64_t wrong = 0, steps = 0;
  int64_t samples = std::min(parts, kSamples);
  for (int64_t sample = 0; sample < samples; ++sample) {
    const int64_t *cut = bounds + sample * parts / samples * columns;
    Cursor<T> one(coordinates[0], cut[columns - 2]);
    Cursor<T> other(coordinates[1], cut[columns - 1]);
    for (int64_t n = 0; n < kSteps && !one.isDone() && !other.isDone(); ++n) {
      bool ends = one.isAtFiber(), otherEnds = other.isAtFiber();
      if (ends && otherEnds) {
        one.enterFiber();
        other.enterFiber();
        ends = otherEnds = false;
      }
      bool takes =
          !ends && (otherEnds || one.coordinate() <= other.coordinate());
      bool takesOther =
          !otherEnds && (ends || other.coordinate() <= one.coordinate());
      wrong += predictor.isWrong(takes + 2 * takesOther - 1);
      ++steps;
      if (takes)
        one.step();
      if (takesOther)
        other.step();
    }
  }
  return wrong * kRate <= steps;
}

bool nacho::alwaysBranches() {
  static const bool always = [] {
    const char *variable = std::getenv("NACHO_BRANCHES");
    return variable && std::strcmp(variable, "always") == 0;
  }();
  return always;
}

bool nacho::canForesee(const Step &step, const std::vector<Argument> &args,
                       const std::vector<int64_t> &bounds, int64_t parts) {
  if (!step.merged || alwaysBranches())
    return step.merged.has_value();
  std::array<Argument, 2> coordinates = {args[(*step.merged)[0]],
                                         args[(*step.merged)[1]]};
  return step.mergesNarrow ? ::canForesee<uint32_t>(coordinates, bounds.data(),
                                                    step.boundColumns, parts)
                           : ::canForesee<uint64_t>(coordinates, bounds.data(),
                                                    step.boundColumns, parts);
}
