//===- LineDescription.cpp - The names that lines of printed IR tell ------===//

#include "Compilation.h"
#include "nacho/Compiler/Description.h"
#include "nacho/IR/Names.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LocationSnapshot.h"

using namespace mlir;
using namespace nacho;

/// The value that an op is about: its result or, if it has none, what it loops
/// over, or its first operand; null if there are none.
static Value subjectOf(Operation *op) {
  if (op->getNumResults())
    return op->getResult(0);
  if (isa<LoopLikeOpInterface>(op) && op->getRegion(0).getNumArguments())
    return op->getRegion(0).getArgument(0);
  return op->getNumOperands() ? op->getOperand(0) : Value();
}

/// The name of a value, which loops may give to their coordinates.
static std::string nameGiven(Value value) {
  std::string name = getName(value);
  auto argument = dyn_cast<BlockArgument>(value);
  auto naming =
      argument ? dyn_cast<OpAsmOpInterface>(argument.getOwner()->getParentOp())
               : nullptr;
  if (!name.empty() || !naming)
    return name;
  naming.getAsmBlockArgumentNames(*argument.getParentRegion(),
                                  [&](Value named, StringRef given) {
                                    if (named == value)
                                      name = given.str();
                                  });
  return name;
}

/// The name that an op tells. Those of constants may look like those of fibers.
static std::string nameToldBy(Operation *op) {
  Value subject = subjectOf(op);
  bool tells = subject && !isa<FunctionOpInterface>(op) &&
               !matchPattern(subject, m_Constant());
  return tells ? nameGiven(subject) : std::string();
}

std::optional<std::vector<std::string>>
nacho::describeLines(const AssignedModule &module, const std::string &stage,
                     const Backend &backend, const CompileOptions &options,
                     Failure &error) {
  Compilation compilation(module, error);
  if (failed(compilation.runTo(stage, backend, options)))
    return std::nullopt;
  llvm::DenseMap<Operation *, std::string> names;
  compilation.module->walk([&](Operation *op) { names[op] = nameToldBy(op); });
  std::string text;
  llvm::raw_string_ostream stream(text);
  generateLocationsFromIR(stream, "", *compilation.module,
                          OpPrintingFlags().printNameLocAsPrefix());
  std::vector<std::string> lines(llvm::count(text, '\n'));
  compilation.module->walk([&](Operation *op) {
    if (auto place = dyn_cast<FileLineColLoc>(op->getLoc()))
      lines[place.getLine() - 1] = names[op];
  });
  return lines;
}
