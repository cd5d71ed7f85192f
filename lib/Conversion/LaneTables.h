//===- LaneTables.h - Tables in memory that lanes share --------*- C++ -*-===//

#ifndef NACHO_LIB_CONVERSION_LANETABLES_H
#define NACHO_LIB_CONVERSION_LANETABLES_H

#include "nacho/IR/Nacho.h"

namespace nacho {

/// Lowers a table and its uses, which insert or drain.
void lowerLaneTable(LaneTableOp op);

} // namespace nacho

#endif // NACHO_LIB_CONVERSION_LANETABLES_H
