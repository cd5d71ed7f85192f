//===- Simulator.cpp - Launches and memory of the simulated GPU -----------===//

#include "Unit.h"

#include "nacho/Runtime/Stop.h"
#include "nacho/Simulator/Simulator.h"

#include <cstring>
#include <vector>

using namespace nacho;
using namespace nacho::unit;

static constexpr size_t kBytes = 96;

namespace {
/// A launch, and where its kernel writes.
struct Launch {
  char *data;
  size_t at;
  int64_t blocks, threads;
};
} // namespace

/// Each thread adds 1 to a byte of its own, at the address for kernels.
static void addOne(const SimulatedThread *thread, void *frame) {
  auto *launch = static_cast<Launch *>(frame);
  int64_t number = thread->block * thread->threads + thread->thread;
  ++launch->data[thread->window + launch->at + number];
}

static void run(const int64_t *words) {
  auto *launch = reinterpret_cast<Launch *>(words[0]);
  simulateLaunch(addOne, "addOne", launch->blocks, launch->threads,
                 /*shared=*/0,
                 /*meets=*/0, launch);
}

/// What the host must not do.
static void readAsHost(const int64_t *words) {
  auto *launch = reinterpret_cast<Launch *>(words[0]);
  *const_cast<volatile char *>(&launch->data[launch->at]);
}

/// The message of the fault that a call ends with; none if it has no fault.
static std::string faultOf(void (*function)(const int64_t *), Launch launch) {
  int64_t words[] = {reinterpret_cast<int64_t>(&launch)};
  try {
    callSimulated(function, words);
  } catch (const DeviceFault &fault) {
    return fault.what();
  }
  return "";
}

static void checkFault(const std::string &found, llvm::StringRef wanted) {
  check(found == wanted,
        [&] { return "fault '" + found + "', not '" + wanted.str() + "'"; });
}

NACHO_SUITE("simulator") {
  for (size_t bytes : {size_t(1), kBytes, size_t(5000)}) {
    auto *data = static_cast<char *>(allocateSimulated(bytes));
    auto *accessed = static_cast<char *>(accessSimulated(data));
    std::memset(accessed, 0, bytes);
    int64_t threads = bytes == 5000 ? 100 : int64_t(bytes);
    checkFault(faultOf(run, {data, 0, int64_t(bytes) / threads, threads}), "");
    check(std::vector<char>(accessed, accessed + bytes) ==
              std::vector<char>(bytes, 1),
          [] { return "a thread did not run, or did so twice"; });
    checkFault(faultOf(readAsHost, {data, 0, 1, 1}),
               "the host accessed memory of the device");
    size_t page = 4096;
    checkFault(faultOf(run, {data, page * 2, 1, 1}),
               "a kernel accessed memory of the device beyond an array");
    releaseSimulated(data, bytes);
    checkFault(faultOf(run, {data, 0, 1, 1}),
               "a kernel accessed memory of the device beyond an array");
  }
  // Arrays whose size is a multiple of 16 end where the page does.
  auto *data = static_cast<char *>(allocateSimulated(kBytes));
  checkFault(faultOf(run, {data, kBytes - 1, 1, 1}), "");
  checkFault(faultOf(run, {data, kBytes, 1, 1}),
             "a kernel accessed memory of the device beyond an array");
  releaseSimulated(data, kBytes);
  check(!takeSimulatedScratch(int64_t(1) << 60),
        [] { return "more memory than there are addresses"; });
  // Of a launch that was interrupted, blocks leave what they told each other.
  data = static_cast<char *>(allocateSimulated(kBytes));
  std::memset(accessSimulated(data), 1, kBytes);
  stopWord() = 1;
  returnSimulatedZeros(data, kBytes);
  stopWord() = 0;
}
