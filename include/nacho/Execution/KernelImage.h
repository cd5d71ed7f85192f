//===- KernelImage.h - A kernel that was compiled ahead of time -----------===//
//
// All that a process without the compiler has to know of a kernel, besides its
// machine code: the compiler writes it as text into the program that calls the
// kernel, and the runtime library reads it there.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_KERNELIMAGE_H
#define NACHO_EXECUTION_KERNELIMAGE_H

#include "nacho/Execution/Chooser.h"
#include "nacho/Execution/Step.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nacho {

/// The numbers of the functions of one step, by phase, in the table of all
/// functions of a kernel; none for a phase that the step does not have.
using StepNumbers = std::array<std::optional<size_t>, kNumPhases>;

/// One variant of a kernel.
struct ProgramImage {
  Variant variant;
  std::vector<Step> steps;
  std::vector<StepNumbers> functions; ///< One for each step.
};

/// A kernel: its signature, how its variants are chosen, and those of them
/// that were compiled.
struct KernelImage {
  std::vector<TensorLayout> operands;
  Pins pins;
  KernelFacts facts;
  std::vector<ProgramImage> programs;
  /// The number of the program of every variant that can be chosen, by
  /// Variant::number(). Variants that do not differ share a program.
  std::vector<std::pair<size_t, size_t>> variants;
};

/// An image as text, without null characters.
std::string writeImage(KernelImage image);

/// Reads what writeImage() has written; none if the text is not that.
std::optional<KernelImage> readImage(std::string_view text);

} // namespace nacho

#endif // NACHO_EXECUTION_KERNELIMAGE_H
