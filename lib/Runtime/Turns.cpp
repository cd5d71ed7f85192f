//===- Turns.cpp - Parts that pass numbers on -----------------------------===//

#include "Place.h"

#include <algorithm>
#include <sched.h>
#include <unistd.h>

using namespace nacho;

/// The number of times that a part looks for its turn before it sleeps.
static constexpr int64_t kMostPatience = 20;

int64_t nacho::awaitTurn(int64_t address, int64_t word) noexcept {
  const auto &number = *reinterpret_cast<std::atomic<int64_t> *>(address);
  int64_t found = 0;
  auto isOver = [&] {
    found = number.load(std::memory_order_acquire);
    return found >= 0 || isSet(*reinterpret_cast<StopWord *>(word));
  };
  // A part may need this processor, and get it only while this thread sleeps.
  for (int64_t n = 0; !OnlyPart::exists(); ++n) {
    if (becomesTrue(isOver, [] { sched_yield(); }, kPatience))
      break;
    if (n > kMostPatience)
      usleep(kPatience.count());
  }
  return std::max<int64_t>(found, 0);
}

void nacho::passTurn(int64_t address, int64_t number) noexcept {
  auto &passed = *reinterpret_cast<std::atomic<int64_t> *>(address);
  passed.store(number, std::memory_order_release);
}
