// RUN: nacho-opt %s -nacho-peel-rows -canonicalize | FileCheck %s

// The first row may be the last one, too; the others of the loop are neither.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[FIRST:[^:]+]]: index, %[[LAST:[^:]+]]: index, %[[N:[^:]+]]: index,
// CHECK-SAME:    %[[CUT:[^:]+]]: index, %[[POS:[^:]+]]: memref<?xindex>, %[[ENDS:[^:]+]]: memref<?xindex>
// CHECK:         %[[NEXT:.+]] = arith.addi %[[LAST]], %c1 : index
// CHECK-NEXT:    %[[END:.+]] = arith.minui %[[NEXT]], %[[N]] : index
// CHECK-NEXT:    %[[SECOND:.+]] = arith.addi %[[FIRST]], %c1 : index
// CHECK-NEXT:    %[[FROM:.+]] = arith.minui %[[SECOND]], %[[END]] : index
// CHECK-NEXT:    %[[UNTIL:.+]] = arith.minui %[[LAST]], %[[END]] : index
// CHECK-NEXT:    %[[TO:.+]] = arith.maxui %[[UNTIL]], %[[FROM]] : index
//
// CHECK-NEXT:    %[[ANY:.+]] = arith.cmpi ult, %[[FIRST]], %[[END]] : index
// CHECK-NEXT:    %[[A:.+]] = scf.if %[[ANY]] -> (index) {
// CHECK-NEXT:      %[[P:.+]] = memref.load %[[POS]][%[[FIRST]]]
// CHECK-NEXT:      %[[IS_LAST:.+]] = arith.cmpi eq, %[[FIRST]], %[[LAST]] : index
// CHECK-NEXT:      %[[E:.+]] = arith.select %[[IS_LAST]], %[[CUT]], %[[P]] : index
// CHECK-NEXT:      scf.yield %[[E]] : index
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %c0 : index
// CHECK-NEXT:    }
//
// CHECK-NEXT:    %[[B:.+]] = scf.for %[[I:.+]] = %[[FROM]] to %[[TO]] step %c1 iter_args(%[[SUM:.+]] = %[[A]]) -> (index) {
// CHECK-NEXT:      %[[P:.+]] = memref.load %[[POS]][%[[I]]]
// CHECK-NEXT:      memref.store %[[P]], %[[ENDS]][%[[I]]]
// CHECK-NEXT:      %[[MORE:.+]] = arith.addi %[[SUM]], %[[P]] : index
// CHECK-NEXT:      scf.yield %[[MORE]] : index
// CHECK-NEXT:    }
//
// CHECK-NEXT:    %[[IS_LEFT:.+]] = arith.cmpi ult, %[[TO]], %[[END]] : index
// CHECK-NEXT:    %[[C:.+]] = scf.if %[[IS_LEFT]] -> (index) {
// CHECK-NEXT:      %[[MORE:.+]] = arith.addi %[[B]], %[[CUT]] : index
// CHECK-NEXT:      scf.yield %[[MORE]] : index
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[B]] : index
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[C]] : index
func.func @rows(%first: index, %last: index, %N: index, %cut: index,
                %pos: memref<?xindex>, %ends: memref<?xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %next = arith.addi %last, %c1 : index
  %end = arith.minui %next, %N : index
  %sum = scf.for %i = %first to %end step %c1 iter_args(%so_far = %c0) -> (index) {
    %p = memref.load %pos[%i] : memref<?xindex>
    %is_last = arith.cmpi eq, %i, %last : index
    %e = arith.select %is_last, %cut, %p : index
    %is_inside = arith.cmpi ne, %i, %last : index
    %is_not_first = arith.cmpi ne, %i, %first : index
    %is_whole = arith.andi %is_inside, %is_not_first : i1
    scf.if %is_whole {
      memref.store %e, %ends[%i] : memref<?xindex>
    }
    %more = arith.addi %so_far, %e : index
    scf.yield %more : index
  }
  return %sum : index
}

// A loop that carries nothing.
//
// CHECK-LABEL: func.func @carries_nothing(
// CHECK:         scf.if
// CHECK:         scf.for
// CHECK-NEXT:      memref.store %c0,
// CHECK-NEXT:    }
// CHECK:         scf.if
// CHECK-NEXT:      memref.store %c1,
func.func @carries_nothing(%first: index, %last: index, %N: index, %to: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %next = arith.addi %last, %c1 : index
  %end = arith.minui %next, %N : index
  scf.for %i = %first to %end step %c1 {
    %is_last = arith.cmpi eq, %i, %last : index
    %value = arith.select %is_last, %c1, %c0 : index
    memref.store %value, %to[%i] : memref<?xindex>
  }
  return
}

// A loop that goes on after the last row, and one that asks nothing.
//
// CHECK-LABEL: func.func @negative(
// CHECK:         scf.for
// CHECK:           arith.cmpi eq
// CHECK:         scf.for
// CHECK-NOT:     scf.if
func.func @negative(%first: index, %last: index, %N: index, %to: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %next = arith.addi %last, %c1 : index
  %end = arith.minui %next, %N : index
  scf.for %i = %first to %N step %c1 {
    %is_last = arith.cmpi eq, %i, %last : index
    %value = arith.select %is_last, %c1, %c0 : index
    memref.store %value, %to[%i] : memref<?xindex>
  }
  scf.for %i = %first to %end step %c1 {
    memref.store %c0, %to[%i] : memref<?xindex>
  }
  return
}

// Of loops inside of each other, only the innermost one is copied.
//
// CHECK-LABEL: func.func @nested(
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:           scf.for
// CHECK:           scf.if
// CHECK:         return
func.func @nested(%first: index, %last: index, %N: index, %to: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  %next = arith.addi %last, %c1 : index
  %end = arith.minui %next, %N : index
  scf.for %i = %first to %end step %c1 {
    %is_first = arith.cmpi eq, %i, %first : index
    %from = arith.select %is_first, %first, %c1 : index
    scf.for %j = %from to %end step %c1 {
      %is_last = arith.cmpi eq, %j, %last : index
      %value = arith.select %is_last, %j, %i : index
      memref.store %value, %to[%j] : memref<?xindex>
    }
  }
  return
}
