// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse -split-input-file -verify-diagnostics \
// RUN:   | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
!S0 = !nacho.fiber<tensor<4x3xf64, #CSR>, 0>
!S1 = !nacho.fiber<tensor<4x3xf64, #CSR>, 1>
!S2 = !nacho.fiber<tensor<4x3xf64, #CSR>, 2>

// Rows 1 to 4, and of each the columns 2 to 4: both ends of them are found by search.
//
// for i in 0 ... 4:
//   begin = pos[i + 1], end = pos[i + 2]
//   begin = lower bound of 2 in [begin, end)
//   end = lower bound of 2 + 3 in [begin, end)
//   for q in begin ... end: out[i, crd[q] - 2] = values[q]
//
// CHECK-LABEL: func.func @operand(
// CHECK-SAME:    %[[A:[^:]+]]: tensor<8x8xf64
// CHECK:         scf.for %[[I:.+]] = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %[[ROW:.+]] = arith.addi %[[I]], %c1
// CHECK:           %[[POS:.+]] = sparse_tensor.positions %[[A]] {level = 1 : index}
// CHECK:           %[[CRD:.+]] = sparse_tensor.coordinates %[[A]] {level = 1 : index}
// CHECK:           memref.load %[[POS]][%[[ROW]]]
// CHECK:           %[[BEGIN:.+]]:2 = scf.while
// CHECK:             arith.cmpi ult, %{{.+}}, %c2
// CHECK:           %[[END:.+]]:2 = scf.while (%{{.+}} = %[[BEGIN]]#0,
// CHECK:             arith.cmpi ult, %{{.+}}, %c5
// CHECK:           scf.for %[[Q:.+]] = %[[BEGIN]]#0 to %[[END]]#0 step %c1 {
// CHECK-NEXT:        %[[STORED:.+]] = memref.load %[[CRD]][%[[Q]]]
// CHECK-NEXT:        %[[UNSIGNED:.+]] = arith.andi %[[STORED]]
// CHECK-NEXT:        %[[J:.+]] = arith.subi %[[UNSIGNED]], %c2
// CHECK:             memref.store %{{.+}}, %{{.+}}[%[[I]], %[[J]]]
func.func @operand(%A: tensor<8x8xf64, #CSR>, %out: memref<?x?xf64>) {
  %S = nacho.slice %A[1, 2] [4, 3] [1, 1] : tensor<8x8xf64, #CSR> to tensor<4x3xf64, #CSR>
  %S0 = nacho.root %S : tensor<4x3xf64, #CSR>
  nacho.coiterate %i of (%S1 = %S0 : !S0) in %S1 {
    nacho.coiterate %j of (%S2 = %S1 : !S1) in %S2 {
      %a = nacho.load %S2 : !S2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
