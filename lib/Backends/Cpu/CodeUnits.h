//===- CodeUnits.h - The parts of a module that are compiled apart --------===//

#ifndef NACHO_LIB_CODEUNITS_H
#define NACHO_LIB_CODEUNITS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace nacho {

/// Functions that are compiled together, with what they call of functions that
/// no unit names.
struct CodeUnit {
  /// The functions that are called from outside of the unit.
  std::vector<std::string> functions;
  /// Whether the time that the code takes depends on the number of entries.
  /// Other code is hardly optimised, which takes a fifth of the time.
  bool visitsEntries = true;
};

/// Takes units of functions that the host calls, which call the runtime with a
/// function for all parts, their worker. Returns a few units that visit
/// entries, of about the same size, with the workers of units that do; and one
/// unit with all other functions, which does not.
std::vector<CodeUnit> splitWorkers(const llvm::Module &module,
                                   llvm::ArrayRef<CodeUnit> called);

/// Reads one of the units from the bitcode of the module. The functions of
/// other units are only declared.
std::unique_ptr<llvm::Module> readUnit(llvm::ArrayRef<char> bitcode,
                                       llvm::ArrayRef<CodeUnit> units,
                                       size_t number,
                                       llvm::LLVMContext &context);

} // namespace nacho

#endif // NACHO_LIB_CODEUNITS_H
