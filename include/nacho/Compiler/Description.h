//===- Description.h - What callers have to know of a module --------------===//

#ifndef NACHO_COMPILER_DESCRIPTION_H
#define NACHO_COMPILER_DESCRIPTION_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nacho {

/// The type of an argument, or of the result, of a function.
struct TypeDescription {
  std::string text;    ///< In MLIR's syntax.
  std::string element; ///< Empty for what is neither a tensor nor a number.
  /// The extents; an extent without a value may have any size.
  std::vector<std::optional<int64_t>> shape;
  /// The encoding in MLIR's syntax, and the map of levels in it; the map is
  /// empty if Nacho knows no such encodings.
  std::string encoding, levels;
  unsigned posWidth = 0, crdWidth = 0; ///< 0 where the encoding has none.
  /// The sizes of the blocks by which dimensions were split, if they were.
  std::vector<int64_t> blocks;
};

/// An operand of a statement, and the indices by which it is accessed.
struct AccessDescription {
  /// The argument that is read, or of which a slice is; no value if the operand
  /// is neither.
  std::optional<size_t> argument;
  bool isSlice;
  std::vector<std::string> indices;
};

/// A number that is known, or the argument that has it.
struct NumberDescription {
  bool isArgument;
  int64_t value; ///< The number, or that of the argument.
};

/// A slice of an argument: the offset, size and stride of each dimension.
struct SliceDescription {
  size_t argument;
  std::vector<std::vector<NumberDescription>> dimensions;
};

/// A function with one result, and its statement at the stage `assign`.
struct ModuleDescription {
  std::string name;
  std::vector<std::string> arguments; ///< Names, which may be "".
  /// The types of the arguments, and of the result behind them: those that the
  /// function has at first, and those at the stage `assign`. The former are
  /// those of whole tensors for slices, and of tensors for indices.
  std::vector<TypeDescription> given, assigned;
  /// Whether the function computes one op. Entries of tensors without blocks
  /// may be listed for it, and the last statement may make its result of the
  /// list of what another one computes.
  bool isOneOp;
  std::vector<std::string> indices; ///< Those of the result.
  /// The operands in the order of the compiler's numbers.
  std::vector<AccessDescription> accesses;
  /// The extents that the function knows of indices of slices and coordinates.
  std::map<std::string, int64_t> extents;
  std::vector<SliceDescription> slices;
};

class AssignedModule;

/// Describes a module. On failure returns nothing and sets `error`.
std::optional<ModuleDescription> describeModule(const AssignedModule &module,
                                                std::string &error);

} // namespace nacho

#endif // NACHO_COMPILER_DESCRIPTION_H
