//===- LaunchCounter.cpp - Counts of one launch ---------------------------===//
//
// Threads run one after the other, so that what the lanes of a warp do is noted
// first, and combined when all of them have met.
//
//===----------------------------------------------------------------------===//

#include "LaunchCounter.h"

#include <algorithm>

using namespace nacho;

static constexpr uint64_t kSector = 32, kSectorsOfLine = 4;
static constexpr uint64_t kBanks = 32, kBankBytes = 4;

static uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
  return hash ^ (hash >> 32);
}

void LoopPath::next() {
  Loop &inner = around.back();
  path = mixed(inner.path, ++inner.steps);
}

void TouchedBytes::add(uint64_t address, uint64_t bytes) {
  for (uint64_t at = address; at < address + bytes; ++at) {
    uint64_t bit = at % kPage;
    pages[at / kPage][bit / 64] |= uint64_t(1) << (bit % 64);
  }
}

int64_t TouchedBytes::count() const {
  int64_t all = 0;
  for (const auto &[page, words] : pages)
    for (uint64_t word : words)
      all += __builtin_popcountll(word);
  return all;
}

void SectorCache::clear() {
  sectors.clear();
  entered = loaded = stored = 0;
}

/// A sector that is stored is not loaded before.
bool SectorCache::access(uint64_t sector, bool stores) {
  auto [known, isNew] = sectors.try_emplace(sector);
  Sector &found = known->second;
  bool isMissing = isNew || entered - found.last >= capacity;
  if (isMissing) {
    ++entered;
    loaded += !stores;
    found.isStored = false;
  }
  found.last = entered;
  stored += stores && !found.isStored;
  found.isStored |= stores;
  return !isMissing;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// The bytes of its processor's cache that a block of an H100 has if as many
/// run at a time as there are, or as threads and shared memory allow, of which
/// the system takes a part for each block. The cache is what blocks do not
/// share of the same memory.
static int64_t nearBytes(int64_t blocks, int64_t threads, int64_t shared) {
  static constexpr int64_t kProcessors = 132, kThreads = 2048, kBlocks = 32;
  static constexpr int64_t kMemory = 256 << 10, kShared = 228 << 10;
  int64_t ofBlock = shared + 1024;
  int64_t resident =
      std::min({kBlocks, kThreads / std::max<int64_t>(threads, 1),
                kShared / ofBlock, (blocks + kProcessors - 1) / kProcessors});
  resident = std::max<int64_t>(resident, 1);
  return kMemory / resident - ofBlock;
}

void LaunchCounter::begin(const char *launched, int64_t numBlocks,
                          int64_t numThreads, int64_t shared) {
  name = launched;
  blocks = numBlocks;
  threads = numThreads;
  warps.resize((numThreads + kLanes - 1) / kLanes);
  for (Warp &warp : warps) {
    warp.events.clear();
    warp.issued = warp.farWaits = warp.nearWaits = 0;
  }
  read.clear();
  written.clear();
  cache.clear();
  near.resize(nearBytes(numBlocks, numThreads, shared));
  counts = {};
}

void LaunchCounter::add(int64_t thread, const Event &event) {
  /// The only thread of a warp does nothing together with others.
  static constexpr size_t kEnough = 1 << 16;
  Warp &warp = warps[thread / kLanes];
  warp.events.push_back(event);
  if (threads == 1 && warp.events.size() >= kEnough)
    combine(warp);
}

void LaunchCounter::addBlock(int64_t thread, uint64_t path, int64_t id,
                             int64_t weight) {
  add(thread, {mixed(path, id), uint64_t(weight), 0, uint8_t(thread % kLanes),
               What::block, 0});
}

void LaunchCounter::addAccess(int64_t thread, uint64_t path, int64_t id,
                              const Access &access) {
  What what = access.isShared                    ? What::shared
              : access.kind == AccessKind::read  ? What::read
              : access.kind == AccessKind::write ? What::write
                                                 : What::atomic;
  add(thread, {mixed(path, id), access.address, uint32_t(access.bytes),
               uint8_t(thread % kLanes), what, uint8_t(access.waits)});
}

void LaunchCounter::meet() {
  for (Warp &warp : warps)
    combine(warp);
}

void LaunchCounter::endBlock() {
  meet();
  for (Warp &warp : warps) {
    counts.longest = std::max(counts.longest, warp.issued);
    counts.longestFarWaits = std::max(counts.longestFarWaits, warp.farWaits);
    counts.longestNearWaits = std::max(counts.longestNearWaits, warp.nearWaits);
    counts.farWaits += warp.farWaits;
    counts.nearWaits += warp.nearWaits;
    counts.warps += warp.issued > 0;
    warp.issued = warp.farWaits = warp.nearWaits = 0;
  }
  near.clear();
}

void LaunchCounter::end() {
  if (counts.issued == 0)
    return;
  counts.launches = 1;
  counts.blocks = blocks;
  counts.threads = threads;
  counts.bytesLoaded = read.count();
  counts.bytesStored = written.count();
  counts.sectorsMoved = cache.moved();
  addCounts(name, counts);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void LaunchCounter::combine(Warp &warp) {
  auto &events = warp.events;
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return a.key != b.key ? a.key < b.key : a.lane < b.lane;
  });
  for (Events begin = events.begin(); begin != events.end();) {
    Events end = std::find_if(begin, events.cend(), [&](const Event &event) {
      return event.key != begin->key;
    });
    count(warp, begin, end);
    begin = end;
  }
  events.clear();
}

