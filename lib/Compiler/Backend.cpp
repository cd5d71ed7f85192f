//===- Backend.cpp - Common parts of the backends -------------------------===//

#include "nacho/Compiler/Backend.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace nacho;

Backend::~Backend() = default;

FailureOr<std::unique_ptr<Executable>>
Backend::compile(const CompileRequest &request) const {
  return emitError(request.loc)
         << "target '" << name() << "' only lowers: there is no runtime for it";
}

std::vector<Stage> Backend::stages() const {
  std::vector<Stage> all = commonStages();
  llvm::append_range(all, loweringStages());
  return all;
}

std::vector<Stage> Backend::stagesUntil(StringRef last) const {
  std::vector<Stage> all = stages();
  for (size_t n = 0; n < all.size(); ++n)
    if (all[n].name == last) {
      all.resize(n + 1);
      return all;
    }
  return {};
}
