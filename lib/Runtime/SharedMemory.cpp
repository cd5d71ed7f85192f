//===- SharedMemory.cpp - The shared memory of a simulated block ----------===//
//
// What is found does not depend on the order in which threads run: an access is
// compared with the earlier ones of all threads, whichever came first.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

using namespace nacho;

/// Threads of a warp, which may meet without the rest of the block.
static int64_t warpOf(int64_t thread) { return thread / kLanes; }

bool SharedMemory::Record::conflictsWith(const SharedAccess &access) const {
  if (ofBlock != access.ofBlock)
    return false;
  if (elsewhere || warpOf(thread) != warpOf(access.thread))
    return true;
  return ofWarp == access.ofWarp && (inWarp || thread != access.thread);
}

void SharedMemory::Record::add(const SharedAccess &access) {
  bool isFirst = ofBlock != access.ofBlock;
  bool sameWarp = !isFirst && warpOf(thread) == warpOf(access.thread);
  elsewhere = !isFirst && (elsewhere || !sameWarp);
  inWarp = sameWarp && ofWarp == access.ofWarp &&
           (inWarp || thread != access.thread);
  if (thread != access.thread) {
    before = thread;
    siteBefore = site;
  }
  ofBlock = access.ofBlock;
  ofWarp = access.ofWarp;
  thread = access.thread;
  site = access.site;
}

void SharedMemory::begin(size_t size, int64_t ofBlock) {
  this->size = size;
  first = ofBlock;
  if (size > memory.size()) {
    memory.resize(size);
    bytes.resize(size);
  }
}

const SharedMemory::Record *
SharedMemory::conflict(const Byte &byte, const SharedAccess &access) const {
  bool isAtomic = access.kind == AccessKind::atomic;
  for (const Record *other :
       {&byte.written, isAtomic ? nullptr : &byte.atomic,
        access.kind == AccessKind::read ? nullptr : &byte.read})
    if (other && other->conflictsWith(access))
      return other;
  return nullptr;
}

static std::string shown(int64_t thread, const char *site) {
  return "thread " + std::to_string(thread) + " at " + site;
}

std::string SharedMemory::note(const SharedAccess &access, const char *at,
                               size_t length) {
  size_t begin = at - memory.data();
  if (begin > size || size - begin < length)
    return shown(access.thread, access.site) +
           " accesses shared memory beyond its end";
  for (size_t n = begin; n < begin + length; ++n) {
    Byte &byte = bytes[n];
    if (const Record *other = conflict(byte, access)) {
      bool isOwn = other->thread == access.thread;
      return "race on shared memory: no barrier is between " +
             shown(access.thread, access.site) + " and " +
             shown(isOwn ? other->before : other->thread,
                   isOwn ? other->siteBefore : other->site);
    }
    if (access.kind != AccessKind::write && !byte.isKnown(first))
      return shown(access.thread, access.site) +
             " reads shared memory that nobody has written";
    Record &own = access.kind == AccessKind::read    ? byte.read
                  : access.kind == AccessKind::write ? byte.written
                                                     : byte.atomic;
    own.add(access);
  }
  return "";
}
