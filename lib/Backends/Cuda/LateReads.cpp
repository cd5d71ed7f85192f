//===- LateReads.cpp - Copies for the host that nobody waits for ----------===//

#include "LateReads.h"

#include "nacho/Runtime/Fork.h"

#include <algorithm>
#include <iterator>
#include <utility>

using namespace nacho;
using namespace nacho::cuda;

/// The copies for which there is memory at a time.
static constexpr size_t kReads = 256;

LateReads::LateReads() { holdAtFork(mutex); }

/// Allocates memory, at the first call; it is kept for good.
void LateReads::makeRoom() {
  if (std::exchange(isMade, true))
    return;
  void *memory = nullptr;
  if (driver().allocateStaging(&memory, kReads * kMostBytes, kPortable) != kOk)
    return;
  all.resize(kReads);
  for (size_t n = 0; n < kReads; ++n) {
    all[n].memory = static_cast<char *>(memory) + n * kMostBytes;
    free.push_back(&all[n]);
  }
}

LateReads::Read *LateReads::begin(Handle stream, size_t bytes,
                                  const Device::LateCheck &check) {
  std::lock_guard<std::mutex> lock(mutex);
  makeRoom();
  if (free.empty() || bytes > kMostBytes)
    return nullptr;
  Read *read = free.back();
  free.pop_back();
  read->stream = stream;
  read->check = check;
  return read;
}

void LateReads::add(Read *read) {
  std::lock_guard<std::mutex> lock(mutex);
  added.push_back(read);
}

std::vector<LateReads::Read *> LateReads::takeOf(Handle stream) {
  std::lock_guard<std::mutex> lock(mutex);
  auto isTaken = [=](const Read *read) { return read->stream == stream; };
  std::vector<Read *> taken;
  std::copy_if(added.begin(), added.end(), std::back_inserter(taken), isTaken);
  added.erase(std::remove_if(added.begin(), added.end(), isTaken), added.end());
  return taken;
}

std::vector<LateReads::Read *> LateReads::takeAll() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(added, {});
}

void LateReads::finish(const std::vector<Read *> &done) {
  std::string wrong;
  for (Read *read : done) {
    try {
      read->check(read->memory);
    } catch (const std::exception &error) {
      if (wrong.empty())
        wrong = error.what();
    }
    read->check = nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    free.push_back(read);
  }
  if (!wrong.empty())
    throw LateError(wrong);
}
