//===- Program.h - One variant of a kernel, compiled ----------------------===//

#ifndef NACHO_EXECUTION_PROGRAM_H
#define NACHO_EXECUTION_PROGRAM_H

#include "nacho/Execution/Executable.h"
#include "nacho/Execution/Step.h"
#include "nacho/Execution/Variant.h"

#include <memory>
#include <string>
#include <vector>

namespace nacho {

/// A compiled module: its steps, in the order in which they run. Any number of
/// threads may use a program at a time.
class Program {
public:
  Program(const Variant &variant, std::vector<Step> steps,
          std::unique_ptr<const Executable> executable);
  Program(const Program &) = delete;

  const std::vector<Step> steps;
  /// The variant, without the choices that make no difference to its steps.
  const Variant variant;

  const Step &last() const { return steps.back(); }
  /// Whether a step makes a draft.
  bool makesDrafts() const;
  /// Whether a step leaves rows of its result whole.
  bool hasWholeRows() const;

  std::string llvm() const { return executable->llvm(); }
  std::string assembly() const { return executable->assembly(); }

private:
  std::unique_ptr<const Executable> executable;
};

} // namespace nacho

#endif // NACHO_EXECUTION_PROGRAM_H
