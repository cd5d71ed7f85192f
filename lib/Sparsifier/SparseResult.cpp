//===- SparseResult.cpp - Arrays as a sparse tensor of MLIR ---------------===//

#include "KernelWrapper.h"

#include "nacho/IR/Arith.h"
#include "nacho/Levels/LevelFormat.h"
#include "nacho/Levels/LevelParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SparseTensor/IR/Enums.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorStorageLayout.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"

using namespace mlir;
using namespace nacho;
using sparse_tensor::SparseTensorFieldKind;

static Value asIndex(ImplicitLocOpBuilder &b, Value integer) {
  return Number(b, integer).asSigned(b.getIndexType());
}

/// The size of an array divided by the number of batches.
static Value emitRowLength(ImplicitLocOpBuilder &b, Value size,
                           ValueRange batchExtents) {
  for (Value extent : batchExtents)
    size = LLVM::UDivOp::create(
        b, size, LLVM::UMaxOp::create(b, extent, emitInteger(b, 1)));
  return size;
}

SmallVector<Value> nacho::emitFields(ImplicitLocOpBuilder &b,
                                     RankedTensorType tensor,
                                     const MadeArrays &made) {
  sparse_tensor::SparseTensorType type(tensor);
  auto encoding = type.getEncoding();
  SmallVector<Value> fields;
  Value specifier = sparse_tensor::StorageSpecifierInitOp::create(
      b, sparse_tensor::StorageSpecifierType::get(encoding));
  auto set = [&](sparse_tensor::StorageSpecifierKind kind,
                 std::optional<sparse_tensor::Level> level, Value value) {
    auto at = level ? b.getIndexAttr(*level) : IntegerAttr();
    specifier = sparse_tensor::SetStorageSpecifierOp::create(
        b, specifier.getType(), specifier,
        sparse_tensor::StorageSpecifierKindAttr::get(b.getContext(), kind), at,
        asIndex(b, value));
  };
  for (auto [level, extent] : llvm::enumerate(made.extents))
    set(sparse_tensor::StorageSpecifierKind::LvlSize, level, extent);
  // Our arrays come in the order of MLIR's fields.
  sparse_tensor::foreachFieldAndTypeInSparseTensor(
      type, [&](Type field, unsigned n, SparseTensorFieldKind kind,
                sparse_tensor::Level level, sparse_tensor::LevelType) {
        if (kind == SparseTensorFieldKind::StorageSpec)
          return true;
        bool isLevel = kind != SparseTensorFieldKind::ValMemRef;
        // An array may have a row for each batch.
        SmallVector<Value> extents(
            ArrayRef(made.extents).take_front(type.getBatchLvlRank()));
        extents.push_back(emitRowLength(b, made.sizes[n], extents));
        set(sparse_tensor::toSpecifierKind(kind),
            isLevel ? std::optional(level) : std::nullopt, extents.back());
        fields.push_back(
            emitMemRef(b, cast<MemRefType>(field), made.data[n], extents));
        return true;
      });
  fields.push_back(specifier);
  return fields;
}

//===----------------------------------------------------------------------===//
// MLIR's runtime library
//===----------------------------------------------------------------------===//

static std::optional<sparse_tensor::OverheadType> overheadOf(unsigned width) {
  switch (width) {
  case 0:
    return sparse_tensor::OverheadType::kIndex;
  case 8:
    return sparse_tensor::OverheadType::kU8;
  case 16:
    return sparse_tensor::OverheadType::kU16;
  case 32:
    return sparse_tensor::OverheadType::kU32;
  case 64:
    return sparse_tensor::OverheadType::kU64;
  }
  return std::nullopt;
}

static std::optional<sparse_tensor::PrimaryType> primaryOf(Type element) {
  using sparse_tensor::PrimaryType;
  if (element.isF64())
    return PrimaryType::kF64;
  if (element.isF32())
    return PrimaryType::kF32;
  if (element.isF16())
    return PrimaryType::kF16;
  if (element.isBF16())
    return PrimaryType::kBF16;
  // The library has no booleans: they are bytes, too.
  if (element.isInteger(64) || element.isIndex())
    return PrimaryType::kI64;
  if (element.isInteger(32))
    return PrimaryType::kI32;
  if (element.isInteger(16))
    return PrimaryType::kI16;
  if (element.isInteger(8) || element.isInteger(1))
    return PrimaryType::kI8;
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF64() ? PrimaryType::kC64
                                            : PrimaryType::kC32;
  return std::nullopt;
}

/// The address of a descriptor of a row of numbers.
static Value emitVector(ImplicitLocOpBuilder &b, ArrayRef<Value> numbers) {
  Value row = emitRow(b, numbers.size()), descriptor = emitRow(b, 5);
  for (auto [n, number] : llvm::enumerate(numbers))
    LLVM::StoreOp::create(b, number, emitPlace(b, row, n));
  Value zero = emitInteger(b, 0), one = emitInteger(b, 1);
  Value fields[] = {row, row, zero, emitInteger(b, numbers.size()), one};
  for (auto [n, field] : llvm::enumerate(fields))
    LLVM::StoreOp::create(b, field, emitPlace(b, descriptor, n));
  return descriptor;
}

