// RUN: nacho-opt %s -nacho-factor-sums --mlir-use-nameloc-as-prefix 2>/dev/null | FileCheck %s
// RUN: nacho-opt %s -nacho-factor-sums --mlir-use-nameloc-as-prefix 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: nacho-opt %s -nacho-factor-sums -nacho-order-loops=whole-rows=true -nacho-concretize 2>/dev/null

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 64, crdWidth = 64 }>
#SV = #sparse_tensor.encoding<{
  map = (d0) -> (d0 : compressed), posWidth = 64, crdWidth = 32 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>

// CHECK-DAG: #[[SV:.+]] = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 64, crdWidth = 32 }>
// CHECK-DAG: #[[CSR:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 64, crdWidth = 32 }>
// CHECK-DAG: #[[WIDE:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 64, crdWidth = 64 }>
// CHECK-DAG: #[[ROWS:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : dense), posWidth = 64, crdWidth = 32 }>

// Only one index is summed over: there is nothing to take out.
//
// CHECK-LABEL: func.func @negative_one_sum(
// CHECK:         %[[Z:.+]] = nacho.assign
// CHECK:           nacho.reduce add %{{.+}} over [j] : f64
// CHECK:         return %[[Z]]
func.func @negative_one_sum(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// The mask is not worth waiting for: it makes the product cheaper.
//
// CHECK-LABEL: func.func @negative_masked(
// CHECK:         %[[Z:.+]] = nacho.assign
// CHECK:           nacho.reduce add %{{.+}} over [j] : f64
// CHECK:         return %[[Z]]
func.func @negative_masked(%M: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %m, %a : f64
    %1 = nacho.binary mul %0, %b : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// A sum may be taken out of a sum, but not out of a maximum.
//
// CHECK-LABEL: func.func @negative_maximum(
// CHECK:         %[[Y:.+]] = nacho.assign
// CHECK:           nacho.reduce max %{{.+}} over [j, k] : f64
// CHECK:         return %[[Y]]
func.func @negative_maximum(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>,
                     %v = %x[k] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %v : f64
    %2 = nacho.reduce max %1 over [j, k] : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}

// exp(B) is 1 where B has no entry, so that a sparse T would lack entries.
//
// CHECK-LABEL: func.func @negative_not_zero(
// CHECK-NOT:     %T
// CHECK:         return
func.func @negative_not_zero(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>,
                     %v = %x[k] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %e = nacho.unary exp %b : f64
    %0 = nacho.binary mul %a, %e : f64
    %1 = nacho.binary mul %0, %v : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}

// If there is no k, the product has no entries, but a T of dense factors would be 0.
//
// CHECK-LABEL: func.func @negative_maybe_no_coordinates(
// CHECK-NOT:     %T
// CHECK:         return
func.func @negative_maybe_no_coordinates(%A: tensor<?x?xf64, #CSR>, %D: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %d = %D[j, k] : tensor<?x?xf64>,
                     %v = %x[k] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %d : f64
    %1 = nacho.binary mul %0, %v : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}

// An order of loops is that of the whole product.
//
// CHECK-LABEL: func.func @negative_ordered(
// CHECK-NOT:     %T
// CHECK:         } {order = ["i", "j", "k"]}
func.func @negative_ordered(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>,
                     %v = %x[k] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %v : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  } {order = ["i", "j", "k"]}
  return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @negative_kept_whole(
// CHECK-NOT:     %T
// CHECK-NOT:     contract
// CHECK:         return
func.func @negative_kept_whole(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>,
                     %v = %x[k] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %v : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  } {contract = []}
  return %y : tensor<?xf64>
}

// T[j] = sum_k B[j, k] * x[k];  y[i] = sum_j A[i, j] * T[j]
//
// T is dense. An empty row of B has no entry: A * T counts only where B has a row.
//
// CHECK-LABEL: func.func @matrix_matrix_vector(
// CHECK-NEXT:    %T = nacho.assign (%[[B:.+]] = %{{.+}}[j, k] : {{.+}}, %[[X:.+]] = %{{.+}}[k] : tensor<?xf64>) -> [j] : tensor<?xf64> {
// CHECK-NEXT:      %[[P:.+]] = nacho.binary mul %[[B]], %[[X]] : f64
// CHECK-NEXT:      %[[S:.+]] = nacho.reduce add %[[P]] over [k] : f64
// CHECK-NEXT:      nacho.yield %[[S]] : f64
// CHECK-NEXT:    } {sizes = array<i64: {{[0-9]+}}, 100000>}
// CHECK-NEXT:    %has = nacho.assign (%[[B:.+]] = %{{.+}}[j, k] : {{.+}}) -> [j] : tensor<?xi1> {
// CHECK-NEXT:      %[[STORED:.+]] = nacho.stored %[[B]] : f64
// CHECK-NEXT:      %[[SOME:.+]] = nacho.reduce add %[[STORED]] over [k] : i1
// CHECK-NEXT:      nacho.yield %[[SOME]] : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[Y:.+]] = nacho.assign (%[[A:.+]] = %{{.+}}[i, j] : {{.+}}, %[[T:.+]] = %T[j] : tensor<?xf64>, %[[HAS:.+]] = %has[j] : tensor<?xi1>) -> [i] : tensor<?xf64> {
// CHECK-NEXT:      %[[P:.+]] = nacho.binary mul %[[A]], %[[T]] : f64
// CHECK:           %[[ZERO:.+]] = nacho.cast %{{.+}} : i8 to f64
// CHECK-NEXT:      %[[COUNTED:.+]] = nacho.select %[[HAS]], %[[P]], %[[ZERO]] : f64
// CHECK-NEXT:      %[[S:.+]] = nacho.reduce add %[[COUNTED]] over [j] : f64
// CHECK-NEXT:      nacho.yield %[[S]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[Y]]
//
// REMARK: remark: T0[j] = sum over [k] of {{.*}}[j, k] * {{.*}}[k]; expected to cost {{[0-9.e+]+}}, and the whole product {{[0-9.e+]+}}; flags tell which j of T0 have entries
func.func @matrix_matrix_vector(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>,
                     %v = %x[k] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %v : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}

// A factor alone can be summed, too; each term of a sum is factored on its own.
//
// T[j] = sum_k B[j, k];  y[i] = 2 * c[i] - sum_j A[i, j] * T[j]
//
// CHECK-LABEL: func.func @one_term(
// CHECK-NEXT:    %T = nacho.assign (%[[B:.+]] = %{{.+}}[j, k] : {{.+}}) -> [j] : tensor<?xf64> {
// CHECK-NEXT:      nacho.reduce add %[[B]] over [k] : f64
// CHECK:         nacho.assign (%[[C:.+]] = %{{.+}}[i] : tensor<?xf64>, %[[A:.+]] = %{{.+}}[i, j] : {{.+}}, %[[T:.+]] = %T[j] : tensor<?xf64>, %[[HAS:.+]] = %has[j] : tensor<?xi1>) -> [i]
// CHECK:           %[[P:.+]] = nacho.binary mul %[[A]], %[[T]] : f64
// CHECK:           %[[COUNTED:.+]] = nacho.select %[[HAS]], %[[P]], %{{.+}} : f64
// CHECK-NEXT:      %[[S:.+]] = nacho.reduce add %[[COUNTED]] over [j] : f64
// CHECK-NEXT:      nacho.binary sub %{{.+}}, %[[S]] : f64
func.func @one_term(%c: tensor<?xf64>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?xf64> {
  %y = nacho.assign (%e = %c[i] : tensor<?xf64>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i] : tensor<?xf64> {
    %two = arith.constant 2.0 : f64
    %0 = nacho.binary mul %two, %e : f64
    %1 = nacho.binary mul %a, %b : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    %3 = nacho.binary sub %0, %2 : f64
    nacho.yield %3 : f64
  }
  return %y : tensor<?xf64>
}

// The sizes of operands are known: the product of the last two matrices is small. It is
// stored by rows, with wide coordinates for those of B.
//
// T[j, l] = sum_k B[j, k] * C[k, l];  Z[i, l] = sum_j A[i, j] * T[j, l]
//
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT:    %T = nacho.assign (%{{.+}} = %{{.+}}[j, k] : {{.+}}, %{{.+}} = %{{.+}}[k, l] : {{.+}}) -> [j, l] : tensor<?x?xf64, #[[WIDE]]> {
// CHECK:           nacho.reduce add %{{.+}} over [k] : f64
// CHECK:         } {sizes = array<i64: {{[0-9]+}}, 65536, 64>}
// CHECK-NEXT:    nacho.assign (%{{.+}} = %{{.+}}[i, j] : {{.+}}, %{{.+}} = %T[j, l] : {{.+}}) -> [i, l]
// CHECK:           nacho.reduce add %{{.+}} over [j] : f64
func.func @chain(%A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 1048576, 65536, 65536>},
                 %B: tensor<?x?xf64, #DCSR> {nacho.sizes = array<i64: 1048576, 65536, 65536>},
                 %C: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 1048576, 65536, 64>})
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #DCSR>,
                     %c = %C[k, l] : tensor<?x?xf64, #CSR>) -> [i, l] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Now k has coordinates: T is dense, since its factors are.
//
// CHECK-LABEL: func.func @dense_factors(
// CHECK-NEXT:    %T = nacho.assign (%{{.+}} = %{{.+}}[j, k] : {{.+}}, %{{.+}} = %{{.+}}[k] : {{.+}}) -> [j] : tensor<?xf64> {
// CHECK:         nacho.assign (%{{.+}} = %{{.+}}[i, j] : {{.+}}, %{{.+}} = %T[j] : tensor<?xf64>) -> [i]
func.func @dense_factors(%A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 16384, 1024, 1024>},
                         %D: tensor<?x?xf64> {nacho.sizes = array<i64: 1048576, 1024, 1024>},
                         %x: tensor<?xf64> {nacho.sizes = array<i64: 1024, 1024>}) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %d = %D[j, k] : tensor<?x?xf64>,
                     %v = %x[k] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %d : f64
    %1 = nacho.binary mul %0, %v : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}

