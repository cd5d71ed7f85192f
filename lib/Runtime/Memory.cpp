//===- Memory.cpp - Memory limits and out-of-memory errors ----------------===//

#include "nacho/Runtime/Memory.h"
#include "ControlGroups.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <utility>

using namespace nacho;

OutOfMemory::OutOfMemory(int64_t bytes, std::string reason, bool isLeast)
    : bytes(bytes), isLeast(isLeast), reason(std::move(reason)) {
  compose();
}

void OutOfMemory::setPurpose(const std::string &named) {
  if (purpose.empty())
    purpose = named;
  compose();
}

/// A large number of bytes as a person reads it, in parentheses; nothing for
/// one that is not.
static std::string inUnits(int64_t bytes) {
  constexpr int64_t kLarge = 1'000'000;
  if (bytes < kLarge)
    return "";
  const char *unit = "kMGTPE";
  double number = double(bytes) / 1000;
  for (; number >= 1000; number /= 1000)
    ++unit;
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), " (%.1f %cB)", number, *unit);
  return text.data();
}

void OutOfMemory::compose() {
  text = isLeast ? "at least " : "";
  if (bytes == kUnknown)
    text += "more memory";
  else if (bytes == kUncountable)
    text += "more than 2^63 bytes";
  else
    text += std::to_string(bytes) + " bytes";
  text += " for " + (purpose.empty() ? "a table" : purpose) + inUnits(bytes);
  if (!reason.empty())
    text += ", but " + reason;
}

/// The bytes that the processes of one group may still take; 0 if that is not
/// limited.
static int64_t memoryIn(const std::string &group) {
  int64_t most = 0, used = 0;
  // A limit of "max" is no number.
  if (std::ifstream(group + "/memory.max") >> most) {
    std::ifstream(group + "/memory.current") >> used;
  } else {
    most = 0;
    std::ifstream(group + "/memory.limit_in_bytes") >> most;
    std::ifstream(group + "/memory.usage_in_bytes") >> used;
  }
  return most > 0 ? std::max<int64_t>(most - used, 1) : 0;
}

int64_t nacho::memoryOfGroups(const std::string &groups,
                              const std::string &root) {
  return leastOfGroups(groups, root, "memory", memoryIn);
}

int64_t nacho::availableMemory() {
  std::ifstream lines("/proc/meminfo");
  int64_t available = 0;
  for (std::string line; std::getline(lines, line);)
    if (std::sscanf(line.c_str(), "MemAvailable: %ld kB", &available) == 1)
      break;
  return lesserOf(available * 1024,
                  memoryOfGroups("/proc/self/cgroup", "/sys/fs/cgroup"));
}

void MemoryBudget::take(int64_t bytes) {
  int64_t before = used.fetch_add(bytes);
  if (before <= most - bytes)
    return;
  used -= bytes;
  throw OutOfMemory(bytes, limit(before));
}

void MemoryBudget::refuse(int64_t bytes) const {
  throw OutOfMemory(bytes, limit(used), /*isLeast=*/true);
}

std::string MemoryBudget::limit(int64_t inUse) const {
  return "memory_limit is " + std::to_string(most) + " bytes" + inUnits(most) +
         ", of which " + std::to_string(inUse) + " are in use" + inUnits(inUse);
}

static thread_local std::exception_ptr kept;

void nacho::keepException() noexcept { kept = std::current_exception(); }

void nacho::throwKept() {
  try {
    if (kept)
      std::rethrow_exception(std::exchange(kept, nullptr));
  } catch (const OutOfMemory &) {
    throw;
  } catch (const std::bad_alloc &) {
  }
  throw OutOfMemory(OutOfMemory::kUnknown);
}

static thread_local std::shared_ptr<MemoryBudget> budgetOfThread;

Spending::Spending(std::shared_ptr<MemoryBudget> budget)
    : before(std::exchange(budgetOfThread, std::move(budget))) {}

Spending::~Spending() { budgetOfThread = std::move(before); }

const std::shared_ptr<MemoryBudget> &Spending::current() {
  return budgetOfThread;
}
