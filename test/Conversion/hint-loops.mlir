// RUN: nacho-opt %s -nacho-hint-loops | FileCheck %s

// The attributes are printed first.
//
// CHECK-DAG: #[[ONE:.*]] = #llvm.loop_interleave<count = 1 : i32>
// CHECK-DAG: #[[FOUR:.*]] = #llvm.loop_vectorize<disable = false, width = 4 : i32>
// CHECK-DAG: #[[ROLLED:.*]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[LOOKUP:.*]] = #llvm.loop_annotation<vectorize = #[[FOUR]], interleave = #[[ONE]]>
// CHECK-DAG: #[[STORE:.*]] = #llvm.loop_annotation<interleave = #[[ONE]]>
// CHECK-DAG: #[[ROWS:.*]] = #llvm.loop_annotation<unroll = #[[ROLLED]]>

// Several sums at a time are LLVM's choice where no element is looked up.
//
// CHECK-LABEL: func.func @negative_sum(
// CHECK-NOT:     {loop_annotation
// CHECK:         return
func.func @negative_sum(%values: memref<?xf64>, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %pos = %c0 to %n step %c1 iter_args(%before = %zero) -> (f64) {
    %x = memref.load %values[%pos] : memref<?xf64>
    %after = arith.addf %before, %x : f64
    scf.yield %after : f64
  }
  return %sum : f64
}

// A loop that has hints keeps them.
//
// CHECK-LABEL: func.func @negative_hinted(
// CHECK:         } {loop_annotation = #[[ROWS]]}
func.func @negative_hinted(%values: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %pos = %c0 to %n step %c1 {
    %x = memref.load %values[%pos] : memref<?xf64>
    memref.store %x, %y[%pos] : memref<?xf64>
  } {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  return
}

// Only the innermost loop gets hints. It loads the address of each element.
//
// CHECK-LABEL: func.func @look_up(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:           } {loop_annotation = #[[LOOKUP]]}
// CHECK-NOT:     {loop_annotation
// CHECK:         return
func.func @look_up(%crd: memref<?xindex>, %values: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %n step %c1 {
    %sum = scf.for %pos = %c0 to %n step %c1 iter_args(%before = %zero) -> (f64) {
      %j = memref.load %crd[%pos] : memref<?xindex>
      %x = memref.load %values[%j] : memref<?xf64>
      %after = arith.addf %before, %x : f64
      scf.yield %after : f64
    }
    memref.store %sum, %y[%i] : memref<?xf64>
  }
  return
}

// CHECK-LABEL: func.func @store(
// CHECK:         } {loop_annotation = #[[STORE]]}
func.func @store(%values: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %pos = %c0 to %n step %c1 {
    %x = memref.load %values[%pos] : memref<?xf64>
    memref.store %x, %y[%pos] : memref<?xf64>
  }
  return
}

// A row of sums takes several registers: one step is long enough.
//
// CHECK-LABEL: func.func @rows(
// CHECK:         } {loop_annotation = #[[ROWS]]}
func.func @rows(%values: memref<?xf64>, %n: index) -> vector<8xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<8xf64>
  %sums = scf.for %pos = %c0 to %n step %c1 iter_args(%before = %zero) -> (vector<8xf64>) {
    %row = vector.load %values[%pos] : memref<?xf64>, vector<8xf64>
    %after = arith.addf %before, %row : vector<8xf64>
    scf.yield %after : vector<8xf64>
  }
  return %sums : vector<8xf64>
}

// A row in one register is a short step, for which LLVM decides.
//
// CHECK-LABEL: func.func @negative_one_register(
// CHECK-NOT:     loop_annotation
// CHECK:         return
func.func @negative_one_register(%values: memref<?xf64>, %n: index) -> vector<4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<4xf64>
  %sums = scf.for %pos = %c0 to %n step %c1 iter_args(%before = %zero) -> (vector<4xf64>) {
    %row = vector.load %values[%pos] : memref<?xf64>, vector<4xf64>
    %after = arith.addf %before, %row : vector<4xf64>
    scf.yield %after : vector<4xf64>
  }
  return %sums : vector<4xf64>
}

// Whether a coordinate is the least one of three is a carry.
//
// CHECK-LABEL: func.func @merge(
// CHECK-SAME:    %[[X:[^:]*]]: index, %[[Y:[^:]*]]: index, %[[Z:[^:]*]]: index
// CHECK:         %[[BOTH:.*]] = arith.minui %[[X]], %[[Y]]
// CHECK:         %[[LEAST:.*]] = arith.minui %[[BOTH]], %[[Z]]
// CHECK:         arith.cmpi uge, %[[LEAST]], %[[X]]
// CHECK:         arith.cmpi uge, %[[LEAST]], %[[Y]]
// CHECK:         arith.cmpi uge, %[[LEAST]], %[[Z]]
func.func @merge(%x: index, %y: index, %z: index) -> (i1, i1, i1) {
  %both = arith.minui %x, %y : index
  %least = arith.minui %both, %z : index
  %first = arith.cmpi eq, %x, %least : index
  %second = arith.cmpi eq, %least, %y : index
  %third = arith.cmpi eq, %z, %least : index
  return %first, %second, %third : i1, i1, i1
}

// Numbers that are not among those whose least one is known are compared as
// before.
//
// CHECK-LABEL: func.func @negative_other_numbers(
// CHECK-COUNT-3: arith.cmpi eq
func.func @negative_other_numbers(%x: index, %y: index, %z: index) -> (i1, i1, i1) {
  %least = arith.minui %x, %y : index
  %most = arith.maxui %x, %y : index
  %third = arith.cmpi eq, %z, %least : index
  %atOther = arith.cmpi eq, %x, %most : index
  %same = arith.cmpi eq, %x, %y : index
  return %third, %atOther, %same : i1, i1, i1
}
