//===- Pieces.cpp - What stands for a tensor in a call of a kernel --------===//

#include "Pieces.h"

#include "nacho/Levels/LevelFormat.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

using namespace mlir;
using namespace nacho;

FailureOr<SmallVector<Piece>> nacho::piecesOf(RankedTensorType tensor) {
  if (!sparse_tensor::getSparseTensorEncoding(tensor))
    return SmallVector<Piece>{{Piece::tensor, 0, tensor}};
  auto vectorOf = [](Type element) {
    return MemRefType::get({ShapedType::kDynamic}, element);
  };
  SmallVector<Piece> pieces;
  unsigned levels = sparse_tensor::getSparseTensorEncoding(tensor).getLvlRank();
  for (unsigned level = 0; level < levels; ++level)
    for (const LevelArray &array : levelArrays(tensor, level)) {
      Piece piece{Piece::positions, level, vectorOf(array.element)};
      if (array.name == kCoordinatesName)
        piece.kind = coordinatePlace(tensor, level).stride == 1
                         ? Piece::coordinates
                         : Piece::interleaved;
      else if (array.name != kPositionsName)
        return failure();
      pieces.push_back(piece);
    }
  pieces.push_back({Piece::values, 0, vectorOf(tensor.getElementType())});
  for (unsigned level = 0; level < levels; ++level)
    pieces.push_back(
        {Piece::extent, level, IndexType::get(tensor.getContext())});
  return pieces;
}

Value nacho::emitPiece(ImplicitLocOpBuilder &b, Value tensor,
                       const Piece &piece) {
  sparse_tensor::Level level = piece.level;
  switch (piece.kind) {
  case Piece::tensor:
    return tensor;
  case Piece::positions:
    return sparse_tensor::ToPositionsOp::create(b, piece.type, tensor, level);
  case Piece::coordinates:
    return sparse_tensor::ToCoordinatesOp::create(b, piece.type, tensor, level);
  case Piece::interleaved:
    return sparse_tensor::ToCoordinatesBufferOp::create(b, piece.type, tensor);
  case Piece::values:
    return sparse_tensor::ToValuesOp::create(b, piece.type, tensor);
  case Piece::extent:
    return sparse_tensor::LvlOp::create(b, tensor, piece.level);
  }
  llvm_unreachable("all kinds are above");
}
