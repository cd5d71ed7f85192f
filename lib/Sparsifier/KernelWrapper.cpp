//===- KernelWrapper.cpp - The function by which a kernel is called -------===//

#include "KernelWrapper.h"

#include "KernelTypes.h"

#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Levels/LevelParts.h"
#include "nacho/Transforms/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

using namespace mlir;
using namespace nacho;

SmallVector<ModuleOp> nacho::kernelsOf(ModuleOp module) {
  return llvm::filter_to_vector(module.getOps<ModuleOp>(), [](ModuleOp nested) {
    return nested->hasAttr(kKernelAttrName);
  });
}

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

Value nacho::emitAddress(ImplicitLocOpBuilder &b, Value memref) {
  Value index = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  Value integer = Number(b, index).asSigned(b.getI64Type());
  return LLVM::IntToPtrOp::create(b, pointerType(b), integer);
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
                 FunctionType program, ArrayRef<BlockSizes> blocks,
                 const CallOptions &options)
      : module(module), name(name), kernel(kernel), program(program),
        blocks(blocks), options(options),
        b(module.getLoc(), module.getContext()) {}

  LogicalResult build();

private:
  void addFunction();
  void readDenseTensor(Value memref);
  void splitExtents(ArrayRef<int64_t> sizes);
  SmallVector<Value> joinedExtents(ValueRange split, ArrayRef<int64_t> sizes);
  LogicalResult readOperands();
  Value storeOperands();
  SmallVector<Value> orderOperands(Value row);
  void releaseOrdered(ValueRange ordered);
  void separateBatches(Value results);
  MadeArrays call(Value operands);
  FailureOr<SmallVector<Value>> results(const MadeArrays &made);

  ModuleOp module;
  StringRef name;
  FunctionType kernel, program;
  ArrayRef<BlockSizes> blocks;
  CallOptions options;
  ImplicitLocOpBuilder b;
  func::FuncOp func;
  Value image; ///< The address of the kernel.
  /// The number of parameters of the function for each operand.
  SmallVector<unsigned> numParams;
  /// The number of the first argument of each operand.
  SmallVector<int64_t> firstArguments;
  TensorArguments operands;
};
} // namespace

RankedTensorType nacho::passedType(Type argument) {
  if (auto tensor = dyn_cast<RankedTensorType>(argument))
    return tensor;
  if (argument.isIndex())
    argument = IntegerType::get(argument.getContext(), 64);
  return RankedTensorType::get({}, argument);
}