/// The level map of a tensor and its inverse, as the library encodes them.
static std::pair<SmallVector<Value>, SmallVector<Value>>
emitMaps(ImplicitLocOpBuilder &b, RankedTensorType tensor) {
  SmallVector<uint64_t> toLevel, toDim(tensor.getRank());
  SmallVector<LevelPart> parts = levelParts(tensor);
  for (const LevelPart &part : parts)
    toLevel.push_back(sparse_tensor::encodeDim(
        part.dimension, part.kind == LevelPart::block ? part.size : 0,
        part.kind == LevelPart::inside ? part.size : 0));
  for (auto [level, part] : llvm::enumerate(parts)) {
    if (part.kind == LevelPart::whole)
      toDim[part.dimension] = level;
    for (auto [other, inside] : llvm::enumerate(parts))
      if (part.kind == LevelPart::block && inside.kind == LevelPart::inside &&
          inside.dimension == part.dimension)
        toDim[part.dimension] =
            sparse_tensor::encodeLvl(other, part.size, level);
  }
  auto emit = [&](ArrayRef<uint64_t> codes) {
    return llvm::map_to_vector(
        codes, [&](uint64_t code) { return emitInteger(b, code); });
  };
  return {emit(toLevel), emit(toDim)};
}

/// The extent of each dimension of a tensor that was made.
static SmallVector<Value> emitDimensions(ImplicitLocOpBuilder &b,
                                         RankedTensorType tensor,
                                         const MadeArrays &made) {
  SmallVector<Value> dims(tensor.getRank());
  for (auto [part, extent] : llvm::zip(levelParts(tensor), made.extents)) {
    if (part.kind == LevelPart::whole)
      dims[part.dimension] = extent;
    if (part.kind == LevelPart::block)
      dims[part.dimension] =
          LLVM::MulOp::create(b, extent, emitInteger(b, part.size));
  }
  return dims;
}

/// The arrays of a tensor as the library takes them. Where levels in coordinate
/// form end a tensor, it wants one array of their coordinates, entry by entry,
/// and stores them in arrays of their own all the same.
static SmallVector<Value> interleaved(ImplicitLocOpBuilder &b, ModuleOp module,
                                      RankedTensorType tensor,
                                      const MadeArrays &made) {
  unsigned level = 0, first = 0, rank = made.extents.size();
  for (; level < rank && isUniqueLevel(tensor, level); ++level)
    first += levelArrays(tensor, level).size();
  // The last array of the first level holds its coordinates.
  if (level + 1 >= rank || levelArrays(tensor, level + 1).empty())
    return made.data;
  first += levelArrays(tensor, level).size() - 1;
  ArrayRef<Value> apart = ArrayRef(made.data).slice(first, rank - level);
  Value row = emitRow(b, apart.size());
  for (auto [n, data] : llvm::enumerate(apart))
    LLVM::StoreOp::create(b, data, emitPlace(b, row, n));
  Type pointer = row.getType(), i64 = b.getI64Type();
  Type coordinate = levelArrays(tensor, level).back().element;
  LLVM::LLVMFuncOp interleave = declareFunction(
      b, module, "nacho_interleave", pointer, {pointer, i64, i64, i64});
  Value together =
      LLVM::CallOp::create(b, interleave,
                           ValueRange{row, emitInteger(b, apart.size()),
                                      made.sizes[first],
                                      emitInteger(b, bytesOf(coordinate))})
          .getResult();
  SmallVector<Value> data(ArrayRef(made.data).take_front(first));
  data.append({together, made.data.back()});
  return data;
}

FailureOr<Value> nacho::emitLibraryTensor(ImplicitLocOpBuilder &b,
                                          ModuleOp module,
                                          RankedTensorType tensor,
                                          const MadeArrays &made) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(tensor);
  auto positions = overheadOf(encoding.getPosWidth()),
       coordinates = overheadOf(encoding.getCrdWidth());
  auto values = primaryOf(tensor.getElementType());
  if (!positions || !coordinates || !values)
    return failure();
  auto [toLevel, toDim] = emitMaps(b, tensor);
  SmallVector<Value> types, arrays;
  for (sparse_tensor::LevelType level : encoding.getLvlTypes())
    types.push_back(emitInteger(b, static_cast<uint64_t>(level)));
  SmallVector<Value> passed = interleaved(b, module, tensor, made);
  for (Value data : passed)
    arrays.push_back(LLVM::PtrToIntOp::create(b, b.getI64Type(), data));
  Value row = emitRow(b, arrays.size());
  for (auto [n, data] : llvm::enumerate(arrays))
    LLVM::StoreOp::create(b, data, emitPlace(b, row, n));
  auto code = [&](auto value) -> Value {
    return LLVM::ConstantOp::create(
        b, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Value> args = {emitVector(b, emitDimensions(b, tensor, made)),
                             emitVector(b, made.extents),
                             emitVector(b, types),
                             emitVector(b, toLevel),
                             emitVector(b, toDim),
                             code(*positions),
                             code(*coordinates),
                             code(*values),
                             code(sparse_tensor::Action::kPack),
                             row};
  LLVM::LLVMFuncOp make =
      declareFunction(b, module, "_mlir_ciface_newSparseTensor", pointer,
                      TypeRange(ValueRange(args)));
  Value address = LLVM::CallOp::create(b, make, args).getResult();
  LLVM::LLVMFuncOp release = declareFunction(
      b, module, "free", LLVM::LLVMVoidType::get(b.getContext()), pointer);
  for (Value data : passed)
    LLVM::CallOp::create(b, release, data);
  return address;
}
