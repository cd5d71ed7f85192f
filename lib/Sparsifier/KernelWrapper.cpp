//===- KernelWrapper.cpp - The function by which a kernel is called -------===//

#include "KernelWrapper.h"

#include "Pieces.h"
#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

using namespace mlir;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Small pieces of code
//===----------------------------------------------------------------------===//

static Type pointerType(ImplicitLocOpBuilder &b) {
  return LLVM::LLVMPointerType::get(b.getContext());
}

Value nacho::emitInteger(ImplicitLocOpBuilder &b, int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI64Type(),
                                  b.getI64IntegerAttr(value));
}

Value nacho::emitRow(ImplicitLocOpBuilder &b, int64_t count) {
  return LLVM::AllocaOp::create(b, pointerType(b), b.getI64Type(),
                                emitInteger(b, std::max<int64_t>(count, 1)));
}

Value nacho::emitPlace(ImplicitLocOpBuilder &b, Value row, int64_t n) {
  return LLVM::GEPOp::create(b, pointerType(b), b.getI64Type(), row,
                             LLVM::GEPArg(int32_t(n)));
}

LLVM::LLVMFuncOp nacho::declareFunction(ImplicitLocOpBuilder &b,
                                        ModuleOp module, StringRef name,
                                        Type result, TypeRange params) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(result, llvm::to_vector(params));
  return LLVM::LLVMFuncOp::create(b, name, type);
}

static Value asI64(ImplicitLocOpBuilder &b, Value index) {
  return arith::IndexCastOp::create(b, b.getI64Type(), index);
}

