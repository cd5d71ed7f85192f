//===- Memory.h - Memory limits and out-of-memory errors ------------------===//

#ifndef NACHO_RUNTIME_MEMORY_H
#define NACHO_RUNTIME_MEMORY_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace nacho {

/// There is no memory for an array. The text says for what, how much was asked
/// for, and what was in the way.
class OutOfMemory : public std::bad_alloc {
public:
  /// The number of bytes of an array that is too large to be counted.
  static constexpr int64_t kUncountable = -1;
  /// The number of bytes if it is not known.
  static constexpr int64_t kUnknown = 0;

  /// With `isLeast`, that much is needed at least.
  explicit OutOfMemory(int64_t bytes, std::string reason = "",
                       bool isLeast = false);

  /// Says what the memory was for, unless that has been said.
  void setPurpose(const std::string &named);

  const char *what() const noexcept override { return text.c_str(); }

private:
  void compose();

  int64_t bytes;
  bool isLeast;
  std::string reason, purpose, text;
};

/// Returns how many bytes the control groups may still take that `groups`, a
/// file like /proc/self/cgroup, names, and the groups around them; 0 if none
/// has a limit. Their limits are under `root`, in files of version 2
/// (memory.max) or 1 (memory/memory.limit_in_bytes).
int64_t memoryOfGroups(const std::string &groups, const std::string &root);

/// The bytes that this process can still take without making others swap; 0 if
/// the system does not say.
int64_t availableMemory();

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

/// Compiled code passes on no exceptions: a function that it calls keeps the
/// one that it has caught, for the caller of the code to throw on the same
/// thread.
void keepException() noexcept;
/// Throws the exception that the calling thread has kept last, or OutOfMemory
/// if that does not say what there was no memory for.
[[noreturn]] void throwKept();

/// The bytes that one computation may use at a time.
class MemoryBudget {
public:
  explicit MemoryBudget(int64_t most) : most(most) {}

  /// Throws OutOfMemory if that is more than what is left.
  void take(int64_t bytes);
  /// Throws OutOfMemory, since at least that much would be taken.
  [[noreturn]] void refuse(int64_t bytes) const;
  void give(int64_t bytes) noexcept { used -= bytes; }
  int64_t left() const noexcept { return most - used; }
  int64_t total() const noexcept { return most; }

private:
  /// The limit and what is in use, as text.
  std::string limit(int64_t inUse) const;

  const int64_t most;
  std::atomic<int64_t> used = 0;
};

/// While one of these exists, what its thread computes takes the bytes of its
/// buffers and of its other room from a budget, unless that is null.
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

/// Returns what `allocate` returns, whose bytes are taken from the budget,
/// unless that is null. Throws OutOfMemory.
template <typename Allocate>
auto allocateFrom(MemoryBudget *budget, int64_t bytes, Allocate allocate) {
  if (budget)
    budget->take(bytes);
  auto undo = [=] {
    if (budget)
      budget->give(bytes);
  };
  try {
    return allocate();
  } catch (const std::bad_alloc &) {
    undo();
    throw OutOfMemory(bytes);
  } catch (...) {
    undo();
    throw;
  }
}

/// Bytes that a computation uses while this exists.
class BytesInUse {
public:
  /// Takes them from the budget, unless that is null. Throws OutOfMemory.
  BytesInUse(MemoryBudget *budget, int64_t bytes)
      : budget(budget), bytes(bytes) {
    if (budget)
      budget->take(bytes);
  }
  ~BytesInUse() {
    if (budget)
      budget->give(bytes);
  }
  BytesInUse(const BytesInUse &) = delete;

private:
  MemoryBudget *const budget;
  const int64_t bytes;
};

/// The allocator of vectors whose bytes are taken from a budget, unless that is
/// null.
template <typename T>
class BudgetAllocator {
public:
  using value_type = T;

  explicit BudgetAllocator(MemoryBudget *budget) : budget(budget) {}

  T *allocate(size_t size) {
    return allocateFrom(budget, size * sizeof(T),
                        [&] { return std::allocator<T>().allocate(size); });
  }
  void deallocate(T *data, size_t size) noexcept {
    std::allocator<T>().deallocate(data, size);
    if (budget)
      budget->give(size * sizeof(T));
  }

  bool operator==(const BudgetAllocator &other) const {
    return budget == other.budget;
  }

private:
  MemoryBudget *budget;
};

template <typename T>
using BudgetVector = std::vector<T, BudgetAllocator<T>>;

} // namespace nacho

#endif // NACHO_RUNTIME_MEMORY_H
