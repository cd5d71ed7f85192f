// RUN: nacho-opt --nacho-solve-equations --split-input-file %s | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// O[i, j] = sum of A[i + k, j + l] * F[k, l]
//   -> E[m - k, n - l, k, l] = A[m, n] * F[k, l]
//      O[i, j] = sum of E[i, j, k, l]

// CHECK-LABEL: func.func @convolution(
// CHECK-SAME:    %[[A:.*]]: tensor<8x8xf64, #[[CSR:.*]]>, %[[F:.*]]: tensor<3x3xf64, #[[CSR]]>)
// CHECK:         %[[E:.*]] = nacho.assign collect<sorted_list> (%[[a:.*]] = %[[A]][m, n] : {{.*}}, %[[f:.*]] = %[[F]][k, l] : {{.*}}, %{{.*}} = %[[I:.*]][i] : tensor<6xi64>, %{{.*}} = %[[I]][j] : tensor<6xi64>) where (i = m - k, j = n - l) -> [i, j, k, l] : tensor<?x?x?x?xf64, #{{.*}}> {
// CHECK-NEXT:      %[[MUL:.*]] = nacho.binary mul %[[a]], %[[f]] : f64
// CHECK-NEXT:      nacho.yield %[[MUL]] : f64
// CHECK-NEXT:    }
// CHECK:         nacho.assign (%[[e:.*]] = %[[E]][i, j, k, l] : {{.*}}) -> [i, j] : tensor<6x6xf64, #[[CSR]]> {
// CHECK-NEXT:      %[[SUM:.*]] = nacho.reduce add %[[e]] over [k, l] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK-NEXT:    } {whole_entries}
func.func @convolution(%A: tensor<8x8xf64, #CSR>, %F: tensor<3x3xf64, #CSR>) -> tensor<6x6xf64, #CSR> {
  %I = nacho.coordinates : tensor<6xi64>
  %O = nacho.assign (%a = %A[m, n] : tensor<8x8xf64, #CSR>, %f = %F[k, l] : tensor<3x3xf64, #CSR>,
                     %i = %I[i] : tensor<6xi64>, %j = %I[j] : tensor<6xi64>)
      where (m = i + k, n = j + l) -> [i, j] : tensor<6x6xf64, #CSR> {
    %0 = nacho.binary mul %a, %f : f64
    %1 = nacho.reduce add %0 over [k, l] : f64
    nacho.yield %1 : f64
  }
  return %O : tensor<6x6xf64, #CSR>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// A stride becomes a divisor. The dense factor is not listed; it and the operand
// %O0 are only there for the extents of k and i.

