//===- RepeatedCall.cpp - Calls that repeat an earlier one ----------------===//

#include "RepeatedCall.h"

#include "Signals.h"

#include "nacho/Execution/Canonical.h"
#include "nacho/Runtime/Runtime.h"

#include <algorithm>
#include <numeric>

#include <utility>

namespace nb = nanobind;
using namespace nacho;

int64_t roughly(int64_t size) {
  int bits = 0;
  for (auto square = __int128(size) * size; square; square >>= 1)
    ++bits;
  return size ? int64_t(1) << std::min(bits / 2, 62) : 0;
}

//===----------------------------------------------------------------------===//
// Remembering a call
//===----------------------------------------------------------------------===//

RepeatedCall::RepeatedCall(std::shared_ptr<const Kernel> kernel,
                           const Asked &asked, WorkOfCall work,
                           ElementType result)
    : kernel(std::move(kernel)), asked(asked), work(std::move(work)),
      result(result), begins({0}),
      shapeName(nb::steal(PyUnicode_InternFromString("shape"))),
      formatName(nb::steal(PyUnicode_InternFromString("format"))) {
  for (const TensorLayout &operand : this->kernel->operands)
    begins.push_back(begins.back() + operand.numArguments());
}

/// Whether a tensor has levels with positions, each of which has a place of its
/// own for every parent, so that entries can be counted.
static bool storesEntries(const TensorLayout &layout) {
  bool isStored = false;
  for (const TensorLayout::Level &level : layout.levels)
    if (std::optional<size_t> n = positionsOf(level)) {
      const TensorLayout::Array &positions = level.arrays[*n];
      if (positions.length(1, 0) != 2 || positions.wordSize)
        return false;
      isStored = true;
    }
  return isStored;
}

