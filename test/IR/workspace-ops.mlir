// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s

// With elements of any type, coordinates of 32 or 64 bits.
//
// CHECK-LABEL: func.func @workspaces(
// CHECK-SAME:    %[[KEYS:[^ ]+]]: memref<?x?xi32>, %[[WIDE:[^ ]+]]: memref<?x?xi64>, %[[MARKS:[^ ]+]]: memref<?x?xi64>,
// CHECK-SAME:    %[[SUMS:[^ ]+]]: memref<?x?xf64>, %[[NUMBERS:[^ ]+]]: memref<?x?xui8>, %[[ROW:[^ ]+]]: index,
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[STATUS:[^ ]+]]: memref<i32>)
// CHECK-NEXT:    nacho.workspace marks %[[MARKS]] keys %[[KEYS]] with %[[SUMS]] row %[[ROW]] extent %[[N]] status %[[STATUS]]
// CHECK-SAME:      : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xf64> status memref<i32> -> <f64>
// CHECK-NEXT:    nacho.workspace marks %[[MARKS]] keys %[[WIDE]] with %[[NUMBERS]] row %[[ROW]] extent %[[N]] status %[[STATUS]] {note = "kept"}
// CHECK-SAME:      : memref<?x?xi64> keys memref<?x?xi64> with memref<?x?xui8> status memref<i32> -> <ui8>
//
// Without: a set of coordinates.
// CHECK-NEXT:    nacho.workspace marks %[[MARKS]] keys %[[WIDE]] row %[[ROW]] extent %[[N]] status %[[STATUS]]
// CHECK-SAME:      : memref<?x?xi64> keys memref<?x?xi64> status memref<i32> -> <none>
//
// Of lanes.
// CHECK-NEXT:    nacho.workspace marks %[[MARKS]] row %[[ROW]] lane %[[N]] extent %[[N]] status %[[STATUS]]
// CHECK-SAME:      : memref<?x?xi64> status memref<i32> -> <none>
func.func @workspaces(%keys: memref<?x?xi32>, %wide: memref<?x?xi64>, %marks: memref<?x?xi64>,
                      %sums: memref<?x?xf64>, %numbers: memref<?x?xui8>, %row: index,
                      %N: index, %status: memref<i32>) {
  %0 = nacho.workspace marks %marks keys %keys with %sums row %row extent %N status %status
      : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xf64> status memref<i32>
      -> !nacho.workspace<f64>
  %1 = nacho.workspace marks %marks keys %wide with %numbers row %row extent %N status %status {note = "kept"}
      : memref<?x?xi64> keys memref<?x?xi64> with memref<?x?xui8> status memref<i32>
      -> !nacho.workspace<ui8>
  %2 = nacho.workspace marks %marks keys %wide row %row extent %N status %status
      : memref<?x?xi64> keys memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
  %3 = nacho.workspace marks %marks row %row lane %N extent %N status %status
      : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
  return
}

// CHECK-LABEL: func.func @insert(
// CHECK-SAME:    %[[W:[^ ]+]]: !nacho.workspace<f64>, %[[S:[^ ]+]]: !nacho.workspace<none>, %[[K:[^ ]+]]: index, %[[V:[^ ]+]]: f64)
// CHECK-NEXT:    %[[NEW:.+]] = nacho.insert %[[V]] : f64 at %[[K]] into %[[W]] : <f64>
// CHECK-NEXT:    %{{.+}} = nacho.insert at %[[K]] into %[[S]] {note = "kept"} : <none>
// CHECK-NEXT:    %{{.+}} = nacho.insert %[[V]] : f64 distinct at %[[K]] into %[[W]] : <f64>
// CHECK-NEXT:    %{{.+}} = nacho.insert distinct at %[[K]] into %[[S]] : <none>
// CHECK-NEXT:    return %[[NEW]]
func.func @insert(%w: !nacho.workspace<f64>, %s: !nacho.workspace<none>, %k: index, %v: f64) -> i1 {
  %new = nacho.insert %v : f64 at %k into %w : !nacho.workspace<f64>
  %0 = nacho.insert at %k into %s {note = "kept"} : !nacho.workspace<none>
  %1 = nacho.insert %v : f64 distinct at %k into %w : !nacho.workspace<f64>
  %2 = nacho.insert distinct at %k into %s : !nacho.workspace<none>
  return %new : i1
}

// CHECK-LABEL: func.func @lookup(
// CHECK-SAME:    %[[W:[^ ]+]]: !nacho.workspace<i64>, %[[X:[^ ]+]]: !nacho.workspace<f64>, %[[K:[^ ]+]]: index)
// CHECK-NEXT:    %[[POSITION:[^ ]+]], %[[THERE:[^ ]+]] = nacho.lookup %[[K]] in %[[W]] : <i64>
// CHECK-NEXT:    %[[V:[^ ]+]], %{{[^ ]+}} = nacho.lookup %[[K]] in %[[X]] {note = "kept"} : <f64>
// CHECK-NEXT:    return %[[POSITION]], %[[THERE]], %[[V]] : i64, i1, f64
func.func @lookup(%w: !nacho.workspace<i64>, %x: !nacho.workspace<f64>, %k: index) -> (i64, i1, f64) {
  %p, %isThere = nacho.lookup %k in %w : !nacho.workspace<i64>
  %v, %other = nacho.lookup %k in %x {note = "kept"} : !nacho.workspace<f64>
  return %p, %isThere, %v : i64, i1, f64
}

