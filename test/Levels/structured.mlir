// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s

// Every fiber of a structured level has the same number of children: only their
// coordinates are stored.

#TWO_OF_FOUR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : structured[2, 4]), crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?x?xf64, #TWO_OF_FOUR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #TWO_OF_FOUR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #TWO_OF_FOUR>, 2>

// The children of p are [2 * p, 2 * (p + 1)), but not beyond the coordinates.
//
// for p in 0 ... N:
//   for q in min(2 * p, size) ... min(2 * (p + 1), size): out[p, crd[q]] = values[q]
//
// CHECK-LABEL: func.func @operand(
// CHECK:         scf.for %[[P:.+]] = %{{.+}} to %{{.+}} step %c1{{.*}} {
// CHECK-NEXT:      %[[TWICE:.+]] = arith.muli %[[P]], %c2
// CHECK-NEXT:      %[[CRD:.+]] = sparse_tensor.coordinates %{{.+}} {level = 1 : index}
// CHECK-NEXT:      %[[SIZE:.+]] = memref.dim %[[CRD]]
// CHECK-NEXT:      %[[BEGIN:.+]] = arith.minui %[[TWICE]], %[[SIZE]]
// CHECK-NEXT:      %[[AFTER:.+]] = arith.addi %[[P]], %c1
// CHECK-NEXT:      %[[TWICE:.+]] = arith.muli %[[AFTER]], %c2
// CHECK-NEXT:      %[[END:.+]] = arith.minui %[[TWICE]], %[[SIZE]]
// CHECK-NEXT:      scf.for %[[Q:.+]] = %[[BEGIN]] to %[[END]] step %c1
// CHECK-NEXT:        memref.load %[[CRD]][%[[Q]]]
func.func @operand(%A: tensor<?x?xf64, #TWO_OF_FOUR>, %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #TWO_OF_FOUR>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      %a = nacho.load %A2 : !A2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
