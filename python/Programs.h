//===- Programs.h - Programs for Python -------------------------*- C++ -*-===//

#ifndef NACHO_PYTHON_PROGRAMS_H
#define NACHO_PYTHON_PROGRAMS_H

#include "Arrays.h"

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

template <typename Item>
nanobind::tuple toTuples(const std::vector<std::vector<Item>> &lists) {
  nanobind::list all;
  for (const std::vector<Item> &items : lists)
    all.append(toTuple(items));
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

/// The levels of a tensor, each with its arrays, and the type of its values.
inline nanobind::tuple describeLayout(const nacho::TensorLayout &tensor) {
  nanobind::list levels;
  for (const nacho::TensorLayout::Level &level : tensor.levels) {
    nanobind::list arrays;
    for (const nacho::TensorLayout::Array &array : level.arrays)
      arrays.append(nanobind::make_tuple(nameOf(array.type),
                                         array.holdsPositions, array.perEntry,
                                         array.extra));
    levels.append(nanobind::make_tuple(level.isFull, nanobind::tuple(arrays)));
  }
  return nanobind::make_tuple(nanobind::tuple(levels), nameOf(tensor.values));
}

/// The layouts of the operands of a step, and at last that of its result.
inline nanobind::tuple layoutsOf(const nacho::Step &step) {
  nanobind::list layouts;
  for (const nacho::TensorLayout &operand : step.operands)
    layouts.append(describeLayout(operand));
  layouts.append(describeLayout(step.result));
  return nanobind::tuple(layouts);
}

/// What a level of a list keeps: whether it is of the result of a step, the
/// number of that step or operand, or -1, the level, and whether it is an end.
inline nanobind::tuple describeKept(const nacho::Step::Kept &kept) {
  bool isStep = kept.of && kept.of->isStep;
  int64_t index = kept.of ? static_cast<int64_t>(kept.of->index) : -1;
  return nanobind::make_tuple(isStep, index, kept.level, kept.isEnd);
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
  const std::vector<nacho::Step> &steps() const { return program->steps; }

  /// Fields of each step, see Step.h: order, loops, loopInputs, delta, inputs,
  /// isSorted, isDraft, whether it makes a list, the layouts of its operands
  /// and of its result, countColumns, whether its parts run alone, what
  /// a list keeps, whether it is one of pieces, which loops are full, whether
  /// it has partials, fixed parts, and tables, whether the result is the only
  /// operand in another order, loopsDigest, indicesRead and indicesMade.
  nanobind::tuple describeSteps() const {
    nanobind::list steps;
    for (const nacho::Step &step : program->steps) {
      nanobind::list inputs;
      for (const nacho::StepInput &input : step.inputs)
        inputs.append(nanobind::make_tuple(input.isStep, input.index));
      nanobind::list kept;
      for (const nacho::Step::Kept &number : step.kept)
        kept.append(describeKept(number));
      nanobind::list read;
      for (const std::vector<nacho::Step::Indices> &accesses : step.indicesRead)
        read.append(toTuples(accesses));
      steps.append(nanobind::make_tuple(
          toTuple(step.order), toTuples(step.loops), toTuples(step.loopInputs),
          step.delta, nanobind::tuple(inputs), step.isSorted(), step.isDraft(),
          step.list != nacho::Step::List::none, layoutsOf(step),
          step.countColumns, step.has(nacho::Phase::compute),
          nanobind::tuple(kept), step.list == nacho::Step::List::ofPieces,
          toTuple(step.fullLoops), !step.partials.empty(), step.hasFixedParts,
          !step.tables.empty(), step.buckets.has_value(), step.loopsDigest,
          nanobind::tuple(read), toTuple(step.indicesMade)));
    }
    return nanobind::tuple(steps);
  }

private:
  std::shared_ptr<const nacho::Program> program;
};

#endif // NACHO_PYTHON_PROGRAMS_H
