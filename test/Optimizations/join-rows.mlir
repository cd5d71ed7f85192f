// RUN: nacho-opt %s -nacho-join-rows -canonicalize | FileCheck %s

// All rows but the last one end where the next one begins; the last row ends at a cut.

// CHECK-LABEL: func.func @count(
// CHECK-SAME:    %[[FROM:[^:]+]]: index, %[[LAST:[^:]+]]: index, %[[N:[^:]+]]: index,
// CHECK-SAME:    %[[FIRST:[^:]+]]: index, %[[CUT:[^:]+]]: index, %[[POS:[^:]+]]: memref<?xindex>,
// CHECK-SAME:    %[[CRD:[^:]+]]: memref<?xindex>, %[[COUNTS:[^:]+]]: memref<?xindex>
// CHECK:         %[[NEXT:.+]] = arith.addi %[[LAST]], %c1 : index
// CHECK-NEXT:    %[[TO:.+]] = arith.minui %[[NEXT]], %[[N]] : index
// CHECK-NEXT:    %[[ANY:.+]] = arith.cmpi slt, %[[FROM]], %[[TO]] : index
// CHECK-NEXT:    %[[ALL:.+]]:2 = scf.if %[[ANY]] -> (index, index) {
// CHECK-NEXT:      %[[ROW:.+]] = arith.subi %[[TO]], %c1 : index
// CHECK-NEXT:      %[[P:.+]] = memref.load %[[POS]][%[[TO]]]
// CHECK-NEXT:      %[[IS_LAST:.+]] = arith.cmpi eq, %[[ROW]], %[[LAST]] : index
// CHECK-NEXT:      %[[END:.+]] = arith.select %[[IS_LAST]], %[[CUT]], %[[P]] : index
// CHECK-NEXT:      %[[NUMBER:.+]] = scf.for %[[Q:.+]] = %[[FIRST]] to %[[END]] step %c1 iter_args(%[[SOME:.+]] = %c0) -> (index) {
// CHECK-NEXT:        %[[J:.+]] = memref.load %[[CRD]][%[[Q]]]
// CHECK-NEXT:        %[[COUNT:.+]] = memref.load %[[COUNTS]][%[[J]]]
// CHECK-NEXT:        %[[MORE:.+]] = arith.addi %[[COUNT]], %c1 : index
// CHECK-NEXT:        memref.store %[[MORE]], %[[COUNTS]][%[[J]]]
// CHECK-NEXT:        %[[SO_FAR:.+]] = arith.addi %[[SOME]], %c1 : index
// CHECK-NEXT:        scf.yield %[[SO_FAR]] : index
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[NUMBER]], %[[P]] : index, index
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %c0, %[[FIRST]] : index, index
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[ALL]]#0, %[[ALL]]#1 : index, index
func.func @count(%from: index, %last: index, %N: index, %first: index, %cut: index,
                 %pos: memref<?xindex>, %crd: memref<?xindex>,
                 %counts: memref<?xindex>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %next = arith.addi %last, %c1 : index
  %to = arith.minui %next, %N : index
  %all:2 = scf.for %i = %from to %to step %c1 iter_args(%n = %c0, %begin = %first) -> (index, index) {
    %after = arith.addi %i, %c1 : index
    %p = memref.load %pos[%after] : memref<?xindex>
    %is_last = arith.cmpi eq, %i, %last : index
    %end = arith.select %is_last, %cut, %p : index
    %number = scf.for %q = %begin to %end step %c1 iter_args(%m = %n) -> (index) {
      %j = memref.load %crd[%q] : memref<?xindex>
      %count = memref.load %counts[%j] : memref<?xindex>
      %more = arith.addi %count, %c1 : index
      memref.store %more, %counts[%j] : memref<?xindex>
      %so_far = arith.addi %m, %c1 : index
      scf.yield %so_far : index
    }
    scf.yield %number, %p : index, index
  }
  return %all#0, %all#1 : index, index
}

// An entry asks for its row.

// CHECK-LABEL: func.func @negative_row(
// CHECK:         scf.for
// CHECK:           scf.for
func.func @negative_row(%from: index, %to: index, %first: index, %pos: memref<?xindex>,
                        %rows: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  scf.for %i = %from to %to step %c1 iter_args(%begin = %first) -> (index) {
    %after = arith.addi %i, %c1 : index
    %end = memref.load %pos[%after] : memref<?xindex>
    scf.for %q = %begin to %end step %c1 {
      memref.store %i, %rows[%q] : memref<?xindex>
    }
    scf.yield %end : index
  }
  return
}

// Something happens between two rows: each has a sum of its own.

// CHECK-LABEL: func.func @negative_sum(
// CHECK:         scf.for
// CHECK:           scf.for
func.func @negative_sum(%from: index, %to: index, %first: index, %pos: memref<?xindex>,
                        %values: memref<?xindex>, %sums: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %from to %to step %c1 iter_args(%begin = %first) -> (index) {
    %after = arith.addi %i, %c1 : index
    %end = memref.load %pos[%after] : memref<?xindex>
    %sum = scf.for %q = %begin to %end step %c1 iter_args(%s = %c0) -> (index) {
      %value = memref.load %values[%q] : memref<?xindex>
      %more = arith.addi %s, %value : index
      scf.yield %more : index
    }
    memref.store %sum, %sums[%i] : memref<?xindex>
    scf.yield %end : index
  }
  return
}

// The rows are apart: none ends where the next one begins.

// CHECK-LABEL: func.func @negative_apart(
// CHECK:         scf.for
// CHECK:           scf.for
func.func @negative_apart(%from: index, %to: index, %first: index, %pos: memref<?xindex>,
                          %ends: memref<?xindex>, %marks: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  scf.for %i = %from to %to step %c1 iter_args(%begin = %first) -> (index) {
    %after = arith.addi %i, %c1 : index
    %next = memref.load %pos[%after] : memref<?xindex>
    %end = memref.load %ends[%i] : memref<?xindex>
    scf.for %q = %begin to %end step %c1 {
      memref.store %c1, %marks[%q] : memref<?xindex>
    }
    scf.yield %next : index
  }
  return
}

// A select that is not for the last row.

// CHECK-LABEL: func.func @negative_any_row_cut(
// CHECK:         scf.for
// CHECK:           scf.for
func.func @negative_any_row_cut(%from: index, %to: index, %first: index, %row: index,
                                %cut: index, %pos: memref<?xindex>, %marks: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  scf.for %i = %from to %to step %c1 iter_args(%begin = %first) -> (index) {
    %after = arith.addi %i, %c1 : index
    %next = memref.load %pos[%after] : memref<?xindex>
    %is_cut = arith.cmpi eq, %i, %row : index
    %end = arith.select %is_cut, %cut, %next : index
    scf.for %q = %begin to %end step %c1 {
      memref.store %c1, %marks[%q] : memref<?xindex>
    }
    scf.yield %next : index
  }
  return
}
