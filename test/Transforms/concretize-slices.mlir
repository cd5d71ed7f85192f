// RUN: nacho-opt %s -nacho-concretize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>

// The loop over rows also visits those that the stride skips. Columns are those of the
// slice.
//
// CHECK-LABEL: func.func @list(
// CHECK-SAME:    %[[A:.+]]: tensor<{{.+}}>, %[[STRIDE:.+]]: index)
// CHECK:         %[[S:.+]] = nacho.slice %[[A]]
// CHECK:         %[[S0:.+]] = nacho.root %[[S]]
// CHECK:         %[[N:.+]] = arith.constant 4 : index
// CHECK:           nacho.coiterate %i of (%[[S1:.+]] = %[[S0]] : !{{.+}}) in %[[S1]] {
// CHECK-NEXT:        nacho.coiterate %j of (%[[S2:.+]] = %[[S1]] : !{{.+}}) in %[[S2]] {
// CHECK-NEXT:          %[[V:.+]] = nacho.load %[[S2]]
// CHECK-NEXT:          %[[I:.+]], %[[INSIDE:.+]] = nacho.derive(%i) by [1] plus 0 over 1 times %[[STRIDE]] to %[[N]]
// CHECK-NEXT:          nacho.append %[[V]] at(%[[I]], %j) if %[[INSIDE]] : f64
func.func @list(%A: tensor<?x?xf64, #CSR>, %s: index) -> tensor<?x?xf64, #List> {
  %S = nacho.slice %A[1, 2] [4, 3] [%s, 1] : tensor<?x?xf64, #CSR> to tensor<4x3xf64, #CSR>
  %E = nacho.assign collect<sorted_list> (%a = %S[i, j] : tensor<4x3xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #List> {
    nacho.yield %a : f64
  }
  return %E : tensor<?x?xf64, #List>
}

// The elements of a dense slice are elements of the whole tensor.
//
// CHECK-LABEL: func.func @located(
// CHECK-SAME:    %[[A:.+]]: tensor<?xf64>
// CHECK:         %[[TWICE:.+]] = arith.muli %{{.+}}, %i : index
// CHECK-NEXT:    %[[AT:.+]] = arith.addi %{{.+}}, %[[TWICE]] : index
// CHECK-NEXT:    nacho.locate %[[A]][%[[AT]]] : tensor<?xf64>
func.func @located(%A: tensor<?xf64>, %B: tensor<4x3xf64, #CSR>) -> tensor<4x3xf64, #CSR> {
  %S = nacho.slice %A[1] [4] [2] : tensor<?xf64> to tensor<4xf64>
  %Z = nacho.assign (%b = %B[i, j] : tensor<4x3xf64, #CSR>, %s = %S[i] : tensor<4xf64>)
      -> [i, j] : tensor<4x3xf64, #CSR> {
    %0 = nacho.binary mul %b, %s : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<4x3xf64, #CSR>
}
