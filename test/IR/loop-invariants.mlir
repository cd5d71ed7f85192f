// RUN: nacho-opt %s -loop-invariant-code-motion | FileCheck %s

// Coiterations are loops: what is the same in every iteration is computed before them.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!M0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
!M1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
!M2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
!S0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!S1 = !nacho.fiber<tensor<?xf64, #SV>, 1>

// The element of x is that of the row, and what the row costs is known before it is gone
// through; the elements of the row, and what is stored, stay where they are.
//
// CHECK-LABEL: func.func @row(
// CHECK:         nacho.coiterate %{{.+}} of (%[[A1:[^ ]+]] = %{{.+}}, %[[X1:[^ ]+]] = %{{.+}}) in intersect
// CHECK-DAG:       %[[X:.+]] = nacho.load %[[X1]]
// CHECK-DAG:       %[[COST:.+]] = nacho.cost <nnz> %[[A1]]
// CHECK-NEXT:      %{{.+}} = nacho.coiterate %[[J:[^ ]+]] of (%[[A2:[^ ]+]] = %[[A1]] : !fiber{{[0-9]*}}) in %[[A2]] iter_args(%[[N:[^ ]+]] = %{{.+}} : index)
// CHECK-NEXT:        %[[A:.+]] = nacho.load %[[A2]]
// CHECK-NEXT:        %[[PRODUCT:.+]] = nacho.binary mul %[[A]], %[[X]] : f64
// CHECK-NEXT:        memref.store %[[PRODUCT]], %{{.+}}[%[[J]]]
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[N]], %[[COST]] : index
// CHECK-NEXT:        nacho.yield %[[NEXT]] : index
func.func @row(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>, %out: memref<?xf64>) {
  %zero = arith.constant 0 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %X0 = nacho.root %x : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !M0, %X1 = %X0 : !S0) in intersect(%A1, %X1) {
    %n = nacho.coiterate %j of (%A2 = %A1 : !M1) in %A2 iter_args(%m = %zero : index) {
      %a = nacho.load %A2 : !M2
      %b = nacho.load %X1 : !S1
      %product = nacho.binary mul %a, %b : f64
      memref.store %product, %out[%j] : memref<?xf64>
      %cost = nacho.cost <nnz> %A1 : !M1
      %next = arith.addi %m, %cost : index
      nacho.yield %next : index
    }
  }
  return
}
