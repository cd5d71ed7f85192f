//===- Machine.cpp - Threads that run PTX ---------------------------------===//

#include "Ptx.h"

#include <algorithm>
#include <memory>

using namespace ptx;

/// Runs a thread until it has ended, or waits.
static void runThread(const std::vector<Instruction> &code, Thread &thread) {
  thread.waits = false;
  while (!thread.isDone && !thread.waits) {
    const Instruction &instruction = code[thread.next++];
    if (instruction.guard >= 0 &&
        (thread.registers[instruction.guard] != 0) == instruction.isNegated)
      continue;
    instruction.run(thread, instruction);
  }
}

static constexpr size_t kWarp = 32;

/// Gives each thread of a warp the value of the lane that it names:
/// shfl.sync.idx result, value, lane, 31, -1.
static void shuffle(Thread *warp) {
  uint32_t values[kWarp];
  for (size_t lane = 0; lane < kWarp; ++lane)
    values[lane] = warp[lane].get<uint32_t>(warp[lane].meeting->operands[1]);
  for (size_t lane = 0; lane < kWarp; ++lane) {
    const Instruction &instruction = *warp[lane].meeting;
    auto from = warp[lane].get<uint32_t>(instruction.operands[2]);
    warp[lane].set(instruction.operands[0], values[from % kWarp]);
  }
}

/// Gives each thread of a warp the bits of all: vote.sync.ballot result, bit,
/// -1.
static void vote(Thread *warp) {
  uint32_t votes = 0;
  for (size_t lane = 0; lane < kWarp; ++lane)
    if (warp[lane].registers[warp[lane].meeting->operands[1]] != 0)
      votes |= uint32_t(1) << lane;
  for (size_t lane = 0; lane < kWarp; ++lane)
    warp[lane].set(warp[lane].meeting->operands[0], votes);
}

/// What lanes have written before is seen by all lanes. Other meetings of a
/// warp do not see to that.
static void synchronize(Thread *warp) {
  for (size_t lane = 0; lane < kWarp; ++lane)
    ++warp[lane].metInWarp;
}

template <void (*meet)(Thread *)>
static void waitForWarp(Thread &t, const Instruction &instruction) {
  t.waits = true;
  t.meeting = &instruction;
  t.meet = meet;
}

Operation ptx::barrierOf(const std::string &name) {
  if (name == "shfl.sync.idx.b32")
    return {waitForWarp<shuffle>, Shape::values};
  if (name == "vote.sync.ballot.b32")
    return {waitForWarp<vote>, Shape::values};
  if (name == "bar.warp.sync")
    return {waitForWarp<synchronize>, Shape::values};
  if (name != "bar.sync" && name != "barrier.sync")
    return {};
  return {[](Thread &t, const Instruction &) { t.waits = true; },
          Shape::values};
}

/// All threads of a warp have got to the same instruction.
static void meetWarp(Thread *warp) {
  for (size_t lane = 0; lane < kWarp; ++lane)
    if (warp[lane].meeting != warp[0].meeting)
      throw Error("the lanes of a warp do not wait at the same instruction");
  warp[0].meet(warp);
  for (size_t lane = 0; lane < kWarp; ++lane)
    warp[lane].meeting = nullptr;
}

/// Threads that wait go on when all others wait, too, or have ended; those that
/// wait for their warp go first.
static void runBlock(const std::vector<Instruction> &code,
                     std::vector<Thread> &threads) {
  auto isDone = [](const Thread &thread) { return thread.isDone; };
  auto waitsForWarp = [](const Thread &thread) {
    return thread.meeting != nullptr;
  };
  while (!std::all_of(threads.begin(), threads.end(), isDone)) {
    for (Thread &thread : threads) {
      thread.metInBlock += thread.waits;
      runThread(code, thread);
    }
    while (std::any_of(threads.begin(), threads.end(), waitsForWarp))
      for (size_t first = 0; first < threads.size(); first += kWarp)
        if (waitsForWarp(threads[first])) {
          meetWarp(&threads[first]);
          for (size_t lane = 0; lane < kWarp; ++lane)
            runThread(code, threads[first + lane]);
        }
  }
}

/// The room that blocks use one after the other. It stays for the next kernel
/// of this thread, since a kernel that faults does not give it back.
static char *roomFor(size_t bytes) {
  static thread_local std::vector<char> room;
  if (room.size() < bytes)
    room.resize(bytes);
  return room.data();
}

static size_t aligned(size_t bytes) { return (bytes + 15) / 16 * 16; }

Thread Kernel::begin(char *room) const {
  auto *registers = reinterpret_cast<uint64_t *>(room);
  size_t registerBytes = numRegisters * sizeof(uint64_t);
  // Registers that nothing was written to have any value.
  std::memset(registers, 0xA5, registerBytes);
  for (const Constant &constant : constants)
    registers[constant.number] = constant.bits;
  Thread thread{};
  thread.registers = registers;
  thread.local = room + aligned(registerBytes);
  return thread;
}

void Kernel::run(int64_t blocks, int64_t count, void **parameters,
                 int64_t window) const {
  size_t ofThread =
      aligned(numRegisters * sizeof(uint64_t)) + aligned(localBytes);
  static thread_local std::vector<Thread> threads;
  static thread_local Races races;
  threads.resize(count);
  races = Races();
  char *values = roomFor(aligned(parameterBytes) + aligned(sharedBytes) +
                         count * ofThread);
  char *shared = values + aligned(parameterBytes);
  for (size_t n = 0; n < parameterSizes.size(); ++n)
    std::memcpy(values + parameterOffsets[n], parameters[n], parameterSizes[n]);
  for (int64_t block = 0; block < blocks; ++block) {
    // So has shared memory.
    std::memset(shared, 0xA5, sharedBytes);
    for (int64_t number = 0; number < count; ++number) {
      Thread &thread = threads[number] =
          begin(shared + aligned(sharedBytes) + number * ofThread);
      thread.parameters = values;
      thread.shared = shared;
      thread.sharedBytes = sharedBytes;
      thread.window = window;
      thread.races = &races;
      thread.registers[kBlock] = block;
      thread.registers[kThread] = number;
      thread.registers[kBlocks] = blocks;
      thread.registers[kThreads] = count;
    }
    runBlock(code, threads);
  }
}
