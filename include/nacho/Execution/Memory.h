//===- Memory.h - Memory that does not suffice ----------------------------===//

#ifndef NACHO_EXECUTION_MEMORY_H
#define NACHO_EXECUTION_MEMORY_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

namespace nacho {

/// There is no memory for an array. The text says for what, how much was asked
/// for, and what was in the way.
class OutOfMemory : public std::bad_alloc {
public:
  /// The number of bytes of an array that is too large to be counted.
  static constexpr int64_t kUncountable = -1;
  /// The number of bytes if it is not known.
  static constexpr int64_t kUnknown = 0;

  explicit OutOfMemory(int64_t bytes, std::string reason = "");

  /// Says what the memory was for, unless that has been said.
  void setPurpose(const std::string &named);

  const char *what() const noexcept override { return text.c_str(); }

private:
  void compose();

  int64_t bytes;
  std::string reason, purpose, text;
};

/// Returns what `allocate` returns. If there is no memory, the error says that
/// it was for `purpose`.
template <typename Allocate>
auto allocateFor(const std::string &purpose, Allocate allocate) {
  try {
    return allocate();
  } catch (OutOfMemory &error) {
    error.setPurpose(purpose);
    throw;
  }
}

/// The bytes that the buffers of one computation may have at a time.
class MemoryBudget {
public:
  explicit MemoryBudget(int64_t most) : most(most) {}

  /// Throws OutOfMemory if that is more than what is left.
  void take(int64_t bytes);
  void give(int64_t bytes) noexcept { used -= bytes; }

private:
  const int64_t most;
  std::atomic<int64_t> used = 0;
};

/// While one of these exists, the buffers that its thread makes take their
/// bytes from a budget, unless that is null.
class Spending {
public:
  explicit Spending(std::shared_ptr<MemoryBudget> budget);
  ~Spending();
  Spending(const Spending &) = delete;

  /// The budget of the calling thread, or null.
  static const std::shared_ptr<MemoryBudget> &current();

private:
  std::shared_ptr<MemoryBudget> before;
};

} // namespace nacho

#endif // NACHO_EXECUTION_MEMORY_H
