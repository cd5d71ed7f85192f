//===- CodeUnits.h - The parts of a module that are compiled apart --------===//

#ifndef NACHO_LIB_CODEUNITS_H
#define NACHO_LIB_CODEUNITS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace nacho {

/// What the time that code takes depends on: the number of parts, as where sums
/// of parts are added up, or that of entries. The less often code runs, the
/// less time is spent on compiling it.
enum class Runs { perCall, perPart, perEntry };

/// Functions that are compiled together, with what they call of functions that
/// no unit names.
struct CodeUnit {
  /// The functions that are called from outside of the unit.
  std::vector<std::string> functions;
  /// How often what the functions' workers do is done.
  Runs runs = Runs::perEntry;
};

/// Takes units of functions that the host calls, which call the runtime with a
/// function for all parts, their worker. Returns a few units that run per
/// entry, of about the same size, with the workers of those that do; one with
/// the workers that run per part, if there are any; and one with all other
/// functions, which run per call.
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
