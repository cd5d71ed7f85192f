//===- Export.h - Kernels as object files ---------------------------------===//

#ifndef NACHO_BACKENDS_EXPORT_H
#define NACHO_BACKENDS_EXPORT_H

#include "nacho/Compiler/Backend.h"

#include <optional>
#include <string>

namespace nacho {

/// The names of what an object file of a kernel exports.
struct ExportedNames {
  std::string image;       ///< A nacho_image: see nacho-c/Runtime.h.
  std::string description; ///< A text that ends with a null character.
};

/// Compiles a module for the processor of this machine, and returns an object
/// file with its kernel, which programs link with the runtime library. On
/// failure returns nothing and sets `error` to the diagnostics.
std::optional<std::string> exportKernel(const std::string &text,
                                        CompileOptions options,
                                        const ExportedNames &names,
                                        const std::string &description,
                                        std::string &error);

} // namespace nacho

#endif // NACHO_BACKENDS_EXPORT_H
