// RUN: nacho-opt %s -nacho-skip-steps -canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

// Steps are listed that find a bit, or have a coordinate that is too large. Only they run, and need not ask for the bit.
// If there are few steps, the loop stays as it is.
//
// CHECK-LABEL: func.func @masked(
// CHECK:         %[[BUSY:.+]] = memref.alloca() : memref<256xindex>
// CHECK-NEXT:    %[[STEPS:.+]] = arith.subi %end, %begin : index
// CHECK-NEXT:    %[[ARE_FEW:.+]] = arith.cmpi slt, %[[STEPS]], %c10 : index
// CHECK-NEXT:    %[[ALL:.+]]:2 = scf.if %[[ARE_FEW]] -> (f64, i1) {
// CHECK-NEXT:      %[[SAME:.+]]:2 = scf.for %[[P:.+]] = %begin to %end step %c1 iter_args(%{{.+}} = %cst, %{{.+}} = %false) -> (f64, i1) {
// CHECK-NEXT:        memref.load %crd[%[[P]]]
// CHECK-NOT:         memref.store
// CHECK:             memref.load %bits
// CHECK:             memref.load %values[%[[P]]]
// CHECK:           scf.yield %[[SAME]]#0, %[[SAME]]#1 : f64, i1
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[LISTED:.+]]:2 = scf.for %[[FROM:.+]] = %begin to %end step %c256 iter_args(%[[SUM:.+]] = %cst, %[[OUTSIDE:.+]] = %false) -> (f64, i1) {
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[FROM]], %c256 : index
// CHECK-NEXT:        %[[TO:.+]] = arith.minsi %[[NEXT]], %end : index
// CHECK-NEXT:        %[[COUNT:.+]] = scf.for %[[AT:.+]] = %[[FROM]] to %[[TO]] step %c1 iter_args(%[[N:.+]] = %c0) -> (index) {
// CHECK-NEXT:          memref.store %[[AT]], %[[BUSY]][%[[N]]]
// CHECK-NEXT:          %[[K:.+]] = memref.load %crd[%[[AT]]] : memref<?xindex>
// CHECK-NEXT:          %[[FITS:.+]] = arith.cmpi ult, %[[K]], %extent : index
// CHECK-NEXT:          %[[FOUND:.+]] = scf.if %[[FITS]] -> (i1) {
// CHECK-NEXT:            %[[BIT:.+]] = memref.load %bits[%[[K]]] : memref<?xi1>
// CHECK-NEXT:            scf.yield %[[BIT]] : i1
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %true : i1
// CHECK-NEXT:          }
// CHECK-NEXT:          %[[ONE:.+]] = arith.index_castui %[[FOUND]] : i1 to index
// CHECK-NEXT:          %[[MORE:.+]] = arith.addi %[[N]], %[[ONE]] : index
// CHECK-NEXT:          scf.yield %[[MORE]] : index
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[PIECE:.+]]:2 = scf.for %[[M:.+]] = %c0 to %[[COUNT]] step %c1 iter_args(%[[BEFORE:.+]] = %[[SUM]], %[[OLD:.+]] = %[[OUTSIDE]]) -> (f64, i1) {
// CHECK-NEXT:          %[[P:.+]] = memref.load %[[BUSY]][%[[M]]]
// CHECK-NEXT:          %[[COORDINATE:.+]] = memref.load %crd[%[[P]]] : memref<?xindex>
// CHECK-NEXT:          %[[IN:.+]] = arith.cmpi ult, %[[COORDINATE]], %extent : index
// CHECK-NEXT:          %[[EITHER:.+]] = arith.select %[[IN]], %[[OLD]], %true : i1
// CHECK-NEXT:          %[[AFTER:.+]] = scf.if %[[IN]] -> (f64) {
// CHECK-NOT:             memref.load %bits
// CHECK:                 %[[X:.+]] = memref.load %values[%[[P]]] : memref<?xf64>
// CHECK-NEXT:            %[[ADDED:.+]] = arith.addf %[[BEFORE]], %[[X]] : f64
// CHECK-NEXT:            scf.yield %[[ADDED]] : f64
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %[[BEFORE]] : f64
// CHECK-NEXT:          }
// CHECK-NEXT:          scf.yield %[[AFTER]], %[[EITHER]] : f64, i1
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %[[PIECE]]#0, %[[PIECE]]#1 : f64, i1
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[LISTED]]#0, %[[LISTED]]#1 : f64, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[ALL]]#0, %[[ALL]]#1
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
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @negative_counted(%crd: memref<?xindex>, %bits: memref<?xi1>, %sums: memref<?xf64>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %count = scf.for %p = %c0 to %n step %c1 iter_args(%before = %c0) -> (index) {
    %k = memref.load %crd[%p] : memref<?xindex>
    %bit = memref.load %bits[%k] : memref<?xi1>
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
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @negative_busy(%crd: memref<?xindex>, %bits: memref<?xi1>, %sums: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %false = arith.constant false
  scf.for %p = %c0 to %n step %c1 {
    %k = memref.load %crd[%p] : memref<?xindex>
    %bit = memref.load %bits[%k] : memref<?xi1>
    scf.if %bit {
      memref.store %zero, %sums[%p] : memref<?xf64>
    } else {
      memref.store %one, %sums[%p] : memref<?xf64>
    }
  }
  scf.for %p = %c0 to %n step %c1 {
    %k = memref.load %crd[%p] : memref<?xindex>
    %bit = memref.load %bits[%k] : memref<?xi1>
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
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @negative_outer(%crd: memref<?xindex>, %bits: memref<?xi1>, %sums: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %p = %c0 to %n step %c1 {
    %k = memref.load %crd[%p] : memref<?xindex>
    %bit = memref.load %bits[%k] : memref<?xi1>
    scf.if %bit {
      scf.for %q = %c0 to %n step %c1 {
        memref.store %zero, %sums[%q] : memref<?xf64>
      }
    }
  }
  return
}

// The bit is that of the step: nothing is looked up.
//
// CHECK-LABEL: func.func @negative_direct(
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @negative_direct(%bits: memref<?xi1>, %sums: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %p = %c0 to %n step %c1 {
    %bit = memref.load %bits[%p] : memref<?xi1>
    scf.if %bit {
      memref.store %zero, %sums[%p] : memref<?xf64>
    }
  }
  return
}

// Whether a step finds something depends on the steps before.
//
// CHECK-LABEL: func.func @negative_carried(
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @negative_carried(%crd: memref<?xindex>, %bits: memref<?xi1>, %n: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %found = scf.for %p = %c0 to %n step %c1 iter_args(%before = %true) -> (i1) {
    %k = memref.load %crd[%p] : memref<?xindex>
    %bit = memref.load %bits[%k] : memref<?xi1>
    %both = arith.andi %bit, %before : i1
    %after = scf.if %both -> (i1) {
      %other = memref.load %bits[%p] : memref<?xi1>
      scf.yield %other : i1
    } else {
      scf.yield %before : i1
    }
    scf.yield %after : i1
  }
  return %found : i1
}

// A step writes what later ones look up.
//
// CHECK-LABEL: func.func @negative_written(
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @negative_written(%crd: memref<?xindex>, %bits: memref<?xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  scf.for %p = %c0 to %n step %c1 {
    %k = memref.load %crd[%p] : memref<?xindex>
    %bit = memref.load %bits[%k] : memref<?xi1>
    scf.if %bit {
      memref.store %false, %bits[%k] : memref<?xi1>
    }
  }
  return
}
