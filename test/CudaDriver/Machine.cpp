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

Operation ptx::barrierOf(const std::string &name) {
  if (name != "bar.sync" && name != "barrier.sync")
    return {};
  return {[](Thread &t, const Instruction &) { t.waits = true; },
          Shape::values};
}

/// Threads that wait go on when all others wait, too, or have ended.
static void runBlock(const std::vector<Instruction> &code,
                     std::vector<Thread> &threads) {
  auto isDone = [](const Thread &thread) { return thread.isDone; };
  while (!std::all_of(threads.begin(), threads.end(), isDone))
    for (Thread &thread : threads)
      runThread(code, thread);
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
  size_t ofThread = aligned(numRegisters * sizeof(uint64_t)) + localBytes;
  static thread_local std::vector<Thread> threads;
  threads.resize(count);
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
      thread.window = window;
      thread.registers[kBlock] = block;
      thread.registers[kThread] = number;
      thread.registers[kBlocks] = blocks;
      thread.registers[kThreads] = count;
    }
    runBlock(code, threads);
  }
}
