//===- ObjectCache.h - Compiled code on disk ------------------------------===//

#ifndef NACHO_LIB_OBJECTCACHE_H
#define NACHO_LIB_OBJECTCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nacho {

/// What a part of a module becomes for the host.
struct CompiledUnit {
  llvm::SmallVector<char, 0> bitcode; ///< After optimisation.
  llvm::SmallVector<char, 0> object;
};
using CompiledCode = std::vector<CompiledUnit>;

/// What is compiled from a text is kept in a directory, $NACHO_CACHE_DIR or
/// nacho in the user's cache directory, up to some size. An empty name means
/// no cache. Whatever goes wrong there is not looked up.
class ObjectCache {
public:
  /// Everything else that the code depends on, this library and the CPU
  /// included, becomes part of the key.
  explicit ObjectCache(llvm::ArrayRef<std::string> inputs);

  std::optional<CompiledCode> load() const;
  void store(const CompiledCode &code) const;

private:
  std::string directory, path; ///< Empty without a cache.
};

} // namespace nacho

#endif // NACHO_LIB_OBJECTCACHE_H
