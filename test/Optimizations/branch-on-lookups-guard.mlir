// RUN: nacho-opt %s -nacho-branch-on-lookups -canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

// One branch in place of a clipped index and of a report; nothing is clipped inside.
//
// CHECK-LABEL: func.func @add(
// CHECK:         %[[PLACES:.+]] = arith.addi %last, %c1 : index
// CHECK-NEXT:    %[[BOUND:.+]] = arith.minui %extent, %[[PLACES]] : index
// CHECK-NEXT:    %[[ALL:.+]]:2 = scf.for %[[P:.+]] = %begin to %end step %c1 iter_args(%[[N:.+]] = %begin, %[[BEFORE:.+]] = %false) -> (index, i1) {
// CHECK-NEXT:      %[[STORED:.+]] = memref.load %crd[%[[P]]]
// CHECK-NEXT:      %[[K:.+]] = arith.index_castui %[[STORED]] : i32 to index
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.cmpi ult, %[[K]], %[[BOUND]] : index
// CHECK-NEXT:      %[[EITHER:.+]] = arith.select %[[INSIDE]], %[[BEFORE]], %true : i1
// CHECK-NEXT:      %[[STEP:.+]] = scf.if %[[INSIDE]] -> (index) {
// CHECK-NEXT:        %[[NEW:.+]] = memref.load %bits[%[[K]]]
// CHECK-NEXT:        scf.if %[[NEW]] {
// CHECK-NEXT:          memref.store %false, %bits[%[[K]]]
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[N]], %c1 : index
// CHECK-NEXT:        scf.yield %[[NEXT]] : index
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[N]] : index
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[STEP]], %[[EITHER]] : index, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[ALL]]#0, %[[ALL]]#1
func.func @add(%crd: memref<?xi32> loc("crd"), %bits: memref<?xi1> loc("bits"),
               %begin: index loc("begin"), %end: index loc("end"),
               %last: index loc("last"), %extent: index loc("extent")) -> (index, i1) {
  %false = arith.constant false
  %c1 = arith.constant 1 : index
  %count, %outside = scf.for %p = %begin to %end step %c1
      iter_args(%n = %begin, %before = %false) -> (index, i1) {
    %stored = memref.load %crd[%p] : memref<?xi32>
    %k = arith.index_castui %stored : i32 to index
    %at = arith.minui %k, %last : index
    %new = memref.load %bits[%at] : memref<?xi1>
    scf.if %new {
      memref.store %false, %bits[%at] : memref<?xi1>
    }
    %next = arith.addi %n, %c1 : index
    %isOutside = arith.cmpi uge, %k, %extent : index
    %either = arith.ori %isOutside, %before : i1
    scf.yield %next, %either : index, i1
  }
  return %count, %outside : index, i1
}

// What is the same in each step of a loop inside may not be clipped for its reasons: that
// table may have less places than there are coordinates.
//
// CHECK-LABEL: func.func @negative_inner_loop(
// CHECK:         arith.minui %{{.+}}, %last : index
// CHECK:         arith.cmpi uge
// CHECK:         arith.ori
func.func @negative_inner_loop(%crd: memref<?xindex>, %bits: memref<?xi1>, %n: index,
                               %last: index loc("last"), %extent: index) -> i1 {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outside = scf.for %p = %c0 to %n step %c1 iter_args(%before = %false) -> (i1) {
    %k = memref.load %crd[%p] : memref<?xindex>
    %at = arith.minui %k, %last : index
    %new = memref.load %bits[%at] : memref<?xi1>
    scf.if %new {
      scf.for %q = %c0 to %n step %c1 {
        memref.store %false, %bits[%q] : memref<?xi1>
      }
    }
    %isOutside = arith.cmpi uge, %k, %extent : index
    %either = arith.ori %before, %isOutside : i1
    scf.yield %either : i1
  }
  return %outside : i1
}

// Steps without branches may become those of lanes.
//
// CHECK-LABEL: func.func @negative_straight(
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @negative_straight(%crd: memref<?xindex>, %x: memref<?xf64>, %n: index,
                             %last: index, %extent: index, %zero: f64) -> i1 {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outside = scf.for %p = %c0 to %n step %c1 iter_args(%before = %false) -> (i1) {
    %k = memref.load %crd[%p] : memref<?xindex>
    %at = arith.minui %k, %last : index
    memref.store %zero, %x[%at] : memref<?xf64>
    %isOutside = arith.cmpi uge, %k, %extent : index
    %either = arith.ori %before, %isOutside : i1
    scf.yield %either : i1
  }
  return %outside : i1
}

// A step always has work, so that the branch would be one more.
//
// CHECK-LABEL: func.func @negative_busy(
// CHECK:         scf.if
// CHECK:         } else {
// CHECK:         arith.cmpi uge
func.func @negative_busy(%crd: memref<?xindex>, %bits: memref<?xi1>, %n: index,
                         %last: index, %extent: index) -> i1 {
  %false = arith.constant false
  %true = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outside = scf.for %p = %c0 to %n step %c1 iter_args(%before = %false) -> (i1) {
    %k = memref.load %crd[%p] : memref<?xindex>
    %at = arith.minui %k, %last : index
    %new = memref.load %bits[%at] : memref<?xi1>
    scf.if %new {
      memref.store %false, %bits[%at] : memref<?xi1>
    } else {
      memref.store %true, %bits[%at] : memref<?xi1>
    }
    %isOutside = arith.cmpi uge, %k, %extent : index
    %either = arith.ori %before, %isOutside : i1
    scf.yield %either : i1
  }
  return %outside : i1
}

// What is not clipped is not looked up in a table.
//
// CHECK-LABEL: func.func @negative_unclipped(
// CHECK:         arith.cmpi uge
func.func @negative_unclipped(%crd: memref<?xindex>, %bits: memref<?xi1>, %n: index,
                              %extent: index) -> i1 {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outside = scf.for %p = %c0 to %n step %c1 iter_args(%before = %false) -> (i1) {
    %k = memref.load %crd[%p] : memref<?xindex>
    %new = memref.load %bits[%p] : memref<?xi1>
    scf.if %new {
      memref.store %false, %bits[%p] : memref<?xi1>
    }
    %isOutside = arith.cmpi uge, %k, %extent : index
    %either = arith.ori %before, %isOutside : i1
    scf.yield %either : i1
  }
  return %outside : i1
}

// The coordinate is computed after something was written.
//
// CHECK-LABEL: func.func @negative_late(
// CHECK:         arith.cmpi uge
func.func @negative_late(%crd: memref<?xindex>, %bits: memref<?xi1>, %n: index,
                         %last: index, %extent: index) -> i1 {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outside = scf.for %p = %c0 to %n step %c1 iter_args(%before = %false) -> (i1) {
    memref.store %c0, %crd[%p] : memref<?xindex>
    %k = memref.load %crd[%p] : memref<?xindex>
    %at = arith.minui %k, %last : index
    %new = memref.load %bits[%at] : memref<?xi1>
    scf.if %new {
      memref.store %false, %bits[%at] : memref<?xi1>
    }
    %isOutside = arith.cmpi uge, %k, %extent : index
    %either = arith.ori %before, %isOutside : i1
    scf.yield %either : i1
  }
  return %outside : i1
}
