//===- StreamPool.cpp - Released memory of a GPU, by stream ---------------===//

#include "StreamPool.h"

#include "nacho/Runtime/Fork.h"

#include <algorithm>

using namespace nacho;
using namespace nacho::cuda;

StreamPool::StreamPool() { holdAtFork(mutex); }

size_t StreamPool::roomFor(size_t bytes) {
  constexpr size_t least = 512, stepsPerDoubling = 8;
  size_t step = least;
  while (step * 2 * stepsPerDoubling <= bytes)
    step *= 2;
  return std::max(least, (bytes + step - 1) / step * step);
}

std::optional<Address> StreamPool::take(Handle stream, size_t room) {
  std::lock_guard<std::mutex> lock(mutex);
  auto shelf = shelves.find({stream, room});
  if (shelf == shelves.end() || shelf->second.empty())
    return std::nullopt;
  Address data = shelf->second.back();
  shelf->second.pop_back();
  kept -= room;
  return data;
}

bool StreamPool::keep(Handle stream, Address data, size_t room, size_t most) {
  std::lock_guard<std::mutex> lock(mutex);
  if (room > most || kept > most - room)
    return false;
  shelves[{stream, room}].push_back(data);
  kept += room;
  return true;
}

std::vector<Address> StreamPool::takeAll() {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Address> all;
  for (const auto &[shelf, addresses] : shelves)
    all.insert(all.end(), addresses.begin(), addresses.end());
  shelves.clear();
  kept = 0;
  return all;
}

size_t StreamPool::bytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  return kept;
}
