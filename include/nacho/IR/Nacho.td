//===- Nacho.td - The dialect in reading order -----------*- tablegen -*-===//
//
// The words of the project. Each has this meaning, and no other, in the IR, in
// C++, in Python and in the documentation.
//
//   Tensors
//   level        one storage level of a tensor; it stores one dimension
//   coordinate   an index into a dimension
//   position     an index into the arrays of a level
//   entry        an element that a sparse tensor stores: coordinates and a value
//   fiber        the children, at one level, of one position
//   run          neighbouring positions that have the same coordinate, in a level
//                that may repeat coordinates
//   row          the entries of a tensor that have the same coordinates in all
//                levels but the last; of a buffer of rank two, what its first
//                index selects
//   list         a tensor in coordinate format (COO), given by the user or made by
//                one nest for another
//   tree         a tensor of which all levels are compressed (CSF)
//   slice        a part of a tensor: of each dimension, every n-th coordinate from an
//                offset on
//   key          all coordinates of an entry as the bits of one integer
//   window       neighbouring elements of an array, or keys or coordinates that are
//                computed, which are worked on at a time
//
//   Expressions
//   operator     an operation of the notation on elements; the table of operators,
//                Operators.td, has a record for each
//   background   the value of an expression where no sparse operand has an entry
//   pattern      the coordinates at which an expression may have another value
//   factor       one of the values whose product is summed
//   inner sum    the sum of some factors of a product, which a statement of its own
//                computes: it is a factor of what is still to be summed
//
//   Loops
//   nest         the loops that make one result
//   coiteration  one loop over the merged coordinates of any number of fibers
//   merge        a union or an intersection of coordinates; or, of a nest, the
//                expression that says which coordinates a coiteration visits
//   driver       an operand whose level decides which coordinates a loop visits
//   remapping    running the outer intersections of a nest first, in a nest of
//                their own, which lists the coordinates that they visit
//
//   Parts
//   cut          a place in the iteration space of a nest: coordinates of its
//                loops, and the positions of the operands there
//   part         what lies between two neighbouring cuts
//   cost         what an interval of a nest takes to compute, by a cost model
//   charge       one addend of the cost: entries of an operand, steps of a loop, or
//                units, which are the iterations of outer loops
//   query        the cost at which a cut is looked for
//   residual     the query less the cost up to the coordinate that was found; the
//                search inside of that coordinate looks for it
//   share        the cost of a nest over the number of its parts
//   worker       one of the runs of the body of a parallel loop, such as the run
//                for one part; a thread may do several workers in turn
//   slot         the number of a worker among those that run at the same time
//   tile         neighbouring parts that threads of a GPU do together, sharing memory
//
//   Functions
//   step         a nest of a kernel with its functions; its result is an operand
//                of later steps, or the result of the kernel
//   phase        partition (find the cuts), assemble (count, scan, allocate) or
//                compute (fill the result)
//   partial      the sum that one part keeps of an entry of the result to which
//                several parts contribute
//   workspace    memory of one slot in which values are added up by coordinate
//   table        a workspace that tells the position of a coordinate in a fiber
//   draft        a result with gaps: parts append to it without having counted
//                their entries, each from a place of its own; it is compacted
//                afterwards. Or a part has one of its own, and moves its entries
//                when it is its turn
//   variant      one of several ways to compile the same kernel
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR
#define NACHO_IR

include "nacho/IR/NachoDialect.td"
include "nacho/IR/Operators.td"
include "nacho/IR/NachoAttrs.td"
include "nacho/IR/StepAttrs.td"
include "nacho/IR/NachoTypes.td"
include "nacho/IR/AssignOps.td"
include "nacho/IR/OperatorOps.td"
include "nacho/IR/NestOps.td"
include "nacho/IR/LoopOps.td"
include "nacho/IR/FiberOps.td"
include "nacho/IR/ElementOps.td"
include "nacho/IR/ListOps.td"
include "nacho/IR/PrefetchOps.td"
include "nacho/IR/FlatOps.td"
include "nacho/IR/SliceOps.td"
include "nacho/IR/PartitionOps.td"
include "nacho/IR/PartOps.td"
include "nacho/IR/HostOps.td"
include "nacho/IR/ParallelOps.td"
include "nacho/IR/TileOps.td"
include "nacho/IR/WorkspaceOps.td"

#endif // NACHO_IR
