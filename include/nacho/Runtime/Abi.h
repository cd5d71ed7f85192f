//===- Abi.h - The ABI of compiled code -----------------------------------===//
//
// The numbers and names on which the code that the compiler emits, the runtime,
// and the plans that call the code must agree. This file includes nothing of
// MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_RUNTIME_ABI_H
#define NACHO_RUNTIME_ABI_H

#include <cstdint>

namespace nacho {

/// The bits of the status that kernels return: what went wrong.
enum Status : int32_t {
  kSuccess = 0,
  kCoordinateOutOfRange = 1, ///< A coordinate is not below its extent.
  kOperandsChanged = 2,      ///< The operands are not those that were counted.
  kNoMemory = 4,
  kWorkspaceFull = 8, ///< Call again with a larger workspace.
  kRowTooWide = 16,   ///< A row is too wide for a workspace without keys.
  kDraftFull = 32,    ///< A part has no room left in the draft: count first.
  kPartTooHeavy = 64, ///< A part costs so much that it was not counted.
};

/// A nest may cost no more: what is larger is refused. So the sum of the costs
/// of a few charges does not overflow.
inline constexpr int64_t kMostCost = int64_t(1) << 56;

/// The names by which compiled code calls functions of Runtime.h.
inline constexpr char kSortSymbol[] = "nacho_sort_entries";
inline constexpr char kPrefixSumSymbol[] = "nacho_prefix_sum";
inline constexpr char kCountStepSymbol[] = "nacho_count_step";
/// The name of computePartsAt() of Workers.h.
inline constexpr char kComputePartsSymbol[] = "nacho_compute_parts";
/// The names of awaitTurn() and passTurn() of Workers.h.
inline constexpr char kAwaitTurnSymbol[] = "nacho_await_turn";
inline constexpr char kPassTurnSymbol[] = "nacho_pass_turn";
/// The prefix of the names of the functions of Functions.def.
inline constexpr char kOwnFunctionPrefix[] = "nacho_";
/// The name of launchKernel() of lib/Backends/Cuda/CudaModule.h.
inline constexpr char kLaunchPtxSymbol[] = "nacho_launch_ptx";
/// The names by which the host takes and returns memory of a device; each
/// backend with a device of its own has these two functions.
inline constexpr char kTakeScratchSymbol[] = "nacho_take_scratch";
inline constexpr char kReturnScratchSymbol[] = "nacho_return_scratch";
/// The same for memory that is zero, and that kernels leave zero: to fill it
/// for each call would take as long as to launch a kernel.
inline constexpr char kTakeZerosSymbol[] = "nacho_take_zeros";
inline constexpr char kReturnZerosSymbol[] = "nacho_return_zeros";

/// Each window of an array that threads of a block share takes a multiple of so
/// many bytes there.
inline constexpr int64_t kGpuWindowBytes = 16;

/// Kernels whose indices have 32 bits take arrays of at most this length, and
/// extents and numbers of parts that are no larger: so there is room for sums
/// of a few of these, and for the steps that loops count.
inline constexpr int64_t kLongestNarrow = int64_t(1) << 28;

/// A workspace without keys has marks for this many places.
inline constexpr int64_t kDensePlaces = 1 << 20;

/// The word at which the bits of single places begin in the marks of such a
/// workspace. A row of marks that has bits for fewer places is shorter.
inline constexpr int64_t kDenseMarksBegin =
    1 + (kDensePlaces >> 18) + (kDensePlaces >> 12);

/// The 64-bit words that the marks of one row of a workspace take.
inline int64_t numMarkWords(int64_t places) {
  int64_t last = places - 1;
  return (last >> 6) + (last >> 12) + (last >> 18) + 4;
}

} // namespace nacho

#endif // NACHO_RUNTIME_ABI_H
