//===- Fences.cpp - What blocks of a launch know of each other ------------===//

#include "Fences.h"

#include <algorithm>

using namespace nacho;

void Fences::merge(Times &times, const Times &more) {
  for (auto [block, met] : more) {
    int64_t &time = times[block];
    time = std::max(time, met);
  }
}

bool Fences::isBefore(const Times &times, int64_t block, int64_t met) {
  auto known = times.find(block);
  return known != times.end() && met < known->second;
}

void Fences::begin() {
  told.clear();
  running = -1;
}

/// Forgets what the block before knew.
void Fences::goOn(int64_t block) {
  if (running == block)
    return;
  running = block;
  fencedAt = -1;
  read.clear();
  fenced.clear();
  known.clear();
}

void Fences::fence(int64_t block, int64_t met) {
  goOn(block);
  if (met > fencedAt)
    merge(known, fenced);
  merge(fenced, read);
  fencedAt = met;
}

void Fences::update(int64_t block, uint64_t word) {
  goOn(block);
  auto found = told.find(word);
  if (found != told.end())
    merge(read, found->second);
  if (fencedAt < 0)
    return;
  Times &all = told[word];
  merge(all, fenced);
  merge(all, {{block, fencedAt}});
}

bool Fences::isKnown(int64_t block, int64_t met, int64_t other,
                     int64_t metOfOther) const {
  if (running != block)
    return false;
  return isBefore(known, other, metOfOther) ||
         (met > fencedAt && isBefore(fenced, other, metOfOther));
}