// CHECK-LABEL: func.func @strided(
// CHECK-SAME:    %[[A:.*]]: tensor<?xf64, #{{.*}}>, %[[F:.*]]: tensor<?xf64>, %[[O0:.*]]: tensor<?xf64>)
// CHECK:         %[[E:.*]] = nacho.assign collect<sorted_list> (%[[a:.*]] = %[[A]][m] : {{.*}}, %{{.*}} = %[[O0]][i] : tensor<?xf64>, %{{.*}} = %[[F]][k] : tensor<?xf64>)
// CHECK-SAME:        where (i = m - 3 * k - 1 over 2) -> [i, k]
// CHECK-NEXT:      nacho.yield %[[a]] : f64
// CHECK-NEXT:    }
// CHECK:         nacho.assign (%[[f:.*]] = %[[F]][k] : tensor<?xf64>, %[[e:.*]] = %[[E]][i, k] : {{.*}}) -> [i] : tensor<?xf64>
// CHECK-NEXT:      nacho.binary mul %[[e]], %[[f]] : f64
func.func @strided(%A: tensor<?xf64, #SV>, %F: tensor<?xf64>, %O0: tensor<?xf64>) -> tensor<?xf64> {
  %O = nacho.assign (%a = %A[m] : tensor<?xf64, #SV>, %f = %F[k] : tensor<?xf64>, %o = %O0[i] : tensor<?xf64>)
      where (m = 2 * i + 3 * k + 1) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %f : f64
    %1 = nacho.reduce add %0 over [k] : f64
    nacho.yield %1 : f64
  }
  return %O : tensor<?xf64>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// Where one operand of a maximum is absent, there may be an entry all the same:
// only the operand with the equation is listed.

// CHECK-LABEL: func.func @union(
// CHECK:         %[[E:.*]] = nacho.assign collect<sorted_list> (%[[a:.*]] = %{{.*}}[m] : {{.*}}, %{{.*}} = %[[B:.*]][i] : {{.*}}) where (i = m - 1) -> [i]
// CHECK-NEXT:      nacho.yield %[[a]] : f64
// CHECK:         nacho.assign (%[[b:.*]] = %[[B]][i] : {{.*}}, %[[e:.*]] = %[[E]][i] : {{.*}}) -> [i]
// CHECK-NEXT:      nacho.binary max %[[e]], %[[b]] : f64
func.func @union(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %O = nacho.assign (%a = %A[m] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>)
      where (m = i + 1) -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary max %a, %b : f64
    nacho.yield %0 : f64
  }
  return %O : tensor<?xf64, #SV>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// A stores both i and m, and so has loops over both: the equation is a condition.

// CHECK-LABEL: func.func @condition(
// CHECK:         nacho.assign collect<sorted_list> (%{{.*}} = %{{.*}}[i, m] : {{.*}}) where (m = i + 1) -> [i]
func.func @condition(%A: tensor<?x?xf64, #CSR>) -> tensor<?xf64> {
  %O = nacho.assign (%a = %A[i, m] : tensor<?x?xf64, #CSR>)
      where (m = i + 1) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return %O : tensor<?xf64>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

// An element of a sparse operand is a sum of its own, of a list with one entry
// or none:
//
//   E[n] = A[m, n], where m = 3 and n = 4
//   s = sum of E[n]
//   Z[i] = max(s, x[i])

// CHECK-LABEL: func.func @element(
// CHECK-SAME:    %[[A:.*]]: tensor<8x8xf64, #{{.*}}>, %[[X:.*]]: tensor<9xf64>)
// CHECK:         %[[E:.*]] = nacho.assign collect<sorted_list> (%[[a:.*]] = %[[A]][m, n] : {{.*}}) where (m = 3, n = 4) -> [n]
// CHECK-NEXT:      nacho.yield %[[a]] : f64
// CHECK:         %[[s:.*]] = nacho.assign (%[[e:.*]] = %[[E]][n] : {{.*}}) -> [] : tensor<f64> {
// CHECK-NEXT:      %[[SUM:.*]] = nacho.reduce add %[[e]] over [n] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK:         nacho.assign (%[[x:.*]] = %[[X]][i] : tensor<9xf64>, %[[t:.*]] = %[[s]][] : tensor<f64>) -> [i]
// CHECK-NEXT:      nacho.binary max %[[t]], %[[x]] : f64
func.func @element(%A: tensor<8x8xf64, #CSR>, %x: tensor<9xf64>) -> tensor<9xf64> {
  %Z = nacho.assign (%a = %A[m, n] : tensor<8x8xf64, #CSR>, %b = %x[i] : tensor<9xf64>)
      where (m = 3, n = 4) -> [i] : tensor<9xf64> {
    %0 = nacho.binary max %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<9xf64>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// The elements of a dense operand are located; loops over i come first.

// CHECK-LABEL: func.func @negative_dense_operand(
// CHECK-NOT:     collect<sorted_list>
// CHECK:         nacho.assign (%{{.*}} = %{{.*}}[m] : tensor<9xf64>, %{{.*}} = %{{.*}}[k] : {{.*}}, %{{.*}} = %{{.*}}[i] : tensor<4xi64>) where (m = 2 * i + k) -> [i]
// CHECK:         } {order = ["i", "k"], whole_entries}
func.func @negative_dense_operand(%A: tensor<9xf64>, %F: tensor<3xf64, #SV>) -> tensor<4xf64> {
  %I = nacho.coordinates : tensor<4xi64>
  %O = nacho.assign (%a = %A[m] : tensor<9xf64>, %f = %F[k] : tensor<3xf64, #SV>, %i = %I[i] : tensor<4xi64>)
      where (m = 2 * i + k) -> [i] : tensor<4xf64> {
    %0 = nacho.binary mul %a, %f : f64
    %1 = nacho.reduce add %0 over [k] : f64
    nacho.yield %1 : f64
  }
  return %O : tensor<4xf64>
}
