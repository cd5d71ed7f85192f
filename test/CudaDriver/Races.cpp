//===- Races.cpp - Who accesses memory of the device in a launch ----------===//

#include "Races.h"
#include "Ptx.h"

using namespace ptx;

static constexpr size_t kWordBytes = 4;
static constexpr int64_t kWarp = 32;

static bool areOfWarp(const Access &x, const Access &y) {
  return x.block == y.block && x.thread / kWarp == y.thread / kWarp;
}

bool Races::Record::conflictsWith(const Access &access) const {
  if (!isSome)
    return false;
  if (elsewhere || last.block != access.block)
    return true;
  if (last.metInBlock != access.metInBlock)
    return false;
  if (inBlock || !areOfWarp(last, access))
    return true;
  return last.metInWarp == access.metInWarp &&
         (inWarp || last.thread != access.thread);
}

void Races::Record::add(const Access &access) {
  bool sameBlock = isSome && last.block == access.block &&
                   last.metInBlock == access.metInBlock;
  bool sameWarp = sameBlock && areOfWarp(last, access);
  elsewhere |= isSome && last.block != access.block;
  inBlock = sameBlock && (inBlock || !sameWarp);
  inWarp = sameWarp && last.metInWarp == access.metInWarp &&
           (inWarp || last.thread != access.thread);
  isSome = true;
  last = access;
}

const Races::Record *Races::conflict(const Word &word, const Access &access,
                                     uint32_t value) const {
  bool isRead = access.kind == AccessKind::read;
  bool isAtomic = access.kind == AccessKind::atomic;
  bool isSame = access.kind == AccessKind::write && value == word.value;
  if (!isSame && word.written.conflictsWith(access))
    return &word.written;
  bool mayMix = areOfWarp(word.atomic.last, access) && !word.atomic.elsewhere;
  if (!isAtomic && !(isRead && mayMix) && word.atomic.conflictsWith(access))
    return &word.atomic;
  bool mayMixReads = areOfWarp(word.read.last, access) && !word.read.elsewhere;
  if (!isRead && !(isAtomic && mayMixReads) && word.read.conflictsWith(access))
    return &word.read;
  return nullptr;
}

static std::string shown(const Access &access) {
  return "thread " + std::to_string(access.thread) + " of block " +
         std::to_string(access.block) + " in line " +
         std::to_string(access.line);
}

void Races::note(const Access &access, uint64_t address, size_t bytes,
                 const void *written) {
  if (bytes < kWordBytes)
    return;
  for (uint64_t at = address / kWordBytes; at * kWordBytes < address + bytes;
       ++at) {
    Word &word = words[at];
    uint32_t value = 0;
    if (written)
      std::memcpy(&value,
                  static_cast<const char *>(written) + at * kWordBytes -
                      address,
                  kWordBytes);
    if (const Record *other = conflict(word, access, value))
      throw Error("race on memory: no barrier is between " + shown(access) +
                  " and " + shown(other->last));
    if (access.kind == AccessKind::write)
      word.value = value;
    Record &own = access.kind == AccessKind::read    ? word.read
                  : access.kind == AccessKind::write ? word.written
                                                     : word.atomic;
    own.add(access);
  }
}
