//===- RepeatedCall.h - Calls that repeat an earlier one --------*- C++ -*-===//
//
// Iterations call a kernel again and again with arrays of the same types and
// sizes. What Python found out about the first of these calls then holds for
// the others: their types, their extents, that the extents agree, the work,
// the class of the result. Only what may have changed is checked again: that
// the containers have the same shapes and the index arrays that were checked,
// that all arrays have the same types and sizes, and that positions are valid.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_PYTHON_REPEATED_CALL_H
#define NACHO_PYTHON_REPEATED_CALL_H

#include "Arrays.h"

#include "nacho/Execution/Chooser.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

/// A call that computed a result from arrays of its operands in place.
class RepeatedCall {
public:
  /// Remembers a call that was checked in full. `given` are the containers.
  /// `attributes` are, per operand, the names of the container's arrays in the
  /// order of the arguments, or nothing if the container itself is the array.
  /// Returns null if an argument in `list` is not one of these arrays.
  static std::unique_ptr<RepeatedCall>
  remember(std::shared_ptr<const nacho::Kernel> kernel,
           const nacho::Asked &asked, const nanobind::list &given,
           const nanobind::list &attributes, const nanobind::list &list);

  /// The arrays of the result for containers that repeat the call. None if
  /// they do not, or if the kernel refuses them: checking them in full then
  /// says why.
  nanobind::object compute(const nanobind::tuple &given) const;

private:
  /// What is remembered of an operand. Arrays are remembered weakly.
  struct Operand {
    nanobind::object kind, shape, kindOfValues;
    std::vector<nanobind::object> attributes, indexArrays;
  };

  RepeatedCall(std::shared_ptr<const nacho::Kernel> kernel,
               const nacho::Asked &asked)
      : kernel(std::move(kernel)), asked(asked),
        shapeName(nanobind::steal(PyUnicode_InternFromString("shape"))) {}

  bool rememberOperand(nanobind::handle container,
                       const nanobind::tuple &attributes,
                       const nanobind::list &list, size_t firstArgument);
  bool takeArguments(const nanobind::tuple &given, CallArguments &call) const;
  bool takeArrays(const Operand &operand, const nacho::TensorLayout &layout,
                  nanobind::handle container, CallArguments &call) const;
  bool arePositionsValid(const std::vector<nacho::Argument> &args) const;

  std::shared_ptr<const nacho::Kernel> kernel;
  nacho::Asked asked;
  nanobind::object shapeName;
  std::vector<Operand> operands;
  /// The number of elements of every array, and the extents.
  std::vector<int64_t> sizes;
};

#endif // NACHO_PYTHON_REPEATED_CALL_H