MemRefType nacho::memRefOf(RankedTensorType tensor) {
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

void WrapperBuilder::addFunction() {
  SmallVector<Type> params;
  for (Type operand : program.getInputs()) {
    RankedTensorType tensor = passedType(operand);
    size_t before = params.size();
    if (isSparse(tensor))
      addSparseParameters(tensor, options.library, params);
    else
      params.push_back(memRefOf(tensor));
    numParams.push_back(params.size() - before);
  }
  b.setInsertionPointToEnd(module.getBody());
  func = func::FuncOp::create(b, name, b.getFunctionType(params, {}));
  b.setInsertionPointToStart(func.addEntryBlock());
  image = LLVM::AddressOfOp::create(b, pointerType(b), (name + "_image").str());
}

/// The values of a dense tensor, and the extent of each level.
void WrapperBuilder::readDenseTensor(Value memref) {
  SmallVector<Value> extents;
  Value size = emitInteger(b, 1);
  for (int64_t dim = 0; dim < cast<MemRefType>(memref.getType()).getRank();
       ++dim) {
    Value extent = memref::DimOp::create(b, memref, dim);
    extents.push_back(Number(b, extent).asSigned(b.getI64Type()));
    size = LLVM::MulOp::create(b, size, extents.back());
  }
  operands.addArray(emitAddress(b, memref), size);
  for (Value extent : extents)
    operands.addExtent(extent);
}

BlockSizes nacho::blocksOfLevels(RankedTensorType tensor,
                                 const BlockSizes &blocks) {
  if (hasBlocks(tensor))
    return BlockSizes(levelParts(tensor).size(), 1);
  BlockSizes sizes;
  for (unsigned level = 0; level < tensor.getRank(); ++level)
    sizes.push_back(blocks.empty() ? 1 : blocks[dimensionOf(tensor, level)]);
  return sizes;
}

/// Splits the extents that were added last: one for each level.
void WrapperBuilder::splitExtents(ArrayRef<int64_t> sizes) {
  auto &arguments = operands.arguments;
  SmallVector<std::pair<Value, Value>> whole(
      ArrayRef(arguments).take_back(sizes.size()));
  arguments.truncate(arguments.size() - sizes.size());
  for (auto [argument, size] : llvm::zip(whole, sizes)) {
    if (size == 1) {
      operands.addExtent(argument.second);
      continue;
    }
    Value inside = emitInteger(b, size);
    operands.addExtent(LLVM::UDivOp::create(b, argument.second, inside));
    operands.addExtent(inside);
  }
}

/// Returns the extents of a result in blocks, whose dimensions the kernel
/// returns split in two.
SmallVector<Value> WrapperBuilder::joinedExtents(ValueRange split,
                                                 ArrayRef<int64_t> sizes) {
  SmallVector<Value> joined;
  for (int64_t size : sizes) {
    Value extent = split.front();
    if (size != 1)
      extent = LLVM::MulOp::create(b, extent, emitInteger(b, size));
    joined.push_back(extent);
    split = split.drop_front(size == 1 ? 1 : 2);
  }
  return joined;
}

LogicalResult WrapperBuilder::readOperands() {
  unsigned next = 0;
  for (auto [operand, given, count, sizes] :
       llvm::zip(kernel.getInputs(), program.getInputs(), numParams,
                 blocks.drop_back())) {
    ValueRange params = func.getArguments().slice(next, count);
    next += count;
    firstArguments.push_back(operands.arguments.size());
    // The extents of a slice are in its specifier, which only its own type has.
    RankedTensorType tensor = passedType(isSlice(given) ? given : operand);
    if (!isSparse(tensor))
      readDenseTensor(params.front());
    else if (failed(readSparseTensor(b, module, tensor, options.library, params,
                                     operands)))
      return failure();
    splitExtents(blocksOfLevels(tensor, sizes));
  }
  return success();
}

/// Stores the operands on the stack, as the runtime library takes them.
Value WrapperBuilder::storeOperands() {
  Value row = emitRow(b, 2 * operands.arguments.size());
  int64_t next = 0;
  for (auto [data, size] : operands.arguments) {
    if (!data)
      data = LLVM::ZeroOp::create(b, pointerType(b));
    LLVM::StoreOp::create(b, data, emitPlace(b, row, next++));
    LLVM::StoreOp::create(b, size, emitPlace(b, row, next++));
  }
  return row;
}

/// Sorts the operands whose entries may be out of order, or stored twice;
/// returns what holds the sorted copies.
SmallVector<Value> WrapperBuilder::orderOperands(Value row) {
  SmallVector<Value> ordered;
  Type pointer = pointerType(b), i64 = b.getI64Type();
  for (auto [n, operand] : llvm::enumerate(program.getInputs())) {
    if (storesInOrder(passedType(operand)))
      continue;
    LLVM::LLVMFuncOp callee =
        declareFunction(b, module, "nacho_order_operand", pointer,
                        {pointer, i64, pointer, i64});
    Value arguments = emitPlace(b, row, 2 * firstArguments[n]);
    ordered.push_back(
        LLVM::CallOp::create(b, callee,
                             ValueRange{image, emitInteger(b, n), arguments,
                                        emitInteger(b, options.threads)})
            .getResult());
  }
  return ordered;
}

void WrapperBuilder::releaseOrdered(ValueRange ordered) {
  for (Value copies : ordered) {
    LLVM::LLVMFuncOp callee = declareFunction(
        b, module, "nacho_destroy_ordered",
        LLVM::LLVMVoidType::get(b.getContext()), pointerType(b));
    LLVM::CallOp::create(b, callee, copies);
  }
}

/// Gives the arrays of a result a row for each batch.
void WrapperBuilder::separateBatches(Value results) {
  unsigned levels =
      numBatchLevels(cast<RankedTensorType>(program.getResult(0)));
  if (levels == 0)
    return;
  Type pointer = pointerType(b);
  LLVM::LLVMFuncOp callee =
      declareFunction(b, module, "nacho_separate_batches",
                      LLVM::LLVMVoidType::get(b.getContext()),
                      {pointer, b.getI64Type(), pointer});
  LLVM::CallOp::create(b, callee,
                       ValueRange{image, emitInteger(b, levels), results});
}

/// Calls the runtime library.
MadeArrays WrapperBuilder::call(Value operands) {
  auto tensor = cast<RankedTensorType>(kernel.getResult(0));
  BlockSizes sizes = blocksOfLevels(tensor, blocks.back());
  size_t levels = sizes.size(), arrays = 1;
  if (sparse_tensor::getSparseTensorEncoding(tensor))
    for (unsigned level = 0; level < sizes.size(); ++level)
      arrays += levelArrays(tensor, level).size();
  levels += llvm::count_if(sizes, [](int64_t size) { return size != 1; });
  Value row = emitRow(b, 2 * (arrays + levels));
  Type pointer = pointerType(b), i64 = b.getI64Type();
  LLVM::LLVMFuncOp callee = declareFunction(
      b, module, "nacho_call", LLVM::LLVMVoidType::get(b.getContext()),
      {pointer, pointer, pointer, i64, i64});
  LLVM::CallOp::create(b, callee,
                       ValueRange{image, operands, row,
                                  emitInteger(b, options.threads),
                                  emitInteger(b, options.parts)});
  separateBatches(row);
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
  made.extents = joinedExtents(made.extents, sizes);
  return made;
}

FailureOr<SmallVector<Value>> WrapperBuilder::results(const MadeArrays &made) {
  auto tensor = cast<RankedTensorType>(program.getResult(0));
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
  addFunction();
  if (failed(readOperands()))
    return failure();
  Value row = storeOperands();
  SmallVector<Value> ordered = orderOperands(row);
  FailureOr<SmallVector<Value>> values = results(call(row));
  if (failed(values))
    return failure();
  releaseOrdered(ordered);
  func::ReturnOp::create(b, *values);
  func.setFunctionType(b.getFunctionType(func.getArgumentTypes(),
                                         TypeRange(ValueRange(*values))));
  return success();
}

LogicalResult nacho::addWrapper(ModuleOp module, StringRef name,
                                FunctionType kernel, FunctionType program,
                                ArrayRef<BlockSizes> blocks,
                                const CallOptions &options) {
  return WrapperBuilder(module, name, kernel, program, blocks, options).build();
}
