//===- Variant.h - The ways in which one module can be compiled -----------===//

#ifndef NACHO_EXECUTION_VARIANT_H
#define NACHO_EXECUTION_VARIANT_H

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nacho {

// The values of each choice, which CompileOptions.def describes. Of three or
// more, each but the first does what the one before it does, and more.
enum class Rows { shared, whole, heavyApart, pieces, finePieces };
enum class Products { scattered, sorted };
enum class Dense { stored, transposed };
enum class Merge { levels, keys };
enum class Fill { counted, drafted, unionsDrafted };
enum class Branching { selects, branches };
enum class Indices { wide, narrow };

/// One of several ways to compile the same module. All variants compute the
/// same result. The plain variant, with the first value of each choice, can
/// compute every call; another one may refuse operands (see Refusal).
struct Variant {
#define NACHO_CHOICE(type, field, plain, summary) type field{};
#include "nacho/Execution/CompileOptions.def"

  friend bool operator==(const Variant &one, const Variant &other) {
    return one.number() == other.number();
  }

  /// A number that tells variants apart.
  size_t number() const;
  /// The names of all values but the first ones, and whether each is on.
  std::vector<std::pair<std::string, bool>> choices() const;
};

/// A caller's decision on one choice: a range of its values.
template <typename Value>
struct Pin {
  std::optional<Value> least, most;

  /// Narrows the range to `value` and those after it, or to those before it.
  void narrow(Value value, bool isOn) {
    if (isOn)
      least = least ? std::max(*least, value) : value;
    else
      most = std::min(most.value_or(value), Value(int(value) - 1));
  }
  bool isSet() const { return least || most; }
  /// Whether the range ends with `value` or after it. It may begin after it:
  /// what a program refuses has to be computed all the same.
  bool allows(Value value) const { return !most || value <= *most; }
  /// The value of the range that is nearest to `value`. If a caller has asked
  /// for what excludes each other, this is the end of the range.
  Value nearest(Value value) const {
    value = std::max(value, least.value_or(value));
    return std::min(value, most.value_or(value));
  }
};

/// The choices that a caller has made instead of the chooser.
struct Pins {
#define NACHO_CHOICE(type, field, plain, summary) Pin<type> field;
#include "nacho/Execution/CompileOptions.def"

  /// Each value of a variant, or the one in its range that is nearest to it.
  Variant nearest(Variant variant) const;
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
    return variant.number();
  }
};

#endif // NACHO_EXECUTION_VARIANT_H
