//===- Programs.h - Programs for Python -------------------------*- C++ -*-===//

#ifndef NACHO_PYTHON_PROGRAMS_H
#define NACHO_PYTHON_PROGRAMS_H

#include "nacho/Execution/Program.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <vector>

template <typename T>
inline nanobind::tuple toTuple(const std::vector<T> &items) {
  nanobind::list list;
  for (const T &item : items)
    list.append(item);
  return nanobind::tuple(list);
}

inline nanobind::tuple
toTuples(const std::vector<std::vector<int64_t>> &lists) {
  nanobind::list all;
  for (const std::vector<int64_t> &numbers : lists)
    all.append(toTuple(numbers));
  return nanobind::tuple(all);
}

/// The choices of a variant by name, and whether each is on.
inline nanobind::dict choicesOf(const nacho::Variant &variant) {
  nanobind::dict choices;
  for (auto [name, isOn] : variant.choices())
    choices[nanobind::cast(name)] = isOn;
  return choices;
}

inline nanobind::tuple choicesOf(const std::vector<nacho::Variant> &variants) {
  nanobind::list choices;
  for (const nacho::Variant &variant : variants)
    choices.append(choicesOf(variant));
  return nanobind::tuple(choices);
}

/// A program for Python.
class PyProgram {
public:
  explicit PyProgram(std::shared_ptr<const nacho::Program> program)
      : program(std::move(program)) {}

  bool operator==(const PyProgram &other) const {
    return program == other.program;
  }

  std::string llvm() const { return program->llvm(); }
  std::string assembly() const { return program->assembly(); }

  nanobind::dict choices() const { return choicesOf(program->variant); }
  const nacho::Step &last() const { return program->last(); }

  /// Fields of each step, see Step.h: order, loops, loopInputs, delta, inputs,
  /// isSorted, isDraft, and whether it makes a list.
  nanobind::tuple steps() const {
    nanobind::list steps;
    for (const nacho::Step &step : program->steps) {
      nanobind::list inputs;
      for (const nacho::StepInput &input : step.inputs)
        inputs.append(nanobind::make_tuple(input.isStep, input.index));
      steps.append(nanobind::make_tuple(
          toTuple(step.order), toTuples(step.loops), toTuples(step.loopInputs),
          step.delta, nanobind::tuple(inputs), step.isSorted(), step.isDraft(),
          step.list != nacho::Step::List::none));
    }
    return nanobind::tuple(steps);
  }

private:
  std::shared_ptr<const nacho::Program> program;
};

#endif // NACHO_PYTHON_PROGRAMS_H
