//===- LaneSort.h - Words in shared memory, sorted by a warp ----*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_LANESORT_H
#define NACHO_LIB_CONVERSION_LANESORT_H

#include "nacho/IR/Lanes.h"

namespace nacho {

/// Sorts the first `count` words of `order`, memory with room for `room` words
/// that lanes have just written: as unsigned numbers, of which none is the
/// largest one. All lanes of the warp do this together.
void sortWords(mlir::ImplicitLocOpBuilder &b, Lanes lanes, mlir::Value order,
               int64_t room, mlir::Value count);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_LANESORT_H
