//===- Jit.h - LLVM IR to code in memory ----------------------------------===//

#ifndef NACHO_LIB_JIT_H
#define NACHO_LIB_JIT_H

#include "ObjectCache.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
}

namespace nacho {

/// Optimises and compiles a module, and makes each of the named functions
/// callable with its arguments in an array. They come in units, which are
/// compiled at the same time.
llvm::Expected<CompiledCode>
compileForHost(const llvm::Module &module,
               llvm::ArrayRef<std::vector<std::string>> units);

/// What was compiled for the host, in memory.
class JitModule {
public:
  /// Parameters of an entry, each a pointer or a 64-bit integer.
  using Entry = void (*)(const int64_t *args);

  static llvm::Expected<std::unique_ptr<JitModule>> load(CompiledCode code);
  ~JitModule();

  llvm::Expected<Entry> lookup(llvm::StringRef name) const;

  std::string llvm() const;
  std::string assembly() const;

private:
  JitModule();
  std::unique_ptr<llvm::orc::LLJIT> jit;
  /// The units after optimisation.
  std::vector<llvm::SmallVector<char, 0>> bitcodes;
};

} // namespace nacho

#endif // NACHO_LIB_JIT_H
