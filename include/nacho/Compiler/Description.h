//===- Description.h - What callers have to know of a module --------------===//

#ifndef NACHO_COMPILER_DESCRIPTION_H
#define NACHO_COMPILER_DESCRIPTION_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nacho {

/// The type of an argument, or of the result, of a function.
struct TypeDescription {
  std::string text;    ///< The type in MLIR's syntax.
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

/// A loop over the coordinates of several fibers, which are called by the names
/// of the operands that they belong to.
struct LoopDescription {
  std::string index;
  size_t depth;                      ///< The number of loops around it.
  std::vector<std::string> operands; ///< Listed in the order of the IR.
  std::string merge;                 ///< The merge expression.
  std::set<std::string> full; ///< The operands that have every coordinate.
  /// The smallest sets of operands whose entries make the loop visit a
  /// coordinate; no value if there are too many. A loop that visits every
  /// coordinate has one, the empty set.
  std::optional<std::vector<std::set<std::string>>> lowest;
};

/// A function with parallel parts, as a GPU runs it.
struct GpuFunctionDescription {
  std::string name;
  int64_t tile;   ///< The number of parts of a block; 0 if there are no tiles.
  int64_t shared; ///< The bytes that the parts of a tile share.
  int64_t lanes;  ///< The threads of a warp that do a part; 0: it has one.
  int64_t tables; ///< The bytes of its tables.
};

struct GpuDescription {
  std::vector<GpuFunctionDescription> functions;
  std::map<std::string, int64_t> threads; ///< Threads of a block, by kernel.
};

class AssignedModule;
class Backend;
struct CompileOptions;
struct Failure;

/// Describes a module. On failure returns nothing and sets `error`.
std::optional<ModuleDescription> describeModule(const AssignedModule &module,
                                                Failure &error);

/// Describes the loops of a module, outer ones first. On failure returns
/// nothing and sets `error`, as the functions below do.
std::optional<std::vector<LoopDescription>>
describeLoops(const AssignedModule &module, const Backend &backend,
              const CompileOptions &options, Failure &error);

/// The names of the functions of a module at the stage `assemble`.
std::optional<std::vector<std::string>>
describeFunctions(const AssignedModule &module, const Backend &backend,
                  const CompileOptions &options, Failure &error);

/// The name of the value that each line of a module after a stage is about, as
/// it was before the printer made it unique; empty where there is none.
std::optional<std::vector<std::string>>
describeLines(const AssignedModule &module, const std::string &stage,
              const Backend &backend, const CompileOptions &options,
              Failure &error);

/// Describes what the threads of a GPU share.
std::optional<GpuDescription> describeGpu(const AssignedModule &module,
                                          const Backend &backend,
                                          const CompileOptions &options,
                                          Failure &error);

} // namespace nacho

#endif // NACHO_COMPILER_DESCRIPTION_H
