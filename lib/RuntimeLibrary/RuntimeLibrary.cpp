//===- RuntimeLibrary.cpp - The C functions of the runtime library --------===//

#include "Batches.h"
#include "Export.h"
#include "OrderedOperand.h"
#include "StaticKernel.h"
#include "nacho-c/Runtime.h"
#include "nacho/Execution/Canonical.h"
#include "nacho/Execution/Device.h"
#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Memory.h"
#include "nacho/Runtime/Runtime.h"
#include "nacho/Runtime/Workers.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>

using namespace nacho;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static void printAndEnd(const char *text) {
  std::fprintf(stderr, "nacho: error: %s\n", text);
  std::abort();
}

static std::atomic<nacho_error_handler> errorHandler = printAndEnd;

NACHO_EXPORT nacho_error_handler
nacho_set_error_handler(nacho_error_handler handler) {
  return errorHandler.exchange(handler ? handler : printAndEnd);
}

/// Runs a function, whose exceptions go to the handler. Returns whether there
/// was none.
template <typename Function>
static bool guarded(Function run) {
  try {
    run();
    return true;
  } catch (const OutOfMemory &error) {
    errorHandler.load()(
        (std::string("there is no memory: ") + error.what() + " cannot be had")
            .c_str());
  } catch (const std::exception &error) {
    errorHandler.load()(error.what());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// An image that was read.
struct Loaded {
  explicit Loaded(std::shared_ptr<const StaticKernel> kernel)
      : kernel(std::move(kernel)) {}

  std::shared_ptr<const StaticKernel> kernel;
  std::atomic<nacho_plan *> kept = nullptr; ///< See keep(); null while in use.
};
} // namespace

/// Reads an image when it is first needed.
static Loaded &load(nacho_image &image) {
  if (void *loaded = __atomic_load_n(&image.loaded, __ATOMIC_ACQUIRE))
    return *static_cast<Loaded *>(loaded);
  static std::mutex mutex;
  // An image can be where nobody looks for pointers: in code made at run time.
  static auto &all = *new std::deque<Loaded>();
  std::lock_guard<std::mutex> lock(mutex);
  if (!image.loaded) {
    std::optional<KernelImage> read =
        readImage({image.text, static_cast<size_t>(image.size)});
    if (!read)
      throw std::runtime_error(
          "a kernel of this program is of another version of Nacho than "
          "libnacho_runtime.so");
    Loaded *made = &all.emplace_back(
        std::make_shared<StaticKernel>(std::move(*read), image.functions));
    __atomic_store_n(&image.loaded, made, __ATOMIC_RELEASE);
  }
  return *static_cast<Loaded *>(image.loaded);
}

/// The number of values of all operands, about as many as the entries read.
static int64_t workOf(const std::vector<TensorLayout> &operands,
                      const std::vector<Argument> &args) {
  int64_t work = 0;
  size_t at = 0;
  for (const TensorLayout &operand : operands) {
    work += args[at + operand.numArrays()].size;
    at += operand.numArguments();
  }
  return work;
}

struct nacho_plan {
  nacho_plan(std::shared_ptr<const Kernel> kernel, const Asked &asked,
             std::vector<Argument> args)
      : plan(std::move(kernel), asked), asked(asked), args(std::move(args)) {}

  Plan plan;
  Asked asked;
  std::vector<Argument> args;
};

NACHO_EXPORT nacho_plan *nacho_create_plan(nacho_image *image,
                                           const nacho_argument *operands,
                                           int64_t threads, int64_t parts) {
  std::unique_ptr<nacho_plan> made;
  bool isMade = guarded([&] {
    std::shared_ptr<const Kernel> kernel = load(*image).kernel;
    size_t count = 0;
    for (const TensorLayout &operand : kernel->operands)
      count += operand.numArguments();
    std::vector<Argument> args;
    args.reserve(count);
    for (size_t n = 0; n < count; ++n)
      args.push_back({readableOnHost(operands[n].data, operands[n].size),
                      operands[n].size});
    Asked asked;
    asked.threads = threads;
    asked.parts = parts;
    asked.work = workOf(kernel->operands, args);
    made =
        std::make_unique<nacho_plan>(std::move(kernel), asked, std::move(args));
    made->plan.plan(made->args);
  });
  return isMade ? made.release() : nullptr;
}

/// Up to so many entries, a plan is kept for the next call: to choose anew how
/// to compute it would take longer than to compute it.
static constexpr int64_t kMostKept = 4096;

/// Gives a plan other arrays, if they are of the same sizes as those before.
static bool takes(nacho_plan &kept, const nacho_argument *operands,
                  int64_t threads, int64_t parts) {
  if (kept.asked.threads != threads || kept.asked.parts != parts)
    return false;
  for (size_t n = 0; n < kept.args.size(); ++n) {
    if (kept.args[n].size != operands[n].size)
      return false;
    kept.args[n].data = readableOnHost(operands[n].data, operands[n].size);
  }
  return true;
}

/// Lets the next call begin with a plan.
static void keep(Loaded &loaded, std::unique_ptr<nacho_plan> plan) {
  if (plan->asked.work <= kMostKept)
    delete loaded.kept.exchange(plan.release());
}

static bool execute(nacho_plan *plan, nacho_argument *results) {
  return guarded([&] {
    std::vector<Buffer> made =
        plan->plan.execute(plan->args, /*isPlanned=*/true, /*isTrusted=*/true);
    for (Buffer &buffer : made) {
      results->data = buffer.disown();
      results->size = buffer.size;
      ++results;
    }
    const StepPlan &last = plan->plan.last();
    for (size_t level = 0; level < last.step->result.levels.size(); ++level)
      *results++ = {nullptr, last.extents()[level]};
  });
}

NACHO_EXPORT void nacho_execute_plan(nacho_plan *plan,
                                     nacho_argument *results) {
  execute(plan, results);
}

NACHO_EXPORT void nacho_destroy_plan(nacho_plan *plan) { delete plan; }

NACHO_EXPORT void nacho_call(nacho_image *image, const nacho_argument *operands,
                             nacho_argument *results, int64_t threads,
                             int64_t parts) {
  Loaded *loaded = nullptr;
  if (!guarded([&] { loaded = &load(*image); }))
    return;
  std::unique_ptr<nacho_plan> plan(loaded->kept.exchange(nullptr));
  if (!plan || !takes(*plan, operands, threads, parts))
    plan.reset(nacho_create_plan(image, operands, threads, parts));
  else if (!guarded([&] { plan->plan.planAgain(plan->args); }))
    return;
  if (plan && execute(plan.get(), results))
    keep(*loaded, std::move(plan));
}

static std::vector<Argument> argumentsOf(const nacho_argument *from,
                                         const TensorLayout &layout) {
  std::vector<Argument> args;
  args.reserve(layout.numArguments());
  for (size_t n = 0; n < layout.numArguments(); ++n)
    args.push_back({from[n].data, from[n].size});
  return args;
}

/// See nacho_call_if_valid().
static bool areValid(const std::vector<TensorLayout> &layouts,
                     const nacho_argument *operands, uint64_t unknown) {
  std::vector<Argument> args;
  for (size_t n = 0; n < layouts.size(); ++n) {
    size_t first = args.size();
    for (const Argument &arg : argumentsOf(operands + first, layouts[n]))
      args.push_back({readableOnHost(arg.data, arg.size), arg.size});
    bool isKnown = n >= 64 || !(unknown >> n & 1);
    if (!isKnown && !isSmallTensor(layouts[n], &args[first]))
      return false;
  }
  return arePositionsValid(layouts, args.data());
}

NACHO_EXPORT int32_t nacho_call_if_valid(nacho_image *image,
                                         const nacho_argument *operands,
                                         uint64_t unknown,
                                         nacho_argument *results,
                                         int64_t threads, int64_t parts) {
  bool valid = false;
  guarded([&] {
    valid = areValid(load(*image).kernel->operands, operands, unknown);
  });
  if (valid)
    nacho_call(image, operands, results, threads, parts);
  return valid;
}

NACHO_EXPORT void *nacho_interleave(void *const *arrays, int64_t count,
                                    int64_t size, int64_t bytes) {
  void *made = nullptr;
  guarded([&] {
    int64_t total = count * size * bytes;
    made = std::malloc(std::max<int64_t>(total, 1));
    if (!made)
      throw OutOfMemory(total);
    char *to = static_cast<char *>(made);
    for (int64_t n = 0; n < size; ++n)
      for (int64_t array = 0; array < count; ++array, to += bytes)
        std::memcpy(to, static_cast<const char *>(arrays[array]) + n * bytes,
                    bytes);
  });
  for (int64_t array = 0; array < count; ++array)
    std::free(arrays[array]);
  return made;
}

//===----------------------------------------------------------------------===//
// Tensors of other formats
//===----------------------------------------------------------------------===//

struct nacho_ordered {
  std::unique_ptr<OrderedOperand> operand;
};

static void storeArguments(const std::vector<Argument> &args,
                           nacho_argument *into) {
  for (const Argument &arg : args)
    *into++ = {arg.data, arg.size};
}

NACHO_EXPORT nacho_ordered *nacho_order_operand(nacho_image *image,
                                                int64_t operand,
                                                nacho_argument *arguments,
                                                int64_t threads) {
  std::unique_ptr<OrderedOperand> made;
  guarded([&] {
    std::shared_ptr<const Kernel> kernel = load(*image).kernel;
    const TensorLayout &layout = kernel->operands[operand];
    std::vector<Argument> args = argumentsOf(arguments, layout);
    if (!threads)
      threads = kernel->device.defaultThreads();
    made = OrderedOperand::sort(layout, args.data(), threads);
    storeArguments(args, arguments);
  });
  return made ? new nacho_ordered{std::move(made)} : nullptr;
}

NACHO_EXPORT void nacho_destroy_ordered(nacho_ordered *ordered) {
  delete ordered;
}

NACHO_EXPORT void nacho_check_rows(int64_t positions, int64_t values) {
  guarded([&] {
    if (positions != values)
      throw std::runtime_error("an operand in batches has room for " +
                               std::to_string(positions) +
                               " entries in each batch, but for " +
                               std::to_string(values) + " values");
  });
}

NACHO_EXPORT void nacho_separate_batches(nacho_image *image, int64_t levels,
                                         nacho_argument *results) {
  guarded([&] {
    const TensorLayout &layout = load(*image).kernel->result();
    std::vector<Argument> args = argumentsOf(results, layout);
    separateBatches(layout, levels, args.data());
    storeArguments(args, results);
  });
}

//===----------------------------------------------------------------------===//
// Functions that kernels call
//===----------------------------------------------------------------------===//

// The names are those of Abi.h.
// NOLINTBEGIN(readability-identifier-naming)
NACHO_EXPORT int32_t nacho_sort_entries(const int64_t *columns,
                                        int64_t numColumns, int64_t keys,
                                        void *values, int64_t valueBytes,
                                        int64_t entries, int64_t threads) {
  return sortEntries(columns, numColumns, keys, values, valueBytes, entries,
                     threads);
}

NACHO_EXPORT void nacho_prefix_sum(void *values, int64_t bytes, int64_t size,
                                   int64_t threads) {
  prefixSum(values, bytes, size, threads);
}

NACHO_EXPORT int32_t nacho_compute_parts(int64_t parts, int64_t threads,
                                         int64_t compute, int64_t context) {
  return computePartsAt(parts, threads, compute, context);
}

NACHO_EXPORT int64_t nacho_await_turn(int64_t address, int64_t word) {
  return awaitTurn(address, word);
}

NACHO_EXPORT void nacho_pass_turn(int64_t address, int64_t number) {
  passTurn(address, number);
}
// NOLINTEND(readability-identifier-naming)
