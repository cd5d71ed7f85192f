//===- ClearParts.cpp - Zeroes the partial sums ---------------------------===//
//
// The functions fill and clear. Before the parts run, fill gives all elements
// of blocks the value that they have where nothing is appended, and clear
// empties rows of sums that are as long as the result. Rows are cleared in
// pieces of equal size, so that workers share this evenly, too.
//
//===----------------------------------------------------------------------===//

#include "NestAssembler.h"
#include "PartialEntries.h"
#include "Pieces.h"
#include "nacho/IR/Arith.h"
#include "nacho/IR/Names.h"
#include "nacho/IR/Operators.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace nacho;

static constexpr int64_t kPiece = 2048;

Value nacho::emitPieces(PhaseFunctions &function, Value size) {
  if (function.tile)
    return size;
  ImplicitLocOpBuilder &b = function.b;
  Number most(b, kPiece);
  return (Number(b, size) + (kPiece - 1)) / most;
}

Value nacho::emitNumSums(PhaseFunctions &function) {
  ImplicitLocOpBuilder &b = function.b;
  Value table = function.args.partials[0];
  Number rows(b, memref::DimOp::create(b, table, Number(b, 0)));
  return rows * memref::DimOp::create(b, table, Number(b, 1)).getResult();
}

Value nacho::startPieces(PhaseFunctions &function, Value pieces) {
  Value piece = function.startWorkers(pieces).getWorker();
  setName(piece, "piece");
  return piece;
}

Interval nacho::emitPiece(PhaseFunctions &function, Value piece, Value size) {
  ImplicitLocOpBuilder &b = function.b;
  if (function.tile)
    return {piece, Number(b, piece) + 1};
  Number most(b, kPiece);
  Number from = Number(b, piece) * most;
  Number to = from + most;
  return {from, min(to, size)};
}

/// parallel piece of the values:
///   for n in the piece:
///     values[n] = value of an element to which nothing is appended
void nacho::buildFill(PhaseFunctions &function) {
  function.start("fill", {Parameter::result},
                 /*isExported=*/runsOneByOne(function.layout));
  function.cloneOperands();
  ImplicitLocOpBuilder &b = function.b;
  const ResultLayout &layout = function.layout;
  Value values = function.args.values;
  Number zero(b, 0);
  Value size = memref::DimOp::create(b, values, zero);
  Value piece = startPieces(function, emitPieces(function, size));
  Interval own = emitPiece(function, piece, size);
  Value nothing;
  if (const auto &reduction = layout.reduction)
    nothing =
        reduction->finish(b, reduction->identities(b), zero, function.mapping);
  else
    nothing = zeroElement(b, layout.type.getElementType());
  emitFor(b, own.from, own.to,
          [&](Value at) { memref::StoreOp::create(b, nothing, values, at); });
}

/// parallel piece of all rows:
///   for n in the piece:
///     row[n] = identity of the reduction
void nacho::buildClear(PhaseFunctions &function, const Parameters &parameters) {
  function.start("clear", parameters,
                 /*isExported=*/runsOneByOne(function.layout));
  function.cloneOperands();
  ImplicitLocOpBuilder &b = function.b;
  ResultPlaces places = function.places();
  Value rowSize = places.rowSize(), pieces = emitPieces(function, rowSize);
  Value all = Number(b, function.numParts()) * pieces;
  Number piece(b, startPieces(function, all));
  Value row = piece / pieces;
  Value inRow = piece % pieces;
  PartialEntries(b, function.layout, function.args, places)
      .clear(row, emitPiece(function, inRow, rowSize));
}
