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

/// What a function of a nest may take, between the operands and the number of
/// threads. Most of it has more than one argument.
enum class Parameter {
  bounds,        ///< The cuts of all parts, by row.
  within,        ///< The number of rows between cuts that are there.
  counts,        ///< What each part appends, by row.
  offsets,       ///< What the parts before each part append, by row.
  moved,         ///< The same in the result, if `offsets` are those of a draft.
  sizes,         ///< How much to allocate.
  draft,         ///< The arrays of a draft of the result.
  result,        ///< The arrays of the result.
  partials,      ///< Rows of partial entries (PartialEntries.h).
  coordinateSet, ///< Workspaces for coordinates only.
  workspace,     ///< Workspaces.
  tables,        ///< Tables for lookups.
  status         ///< Bits that say what went wrong.
};
using Parameters = llvm::SmallVector<Parameter>;

/// The arrays of a result.
struct ResultArrays {
  TensorArrays arrays;
  mlir::Value values;
  /// Views of the arrays by level; null where a level has none.
  Values positions, coordinates;

  /// Makes the views, if there are arrays.
  void makeViews(mlir::ImplicitLocOpBuilder &b, unsigned rank);

  /// All arrays, level by level, and then the values.
  Values flatten() const;
};

/// The arguments of a function, by name. Those that the function does not take
/// must not be used.
struct PhaseArguments : ResultArrays {
  mlir::Value bounds, within, counts, offsets, moved, sizes, status, threads;
  ResultArrays draft;
  /// By sum, two rows for each part; and how many elements were reduced to a
  /// row.
  Values partials;
  mlir::Value visited;
  /// The workspaces, by slot. Those in which every coordinate has a place have
  /// no keys; those for coordinates only have no sums.
  std::optional<mlir::Value> keys, sums;
  mlir::Value marks;
  /// The same for the tables, whose elements are positions.
  struct Table {
    mlir::Value keys, marks, positions;
  };
  llvm::SmallVector<Table> tables;
};

/// Builds the functions of a nest, one after the other. What its members say
/// about a function is that of the last one started.
class PhaseFunctions {
public:
  PhaseFunctions(mlir::func::FuncOp source, NestOp nest, ResultLayout layout);

  /// Starts a function, whose name is that of the nest's function with a
  /// suffix. The builder is left at its beginning.
  mlir::func::FuncOp start(llvm::StringRef suffix, const Parameters &parameters,
                           bool isExported);
  /// Calls a function that was built before.
  void call(llvm::StringRef suffix, mlir::ValueRange arguments);

  /// Repeats the roots of the operands, and what else comes before the
  /// partition.
  void cloneOperands();
  /// The number of parts.
  mlir::Value numParts();
  /// A worker for each part.
  ParallelOp emitWorkers(mlir::Value parts);
  /// The same, where that is all that the function does. The builder is left in
  /// the body of the workers.
  ParallelOp startWorkers(mlir::Value parts);
  /// One worker does what the body emits.
  void emitOneWorker(llvm::function_ref<void()> body);

  /// A row of `counts`, `offsets` or `moved`.
  Values loadRow(mlir::Value buffer, mlir::Value row);
  void storeRow(mlir::ValueRange values, mlir::Value buffer, mlir::Value row);

  /// The type of a part's cut.
  CutType cutType();
  ResultPlaces places() { return ResultPlaces(b, layout, mapping); }

  // Of the nest.
  mlir::func::FuncOp source;
  NestOp nest;
  PartitionOp partition;
  const ResultLayout layout;
  // Of the function.
  mlir::ImplicitLocOpBuilder b;
  mlir::IRMapping mapping; ///< What stands there for the nest's operands.
  Values operands;
  PhaseArguments args;

private:
  class Signature;

  void add(Parameter parameter, Signature &signature);
  void addPartials(Signature &signature);
  void addTables(Signature &signature);
  void addWorkspace(Signature &signature, bool hasSums);

  llvm::StringMap<mlir::func::FuncOp> functions; ///< By suffix.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PHASEFUNCTIONS_H
