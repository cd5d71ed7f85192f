// Windows of a tile, in shared memory of which there is too little for all of them. However
// much there is, and wherever in it a window ends, parts compute the same.
//
// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu=shared-bytes=1024 \
// RUN:   -canonicalize -gpu-kernel-outlining -o %t.all
// RUN: %simulated %t.all add i32:0..20 f64:0..20 f64:0*20 | FileCheck %s
// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu=shared-bytes=61 \
// RUN:   -canonicalize -gpu-kernel-outlining -o %t.some
// RUN: %simulated %t.some add i32:0..20 f64:0..20 f64:0*20 | FileCheck %s
// RUN: env NACHO_SIMULATOR_SEED=7 %simulated %t.some add i32:0..20 f64:0..20 f64:0*20 | FileCheck %s
// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu=shared-bytes=20 \
// RUN:   -canonicalize -gpu-kernel-outlining -o %t.none
// RUN: %simulated %t.none add i32:0..20 f64:0..20 f64:0*20 | FileCheck %s
// RUN: %simulated %t.all loops i32:0..20 f64:0..20 f64:0*20 | FileCheck %s
// RUN: %simulated %t.some loops i32:0..20 f64:0..20 f64:0*20 | FileCheck %s
// RUN: %simulated %t.none loops i32:0..20 f64:0..20 f64:0*20 | FileCheck %s
// RUN: %simulated %t.all narrow i32:0..20 f64:0..20 f64:0*20 | FileCheck %s
// RUN: env NACHO_SIMULATOR_SEED=7 %simulated %t.all narrow i32:0..20 f64:0..20 f64:0*20 | FileCheck %s

// CHECK: f64: 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38
func.func @add(%narrow: memref<?xi32>, %wide: memref<?xf64>, %sums: memref<?xf64>) {
  %n = arith.constant 20 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 5
    nacho.stage_in %narrow[%begin to %end] : memref<?xi32>
    nacho.stage_out %sums[%begin to %end] : memref<?xf64>
    nacho.stage_in %wide[%begin to %end] : memref<?xf64>
    %integer = memref.load %narrow[%part] : memref<?xi32>
    %x = arith.sitofp %integer : i32 to f64
    %y = memref.load %wide[%part] : memref<?xf64>
    %sum = arith.addf %x, %y : f64
    memref.store %sum, %sums[%part] : memref<?xf64>
  }
  return
}

// The first window ends where the expected 20 bytes do. It takes 32 bytes, and no room is
// left for the others.
func.func @narrow(%narrow: memref<?xi32>, %wide: memref<?xf64>, %sums: memref<?xf64>) {
  %n = arith.constant 20 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 5 sharing 20
    nacho.stage_in %narrow[%begin to %end] : memref<?xi32>
    nacho.stage_in %wide[%begin to %end] : memref<?xf64>
    nacho.stage_out %sums[%begin to %end] : memref<?xf64>
    %integer = memref.load %narrow[%part] : memref<?xi32>
    %x = arith.sitofp %integer : i32 to f64
    %y = memref.load %wide[%part] : memref<?xf64>
    %sum = arith.addf %x, %y : f64
    memref.store %sum, %sums[%part] : memref<?xf64>
  }
  return
}

// A loop leaves the window, and so does a vector, wherever the part is: those of the last
// parts begin inside of it, and the first ones end there.
func.func @loops(%narrow: memref<?xi32>, %wide: memref<?xf64>, %sums: memref<?xf64>) {
  %n = arith.constant 20 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f64
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 5
    nacho.stage_in %narrow[%begin to %end] : memref<?xi32>
    nacho.stage_in %wide[%begin to %end] : memref<?xf64>
    %after = arith.addi %part, %c3 : index
    %to = arith.minui %after, %n : index
    %x = scf.for %row = %part to %to step %c1 iter_args(%sum = %zero) -> (f64) {
      %integer = memref.load %narrow[%row] : memref<?xi32>
      %float = arith.sitofp %integer : i32 to f64
      %same = arith.cmpi eq, %row, %part : index
      %own = arith.select %same, %float, %zero : f64
      %more = arith.addf %sum, %own : f64
      scf.yield %more : f64
    }
    %first = arith.minui %part, %c16 : index
    %four = vector.load %wide[%first] : memref<?xf64>, vector<4xf64>
    %lane = arith.subi %part, %first : index
    %y = vector.extract %four[%lane] : f64 from vector<4xf64>
    %sum = arith.addf %x, %y : f64
    memref.store %sum, %sums[%part] : memref<?xf64>
  }
  return
}
