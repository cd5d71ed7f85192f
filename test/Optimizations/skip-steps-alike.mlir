// RUN: nacho-opt %s -nacho-skip-steps=gathers=true -canonicalize --mlir-use-nameloc-as-prefix | FileCheck %s

// Sixteen steps at once gather the words with their bits. If all bits are set, no step asks for its own, nor whether its
// coordinate is too large. All is as before where a step sets a bit, for steps that are left, and where few bits are set.
//
// CHECK-LABEL: func.func @summed(
// CHECK:         %[[FIRST:.+]] = arith.addi %begin, %c16 : index
// CHECK:         %[[ARE_MANY:.+]] = arith.cmpi sle, %[[FIRST]], %end : index
// CHECK:         %[[OFTEN:.+]] = arith.xori %few, %true : i1
// CHECK:         %[[MANY:.+]] = arith.andi %[[ARE_MANY]], %[[OFTEN]] : i1
// CHECK:         %[[ALL:.+]] = scf.if %[[MANY]] -> (i1) {
// CHECK:           scf.for %[[FROM:.+]] = %begin to %end step %c16 iter_args(%[[OLD:.+]] = %false) -> (i1) {
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[FROM]], %c16 : index
// CHECK-NEXT:        %[[IS_FULL:.+]] = arith.cmpi sle, %[[NEXT]], %end : index
// CHECK-NEXT:        scf.if %[[IS_FULL]] -> (i1) {
// CHECK-NEXT:          %[[STORED:.+]] = vector.load %crd[%[[FROM]]] : memref<?xi32>, vector<16xi32>
// CHECK:               %[[WORD:.+]] = vector.gather %bits[%c0] [%{{.+}}]
// CHECK:               %[[ARE_NEW:.+]] = arith.cmpi eq, %{{.+}} : vector<16xi64>
// CHECK:               %[[BEYOND:.+]] = arith.cmpi uge, %{{.+}} : vector<16xindex>
// CHECK-NEXT:          %[[ANY:.+]] = vector.reduction <or>, %[[ARE_NEW]] : vector<16xi1> into i1
// CHECK-NEXT:          scf.if %[[ANY]] -> (i1) {
// CHECK-NEXT:            scf.for %{{.+}} = %[[FROM]] to %[[NEXT]] step %c1 iter_args(%{{.+}} = %[[OLD]]) -> (i1) {
// CHECK:                   memref.load %bits
// CHECK:                   memref.store %{{.+}}, %bits
// CHECK:                 scf.for %[[P:.+]] = %[[FROM]] to %[[NEXT]] step %c1 {
// CHECK-NEXT:              memref.load %crd[%[[P]]]
// CHECK-NOT:               %bits
// CHECK-NOT:               scf.if
// CHECK:                   %[[SUM:.+]] = arith.addf
// CHECK-NEXT:              memref.store %[[SUM]], %sums
// CHECK-NEXT:            }
// CHECK-NEXT:            %[[WRONG:.+]] = vector.reduction <or>, %[[BEYOND]] : vector<16xi1> into i1
// CHECK-NEXT:            %[[OUTSIDE:.+]] = arith.ori %[[OLD]], %[[WRONG]] : i1
// CHECK-NEXT:            scf.yield %[[OUTSIDE]] : i1
// CHECK:               scf.for %{{.+}} = %[[FROM]] to %end step %c1 iter_args(%{{.+}} = %[[OLD]]) -> (i1) {
// CHECK:           scf.for %{{.+}} = %begin to %end step %c1 iter_args(%{{.+}} = %false) -> (i1) {
// CHECK-NOT:       vector
// CHECK:             scf.if %few {
// CHECK:         return %[[ALL]]
func.func @summed(%crd: memref<?xi32> loc("crd"), %bits: memref<?xi64> loc("bits"),
                  %values: memref<?xf64> loc("values"), %sums: memref<?xf64> loc("sums"),
                  %few: i1 loc("few"), %last: index loc("last"), %begin: index loc("begin"),
                  %end: index loc("end"), %extent: index loc("extent")) -> i1 {
  %false = arith.constant false
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %outside = scf.for %p = %begin to %end step %c1 iter_args(%old = %false) -> (i1) {
    %stored = memref.load %crd[%p] : memref<?xi32>
    %k = arith.index_castui %stored : i32 to index
    %x = memref.load %values[%p] : memref<?xf64>
    %place = arith.andi %k, %last : index
    %word = memref.load %bits[%place] : memref<?xi64>
    %isNew = arith.cmpi eq, %word, %zero : i64
    scf.if %few {
      memref.store %x, %sums[%place] : memref<?xf64>
    } else {
      scf.if %isNew {
        memref.store %one, %bits[%place] : memref<?xi64>
        memref.store %x, %sums[%place] : memref<?xf64>
      } else {
        %before = memref.load %sums[%place] : memref<?xf64>
        %sum = arith.addf %before, %x : f64
        memref.store %sum, %sums[%place] : memref<?xf64>
      }
    }
    %beyond = arith.cmpi uge, %k, %extent : index
    %either = arith.ori %old, %beyond : i1
    scf.yield %either : i1
  }
  return %outside : i1
}

