//===- LateValues.h - Values that a block computes last ---------*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_GPU_LATEVALUES_H
#define NACHO_LIB_CONVERSION_GPU_LATEVALUES_H

#include "WindowAccesses.h"
#include "nacho/IR/Arith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

#include <optional>

namespace nacho {

/// The elements of an array that the parts of a tile read.
struct ElementsOfArray {
  mlir::Value array;
  RowsOfTile rows;
};

/// Elements that parts write, and compute only of elements that they read for
/// nothing else, and of flags. In place of each, a part writes a word to shared
/// memory that says where what it reads is:
///
///   word = position of an element among those of the tile, for each array,
///          and flags
///
/// When all parts are done, threads that lie next to each other compute
/// elements that do, and so read others that lie close to each other.
class LateValues {
public:
  /// Returns nothing unless all that parts write to an array is computed so, of
  /// elements of `windows`, and a word is no longer than an element.
  static std::optional<LateValues> find(ParallelOp workers, mlir::Value array,
                                        llvm::ArrayRef<ElementsOfArray> read);

  /// The arrays that are read later.
  llvm::SmallVector<mlir::Value> arrays() const;
  mlir::IntegerType wordType() const { return word; }

  /// Returns whether words have room for all positions.
  Number haveRoom(mlir::ImplicitLocOpBuilder &b) const;
  /// The operation that stores the elements.
  mlir::memref::StoreOp getStore() const { return store; }
  /// Puts words in the place of a copy of that, which has all room for them.
  void writeWord(mlir::memref::StoreOp copy, const mlir::IRMapping &copies,
                 mlir::Value words) const;
  /// Lets a copy of the code of parts write words to a window in place of
  /// elements.
  void writeWords(const mlir::IRMapping &copies, mlir::Value words,
                  const RowsOfTile &rows) const;

  /// Emits the element of which a word tells. If no part has written the word,
  /// and it is 0, that is some element.
  mlir::Value compute(mlir::ImplicitLocOpBuilder &b, Number written) const;

private:
  /// An element that is read, at a position that parts know.
  struct Source {
    mlir::Value position;
    RowsOfTile rows;
  };
  /// An operand that is known from a word: a position, or a flag.
  struct Known {
    mlir::Operation *op;
    unsigned operand;
    bool isFlag;
    size_t number; ///< Of the source, or the flag.
  };

  LateValues(ParallelOp workers, mlir::memref::StoreOp store)
      : workers(workers), store(store), stored(store.getValueToStore()) {}

  bool isKnownOutside(mlir::Value value) const;
  bool add(mlir::Value value, llvm::ArrayRef<ElementsOfArray> read);
  bool addLoad(mlir::memref::LoadOp load, llvm::ArrayRef<ElementsOfArray> read);
  bool isOnlyStored(mlir::Value value) const;
  bool readsForNothingElse() const;
  void noteKnown();
  size_t flagBit(size_t n) const;
  Number emitWord(mlir::ImplicitLocOpBuilder &b,
                  const mlir::IRMapping &copies) const;

  ParallelOp workers;
  mlir::memref::StoreOp store;
  mlir::Value stored;
  mlir::IntegerType word;
  llvm::SmallVector<mlir::memref::LoadOp> loads;
  llvm::SmallVector<Source> sources;
  llvm::SmallVector<mlir::Value> flags;
  /// What computes an element, in order.
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SmallVector<Known> known;
};

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_GPU_LATEVALUES_H