void LaunchCounter::count(Warp &warp, Events begin, Events end) {
  if (begin->what == What::shared)
    return countShared(warp, begin, end);
  if (begin->what != What::block)
    return countGlobal(warp, begin, end);
  int64_t weight = int64_t(begin->address);
  warp.issued += weight;
  counts.issued += weight;
  counts.useful += weight * (end - begin);
}

/// Leaves the sectors of an instruction, each once.
void LaunchCounter::findSectors(Events begin, Events end) {
  scratch.clear();
  for (Events event = begin; event != end; ++event)
    for (uint64_t sector = event->address / kSector;
         sector <= (event->address + event->bytes - 1) / kSector; ++sector)
      scratch.push_back(sector);
  std::sort(scratch.begin(), scratch.end());
  scratch.erase(std::unique(scratch.begin(), scratch.end()), scratch.end());
}

/// What is stored, or accessed by an atomic instruction, is not near.
void LaunchCounter::countLines(Warp &warp, const Event &event) {
  bool isLoad = event.what == What::read;
  int64_t lines = 0;
  uint64_t last = ~uint64_t(0);
  for (uint64_t sector : scratch) {
    if (isLoad && near.access(sector, /*stores=*/false))
      continue;
    uint64_t line = sector / kSectorsOfLine;
    lines += line != last;
    last = line;
  }
  counts.lines += lines;
  (lines ? warp.farWaits : warp.nearWaits) += event.waits;
}

/// An atomic access loads and stores.
void LaunchCounter::countGlobal(Warp &warp, Events begin, Events end) {
  findSectors(begin, end);
  int64_t sectors = scratch.size();
  countLines(warp, *begin);
  if (begin->what == What::atomic)
    counts.atomics += end - begin;
  if (begin->what != What::write) {
    counts.sectorsLoaded += sectors;
    for (uint64_t sector : scratch)
      cache.access(sector, /*stores=*/false);
    for (Events event = begin; event != end; ++event)
      read.add(event->address, event->bytes);
  }
  if (begin->what != What::read) {
    counts.sectorsStored += sectors;
    for (uint64_t sector : scratch)
      cache.access(sector, /*stores=*/true);
    for (Events event = begin; event != end; ++event)
      written.add(event->address, event->bytes);
  }
}

/// A turn serves 32 words of 4 bytes, each in a bank of its own: 32 lanes, or
/// fewer if each accesses more. Lanes that access the same word share a turn.
void LaunchCounter::countShared(Warp &warp, Events begin, Events end) {
  ++counts.sharedAccesses;
  warp.nearWaits += begin->waits;
  uint64_t words = std::max<uint64_t>(begin->bytes / kBankBytes, 1);
  uint64_t together = std::max<uint64_t>(kBanks / words, 1);
  int64_t fewest = (words + kBanks - 1) / kBanks;
  for (Events first = begin; first != end;) {
    Events last = std::find_if(first, end, [&](const Event &event) {
      return event.lane / together != first->lane / together;
    });
    scratch.clear();
    for (Events event = first; event != last; ++event)
      for (uint64_t n = 0; n < words; ++n)
        scratch.push_back(event->address / kBankBytes + n);
    std::sort(scratch.begin(), scratch.end());
    auto distinct = std::unique(scratch.begin(), scratch.end());
    std::array<int64_t, kBanks> turns = {};
    for (auto word = scratch.begin(); word != distinct; ++word)
      ++turns[*word % kBanks];
    counts.bankConflicts +=
        *std::max_element(turns.begin(), turns.end()) - fewest;
    first = last;
  }
}
