//===- Overlap.h - Samples of the overlap of operands ---------------------===//

#ifndef NACHO_LIB_OVERLAP_H
#define NACHO_LIB_OVERLAP_H

#include "nacho/Execution/Device.h"

#include <vector>

namespace nacho {

/// The part of the entries of all operands with a first coordinate that every
/// operand has, by a sample. Operands with levels must be sorted by their first
/// coordinates, and store them.
double sampleOverlap(Device &device, const std::vector<TensorLayout> &operands,
                     const std::vector<Argument> &args);

} // namespace nacho

#endif // NACHO_LIB_OVERLAP_H
