//===- Kernel.h - Kernels compiled from the text of a module --------------===//

#ifndef NACHO_COMPILER_KERNEL_H
#define NACHO_COMPILER_KERNEL_H

#include "nacho/Execution/Kernel.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nacho {

class Backend;

/// The options with which kernels are compiled for a backend, unless the caller
/// asks for others.
CompileOptions defaultOptions(const Backend &backend);

/// Reads MLIR at any stage up to `loops`, to be compiled for a backend. The
/// variant in `options` does not matter: the chooser chooses what is not in
/// `pins`. On failure returns null and sets `error` to the diagnostics.
std::shared_ptr<const Kernel> makeKernel(const std::string &text,
                                         const Backend &backend,
                                         const CompileOptions &options,
                                         const Pins &pins, std::string &error);

/// A function of a module as a caller sees it.
struct Signature {
  std::string name;
  std::vector<std::string> arguments, types; ///< Of arguments; names may be "".
  std::string result;
};

/// The signature of the only function of a module. If the module has another
/// number of functions, returns nothing and sets `error`.
std::optional<Signature> readSignature(const std::string &text,
                                       std::string &error);

/// A function as calls of kernels, one after the other. Its values have
/// numbers: first its arguments, then the result of each call.
struct FunctionCalls {
  struct Call {
    std::string kernel; ///< A module with one function.
    std::vector<size_t> operands;
  };
  std::string text; ///< The module: the function, and those that it calls.
  std::string name;
  std::vector<std::string> arguments; ///< Names, which may be "".
  std::vector<Call> calls; ///< If there are none, the function is a kernel.
  std::vector<size_t> results;
};

/// Reads a function of a module; if `entry` is empty, its only one. Functions
/// that it calls are inlined, and each op of linalg in it then becomes a
/// kernel, unless there is but one, and one result. On failure returns nothing
/// and sets `error`.
std::optional<FunctionCalls> readFunction(const std::string &text,
                                          const std::string &entry,
                                          std::string &error);

/// The widths in bits of the index arrays of a tensor.
struct IndexWidths {
  unsigned positions, coordinates;
};

/// Rewrites a module at the `assign` stage to index arrays of other widths.
/// `widths` has an element for each argument of the module's function, and one
/// for the result. On failure returns an empty text and sets `error`.
std::string withIndexWidths(const std::string &text,
                            const std::vector<IndexWidths> &widths,
                            std::string &error);

/// The names of the stages of a backend, in order.
std::vector<std::string> stageNames(const Backend &backend);

/// The module after a stage, as text. On failure returns an empty text and sets
/// `error`.
std::string lowerToStage(const std::string &text, const std::string &stage,
                         const Backend &backend, const CompileOptions &options,
                         std::string &error);

/// What a backend makes of all kernels of a module, as text: PTX. On failure
/// returns an empty text and sets `error`.
std::string lowerToObjects(const std::string &text, const Backend &backend,
                           const CompileOptions &options, std::string &error);

/// What the compiler remarks on a module until it has loops: which sums it has
/// factored, and why.
std::vector<std::string> remarksOn(const std::string &text,
                                   const Backend &backend,
                                   const CompileOptions &options);

} // namespace nacho

#endif // NACHO_COMPILER_KERNEL_H
