//===- Recording.h - Calls of the driver, counted and played back ---------===//
//
// What the host does for a call on a GPU can be counted, and timed, where there
// is no GPU: the driver records what the host reads of the device's memory, and
// then plays it back to calls that repeat the recorded ones. Meanwhile, kernels
// do not run, and nobody writes to memory.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_TEST_RECORDING_H
#define NACHO_TEST_RECORDING_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace recording {

/// The number of calls of a function of the driver so far.
std::atomic<int64_t> &callsOf(const char *symbol);

/// Whether launches and copies are accepted and forgotten.
bool isPlayedBack();

/// Records what the host has read, if that was asked for.
void record(const void *read, size_t bytes);

/// Gives the host what it read when it was recorded. Returns false if it then
/// read another number of bytes.
bool playBack(void *to, size_t bytes);

} // namespace recording

#endif // NACHO_TEST_RECORDING_H
