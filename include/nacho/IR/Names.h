//===- Names.h - Names for the values of printed IR -----------------------===//
//
// MLIR forgets SSA names, but with --mlir-use-nameloc-as-prefix it prints the
// names that it finds in locations. Passes keep the user's names there: the
// fibers of an operand A are A0, A1, ..., and the loops run over i and j.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_NAMES_H
#define NACHO_IR_NAMES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace nacho {

/// The name of a value, empty if it has none. The results of one op share its
/// location, so an op with several results names them by OpAsmOpInterface.
std::string getName(mlir::Value value);

/// `loc` with a name, or without one if the name is empty.
mlir::Location nameLoc(mlir::Location loc, const llvm::Twine &name);

/// `loc` without its name.
mlir::Location withoutName(mlir::Location loc);

void setName(mlir::Value value, const llvm::Twine &name);

/// A0 -> A1, lo -> lo1: the name one loop further in.
std::string innerName(llvm::StringRef name);

/// Names the ops that are created while the scope lives.
class NameScope {
public:
  NameScope(mlir::ImplicitLocOpBuilder &b, const llvm::Twine &name)
      : b(b), outer(b.getLoc()) {
    b.setLoc(nameLoc(outer, name));
  }
  ~NameScope() { b.setLoc(outer); }

private:
  mlir::ImplicitLocOpBuilder &b;
  mlir::Location outer;
};

} // namespace nacho

#endif // NACHO_IR_NAMES_H
