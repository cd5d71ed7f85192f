//===- GpuTarget.h - The description of a kind of GPU ---------------------===//
//
// The numbers on which kernels for a GPU depend, and their launches. Stages
// give them to passes as options. What a GPU calls its votes and barriers of
// warps is in lib/Conversion/Gpu/WarpOps.cpp. This file includes nothing of
// MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_COMPILER_GPUTARGET_H
#define NACHO_COMPILER_GPUTARGET_H

#include <cstdint>

namespace nacho {

struct GpuTarget {
  /// The number of threads of a warp, which do a part together.
  int64_t lanes;
  /// The most bytes that the threads of a block share, on any GPU of the kind.
  int64_t sharedBytes;
  /// The most threads that have a row of each workspace.
  int64_t slots;
  /// The number of entries of each thread, if nobody asks for parts: few enough
  /// for those of all threads that share memory to fit there.
  int64_t entriesPerPart;
  /// Workspaces take one in so many bytes of a GPU's memory, which leaves some
  /// for the operands, and for other libraries.
  int64_t workspaceShare;
};

inline constexpr GpuTarget kNvidiaGpu = {/*lanes=*/32,
                                         /*sharedBytes=*/int64_t(48) << 10,
                                         /*slots=*/4096,
                                         /*entriesPerPart=*/16,
                                         /*workspaceShare=*/32};

} // namespace nacho

#endif // NACHO_COMPILER_GPUTARGET_H
