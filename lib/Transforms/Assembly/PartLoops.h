//===- PartLoops.h - The loops of one part --------------------------------===//

#ifndef NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTLOOPS_H
#define NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTLOOPS_H

#include "Entries.h"
#include "FiberTables.h"
#include "PartLevels.h"

namespace nacho {

/// Copies the loops of a nest for one part.
class PartLoops {
public:
  PartLoops(Part &part, PartLevels &levels, FiberTables &tables,
            Entries &entries)
      : part(part), layout(part.layout), b(part.b), levels(levels),
        tables(tables), entries(entries) {}

  /// Emits the whole chain of loops, which starts from the values in `carried`;
  /// returns the values after the loops.
  Carried emitChain(const Carried &carried) {
    return emitLoop(0, Bounds{part.lower, part.upper}, carried);
  }

  /// Emits the ops of the nest that are outside of all loops.
  void emitOutside(Carried &values);

private:
  /// The cuts between which a loop runs.
  struct Bounds {
    mlir::Value lower, upper;
  };
  /// A loop of the chain, and the function that emits its copy.
  struct ChainLoop {
    CoiterateOp loop;
    llvm::function_ref<void()> emit;
  };

  CoiterateOp cloneLoop(CoiterateOp from, std::optional<Bounds> bounds,
                        mlir::ValueRange carried);
  Carried emitLoop(unsigned m, std::optional<Bounds> bounds, Carried carried);
  bool onlyCounts(unsigned m) const;
  void countLoop(CoiterateOp loop, std::optional<Bounds> bounds,
                 Carried &values);
  void emitBody(unsigned m, CoiterateOp loop, Carried &values);
  void emitChainBody(unsigned m, CoiterateOp loop, Carried &values);
  void emitStatements(mlir::Block &block, std::optional<ChainLoop> next,
                      Carried &values);
  void emitStatement(mlir::Operation &op, Carried &values);

  // Loops without fibers, which run over all coordinates.
  bool isRowLoop(mlir::Operation *op) const;
  void emitFullLoop(CoiterateOp from, Carried &values);
  void countFullLoop(CoiterateOp from, Carried &values);
  Condition emitHasIterations(CoiterateOp loop);
  mlir::Value cloneFrom(CoiterateOp loop, mlir::Value value);

  Part &part;
  const ResultLayout &layout;
  mlir::ImplicitLocOpBuilder &b;
  PartLevels &levels;
  FiberTables &tables;
  Entries &entries;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_ASSEMBLY_PARTLOOPS_H
