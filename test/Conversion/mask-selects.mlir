// RUN: nacho-opt %s -nacho-mask-selects | FileCheck %s

// A merge steps by what it finds: its selects become masks, one for each
// condition and width.
//
// CHECK-LABEL: func.func @merge(
// CHECK:         scf.while
// CHECK:         } do {
// CHECK:           %[[FIRST:.*]] = arith.cmpi ult
// CHECK:           %[[BITS:.*]] = arith.extsi %[[FIRST]] : i1 to i64
// CHECK:           %[[MASK:.*]] = llvm.inline_asm asm_dialect = att "", "=r,0" %[[BITS]] : (i64) -> i64
// CHECK:           %[[YES:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:           %[[NO:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:           %[[CHANGE:.*]] = arith.xori %[[YES]], %[[NO]] : i64
// CHECK:           %[[KEPT:.*]] = arith.andi %[[CHANGE]], %[[MASK]] : i64
// CHECK:           %[[MADE:.*]] = arith.xori %[[NO]], %[[KEPT]] : i64
// CHECK:           %[[NEXT:.*]] = arith.index_cast %[[MADE]] : i64 to index
// CHECK:           arith.andi %{{.*}}, %[[MASK]] : i64
// CHECK-NOT:       arith.select
// CHECK:           scf.yield %[[NEXT]],
func.func @merge(%a: memref<?xindex>, %b: memref<?xindex>, %n: index, %bits: i64) -> (index, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %merged:2 = scf.while (%pos = %c0, %sum = %zero) : (index, i64) -> (index, i64) {
    %more = arith.cmpi ult, %pos, %n : index
    scf.condition(%more) %pos, %sum : index, i64
  } do {
  ^bb0(%pos: index, %sum: i64):
    %crdA = memref.load %a[%pos] : memref<?xindex>
    %crdB = memref.load %b[%pos] : memref<?xindex>
    %isFirst = arith.cmpi ult, %crdA, %crdB : index
    %next = arith.select %isFirst, %crdA, %crdB : index
    %value = arith.select %isFirst, %bits, %zero : i64
    scf.yield %next, %value : index, i64
  }
  return %merged#0, %merged#1 : index, i64
}

// LLVM may vectorise a loop that steps by one, and has selects for vectors and
// for floating-point numbers: those remain.
//
// CHECK-LABEL: func.func @negative_other_selects(
// CHECK-NOT:     llvm.inline_asm
// CHECK-COUNT-3: arith.select
func.func @negative_other_selects(%a: memref<?xi64>, %n: index, %isSet: i1, %x: f64, %lanes: vector<8xi32>) -> (f64, vector<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %none = arith.constant 0.0 : f64
  %noLanes = arith.constant dense<0> : vector<8xi32>
  scf.for %i = %c0 to %n step %c1 {
    %value = memref.load %a[%i] : memref<?xi64>
    %kept = arith.select %isSet, %value, %zero : i64
    memref.store %kept, %a[%i] : memref<?xi64>
  }
  %merged:3 = scf.while (%pos = %c0, %y = %none, %all = %noLanes) : (index, f64, vector<8xi32>) -> (index, f64, vector<8xi32>) {
    %more = arith.cmpi ult, %pos, %n : index
    scf.condition(%more) %pos, %y, %all : index, f64, vector<8xi32>
  } do {
  ^bb0(%pos: index, %y: f64, %all: vector<8xi32>):
    %next = arith.addi %pos, %c1 : index
    %number = arith.select %isSet, %x, %y : f64
    %vector = arith.select %isSet, %lanes, %all : vector<8xi32>
    scf.yield %next, %number, %vector : index, f64, vector<8xi32>
  }
  return %merged#1, %merged#2 : f64, vector<8xi32>
}
