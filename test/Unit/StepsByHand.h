//===- StepsByHand.h - Steps whose functions are written here ---*- C++ -*-===//
//
// They read a sparse vector, every entry of which costs the same: one step
// copies its positive entries, another one adds up all entries. Step.h says
// what parameters the functions have.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_TEST_UNIT_STEPSBYHAND_H
#define NACHO_TEST_UNIT_STEPSBYHAND_H

#include "Unit.h"

#include "nacho/Backends/CpuDevice.h"
#include "nacho/Execution/Executable.h"
#include "nacho/Runtime/Workers.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace nacho::unit {

using Row = std::vector<int64_t>;

/// The parameters of a call, which are taken in order.
class Parameters {
public:
  explicit Parameters(const int64_t *words) : words(words) {}

  int64_t integer() { return *words++; }
  /// The elements of an array; `size` becomes the length of a vector, or the
  /// number of rows.
  template <typename T = int64_t>
  T *array(int64_t *size = nullptr) {
    auto *descriptor = reinterpret_cast<const int64_t *>(integer());
    if (size)
      *size = descriptor[3];
    return reinterpret_cast<T *>(descriptor[1]);
  }

private:
  const int64_t *words;
};

/// The operand of the steps: entries with coordinates.
struct Vector {
  explicit Vector(Parameters &given)
      : pos(given.array<int32_t>()), crd(given.array<int32_t>(&size)),
        values(given.array<double>()), extent(given.integer()) {}

  int64_t size = 0;
  int32_t *pos, *crd;
  double *values;
  int64_t extent;
};

template <typename F>
void runParts(int64_t parts, F f) {
  auto call = [](void *context, int64_t part, int64_t, const StopWord *) {
    (*static_cast<F *>(context))(part);
  };
  computeParts(parts, /*threads=*/1, call, &f);
}

/// A cut: the cost before it, its coordinate, its position.
constexpr int64_t kColumns = 3;

/// What all steps here have in common, and a record of their calls.
class ByHand : public Executable {
public:
  Device &device() const override { return cpuDevice(); }
  std::string llvm() const override { return ""; }
  std::string assembly() const override { return ""; }

  void call(size_t, Phase phase, const int64_t *words) const override {
    Parameters given(words);
    Vector vector(given);
    if (phase == Phase::fill)
      return run(phase, vector, nullptr, 0, given);
    int64_t rows = 0, *bounds = given.array(&rows);
    if (phase == Phase::partition)
      return cut(vector, bounds, rows - 1, given.integer());
    run(phase, vector, bounds, rows - 1, given);
  }

  int64_t costOfEntry = 1;
  mutable Row ran;      ///< The parts that have run.
  mutable Row searched; ///< The positions between which cuts were searched for.
  mutable Row lastCuts; ///< The cuts of the last call that ran parts.

protected:
  virtual void run(Phase phase, const Vector &vector, int64_t *bounds,
                   int64_t parts, Parameters &given) const = 0;

  /// Calls `f` with each part that is to run, and the ends of its entries.
  template <typename F>
  void visit(int64_t *bounds, int64_t parts, F f) const {
    lastCuts.assign(bounds, bounds + (parts + 1) * kColumns);
    runParts(parts, [&](int64_t part) {
      ran.push_back(part);
      const int64_t *cut = bounds + part * kColumns;
      f(part, cut[2], cut[kColumns + 2]);
    });
  }

private:
  void cut(const Vector &vector, int64_t *bounds, int64_t parts,
           int64_t within) const {
    if (within == parts) {
      std::fill_n(bounds, kColumns, 0);
      int64_t *end = bounds + parts * kColumns;
      end[0] = costOfEntry * vector.size;
      end[1] = vector.extent;
      end[2] = vector.size;
    }
    for (int64_t row = 0; row < parts; row += within) {
      int64_t *low = bounds + row * kColumns, *high = low + within * kColumns;
      if (high[0] > low[0] && within < parts)
        searched.insert(searched.end(), {low[2], high[2]});
      for (int64_t n = 1; n < within; ++n) {
        int64_t query = low[0] + (high[0] - low[0]) * n / within;
        int64_t at = std::clamp(query / costOfEntry, low[2], high[2]);
        int64_t *found = low + n * kColumns;
        found[0] = costOfEntry * at;
        found[1] = at < high[2] ? vector.crd[at] : high[1];
        found[2] = at;
      }
    }
  }
};