// Where the bit is set, a step takes it back, so that others may not find theirs.
//
// CHECK-LABEL: func.func @negative_cleared(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_cleared(%crd: memref<?xi32>, %bits: memref<?xi64>, %last: index, %n: index,
                            %extent: index) -> i1 {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %outside = scf.for %p = %c0 to %n step %c1 iter_args(%old = %false) -> (i1) {
    %stored = memref.load %crd[%p] : memref<?xi32>
    %k = arith.index_castui %stored : i32 to index
    %place = arith.andi %k, %last : index
    %word = memref.load %bits[%place] : memref<?xi64>
    %isNew = arith.cmpi eq, %word, %zero : i64
    scf.if %isNew {
      memref.store %one, %bits[%place] : memref<?xi64>
    } else {
      memref.store %zero, %bits[%place] : memref<?xi64>
    }
    %beyond = arith.cmpi uge, %k, %extent : index
    %either = arith.ori %old, %beyond : i1
    scf.yield %either : i1
  }
  return %outside : i1
}

// The bit is one of an element that is looked up itself; and a loop that carries a sum.
//
// CHECK-LABEL: func.func @negative_others(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_others(%crd: memref<?xi32>, %bits: memref<?xi64>, %numbers: memref<?xi64>,
                           %sums: memref<?xf64>, %x: f64, %last: index, %n: index,
                           %extent: index) -> (i1, f64) {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %outside = scf.for %p = %c0 to %n step %c1 iter_args(%old = %false) -> (i1) {
    %stored = memref.load %crd[%p] : memref<?xi32>
    %k = arith.index_castui %stored : i32 to index
    %place = arith.andi %k, %last : index
    %number = memref.load %numbers[%place] : memref<?xi64>
    %wide = arith.index_castui %number : i64 to index
    %at = arith.andi %wide, %last : index
    %word = memref.load %bits[%at] : memref<?xi64>
    %isNew = arith.cmpi eq, %word, %zero : i64
    scf.if %isNew {
      memref.store %one, %bits[%at] : memref<?xi64>
    } else {
      memref.store %x, %sums[%place] : memref<?xf64>
    }
    %beyond = arith.cmpi uge, %k, %extent : index
    %either = arith.ori %old, %beyond : i1
    scf.yield %either : i1
  }
  %sum = scf.for %p = %c0 to %n step %c1 iter_args(%before = %x) -> (f64) {
    %stored = memref.load %crd[%p] : memref<?xi32>
    %k = arith.index_castui %stored : i32 to index
    %place = arith.andi %k, %last : index
    %word = memref.load %bits[%place] : memref<?xi64>
    %isNew = arith.cmpi eq, %word, %zero : i64
    scf.if %isNew {
      memref.store %one, %bits[%place] : memref<?xi64>
    } else {
      memref.store %x, %sums[%place] : memref<?xf64>
    }
    %after = arith.addf %before, %x : f64
    scf.yield %after : f64
  }
  return %outside, %sum : i1, f64
}
