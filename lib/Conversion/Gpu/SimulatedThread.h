//===- SimulatedThread.h - Threads of simulated kernels ---------*- C++ -*-===//

#ifndef NACHO_LIB_SIMULATEDTHREAD_H
#define NACHO_LIB_SIMULATEDTHREAD_H

#include "HostSide.h"
#include "KernelAccesses.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace nacho {

/// The places of the fields of SimulatedThread.
enum ThreadField : int32_t {
  kBlock,
  kThread,
  kBlocks,
  kThreads,
  kWindow,
  kShared
};

/// The shared memory of a block: where each array is in it, in bytes.
struct SharedLayout {
  llvm::SmallVector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Lays out the shared memory of a kernel. Fails if there is too much of it.
mlir::FailureOr<SharedLayout> layOutShared(mlir::gpu::GPUFuncOp kernel);

/// Whether threads of a kernel wait for each other.
bool meets(mlir::gpu::GPUFuncOp kernel);

/// Converts what the threads of one kernel do. Its body is a function that has
/// the address of a SimulatedThread.
class SimulatedThreadBuilder {
public:
  SimulatedThreadBuilder(HostSide &host, const Sites &sites, mlir::Value thread)
      : host(host), sites(sites), thread(thread) {}

  /// A number of SimulatedThread, by its place there.
  mlir::Value load(mlir::ImplicitLocOpBuilder &b, int32_t field);

  /// An array at an offset in shared memory.
  mlir::Value sharedArray(mlir::ImplicitLocOpBuilder &b, mlir::MemRefType type,
                          int64_t offset);

  /// Makes accesses to shared memory be noted before.
  mlir::LogicalResult watchShared(mlir::Operation *op);

  /// Replaces an operation of a dialect for GPUs.
  mlir::LogicalResult convert(mlir::Operation *op);

private:
  mlir::Value number(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);
  mlir::Value idOf(mlir::ImplicitLocOpBuilder &b,
                   mlir::gpu::Dimension dimension, int32_t field,
                   int64_t other);
  mlir::LogicalResult convertShuffle(mlir::gpu::ShuffleOp shuffle);
  mlir::LogicalResult convertQuestion(mlir::NVVM::ShflOp shuffle);
  mlir::LogicalResult convertVote(mlir::Operation *op);
  mlir::Value call(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                   mlir::Operation *op, mlir::ValueRange arguments,
                   bool isVoid);

  HostSide &host;
  const Sites &sites;
  mlir::Value thread;
};

/// Makes memory of all kinds the same: the host has one kind only.
void dropMemorySpaces(mlir::Operation *function);

} // namespace nacho

#endif // NACHO_LIB_SIMULATEDTHREAD_H
