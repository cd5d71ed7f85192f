//===- Ptx.h - PTX that the host interprets -------------------------------===//
//
// A register has 64 bits, whatever its type: a value is in the lowest ones.
// Constants lie in registers, too, so that all operands are numbers of
// registers.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_TEST_PTX_H
#define NACHO_TEST_PTX_H

#include "nacho/Simulator/Simulator.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptx {

/// PTX that is not understood. The text says which line it is.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Instruction;

/// The state of a thread that runs a kernel. It owns nothing, so that a fault
/// can leave its kernel at any time.
struct Thread {
  const nacho::SimulatedThread *simulated;
  uint64_t *registers;
  const char *parameters;
  char *local;     ///< Memory of its own.
  size_t next = 0; ///< The number of the next instruction.
  bool isDone = false;

  template <typename T>
  T get(int32_t number) const {
    T value;
    std::memcpy(&value, &registers[number], sizeof(T));
    return value;
  }
  template <typename T>
  void set(int32_t number, T value) {
    registers[number] = 0;
    std::memcpy(&registers[number], &value, sizeof(T));
  }
};

struct Instruction {
  void (*run)(Thread &, const Instruction &) = nullptr;
  std::vector<int32_t> operands; ///< Registers; the result comes first.
  int64_t offset = 0;            ///< Of an address, or of a parameter.
  size_t target = 0;             ///< Of a branch.
  std::string site;              ///< The line of the text.
  int32_t guard = -1;            ///< A predicate without which nothing is done.
  bool isNegated = false;
};

/// A constant register, and its value.
struct Constant {
  int32_t number;
  uint64_t bits;
};

/// Registers that the machine sets: block, thread, and how many of each.
inline constexpr int32_t kBlock = 0, kThread = 1, kBlocks = 2, kThreads = 3;
inline constexpr int32_t kSpecial = 4;

struct Kernel {
  std::vector<Instruction> code;
  std::vector<Constant> constants;
  std::vector<size_t> parameterOffsets, parameterSizes;
  size_t numRegisters = kSpecial, parameterBytes = 0, localBytes = 0,
         sharedBytes = 0;
  bool meets = false; ///< Whether threads wait for each other.

  /// Lets the simulated GPU run all blocks on copies of the parameters.
  void run(const char *name, int64_t blocks, int64_t threads,
           void **parameters) const;
};

/// Where an instruction finds its operands.
enum class Shape {
  values,    ///< In registers.
  memory,    ///< One is an address with an offset.
  parameter, ///< The second one is the name of a parameter.
  branch,    ///< There is one, a label.
};

struct Operation {
  void (*run)(Thread &, const Instruction &) = nullptr;
  Shape shape = Shape::values;
  bool meets = false; ///< Whether threads wait for each other.
};

/// What an instruction does that accesses memory: ld.<space>.<vector>.<type>,
/// st, or atom. Other names have none.
Operation accessOf(const std::string &name);

/// What an instruction does by which the threads of a block wait for each
/// other, or those of a warp to exchange values, or that orders what they do;
/// other names have none.
Operation barrierOf(const std::string &name);

/// What takes values apart, or puts them together: see readInstruction().
Operation pairOf(const std::string &name);

/// What an instruction does that has this name, with its types. Throws Error if
/// that is not known.
Operation operationOf(const std::string &name);

/// The kernels of a text.
std::map<std::string, Kernel> read(const std::string &text);

} // namespace ptx

#endif // NACHO_TEST_PTX_H
