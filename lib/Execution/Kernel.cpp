//===- Kernel.cpp - A module with all its variants ------------------------===//

#include "nacho/Execution/Kernel.h"
#include "nacho/Runtime/BufferPool.h"
#include "nacho/Runtime/Fork.h"
#include "nacho/Runtime/Stop.h"

#include <algorithm>
#include <utility>

using namespace nacho;

Executable::~Executable() = default;
Kernel::~Kernel() = default;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static std::vector<Step> bound(std::vector<Step> steps,
                               const Executable &executable) {
  for (size_t number = 0; number < steps.size(); ++number)
    steps[number].bind(executable, number);
  return steps;
}

/// The largest value that a field has in any step.
template <typename Value>
static Value largest(const std::vector<Step> &steps, Value Step::*field) {
  Value value{};
  for (const Step &step : steps)
    value = std::max(value, step.*field);
  return value;
}

static Variant withEffect(Variant variant, const std::vector<Step> &steps) {
  variant.fill = std::min(variant.fill, largest(steps, &Step::fill));
  Rows rows = largest(steps, &Step::rows);
  // A step has pieces, however fine they are.
  if (rows != Rows::pieces)
    variant.rows = std::min(variant.rows, rows);
  return variant;
}

Program::Program(const Variant &variant, std::vector<Step> steps,
                 std::unique_ptr<const Executable> executable)
    : steps(bound(std::move(steps), *executable)),
      variant(withEffect(variant, this->steps)),
      executable(std::move(executable)) {}

bool Program::makesDrafts() const {
  return largest(steps, &Step::fill) != Fill::counted;
}
bool Program::hasWholeRows() const {
  return largest(steps, &Step::rows) != Rows::shared;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Kernel::Kernel(Device &device, std::vector<TensorLayout> operands,
               const Chooser &chooser)
    : device(device), operands(std::move(operands)), chooser(chooser) {}

/// More than compiling takes. LLVM ends the process if its memory does not
/// suffice.
static constexpr int64_t kSpaceOfCompiler = int64_t(256) << 20;

/// Held while the places of any kernel are read or changed.
static std::mutex &mutexOfPlaces() {
  static auto *mutex = [] {
    auto *made = new std::mutex;
    holdAtFork(*made);
    return made;
  }();
  return *mutex;
}

Kernel::Place &Kernel::placeOf(const Variant &variant) const {
  std::lock_guard<std::mutex> lock(mutexOfPlaces());
  std::unique_ptr<Place> &place = places[variant];
  // A thread that held the place when its process forked is not here.
  if (!place || place->forks != timesForked())
    place = std::make_unique<Place>(timesForked(),
                                    place ? place->program : nullptr);
  return *place;
}

/// Finds a compiled variant that might draft more, but does not: it is the same
/// as the variant that counts.
std::shared_ptr<const Program>
Kernel::withoutDrafts(const Variant &variant) const {
  std::lock_guard<std::mutex> lock(mutexOfPlaces());
  for (Fill fill : {Fill::drafted, Fill::unionsDrafted}) {
    Variant drafting = variant;
    drafting.fill = fill;
    auto found = places.find(drafting);
    if (fill <= variant.fill || found == places.end())
      continue;
    const std::shared_ptr<const Program> &program = found->second->program;
    if (program && program->variant.fill <= variant.fill)
      return program;
  }
  return nullptr;
}

std::shared_ptr<const Program> Kernel::program(const Variant &variant) const {
  Place &place = placeOf(variant);
  auto compileIfItFits = [&](Failure &error) {
    if (!isAddressSpaceFree(kSpaceOfCompiler))
      allocateFor("compiling a kernel",
                  [] { throw OutOfMemory(kSpaceOfCompiler); });
    return compile(variant, error);
  };
  // If this throws, as a signal may make it do, the next caller tries again.
  std::lock_guard<std::mutex> alone(place.compiling);
  if (place.program)
    return place.program;
  std::shared_ptr<const Program> program = withoutDrafts(variant);
  Failure error;
  if (!program)
    program = untilDone([&] { return compileIfItFits(error); });
  if (!program)
    throw CompileError(error);
  std::lock_guard<std::mutex> lock(mutexOfPlaces());
  place.program = std::move(program);
  return place.program;
}