// CHECK-LABEL: func.func @drain(
// CHECK-SAME:    %[[W:[^ ]+]]: !nacho.workspace<f64>, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK-NEXT:    nacho.drain %[[K:.+]], %[[V:.+]] of %[[W]] : !nacho.workspace<f64> {
// CHECK-NEXT:      memref.store %[[V]], %[[OUT]][%[[K]]] : memref<?xf64>
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @drain(%w: !nacho.workspace<f64>, %out: memref<?xf64>) {
  nacho.drain %k, %v of %w : !nacho.workspace<f64> {
    memref.store %v, %out[%k] : memref<?xf64>
  }
  return
}

// What is carried may be of several types.
//
// CHECK-LABEL: func.func @drain_carried(
// CHECK-SAME:    %[[W:[^ ]+]]: !nacho.workspace<f64>, %[[N:[^ ]+]]: index, %[[F:[^ ]+]]: f64)
// CHECK-NEXT:    %[[ALL:.+]]:2 = nacho.drain %[[K:.+]], %[[V:.+]] of %[[W]]
// CHECK-SAME:      iter_args(%[[COUNT:.+]] = %[[N]] : index, %[[SUM:.+]] = %[[F]] : f64) : !nacho.workspace<f64> {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[COUNT]], %[[K]] : index
// CHECK-NEXT:      %[[MORE:.+]] = nacho.binary add %[[SUM]], %[[V]] : f64
// CHECK-NEXT:      nacho.yield %[[NEXT]], %[[MORE]] : index, f64
// CHECK-NEXT:    } {note = "kept"}
// CHECK-NEXT:    return %[[ALL]]#0, %[[ALL]]#1
func.func @drain_carried(%w: !nacho.workspace<f64>, %n: index, %f: f64) -> (index, f64) {
  %all:2 = nacho.drain %k, %v of %w iter_args(%count = %n : index, %sum = %f : f64) : !nacho.workspace<f64> {
    %next = arith.addi %count, %k : index
    %more = nacho.binary add %sum, %v : f64
    nacho.yield %next, %more : index, f64
  } {note = "kept"}
  return %all#0, %all#1 : index, f64
}

// CHECK-LABEL: func.func @table(
// CHECK-SAME:    %[[W:[^ ]+]]: !nacho.workspace<i32>, %[[N:[^ ]+]]: index)
// CHECK-NEXT:    nacho.renew %[[W]] for %[[N]] : <i32>
// CHECK-NEXT:    nacho.renew %[[W]] for %[[N]] {note = "kept"} : <i32>
func.func @table(%w: !nacho.workspace<i32>, %n: index) {
  nacho.renew %w for %n : !nacho.workspace<i32>
  nacho.renew %w for %n {note = "kept"} : !nacho.workspace<i32>
  return
}

// CHECK-LABEL: func.func @flat(
// CHECK-SAME:    %[[MARKS:[^ ]+]]: memref<?x?xi64>, %[[ROW:[^ ]+]]: index, %[[N:[^ ]+]]: index, %[[STATUS:[^ ]+]]: memref<i32>)
// CHECK-NEXT:    %[[W:.+]] = nacho.workspace flat marks %[[MARKS]] row %[[ROW]] extent %[[N]] status %[[STATUS]] : memref<?x?xi64> status memref<i32> -> <none>
// CHECK-NEXT:    nacho.drain %{{.+}} of %[[W]] below %[[N]] : !nacho.workspace<none> {
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.+}} = nacho.drain %{{.+}} of %[[W]] below %[[N]] iter_args(%{{.+}} = %[[N]] : index) : !nacho.workspace<none> {
func.func @flat(%marks: memref<?x?xi64>, %row: index, %N: index, %status: memref<i32>) -> index {
  %w = nacho.workspace flat marks %marks row %row extent %N status %status
      : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
  nacho.drain %k of %w below %N : !nacho.workspace<none> {
  }
  %last = nacho.drain %k of %w below %N iter_args(%before = %N : index) : !nacho.workspace<none> {
    nacho.yield %k : index
  }
  return %last : index
}

// Of a set there are the coordinates; or nothing but that it is empty afterwards.
//
// CHECK-LABEL: func.func @drain_set(
// CHECK-SAME:    %[[S:[^ ]+]]: !nacho.workspace<none>, %[[N:[^ ]+]]: index)
// CHECK-NEXT:    %[[ALL:.+]] = nacho.drain %[[K:.+]] of %[[S]] iter_args(%[[COUNT:.+]] = %[[N]] : index) : !nacho.workspace<none> {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[COUNT]], %[[K]] : index
// CHECK-NEXT:      nacho.yield %[[NEXT]] : index
// CHECK-NEXT:    }
// CHECK-NEXT:    nacho.drain %{{.+}} of %[[S]] : !nacho.workspace<none> {
// CHECK-NEXT:    } {note = "kept"}
// CHECK-NEXT:    return %[[ALL]]
func.func @drain_set(%s: !nacho.workspace<none>, %n: index) -> index {
  %all = nacho.drain %k of %s iter_args(%count = %n : index) : !nacho.workspace<none> {
    %next = arith.addi %count, %k : index
    nacho.yield %next : index
  }
  nacho.drain %k of %s : !nacho.workspace<none> {
  } {note = "kept"}
  return %all : index
}
