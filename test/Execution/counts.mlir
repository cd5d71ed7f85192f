// What warps of kernels do, counted. The lanes of a warp load and store together.
//
// RUN: %simulated --count %s copy f64:0..64 f64:0*64 | FileCheck %s --check-prefix=COPY
// RUN: env NACHO_SIMULATOR_SEED=5 %simulated --count %s copy f64:0..64 f64:0*64 | FileCheck %s --check-prefix=COPY
// RUN: %simulated --count %s strided f64:0..256 f64:0*32 | FileCheck %s --check-prefix=STRIDED
// RUN: %simulated --count %s banks i32:0..32 i32:0*32 | FileCheck %s --check-prefix=BANKS
// RUN: %simulated --count %s nested i32:0*40 i32:0*2 | FileCheck %s --check-prefix=NESTED
// RUN: env NACHO_SIMULATOR_SEED=5 %simulated --count %s nested i32:0*40 i32:0*2 | FileCheck %s --check-prefix=NESTED
// RUN: %simulated %s copy f64:0..64 f64:0*64 | FileCheck %s --check-prefix=NONE

#shared = #gpu.address_space<workgroup>

module attributes {gpu.container_module} {

// Two warps load 256 bytes each, and store as many: 8 sectors, in 2 lines. Each has 7
// instructions: the number of the thread, and 3 for an access, with its address. Each waits
// for what it loads, which is counted as 4.
//
// COPY: copy: launches 1, warps 2, sectors 16 + 16, moved 32, bytes 512 + 512, lines 8, shared 0, conflicts 0, atomics 0, issued 14, useful 448, waits 8 + 0, longest 7 + 4 + 0
// NONE-NOT: copy:
func.func @copy(%in: memref<?xf64>, %out: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%in : memref<?xf64>, %out : memref<?xf64>)
  return
}

// Every lane loads from a sector of its own, twice: the bytes are counted once, and the
// second time, the sectors come from the cache, and are near. It waits for both loads at once.
//
// STRIDED: strided: launches 1, warps 1, sectors 64 + 8, moved 40, bytes 256 + 256, lines 18, {{.*}}, waits 4 + 0, longest 14 + 4 + 0
func.func @strided(%in: memref<?xf64>, %out: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@strided blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%in : memref<?xf64>, %out : memref<?xf64>)
  return
}

// A column of a matrix is in one bank: 31 turns more than without conflicts. All lanes load
// the same word in one turn, and store a row in one. Of words of 8 bytes, 16 lanes store at a
// time; if they leave every other word out, this takes 1 turn more, for each half of a warp.
// Shared memory is near.
//
// BANKS: banks: {{.*}}, shared 5, conflicts 33, atomics 0, {{.*}}, waits 4 + 4,
func.func @banks(%in: memref<?xi32>, %out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@banks blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%in : memref<?xi32>, %out : memref<?xi32>)
  return
}

// The first warp has 32 lanes, the second 8. In step i of the outer loop, lane t has t % 4
// steps of the inner one, with an atomic access: 3 instructions, and 5 for the step. Lanes
// come together after the inner loop, so that a warp has 3 steps of it in each of the 2 outer
// ones, and no more. It does not wait for what it does not use.
//
//   issued: 2 * (4 + 2 * (6 + 3 * 8)) = 128     longest: 64
//   useful: 40 * (4 + 2 * 6) + 2 * 60 * 8 = 1600
//
// NESTED: nested: launches 1, warps 2, sectors 12 + 12, moved 2, bytes 4 + 4, lines 12, shared 0, conflicts 0, atomics 120, issued 128, useful 1600, waits 0 + 0, longest 64 + 0 + 0
func.func @nested(%in: memref<?xi32>, %out: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  gpu.launch_func @kernels::@nested blocks in (%c1, %c1, %c1) threads in (%c40, %c1, %c1)
      args(%out : memref<?xi32>)
  return
}

gpu.module @kernels {
  gpu.func @copy(%in: memref<?xf64>, %out: memref<?xf64>) kernel {
    %t = gpu.thread_id x
    %value = memref.load %in[%t] : memref<?xf64>
    memref.store %value, %out[%t] : memref<?xf64>
    gpu.return
  }

  gpu.func @strided(%in: memref<?xf64>, %out: memref<?xf64>) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %at = arith.muli %t, %c8 : index
    %value = memref.load %in[%at] : memref<?xf64>
    %again = memref.load %in[%at] : memref<?xf64>
    %sum = arith.addf %value, %again : f64
    memref.store %sum, %out[%t] : memref<?xf64>
    gpu.return
  }

  gpu.func @banks(%in: memref<?xi32>, %out: memref<?xi32>)
      workgroup(%matrix: memref<32x32xi32, #shared>, %wide: memref<64xi64, #shared>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %twice = arith.muli %t, %c2 : index
    %value = memref.load %in[%t] : memref<?xi32>
    memref.store %value, %matrix[%t, %c0] : memref<32x32xi32, #shared>
    gpu.barrier
    %first = memref.load %matrix[%c0, %c0] : memref<32x32xi32, #shared>
    gpu.barrier
    memref.store %first, %matrix[%c0, %t] : memref<32x32xi32, #shared>
    %long = arith.extui %first : i32 to i64
    memref.store %long, %wide[%t] : memref<64xi64, #shared>
    gpu.barrier
    memref.store %long, %wide[%twice] : memref<64xi64, #shared>
    memref.store %first, %out[%t] : memref<?xi32>
    gpu.return
  }

  gpu.func @nested(%out: memref<?xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %steps = arith.remui %t, %c4 : index
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %steps step %c1 {
        %old = memref.atomic_rmw addi %one, %out[%c0] : (i32, memref<?xi32>) -> i32
      }
    }
    gpu.return
  }
}

}
