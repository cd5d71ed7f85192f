//===- LonePart.h - A part that runs without the others -------------------===//
//
// A part of a step that its caller has cut and counted can run where the other
// parts are not: with its two cuts, and with the windows of arrays that it
// reads and writes. Coordinates are those of the whole tensors. Positions in
// operands begin at 0 in the windows; those in the result are those of the
// whole arrays, of which nothing else has to be in memory.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_LONEPART_H
#define NACHO_EXECUTION_LONEPART_H

#include "nacho/Execution/Step.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nacho {

/// What a plan knows of a part.
struct LonePart {
  int64_t number = 0, parts = 1;
  std::vector<int64_t> bounds;  ///< The cuts at its begin and at its end.
  std::vector<int64_t> offsets; ///< Two rows of scanned counts, if any.
  std::vector<int64_t> sizes;   ///< Those that Step::plan() has found.
};

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
  int64_t first;          ///< The index of its first element for the step.
  int64_t size;           ///< One more than that of its last.
  int64_t subtracted = 0; ///< To be subtracted from each element.
};

/// The windows of the arguments of a step that a part reads. An operand whose
/// entries the loops do not visit in order, from the outermost loop on, is read
/// as a whole, and so are those not in `areWindows`. The positions in the cuts
/// of the part become those in the windows.
std::vector<ReadWindow> windowsRead(const Step &step, LonePart &part,
                                    const std::vector<Argument> &args,
                                    const std::vector<bool> &areWindows);

/// The windows of the arrays of the result that a part writes; of values, those
/// of entries that the part completes. No two parts write the same elements.
/// `loops` are the numbers of the loops over the coordinates of each level, or
/// -1 for one that is not cut. None if these windows are not contiguous.
std::optional<std::vector<Window>>
windowsWritten(const Step &step, const LonePart &part,
               const std::vector<int64_t> &loops);

} // namespace nacho

#endif // NACHO_EXECUTION_LONEPART_H
