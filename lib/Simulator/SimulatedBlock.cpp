//===- SimulatedBlock.cpp - The threads of a simulated block --------------===//
//
// Threads that wait for each other are coroutines. Each runs until it waits, or
// ends; then lanes of a warp that wait for each other go on, and if there
// are none, the block does. A thread that is elsewhere by then has diverged.
//
//===----------------------------------------------------------------------===//

#include "SimulatedBlock.h"

#include "nacho/Runtime/Stop.h"

#include <algorithm>

using namespace nacho;

SimulatedBlock &SimulatedBlock::ofThread() {
  static thread_local SimulatedBlock instance;
  return instance;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void SimulatedBlock::begin(const Launch &begun) {
  launch.emplace(begun);
  wrong.clear();
  counter.begin(begun.name, begun.blocks, begun.threads, begun.shared);
  if (begun.threads > kMostThreads) {
    wrong = "it has more than " + std::to_string(kMostThreads) + " threads";
    return;
  }
  // Threads that do not wait use one lane, one after the other.
  int64_t needed = begun.meets ? begun.threads : 1;
  try {
    while (int64_t(lanes.size()) < needed)
      lanes.emplace_back();
    for (int64_t n = 0; begun.meets && n < needed; ++n)
      if (!lanes[n].coroutine)
        lanes[n].coroutine.emplace();
    shared.begin(begun.shared, metInBlock);
    global.begin();
  } catch (const std::bad_alloc &) {
    wrong = "there is no memory for its threads";
  }
  for (Lane &lane : lanes) {
    static_cast<SimulatedThread &>(lane) = {
        0, 0, begun.blocks, begun.threads, begun.window, shared.data()};
    lane.owner = this;
  }
}

bool SimulatedBlock::run(int64_t block) {
  number = block;
  if (!wrong.empty())
    return false;
  shared.begin(launch->shared, ++metInBlock);
  if (launch->meets)
    return runTogether();
  const StopWord &word = stopWord();
  Order order(launch->threads, launch->seed);
  Lane &lane = lanes.front();
  lane.block = block;
  for (int64_t n = 0; n < launch->threads && !isSet(word); ++n) {
    lane.thread = order[n];
    lane.path.clear();
    launch->kernel(&lane, launch->frame);
  }
  counter.endBlock();
  return true;
}

void SimulatedBlock::restart(Lane &lane) {
  lane.block = number;
  lane.state = Lane::ready;
  lane.path.clear();
  lane.coroutine->start(
      [](void *argument) {
        Lane &lane = *static_cast<Lane *>(argument);
        const Launch &launch = *lane.owner->launch;
        launch.kernel(&lane, launch.frame);
        lane.state = Lane::ended;
      },
      &lane);
}

bool SimulatedBlock::runTogether() {
  for (int64_t n = 0; n < launch->threads; ++n) {
    lanes[n].thread = n;
    restart(lanes[n]);
  }
  auto hasEnded = [](const Lane &lane) { return lane.state == Lane::ended; };
  int64_t warps = (launch->threads + kLanes - 1) / kLanes;
  Order ofWarps(warps, launch->seed), ofLanes(kLanes, launch->seed);
  const StopWord &word = stopWord();
  while (!isSet(word)) {
    for (int64_t n = 0; n < warps; ++n) {
      int64_t first = ofWarps[n] * kLanes;
      int64_t end = std::min(first + kLanes, launch->threads);
      if (!runWarp(first, end, ofLanes))
        return false;
    }
    if (isSet(word))
      break;
    if (std::all_of(lanes.begin(), lanes.begin() + launch->threads, hasEnded)) {
      counter.endBlock();
      return true;
    }
    meetBlock();
    if (!wrong.empty())
      return false;
  }
  return true;
}

bool SimulatedBlock::runWarp(int64_t first, int64_t end, const Order &order) {
  const StopWord &word = stopWord();
  do {
    for (int64_t n = 0; n < kLanes; ++n) {
      int64_t number = first + order[n];
      if (number >= end || lanes[number].state != Lane::ready)
        continue;
      lanes[number].coroutine->resume();
      if (!wrong.empty())
        return false;
    }
  } while (!isSet(word) && meetWarp(first, end));
  return wrong.empty();
}

void SimulatedBlock::wait(Lane &lane, Lane::State state, const char *site) {
  lane.state = state;
  lane.site = site;
  lane.coroutine->wait();
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

bool SimulatedBlock::meetWarp(int64_t first, int64_t end) {
  bool isAny = false;
  for (int64_t n = first; n < end && wrong.empty(); ++n)
    if (lanes[n].state == Lane::atWarp) {
      isAny = true;
      meetWarp(lanes[n], first, end);
    }
  return isAny && wrong.empty();
}

/// The lanes that a lane waits for, as threads.
template <typename F>
static void forEachOf(int64_t mask, int64_t first, int64_t end, F f) {
  for (int64_t n = first; n < end; ++n)
    if (mask >> (n - first) & 1)
      f(n);
}

void SimulatedBlock::meetWarp(const Lane &waiting, int64_t first, int64_t end) {
  const int64_t mask = waiting.mask;
  bool isAmong = mask >> (waiting.thread - first) & 1;
  if (!isAmong)
    wrong = shown(waiting) + " for lanes that it is not among";
  const Lane *missing = nullptr;
  forEachOf(mask, first, end, [&](int64_t n) {
    Lane &lane = lanes[n];
    if (!missing && (lane.state != Lane::atWarp || lane.site != waiting.site ||
                     lane.mask != mask))
      missing = &lane;
    if (lane.asked >= end && wrong.empty())
      wrong = shown(lane) + " for lane " + std::to_string(lane.asked - first) +
              ", which its warp does not have";
  });
  if (!wrong.empty())
    return;
  if (missing)
    return diverge(waiting, *missing);
  exchange(mask, first, end);
}

void SimulatedBlock::exchange(int64_t mask, int64_t first, int64_t end) {
  int64_t votes = 0, all = (int64_t(1) << (end - first)) - 1;
  forEachOf(mask, first, end,
            [&](int64_t n) { votes |= (lanes[n].value & 1) << (n - first); });
  forEachOf(mask, first, end, [&](int64_t n) {
    Lane &lane = lanes[n];
    lane.answer = lanes[lane.asked].value;
    lane.votes = votes;
    lane.state = Lane::ready;
    lane.metInWarp += lane.isBarrier && (mask & all) == all;
  });
}

void SimulatedBlock::meetBlock() {
  auto begin = lanes.begin(), end = begin + launch->threads;
  const Lane &waiting = *std::find_if(
      begin, end, [](const Lane &lane) { return lane.state == Lane::atBlock; });
  for (auto lane = begin; lane != end; ++lane)
    if (lane->state != Lane::atBlock || lane->site != waiting.site)
      return diverge(waiting, *lane);
  for (auto lane = begin; lane != end; ++lane)
    lane->state = Lane::ready;
  ++metInBlock;
  counter.meet();
}

void SimulatedBlock::diverge(const Lane &waiting, const Lane &missing) {
  wrong = "threads diverge: " + shown(waiting) + ", and " + shown(missing);
}

std::string SimulatedBlock::shown(const Lane &lane) const {
  std::string thread = "thread " + std::to_string(lane.thread);
  if (lane.state == Lane::ended)
    return thread + " has ended";
  return thread + " waits at " + lane.site;
}

//===----------------------------------------------------------------------===//
// Memory and errors
//===----------------------------------------------------------------------===//

/// Each block has shared memory of its own, so that its number says nothing.
bool SimulatedBlock::accessShared(const Lane &lane, const char *site,
                                  AccessKind kind, const char *at,
                                  int64_t bytes) {
  wrong = shared.note(
      {kind, site, /*block=*/0, lane.thread, metInBlock, lane.metInWarp}, at,
      size_t(bytes));
  return wrong.empty();
}

bool SimulatedBlock::accessGlobal(const Lane &lane, const char *site,
                                  AccessKind kind, uint64_t address,
                                  int64_t bytes, const void *written) {
  wrong =
      global.note({kind, site, number, lane.thread, metInBlock, lane.metInWarp},
                  address, uint64_t(bytes), written);
  return wrong.empty();
}

void SimulatedBlock::leave(Lane &lane) {
  if (launch->meets)
    lane.coroutine->wait();
  failSimulated();
}

std::string SimulatedBlock::error() const {
  return "kernel '" + std::string(launch->name) + "', block " +
         std::to_string(number) + ": " + wrong;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

void nacho::countBlock(const SimulatedThread *thread, int64_t id,
                       int64_t weight) noexcept {
  Lane &lane = Lane::of(thread);
  lane.owner->counter.addBlock(lane.thread, lane.path.hash(), id, weight);
}

void nacho::countAccess(const SimulatedThread *thread, int64_t id,
                        AccessKind kind, int64_t isShared, int64_t address,
                        int64_t bytes, int64_t waits) noexcept {
  Lane &lane = Lane::of(thread);
  lane.owner->counter.addAccess(
      lane.thread, lane.path.hash(), id,
      {kind, isShared != 0, uint64_t(address), bytes, waits});
}

void nacho::beginLoop(const SimulatedThread *thread) noexcept {
  Lane::of(thread).path.begin();
}

void nacho::nextStep(const SimulatedThread *thread) noexcept {
  Lane::of(thread).path.next();
}

void nacho::endLoop(const SimulatedThread *thread) noexcept {
  Lane::of(thread).path.end();
}
