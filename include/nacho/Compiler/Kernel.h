//===- Kernel.h - From the text of a module to a kernel -------------------===//

#ifndef NACHO_COMPILER_KERNEL_H
#define NACHO_COMPILER_KERNEL_H

#include "nacho/Execution/Kernel.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nacho {

class Backend;

/// How a module is compiled.
struct CompileOptions {
  std::string cost = "nnz+loops"; ///< What counts as work.
  bool remap = true;              ///< List what outer intersections leave over.
  /// Let parts share what a workspace collects; else plans may be refused.
  bool splitRows = true;
  /// Do not count where that takes about as long as computing.
  bool singlePass = false;
  /// Branch on which operand of a union comes next, which pays where that can
  /// be foreseen.
  bool branches = false;
  /// Merge lists by keys, of shapes that have these.
  bool flatten = false;
};

/// Compiles MLIR at any stage up to `loops` for a backend. On failure returns
/// null, and the diagnostics in `error`.
std::shared_ptr<const Kernel> compileKernel(const std::string &text,
                                            const Backend &backend,
                                            const CompileOptions &options,
                                            std::string &error);

/// A function of a module as a caller sees it.
struct Signature {
  std::string name;
  std::vector<std::string> arguments, types; ///< Names may be empty.
  std::string result;
};

/// The signature of the only function of a module; nothing, with `error` set,
/// if it has another number of functions.
std::optional<Signature> readSignature(const std::string &text,
                                       std::string &error);

/// The widths in bits of the index arrays of a tensor.
struct IndexWidths {
  unsigned positions, coordinates;
};

/// A module at the `assign` stage, with encodings of these widths: of each
/// argument of its function, and then of the result. Empty, with `error` set,
/// on failure.
std::string withIndexWidths(const std::string &text,
                            const std::vector<IndexWidths> &widths,
                            std::string &error);

/// The names of the stages of a backend, in order.
std::vector<std::string> stageNames(const Backend &backend);

/// The module after a stage, as text; empty, with `error` set, on failure.
std::string lowerToStage(const std::string &text, const std::string &stage,
                         const Backend &backend, const CompileOptions &options,
                         std::string &error);

} // namespace nacho

#endif // NACHO_COMPILER_KERNEL_H
