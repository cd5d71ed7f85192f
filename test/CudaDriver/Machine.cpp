//===- Machine.cpp - Threads that run PTX ---------------------------------===//

#include "Ptx.h"

#include <memory>

using namespace ptx;

static void runThread(const std::vector<Instruction> &code, Thread &thread) {
  while (!thread.isDone) {
    const Instruction &instruction = code[thread.next++];
    if (instruction.guard >= 0 &&
        (thread.registers[instruction.guard] != 0) == instruction.isNegated)
      continue;
    instruction.run(thread, instruction);
  }
}

/// The room that threads use one after the other. It stays for the next kernel
/// of this thread, since a kernel that faults does not give it back.
static char *roomFor(size_t bytes) {
  static thread_local std::vector<char> room;
  if (room.size() < bytes)
    room.resize(bytes);
  return room.data();
}

void Kernel::run(int64_t blocks, int64_t threads, void **parameters,
                 int64_t window) const {
  size_t registerBytes = numRegisters * sizeof(uint64_t);
  size_t copied = (parameterBytes + 15) / 16 * 16;
  char *room = roomFor(registerBytes + 16 + copied + localBytes);
  auto *registers = reinterpret_cast<uint64_t *>(room);
  char *values = room + (registerBytes + 15) / 16 * 16;
  for (size_t n = 0; n < parameterSizes.size(); ++n)
    std::memcpy(values + parameterOffsets[n], parameters[n], parameterSizes[n]);
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t number = 0; number < threads; ++number) {
      // Registers that nothing was written to have any value.
      std::memset(registers, 0xA5, registerBytes);
      for (const Constant &constant : constants)
        registers[constant.number] = constant.bits;
      registers[kBlock] = block;
      registers[kThread] = number;
      registers[kBlocks] = blocks;
      registers[kThreads] = threads;
      Thread thread{registers, values, values + copied, window};
      runThread(code, thread);
    }
  }
}
