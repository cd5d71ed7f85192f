// RUN: nacho-opt %s -convert-nacho-workspace-to-scf=repeats -canonicalize -cse | FileCheck %s
// RUN: nacho-opt %s -convert-nacho-workspace-to-scf -canonicalize -cse | FileCheck %s --check-prefix=ALWAYS
//
// How often keys are inserted again is counted from row to row: where few are, they are
// inserted without branches.

// ALWAYS-LABEL: func.func @rows(
// ALWAYS-NOT:     memref.alloca
// ALWAYS-LABEL: func.func @negative_

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[MARKS:[^ ]+]]: memref<?x?xi64>, %[[SUMS:[^ ]+]]: memref<?x?xf64>
// CHECK-DAG:     %[[PRODUCTS:.+]] = memref.alloca() : memref<index>
// CHECK-DAG:     memref.store %c0, %[[PRODUCTS]][] : memref<index>
// CHECK-DAG:     %[[ENTRIES:.+]] = memref.alloca() : memref<index>
// CHECK-DAG:     %[[FEW:.+]] = memref.alloca() : memref<i1>
// CHECK-DAG:     memref.store %true, %[[FEW]][] : memref<i1>
// CHECK:         scf.for
//
// products += the steps of the loop
// CHECK:           %[[SUM:.+]] = arith.addi %{{.+}}, %{{.+}} : index
// CHECK-NEXT:      memref.store %[[SUM]], %[[PRODUCTS]][] : memref<index>
// CHECK-NEXT:      %[[ARE_FEW:.+]] = memref.load %[[FEW]][] : memref<i1>
// CHECK:           scf.for
// CHECK:             %[[WORD:.+]] = memref.load %[[MARKS]]
// CHECK:             %[[NEW:.+]] = arith.cmpi eq, %{{.+}}, %c0_i64 : i64
// CHECK-NEXT:        scf.if %[[ARE_FEW]] {
//
// Bits are set whether they are or not; only the first one of a word above leads on.
// CHECK-NEXT:          %[[MARKED:.+]] = arith.ori %[[WORD]]
// CHECK-NEXT:          memref.store %[[MARKED]], %[[MARKS]]
// CHECK:               memref.load %[[MARKS]]
// CHECK:               memref.store %{{.+}}, %[[MARKS]]
// CHECK-NEXT:          %[[FIRST:.+]] = arith.cmpi eq
// CHECK-NEXT:          scf.if %[[FIRST]] {
// CHECK:                 memref.store %{{.+}}, %[[MARKS]]
// CHECK-NEXT:          }
// CHECK-NEXT:          %[[BEFORE:.+]] = memref.load %[[SUMS]]
// CHECK-NEXT:          %[[ADDED:.+]] = nacho.binary add %[[BEFORE]], %{{.+}} : f64
// CHECK-NEXT:          %[[STORED:.+]] = arith.select %[[NEW]], %{{.+}}, %[[ADDED]] : f64
// CHECK-NEXT:          memref.store %[[STORED]], %[[SUMS]]
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.if %[[NEW]] {
//
// few = products <= 5 * (entries += places)
// CHECK:           %[[END:.+]] = scf.for
// CHECK:           %[[PLACES:.+]] = arith.subi %[[END]]
// CHECK-DAG:       %[[INSERTED:.+]] = memref.load %[[PRODUCTS]][] : memref<index>
// CHECK-DAG:       %[[ALL:.+]] = memref.load %[[ENTRIES]][] : memref<index>
// CHECK:           %[[USED:.+]] = arith.addi %[[ALL]], %[[PLACES]] : index
// CHECK-NEXT:      %[[MOST:.+]] = arith.muli %[[USED]], %c5 : index
// CHECK-NEXT:      %[[NOW:.+]] = arith.cmpi ule, %[[INSERTED]], %[[MOST]] : index
// CHECK-NEXT:      memref.store %[[NOW]], %[[FEW]][] : memref<i1>
func.func @rows(%marks: memref<?x?xi64>, %sums: memref<?x?xf64>, %row: index, %n: index,
                %status: memref<i32>, %keys: memref<?xindex>, %v: f64, %rows: index,
                %begin: index, %end: index, %out: memref<?xf64>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = nacho.workspace marks %marks with %sums row %row extent %n status %status
      : memref<?x?xi64> with memref<?x?xf64> status memref<i32> -> !nacho.workspace<f64>
  %entries = scf.for %i = %c0 to %rows step %c1 iter_args(%before = %c0) -> index {
    scf.for %p = %begin to %end step %c1 {
      %k = memref.load %keys[%p] : memref<?xindex>
      %new = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
    }
    %after = nacho.drain %q, %x of %w iter_args(%at = %before : index) : !nacho.workspace<f64> {
      memref.store %x, %out[%at] : memref<?xf64>
      %next = arith.addi %at, %c1 : index
      nacho.yield %next : index
    }
    scf.yield %after : index
  }
  return %entries : index
}

// Nobody counts the places of a row.
//
// CHECK-LABEL: func.func @negative_not_counted(
// CHECK-NOT:     memref.alloca
// CHECK-LABEL: func.func @negative_smallest(
// CHECK:         scf.for %{{.+}} = %c0 to
// CHECK-NOT:       memref.load %{{.+}}[] : memref<i1>
// CHECK:         return
func.func @negative_not_counted(%marks: memref<?x?xi64>, %sums: memref<?x?xf64>, %row: index,
                                %n: index, %status: memref<i32>, %v: f64, %begin: index,
                                %end: index, %out: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %w = nacho.workspace marks %marks with %sums row %row extent %n status %status
      : memref<?x?xi64> with memref<?x?xf64> status memref<i32> -> !nacho.workspace<f64>
  scf.for %k = %begin to %end step %c1 {
    %new = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
  }
  nacho.drain %q, %x of %w : !nacho.workspace<f64> {
    memref.store %x, %out[%q] : memref<?xf64>
  }
  return
}

// Only sums are stored without branches.
func.func @negative_smallest(%marks: memref<?x?xi64>, %sums: memref<?x?xf64>, %row: index, %n: index,
                             %status: memref<i32>, %v: f64, %end: index, %out: memref<?xf64>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = nacho.workspace marks %marks with %sums row %row extent %n status %status
      : memref<?x?xi64> with memref<?x?xf64> status memref<i32> -> !nacho.workspace<f64>
  scf.for %k = %c0 to %end step %c1 {
    %new = nacho.insert by min %v : f64 at %k into %w : !nacho.workspace<f64>
  }
  %after = nacho.drain %q, %x of %w iter_args(%at = %c0 : index) : !nacho.workspace<f64> {
    memref.store %x, %out[%at] : memref<?xf64>
    %next = arith.addi %at, %c1 : index
    nacho.yield %next : index
  }
  return %after : index
}
