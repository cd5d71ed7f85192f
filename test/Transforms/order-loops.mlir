// RUN: nacho-opt %s -nacho-order-loops --mlir-use-nameloc-as-prefix | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 64, crdWidth = 64 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>

// CHECK-DAG: #[[LIST3:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)), posWidth = 64, crdWidth = 32 }>
// CHECK-DAG: #[[LIST2:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 64, crdWidth = 32 }>
// CHECK-DAG: #[[WIDE2:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
// CHECK-DAG: #[[LIST1:.+]] = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 64, crdWidth = 32 }>

// Everything is stored in the order i, j.
//
// CHECK-LABEL: func.func @negative_same_order(
// CHECK-NOT:     sorted
// CHECK:         nacho.assign {{.+}} -> [i]
// CHECK-NOT:     sorted
func.func @negative_same_order(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// Dense operands are located, in any order; and each is as good as the other.
//
// CHECK-LABEL: func.func @negative_dense_operands(
// CHECK-NOT:     sorted
// CHECK:         return
func.func @negative_dense_operands(%S: tensor<?x?xf64, #CSR>, %X: tensor<?x?xf64>,
                                   %Y: tensor<?x?xf64>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%s = %S[i, j] : tensor<?x?xf64, #CSR>, %x = %X[i, k] : tensor<?x?xf64>,
                     %y = %Y[k, j] : tensor<?x?xf64>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %s, %x : f64
    %1 = nacho.binary mul %0, %y : f64
    %2 = nacho.reduce add %1 over [k] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// E[i, k, j] = sorted A[i, j] * B[j, k];  Z[i, k] = sum_j E[i, k, j]
//
// CHECK-LABEL: func.func @spgemm(
// CHECK:         %E = nacho.assign (%{{.+}} = %{{.+}}[i, j] : {{.+}}, %{{.+}} = %{{.+}}[j, k] : {{.+}}) -> [i, k, j] : tensor<?x?x?xf64, #[[LIST3]]> {
// CHECK-NEXT:      %[[V:.+]] = nacho.binary mul
// CHECK-NEXT:      nacho.yield %[[V]] : f64
// CHECK-NEXT:    } {order = ["i", "j", "k"], sorted}
// CHECK-NEXT:    nacho.assign (%[[E:.+]] = %E[i, k, j] : {{.+}}) -> [i, k] : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      %[[SUM:.+]] = nacho.reduce add %[[E]] over [j] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK-NEXT:    }
func.func @spgemm(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// The rows of one and the columns of the other would all be compared with each
// other: both are made anew, with coordinates as wide as their own, so that the loop
// over j is the outermost.
//
// CHECK-LABEL: func.func @rows_and_columns(
// CHECK:         %[[A:.+]] = nacho.assign ({{.+}}[i, j] : {{.+}}) -> [j, i] : tensor<?x?xf64, #[[LIST2]]> {
// CHECK:         } {sorted}
// CHECK:         %[[B:.+]] = nacho.assign ({{.+}}[j, k] : {{.+}}) -> [j, k] : tensor<?x?xf64, #[[WIDE2]]> {
// CHECK:         } {sorted}
// CHECK:         %E = nacho.assign ({{.+}} = %[[A]][j, i] : {{.+}}, {{.+}} = %[[B]][j, k] : {{.+}}) -> [i, k, j]
// CHECK:         } {order = ["j", "i", "k"], sorted}
// CHECK:         nacho.assign ({{.+}} = %E[i, k, j] : {{.+}}) -> [i, k]
func.func @rows_and_columns(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSC>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSC>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// T[i, j] = sorted A[j, i];  Z[i, j] = A[i, j] + T[i, j]
//
// CHECK-LABEL: func.func @symmetrise(
// CHECK:         %[[T:.+]] = nacho.assign ({{.+}}[j, i] : {{.+}}) -> [i, j] : tensor<?x?xf64, #[[LIST2]]> {
// CHECK:         } {sorted}
// CHECK-NEXT:    nacho.assign ({{.+}}[i, j] : {{.+}}, {{.+}} = %[[T]][i, j] : {{.+}}) -> [i, j]
func.func @symmetrise(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %A[j, i] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// D[i] = A[i, i];  y[i] = D[i] * x[i]
//
// CHECK-LABEL: func.func @diagonal(
// CHECK:         %[[D:.+]] = nacho.assign ({{.+}}[i, i] : {{.+}}) -> [i] : tensor<?xf64, #[[LIST1]]> {
// CHECK:         } {sorted}
// CHECK:         nacho.assign ({{.+}}[i] : {{.+}}, {{.+}} = %[[D]][i] : {{.+}}) -> [i]
func.func @diagonal(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %y = nacho.assign (%a = %A[i, i] : tensor<?x?xf64, #CSR>, %b = %x[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<?xf64, #SV>
}

// The dense index stays out of the list: A itself is transposed.
// T[k, i, j] = sorted A[i, j, k];  Z[k, r] = sum_ij T[k, i, j] * X[i, r]
//
// CHECK-LABEL: func.func @transposed_operand(
// CHECK:         %[[T:.+]] = nacho.assign ({{.+}}[i, j, k] : {{.+}}) -> [k, i, j] : tensor<?x?x?xf64, #[[LIST3]]> {
// CHECK:         nacho.assign ({{.+}}[i, r] : {{.+}}, {{.+}} = %[[T]][k, i, j] : {{.+}}) -> [k, r]
func.func @transposed_operand(%A: tensor<?x?x?xf64, #CSF>, %X: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>, %x = %X[i, r] : tensor<?x?xf64>)
      -> [k, r] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %x : f64
    %1 = nacho.reduce add %0 over [i, j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64>
}

// Only the term that scatters is listed.
//
// CHECK-LABEL: func.func @one_of_two_terms(
// CHECK:         %[[T:.+]] = nacho.assign ({{.+}}[i, j] : {{.+}}) -> [j, i] : tensor<?x?xf64, #[[LIST2]]> {
// CHECK:         nacho.assign (%[[B:.+]] = %{{.+}}[j] : {{.+}}, %[[A:.+]] = %[[T]][j, i] : {{.+}}) -> [j]
// CHECK-NEXT:      %[[SUM:.+]] = nacho.reduce add %[[A]] over [i] : f64
// CHECK-NEXT:      nacho.binary add %[[B]], %[[SUM]] : f64
func.func @one_of_two_terms(%b: tensor<?xf64>, %A: tensor<?x?xf64, #CSR>) -> tensor<?xf64> {
  %y = nacho.assign (%0 = %b[j] : tensor<?xf64>, %a = %A[i, j] : tensor<?x?xf64, #CSR>)
      -> [j] : tensor<?xf64> {
    %1 = nacho.reduce add %a over [i] : f64
    %2 = nacho.binary add %0, %1 : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}

// The order that is asked for: the result is sorted, since it stores i first.
//
// CHECK-LABEL: func.func @asked_for(
// CHECK:         %[[B:.+]] = nacho.assign ({{.+}}[i, j] : {{.+}}) -> [j, i] : tensor<?x?xf64, #[[LIST2]]> {
// CHECK:         %E = nacho.assign ({{.+}}[i, j] : {{.+}}, {{.+}} = %[[B]][j, i] : {{.+}}) -> [i, j] : tensor<?x?xf64, #[[LIST2]]> {
// CHECK:           nacho.binary mul
// CHECK:         } {order = ["j", "i"], sorted}
// CHECK:         nacho.assign ({{.+}} = %E[i, j] : {{.+}}) -> [i, j]
func.func @asked_for(%A: tensor<?x?xf64, #CSC>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSC>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["j", "i"]}
  return %Z : tensor<?x?xf64, #CSR>
}
