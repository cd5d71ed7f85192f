//===- Jit.h - LLVM IR to code in memory ----------------------------------===//

#ifndef NACHO_LIB_JIT_H
#define NACHO_LIB_JIT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
}

namespace nacho {

/// A module compiled for the host and loaded.
class JitModule {
public:
  /// Parameters of an entry, each a pointer or a 64-bit integer.
  using Entry = void (*)(const int64_t *args);

  /// Optimises and compiles the module, and makes each of the named functions
  /// callable with its arguments in an array.
  static llvm::Expected<std::unique_ptr<JitModule>>
  create(std::unique_ptr<llvm::LLVMContext> context,
         std::unique_ptr<llvm::Module> module,
         llvm::ArrayRef<std::string> entries);
  ~JitModule();

  llvm::Expected<Entry> lookup(llvm::StringRef name) const;

  std::string llvm() const;
  std::string assembly() const;

private:
  JitModule();
  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::SmallVector<char, 0> bitcode; ///< The module after optimisation.
};

} // namespace nacho

#endif // NACHO_LIB_JIT_H
