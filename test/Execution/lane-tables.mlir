// Tables in memory that the lanes of a warp share. The order in which lanes run does not
// matter.
//
// RUN: nacho-opt %s -convert-nacho-workspace-to-scf -convert-nacho-elements-to-arith \
// RUN:   -convert-nacho-parallel-to-gpu -canonicalize -gpu-kernel-outlining -o %t
// RUN: %simulated %t add i64:0*96 f64:0*96 i64:64 i32:0 | FileCheck %s
// RUN: env NACHO_SIMULATOR_SEED=12345 %simulated %t add i64:0*96 f64:0*96 i64:64 i32:0 | FileCheck %s
// RUN: env NACHO_SIMULATOR_SEED=7 %simulated %t add i64:0*96 f64:0*96 i64:64 i32:0 | FileCheck %s
// RUN: %simulated %t add i64:0*96 f64:0*96 i64:7 i32:0 | FileCheck %s --check-prefix=FULL
// RUN: env NACHO_SIMULATOR_SEED=7 %simulated %t add i64:0*96 f64:0*96 i64:7 i32:0 | FileCheck %s --check-prefix=FULL

// Step n inserts n at the coordinate 7919 n mod 64: each of the 64 coordinates comes
// twice, but not twice in 32 steps.
//
// CHECK: i64: 0 1 2 3 4 5 6 7 {{.*}} 61 62 63 0 0 {{.*}}
// CHECK: f64: 64 94 124 154 {{.*}}
// CHECK: i64: 64
// CHECK: i32: 0
//
// A table for 7 coordinates has 32 places. What does not fit is reported.
//
// FULL: i32: 2
func.func @add(%keys: memref<?xindex>, %sums: memref<?xf64>, %sizes: memref<?xindex>,
               %failures: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c7919 = arith.constant 7919 : index
  %status = memref.reinterpret_cast %failures to offset: [0], sizes: [], strides: []
      : memref<?xi32> to memref<i32>
  nacho.parallel %part in %c1 threads %c1 {
    %lane = nacho.lane of 32
    %most = memref.load %sizes[%part] : memref<?xindex>
    %w = nacho.lane_table for %most of 64 lane %lane status %status
        : memref<i32> -> !nacho.workspace<f64>
    scf.for %first = %c0 to %c128 step %c32 {
      %n = arith.addi %first, %lane : index
      %product = arith.muli %n, %c7919 : index
      %k = arith.remui %product, %c64 : index
      %integer = arith.index_cast %n : index to i64
      %x = arith.sitofp %integer : i64 to f64
      %new = nacho.insert %x : f64 distinct at %k into %w : !nacho.workspace<f64>
      nacho.lane_sync
    }
    %end = nacho.drain %k, %x of %w iter_args(%n = %c0 : index) : !nacho.workspace<f64> {
      memref.store %k, %keys[%n] : memref<?xindex>
      memref.store %x, %sums[%n] : memref<?xf64>
      %next = arith.addi %n, %c1 : index
      nacho.yield %next : index
    }
    memref.store %end, %sizes[%part] : memref<?xindex>
  }
  return
}
