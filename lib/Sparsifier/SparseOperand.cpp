//===- SparseOperand.cpp - The arrays of a sparse tensor of MLIR ----------===//

#include "KernelWrapper.h"

#include "nacho/Levels/LevelFormat.h"

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
      if (array.name == kPositionsName)
        arrays.push_back({SparseTensorFieldKind::PosMemRef, level, false});
      else if (array.name == kCoordinatesName)
        arrays.push_back({SparseTensorFieldKind::CrdMemRef, level,
                          coordinatePlace(tensor, level).stride != 1});
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
  Value last =
      arith::MulIOp::create(b, stride, arith::SubIOp::create(b, size, one));
  Value isEmpty =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, size, zero);
  Value span = arith::SelectOp::create(b, isEmpty, zero,
                                       arith::AddIOp::create(b, last, one));
  return arith::AddIOp::create(b, offset, span);
}

/// The arrays have room for more than what is stored, which the specifier says.
/// A slice has those of the whole tensor, and in each level the dimension of
/// the same number.
static void readFields(ImplicitLocOpBuilder &b, RankedTensorType tensor,
                       ArrayRef<NamedArray> arrays, ValueRange fields,
                       TensorArguments &into) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(tensor);
  sparse_tensor::StorageLayout layout(encoding);
  auto get = [&](sparse_tensor::StorageSpecifierKind kind,
                 std::optional<unsigned> level) -> Value {
    auto at = level ? b.getIndexAttr(*level) : IntegerAttr();
    Value index = sparse_tensor::GetStorageSpecifierOp::create(
        b, b.getIndexType(), fields.back(),
        sparse_tensor::StorageSpecifierKindAttr::get(b.getContext(), kind), at);
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  };
  auto add = [&](SparseTensorFieldKind kind, std::optional<unsigned> level) {
    unsigned field = layout.getMemRefFieldIndex(kind, level);
    into.addArray(emitAddress(b, fields[field]),
                  get(sparse_tensor::toSpecifierKind(kind), level));
  };
  for (const NamedArray &array : arrays)
    add(array.kind, array.level);
  add(SparseTensorFieldKind::ValMemRef, std::nullopt);
  using Kind = sparse_tensor::StorageSpecifierKind;
  for (unsigned level = 0; level < encoding.getLvlRank(); ++level) {
    Value size = get(Kind::LvlSize, level);
    into.addExtent(encoding.isSlice()
                       ? emitEnd(b, get(Kind::DimOffset, level), size,
                                 get(Kind::DimStride, level))
                       : size);
  }
}

//===----------------------------------------------------------------------===//
// MLIR's runtime library
//===----------------------------------------------------------------------===//

/// How the names of the library's functions end for elements of a type.
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
  readFields(b, tensor, *arrays, params, into);
  return success();
}
