// RUN: nacho-opt --nacho-list-slices --split-input-file %s | FileCheck %s

#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>

// y[i] = sum of S[i, j] * S[i, k] -> E[j, i] = S[i, j]
//                                     y[i] = sum of E[j, i] * E[k, i]

// CHECK-DAG:   #[[LIST:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 64, crdWidth = 32 }>
// CHECK-LABEL: func.func @twice(
// CHECK:         %[[S:.+]] = nacho.slice
// CHECK-NEXT:    %[[E:.+]] = nacho.assign collect<sorted_list> (%[[s:.+]] = %[[S]][i, j] : tensor<4x3xf64, #{{.+}}>) -> [j, i] : tensor<?x?xf64, #[[LIST]]> {
// CHECK-NEXT:      nacho.yield %[[s]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    nacho.assign (%{{.+}} = %[[E]][j, i] : tensor<?x?xf64, #[[LIST]]>, %{{.+}} = %[[E]][k, i] : tensor<?x?xf64, #[[LIST]]>) -> [i]
func.func @twice(%A: tensor<?x?xf64, #CSC>, %o: index, %s: index) -> tensor<4xf64> {
  %S = nacho.slice %A[%o, 2] [4, 3] [%s, 1] : tensor<?x?xf64, #CSC> to tensor<4x3xf64, #CSC>
  %y = nacho.assign (%a = %S[i, j] : tensor<4x3xf64, #CSC>, %b = %S[i, k] : tensor<4x3xf64, #CSC>)
      -> [i] : tensor<4xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j, k] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<4xf64>
}

// -----

// The elements of dense slices are located.

// CHECK-LABEL: func.func @negative_dense(
// CHECK-NEXT:    %[[S:.+]] = nacho.slice
// CHECK-NEXT:    nacho.assign (%{{.+}} = %[[S]][i] : tensor<4xf64>) -> [i]
func.func @negative_dense(%A: tensor<?xf64>) -> tensor<4xf64> {
  %S = nacho.slice %A[1] [4] [2] : tensor<?xf64> to tensor<4xf64>
  %y = nacho.assign (%a = %S[i] : tensor<4xf64>) -> [i] : tensor<4xf64> {
    nacho.yield %a : f64
  }
  return %y : tensor<4xf64>
}
