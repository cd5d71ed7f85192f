//===- SparseOperand.cpp - The arrays of a sparse tensor of MLIR ----------===//

#include "KernelWrapper.h"

#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Transforms/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorStorageLayout.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"

using namespace mlir;
using namespace nacho;
using sparse_tensor::SparseTensorFieldKind;

//===----------------------------------------------------------------------===//
// The arrays
//===----------------------------------------------------------------------===//

namespace {
/// An array of a tensor, as MLIR tells them apart.
struct NamedArray {
  SparseTensorFieldKind kind;
  unsigned level;
  bool isInterleaved; ///< It has the coordinates of several levels.
};
} // namespace

/// The arrays of the levels of a tensor, in the order in which kernels take
/// them. Fails if MLIR has no name for one of them.
static FailureOr<SmallVector<NamedArray>> arraysOf(RankedTensorType tensor) {
  SmallVector<NamedArray> arrays;
  if (isSlice(tensor))
    tensor = wholeTypeOf(tensor);
  auto encoding = sparse_tensor::getSparseTensorEncoding(tensor);
  for (unsigned level = 0; level < encoding.getLvlRank(); ++level)
    for (const LevelArray &array : levelArrays(tensor, level)) {
      std::optional<CoordinatePlace> place = coordinatePlace(tensor, level);
      if (place && array.name == kPositionsName)
        arrays.push_back({SparseTensorFieldKind::PosMemRef, level, false});
      else if (place && array.name == kCoordinatesName)
        arrays.push_back(
            {SparseTensorFieldKind::CrdMemRef, level, place->stride != 1});
      else
        return failure();
    }
  return arrays;
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static void fieldTypes(RankedTensorType tensor, SmallVectorImpl<Type> &types) {
  sparse_tensor::foreachFieldAndTypeInSparseTensor(
      sparse_tensor::SparseTensorType(tensor),
      [&](Type field, unsigned, SparseTensorFieldKind, sparse_tensor::Level,
          sparse_tensor::LevelType) {
        types.push_back(field);
        return true;
      });
}

/// offset + stride * (size - 1) + 1, or the offset if the size is 0
static Value emitEnd(ImplicitLocOpBuilder &b, Value offset, Value size,
                     Value stride) {
  Value one = emitInteger(b, 1), zero = emitInteger(b, 0);
  Number last = Number(b, stride) * (Number(b, size) - one);
  Number isEmpty = Number(b, size) == zero;
  Value span = select(isEmpty, zero, last + one);
  return Number(b, offset) + span;
}

namespace {
/// Reads the fields of a tensor. The arrays have room for more than what is
/// stored, which the specifier says; that has one size for all rows of an array
/// in batches.
class FieldReader {
public:
  FieldReader(ImplicitLocOpBuilder &b, ModuleOp module, RankedTensorType tensor,
              ValueRange fields)
      : b(b), module(module),
        encoding(sparse_tensor::getSparseTensorEncoding(tensor)),
        layout(encoding), fields(fields) {}

  void read(ArrayRef<NamedArray> arrays, TensorArguments &into);

private:
  using SpecifierKind = sparse_tensor::StorageSpecifierKind;

  void checkRows(ArrayRef<NamedArray> arrays);
  Value get(SpecifierKind kind, std::optional<unsigned> level);
  Value extentOf(unsigned level);
  Value field(SparseTensorFieldKind kind, std::optional<unsigned> level);
  Value lengthOf(Value array, int64_t dim);
  Value sizeOf(SparseTensorFieldKind kind, std::optional<unsigned> level);

  ImplicitLocOpBuilder &b;
  ModuleOp module;
  sparse_tensor::SparseTensorEncodingAttr encoding;
  sparse_tensor::StorageLayout layout;
  ValueRange fields;
};
} // namespace

Value FieldReader::get(SpecifierKind kind, std::optional<unsigned> level) {
  auto at = level ? b.getIndexAttr(*level) : IntegerAttr();
  Value index = sparse_tensor::GetStorageSpecifierOp::create(
      b, b.getIndexType(), fields.back(),
      sparse_tensor::StorageSpecifierKindAttr::get(b.getContext(), kind), at);
  return Number(b, index).asSigned(b.getI64Type());
}

/// A slice has the arrays of the whole tensor, and in each level the dimension
/// of the same number.
Value FieldReader::extentOf(unsigned level) {
  Value size = get(SpecifierKind::LvlSize, level);
  if (!encoding.isSlice())
    return size;
  return emitEnd(b, get(SpecifierKind::DimOffset, level), size,
                 get(SpecifierKind::DimStride, level));
}

Value FieldReader::field(SparseTensorFieldKind kind,
                         std::optional<unsigned> level) {
  return fields[layout.getMemRefFieldIndex(kind, level)];
}

Value FieldReader::lengthOf(Value array, int64_t dim) {
  return Number(b, memref::DimOp::create(b, array, dim))
      .asSigned(b.getI64Type());
}

Value FieldReader::sizeOf(SparseTensorFieldKind kind,
                          std::optional<unsigned> level) {
  int64_t batchLevels = encoding.getBatchLvlRank();
  if (batchLevels == 0)
    return get(sparse_tensor::toSpecifierKind(kind), level);
  Value array = field(kind, level), size = lengthOf(array, 0);
  for (int64_t dim = 1; dim <= batchLevels; ++dim)
    size = LLVM::MulOp::create(b, size, lengthOf(array, dim));
  return size;
}

/// In kernels, coordinates and values have the same positions, also behind the
/// entries of a batch.
void FieldReader::checkRows(ArrayRef<NamedArray> arrays) {
  unsigned batchLevels = encoding.getBatchLvlRank(), level = batchLevels;
  Value positions = emitInteger(b, 1);
  if (!arrays.empty()) {
    level = arrays.back().level + 1;
    positions =
        lengthOf(field(arrays.back().kind, arrays.back().level), batchLevels);
  }
  for (; level < encoding.getLvlRank(); ++level)
    positions = LLVM::MulOp::create(b, positions, extentOf(level));
  Value values = lengthOf(field(SparseTensorFieldKind::ValMemRef, std::nullopt),
                          batchLevels);
  LLVM::LLVMFuncOp check = declareFunction(
      b, module, "nacho_check_rows", LLVM::LLVMVoidType::get(b.getContext()),
      TypeRange{b.getI64Type(), b.getI64Type()});
  LLVM::CallOp::create(b, check, ValueRange{positions, values});
}

void FieldReader::read(ArrayRef<NamedArray> arrays, TensorArguments &into) {
  if (encoding.getBatchLvlRank())
    checkRows(arrays);
  auto add = [&](SparseTensorFieldKind kind, std::optional<unsigned> level) {
    into.addArray(emitAddress(b, field(kind, level)), sizeOf(kind, level));
  };
  for (const NamedArray &array : arrays)
    add(array.kind, array.level);
  add(SparseTensorFieldKind::ValMemRef, std::nullopt);
  for (unsigned level = 0; level < encoding.getLvlRank(); ++level)
    into.addExtent(extentOf(level));
}

//===----------------------------------------------------------------------===//
// MLIR's runtime library
//===----------------------------------------------------------------------===//

/// The suffix of the library's functions for elements of a type.
static std::optional<std::string> suffixOf(Type element) {
  if (element.isInteger(1))
    return "I8";
  if (element.isIndex())
    return "I64";
  if (element.isBF16())
    return "BF16";
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF64() ? "C64" : "C32";
  if (!element.isIntOrFloat())
    return std::nullopt;
  std::string letter = element.isInteger() ? "I" : "F";
  return letter + std::to_string(element.getIntOrFloatBitWidth());
}

/// Calls a function of the library that returns a vector by its descriptor.
static void readVector(ImplicitLocOpBuilder &b, ModuleOp module,
                       const std::string &function, Value tensor,
                       std::optional<unsigned> level, TensorArguments &into) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value descriptor = emitRow(b, 5);
  SmallVector<Value> args = {descriptor, tensor};
  if (level)
    args.push_back(emitInteger(b, *level));
  LLVM::LLVMFuncOp callee = declareFunction(
      b, module, "_mlir_ciface_" + function,
      LLVM::LLVMVoidType::get(b.getContext()), TypeRange(ValueRange(args)));
  LLVM::CallOp::create(b, callee, args);
  Value data = LLVM::LoadOp::create(b, pointer, emitPlace(b, descriptor, 1));
  into.addArray(data, LLVM::LoadOp::create(b, b.getI64Type(),
                                           emitPlace(b, descriptor, 3)));
}

