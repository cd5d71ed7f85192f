//===- RepeatedCall.cpp - Calls that repeat an earlier one ----------------===//

#include "RepeatedCall.h"

#include "Signals.h"

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Runtime.h"

#include <utility>

namespace nb = nanobind;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Remembering a call
//===----------------------------------------------------------------------===//

RepeatedCall::RepeatedCall(std::shared_ptr<const Kernel> kernel,
                           const Asked &asked, ElementType result)
    : kernel(std::move(kernel)), asked(asked), result(result),
      shapeName(nb::steal(PyUnicode_InternFromString("shape"))) {}

std::unique_ptr<RepeatedCall>
RepeatedCall::remember(std::shared_ptr<const Kernel> kernel, const Asked &asked,
                       ElementType result, const nb::list &given,
                       const nb::list &places, const nb::list &list) {
  // What is remembered is checked where it is.
  if (!kernel->device.isHost())
    return nullptr;
  std::unique_ptr<RepeatedCall> call(
      new RepeatedCall(std::move(kernel), asked, result));
  size_t next = 0;
  for (size_t n = 0; n < call->kernel->operands.size(); ++n) {
    nb::list of = nb::cast<nb::list>(places[n]);
    if (!call->rememberOperand(given[n], of, list, next))
      return nullptr;
    next += call->kernel->operands[n].numArguments();
  }
  for (const Argument &arg : CallArguments(*call->kernel, list).args)
    call->sizes.push_back(arg.size);
  return call;
}

nb::object RepeatedCall::Place::find(nb::handle container) const {
  nb::object found = nb::borrow(container);
  for (const nb::object &step : steps) {
    if (PyUnicode_Check(step.ptr())) {
      found = nb::steal(PyObject_GetAttr(found.ptr(), step.ptr()));
    } else {
      Py_ssize_t item = PyLong_AsSsize_t(step.ptr());
      // This fails if there is no such item.
      found = PyTuple_Check(found.ptr())
                  ? nb::borrow(PyTuple_GetItem(found.ptr(), item))
                  : nb::object();
    }
    if (!found) {
      PyErr_Clear();
      break;
    }
  }
  return found;
}

bool RepeatedCall::rememberOperand(nb::handle container, const nb::list &places,
                                   const nb::list &list, size_t firstArgument) {
  Operand operand;
  operand.kind = nb::borrow(container.type());
  operand.shape = container.attr("shape");
  size_t last = nb::len(places) - 1;
  for (size_t n = 0; n <= last; ++n) {
    nb::object array = list[firstArgument + n];
    if (places[n].is_none()) {
      operand.indices.push_back({std::nullopt, array});
      continue;
    }
    Place place;
    for (nb::handle step : nb::cast<nb::tuple>(places[n]))
      place.steps.push_back(nb::borrow(step));
    if (!place.find(container).is(array))
      return false;
    if (n < last) {
      nb::object known = nb::steal(PyWeakref_NewRef(array.ptr(), nullptr));
      operand.indices.push_back({std::move(place), std::move(known)});
      continue;
    }
    operand.values = std::move(place);
    operand.kindOfValues = nb::borrow(array.type());
    operand.rankOfValues = nb::cast<int>(array.attr("ndim"));
  }
  operands.push_back(std::move(operand));
  return true;
}

//===----------------------------------------------------------------------===//
// Repeating it
//===----------------------------------------------------------------------===//

bool RepeatedCall::takeArrays(const Operand &operand,
                              const TensorLayout &layout, nb::handle container,
                              CallArguments &call) {
  auto next = operand.indices.begin();
  for (const TensorLayout::Level &level : layout.levels)
    for (const TensorLayout::Array &each : level.arrays) {
      const IndexArray &index = *next++;
      nb::object array = index.known;
      if (index.place) {
        array = index.place->find(container);
        if (PyWeakref_GetObject(index.known.ptr()) != array.ptr())
          return false;
      }
      if (call.addArray(array, each.type) != ArrayFault::none)
        return false;
    }
  nb::object values = operand.values.find(container);
  return values && values.type().is(operand.kindOfValues) &&
         call.addArray(values, layout.values) == ArrayFault::none &&
         call.lastRank() == operand.rankOfValues;
}

bool RepeatedCall::takeArguments(const nb::tuple &given,
                                 CallArguments &call) const {
  if (nb::len(given) != operands.size())
    return false;
  for (size_t n = 0; n < operands.size(); ++n) {
    const TensorLayout &layout = kernel->operands[n];
    nb::handle container = given[n];
    if (!container.type().is(operands[n].kind) ||
        !nb::getattr(container, shapeName).equal(operands[n].shape) ||
        !takeArrays(operands[n], layout, container, call))
      return false;
    for (size_t level = 0; level < layout.levels.size(); ++level)
      call.addExtent(sizes[call.args.size()]);
  }
  for (size_t n = 0; n < sizes.size(); ++n)
    if (call.args[n].size != sizes[n])
      return false;
  return true;
}

static int64_t firstFault(const Argument &pos, ElementType type,
                          int64_t entries) {
  int64_t length = pos.size - 1;
  if (type == ElementType::i32)
    return checkPositions(static_cast<const int32_t *>(pos.data), length,
                          entries);
  return checkPositions(static_cast<const int64_t *>(pos.data), length,
                        entries);
}

/// Whether each array of positions begins at 0, never falls, and ends with the
/// last entry of its level.
bool RepeatedCall::arePositionsValid(const std::vector<Argument> &args) const {
  const Argument *next = args.data();
  for (const TensorLayout &layout : kernel->operands) {
    const Argument *array = next;
    next += layout.numArguments();
    for (const TensorLayout::Level &level : layout.levels) {
      const Argument *pos = array;
      array += level.arrays.size();
      if (level.arrays.size() < 2 || !level.arrays.front().holdsPositions)
        continue;
      // The positions of words follow from their bits: the caller checks them.
      if (level.arrays.front().wordSize)
        return false;
      // The positions of a level come before its coordinates.
      int64_t entries = pos[1].size / level.arrays[1].perEntry;
      if (firstFault(*pos, level.arrays.front().type, entries) >= 0)
        return false;
    }
  }
  return true;
}

nb::object RepeatedCall::compute(const nb::tuple &given,
                                 const nb::object &into) const {
  CallArguments call(*kernel);
  if (!takeArguments(given, call))
    return nb::none();
  std::optional<ResultRoom> room;
  std::optional<Argument> memory;
  if (!into.is_none()) {
    room.emplace(kernel->device, result, into);
    memory = room->memory;
    if (call.isIn(memory->data, memory->size * sizeOf(result)))
      return nb::none();
  }
  std::vector<Buffer> buffers;
  {
    Unlocked unlocked;
    if (untilChecked(asked.work,
                     [&] { return arePositionsValid(call.args); })) {
      try {
        Plan plan(kernel, asked);
        plan.plan(call.args);
        buffers = plan.execute(call.args, /*isPlanned=*/true,
                               /*isTrusted=*/false, memory);
      } catch (const nb::python_error &) {
        // A signal: see Unlocked.
        throw;
      } catch (const std::exception &) {
        // The caller checks the operands in full, and the call fails again.
        buffers.clear();
      }
    }
  }
  if (buffers.empty())
    return nb::none();
  return room ? nb::list() : toArrays(std::move(buffers));
}