// What is asked for, whatever it costs: the order of the loops is that of each statement.
//
// T[i, k] = sum_j A[i, j] * B[j, k];  y[i] = sum_k x[k] * T[i, k]
//
// CHECK-LABEL: func.func @asked(
// CHECK-NEXT:    %T = nacho.assign (%{{.+}} = %{{.+}}[i, j] : {{.+}}, %{{.+}} = %{{.+}}[j, k] : {{.+}}) -> [i, k] : tensor<?x?xf64, #[[CSR]]> {
// CHECK:           nacho.reduce add %{{.+}} over [j] : f64
// CHECK:         } {order = ["i", "j", "k"], sizes = array<i64: {{.+}}, 100000, 100000>}
// CHECK-NEXT:    nacho.assign (%{{.+}} = %{{.+}}[k] : {{.+}}, %{{.+}} = %T[i, k] : {{.+}}) -> [i]
// CHECK:         } {order = ["i", "k"]}
func.func @asked(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>,
                     %v = %x[k] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %v : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  } {contract = ["j"], order = ["i", "j", "k"]}
  return %y : tensor<?xf64>
}

// A matrix T is dense if most of its rows are expected to have entries: a flag is that of
// a whole row.
//
// T[j, r] = sum_k B[j, k] * D[k, r];  Z[i, r] = sum_j A[i, j] * T[j, r]
//
// CHECK-LABEL: func.func @dense_matrix(
// CHECK-NEXT:    %T = nacho.assign {{.+}} -> [j, r] : tensor<?x?xf64> {
// CHECK:         %has = nacho.assign (%{{.+}} = %{{.+}}[j, k] : {{.+}}) -> [j] : tensor<?xi1> {
// CHECK:         nacho.assign (%{{.+}} = %{{.+}}[i, j] : {{.+}}, %{{.+}} = %T[j, r] : tensor<?x?xf64>, %{{.+}} = %has[j] : tensor<?xi1>) -> [i, r] : tensor<?x?xf64> {
func.func @dense_matrix(%A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 1048576, 65536, 65536>},
                        %B: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 1048576, 65536, 65536>},
                        %D: tensor<?x?xf64> {nacho.sizes = array<i64: 1048576, 65536, 16>}) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>,
                     %d = %D[k, r] : tensor<?x?xf64>) -> [i, r] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %d : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64>
}

