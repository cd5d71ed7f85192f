//===- PhaseFunctions.h - The functions of a nest, and their arguments ----===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PHASEFUNCTIONS_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PHASEFUNCTIONS_H

#include "ResultLayout.h"
#include "ResultPlaces.h"
#include "nacho/Levels/TensorArrays.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

namespace nacho {

/// The parameters that a function of a nest may have, between the operands and
/// the number of threads. Some of them stand for several arguments.
enum class Parameter {
  bounds,        ///< The cuts between the parts, one in each row.
  order,         ///< The order in which the parts are started.
  within,        ///< The number of rows from one given cut to the next.
  counts,        ///< The appends of each part, one part in each row.
  offsets,       ///< The start of each part's appends, one part in each row.
  moved,         ///< Offsets in the result, if `offsets` are those of a draft.
  sizes,         ///< The sizes of the result (see Step.h).
  excess,        ///< The cost above two shares that is not too much for a part.
  earlier,       ///< The status of all that comes before parts are counted.
  draft,         ///< The arrays of a draft of the result.
  result,        ///< The arrays of the result.
  partials,      ///< Rows of sums that are not complete (PartialEntries.h).
  coordinateSet, ///< The workspace, without sums.
  workspace,     ///< The workspace.
  tables,        ///< The tables for lookups.
  buckets,       ///< Each part's appends to each bucket (BucketsCollector).
  status         ///< Bits that say what went wrong.
};
using Parameters = llvm::SmallVector<Parameter>;

/// The arrays of a result.
struct ResultArrays {
  TensorArrays arrays;
  mlir::Value values;
  /// The positions and coordinates of each level, as views of the arrays; null
  /// if the level has none.
  Values positions, coordinates;

  /// Makes the views, if there are arrays.
  void makeViews(mlir::ImplicitLocOpBuilder &b, unsigned rank);

  /// All arrays, level by level, and then the values.
  Values flatten() const;
};

/// The arguments of a function, by name. Those that the function does not take
/// must not be used.
struct PhaseArguments : ResultArrays {
  mlir::Value bounds, order, within, counts, offsets, moved, sizes, excess,
      earlier, status, threads;
  ResultArrays draft;
  /// A buffer for each sum of the reduction, with two rows for each part; and
  /// how many elements were reduced to each row.
  Values partials;
  mlir::Value visited;
  /// The arrays of the workspace, with a row for each slot. There are no keys
  /// if every coordinate has a place of its own, and no sums if the workspace
  /// only holds coordinates.
  std::optional<mlir::Value> keys, sums;
  mlir::Value marks;
  /// The arrays of a table, likewise. Its elements are numbers of children.
  struct Table {
    mlir::Value keys, marks, numbers;
  };
  llvm::SmallVector<Table> tables;
  /// The number of entries that each part appends to each bucket, with a column
  /// for each bucket, and then, in as many rows, the place of the next.
  mlir::Value buckets;
};

/// Builds the functions of a nest, one after the other. The members for a
/// function describe the function that was started last.
class PhaseFunctions {
public:
  PhaseFunctions(mlir::func::FuncOp source, NestOp nest, ResultLayout layout,
                 int64_t tile, bool isOnDevice);

  /// Starts a function, whose name is that of the nest's function with a
  /// suffix. The builder is left at its beginning.
  mlir::func::FuncOp start(llvm::StringRef suffix, const Parameters &parameters,
                           bool isExported);
  /// Calls a function that was built before.
  void call(llvm::StringRef suffix, mlir::ValueRange arguments);

  /// Copies all ops of `source` but the partition and the nest, such as the
  /// roots of the operands.
  void cloneOperands();
  /// The number of parts.
  mlir::Value numParts();
  /// Emits a parallel loop with a worker for each part.
  ParallelOp emitWorkers(mlir::Value parts);
  /// Emits such a loop as the last op of the function, and leaves the builder
  /// in its body.
  ParallelOp startWorkers(mlir::Value parts);
  /// Emits a parallel loop with one worker, whose code `body` emits.
  void emitOneWorker(llvm::function_ref<void()> body);

  /// Loads or stores a row of `counts`, `offsets` or `moved`.
  Values loadRow(mlir::Value buffer, mlir::Value row);
  void storeRow(mlir::ValueRange values, mlir::Value buffer, mlir::Value row);

  /// Whether parts that may be unequal are started at the same time, instead of
  /// in an order that the caller says.
  bool startsTogether() const {
    return layout.hasUnequalParts() && isOnDevice && tile;
  }
  /// The type of a part's cut.
  CutType cutType();
  ResultPlaces places() { return ResultPlaces(b, layout, mapping); }

  // Members for the nest.
  mlir::func::FuncOp source;
  NestOp nest;
  PartitionOp partition;
  const ResultLayout layout;
  const int64_t tile; ///< The number of parts of a tile; 0: there are no tiles.
  /// Whether a device runs the functions, whose host does not see its memory.
  const bool isOnDevice;
  // Members for the function.
  mlir::ImplicitLocOpBuilder b;
  mlir::IRMapping mapping; ///< Maps values of `source` to the function's.
  Values operands;
  PhaseArguments args;

private:
  class Signature;

  void add(Parameter parameter, Signature &signature);
  void addArrays(Parameter parameter, Signature &signature);
  void addPartials(Signature &signature);
  void addBuckets(Signature &signature);
  void addTables(Signature &signature);
  void addWorkspace(Signature &signature, bool hasSums);

  llvm::StringMap<mlir::func::FuncOp> functions; ///< Functions by their suffix.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PHASEFUNCTIONS_H
