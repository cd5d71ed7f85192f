//===- ModuleReader.h - Signatures of kernels, read from modules ----------===//
//
// A kernel is called without its module. Everything that callers have to know
// is therefore read from the module while it is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_MODULEREADER_H
#define NACHO_LIB_MODULEREADER_H

#include "nacho/Execution/Executable.h"
#include "nacho/Execution/Step.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace nacho {

/// Reads the operands of a kernel, which computes one result from the arguments
/// of a function. Emits an error if one of these tensors cannot be passed.
mlir::LogicalResult readOperands(mlir::func::FuncOp func,
                                 std::vector<TensorLayout> &operands);

/// The sizes of the blocks of each argument of a function, and of its result
/// behind them, by which its dimensions were split; empty if they were not.
std::vector<std::vector<int64_t>> readBlocks(mlir::func::FuncOp func);

/// The name of the function that a step exports for a phase.
std::string exportName(const std::string &step, Phase phase);

/// A digest for each step of a module at the stage `partition`, which is that
/// of its loops, in the order in which they run.
std::vector<uint64_t> readDigests(mlir::ModuleOp module);

/// Reads the steps of a module, and their names, in the order in which they
/// run, from the attributes `#nacho.step` of a module at the stage `assemble`.
mlir::LogicalResult readSteps(mlir::ModuleOp module, std::vector<Step> &steps,
                              std::vector<std::string> &names);

/// The functions that the steps of a module export, by the names of the steps.
std::vector<StepFunctions> exportedBy(mlir::ModuleOp module,
                                      llvm::ArrayRef<std::string> names);

} // namespace nacho

#endif // NACHO_LIB_MODULEREADER_H
