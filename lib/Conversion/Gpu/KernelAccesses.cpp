//===- KernelAccesses.cpp - Memory accesses of kernels --------------------===//

#include "KernelAccesses.h"
#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::optional<KernelAccess> nacho::accessOf(Operation *op) {
  using Found = std::optional<KernelAccess>;
  auto made = [](Value memory, ValueRange indices, AccessKind kind, Type type) {
    return KernelAccess{memory, indices, kind, bytesOf(type)};
  };
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case<memref::LoadOp>([&](memref::LoadOp load) {
        return made(load.getMemRef(), load.getIndices(), AccessKind::read,
                    load.getType());
      })
      .Case<memref::StoreOp>([&](memref::StoreOp store) {
        return made(store.getMemRef(), store.getIndices(), AccessKind::write,
                    store.getValueToStore().getType());
      })
      .Case<memref::AtomicRMWOp>([&](memref::AtomicRMWOp atomic) {
        return made(atomic.getMemref(), atomic.getIndices(), AccessKind::atomic,
                    atomic.getType());
      })
      .Case<memref::GenericAtomicRMWOp>([&](memref::GenericAtomicRMWOp atomic) {
        return made(atomic.getMemref(), atomic.getIndices(), AccessKind::atomic,
                    atomic.getResult().getType());
      })
      .Case<vector::LoadOp>([&](vector::LoadOp load) {
        return made(load.getBase(), load.getIndices(), AccessKind::read,
                    load.getType());
      })
      .Case<vector::StoreOp>([&](vector::StoreOp store) {
        return made(store.getBase(), store.getIndices(), AccessKind::write,
                    store.getVectorType());
      })
      .Default([](Operation *) { return std::nullopt; });
}

bool nacho::isShared(Value memory) {
  auto type = dyn_cast<MemRefType>(memory.getType());
  if (!type)
    return false;
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Workgroup;
}

/// base + (offset + sum of index * stride) * bytes of an element
Value nacho::addressOf(ImplicitLocOpBuilder &b, const KernelAccess &access) {
  auto parts = memref::ExtractStridedMetadataOp::create(b, access.memory);
  Number at(b, parts.getOffset());
  for (auto [index, stride] : llvm::zip(access.indices, parts.getStrides())) {
    Value distance = Number(b, index) * stride;
    at = at + distance;
  }
  Type element = cast<MemRefType>(access.memory.getType()).getElementType();
  Number size(b, bytesOf(element));
  at = at * size;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, access.memory);
  return (Number(b, base) + at).asSigned(b.getI64Type());
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

/// The place in a file that an operation comes from; nothing if none is known.
static std::string placeOf(Location location) {
  std::string place;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream(place)
        << file.getFilename().getValue() << ":" << file.getLine() << ":"
        << file.getColumn();
    return WalkResult::interrupt();
  });
  return place;
}

/// Whether messages can name an operation.
static bool isNamed(Operation *op) {
  return accessOf(op) ||
         isa<gpu::GPUDialect, NVVM::NVVMDialect>(op->getDialect());
}

Sites::Sites(gpu::GPUFuncOp kernel, unsigned &next) : next(next) {
  AsmState state(kernel, OpPrintingFlags().skipRegions());
  kernel.getBody().walk([&](Operation *op) {
    if (!isNamed(op))
      return;
    std::string place = placeOf(op->getLoc());
    llvm::raw_string_ostream text(texts[op]);
    if (place.empty())
      op->print(text << "'", state), text << "'";
    else
      text << "'" << op->getName() << "' of " << place;
  });
}

Value Sites::of(ImplicitLocOpBuilder &b, Operation *op) const {
  return textConstant(b, texts.at(op), next);
}

Value nacho::textConstant(ImplicitLocOpBuilder &b, StringRef text,
                          unsigned &next) {
  // A search for a name that no other symbol has would visit all of them.
  std::string name = "text_" + std::to_string(next++);
  return LLVM::createGlobalString(b.getLoc(), b, name,
                                  (text + StringRef("\0", 1)).str(),
                                  LLVM::Linkage::Internal);
}
