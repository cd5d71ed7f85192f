//===- StaticKernel.h - A kernel in the program that calls it -------------===//

#ifndef NACHO_LIB_STATICKERNEL_H
#define NACHO_LIB_STATICKERNEL_H

#include "nacho/Execution/Kernel.h"
#include "nacho/Execution/KernelImage.h"

namespace nacho {

/// A function of a kernel: see Executable::call().
using StaticFunction = void (*)(const int64_t *words);

/// A kernel whose variants were compiled ahead of time.
class StaticKernel final : public Kernel {
public:
  /// `functions` is the table that the image refers to.
  StaticKernel(KernelImage image, const StaticFunction *functions);

  /// The layout of the result, which is the same for all variants.
  const TensorLayout &result() const {
    return image.programs.front().steps.back().result;
  }

protected:
  std::shared_ptr<const Program> compile(const Variant &variant,
                                         Failure &error) const override;

private:
  std::optional<size_t> programOf(const Variant &variant) const;

  KernelImage image;
  const StaticFunction *functions;
};

} // namespace nacho

#endif // NACHO_LIB_STATICKERNEL_H
