//===- PartBuilder.h - The loops of one part ------------------------------===//
//
// Repeats the loops of a nest inside a worker, once to count what the part
// appends and once to append it. How the levels of the result above the last
// one take part is theirs to say (nacho/Levels/Level.h).
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_PARTBUILDER_H
#define NACHO_LIB_TRANSFORMS_PARTBUILDER_H

#include "nacho/Levels/Level.h"

#include "mlir/IR/IRMapping.h"

namespace nacho {

/// The result's type as buffers and its levels above the last one.
struct ResultLayout {
  mlir::RankedTensorType type;
  llvm::SmallVector<std::unique_ptr<ResultLevel>> levels;
  llvm::SmallVector<mlir::Type>
      buffers; ///< Positions and coordinates by level, values.

  static mlir::FailureOr<ResultLayout> get(NestOp nest);

  /// The columns of a row of counts: those of the levels, and the entries.
  llvm::SmallVector<llvm::StringRef> columnNames() const {
    llvm::SmallVector<llvm::StringRef> names;
    for (const auto &level : levels)
      llvm::append_range(names, level->columnNames());
    names.push_back("entries");
    return names;
  }
  int64_t numColumns() const { return columnNames().size(); }
};

/// The arguments of one of the functions, by name.
struct PhaseArguments {
  mlir::Value bounds, within, counts, offsets, sizes, status, threads;
  llvm::SmallVector<mlir::Value> positions,
      coordinates; ///< Null for full levels.
  mlir::Value values;
};

/// A cut from a row of the bounds, by name.
mlir::Value loadCut(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                    mlir::Type cut, mlir::Value bounds, mlir::Value row);

/// Repeats the loops of a nest for one part, with what the phase carries.
class PartBuilder {
public:
  PartBuilder(mlir::ImplicitLocOpBuilder &b, NestOp nest,
              const ResultLayout &layout, mlir::IRMapping mapping,
              const PhaseArguments &args, mlir::Value part)
      : b(b), loops(nest.getLoops()), layout(layout), mapping(mapping),
        args(args), part(part) {}

  /// Counts; returns the row of counts.
  llvm::SmallVector<mlir::Value> count();
  /// Appends between the two rows of the scan; sets the status if that is not
  /// what was counted.
  void append(mlir::ValueRange first, mlir::ValueRange last);

private:
  void loadCuts();
  llvm::SmallVector<mlir::Value> emitLoop(unsigned m, mlir::Value lower,
                                          mlir::Value upper,
                                          llvm::ArrayRef<mlir::Value> carried);
  void emitEntry(CoiterateOp source, CoiterateOp loop,
                 llvm::MutableArrayRef<mlir::Value> carried);
  void setStatus(mlir::Value code);
  void checkCoordinate(CoiterateOp loop);
  void appendEntry(mlir::Value value, mlir::Value coordinate,
                   mlir::Value extent, mlir::Value offset);
  llvm::MutableArrayRef<mlir::Value>
  valuesOf(unsigned m, llvm::MutableArrayRef<mlir::Value> carried);
  mlir::Value nextOf(unsigned m, llvm::ArrayRef<mlir::Value> carried) const;
  mlir::ValueRange columnsOf(unsigned m, mlir::ValueRange row) const;

  mlir::ImplicitLocOpBuilder &b;
  llvm::SmallVector<CoiterateOp> loops;
  const ResultLayout &layout;
  mlir::IRMapping mapping;
  const PhaseArguments &args;
  mlir::Value part, lower, upper;

  bool counting = false;
  mlir::Value end; ///< Where the entries of the part end.
  llvm::SmallVector<AppendContext> contexts;
  llvm::SmallVector<unsigned> numValues; ///< Carried by each level.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_PARTBUILDER_H
