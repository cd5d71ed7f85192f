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

/// The layouts of a function that computes one result.
mlir::LogicalResult readLayouts(mlir::func::FuncOp func,
                                llvm::ArrayRef<mlir::Type> arguments,
                                std::vector<TensorLayout> &operands,
                                TensorLayout &result);

/// The name of a function that a step exports, by the name of the step.
std::string exportName(const std::string &step, Phase phase);

/// What the module says about its steps while they are nests.
mlir::LogicalResult readSteps(mlir::ModuleOp module, std::vector<Step> &steps,
                              std::vector<std::string> &names);

/// What the functions of a step say about its buffers.
mlir::LogicalResult readBuffers(mlir::ModuleOp module, const std::string &name,
                                Step &step);

} // namespace nacho

#endif // NACHO_LIB_MODULEREADER_H