// If few rows have entries, an index that only dense factors have is a dense level of T,
// below the rows that do.
//
// CHECK-LABEL: func.func @negative_dense_matrix(
// CHECK-NEXT:    %T = nacho.assign {{.+}} -> [j, r] : tensor<?x?xf64, #[[ROWS]]> {
// CHECK-NOT:     %has
// CHECK:         nacho.assign (%{{.+}} = %{{.+}}[i, j] : {{.+}}, %{{.+}} = %T[j, r] : {{.+}}) -> [i, r] : tensor<?x?xf64> {
func.func @negative_dense_matrix(%A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 1048576, 65536, 65536>},
                         %B: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 16384, 65536, 65536>},
                         %D: tensor<?x?xf64> {nacho.sizes = array<i64: 1048576, 65536, 16>}) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>,
                     %d = %D[k, r] : tensor<?x?xf64>) -> [i, r] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %d : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  } {contract = ["k"]}
  return %Z : tensor<?x?xf64>
}

// No statement of an MTTKRP would be cheaper: T[i, j, r] is made for nothing.
//
// CHECK-LABEL: func.func @negative_mttkrp(
// CHECK-NOT:     %T
// CHECK:         return
func.func @negative_mttkrp(%X: tensor<?x?x?xf64, #CSF>, %D: tensor<?x?xf64>, %E: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%x = %X[i, j, k] : tensor<?x?x?xf64, #CSF>, %d = %D[j, r] : tensor<?x?xf64>,
                     %e = %E[k, r] : tensor<?x?xf64>) -> [i, r] : tensor<?x?xf64> {
    %0 = nacho.binary mul %x, %d : f64
    %1 = nacho.binary mul %0, %e : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64>
}

