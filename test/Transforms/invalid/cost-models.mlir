// RUN: not nacho-opt %s -nacho-remap-intersections=cost=bogus 2>&1 | FileCheck %s
// RUN: not nacho-opt %s -nacho-partition-loops=cost=bogus 2>&1 | FileCheck %s
// RUN: not nacho-opt %s -nacho-cpu=cost=bogus 2>&1 | FileCheck %s
// RUN: not nacho-opt %s -nacho-gpu=cost=bogus 2>&1 | FileCheck %s
// RUN: not nacho-opt %s -pass-pipeline='builtin.module(nacho-cpu{remap=false cost=bogus})' 2>&1 | FileCheck %s
// RUN: not nacho-opt %s -pass-pipeline='builtin.module(nacho-remap-intersections{cost="#nacho.cost_model<entries, entries>"})' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not nacho-opt %s -pass-pipeline='builtin.module(nacho-partition-loops{cost="#nacho.cost_model<entries> nnz"})' 2>&1 | FileCheck %s --check-prefix=REST

// A cost model that is not known is refused even if there is nothing to cut.

// CHECK: error: unknown cost model 'bogus': nnz, nnz+loops, flops, time
// TWICE: error: a cost model that charges entries twice
// REST: error: found trailing characters: 'nnz'
module {}