std::unique_ptr<RepeatedCall>
RepeatedCall::remember(std::shared_ptr<const Kernel> kernel, const Asked &asked,
                       WorkOfCall work, ElementType result,
                       const nb::list &given, const nb::list &places,
                       const nb::list &list) {
  // What is remembered is checked where it is.
  if (!kernel->device.isHost())
    return nullptr;
  std::unique_ptr<RepeatedCall> call(
      new RepeatedCall(std::move(kernel), asked, std::move(work), result));
  for (size_t n = 0; n < call->kernel->operands.size(); ++n) {
    const TensorLayout &layout = call->kernel->operands[n];
    bool isKnown =
        places[n].is_none()
            ? call->rememberNumber(given[n], layout.values)
            : call->rememberOperand(given[n], nb::cast<nb::list>(places[n]),
                                    list, call->begins[n]);
    if (!isKnown)
      return nullptr;
    call->operands.back().isStored &=
        !call->work.read.empty() && storesEntries(layout);
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

bool RepeatedCall::rememberNumber(nb::handle number, ElementType type) {
  Operand operand;
  operand.isNumber = true;
  operand.kind = nb::steal(PyWeakref_NewRef(number.type().ptr(), nullptr));
  operands.push_back(std::move(operand));
  return CallArguments(kernel->device, 1).addNumber(number, type);
}

bool RepeatedCall::rememberOperand(nb::handle container, const nb::list &places,
                                   const nb::list &list, size_t firstArgument) {
  Operand operand;
  operand.isStored = true;
  operand.kind = nb::steal(PyWeakref_NewRef(container.type().ptr(), nullptr));
  operand.shape = container.attr("shape");
  operand.format = nb::getattr(container, formatName, nb::none());
  size_t last = nb::len(places) - 1;
  for (size_t n = 0; n <= last; ++n) {
    nb::object array = list[firstArgument + n];
    if (places[n].is_none()) {
      operand.isStored &= nb::len(array) == 2;
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

/// Has positions that no container has fit the coordinates of another one,
/// which come next.
void RepeatedCall::setMadePositions(const Operand &operand,
                                    const TensorLayout &layout, size_t first,
                                    CallArguments &call) {
  size_t n = 0;
  for (const TensorLayout::Level &level : layout.levels)
    for (const TensorLayout::Array &each : level.arrays) {
      if (!operand.indices[n].place)
        call.setPositions(first + n, call.args[first + n + 1].size, each.type);
      ++n;
    }
}

bool RepeatedCall::takeArrays(const Operand &operand,
                              const TensorLayout &layout, nb::handle container,
                              CallArguments &call, bool &areOther) {
  auto next = operand.indices.begin();
  size_t first = call.args.size();
  for (const TensorLayout::Level &level : layout.levels)
    for (const TensorLayout::Array &each : level.arrays) {
      const IndexArray &index = *next++;
      nb::object array = index.known;
      if (index.place) {
        array = index.place->find(container);
        if (PyWeakref_GetObject(index.known.ptr()) != array.ptr()) {
          if (!array || !operand.isStored)
            return false;
          areOther = true;
        }
      }
      if (call.addArray(array, each.type) != ArrayFault::none)
        return false;
    }
  if (areOther)
    setMadePositions(operand, layout, first, call);
  nb::object values = operand.values.find(container);
  return values && values.type().is(operand.kindOfValues) &&
         call.addArray(values, layout.values) == ArrayFault::none &&
         call.lastRank() == operand.rankOfValues;
}

/// Adds the arguments of an operand, if it is of the kind that it was before.
bool RepeatedCall::takeOperand(size_t number, nb::handle container,
                               CallArguments &call, bool &areOther) const {
  const Operand &operand = operands[number];
  const TensorLayout &layout = kernel->operands[number];
  if (PyWeakref_GetObject(operand.kind.ptr()) != container.type().ptr())
    return false;
  if (operand.isNumber)
    return call.addNumber(container, layout.values);
  if (!nb::getattr(container, shapeName).equal(operand.shape) ||
      (!operand.format.is_none() &&
       !nb::getattr(container, formatName).equal(operand.format)) ||
      !takeArrays(operand, layout, container, call, areOther))
    return false;
  for (size_t level = 0; level < layout.levels.size(); ++level)
    call.addExtent(sizes[call.args.size()]);
  return true;
}

bool RepeatedCall::takeArguments(const nb::tuple &given, CallArguments &call,
                                 std::vector<bool> &areOthers) const {
  if (nb::len(given) != operands.size())
    return false;
  for (size_t n = 0; n < operands.size(); ++n) {
    bool areOther = false;
    if (!takeOperand(n, given[n], call, areOther))
      return false;
    areOthers.push_back(areOther);
    size_t values = begins[n] + kernel->operands[n].numArrays();
    if (areOther ? call.args[values].size > kMostChecked
                 : !haveSizesOfOperand(call.args, n))
      return false;
  }
  return !work.decidesOrder || haveRoughSizes(call.args);
}

/// Whether the order of the loops is the same for these sizes of operands.
bool RepeatedCall::haveRoughSizes(const std::vector<Argument> &args) const {
  bool areSmall = true, wereSmall = true, areAlike = true;
  for (size_t n = 0; n < operands.size(); ++n) {
    if (operands[n].isNumber)
      continue;
    size_t values = begins[n] + kernel->operands[n].numArrays();
    int64_t entries = args[values].size, before = sizes[values];
    areSmall &= entries <= kSmallOperand;
    wereSmall &= before <= kSmallOperand;
    areAlike &= roughly(entries) == roughly(before);
  }
  return areSmall == wereSmall && (areSmall || areAlike);
}

bool RepeatedCall::haveSizesOfOperand(const std::vector<Argument> &args,
                                      size_t operand) const {
  for (size_t n = begins[operand]; n < begins[operand + 1]; ++n)
    if (args[n].size != sizes[n])
      return false;
  return true;
}

bool RepeatedCall::areOthersValid(const std::vector<Argument> &args,
                                  const std::vector<bool> &areOthers) const {
  for (size_t n = 0; n < operands.size(); ++n)
    if (areOthers[n] && !isSmallTensor(kernel->operands[n], &args[begins[n]]))
      return false;
  return true;
}

int64_t RepeatedCall::workOf(const std::vector<Argument> &args) const {
  int64_t entries = 0;
  for (size_t operand : work.read)
    entries +=
        args[begins[operand] + kernel->operands[operand].numArrays()].size;
  int64_t product;
  if (__builtin_mul_overflow(entries, work.inner, &product))
    return INT64_MAX;
  return product;
}

static bool hasOthers(const std::vector<bool> &areOthers) {
  return std::find(areOthers.begin(), areOthers.end(), true) != areOthers.end();
}

/// Takes what a call is computed from, which areValid() has to look at.
bool RepeatedCall::takeCall(const nb::tuple &given, TakenCall &taken,
                            std::vector<bool> &areOthers) const {
  if (!takeArguments(given, taken.call, areOthers))
    return false;
  if (hasOthers(areOthers))
    taken.asked.work = workOf(taken.call.args);
  return true;
}

bool RepeatedCall::areValid(const std::vector<Argument> &args,
                            const std::vector<bool> &areOthers) const {
  return (!hasOthers(areOthers) || areOthersValid(args, areOthers)) &&
         arePositionsValid(kernel->operands, args.data());
}

std::unique_ptr<TakenCall> RepeatedCall::take(const nb::tuple &given) const {
  auto taken = std::make_unique<TakenCall>(kernel, asked);
  std::vector<bool> areOthers;
  bool isTaken = takeCall(given, *taken, areOthers) &&
                 areValid(taken->call.args, areOthers);
  return isTaken ? std::move(taken) : nullptr;
}

nb::object RepeatedCall::compute(const nb::tuple &given, const nb::object &into,
                                 Plan *planned) const {
  TakenCall taken(kernel, asked);
  const CallArguments &call = taken.call;
  std::vector<bool> areOthers;
  if (!takeCall(given, taken, areOthers) || (planned && hasOthers(areOthers)))
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
    if (untilChecked(taken.asked.work,
                     [&] { return areValid(call.args, areOthers); })) {
      try {
        if (planned) {
          buffers = planned->execute(call.args, /*isPlanned=*/false,
                                     /*isTrusted=*/false, memory);
        } else {
          Plan plan(kernel, taken.asked);
          plan.plan(call.args);
          buffers = plan.execute(call.args, /*isPlanned=*/true,
                                 /*isTrusted=*/false, memory);
        }
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
