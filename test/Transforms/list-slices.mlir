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

// -----

// What is read at a number is listed, too, if something else is read beside it.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[A:[^:]+]]:
// CHECK-NEXT:    %[[E:.+]] = nacho.assign collect<sorted_list> (%[[a:.+]] = %[[A]][m, j] : {{.+}}) where (m = 3) -> [j]
// CHECK-NEXT:      nacho.yield %[[a]]
// CHECK:         nacho.assign (%{{.+}} = %[[A]][i, j] : {{.+}}, %{{.+}} = %[[E]][j] : {{.+}}) -> [i, j]
func.func @row(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %A[m, j] : tensor<?x?xf64, #CSR>)
      where (m = 3) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// CHECK-LABEL: func.func @negative_only_a_row(
// CHECK-NEXT:    nacho.assign (%{{.+}} = %{{.+}}[m, j] : {{.+}}, %{{.+}} = %{{.+}}[] : {{.+}}) where (m = 3) -> [j]
func.func @negative_only_a_row(%A: tensor<?x?xf64, #CSR>, %s: tensor<f64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[m, j] : tensor<?x?xf64, #CSR>, %f = %s[] : tensor<f64>)
      where (m = 3) -> [j] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %f : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @negative_dense(
// CHECK-NEXT:    nacho.assign (%{{.+}} = %{{.+}}[i, j] : {{.+}}, %{{.+}} = %{{.+}}[m, j] : tensor<?x?xf64>) where (m = 3) -> [i, j]
func.func @negative_dense(%A: tensor<?x?xf64, #CSR>, %D: tensor<?x?xf64>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %d = %D[m, j] : tensor<?x?xf64>)
      where (m = 3) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %d : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
