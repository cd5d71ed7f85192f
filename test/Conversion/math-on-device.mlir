// RUN: nacho-opt %s -pass-pipeline='builtin.module(gpu.module(nacho-math-on-device))' | FileCheck %s

// CHECK-LABEL: gpu.func @negative(
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    math.exp
// CHECK-NEXT:    math.tanh
gpu.module @kernels {
  gpu.func @negative(%x: f64) kernel {
    %0 = arith.mulf %x, %x : f64
    %1 = math.exp %0 : f64
    %2 = math.tanh %1 : f64
    gpu.return
  }

// CHECK-LABEL: gpu.func @instructions(
// CHECK-SAME:    %[[X:[^ ]+]]: f64, %[[Y:[^ ]+]]: f32, %[[N:[^ ]+]]: i64)
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.sqrt.rn.d"(%[[X]]) : (f64) -> f64
// CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"(%[[Y]]) : (f32) -> f32
// CHECK-NEXT:    %[[BITS:.+]] = arith.bitcast %[[Y]] : f32 to i32
// CHECK-NEXT:    %[[MASK:.+]] = arith.constant 2147483647 : i32
// CHECK-NEXT:    %[[POSITIVE:.+]] = arith.andi %[[BITS]], %[[MASK]] : i32
// CHECK-NEXT:    arith.bitcast %[[POSITIVE]] : i32 to f32
// CHECK-NEXT:    "llvm.intr.cttz"(%[[N]]) <{is_zero_poison = false}> : (i64) -> i64
// CHECK-NEXT:    "llvm.intr.ctlz"(%[[N]]) <{is_zero_poison = false}> : (i64) -> i64
// CHECK-NEXT:    llvm.intr.ctpop(%[[N]]) : (i64) -> i64
// CHECK-NEXT:    "llvm.intr.abs"(%[[N]]) <{is_int_min_poison = false}> : (i64) -> i64
  gpu.func @instructions(%x: f64, %y: f32, %n: i64) kernel {
    %0 = math.sqrt %x : f64
    %s = math.sqrt %y : f32
    %1 = math.absf %y : f32
    %2 = math.cttz %n : i64
    %3 = math.ctlz %n : i64
    %4 = math.ctpop %n : i64
    %5 = math.absi %n : i64
    gpu.return
  }
}
