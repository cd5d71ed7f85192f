//===- Foresight.cpp - What samples of a merge tell -----------------------===//
//
// A small branch predictor is run on samples of the merge: it expects what came
// last time after the same steps. And matches are counted.
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
static constexpr int64_t kSurpriseRate = 16;
/// One step in so many may be a match: then a draft of the matches adds less
/// than a tenth to the operands.
static constexpr int64_t kMatchRate = 8;

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

namespace {
struct Sample {
  int64_t steps = 0, surprises = 0, matches = 0;
};
} // namespace

template <typename T>
static Sample sampleMerge(const std::array<Argument, 2> &coordinates,
                          const int64_t *bounds, int64_t columns,
                          int64_t parts) {
  Predictor predictor;
  Sample all;
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
      all.surprises += predictor.isWrong(takes + 2 * takesOther - 1);
      all.matches += takes && takesOther;
      ++all.steps;
      if (takes)
        one.step();
      if (takesOther)
        other.step();
    }
  }
  return all;
}

static Sample sampleMerge(const Step &step, const std::vector<Argument> &args,
                          const std::vector<int64_t> &bounds, int64_t parts) {
  std::array<Argument, 2> coordinates = {args[step.merged->operands[0]],
                                         args[step.merged->operands[1]]};
  return step.merged->isNarrow
             ? sampleMerge<uint32_t>(coordinates, bounds.data(),
                                     step.boundColumns, parts)
             : sampleMerge<uint64_t>(coordinates, bounds.data(),
                                     step.boundColumns, parts);
}

static bool isAlways(const char *name) {
  const char *variable = std::getenv(name);
  return variable && std::strcmp(variable, "always") == 0;
}

bool nacho::alwaysBranches() {
  static const bool always = isAlways("NACHO_BRANCHES");
  return always;
}

static bool alwaysDrafts() {
  static const bool always = isAlways("NACHO_DRAFTS");
  return always;
}

bool nacho::canForesee(const Step &step, const std::vector<Argument> &args,
                       const std::vector<int64_t> &bounds, int64_t parts) {
  if (!step.merged || !step.merged->isUnion || alwaysBranches())
    return step.merged && step.merged->isUnion;
  Sample sample = sampleMerge(step, args, bounds, parts);
  return sample.surprises * kSurpriseRate <= sample.steps;
}

bool nacho::hasFewMatches(const Step &step, const std::vector<Argument> &args,
                          const std::vector<int64_t> &bounds, int64_t parts) {
  if (!step.merged || step.merged->isUnion || alwaysDrafts())
    return true;
  Sample sample = sampleMerge(step, args, bounds, parts);
  return sample.matches * kMatchRate <= sample.steps;
}
