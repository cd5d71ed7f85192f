// RUN: nacho-opt %s -allow-unregistered-dialect -nacho-carry-positions -canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

// A row ends where the next one begins. The first one begins at a cut.
//
// CHECK-LABEL: func.func @rows(
// CHECK-NOT:     memref.load
// CHECK:         scf.for %[[I:.+]] = %lo to %hi step %c1{{.*}} iter_args(%[[BEGIN:.+]] = %cut) -> (index) {
// CHECK-NEXT:      %[[AFTER:.+]] = arith.addi %[[I]], %c1{{.*}} : index
// CHECK-NEXT:      %[[LOAD:.+]] = memref.load %positions[%[[AFTER]]] : memref<?xi32>
// CHECK-NEXT:      %[[WIDE:.+]] = arith.index_castui %[[LOAD]] : i32 to index
// CHECK-NEXT:      %[[END:.+]] = arith.minui %[[WIDE]], %size : index
// CHECK-NEXT:      "test.row"(%[[BEGIN]], %[[END]])
// CHECK-NEXT:      scf.yield %[[END]] : index
func.func @rows(%positions: memref<?xi32> loc("positions"), %size: index loc("size"),
                %lo: index loc("lo"), %hi: index loc("hi"), %cut: index loc("cut")) {
  %c1 = arith.constant 1 : index
  scf.for %i = %lo to %hi step %c1 {
    %first = arith.cmpi eq, %i, %lo : index
    %0 = memref.load %positions[%i] : memref<?xi32>
    %1 = arith.index_castui %0 : i32 to index
    %2 = arith.minui %1, %size : index
    %begin = arith.select %first, %cut, %2 : index
    %after = arith.addi %i, %c1 : index
    %3 = memref.load %positions[%after] : memref<?xi32>
    %4 = arith.index_castui %3 : i32 to index
    %end = arith.minui %4, %size : index
    "test.row"(%begin, %end) : (index, index) -> ()
  }
  return
}

// The loop goes on carrying what it carried. A size that is read in the loop is the same in
// each step.
//
// CHECK-LABEL: func.func @carried(
// CHECK:         %[[SUM:.+]]:2 = scf.for %{{.+}} = %lo to %hi step %c1{{.*}} iter_args(%[[LAST:.+]] = %cut, %[[BEGIN:.+]] = %cut) -> (index, index) {
// CHECK:           %[[END:.+]] = arith.minui
// CHECK:           %[[NEXT:.+]] = "test.row"(%[[LAST]], %[[BEGIN]], %[[END]])
// CHECK-NEXT:      scf.yield %[[NEXT]], %[[END]] : index, index
// CHECK:         return %[[SUM]]#0
func.func @carried(%positions: memref<?xindex> loc("positions"), %crd: memref<?xindex>,
                   %lo: index loc("lo"), %hi: index loc("hi"), %cut: index loc("cut")) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %lo to %hi step %c1 iter_args(%last = %cut) -> (index) {
    %first = arith.cmpi eq, %i, %lo : index
    %size = memref.dim %crd, %c0 : memref<?xindex>
    %1 = memref.load %positions[%i] : memref<?xindex>
    %2 = arith.minui %1, %size : index
    %begin = arith.select %first, %cut, %2 : index
    %after = arith.addi %i, %c1 : index
    %4 = memref.load %positions[%after] : memref<?xindex>
    %end = arith.minui %4, %size : index
    %next = "test.row"(%last, %begin, %end) : (index, index, index) -> index
    scf.yield %next : index
  }
  return %sum : index
}

// Positions that the function writes may have changed.
//
// CHECK-LABEL: func.func @negative_written(
// CHECK-NOT:     iter_args
func.func @negative_written(%positions: memref<?xindex>, %lo: index, %hi: index, %cut: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %lo to %hi step %c1 {
    %first = arith.cmpi eq, %i, %lo : index
    %1 = memref.load %positions[%i] : memref<?xindex>
    %begin = arith.select %first, %cut, %1 : index
    %after = arith.addi %i, %c1 : index
    %end = memref.load %positions[%after] : memref<?xindex>
    memref.store %begin, %positions[%end] : memref<?xindex>
  }
  return
}

// These are not neighbours, or not of one array.
//
// CHECK-LABEL: func.func @negative_others(
// CHECK-NOT:     iter_args
func.func @negative_others(%positions: memref<?xindex>, %crd: memref<?xindex>, %lo: index,
                           %hi: index, %cut: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %lo to %hi step %c1 {
    %first = arith.cmpi eq, %i, %lo : index
    %1 = memref.load %positions[%i] : memref<?xindex>
    %begin = arith.select %first, %cut, %1 : index
    %after = arith.addi %i, %c1 : index
    %far = arith.addi %i, %c2 : index
    %2 = memref.load %crd[%after] : memref<?xindex>
    %3 = memref.load %positions[%far] : memref<?xindex>
    "test.row"(%begin, %2, %3) : (index, index, index) -> ()
  }
  return
}

// Nor is a loop with other steps concerned.
//
// CHECK-LABEL: func.func @negative_step(
// CHECK-NOT:     iter_args
func.func @negative_step(%positions: memref<?xindex>, %lo: index, %hi: index, %step: index,
                         %cut: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %lo to %hi step %step {
    %first = arith.cmpi eq, %i, %lo : index
    %1 = memref.load %positions[%i] : memref<?xindex>
    %begin = arith.select %first, %cut, %1 : index
    %after = arith.addi %i, %c1 : index
    %end = memref.load %positions[%after] : memref<?xindex>
    "test.row"(%begin, %end) : (index, index) -> ()
  }
  return
}
