//===- TileSlots.h - Parts that append before they are counted --*- C++ -*-===//
//
// Parts need not count what they append before they do, if they keep it in
// memory of their tile. The cuts of a part tell how many entries it can have at
// most, and so where its slots begin:
//
//   before:                            after:
//     count = 0                          next = slot
//     for i:                             for i:
//       count += coordinates j             for j:
//                                            slots[next] = f(i, j)
//                                            next += 1
//                                          ends[row] = next; row += 1
//     offsets = scan of the counts       offsets = scan of each next - slot
//     at = offset                        at = offset
//     for i:                             for i:
//       for j:
//         out[at] = f(i, j)
//         at += 1                          at = offset + ends[row]; row += 1
//       pos[i + 1] = at                    pos[i + 1] = at
//                                        move slots to out, from offset on
//
// The loop over i is there again only where a part appends something else than
// entries.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_OPTIMIZATIONS_TILESLOTS_H
#define NACHO_LIB_OPTIMIZATIONS_TILESLOTS_H

#include "TileCalls.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacho {

/// Returns what decides which coordinates a loop, or a count, visits.
template <typename OpT>
llvm::SmallVector<mlir::Value> operandsOf(OpT op) {
  llvm::SmallVector<mlir::Value> operands(op.getFibers());
  llvm::append_range(operands, op.getGuards());
  if (op.getExtent())
    operands.push_back(op.getExtent());
  return operands;
}

class TileSlots {
public:
  /// `counting` are workers that cut their tile and count the `row` of each
  /// part, and `append` those which append from the offsets on that are given.
  TileSlots(WorkersCall &counting, WorkersCall &append, mlir::Value offsets)
      : counting(counting), append(append), offsets(offsets) {}

  /// Whether parts can keep what they append. `row` is what a part counts.
  bool find(llvm::ArrayRef<mlir::Value> row);
  /// The outermost loop of those that append.
  CoiterateOp outermost() const { return appending.loops.front(); }

  /// Lets parts keep what they count, the row of which this returns. `mapping`
  /// has what values of `append` are here.
  llvm::SmallVector<mlir::Value> keep(mlir::IRMapping &mapping,
                                      llvm::ArrayRef<mlir::Value> row);
  /// Returns whether the tile has room for what its parts keep, each in slots
  /// of its own.
  mlir::Value emitRoom(mlir::ImplicitLocOpBuilder &b);
  /// Emits the loops again, with what parts append besides entries. Returns the
  /// outermost one; null if they need none.
  mlir::Operation *emitRest(mlir::ImplicitLocOpBuilder &b);
  /// Appends what parts have kept. `scanned` has the offsets of a tile.
  void emitAppend(mlir::ImplicitLocOpBuilder &b, mlir::Value scanned);

private:
  /// Some loops, one in the other, and what counts the steps of another one.
  struct Nest {
    llvm::SmallVector<CoiterateOp> loops;
    CountOp count;
  };
  /// What a part has of memory of its tile.
  struct Range {
    mlir::Value begin, end, size;
  };
  using Values = llvm::SmallVector<mlir::Value>;

  bool findNests();
  bool isAlike(mlir::Value one, mlir::Value other);
  bool areAlike();
  bool findEntries();
  bool areCounted(llvm::ArrayRef<mlir::Value> row);
  bool findGuard();
  bool findArrays();
  bool isKnown(mlir::Value value);
  bool hasKnownOperands();
  unsigned depth() const { return appending.loops.size(); }
  CoiterateOp innermost() const { return appending.loops.back(); }

  mlir::Value stepsBefore(mlir::ImplicitLocOpBuilder &b, mlir::Value cut,
                          unsigned n);
  Range rangeOf(mlir::ImplicitLocOpBuilder &b, unsigned n);
  void makeMemory(mlir::ImplicitLocOpBuilder &b);
  void emitNoDisorder(mlir::ImplicitLocOpBuilder &b);
  void emitOrder(mlir::ImplicitLocOpBuilder &b);
  void findRanges(mlir::ImplicitLocOpBuilder &b);
  Values copyRows(mlir::ImplicitLocOpBuilder &b, unsigned n, bool isRest,
                  mlir::IRMapping &now, mlir::ValueRange row);
  void fetch(mlir::ImplicitLocOpBuilder &b, mlir::Block *home = nullptr);
  void keepEntry(mlir::ImplicitLocOpBuilder &b);
  Values keepEntries(mlir::ImplicitLocOpBuilder &b, mlir::IRMapping &counts,
                     mlir::ValueRange row);
  mlir::Value rowInMemory(mlir::ImplicitLocOpBuilder &b, mlir::Value row);
  Values placeEntries(mlir::ImplicitLocOpBuilder &b, mlir::IRMapping &now,
                      mlir::ValueRange row);
  void emitStatus(mlir::ImplicitLocOpBuilder &b);
  void placeEnd(mlir::ImplicitLocOpBuilder &b, mlir::Value kept,
                mlir::Value row);
  void keepRows(mlir::ImplicitLocOpBuilder &b, mlir::Operation *yield);

  WorkersCall &counting, &append;
  mlir::Value offsets, status;
  Nest counted, appending;
  /// Adds the entries of a row to those of earlier rows, while counted; null if
  /// nothing loops over rows.
  mlir::arith::AddIOp sum;
  int64_t column = 0;         ///< Of the number of entries in a row.
  mlir::memref::LoadOp place; ///< Where a part begins to append entries.
  mlir::memref::LoadOp next;  ///< Where the next part does.
  mlir::scf::IfOp guard;      ///< What is done if both of these hold.
  mlir::Value isInSlots;      ///< Whether an entry is one that was counted.
  mlir::Value isValid;        ///< Whether it is right; null if it always is.
  llvm::SmallVector<mlir::Value> arrays;
  bool hasRest = false; ///< Whether parts append more than entries.

  mlir::IRMapping *copies = nullptr;
  llvm::SmallVector<mlir::Value> slots; ///< One memory for each array.
  mlir::Value ends;                     ///< Where the entries of rows end.
  mlir::Value disorder; ///< Whether parts of the tile have the same slots.
  Range entries, rows;  ///< What a part has of `slots`, and of `ends`.
};

} // namespace nacho

#endif // NACHO_LIB_OPTIMIZATIONS_TILESLOTS_H
