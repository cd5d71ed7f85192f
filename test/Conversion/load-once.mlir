// RUN: nacho-opt --nacho-load-once %s | FileCheck %s

// A coordinate that is compared, and then is a part of an address in another block.
//
// CHECK-LABEL: @checked(
// CHECK:         llvm.load %{{.*}} atomic unordered {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> f64
llvm.func @checked(%crd: !llvm.ptr, %x: !llvm.ptr, %n: i64) -> f64 {
  %zero = llvm.mlir.constant(0.0 : f64) : f64
  %j = llvm.load %crd : !llvm.ptr -> i32
  %wide = llvm.zext %j : i32 to i64
  %inside = llvm.icmp "ult" %wide, %n : i64
  llvm.cond_br %inside, ^load(%wide : i64), ^next(%zero : f64)
^load(%at: i64):
  %place = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %element = llvm.load %place : !llvm.ptr -> f64
  llvm.br ^next(%element : f64)
^next(%result: f64):
  llvm.return %result : f64
}

// There are no atomic loads of vectors, nor of parts of a byte.
//
// CHECK-LABEL: @others(
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> vector<4xi64>
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> i1
llvm.func @others(%crd: !llvm.ptr, %x: !llvm.ptr) {
  %one = llvm.mlir.constant(1 : i8) : i8
  %lanes = llvm.load %crd : !llvm.ptr -> vector<4xi64>
  %places = llvm.getelementptr %x[%lanes]
      : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f64
  %bit = llvm.load %crd : !llvm.ptr -> i1
  %place = llvm.getelementptr %x[%bit] : (!llvm.ptr, i1) -> !llvm.ptr, f64
  llvm.store %one, %place : i8, !llvm.ptr
  llvm.return
}

// A position from which a loop begins, and a number that is no part of any address.
//
// CHECK-LABEL: @loop(
// CHECK:         llvm.load %{{.*}} atomic unordered {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK:         llvm.store
llvm.func @loop(%pos: !llvm.ptr, %count: !llvm.ptr, %x: !llvm.ptr, %end: i64) -> i64 {
  %one = llvm.mlir.constant(1 : i64) : i64
  %begin = llvm.load %pos : !llvm.ptr -> i64
  %n = llvm.load %count : !llvm.ptr -> i64
  llvm.br ^head(%begin : i64)
^head(%p: i64):
  %more = llvm.icmp "ult" %p, %end : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %place = llvm.getelementptr %x[%p] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %one, %place : i64, !llvm.ptr
  %next = llvm.add %p, %one : i64
  llvm.br ^head(%next : i64)
^done:
  llvm.return %n : i64
}
