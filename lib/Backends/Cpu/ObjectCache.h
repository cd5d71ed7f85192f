//===- ObjectCache.h - Compiled code on disk ------------------------------===//

#ifndef NACHO_LIB_OBJECTCACHE_H
#define NACHO_LIB_OBJECTCACHE_H

#include "CodeUnits.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nacho {

/// The code of some functions of a module, compiled for the host.
struct CompiledUnit {
  Runs runs = Runs::perEntry;         ///< As those of the CodeUnit.
  llvm::SmallVector<char, 0> bitcode; ///< After optimisation.
  llvm::SmallVector<char, 0> object;
};
using CompiledCode = std::vector<CompiledUnit>;

/// The file on disk that keeps the code of one module: in $NACHO_CACHE_DIR, or
/// else in `nacho` in the user's cache directory. If the name is empty, nothing
/// is kept. The directory is pruned to a maximum size. Errors are ignored: the
/// code is then compiled anew. So is a file that other users could have
/// written, and a directory that is open to them; but for one that has nothing
/// else in it, which is closed to them.
class ObjectCache {
public:
  /// The constructor adds this build of the compiler, and the CPU, to the key.
  explicit ObjectCache(llvm::StringRef key);

  std::optional<CompiledCode> load() const;
  void store(const CompiledCode &code) const;

  /// The directory, which may be missing; empty if nothing is kept.
  static std::string place();
  /// The reason why the directory is not used, or nothing.
  static std::string refusal();

private:
  std::string directory, path; ///< `path` is empty if nothing is kept.
  std::string identity;        ///< A digest of the key.
};

} // namespace nacho

#endif // NACHO_LIB_OBJECTCACHE_H
