//===- Recording.cpp - Calls of the driver, counted and played back -------===//

#include "Recording.h"

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

// Names are as Python needs them.
// NOLINTBEGIN(readability-identifier-naming)
#define NACHO_EXPORT extern "C" __attribute__((visibility("default")))

namespace {
/// How the driver treats calls. Python has these numbers.
enum Mode : int { runs, records, playsBack };

/// What the host has read, copy by copy.
struct Tape {
  std::mutex mutex;
  Mode mode = runs;
  std::vector<std::vector<char>> copies;
  size_t next = 0; ///< The copy that is played back next; the first follows the
                   ///< last.
};
} // namespace

static Tape &tape() {
  static auto *made = new Tape;
  return *made;
}

static std::atomic<bool> playedBack = false;

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

std::atomic<int64_t> &recording::callsOf(const char *symbol) {
  static std::mutex mutex;
  static auto *counts = new std::map<std::string, std::atomic<int64_t>>;
  std::lock_guard<std::mutex> lock(mutex);
  return (*counts)[symbol];
}

/// For tests: how many calls of a function there were.
NACHO_EXPORT int64_t nacho_calls_of(const char *symbol) {
  return recording::callsOf(symbol);
}

//===----------------------------------------------------------------------===//
// The tape
//===----------------------------------------------------------------------===//

/// For tests: changes how calls are treated. To record begins a new tape, to
/// play back begins at its first copy.
NACHO_EXPORT void nacho_set_mode(int mode) {
  std::lock_guard<std::mutex> lock(tape().mutex);
  tape().mode = Mode(mode);
  tape().next = 0;
  if (mode == records)
    tape().copies.clear();
  playedBack = mode == playsBack;
}

bool recording::isPlayedBack() { return playedBack; }

void recording::record(const void *read, size_t bytes) {
  std::lock_guard<std::mutex> lock(tape().mutex);
  const char *begin = static_cast<const char *>(read);
  if (tape().mode == records)
    tape().copies.emplace_back(begin, begin + bytes);
}

bool recording::playBack(void *to, size_t bytes) {
  std::lock_guard<std::mutex> lock(tape().mutex);
  auto &[mutex, mode, copies, next] = tape();
  if (next >= copies.size() || copies[next].size() != bytes)
    return false;
  std::memcpy(to, copies[next].data(), bytes);
  next = (next + 1) % copies.size();
  return true;
}
// NOLINTEND(readability-identifier-naming)