// T[j, l] = sum_k A[j, k] * A[k, l];  s = sum_ijl A[i, j] * A[l, i] * T[j, l]
//
// CHECK-LABEL: func.func @cycle(
// CHECK:         %T = nacho.assign {{.+}} -> [j, l] : tensor<?x?xf64, #[[CSR]]>
// CHECK:         nacho.assign (%{{.+}} = %{{.+}}[i, j] : {{.+}}, %{{.+}} = %{{.+}}[l, i] : {{.+}}, %{{.+}} = %T[j, l] : {{.+}}) -> [] : tensor<f64>
func.func @cycle(%A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096>}) -> tensor<f64> {
  %s = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %A[j, k] : tensor<?x?xf64, #CSR>,
                     %c = %A[k, l] : tensor<?x?xf64, #CSR>, %d = %A[l, i] : tensor<?x?xf64, #CSR>) -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    %2 = nacho.binary mul %1, %d : f64
    %3 = nacho.reduce add %2 over [i, j, k, l] : f64
    nacho.yield %3 : f64
  }
  return %s : tensor<f64>
}

// Rows are so long that T would have a hundred times more entries than A.
//
// CHECK-LABEL: func.func @negative_too_large(
// CHECK-NOT:     %T
// CHECK:         return
func.func @negative_too_large(%A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 1073741824, 1048576, 1048576>}) -> tensor<f64> {
  %s = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %A[j, k] : tensor<?x?xf64, #CSR>,
                     %c = %A[k, l] : tensor<?x?xf64, #CSR>, %d = %A[l, i] : tensor<?x?xf64, #CSR>) -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    %2 = nacho.binary mul %1, %d : f64
    %3 = nacho.reduce add %2 over [i, j, k, l] : f64
    nacho.yield %3 : f64
  }
  return %s : tensor<f64>
}

// A(A(A(A(Ax)))): the vector stays a vector.
//
// CHECK-LABEL: func.func @long_chain(
// CHECK:         nacho.assign {{.+}} -> [m] : tensor<?xf64>
// CHECK:         nacho.assign {{.+}} -> [l] : tensor<?xf64>
// CHECK:         nacho.assign {{.+}} -> [k] : tensor<?xf64>
// CHECK:         nacho.assign {{.+}} -> [j] : tensor<?xf64>
// CHECK:         nacho.assign {{.+}} -> [i] : tensor<?xf64>
func.func @long_chain(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %A[j, k] : tensor<?x?xf64, #CSR>,
                     %c = %A[k, l] : tensor<?x?xf64, #CSR>, %d = %A[l, m] : tensor<?x?xf64, #CSR>,
                     %e = %A[m, n] : tensor<?x?xf64, #CSR>, %v = %x[n] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    %2 = nacho.binary mul %1, %d : f64
    %3 = nacho.binary mul %2, %e : f64
    %4 = nacho.binary mul %3, %v : f64
    %5 = nacho.reduce add %4 over [j, k, l, m, n] : f64
    nacho.yield %5 : f64
  }
  return %y : tensor<?xf64>
}

