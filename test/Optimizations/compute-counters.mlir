// RUN: nacho-opt %s -nacho-compute-counters -canonicalize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

// The entries of a row are as many as its bounds say, and none if it ends before it
// begins. What the loop counted before stays.
//
// CHECK-LABEL: func.func @entries(
// CHECK:         scf.for %{{[^ ]+}} = %lo to %hi step %c1 {
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[NUMBER:.+]] = arith.subi %hi, %lo : index
// CHECK-NEXT:    %[[STEPS:.+]] = arith.maxsi %[[NUMBER]], %c0 : index
// CHECK-NEXT:    %[[ALL:.+]] = arith.addi %n, %[[STEPS]] : index
// CHECK-NEXT:    return %[[ALL]], %[[STEPS]]
func.func @entries(%lo: index loc("lo"), %hi: index loc("hi"), %n: index loc("n"),
                   %y: memref<?xindex> loc("y")) -> (index, index) {
  %c1 = arith.constant 1 : index
  %visited = scf.for %k = %lo to %hi step %c1 iter_args(%so_far = %n) -> (index) {
    memref.store %k, %y[%k] : memref<?xindex>
    %more = arith.addi %so_far, %c1 : index
    scf.yield %more : index
  }
  %new = arith.subi %visited, %n : index
  return %visited, %new : index, index
}

// Rows carry the number of all entries on, which nobody reads.
//
// CHECK-LABEL: func.func @rows(
// CHECK:         scf.for %[[I:.+]] = %lo to %hi step %c1 {
// CHECK-NEXT:      %[[END:.+]] = memref.load %ends[%[[I]]]
// CHECK-NEXT:      scf.for %{{.+}} = %[[I]] to %[[END]] step %c1 {
// CHECK-NEXT:        memref.store
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[NUMBER:.+]] = arith.subi %[[END]], %[[I]] : index
// CHECK-NEXT:      %[[STEPS:.+]] = arith.maxsi %[[NUMBER]], %c0 : index
// CHECK-NEXT:      memref.store %[[STEPS]], %y[%[[I]]]
// CHECK-NEXT:    }
func.func @rows(%lo: index loc("lo"), %hi: index loc("hi"), %ends: memref<?xindex> loc("ends"),
                %y: memref<?xindex> loc("y")) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scf.for %i = %lo to %hi step %c1 iter_args(%before = %c0) -> (index) {
    %end = memref.load %ends[%i] : memref<?xindex>
    %visited = scf.for %k = %i to %end step %c1 iter_args(%so_far = %before) -> (index) {
      memref.store %k, %y[%k] : memref<?xindex>
      %more = arith.addi %so_far, %c1 : index
      scf.yield %more : index
    }
    %new = arith.subi %visited, %before : index
    memref.store %new, %y[%i] : memref<?xindex>
    scf.yield %visited : index
  }
  return
}

// Other types, and other steps than 1 of the counter.
//
// CHECK-LABEL: func.func @by_three(
// CHECK:         %[[STEPS:.+]] = arith.maxsi %{{.+}}, %c0 : index
// CHECK-NEXT:    %[[CAST:.+]] = arith.index_cast %[[STEPS]] : index to i32
// CHECK-NEXT:    %[[GROWTH:.+]] = arith.muli %[[CAST]], %c3_i32 : i32
// CHECK-NEXT:    %[[ALL:.+]] = arith.addi %n, %[[GROWTH]] : i32
// CHECK-NEXT:    return %[[ALL]]
func.func @by_three(%lo: index loc("lo"), %hi: index loc("hi"), %n: i32 loc("n"),
                    %y: memref<?xindex> loc("y")) -> i32 {
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %all = scf.for %k = %lo to %hi step %c1 iter_args(%so_far = %n) -> (i32) {
    memref.store %k, %y[%k] : memref<?xindex>
    %more = arith.addi %so_far, %three : i32
    scf.yield %more : i32
  }
  return %all : i32
}

// A sum of what differs between steps, a counter that the loop reads, and one of a loop
// that skips steps.
//
// CHECK-LABEL: func.func @negative(
// CHECK:         scf.for {{.+}} iter_args(%{{.+}} = %n, %{{.+}} = %n) -> (index, index)
// CHECK:         scf.for {{.+}} iter_args(%{{.+}} = %n) -> (index)
func.func @negative(%lo: index loc("lo"), %hi: index loc("hi"), %n: index loc("n"),
                    %y: memref<?xindex> loc("y")) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %all:2 = scf.for %k = %lo to %hi step %c1 iter_args(%sum = %n, %count = %n) -> (index, index) {
    memref.store %count, %y[%k] : memref<?xindex>
    %next = arith.addi %sum, %k : index
    %more = arith.addi %count, %c1 : index
    scf.yield %next, %more : index, index
  }
  %half = scf.for %k = %lo to %hi step %c2 iter_args(%count = %n) -> (index) {
    memref.store %k, %y[%k] : memref<?xindex>
    %more = arith.addi %count, %c1 : index
    scf.yield %more : index
  }
  return %all#0, %all#1, %half : index, index, index
}
