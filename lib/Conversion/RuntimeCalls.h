//===- RuntimeCalls.h - Functions that compiled code calls ------*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_RUNTIMECALLS_H
#define NACHO_LIB_CONVERSION_RUNTIMECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace nacho {

/// Declares a function that is linked in, unless the module has it. All of its
/// arguments are integers or addresses of 64 bits.
inline mlir::func::FuncOp declare(mlir::ModuleOp module, llvm::StringRef name,
                                  unsigned numArgs, mlir::TypeRange results) {
  if (auto known = module.lookupSymbol<mlir::func::FuncOp>(name))
    return known;
  auto b = mlir::OpBuilder::atBlockBegin(module.getBody());
  llvm::SmallVector<mlir::Type> words(numArgs, b.getI64Type());
  auto func = mlir::func::FuncOp::create(b, module.getLoc(), name,
                                         b.getFunctionType(words, results));
  func.setPrivate();
  return func;
}

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_RUNTIMECALLS_H
