//===- Machine.cpp - Threads that run PTX ---------------------------------===//
//
// The simulated GPU schedules threads, and lets them wait for each other; here
// is what one of them does.
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"

using namespace ptx;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Threads that wait for each other
//===----------------------------------------------------------------------===//

static constexpr int64_t kAllLanes = (int64_t(1) << kLanes) - 1;

/// shfl.sync.idx result, value, lane, 31, mask
static void shuffle(Thread &t, const Instruction &i) {
  auto value = t.get<uint32_t>(i.operands[1]);
  auto lane = t.get<uint32_t>(i.operands[2]);
  auto mask = t.get<uint32_t>(i.operands[4]);
  int64_t other = askLane(t.simulated, i.site.c_str(), mask, value, lane);
  t.set(i.operands[0], uint32_t(other));
}

/// vote.sync.ballot result, bit, -1
static void vote(Thread &t, const Instruction &i) {
  bool bit = t.registers[i.operands[1]] != 0;
  int64_t votes = voteInWarp(t.simulated, i.site.c_str(), kAllLanes, bit);
  t.set(i.operands[0], uint32_t(votes));
}

Operation ptx::barrierOf(const std::string &name) {
  Operation found;
  if (name == "fence.acq_rel.gpu") {
    found.run = [](Thread &t, const Instruction &) {
      fenceDevice(t.simulated);
    };
    return found;
  }
  found.meets = true;
  if (name == "shfl.sync.idx.b32")
    found.run = shuffle;
  else if (name == "vote.sync.ballot.b32")
    found.run = vote;
  else if (name == "bar.warp.sync")
    found.run = [](Thread &t, const Instruction &i) {
      meetWarp(t.simulated, i.site.c_str(), kAllLanes);
    };
  else if (name == "bar.sync" || name == "barrier.sync")
    found.run = [](Thread &t, const Instruction &i) {
      meetBlock(t.simulated, i.site.c_str());
    };
  return found;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Returns room for threads. It stays for the next kernel of this thread, since
/// a kernel that faults does not give it back.
static char *roomFor(size_t bytes) {
  static thread_local std::vector<char> room;
  if (room.size() < bytes)
    room.resize(bytes);
  return room.data();
}

static size_t aligned(size_t bytes) { return (bytes + 15) / 16 * 16; }

namespace {
/// What threads of a launch have in common.
struct Frame {
  const Kernel &kernel;
  const char *parameters;
  char *rooms; ///< Registers and local memory of each thread.
  size_t bytesOfRoom;
};
} // namespace

static Thread begin(const Frame &frame, const SimulatedThread &simulated) {
  const Kernel &kernel = frame.kernel;
  // Threads that do not wait run one after the other.
  int64_t number = kernel.meets ? simulated.thread : 0;
  char *room = frame.rooms + number * frame.bytesOfRoom;
  auto *registers = reinterpret_cast<uint64_t *>(room);
  size_t registerBytes = kernel.numRegisters * sizeof(uint64_t);
  // Registers that nothing was written to have any value.
  std::memset(registers, 0xA5, registerBytes);
  for (const Constant &constant : kernel.constants)
    registers[constant.number] = constant.bits;
  registers[kBlock] = simulated.block;
  registers[kThread] = simulated.thread;
  registers[kBlocks] = simulated.blocks;
  registers[kThreads] = simulated.threads;
  return {&simulated, registers, frame.parameters,
          room + aligned(registerBytes)};
}

static void runThread(const SimulatedThread *simulated, void *argument) {
  const auto &frame = *static_cast<const Frame *>(argument);
  Thread thread = begin(frame, *simulated);
  while (!thread.isDone) {
    const Instruction &instruction = frame.kernel.code[thread.next++];
    if (instruction.guard >= 0 &&
        (thread.registers[instruction.guard] != 0) == instruction.isNegated)
      continue;
    instruction.run(thread, instruction);
  }
}

void Kernel::run(const char *name, int64_t blocks, int64_t threads,
                 void **parameters) const {
  size_t bytesOfRoom =
      aligned(numRegisters * sizeof(uint64_t)) + aligned(localBytes);
  char *values =
      roomFor(aligned(parameterBytes) + (meets ? threads : 1) * bytesOfRoom);
  for (size_t n = 0; n < parameterSizes.size(); ++n)
    std::memcpy(values + parameterOffsets[n], parameters[n], parameterSizes[n]);
  Frame frame{*this, values, values + aligned(parameterBytes), bytesOfRoom};
  simulateLaunch(runThread, name, blocks, threads, int64_t(sharedBytes), meets,
                 &frame);
}
