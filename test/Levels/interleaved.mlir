// RUN: nacho-opt %s -convert-nacho-loops-to-scf=vector-bits=128 -convert-nacho-storage-to-memref -canonicalize -cse \
// RUN:   | FileCheck %s

// Lists whose coordinates are in one array, as operands.

#PAIRS = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton), posWidth = 32, crdWidth = 32 }>
#BEHIND = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton, d2 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?x?xf64, #PAIRS>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #PAIRS>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #PAIRS>, 2>
!B0 = !nacho.fiber<tensor<?x?x?xf64, #BEHIND>, 0>
!B1 = !nacho.fiber<tensor<?x?x?xf64, #BEHIND>, 1>
!B2 = !nacho.fiber<tensor<?x?x?xf64, #BEHIND>, 2>
!B3 = !nacho.fiber<tensor<?x?x?xf64, #BEHIND>, 3>

// The coordinates of both levels are in one array, of which each level reads every second
// element. There are half as many positions as elements.
//
//   crd = [i0, j0, i1, j1, ...]
//
// CHECK-LABEL: func.func @operand(
// CHECK-SAME:    %[[POS:[^ ]+]]: memref<?xi32>, %[[CRD:[^ ]+]]: memref<?xi32>, %[[VALUES:[^ ]+]]: memref<?xf64>,
// CHECK:         %[[SIZE:.+]] = memref.dim %[[CRD]], %c0
// CHECK-NEXT:    %[[HALF:.+]] = arith.divui %[[SIZE]], %c2
// CHECK-DAG:     %[[I:.+]] = memref.reinterpret_cast %[[CRD]] to offset: [0], sizes: [%[[HALF]]], strides: [2] : memref<?xi32> to memref<?xi32, strided<[2]>>
// CHECK-DAG:     %[[J:.+]] = memref.reinterpret_cast %[[CRD]] to offset: [1], sizes: [%[[HALF]]], strides: [2] : memref<?xi32> to memref<?xi32, strided<[2], offset: 1>>
// CHECK:         memref.load %[[POS]]
// CHECK:         memref.load %[[I]][%{{.+}}] : memref<?xi32, strided<[2]>>
// CHECK:         scf.for %[[P:.+]] = %{{.+}} to %{{.+}} step %c1 {
// CHECK-NEXT:      memref.load %[[J]][%[[P]]] : memref<?xi32, strided<[2], offset: 1>>
// CHECK:           memref.load %[[VALUES]][%[[P]]]
func.func @operand(%A: tensor<?x?xf64, #PAIRS>, %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #PAIRS>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      %a = nacho.load %A2 : !A2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Several coordinates are gathered from the array: of i, to find the end of its run, and
// of j, to intersect.
//
// CHECK-LABEL: func.func @block(
// CHECK-SAME:    %{{[^ ]+}}: memref<?xi32>, %[[CRD:[^ ]+]]: memref<?xi32>,
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[PLACES:.+]] = arith.constant dense<[0, 2, 4, 6]> : vector<4xi32>
// CHECK:         %[[FLAT:.+]] = memref.reinterpret_cast %[[CRD]] to offset: [0], sizes: [%{{.+}}], strides: [1] : memref<?xi32> to memref<?xi32>
// CHECK-NEXT:    %[[AT:.+]] = arith.muli %{{.+}}, %[[TWO]]
// CHECK-NEXT:    vector.gather %[[FLAT]][%[[AT]]] [%[[PLACES]]],
// CHECK:         %[[FLAT:.+]] = memref.reinterpret_cast %[[CRD]] to offset: [0], sizes: [%{{.+}}], strides: [1] : memref<?xi32> to memref<?xi32>
// CHECK-NEXT:    %[[TWICE:.+]] = arith.muli %{{.+}}, %[[TWO]]
// CHECK-NEXT:    %[[AT:.+]] = arith.addi %[[TWICE]], %c1
// CHECK-NEXT:    vector.gather %[[FLAT]][%[[AT]]] [%[[PLACES]]], %{{.+}}, %{{.+}} : memref<?xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
func.func @block(%A: tensor<?x?xf64, #PAIRS>, %B: tensor<?x?xf64, #PAIRS>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #PAIRS>
  %B0 = nacho.root %B : tensor<?x?xf64, #PAIRS>
  %n = nacho.coiterate %i of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in intersect(%A1, %B1)
      iter_args(%outer = %zero : index) {
    %m = nacho.coiterate %j of (%A2 = %A1 : !A1, %B2 = %B1 : !A1) in intersect(%A2, %B2)
        iter_args(%count = %outer : index) {
      %next = arith.addi %count, %one : index
      nacho.yield %next : index
    }
    nacho.yield %m : index
  }
  return %n : index
}

// A level behind the list has arrays of its own.
//
// CHECK-LABEL: func.func @behind(
// CHECK-SAME:    %[[POS0:[^ ]+]]: memref<?xi32>, %[[PAIRS:[^ ]+]]: memref<?xi32>, %[[POS2:[^ ]+]]: memref<?xi32>, %[[CRD2:[^ ]+]]: memref<?xi32>,
// CHECK:         memref.load %[[POS2]]
// CHECK:         memref.load %[[CRD2]][%{{.+}}] : memref<?xi32>
func.func @behind(%B: tensor<?x?x?xf64, #BEHIND>, %out: memref<?x?x?xf64>) {
  %B0 = nacho.root %B : tensor<?x?x?xf64, #BEHIND>
  nacho.coiterate %i of (%B1 = %B0 : !B0) in %B1 {
    nacho.coiterate %j of (%B2 = %B1 : !B1) in %B2 {
      nacho.coiterate %k of (%B3 = %B2 : !B2) in %B3 {
        %b = nacho.load %B3 : !B3
        memref.store %b, %out[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}
