//===- Kernel.h - What a compiled module offers its callers ---------------===//
//
// The ABI. A module compiled from a function @kernel with sparse operands
// exports three functions; `operands` below stands for the operands in
// order, each level by level:
//
//   compressed level:  positions, coordinates   memref<?xiN>
//   then:              values                   memref<?xT>
//                      extent of each level     index
//   scalar:            value                    memref<T>
//
//   @kernel_partition(operands, bounds, within, threads)
//     Cuts each `within` rows of `bounds` into as many parts. With `within` =
//     the number of parts, which is the rows less one, there need be nothing in
//     it.
//   @kernel_plan(operands, bounds, counts, offsets, sizes, status, threads)
//     Cuts, counts and scans; sizes[l] is the number of positions of a
//     compressed level l of the result.
//   @kernel_execute(operands, bounds, offsets, result, status, threads)
//     Fills the buffers of the result, which the caller has allocated: for each
//     compressed level positions and coordinates, and then the values.
//
// Rows of `bounds` (memref<?xCxindex>) are: cost, coordinates, positions.
// Buffers without elements must still have an address that can be read.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_KERNEL_H
#define NACHO_KERNEL_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nacho {

/// Bits of the status.
enum Status : int32_t {
  kSuccess = 0,
  kCoordinateOutOfRange = 1, ///< Of a coordinate that indexes memory.
  kOperandsChanged = 2,      ///< Since they were counted.
};

/// On the partition function: how much less than its query a cut may cost.
inline constexpr char kDeltaAttr[] = "nacho.delta";

/// The element type of a buffer.
enum class ElementType { i32, i64, f32, f64 };

/// The parameters of a tensor as the ABI flattens it.
struct TensorLayout {
  struct Level {
    bool isFull;
    ElementType positions, coordinates;
  };
  std::vector<Level> levels; ///< None for a scalar.
  ElementType values;

  /// Arrays and extents that the tensor takes in the list of arguments.
  size_t numArguments() const;
};

/// A parameter for which a caller passes an array, or an extent.
struct Argument {
  void *data = nullptr;
  int64_t size = 0; ///< Elements of the array, or the extent.
};

class JitModule;

/// A compiled module. Immutable: any number of threads may call it.
class Kernel {
public:
  /// Compiles MLIR at any stage up to `loops`. On failure returns null, and
  /// the diagnostics in `error`.
  static std::shared_ptr<Kernel>
  compile(const std::string &text, const std::string &cost, std::string &error);
  ~Kernel();

  std::vector<TensorLayout> operands;
  TensorLayout result;
  int64_t delta = 0;
  int64_t depth = 0;        ///< Loops, and so coordinates of a cut.
  int64_t boundColumns = 0; ///< Of a row of `bounds`.
  int64_t countColumns = 0; ///< Of a row of `counts` and `offsets`.

  /// The module's LLVM IR after optimisation, and the host's assembly.
  std::string llvm() const;
  std::string assembly() const;

  void partition(const std::vector<Argument> &args, int64_t *bounds,
                 int64_t parts, int64_t within, int64_t threads) const;
  int32_t plan(const std::vector<Argument> &args, int64_t *bounds,
               int64_t *counts, int64_t *offsets, int64_t *sizes, int64_t parts,
               int64_t threads) const;
  int32_t execute(const std::vector<Argument> &args, int64_t *bounds,
                  int64_t *offsets, const std::vector<Argument> &results,
                  int64_t parts, int64_t threads) const;

private:
  /// An exported function that takes its arguments in an array.
  using Entry = void (*)(const int64_t *);

  Kernel();
  std::unique_ptr<JitModule> jit;
  Entry partitionEntry = nullptr, planEntry = nullptr, executeEntry = nullptr;
};

/// The names of the stages, in order.
std::vector<std::string> stageNames();

/// The module after a stage, as text; empty, with `error` set, on failure.
std::string lowerToStage(const std::string &text, const std::string &stage,
                         const std::string &cost, std::string &error);

} // namespace nacho

#endif // NACHO_KERNEL_H
