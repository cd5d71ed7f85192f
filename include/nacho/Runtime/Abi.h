//===- Abi.h - What compiled code and its callers agree on ----------------===//
//
// The compiler emits code that follows these numbers and names; the runtime and
// the plans that call the code follow them too. No MLIR in here.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_RUNTIME_ABI_H
#define NACHO_RUNTIME_ABI_H

#include <cstdint>

namespace nacho {

/// Bits of the status.
enum Status : int32_t {
  kSuccess = 0,
  kCoordinateOutOfRange = 1, ///< Of a coordinate that indexes memory.
  kOperandsChanged = 2,      ///< Since they were counted.
  kNoMemory = 4,
  kWorkspaceFull = 8, ///< It must be larger.
  kRowTooWide = 16,   ///< For a workspace in which coordinates have places.
  kDraftFull = 32,    ///< Entries must be counted.
};

/// The functions of the runtime that compiled code calls; Runtime.h declares
/// them.
inline constexpr char kSortSymbol[] = "nacho_sort_entries";
inline constexpr char kPrefixSumSymbol[] = "nacho_prefix_sum";

/// A workspace without keys has marks for this many places.
inline constexpr int64_t kDensePlaces = 1 << 20;

/// The 64-bit words that the marks of one row of a workspace take.
inline int64_t numMarkWords(int64_t places) {
  int64_t last = places - 1;
  return (last >> 6) + (last >> 12) + (last >> 18) + 4;
}

} // namespace nacho

#endif // NACHO_RUNTIME_ABI_H
