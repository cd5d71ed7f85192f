//===- Nacho.td - The dialect in reading order -----------*- tablegen -*-===//

#ifndef NACHO_IR
#define NACHO_IR

include "nacho/IR/NachoDialect.td"
include "nacho/IR/Operators.td"
include "nacho/IR/NachoAttrs.td"
include "nacho/IR/NachoTypes.td"
include "nacho/IR/AssignOps.td"
include "nacho/IR/LoopOps.td"
include "nacho/IR/FlatOps.td"
include "nacho/IR/PartitionOps.td"
include "nacho/IR/PartOps.td"
include "nacho/IR/ParallelOps.td"
include "nacho/IR/WorkspaceOps.td"

#endif // NACHO_IR
