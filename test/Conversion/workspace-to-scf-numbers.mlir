// RUN: nacho-opt %s -convert-nacho-workspace-to-scf -canonicalize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

// A dense table has the numbers of a fiber, from `first` on. What is less has been forgotten.

// first += count, but not 0; if the numbers after that would not fit: forget all, first = 1.
//
// CHECK-LABEL: func.func @renew(
// CHECK:         %[[FIRST:.+]] = memref.load %marks[%row, %c0]
// CHECK-NEXT:    %[[COUNT:.+]] = memref.load %marks[%row, %c1]
// CHECK-NEXT:    %[[NEXT:.+]] = arith.addi %[[FIRST]], %[[COUNT]] : i64
// CHECK-NEXT:    %[[NEW:.+]] = arith.index_castui %count : index to i64
// CHECK-NEXT:    %[[END:.+]] = arith.addi %[[NEXT]], %[[NEW]] : i64
// CHECK-NEXT:    %[[FITS:.+]] = arith.cmpi ule, %[[END]], %c4294967295_i64 : i64
// CHECK-NEXT:    %[[MOVED:.+]] = scf.if %[[FITS]] -> (i64) {
// CHECK-NEXT:      %[[FROM:.+]] = arith.maxui %[[NEXT]], %c1_i64 : i64
// CHECK-NEXT:      scf.yield %[[FROM]] : i64
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.for %[[PLACE:.+]] = %c0 to %c64 step %c1 {
// CHECK-NEXT:        memref.store %c0_i32, %numbers[%row, %[[PLACE]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %c1_i64 : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %[[MOVED]], %marks[%row, %c0]
// CHECK-NEXT:    memref.store %[[NEW]], %marks[%row, %c1]
// CHECK-NEXT:    return
func.func @renew(%keys: memref<4x64xi32>, %marks: memref<4x4xi64> loc("marks"), %numbers: memref<4x64xi32> loc("numbers"),
                 %row: index loc("row"), %status: memref<i32>, %count: index loc("count")) {
  %N = arith.constant 63 : index
  %w = nacho.workspace marks %marks keys %keys with %numbers row %row extent %N status %status
      : memref<4x4xi64> keys memref<4x64xi32> with memref<4x64xi32> status memref<i32>
      -> !nacho.workspace<i32>
  nacho.renew %w for %count : !nacho.workspace<i32>
  return
}

// A number that is too large would be found when others have been forgotten.
//
// CHECK-LABEL: func.func @insert(
// CHECK:         memref.store %{{.+}}, %marks[%row, %c1]
// CHECK-NEXT:    %[[PLACE:.+]] = arith.minui %k, %c63 : index
// CHECK-NEXT:    %[[WIDE:.+]] = memref.load %marks[%row, %c0]
// CHECK-NEXT:    %[[ONE:.+]] = arith.maxui %[[WIDE]], %c1_i64 : i64
// CHECK-NEXT:    %[[FIRST:.+]] = arith.trunci %[[ONE]] : i64 to i32
// CHECK-NEXT:    %[[VALUE:.+]] = arith.addi %[[FIRST]], %n : i32
// CHECK-NEXT:    %[[ALL:.+]] = memref.load %marks[%row, %c1]
// CHECK-NEXT:    %[[COUNT:.+]] = arith.trunci %[[ALL]] : i64 to i32
// CHECK-NEXT:    %[[INSIDE:.+]] = arith.cmpi ult, %n, %[[COUNT]] : i32
// CHECK-NEXT:    %[[STORED:.+]] = arith.select %[[INSIDE]], %[[VALUE]], %c0_i32 : i32
// CHECK-NEXT:    memref.store %[[STORED]], %numbers[%row, %[[PLACE]]]
// CHECK-NEXT:    return %true
func.func @insert(%keys: memref<4x64xi32>, %marks: memref<4x4xi64> loc("marks"), %numbers: memref<4x64xi32> loc("numbers"),
                  %row: index loc("row"), %status: memref<i32>, %count: index, %k: index loc("k"), %n: i32 loc("n")) -> i1 {
  %N = arith.constant 63 : index
  %w = nacho.workspace marks %marks keys %keys with %numbers row %row extent %N status %status
      : memref<4x4xi64> keys memref<4x64xi32> with memref<4x64xi32> status memref<i32>
      -> !nacho.workspace<i32>
  nacho.renew %w for %count : !nacho.workspace<i32>
  %isNew = nacho.insert %n : i32 at %k into %w : !nacho.workspace<i32>
  return %isNew : i1
}

// The first number is the same in all steps. A lookup compares one number with it.
//
// CHECK-LABEL: func.func @lookup(
// CHECK:         memref.store %{{.+}}, %marks[%row, %c1]
// CHECK-NEXT:    %[[WIDE:.+]] = memref.load %marks[%row, %c0]
// CHECK-NEXT:    %[[ONE:.+]] = arith.maxui %[[WIDE]], %c1_i64 : i64
// CHECK-NEXT:    %[[FIRST:.+]] = arith.trunci %[[ONE]] : i64 to i32
// CHECK-NEXT:    %[[ALL:.+]] = scf.for %[[K:.+]] = %begin to %end step %c1 iter_args(%[[SUM:.+]] = %sum) -> (i32) {
// CHECK-NEXT:      %[[PLACE:.+]] = arith.minui %[[K]], %c63 : index
// CHECK-NEXT:      %[[VALUE:.+]] = memref.load %numbers[%row, %[[PLACE]]]
// CHECK-NEXT:      %[[THERE:.+]] = arith.cmpi uge, %[[VALUE]], %[[FIRST]] : i32
// CHECK-NEXT:      %[[NUMBER:.+]] = scf.if %[[THERE]] -> (i32) {
// CHECK-NEXT:        %[[FOUND:.+]] = arith.subi %[[VALUE]], %[[FIRST]] : i32
// CHECK-NEXT:        scf.yield %[[FOUND]] : i32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %c0_i32 : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[MORE:.+]] = arith.addi %[[SUM]], %[[NUMBER]] : i32
// CHECK-NEXT:      arith.select %[[THERE]], %[[MORE]], %[[SUM]] : i32
func.func @lookup(%keys: memref<4x64xi32>, %marks: memref<4x4xi64> loc("marks"), %numbers: memref<4x64xi32> loc("numbers"),
                  %row: index loc("row"), %status: memref<i32>, %count: index, %begin: index loc("begin"), %end: index loc("end"),
                  %sum: i32 loc("sum")) -> i32 {
  %N = arith.constant 63 : index
  %c1 = arith.constant 1 : index
  %w = nacho.workspace marks %marks keys %keys with %numbers row %row extent %N status %status
      : memref<4x4xi64> keys memref<4x64xi32> with memref<4x64xi32> status memref<i32>
      -> !nacho.workspace<i32>
  nacho.renew %w for %count : !nacho.workspace<i32>
  %all = scf.for %k = %begin to %end step %c1 iter_args(%s = %sum) -> i32 {
    %n, %isThere = nacho.lookup %k in %w : !nacho.workspace<i32>
    %more = arith.addi %s, %n : i32
    %next = arith.select %isThere, %more, %s : i32
    scf.yield %next : i32
  }
  return %all : i32
}

// Here it is another one in each step.
//
// CHECK-LABEL: func.func @renewed_inside(
// CHECK-NOT:     memref.load
// CHECK:         scf.for
// CHECK:           memref.store %{{.+}}, %marks[%row, %c0]
// CHECK-NEXT:      memref.store %{{.+}}, %marks[%row, %c1]
// CHECK-NEXT:      memref.load %marks[%row, %c0]
func.func @renewed_inside(%keys: memref<4x64xi32>, %marks: memref<4x4xi64> loc("marks"), %numbers: memref<4x64xi32> loc("numbers"),
                          %row: index loc("row"), %status: memref<i32>, %begin: index loc("begin"), %end: index loc("end"),
                          %sum: i32 loc("sum")) -> i32 {
  %N = arith.constant 63 : index
  %c1 = arith.constant 1 : index
  %w = nacho.workspace marks %marks keys %keys with %numbers row %row extent %N status %status
      : memref<4x4xi64> keys memref<4x64xi32> with memref<4x64xi32> status memref<i32>
      -> !nacho.workspace<i32>
  %all = scf.for %k = %begin to %end step %c1 iter_args(%s = %sum) -> i32 {
    nacho.renew %w for %k : !nacho.workspace<i32>
    %n, %isThere = nacho.lookup %k in %w : !nacho.workspace<i32>
    %more = arith.addi %s, %n : i32
    scf.yield %more : i32
  }
  return %all : i32
}

// A flat workspace has a word for each place. It is written without asking what was there; a
// drain asks all that may be used.
//
// CHECK-LABEL: func.func @flat(
// CHECK:         %[[PLACE:.+]] = arith.minui %k, %c63 : index
// CHECK-NEXT:    %[[WORD:.+]] = memref.load %marks[%row, %[[PLACE]]]
// CHECK-NEXT:    %[[NEW:.+]] = arith.cmpi eq, %[[WORD]], %c0_i64 : i64
// CHECK-NEXT:    memref.store %c1_i64, %marks[%row, %[[PLACE]]]
// CHECK-NEXT:    %[[BEFORE:.+]] = memref.load %sums[%row, %[[PLACE]]]
// CHECK-NEXT:    %[[SUM:.+]] = nacho.binary add %[[BEFORE]], %v : f64
// CHECK-NEXT:    %[[AFTER:.+]] = arith.select %[[NEW]], %v, %[[SUM]] : f64
// CHECK-NEXT:    memref.store %[[AFTER]], %sums[%row, %[[PLACE]]]
// CHECK-NEXT:    %[[ALL:.+]] = scf.for %[[N:.+]] = %c0 to %n step %c1 iter_args(%[[S:.+]] = %init) -> (f64) {
// CHECK-NEXT:      %[[AT:.+]] = arith.minui %[[N]], %c63 : index
// CHECK-NEXT:      %[[MARK:.+]] = memref.load %marks[%row, %[[AT]]]
// CHECK-NEXT:      %[[USED:.+]] = arith.cmpi ne, %[[MARK]], %c0_i64 : i64
// CHECK-NEXT:      memref.store %c0_i64, %marks[%row, %[[AT]]]
// CHECK-NEXT:      %[[NEXT:.+]] = scf.if %[[USED]] -> (f64) {
// CHECK-NEXT:        %[[VALUE:.+]] = memref.load %sums[%row, %[[AT]]]
// CHECK-NEXT:        nacho.binary add %[[S]], %[[VALUE]] : f64
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[S]] : f64
// CHECK:         return %[[NEW]], %[[ALL]]
func.func @flat(%marks: memref<4x1024xi64> loc("marks"), %sums: memref<4x64xf64> loc("sums"),
                %row: index loc("row"), %status: memref<i32>, %k: index loc("k"), %v: f64 loc("v"), %n: index loc("n"),
                %init: f64 loc("init")) -> (i1, f64) {
  %N = arith.constant 64 : index
  %w = nacho.workspace flat marks %marks with %sums row %row extent %N status %status
      : memref<4x1024xi64> with memref<4x64xf64> status memref<i32> -> !nacho.workspace<f64>
  %isNew = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
  %all = nacho.drain %key, %value of %w below %n iter_args(%s = %init : f64) : !nacho.workspace<f64> {
    %next = nacho.binary add %s, %value : f64
    nacho.yield %next : f64
  }
  return %isNew, %all : i1, f64
}

