//===- Foresight.cpp - Samples of a merge ---------------------------------===//
//
// Runs a small branch predictor on samples of a merge.
//
//===----------------------------------------------------------------------===//

#include "Foresight.h"

#include <algorithm>
#include <array>

using namespace nacho;

static constexpr int64_t kSamples = 8, kSteps = 256;

namespace {
/// Expects the outcome that came last after the same six outcomes.
class Predictor {
public:
  /// Whether `outcome` (0, 1 or 2) was not expected. Remembers it.
  bool isWrong(unsigned outcome) {
    uint8_t &expected = after[history];
    bool wrong = expected != outcome + 1;
    expected = outcome + 1;
    history = (3 * history + outcome) % after.size();
    return wrong;
  }

private:
  std::array<uint8_t, 729> after =
      {}; ///< The forecast for each of 3^6 histories.
  unsigned history = 0;
};

/// Steps through one operand of a merge from a position on. Fibers follow one
/// another, and coordinates increase in each. Only as many coordinates are read
/// back as a sample can have steps.
template <typename T>
class Cursor {
public:
  Cursor(Device &device, const std::vector<Argument> &args,
         const TensorLayout::Place &place, int64_t position)
      : stride(place.stride),
        window(
            device,
            static_cast<const T *>(args[place.array].data) + stride * position,
            stride *
                std::clamp<int64_t>(args[place.array].size / stride - position,
                                    0, kSteps)),
        at(place.offset), begin(place.offset) {}

  bool isDone() const { return at >= window.size(); }
  bool isAtFiber() const {
    return at > begin && window[at] <= window[at - stride];
  }
  T coordinate() const { return window[at]; }
  void step() { at += stride; }
  void enterFiber() { begin = at; }

private:
  int64_t stride;
  HostView<T> window;
  size_t at, begin;
};
} // namespace

template <typename T>
static Sample sampleAs(const Step &step, const std::vector<Argument> &args,
                       const Numbers<int64_t> &bounds, int64_t parts) {
  int64_t columns = step.boundColumns;
  Predictor predictor;
  Sample all;
  int64_t samples = std::min(parts, kSamples);
  for (int64_t sample = 0; sample < samples; ++sample) {
    int64_t row = sample * parts / samples;
    HostView<int64_t> cut = bounds.read(row * columns, columns);
    auto [first, second] = step.merged->operands;
    Cursor<T> one(step.device(), args, first, cut[columns - 2]);
    Cursor<T> other(step.device(), args, second, cut[columns - 1]);
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
      ++all.steps;
      if (takes)
        one.step();
      if (takesOther)
        other.step();
    }
  }
  return all;
}

Sample nacho::sampleMerge(const Step &step, const std::vector<Argument> &args,
                          const Numbers<int64_t> &bounds, int64_t parts) {
  return step.merged->isNarrow ? sampleAs<uint32_t>(step, args, bounds, parts)
                               : sampleAs<uint64_t>(step, args, bounds, parts);
}
