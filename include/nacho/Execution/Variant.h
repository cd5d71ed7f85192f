//===- Variant.h - The ways in which one module can be compiled -----------===//

#ifndef NACHO_EXECUTION_VARIANT_H
#define NACHO_EXECUTION_VARIANT_H

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nacho {

/// One of several ways to compile the same module. All variants compute the
/// same result. The plain variant, in which every choice is off, can compute
/// every call; another one may refuse operands (see Refusal).
struct Variant {
#define NACHO_CHOICE(field, name, summary) bool field = false;
#include "nacho/Execution/CompileOptions.def"

  friend bool operator==(const Variant &one, const Variant &other) {
    return one.bits() == other.bits();
  }

  /// The choices as the bits of a number, which tells variants apart.
  size_t bits() const;
  /// The names of the choices, and whether each is on.
  std::vector<std::pair<std::string, bool>> choices() const;
};

/// The choices that a caller has made instead of the chooser.
struct Pins {
#define NACHO_CHOICE(field, name, summary) std::optional<bool> field;
#include "nacho/Execution/CompileOptions.def"
};

/// Everything on which the code of a module depends, apart from the module, the
/// compiler and the machine.
struct CompileOptions {
  Variant variant;
#define NACHO_OPTION(type, field, name, initial, summary) type field = initial;
#include "nacho/Execution/CompileOptions.def"

  /// The options as text, for keys of caches.
  std::string key() const;
};

} // namespace nacho

template <>
struct std::hash<nacho::Variant> {
  size_t operator()(const nacho::Variant &variant) const {
    return variant.bits();
  }
};

#endif // NACHO_EXECUTION_VARIANT_H
