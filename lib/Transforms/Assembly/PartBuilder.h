//===- PartBuilder.h - The loops of one part ------------------------------===//
//
// Repeats the loops of a nest inside a worker, once to count what the part
// appends and once to append it. How the levels of the result take part is
// theirs to say (nacho/Levels/Level.h).
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_PARTBUILDER_H
#define NACHO_LIB_TRANSFORMS_PARTBUILDER_H

#include "ResultLayout.h"
#include "nacho/Analysis/MergeLattice.h"

namespace nacho {

/// Repeats the loops of a nest for one part, with what the phase carries: the
/// values of the result's levels; the number of entries; which fibers are
/// remembered in tables; and, inside of the loops over the result's
/// coordinates, the sums that are being reduced.
class PartBuilder {
public:
  PartBuilder(mlir::ImplicitLocOpBuilder &b, const ResultLayout &layout,
              mlir::IRMapping mapping, const PhaseArguments &args,
              mlir::Value part, mlir::Value parts)
      : b(b), layout(layout), mapping(mapping), args(args), part(part),
        parts(parts) {}

  /// Counts; returns the row of counts.
  llvm::SmallVector<mlir::Value> count();
  /// Appends between the two rows of the scan, which are empty for a result
  /// without structure; sets the status if that is not what was counted.
  /// Returns the row of counts of what has been appended to a draft.
  llvm::SmallVector<mlir::Value> append(mlir::ValueRange first,
                                        mlir::ValueRange last);

private:
  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, value);
  }
  mlir::Value negate(mlir::Value flag) {
    mlir::Value yes = mlir::arith::ConstantIntOp::create(b, 1, 1);
    return mlir::arith::XOrIOp::create(b, flag, yes);
  }
  /// x & y, where null stands for true.
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return emitAnd(b, b.getLoc(), x, y);
  }

  using Values = llvm::SmallVector<mlir::Value>;

  // Loops.
  void loadCuts();
  CoiterateOp cloneLoop(CoiterateOp from, mlir::Value lower, mlir::Value upper,
                        mlir::ValueRange carried);
  Values emitLoop(unsigned m, mlir::Value lower, mlir::Value upper,
                  Values carried);
  void emitBody(unsigned m, CoiterateOp loop, Values &values);
  void emitStatements(mlir::Block &block, CoiterateOp inner, unsigned m,
                      CoiterateOp loop, Values &values);
  void emitInnerLoop(CoiterateOp from, Values &values);
  mlir::Value hasIterations(CoiterateOp loop);
  void countInnerLoop(CoiterateOp from, Values &values);
  mlir::Value cloneFrom(CoiterateOp loop, mlir::Value value);
  bool isInner(unsigned m) const;
  mlir::Value isOnCut(unsigned m, mlir::Value cut);
  bool mustCheck(unsigned m);
  mlir::Value isOutside(unsigned m, CoiterateOp loop);
  void refuseIf(mlir::Value outside);
  bool indexesMemory(CoiterateOp loop);

  // Entries.
  void emitAppend(AppendOp append, Values &values);
  void countEntries(mlir::Value number, mlir::Value condition, Values &values);
  mlir::Value isLastInside();
  void appendEntry(mlir::Value value, mlir::Value offset);
  void store(mlir::Value value, mlir::Value condition, Values &values);
  void startWorkspace();
  void startTables(Values &carried);
  void rememberFibers(CoiterateOp loop, Values &values);
  void clearTables();
  void collect(mlir::Value value, mlir::Value condition, Values &values);
  void drainWorkspace(Values &values);
  void reduceInRow(unsigned sum, mlir::Value value, mlir::Value condition);
  void writeEntry(unsigned m, CoiterateOp loop, Values &values,
                  mlir::Value count, mlir::ValueRange reduced);
  void writeWhole(Values &values, mlir::Value count, mlir::ValueRange reduced);
  void keepPartial(mlir::Value row, mlir::Value count,
                   mlir::ValueRange reduced);
  Values takeReduced(Values &values);
  Values loadPartials(mlir::Value row, mlir::Value number);
  void storeValue(mlir::Value value, mlir::Value at);
  void setStatus(mlir::Value code);
  void startPartials();
  void clearRow(mlir::Value row);
  mlir::Value partialRow(bool isTail);
  // Carried values.
  void initLevels(bool counting, Values &carried);
  llvm::MutableArrayRef<mlir::Value> valuesOf(unsigned level, Values &carried);
  mlir::Value &entriesOf(Values &carried) { return carried[numLevelValues]; }
  mlir::Value &rememberedIn(unsigned table, Values &carried) {
    return carried[numLevelValues + 1 + table];
  }
  mlir::Value &sumOf(unsigned number, Values &carried) {
    return carried[numLevelValues + 1 + tables.size() + number];
  }
  mlir::Value nextOf(unsigned level, Values &carried);
  mlir::Value blockPosition(Values &carried);
  mlir::Value parentPosition(unsigned level, Values &carried);
  void leaveFiber(unsigned m, Values &values);
  AppendContext contextOf(unsigned level, mlir::ValueRange first,
                          mlir::ValueRange last);
  mlir::Value cutCoordinate(mlir::Value cut, unsigned level,
                            mlir::ValueRange row);
  bool reducesInRegister() const {
    return layout.reduction && layout.inner.empty();
  }

  mlir::ImplicitLocOpBuilder &b;
  const ResultLayout &layout;
  mlir::IRMapping mapping;
  const PhaseArguments &args;
  mlir::Value part, parts, lower, upper;

  bool counting = false;
  mlir::Value end; ///< Where the entries of the part end.
  llvm::SmallVector<AppendContext> contexts;
  llvm::SmallVector<unsigned> numValues; ///< Carried by each level.
  unsigned numLevelValues = 0;
  mlir::Value finished;  ///< The part completes the coordinates; or null.
  Values coordinates;    ///< By level, as far as known.
  mlir::Value workspace; ///< Of what is scattered; or null.
  Values tables;         ///< By find: the positions of a fiber's children.
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_PARTBUILDER_H
