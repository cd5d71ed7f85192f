// RUN: nacho-opt %s -nacho-skip-steps -canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

// The inner loop runs over what is not marked, up to a coordinate that is, or is too large. The step is as before.
//
// CHECK-LABEL: func.func @masked(
// CHECK:         %[[ALL:.+]]:3 = scf.while (%[[FROM:.+]] = %begin, %[[SUM:.+]] = %cst, %[[OUTSIDE:.+]] = %false) : (index, f64, i1) -> (index, f64, i1) {
// CHECK-NEXT:      %[[MORE:.+]] = arith.cmpi slt, %[[FROM]], %end : index
// CHECK-NEXT:      scf.condition(%[[MORE]]) %[[FROM]], %[[SUM]], %[[OUTSIDE]] : index, f64, i1
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%[[NOW:.+]]: index, %[[BEFORE:.+]]: f64, %[[OLD:.+]]: i1):
// CHECK-NEXT:      %[[P:.+]] = scf.while (%[[AT:.+]] = %[[NOW]]) : (index) -> index {
// CHECK-NEXT:        %[[IN:.+]] = arith.cmpi slt, %[[AT]], %end : index
// CHECK-NEXT:        %[[IDLE:.+]] = scf.if %[[IN]] -> (i1) {
// CHECK-NEXT:          %[[K:.+]] = memref.load %crd[%[[AT]]] : memref<?xindex>
// CHECK-NEXT:          %[[FITS:.+]] = arith.cmpi ult, %[[K]], %extent : index
// CHECK-NEXT:          %[[BUSY:.+]] = scf.if %[[FITS]] -> (i1) {
// CHECK-NEXT:            %[[BIT:.+]] = memref.load %bits[%[[K]]] : memref<?xi1>
// CHECK-NEXT:            scf.yield %[[BIT]] : i1
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %true : i1
// CHECK-NEXT:          }
// CHECK-NEXT:          %[[NOT:.+]] = arith.xori %[[BUSY]], %true : i1
// CHECK-NEXT:          scf.yield %[[NOT]] : i1
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %false : i1
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.condition(%[[IDLE]]) %[[AT]] : index
// CHECK-NEXT:      } do {
// CHECK-NEXT:      ^bb0(%[[HERE:.+]]: index):
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[HERE]], %c1 : index
// CHECK-NEXT:        scf.yield %[[NEXT]] : index
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[FOUND:.+]] = arith.cmpi slt, %[[P]], %end : index
// CHECK-NEXT:      %[[STEP:.+]]:2 = scf.if %[[FOUND]] -> (f64, i1) {
// CHECK-NEXT:        memref.load %crd[%[[P]]] : memref<?xindex>
// CHECK:             memref.load %values[%[[P]]] : memref<?xf64>
// CHECK:             scf.yield %[[BEFORE]], %[[OLD]] : f64, i1
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[AFTER:.+]] = arith.addi %[[P]], %c1 : index
// CHECK-NEXT:      scf.yield %[[AFTER]], %[[STEP]]#0, %[[STEP]]#1 : index, f64, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[ALL]]#1, %[[ALL]]#2
func.func @masked(%crd: memref<?xindex> loc("crd"), %bits: memref<?xi1> loc("bits"),
                  %values: memref<?xf64> loc("values"), %begin: index loc("begin"),
                  %end: index loc("end"), %extent: index loc("extent")) -> (f64, i1) {
  %zero = arith.constant 0.0 : f64
  %false = arith.constant false
  %true = arith.constant true
  %c1 = arith.constant 1 : index
  %sum, %outside = scf.for %p = %begin to %end step %c1
      iter_args(%before = %zero, %old = %false) -> (f64, i1) {
    %k = memref.load %crd[%p] : memref<?xindex>
    %fits = arith.cmpi ult, %k, %extent : index
    %either = arith.select %fits, %old, %true : i1
    %after = scf.if %fits -> (f64) {
      %bit = memref.load %bits[%k] : memref<?xi1>
      %more = scf.if %bit -> (f64) {
        %x = memref.load %values[%p] : memref<?xf64>
        %added = arith.addf %before, %x : f64
        scf.yield %added : f64
      } else {
        scf.yield %before : f64
      }
      scf.yield %more : f64
    } else {
      scf.yield %before : f64
    }
    scf.yield %after, %either : f64, i1
  }
  return %sum, %outside : f64, i1
}

// Each step counts.
//
// CHECK-LABEL: func.func @negative_counted(
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @negative_counted(%bits: memref<?xi1>, %sums: memref<?xf64>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %count = scf.for %p = %c0 to %n step %c1 iter_args(%before = %c0) -> (index) {
    %bit = memref.load %bits[%p] : memref<?xi1>
    scf.if %bit {
      memref.store %zero, %sums[%p] : memref<?xf64>
    }
    %after = arith.addi %before, %c1 : index
    scf.yield %after : index
  }
  return %count : index
}

// Both branches have something to do; and something is written beside the branch.
//
// CHECK-LABEL: func.func @negative_busy(
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @negative_busy(%bits: memref<?xi1>, %sums: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %false = arith.constant false
  scf.for %p = %c0 to %n step %c1 {
    %bit = memref.load %bits[%p] : memref<?xi1>
    scf.if %bit {
      memref.store %zero, %sums[%p] : memref<?xf64>
    } else {
      memref.store %one, %sums[%p] : memref<?xf64>
    }
  }
  scf.for %p = %c0 to %n step %c1 {
    %bit = memref.load %bits[%p] : memref<?xi1>
    memref.store %false, %bits[%p] : memref<?xi1>
    scf.if %bit {
      memref.store %zero, %sums[%p] : memref<?xf64>
    }
  }
  return
}

// A loop with a loop inside.
//
// CHECK-LABEL: func.func @negative_outer(
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @negative_outer(%bits: memref<?xi1>, %sums: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %p = %c0 to %n step %c1 {
    %bit = memref.load %bits[%p] : memref<?xi1>
    scf.if %bit {
      scf.for %q = %c0 to %n step %c1 {
        memref.store %zero, %sums[%q] : memref<?xf64>
      }
    }
  }
  return
}