Value nacho::emitMemRef(ImplicitLocOpBuilder &b, MemRefType type, Value data,
                        ValueRange extents) {
  unsigned rank = type.getRank();
  Type i64 = b.getI64Type(), row = LLVM::LLVMArrayType::get(i64, rank);
  SmallVector<Type> fields = {pointerType(b), pointerType(b), i64};
  if (rank)
    fields.append({row, row});
  Value made = LLVM::PoisonOp::create(
      b, LLVM::LLVMStructType::getLiteral(b.getContext(), fields));
  auto insert = [&](Value value, ArrayRef<int64_t> place) {
    made = LLVM::InsertValueOp::create(b, made, value, place);
  };
  insert(data, {0});
  insert(data, {1});
  insert(emitInteger(b, 0), {2});
  Value stride = emitInteger(b, 1);
  for (unsigned dim = rank; dim-- > 0;) {
    insert(extents[dim], {3, dim});
    insert(stride, {4, dim});
    stride = LLVM::MulOp::create(b, stride, extents[dim]);
  }
  return UnrealizedConversionCastOp::create(b, TypeRange(type), made)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Wrappers
//===----------------------------------------------------------------------===//

namespace {
class WrapperBuilder {
public:
  WrapperBuilder(ModuleOp module, StringRef name, FunctionType kernel,
                 const CallOptions &options)
      : module(module), name(name), kernel(kernel), options(options),
        b(module.getLoc(), module.getContext()) {}

  LogicalResult build();

private:
  LogicalResult addFunction();
  void storeArgument(Value data, Value size);
  void storePiece(Value piece);
  void storeTensor(Value tensor);
  MadeArrays call();
  FailureOr<SmallVector<Value>> results(const MadeArrays &made);

  ModuleOp module;
  StringRef name;
  FunctionType kernel;
  CallOptions options;
  ImplicitLocOpBuilder b;
  func::FuncOp func;
  SmallVector<Piece> pieces; ///< What the parameters of the function are.
  Value operands;            ///< The row of arguments that the library takes.
  int64_t numStored = 0;
};
} // namespace

/// The type of a dense tensor in memory.
static MemRefType memRefOf(RankedTensorType tensor) {
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

LogicalResult WrapperBuilder::addFunction() {
  SmallVector<Type> params;
  for (Type operand : kernel.getInputs()) {
    FailureOr<SmallVector<Piece>> found =
        piecesOf(cast<RankedTensorType>(operand));
    if (failed(found))
      return failure();
    pieces.append(*found);
    for (const Piece &piece : *found)
      params.push_back(piece.kind == Piece::tensor
                           ? memRefOf(cast<RankedTensorType>(piece.type))
                           : piece.type);
  }
  b.setInsertionPointToEnd(module.getBody());
  func = func::FuncOp::create(b, name, b.getFunctionType(params, {}));
  b.setInsertionPointToStart(func.addEntryBlock());
  return success();
}

void WrapperBuilder::storeArgument(Value data, Value size) {
  LLVM::StoreOp::create(b, data, emitPlace(b, operands, numStored++));
  LLVM::StoreOp::create(b, size, emitPlace(b, operands, numStored++));
}

/// Stores a memref with its elements, or an extent.
void WrapperBuilder::storePiece(Value piece) {
  if (piece.getType().isIndex())
    return storeArgument(emitInteger(b, 0), asI64(b, piece));
  Value data = memref::ExtractAlignedPointerAsIndexOp::create(b, piece);
  Value size = arith::ConstantIndexOp::create(b, 1);
  for (int64_t dim = 0; dim < cast<MemRefType>(piece.getType()).getRank();
       ++dim)
    size = arith::MulIOp::create(b, size, memref::DimOp::create(b, piece, dim));
  storeArgument(asI64(b, data), asI64(b, size));
}

/// Stores a dense tensor: its values, and the extent of each level.
void WrapperBuilder::storeTensor(Value tensor) {
  storePiece(tensor);
  for (int64_t dim = 0; dim < cast<MemRefType>(tensor.getType()).getRank();
       ++dim)
    storePiece(memref::DimOp::create(b, tensor, dim));
}

/// Calls the library.
MadeArrays WrapperBuilder::call() {
  auto tensor = cast<RankedTensorType>(kernel.getResult(0));
  size_t levels = tensor.getRank(), arrays = 1;
  if (auto encoding = sparse_tensor::getSparseTensorEncoding(tensor)) {
    levels = encoding.getLvlRank();
    for (unsigned level = 0; level < levels; ++level)
      arrays += levelArrays(tensor, level).size();
  }
  Value row = emitRow(b, 2 * (arrays + levels));
  Type pointer = pointerType(b), i64 = b.getI64Type();
  Value image = LLVM::AddressOfOp::create(b, pointer, (name + "_image").str());
  LLVM::LLVMFuncOp callee = declareFunction(
      b, module, "nacho_call", LLVM::LLVMVoidType::get(b.getContext()),
      {pointer, pointer, pointer, i64, i64});
  LLVM::CallOp::create(b, callee,
                       ValueRange{image, operands, row,
                                  emitInteger(b, options.threads),
                                  emitInteger(b, options.parts)});
  MadeArrays made;
  for (size_t n = 0; n < arrays + levels; ++n) {
    Value size = LLVM::LoadOp::create(b, i64, emitPlace(b, row, 2 * n + 1));
    if (n >= arrays) {
      made.extents.push_back(size);
      continue;
    }
    made.data.push_back(
        LLVM::LoadOp::create(b, pointer, emitPlace(b, row, 2 * n)));
    made.sizes.push_back(size);
  }
  return made;
}

FailureOr<SmallVector<Value>> WrapperBuilder::results(const MadeArrays &made) {
  auto tensor = cast<RankedTensorType>(kernel.getResult(0));
  if (!sparse_tensor::getSparseTensorEncoding(tensor))
    return SmallVector<Value>{
        emitMemRef(b, memRefOf(tensor), made.data.front(), made.extents)};
  if (!options.library)
    return emitFields(b, tensor, made);
  FailureOr<Value> address = emitLibraryTensor(b, module, tensor, made);
  if (failed(address))
    return failure();
  return SmallVector<Value>{*address};
}

LogicalResult WrapperBuilder::build() {
  if (failed(addFunction()))
    return failure();
  int64_t count = 0;
  for (BlockArgument arg : func.getArguments()) {
    auto memref = dyn_cast<MemRefType>(arg.getType());
    count += 2 + (memref ? 2 * memref.getRank() : 0);
  }
  operands = emitRow(b, count);
  unsigned next = 0;
  for (const Piece &piece : pieces) {
    Value arg = func.getArgument(next++);
    piece.kind == Piece::tensor ? storeTensor(arg) : storePiece(arg);
  }
  FailureOr<SmallVector<Value>> values = results(call());
  if (failed(values))
    return failure();
  func::ReturnOp::create(b, *values);
  func.setFunctionType(b.getFunctionType(func.getArgumentTypes(),
                                         TypeRange(ValueRange(*values))));
  return success();
}

LogicalResult nacho::addWrapper(ModuleOp module, StringRef name,
                                FunctionType kernel,
                                const CallOptions &options) {
  return WrapperBuilder(module, name, kernel, options).build();
}