/// Copies the positive entries, which are counted.
class Copies final : public ByHand {
public:
  bool has(size_t, Phase phase) const override {
    return phase == Phase::assemble || phase == Phase::compute;
  }

  bool hasOrder = false, hasWorkspace = false;
  mutable int32_t status = 0; ///< Of the next call.
  mutable Row order, placesOfWorkspaces;

private:
  void run(Phase phase, const Vector &vector, int64_t *bounds, int64_t parts,
           Parameters &given) const override {
    if (phase == Phase::scan)
      return scan(vector, parts, given);
    if (phase == Phase::compute && hasOrder) {
      auto *numbers = given.array();
      order.assign(numbers, numbers + parts);
    }
    int64_t *numbers = given.array(); // Counts, or offsets.
    int32_t *crd = nullptr;
    double *values = nullptr;
    if (phase == Phase::compute) {
      given.array();
      crd = given.array<int32_t>();
      values = given.array<double>();
    }
    takeWorkspace(phase, given);
    visit(bounds, parts, [&](int64_t part, int64_t begin, int64_t end) {
      int64_t next = crd ? numbers[part] : 0;
      for (int64_t at = begin; at < end; ++at)
        if (vector.values[at] > 0) {
          if (crd) {
            crd[next] = vector.crd[at];
            values[next] = vector.values[at];
          }
          ++next;
        }
      if (!crd)
        numbers[part] = next;
    });
    *given.array<int32_t>() = std::exchange(status, 0);
  }

  /// Only calls that compute have sums in their workspaces.
  void takeWorkspace(Phase phase, Parameters &given) const {
    if (!hasWorkspace)
      return;
    given.array();
    auto *descriptor = given.array();
    check(descriptor != nullptr, [] { return "there are no marks"; });
    placesOfWorkspaces.push_back(phase == Phase::compute);
    if (phase == Phase::compute)
      check(given.array() != nullptr, [] { return "there are no sums"; });
  }

  static void scan(const Vector &vector, int64_t parts, Parameters &given) {
    int64_t *counts = given.array(), *offsets = given.array();
    offsets[0] = 0;
    std::partial_sum(counts, counts + parts, offsets + 1);
    int64_t *sizes = given.array();
    sizes[0] = offsets[parts];
    sizes[1] = 1;
    sizes[2] = vector.extent;
  }
};

/// Adds up all entries, in rows of sums that are combined at last.
class Sums final : public ByHand {
public:
  explicit Sums(int64_t rows) : rows(rows) {}

  bool has(size_t, Phase phase) const override { return phase >= Phase::fill; }

  mutable Row cleared; ///< The numbers of parts of calls that clear rows.

private:
  void run(Phase phase, const Vector &vector, int64_t *bounds, int64_t parts,
           Parameters &given) const override {
    if (phase == Phase::scan) {
      given.array()[0] = 1;
      return;
    }
    auto *result = given.array<double>();
    if (phase == Phase::fill) {
      *result = 0;
      return;
    }
    auto *partials = given.array<double>();
    int64_t *visited = given.array();
    if (phase == Phase::clear) {
      cleared.push_back(parts);
      std::fill_n(partials, rows * parts, 0.0);
      std::fill_n(visited, rows * parts, 0);
    } else if (phase == Phase::combine) {
      for (int64_t row = 0; row < rows * parts; ++row)
        *result += visited[row] ? partials[row] : 0;
    } else {
      visit(bounds, parts, [&](int64_t part, int64_t begin, int64_t end) {
        // The last row of a part has the sum.
        int64_t row = rows * (part + 1) - 1;
        partials[row] =
            std::accumulate(vector.values + begin, vector.values + end, 0.0);
        visited[row] = 1;
      });
      *given.array<int32_t>() = 0;
    }
  }

  int64_t rows;
};

} // namespace nacho::unit

#endif // NACHO_TEST_UNIT_STEPSBYHAND_H