// The result is sparse, and so are the entries of T that it follows.
//
// CHECK-LABEL: func.func @negative_sparse_result(
// CHECK-NEXT:    %T = nacho.assign {{.+}} -> [j] : tensor<?xf64, #[[SV]]>
// CHECK-NOT:     %has
// CHECK:         return
func.func @negative_sparse_result(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64, #SV> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>,
                     %v = %x[k] : tensor<?xf64>) -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %v : f64
    %2 = nacho.reduce add %1 over [j, k] : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64, #SV>
}

// T0[k] is dense, and T1[j] is not: it has an entry where H meets a row of B.
//
// CHECK-LABEL: func.func @sparse_after_dense(
// CHECK-NEXT:    %T = nacho.assign {{.+}} -> [k] : tensor<?xf64> {
// CHECK:         %has = nacho.assign {{.+}} -> [k] : tensor<?xi1> {
// CHECK:         nacho.assign (%[[H:.+]] = %{{.+}}[j, k] : {{.+}}, %[[T:.+]] = %T[k] : tensor<?xf64>, %[[HAS:.+]] = %has[k] : tensor<?xi1>) -> [j] : tensor<?xf64, #[[SV]]> {
// CHECK-NEXT:      %[[P:.+]] = nacho.binary mul %[[H]], %[[T]] : f64
// CHECK-NEXT:      %[[KEPT:.+]] = nacho.keep %[[P]] if %[[HAS]] : f64
// CHECK-NEXT:      nacho.reduce add %[[KEPT]] over [k] : f64
func.func @sparse_after_dense(%A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 1048576, 65536, 65536>},
                              %H: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 4096, 65536, 65536>},
                              %B: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 1048576, 65536, 65536>},
                              %x: tensor<?xf64> {nacho.sizes = array<i64: 65536, 65536>}) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %h = %H[j, k] : tensor<?x?xf64, #CSR>,
                     %b = %B[k, l] : tensor<?x?xf64, #CSR>, %v = %x[l] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %h : f64
    %1 = nacho.binary mul %0, %b : f64
    %2 = nacho.binary mul %1, %v : f64
    %3 = nacho.reduce add %2 over [j, k, l] : f64
    nacho.yield %3 : f64
  } {contract = ["l", "k"]}
  return %y : tensor<?xf64>
}

// A row of T1 = A T0 has an entry where a row of A meets one of B.
//
// CHECK-LABEL: func.func @flags_of_flags(
// CHECK:         %[[FIRST:has.*]] = nacho.assign {{.+}} -> [k] : tensor<?xi1> {
// CHECK:         nacho.assign {{.+}} -> [j] : tensor<?xf64> {
// CHECK:         nacho.assign (%[[A:.+]] = %{{.+}}[j, k] : {{.+}}, %[[HAS:.+]] = %[[FIRST]][k] : tensor<?xi1>) -> [j] : tensor<?xi1> {
// CHECK-NEXT:      %[[STORED:.+]] = nacho.stored %[[A]] : f64
// CHECK-NEXT:      %[[BOTH:.+]] = nacho.binary mul %[[STORED]], %[[HAS]] : i1
// CHECK-NEXT:      nacho.reduce add %[[BOTH]] over [k] : i1
func.func @flags_of_flags(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %A[j, k] : tensor<?x?xf64, #CSR>,
                     %c = %B[k, l] : tensor<?x?xf64, #CSR>, %v = %x[l] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    %2 = nacho.binary mul %1, %v : f64
    %3 = nacho.reduce add %2 over [j, k, l] : f64
    nacho.yield %3 : f64
  }
  return %y : tensor<?xf64>
}
