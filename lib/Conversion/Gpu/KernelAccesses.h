//===- KernelAccesses.h - Memory accesses of kernels ------------*- C++ -*-===//

#ifndef NACHO_LIB_KERNELACCESSES_H
#define NACHO_LIB_KERNELACCESSES_H

#include "nacho/Simulator/Simulator.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>
#include <string>

namespace nacho {

/// An access of an operation to elements that lie one after the other.
struct KernelAccess {
  mlir::Value memory;
  mlir::ValueRange indices;
  AccessKind kind;
  int64_t bytes;
};

/// The access of an operation, if it has one.
std::optional<KernelAccess> accessOf(mlir::Operation *op);

/// Whether a value is shared memory.
bool isShared(mlir::Value memory);

/// The address of the first byte of an access, as an integer.
mlir::Value addressOf(mlir::ImplicitLocOpBuilder &b,
                      const KernelAccess &access);

/// The texts by which messages name the operations of a kernel: where they come
/// from, if that is known, or else how they are printed.
class Sites {
public:
  /// The texts are numbered from `next` on, which is then the next number.
  Sites(mlir::gpu::GPUFuncOp kernel, unsigned &next);

  /// The address of the text of an operation, which no other operation has.
  mlir::Value of(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Operation *, std::string> texts;
  unsigned &next;
};

/// The address of a constant text, whose number in the module is `next`; that
/// grows by one.
mlir::Value textConstant(mlir::ImplicitLocOpBuilder &b, llvm::StringRef text,
                         unsigned &next);

} // namespace nacho

#endif // NACHO_LIB_KERNELACCESSES_H
