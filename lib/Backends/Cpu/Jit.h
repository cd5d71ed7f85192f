//===- Jit.h - LLVM IR to code in memory ----------------------------------===//

#ifndef NACHO_LIB_JIT_H
#define NACHO_LIB_JIT_H

#include "CodeUnits.h"
#include "ObjectCache.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace nacho {

/// Whether the host gathers the elements of a vector faster than it loads one
/// after the other.
bool hasFastGathers();

/// The name of the entry of a function, which takes its parameters in an array:
/// see JitModule::Entry.
std::string packedName(llvm::StringRef function);

/// Optimises and compiles a module for the host. `called` are the entries that
/// the host calls, in units that say how often their workers run. Each unit
/// that splitWorkers() makes of them has a thread of its own. The code reports
/// errors to the sanitizer, "none", "address" or "thread", whose runtime
/// library must be in the process when the code is loaded.
llvm::Expected<CompiledCode> compileForHost(const llvm::Module &module,
                                            llvm::ArrayRef<CodeUnit> called,
                                            const std::string &sanitizer);

/// Hides LLVM's warnings, such as those on hints that it could not follow.
void hideWarnings(llvm::LLVMContext &context);

/// Optimises a module, and returns it as an object file that can be part of a
/// library.
llvm::Expected<llvm::SmallVector<char, 0>> objectForHost(llvm::Module &module);

/// A function that compiled code calls by a name.
struct RuntimeFunction {
  const char *name;
  uint64_t address;
};

template <typename Result, typename... Arguments>
RuntimeFunction runtimeFunction(const char *name,
                                Result (*function)(Arguments...)) {
  return {name, reinterpret_cast<uint64_t>(function)};
}

/// Code of compileForHost() that is loaded into this process.
class JitModule {
public:
  /// An exported function. Each of `args` is a pointer or a 64-bit integer.
  using Entry = void (*)(const int64_t *args);

  static llvm::Expected<std::unique_ptr<JitModule>>
  load(CompiledCode code, llvm::ArrayRef<RuntimeFunction> functions);
  ~JitModule();

  llvm::Expected<Entry> lookup(llvm::StringRef name) const;

  std::string llvm() const;
  std::string assembly() const;

private:
  JitModule();
  std::unique_ptr<llvm::orc::LLJIT> jit;
  /// The code of each unit, without its object.
  CompiledCode units;
};

} // namespace nacho

#endif // NACHO_LIB_JIT_H
