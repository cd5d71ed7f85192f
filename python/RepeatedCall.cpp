//===- RepeatedCall.cpp - Calls that repeat an earlier one ----------------===//

#include "RepeatedCall.h"

#include "nacho/Execution/Plan.h"
#include "nacho/Runtime/Runtime.h"

#include <utility>

namespace nb = nanobind;
using namespace nacho;

//===----------------------------------------------------------------------===//
// Remembering a call
//===----------------------------------------------------------------------===//

std::unique_ptr<RepeatedCall>
RepeatedCall::remember(std::shared_ptr<const Kernel> kernel, const Asked &asked,
                       const nb::list &given, const nb::list &attributes,
                       const nb::list &list) {
  std::unique_ptr<RepeatedCall> call(
      new RepeatedCall(std::move(kernel), asked));
  size_t next = 0;
  for (size_t n = 0; n < call->kernel->operands.size(); ++n) {
    nb::tuple names = nb::cast<nb::tuple>(attributes[n]);
    if (!call->rememberOperand(given[n], names, list, next))
      return nullptr;
    next += call->kernel->operands[n].numArguments();
  }
  for (const Argument &arg : CallArguments(*call->kernel, list).args)
    call->sizes.push_back(arg.size);
  return call;
}

bool RepeatedCall::rememberOperand(nb::handle container,
                                   const nb::tuple &attributes,
                                   const nb::list &list, size_t firstArgument) {
  Operand operand;
  operand.kind = nb::borrow(container.type());
  operand.shape = container.attr("shape");
  for (nb::handle name : attributes) {
    nb::object array = nb::getattr(container, name);
    if (!array.is(list[firstArgument + operand.attributes.size()]))
      return false;
    operand.attributes.push_back(nb::borrow(name));
    operand.indexArrays.push_back(
        nb::steal(PyWeakref_NewRef(array.ptr(), nullptr)));
    operand.kindOfValues = nb::borrow(array.type());
  }
  // The last array has the values, which may be another array in each call.
  if (!operand.indexArrays.empty())
    operand.indexArrays.pop_back();
  else if (!container.is(list[firstArgument]))
    return false;
  operands.push_back(std::move(operand));
  return true;
}

//===----------------------------------------------------------------------===//
// Repeating it
//===----------------------------------------------------------------------===//

bool RepeatedCall::takeArrays(const Operand &operand,
                              const TensorLayout &layout, nb::handle container,
                              CallArguments &call) const {
  if (operand.attributes.empty())
    return call.addArray(container, layout.values) == ArrayFault::none;
  auto name = operand.attributes.begin();
  auto known = operand.indexArrays.begin();
  for (const TensorLayout::Level &level : layout.levels)
    for (const TensorLayout::Array &each : level.arrays) {
      nb::object array = nb::getattr(container, *name++, nb::none());
      if (PyWeakref_GetObject((known++)->ptr()) != array.ptr() ||
          call.addArray(array, each.type) != ArrayFault::none)
        return false;
    }
  nb::object values = nb::getattr(container, *name, nb::none());
  return values.type().is(operand.kindOfValues) &&
         call.addArray(values, layout.values) == ArrayFault::none &&
         call.lastRank() == 1;
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

/// Whether each array of positions begins at 0, never falls, and ends with the
/// last entry of its level.
bool RepeatedCall::arePositionsValid(const std::vector<Argument> &args) const {
  const Argument *next = args.data();
  for (const TensorLayout &layout : kernel->operands) {
    const Argument *array = next;
    next += layout.numArguments();
    for (const TensorLayout::Level &level : layout.levels)
      for (const TensorLayout::Array &each : level.arrays) {
        const Argument &pos = *array++;
        if (!each.holdsPositions)
          continue;
        // The coordinates of the level, an entry each, are the next array.
        int64_t length = pos.size - 1, entries = array->size;
        int64_t fault =
            each.type == ElementType::i32
                ? checkPositions(static_cast<const int32_t *>(pos.data), length,
                                 entries)
                : checkPositions(static_cast<const int64_t *>(pos.data), length,
                                 entries);
        if (fault >= 0)
          return false;
      }
  }
  return true;
}

nb::object RepeatedCall::compute(const nb::tuple &given) const {
  CallArguments call(*kernel);
  if (!takeArguments(given, call))
    return nb::none();
  std::vector<Buffer> buffers;
  {
    nb::gil_scoped_release release;
    if (arePositionsValid(call.args)) {
      try {
        Plan plan(kernel, asked);
        plan.plan(call.args);
        buffers = plan.execute(call.args, /*isPlanned=*/true);
      } catch (const std::exception &) {
        // The caller checks the operands in full, and the call fails again.
        buffers.clear();
      }
    }
  }
  if (buffers.empty())
    return nb::none();
  nb::list arrays;
  for (Buffer &buffer : buffers)
    arrays.append(toArray(std::move(buffer)));
  return arrays;
}
