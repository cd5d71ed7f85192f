//===- ModuleReader.h - What modules say about their kernels ----*- C++ -*-===//
//
// A kernel is called without its module: what callers have to know is read from
// it while it is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_MODULEREADER_H
#define NACHO_LIB_MODULEREADER_H

#include "nacho/Execution/Step.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace nacho {

/// Reads the operands of a kernel, which computes one result from the arguments
/// of a function. Emits an error if one of these tensors cannot be passed.
mlir::LogicalResult readOperands(mlir::func::FuncOp func,
                                 std::vector<TensorLayout> &operands);

/// The name of a function that a step exports, by the name of the step.
std::string exportName(const std::string &step, Phase phase);

/// Reads the steps of a module, and their names, in the order in which they are
/// run: what the attributes `#nacho.step` say when outputs are assembled.
mlir::LogicalResult readSteps(mlir::ModuleOp module, std::vector<Step> &steps,
                              std::vector<std::string> &names);

} // namespace nacho

#endif // NACHO_LIB_MODULEREADER_H
