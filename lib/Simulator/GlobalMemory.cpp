//===- GlobalMemory.cpp - Accesses to memory that all blocks share --------===//

#include "GlobalMemory.h"

#include <cstring>

using namespace nacho;

static constexpr uint64_t kWordBytes = 4;

const AccessRecord *
GlobalMemory::conflict(const Word &word, const Access &access, uint32_t value) {
  bool isRead = access.kind == AccessKind::read;
  bool isAtomic = access.kind == AccessKind::atomic;
  bool isSame = access.kind == AccessKind::write && value == word.value;
  bool mayRead = isRead && word.atomic.isOfWarp(access);
  bool mayUpdate = isAtomic && word.read.isOfWarp(access);
  for (const AccessRecord *other :
       {isSame ? nullptr : &word.written,
        isAtomic || mayRead ? nullptr : &word.atomic,
        isRead || mayUpdate ? nullptr : &word.read})
    if (other && other->conflictsWith(access))
      return other;
  return nullptr;
}

std::string GlobalMemory::note(Access access, uint64_t address, uint64_t bytes,
                               const void *written) {
  if (bytes < kWordBytes)
    return "";
  access.fences = &fences;
  if (access.kind == AccessKind::atomic)
    fences.update(access.block, address / kWordBytes);
  for (uint64_t at = address / kWordBytes; at * kWordBytes < address + bytes;
       ++at) {
    Word &word = pages[at / kWordsOfPage][at % kWordsOfPage];
    uint32_t value = 0;
    if (written)
      std::memcpy(&value,
                  static_cast<const char *>(written) + at * kWordBytes -
                      address,
                  kWordBytes);
    if (const AccessRecord *other = conflict(word, access, value))
      return raceOn("memory", access, *other);
    if (written)
      word.value = value;
    word.of(access.kind).add(access);
  }
  return "";
}
