//===- RepeatedCall.h - Calls that repeat an earlier one --------*- C++ -*-===//
//
// Iterations call a kernel again and again with arrays of the same types and
// sizes. What Python found out about the first of these calls then holds for
// the others: their types, their extents, that the extents agree, the work,
// the class of the result. Only what may have changed is checked again: that
// the containers have the same shapes and the index arrays that were checked,
// that all arrays have the same types and sizes, and that positions are valid.
// Small containers may have other index arrays, of any sizes: these are checked
// in full, which takes less time than to find out whether they are known.
// Numbers of Python may be others in each call.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_PYTHON_REPEATED_CALL_H
#define NACHO_PYTHON_REPEATED_CALL_H

#include "TakenCalls.h"

#include "nacho/Execution/Plan.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <vector>

/// Rounds a number of entries, or an extent, to a power of two, as far as the
/// order of loops depends on it; 0 is kept.
int64_t roughly(int64_t size);

/// If no operand has more entries, the order of loops matters too little to
/// depend on how many there are.
inline constexpr int64_t kSmallOperand = 64;

/// What the work of a call follows from, and what follows from it.
struct WorkOfCall {
  /// The operands whose entries count, once each time. If there are none, calls
  /// with other index arrays are no repetitions.
  std::vector<size_t> read;
  int64_t inner = 1; ///< The steps for each of these.
  /// The order of the loops depends on how many entries there are, roughly(),
  /// unless all operands are small.
  bool decidesOrder = false;
};

/// A call that computed a result from arrays of its operands in place.
class RepeatedCall {
public:
  /// Remembers a call that was checked in full. `given` are the containers.
  /// `places` say, per operand, where the container has each array of the
  /// arguments: a tuple of names of attributes and of numbers of items, which
  /// is empty if the container itself is the array; None for an array that the
  /// container lacks, and that follows from its size. None in place of all of
  /// them stands for an operand that is a number.
  /// `result` is the type of the values of the result.
  /// Returns null if an argument in `list` is not the array at its place.
  static std::unique_ptr<RepeatedCall>
  remember(std::shared_ptr<const nacho::Kernel> kernel,
           const nacho::Asked &asked, WorkOfCall work,
           nacho::ElementType result, const nanobind::list &given,
           const nanobind::list &places, const nanobind::list &list);

  /// The arrays of the result for containers that repeat the call. None if
  /// they do not, or if the kernel refuses them: checking them in full then
  /// says why. If `into` is an array and not None, a dense result is written to
  /// it, and the list is empty; None is also returned if an operand may be
  /// there. Throws TypeError if the array is not contiguous, or of other types.
  /// A plan of such a call is executed, if there is one.
  nanobind::object compute(const nanobind::tuple &given,
                           const nanobind::object &into,
                           nacho::Plan *planned) const;

  /// The same as a call that is computed with others; null if the containers do
  /// not repeat the call.
  std::unique_ptr<TakenCall> take(const nanobind::tuple &given) const;

private:
  /// The place of an array, seen from its container.
  struct Place {
    /// Names of attributes, and numbers of items of tuples.
    std::vector<nanobind::object> steps;

    /// The object at this place, or null if there is none.
    nanobind::object find(nanobind::handle container) const;
  };
  /// An array of indices, which has to be the one that was checked, and is
  /// remembered weakly.
  struct IndexArray {
    /// The place of the array; none if its container lacks it: then it has the
    /// positions of a level with one parent.
    std::optional<Place> place;
    nanobind::object known;
  };
  struct Operand {
    /// Its class, weakly: that of a script leads to all of its variables, maybe
    /// to the kernel that remembers this call, which would never be released.
    nanobind::object kind;
    nanobind::object shape;
    /// The format, since containers of one kind may differ in it: a tensor in
    /// csc has arrays like those of one in csr. None if they have no format.
    nanobind::object format;
    std::vector<IndexArray> indices;
    /// The values, which may be another array in each call.
    Place values;
    nanobind::object kindOfValues;
    int rankOfValues = 0;
    /// Its levels store entries, whose arrays are in the container, or follow
    /// from how many entries there are.
    bool isStored = false;
    /// It is a number, of which only the kind has to be the same.
    bool isNumber = false;
  };

  RepeatedCall(std::shared_ptr<const nacho::Kernel> kernel,
               const nacho::Asked &asked, WorkOfCall work,
               nacho::ElementType result);

  bool rememberNumber(nanobind::handle number, nacho::ElementType type);
  bool rememberOperand(nanobind::handle container, const nanobind::list &places,
                       const nanobind::list &list, size_t firstArgument);
  /// Says of each operand whether its index arrays are others than those that
  /// were checked.
  bool takeArguments(const nanobind::tuple &given, CallArguments &call,
                     std::vector<bool> &areOthers) const;
  bool takeCall(const nanobind::tuple &given, TakenCall &taken,
                std::vector<bool> &areOthers) const;
  bool areValid(const std::vector<nacho::Argument> &args,
                const std::vector<bool> &areOthers) const;
  bool takeOperand(size_t number, nanobind::handle container,
                   CallArguments &call, bool &areOther) const;
  static bool takeArrays(const Operand &operand,
                         const nacho::TensorLayout &layout,
                         nanobind::handle container, CallArguments &call,
                         bool &areOther);
  bool haveRoughSizes(const std::vector<nacho::Argument> &args) const;
  static void setMadePositions(const Operand &operand,
                               const nacho::TensorLayout &layout, size_t first,
                               CallArguments &call);
  bool haveSizesOfOperand(const std::vector<nacho::Argument> &args,
                          size_t operand) const;
  bool areOthersValid(const std::vector<nacho::Argument> &args,
                      const std::vector<bool> &areOthers) const;
  int64_t workOf(const std::vector<nacho::Argument> &args) const;

  std::shared_ptr<const nacho::Kernel> kernel;
  nacho::Asked asked;
  WorkOfCall work;
  nacho::ElementType result;
  std::vector<size_t> begins; ///< Where the arguments of each operand begin.
  nanobind::object shapeName, formatName;
  std::vector<Operand> operands;
  /// The number of elements of every array, and the extents.
  std::vector<int64_t> sizes;
};

#endif // NACHO_PYTHON_REPEATED_CALL_H
