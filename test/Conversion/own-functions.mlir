// RUN: nacho-opt %s -nacho-call-own-functions | FileCheck %s

// Functions of numbers do nothing but compute; declarations that are there are renamed.
//
// CHECK-DAG: llvm.func @nacho_pow(f64, f64) -> f64 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>, no_unwind, will_return}
// CHECK-DAG: llvm.func @nacho_sin(f64) -> f64
// CHECK-DAG: llvm.func @nacho_expf(f32) -> f32
// CHECK-DAG: llvm.func @nacho_log1p(f64) -> f64
// CHECK-DAG: llvm.func @nacho_csin(!llvm.struct<(f64, f64)>) -> !llvm.struct<(f64, f64)>
// CHECK-DAG: llvm.func @free(!llvm.ptr)
llvm.func @log1p(f64) -> f64
llvm.func @csin(!llvm.struct<(f64, f64)>) -> !llvm.struct<(f64, f64)>
llvm.func @free(!llvm.ptr)

// CHECK-LABEL: llvm.func @numbers(
// CHECK-SAME:    %[[X:.+]]: f64, %[[Y:.+]]: f32, %[[Z:.+]]: f16)
// CHECK-NEXT:    %[[SIN:.+]] = llvm.call @nacho_sin(%[[X]]) : (f64) -> f64
// CHECK-NEXT:    llvm.call @nacho_sin(%[[SIN]])
// CHECK-NEXT:    llvm.call @nacho_pow(%[[X]], %[[SIN]]) : (f64, f64) -> f64
// CHECK-NEXT:    llvm.call @nacho_log1p(%[[X]]) : (f64) -> f64
// CHECK-NEXT:    llvm.call @nacho_expf(%[[Y]]) : (f32) -> f32
// CHECK-NEXT:    %[[WIDE:.+]] = llvm.fpext %[[Z]] : f16 to f32
// CHECK-NEXT:    %[[EXP:.+]] = llvm.call @nacho_expf(%[[WIDE]]) : (f32) -> f32
// CHECK-NEXT:    llvm.fptrunc %[[EXP]] : f32 to f16
// CHECK-NEXT:    llvm.call @nacho_fmod(%[[X]], %[[SIN]]) : (f64, f64) -> f64
llvm.func @numbers(%x: f64, %y: f32, %z: f16) {
  %0 = llvm.intr.sin(%x) : (f64) -> f64
  %1 = llvm.intr.sin(%0) : (f64) -> f64
  %2 = llvm.intr.pow(%x, %0) : (f64, f64) -> f64
  %3 = llvm.call @log1p(%x) : (f64) -> f64
  %4 = llvm.intr.exp(%y) : (f32) -> f32
  %5 = llvm.intr.exp(%z) : (f16) -> f16
  %6 = llvm.frem %x, %0 : f64
  llvm.return
}

// What every processor has stays, and so do functions of anything else.
//
// CHECK-LABEL: llvm.func @instructions(
// CHECK-NEXT:    llvm.intr.sqrt
// CHECK-NEXT:    llvm.intr.fabs
// CHECK-NEXT:    llvm.call @free
llvm.func @instructions(%x: f64, %p: !llvm.ptr) {
  %0 = llvm.intr.sqrt(%x) : (f64) -> f64
  %1 = llvm.intr.fabs(%0) : (f64) -> f64
  llvm.call @free(%p) : (!llvm.ptr) -> ()
  llvm.return
}

// CHECK-LABEL: llvm.func @vectors(
// CHECK-SAME:    %[[X:.+]]: vector<2xf32>)
// CHECK:         %[[MADE:.+]] = llvm.mlir.poison : vector<2xf32>
// CHECK:         %[[FIRST:.+]] = llvm.extractelement %[[X]][%[[C0:.+]] : i64]
// CHECK-NEXT:    %[[FLOOR:.+]] = llvm.call @nacho_floorf(%[[FIRST]])
// CHECK-NEXT:    %[[ONE:.+]] = llvm.insertelement %[[FLOOR]], %[[MADE]][%[[C0]] : i64]
// CHECK:         %[[SECOND:.+]] = llvm.extractelement %[[X]][%[[C1:.+]] : i64]
// CHECK-NEXT:    %[[FLOOR2:.+]] = llvm.call @nacho_floorf(%[[SECOND]])
// CHECK-NEXT:    %[[BOTH:.+]] = llvm.insertelement %[[FLOOR2]], %[[ONE]][%[[C1]] : i64]
// CHECK-NEXT:    llvm.return %[[BOTH]]
llvm.func @vectors(%x: vector<2xf32>) -> vector<2xf32> {
  %0 = llvm.intr.floor(%x) : (vector<2xf32>) -> vector<2xf32>
  llvm.return %0 : vector<2xf32>
}
