//===- LonePart.h - Parts that run without the others ---------------------===//
//
// Parts of a step can be cut, counted and computed where the other parts are
// not: with their cuts, and with the windows of arrays that they read and
// write. Coordinates are those of the whole tensors. Positions in operands are
// those of the whole arrays, or begin at 0 in the windows; those in the result
// are those of the whole arrays, of which nothing else has to be in memory.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_LONEPART_H
#define NACHO_EXECUTION_LONEPART_H

#include "nacho/Execution/Chooser.h"
#include "nacho/Execution/Step.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nacho {

/// What a plan knows of parts that follow each other.
struct LonePart {
  int64_t number = 0; ///< The number of the first of them.
  int64_t parts = 1;  ///< The number of all parts of the step.
  /// The cuts at their begins, and the one at the end of the last.
  std::vector<int64_t> bounds;
  /// A row of scanned counts for each cut, if the step counts, once it has.
  std::vector<int64_t> offsets;
  /// Those that Step::plan() finds, once all parts were counted.
  std::vector<int64_t> sizes;

  int64_t count(const Step &step) const {
    return int64_t(bounds.size()) / step.boundColumns - 1;
  }
};

/// The cut at the end of a step, whose cost is that of all parts. Of the
/// operands, the elements at the ends of arrays are read.
std::vector<int64_t> limitOf(const Step &step,
                             const std::vector<Argument> &args);

/// The cuts for queries in ascending order, all of which lie between two cuts.
/// Of the operands, what lies between these is used. Positions must be those of
/// the whole arrays, and all elements must be in memory: positions before the
/// lower cut may be less than they are, such as 0, but not the first of an
/// array, from which costs count; other elements may be anything. The cost of
/// the given cuts is not used.
std::vector<int64_t> cutsBetween(const Step &step,
                                 const std::vector<Argument> &args,
                                 const std::vector<int64_t> &lower,
                                 const std::vector<int64_t> &upper,
                                 const std::vector<int64_t> &queries);

/// The elements of an array from `begin` to `end` - 1.
struct Window {
  int64_t begin = 0, end = 0;
};

/// An array of `size` elements of which those from `begin` on lie at `data`.
/// Elements are found where they would be in the whole array.
Argument wholeOf(void *data, ElementType type, int64_t begin, int64_t size);

/// An array of which a window is in memory.
struct WindowArgument {
  void *data = nullptr;
  ElementType type = ElementType::i64;
  Window window;
  int64_t size = 0; ///< The elements of the whole array.

  Argument whole() const { return wholeOf(data, type, window.begin, size); }
};

/// A window of an argument, and how it stands for the whole array.
struct ReadWindow {
  Window window;
  int64_t first; ///< The index of its first element for the step.
  int64_t size;  ///< One more than that of its last.
  /// To be subtracted from each element, but for a negative one, which stands
  /// for what is not there.
  int64_t subtracted = 0;
};

/// The windows of the arguments of a step that parts read. An operand whose
/// entries the loops do not visit in order, from the outermost loop on, is read
/// between the positions that lists keep for the loops, or else as a whole, and
/// so are those not in `areWindows`. The positions in the cuts of the parts
/// become those in the windows, as do those in lists by `subtracted`.
std::vector<ReadWindow> windowsRead(const Step &step, LonePart &part,
                                    const std::vector<Argument> &args,
                                    const std::vector<bool> &areWindows);

/// The windows of the arrays of the result that parts write; of values, those
/// of entries that the parts complete. No two parts write the same elements.
/// `loops` are the numbers of the loops over the coordinates of each level, or
/// -1 for one that is not cut. None if these windows are not contiguous.
std::optional<std::vector<Window>>
windowsWritten(const Step &step, const LonePart &part,
               const std::vector<int64_t> &loops);

/// Refuses a step in whose parts, of these costs, `workers` would have too
/// unequal shares, if the rows that it leaves whole are to blame.
std::optional<Refusal> refuseCosts(const Step &step,
                                   const std::vector<int64_t> &costs,
                                   int64_t workers);

} // namespace nacho

#endif // NACHO_EXECUTION_LONEPART_H
