//===- Memory.cpp - Memory limits and out-of-memory errors ----------------===//

#include "nacho/Runtime/Memory.h"

#include <exception>
#include <utility>

using namespace nacho;

OutOfMemory::OutOfMemory(int64_t bytes, std::string reason)
    : bytes(bytes), reason(std::move(reason)) {
  compose();
}

void OutOfMemory::setPurpose(const std::string &named) {
  if (purpose.empty())
    purpose = named;
  compose();
}

void OutOfMemory::compose() {
  if (bytes == kUnknown)
    text = "more memory";
  else if (bytes == kUncountable)
    text = "more than 2^63 bytes";
  else
    text = std::to_string(bytes) + " bytes";
  text += " for " + (purpose.empty() ? "a table" : purpose);
  if (!reason.empty())
    text += ", but " + reason;
}

void MemoryBudget::take(int64_t bytes) {
  int64_t before = used.fetch_add(bytes);
  if (before <= most - bytes)
    return;
  used -= bytes;
  throw OutOfMemory(bytes, "memory_limit is " + std::to_string(most) +
                               " bytes, of which " + std::to_string(before) +
                               " are in use");
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
