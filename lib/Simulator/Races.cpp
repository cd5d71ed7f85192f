//===- Races.cpp - Races of threads on memory of a simulated GPU ----------===//

#include "Races.h"

using namespace nacho;

/// Returns the number of a warp, whose threads may meet without the rest of the
/// block.
static int64_t warpOf(int64_t thread) { return thread / kLanes; }

bool AccessRecord::isLast(const Access &access) const {
  return last.thread == access.thread && last.block == access.block;
}

bool AccessRecord::isOfWarp(const Access &access) const {
  return !elsewhere && last.block == access.block &&
         warpOf(last.thread) == warpOf(access.thread);
}

bool AccessRecord::conflictsWith(const Access &access) const {
  if (metInBlock < 0)
    return false;
  if (elsewhere)
    return true;
  if (last.block != access.block)
    return !access.isAfter(last.block, metInBlock);
  if (metInBlock != access.metInBlock)
    return false;
  if (inBlock || !isOfWarp(access))
    return true;
  return metInWarp == access.metInWarp && (inWarp || !isLast(access));
}

void AccessRecord::add(const Access &access) {
  bool isFirst = metInBlock < 0;
  bool sameBlock =
      last.block == access.block && metInBlock == access.metInBlock;
  bool sameWarp = sameBlock && warpOf(last.thread) == warpOf(access.thread);
  elsewhere |= !isFirst && last.block != access.block &&
               !access.isAfter(last.block, metInBlock);
  inBlock = sameBlock && (inBlock || !sameWarp);
  inWarp =
      sameWarp && metInWarp == access.metInWarp && (inWarp || !isLast(access));
  if (!isFirst && !isLast(access))
    before = last;
  last = {access.site, int32_t(access.block), int32_t(access.thread)};
  metInBlock = access.metInBlock;
  metInWarp = access.metInWarp;
}

AccessRecord &Place::of(AccessKind kind) {
  switch (kind) {
  case AccessKind::read:
    return read;
  case AccessKind::write:
    return written;
  case AccessKind::atomic:
    return atomic;
  }
  return read;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string shownAt(int64_t thread, const char *site) {
  return "thread " + std::to_string(thread) + " at " + site;
}

std::string nacho::shown(const Access &access) {
  return shownAt(access.thread, access.site);
}

std::string AccessRecord::shownBeside(const Access &access) const {
  const Who &other = isLast(access) ? before : last;
  std::string text = shownAt(other.thread, other.site);
  if (other.block != access.block)
    text += ", in block " + std::to_string(other.block);
  return text;
}

std::string nacho::raceOn(const char *memory, const Access &access,
                          const AccessRecord &earlier) {
  return std::string("race on ") + memory + ": no barrier is between " +
         shown(access) + " and " + earlier.shownBeside(access);
}
