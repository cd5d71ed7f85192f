//===- SharedMemory.cpp - The shared memory of a simulated block ----------===//

#include "SharedMemory.h"

using namespace nacho;

void SharedMemory::begin(size_t size, int64_t met) {
  this->size = size;
  first = met;
  if (size > memory.size()) {
    memory.resize(size);
    bytes.resize(size);
  }
}

/// Returns the earlier accesses that an access conflicts with, or null.
static const AccessRecord *conflict(const Place &byte, const Access &access) {
  bool isAtomic = access.kind == AccessKind::atomic;
  for (const AccessRecord *other :
       {&byte.written, isAtomic ? nullptr : &byte.atomic,
        access.kind == AccessKind::read ? nullptr : &byte.read})
    if (other && other->conflictsWith(access))
      return other;
  return nullptr;
}

/// Blocks do not share this memory, and are told apart by how often they met.
std::string SharedMemory::note(const Access &access, const char *at,
                               size_t length) {
  size_t begin = at - memory.data();
  if (begin > size || size - begin < length)
    return shown(access) + " accesses shared memory beyond its end";
  for (size_t n = begin; n < begin + length; ++n) {
    Place &byte = bytes[n];
    if (const AccessRecord *other = conflict(byte, access))
      return raceOn("shared memory", access, *other);
    bool isKnown = byte.written.isSince(first) || byte.atomic.isSince(first);
    if (access.kind != AccessKind::write && !isKnown)
      return shown(access) + " reads shared memory that nobody has written";
    byte.of(access.kind).add(access);
  }
  return "";
}