static LogicalResult readLibraryTensor(ImplicitLocOpBuilder &b, ModuleOp module,
                                       RankedTensorType tensor,
                                       ArrayRef<NamedArray> arrays, Value from,
                                       TensorArguments &into) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(tensor);
  std::optional<std::string> values = suffixOf(tensor.getElementType());
  if (!values)
    return failure();
  for (const NamedArray &array : arrays) {
    bool isPositions = array.kind == SparseTensorFieldKind::PosMemRef;
    std::string width = std::to_string(isPositions ? encoding.getPosWidth()
                                                   : encoding.getCrdWidth());
    std::string function = isPositions           ? "sparsePositions"
                           : array.isInterleaved ? "sparseCoordinatesBuffer"
                                                 : "sparseCoordinates";
    readVector(b, module, function + width, from, array.level, into);
  }
  readVector(b, module, "sparseValues" + *values, from, std::nullopt, into);
  Type i64 = b.getI64Type();
  LLVM::LLVMFuncOp size =
      declareFunction(b, module, "sparseLvlSize", i64, {from.getType(), i64});
  for (unsigned level = 0; level < encoding.getLvlRank(); ++level)
    into.addExtent(
        LLVM::CallOp::create(b, size, ValueRange{from, emitInteger(b, level)})
            .getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

void nacho::addSparseParameters(RankedTensorType tensor, bool library,
                                SmallVectorImpl<Type> &types) {
  if (library)
    types.push_back(LLVM::LLVMPointerType::get(tensor.getContext()));
  else
    fieldTypes(tensor, types);
}

LogicalResult nacho::readSparseTensor(ImplicitLocOpBuilder &b, ModuleOp module,
                                      RankedTensorType tensor, bool library,
                                      ValueRange params,
                                      TensorArguments &into) {
  FailureOr<SmallVector<NamedArray>> arrays = arraysOf(tensor);
  if (failed(arrays))
    return failure();
  if (library)
    return readLibraryTensor(b, module, tensor, *arrays, params.front(), into);
  FieldReader(b, module, tensor, params).read(*arrays, into);
  return success();
}
