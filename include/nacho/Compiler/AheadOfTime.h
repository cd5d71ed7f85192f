//===- AheadOfTime.h - Kernels compiled ahead of time ---------------------===//

#ifndef NACHO_COMPILER_AHEADOFTIME_H
#define NACHO_COMPILER_AHEADOFTIME_H

#include "nacho/Compiler/Backend.h"

#include <optional>
#include <string>
#include <vector>

namespace nacho {

/// A kernel whose variants are compiled, for the runtime library.
struct StaticCode {
  /// A module of LLVM's dialect with the functions of its variants. The names
  /// of those that it defines begin with that of the kernel.
  std::string module;
  /// The functions that the runtime library calls, in the order of its table.
  /// Each takes the address of an array with its parameters.
  std::vector<std::string> functions;
  std::string image; ///< See KernelImage.
  /// The sizes of the blocks of each operand, and of the result behind them, by
  /// which the kernel sees its dimensions split; empty if it does not.
  std::vector<std::vector<int64_t>> blocks;
};

/// Compiles a module for the host, whose only function is named as the kernel
/// shall be. On failure returns nothing and sets `error` to the diagnostics.
std::optional<StaticCode> compileAhead(const std::string &text,
                                       const CompileOptions &options,
                                       const Backend &backend,
                                       std::string &error);

/// Whether the plain variant of a module goes through all stages. If it does
/// not, sets `error` to the diagnostics.
bool canCompile(const std::string &text, const CompileOptions &options,
                const Backend &backend, std::string &error);

} // namespace nacho

#endif // NACHO_COMPILER_AHEADOFTIME_H