// Other operations than sums may not be for what was never written.
//
// CHECK-LABEL: func.func @flat_by_least(
// CHECK:         scf.if %{{.+}} {
// CHECK-NEXT:      memref.store %v, %sums
// CHECK-NEXT:    } else {
// CHECK-NEXT:      memref.load %sums
// CHECK-NEXT:      nacho.binary min
func.func @flat_by_least(%marks: memref<4x1024xi64> loc("marks"), %sums: memref<4x64xf64> loc("sums"),
                         %row: index loc("row"), %status: memref<i32>, %k: index loc("k"), %v: f64 loc("v")) -> i1 {
  %N = arith.constant 64 : index
  %w = nacho.workspace flat marks %marks with %sums row %row extent %N status %status
      : memref<4x1024xi64> with memref<4x64xf64> status memref<i32> -> !nacho.workspace<f64>
  %isNew = nacho.insert by min %v : f64 at %k into %w : !nacho.workspace<f64>
  return %isNew : i1
}

// A set has as many places as there are words after those that other kinds of marks need.
//
// CHECK-LABEL: func.func @flat_set(
// CHECK:         arith.cmpi ugt, %N, %c763 : index
// CHECK:         scf.for %[[N:.+]] = %c0 to %n step %c1 {
// CHECK-NEXT:      %[[AT:.+]] = arith.minui %[[N]], %c762 : index
// CHECK-NEXT:      memref.store %c0_i64, %marks[%row, %[[AT]]]
// CHECK-NEXT:    }
func.func @flat_set(%marks: memref<4x1024xi64> loc("marks"), %row: index loc("row"), %N: index loc("N"), %status: memref<i32> loc("status"),
                    %k: index loc("k"), %n: index loc("n")) -> i1 {
  %w = nacho.workspace flat marks %marks row %row extent %N status %status
      : memref<4x1024xi64> status memref<i32> -> !nacho.workspace<none>
  %isNew = nacho.insert at %k into %w : !nacho.workspace<none>
  nacho.drain %key of %w below %n : !nacho.workspace<none> {
  }
  return %isNew : i1
}
