//===- NestAssembler.h - The functions that replace a nest ----------------===//

#ifndef NACHO_LIB_TRANSFORMS_NESTASSEMBLER_H
#define NACHO_LIB_TRANSFORMS_NESTASSEMBLER_H

#include "ResultLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace nacho {

/// Builds one function after the other from the nest's function.
class NestAssembler {
public:
  NestAssembler(mlir::func::FuncOp source, NestOp nest, ResultLayout layout);

  void build();

private:
  enum class Argument {
    bounds,
    within,
    counts,
    offsets,
    moved,
    sizes,
    draft,
    result,
    partials,
    coordinateSet,
    workspace,
    tables,
    status
  };
  using Arguments = llvm::SmallVector<Argument>;

  mlir::func::FuncOp startFunction(llvm::StringRef suffix,
                                   const Arguments &arguments, bool isExported);
  void addArrays(
      ResultArrays &arrays, llvm::StringRef prefix,
      llvm::function_ref<void(mlir::Type, mlir::Value &, const llvm::Twine &)>
          add);
  Arguments executeArguments() const;
  void cloneOperands();
  mlir::Value numParts();
  ParallelOp startWorkers(mlir::Value parts);

  void buildPartition();
  void buildAssemble();
  void buildFill();
  void buildCompute();
  void buildCombine();
  llvm::SmallVector<mlir::Value> loadSums(mlir::Value row, mlir::Value n);
  void writeCombined(mlir::Value row, mlir::Value part, mlir::Value cut);
  void buildPlan();
  void buildSlots(mlir::Value parts);
  void buildScan(mlir::Value offsets);
  mlir::Value levelExtent(unsigned level, mlir::Value parts);
  void storeSizes(mlir::Value offsets, mlir::Value parts);
  void buildExecute();
  void buildOrder();
  void buildSort();
  void buildCompact();
  mlir::Value shiftOf(mlir::Value part);
  void moveEntries(mlir::Value part, mlir::Value parts);
  void movePositions(unsigned level, mlir::Value part, mlir::Value parts);
  void writeFirstFiber(mlir::Value part, mlir::Value parts,
                       mlir::Value offsets);
  void storeFirstFiber(mlir::Value parts, mlir::Value offsets);

  void storeRow(mlir::ValueRange values, mlir::Value buffer, mlir::Value row);
  llvm::SmallVector<mlir::Value> loadRow(mlir::Value buffer, mlir::Value row);

  mlir::func::FuncOp source;
  NestOp nest;
  PartitionOp partition;
  ResultLayout layout;
  mlir::ImplicitLocOpBuilder b;

  // Of the function being built.
  mlir::IRMapping mapping;
  llvm::SmallVector<mlir::Value> operands;
  PhaseArguments args;
  llvm::StringMap<mlir::func::FuncOp> functions;
};

} // namespace nacho

#endif // NACHO_LIB_TRANSFORMS_NESTASSEMBLER_H
