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

/// A module with one function, which is parsed and lowered to the stage
/// `assign` once: everything that a kernel is asked for is compiled from copies
/// of it. Any number of threads may use it.
class AssignedModule;

/// Reads MLIR at any stage up to `loops`, and lowers it to the stage `assign`.
/// On failure returns null and sets `error` to the diagnostics; with
/// `namesPlaces`, they say where in the text they are.
std::shared_ptr<const AssignedModule>
readModule(const std::string &text, Failure &error, bool namesPlaces = true);

/// The options with which kernels are compiled for a backend, unless the caller
/// asks for others.
CompileOptions defaultOptions(const Backend &backend);

/// Makes a kernel of a module, to be compiled for a backend. The variant in
/// `options` does not matter: the chooser chooses what is not in `pins`. On
/// failure returns null and sets `error` to the diagnostics.
std::shared_ptr<const Kernel>
makeKernel(std::shared_ptr<const AssignedModule> module, const Backend &backend,
           const CompileOptions &options, const Pins &pins, Failure &error);

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
  std::vector<Call> calls;            ///< None if the function is a kernel.
  std::vector<size_t> results;
};

/// Reads a function of a module; if `entry` is empty, its only one. Functions
/// that it calls are inlined, and each op of linalg in it then becomes a
/// kernel, unless there is but one, and one result. On failure returns nothing
/// and sets `error`.
std::optional<FunctionCalls>
readFunction(const std::string &text, const std::string &entry, Failure &error);

/// The widths in bits of the index arrays of a tensor.
struct IndexWidths {
  unsigned positions, coordinates;
};

/// Rewrites a module to index arrays of other widths. `widths` has an element
/// for each argument of the module's function, and one for the result. On
/// failure returns null and sets `error`.
std::shared_ptr<const AssignedModule>
withIndexWidths(const AssignedModule &module,
                const std::vector<IndexWidths> &widths, Failure &error);

/// The names of the stages of a backend, in order.
std::vector<std::string> stageNames(const Backend &backend);

/// A module after a stage, as text. On failure returns nothing and sets
/// `error`, as the functions below do.
std::optional<std::string> lowerToStage(const AssignedModule &module,
                                        const std::string &stage,
                                        const Backend &backend,
                                        const CompileOptions &options,
                                        Failure &error);

/// The same for a text with any number of functions.
std::optional<std::string> lowerToStage(const std::string &text,
                                        const std::string &stage,
                                        const Backend &backend,
                                        const CompileOptions &options,
                                        Failure &error);

/// The text that a backend makes of all kernels of a module: PTX.
std::optional<std::string> lowerToObjects(const AssignedModule &module,
                                          const Backend &backend,
                                          const CompileOptions &options,
                                          Failure &error);

/// The remarks of the compiler on a module until it has loops: which sums it
/// has factored, and why.
std::vector<std::string> remarksOn(const AssignedModule &module,
                                   const Backend &backend,
                                   const CompileOptions &options);

} // namespace nacho

#endif // NACHO_COMPILER_KERNEL_H
