//===- Simulator.h - A GPU that is simulated by the host ------------------===//
//
// Memory of the simulated device has two addresses. The host knows one at which
// nothing can be accessed; kernels access the memory at the other one, which is
// so many bytes away that neither can be mistaken for the other. So code of the
// host that accesses memory of a device does not work by chance.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_RUNTIME_SIMULATOR_H
#define NACHO_RUNTIME_SIMULATOR_H

#include "nacho/Runtime/DeviceError.h"

#include <cstddef>
#include <cstdint>

namespace nacho {

/// Memory of the simulated device was accessed where, or by whom, it cannot be.
struct DeviceFault : DeviceError {
  using DeviceError::DeviceError;
};

/// Calls compiled code, and throws DeviceFault if the code faults in memory of
/// the device. Such code is left where it is: it must not hold anything.
void callSimulated(void (*function)(const int64_t *words),
                   const int64_t *words);

/// What a thread of a kernel can ask for. Compiled code reads these numbers in
/// this order.
struct SimulatedThread {
  int64_t block, thread;   ///< Its number, and the number of its block.
  int64_t blocks, threads; ///< How many blocks there are, and threads in each.
  /// What leads from an address that the host knows to the one of kernels.
  int64_t window;
};

/// A kernel, which takes the arguments of a launch in a frame.
using SimulatedKernel = void (*)(const SimulatedThread *thread, void *frame);

/// Runs all threads of all blocks, one after the other, in an order that
/// depends on the environment variable NACHO_SIMULATOR_SEED: with 0, the
/// default, in the order of their numbers.
void simulateLaunch(SimulatedKernel kernel, int64_t blocks, int64_t threads,
                    void *frame) noexcept;

/// Memory for compiled code. There is none if this is null.
void *takeSimulatedScratch(int64_t bytes) noexcept;
void returnSimulatedScratch(void *data, int64_t bytes) noexcept;

/// Memory for kernels. What is beyond its end cannot be accessed. Throws
/// std::bad_alloc.
void *allocateSimulated(size_t bytes);
void releaseSimulated(void *data, size_t bytes) noexcept;

/// Where the host can access memory of the device for it.
void *accessSimulated(void *data) noexcept;

} // namespace nacho

#endif // NACHO_RUNTIME_SIMULATOR_H
