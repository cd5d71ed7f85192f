// RUN: nacho-opt %s '-pass-pipeline=builtin.module(convert-nacho-gpu-to-simulator{count=true})' -mlir-print-local-scope | FileCheck %s
// RUN: nacho-opt %s -convert-nacho-gpu-to-simulator | FileCheck %s --check-prefix=NONE

// Each block says how many instructions it has, each access what it touches, and each loop
// when it begins, takes a step, and ends. Constants are no instructions, nor is what nobody
// uses, and memory of a thread is registers. An address takes 2 instructions, a counter 5. A
// wait counts as 4, and as 1 in a loop whose steps do not wait for each other.
//
//   own = 0                  7 instructions: the number of the thread, the loop, 3 accesses
//   for n in [0, t):
//     own += data[n]         11 instructions
//   data[t] = own
//
// NONE-NOT:    nacho_count
//
// CHECK-LABEL: func.func private @simulated_kernels_k(
// CHECK-SAME:    %[[THREAD:[^ ]+]]: !llvm.ptr
// CHECK:         %[[ID:.+]] = arith.constant 2 : i64
// CHECK:         %[[WEIGHT:.+]] = arith.constant 7 : i64
// CHECK:         llvm.call @nacho_count_block(%[[THREAD]], %[[ID]], %[[WEIGHT]])
// CHECK:         llvm.call @nacho_begin_loop(%[[THREAD]])
// CHECK:         scf.for
// CHECK:           llvm.call @nacho_next_step(%[[THREAD]])
// CHECK:           %[[ID:.+]] = arith.constant 1 : i64
// CHECK:           %[[WEIGHT:.+]] = arith.constant 11 : i64
// CHECK:           llvm.call @nacho_count_block(%[[THREAD]], %[[ID]], %[[WEIGHT]])
// CHECK:           llvm.call @nacho_count_access(%[[THREAD]], {{.*}}, %c1_i64{{(_[0-9]+)?}}) :
// CHECK:           memref.load %{{.+}} : memref<?xf64>
// CHECK-NOT:       nacho_count_access
// CHECK:         }
// CHECK:         llvm.call @nacho_end_loop(%[[THREAD]])
// CHECK:         llvm.call @nacho_count_access(%[[THREAD]], {{.*}}, %c0_i64{{(_[0-9]+)?}}) :
// CHECK:         memref.store %{{.+}} : memref<?xf64>
// CHECK:         return
//
// Each step waits for the one before, and what is loaded beside it costs no more.
//
//   at = t
//   for n in [0, t):
//     at = next[at] + more[at]
//
// CHECK-LABEL: func.func private @simulated_kernels_chain(
// CHECK:           llvm.call @nacho_count_access({{.*}}, %c4_i64{{(_[0-9]+)?}}) :
// CHECK:           memref.load
// CHECK:           llvm.call @nacho_count_access({{.*}}, %c0_i64{{(_[0-9]+)?}}) :
// CHECK:           memref.load
//
// A number of 64 bits is a pair of registers: what takes one of them, or puts two together,
// is no instruction. Six are left: a thread's number, two shuffles, and three for a store.
//
// CHECK-LABEL: func.func private @simulated_kernels_exchange(
// CHECK:         %[[WEIGHT:.+]] = arith.constant 6 : i64
// CHECK:         llvm.call @nacho_count_block(%{{.+}}, %{{.+}}, %[[WEIGHT]])
//
// Nobody waits for what an atomic access has found, if it is not used.
//
// CHECK-LABEL: func.func private @simulated_kernels_update(
// CHECK:         llvm.call @nacho_count_access({{.*}}, %c4_i64{{(_[0-9]+)?}}) :
// CHECK-NEXT:    memref.atomic_rmw addi
// CHECK:         llvm.call @nacho_count_access({{.*}}, %c0_i64{{(_[0-9]+)?}}) :
// CHECK-NEXT:    memref.atomic_rmw assign
gpu.module @kernels {
  gpu.func @k(%data: memref<?xf64>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f64
    %own = memref.alloca() : memref<f64>
    %t = gpu.thread_id x
    %unused = gpu.thread_id y
    memref.store %zero, %own[] : memref<f64>
    scf.for %n = %c0 to %t step %c1 {
      %value = memref.load %data[%n] : memref<?xf64>
      %before = memref.load %own[] : memref<f64>
      %sum = arith.addf %before, %value : f64
      memref.store %sum, %own[] : memref<f64>
    }
    %sum = memref.load %own[] : memref<f64>
    memref.store %sum, %data[%t] : memref<?xf64>
    gpu.return
  }

  gpu.func @chain(%next: memref<?xindex>, %more: memref<?xindex>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %last = scf.for %n = %c0 to %t step %c1 iter_args(%at = %t) -> index {
      %one = memref.load %next[%at] : memref<?xindex>
      %other = memref.load %more[%at] : memref<?xindex>
      %then = arith.addi %one, %other : index
      scf.yield %then : index
    }
    memref.store %last, %next[%t] : memref<?xindex>
    gpu.return
  }

  gpu.func @exchange(%data: memref<?xf64>, %value: f64) kernel {
    %half = arith.constant 32 : i64
    %lane = arith.constant 0 : i32
    %mask = arith.constant -1 : i32
    %clamp = arith.constant 31 : i32
    %t = gpu.thread_id x
    %pair = arith.bitcast %value : f64 to i64
    %low = arith.trunci %pair : i64 to i32
    %other_low = nvvm.shfl.sync idx %mask, %low, %lane, %clamp : i32 -> i32
    %shifted = arith.shrui %pair, %half : i64
    %high = arith.trunci %shifted : i64 to i32
    %other_high = nvvm.shfl.sync idx %mask, %high, %lane, %clamp : i32 -> i32
    %wide_high = arith.extui %other_high : i32 to i64
    %above = arith.shli %wide_high, %half : i64
    %wide_low = arith.extui %other_low : i32 to i64
    %both = arith.ori %above, %wide_low : i64
    %other = arith.bitcast %both : i64 to f64
    memref.store %other, %data[%t] : memref<?xf64>
    gpu.return
  }

  gpu.func @update(%words: memref<?xi64>, %zero: i64) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %found = memref.atomic_rmw addi %zero, %words[%t] : (i64, memref<?xi64>) -> i64
    %unused = memref.atomic_rmw assign %found, %words[%c0] : (i64, memref<?xi64>) -> i64
    gpu.return
  }
}
