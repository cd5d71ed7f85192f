// RUN: nacho-opt %s -nacho-order-loops --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nacho-opt %s -nacho-order-loops=whole-rows=true --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=WHOLE

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 64, crdWidth = 64 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : compressed, d0 : compressed), posWidth = 64, crdWidth = 64 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>
#TTM = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : dense), posWidth = 32, crdWidth = 32 }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>

// CHECK-DAG: #[[LIST3:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)), posWidth = 64, crdWidth = 32 }>
// CHECK-DAG: #[[WIDE3:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
// CHECK-DAG: #[[LIST2:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 64, crdWidth = 32 }>
// CHECK-DAG: #[[WIDE2:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
// CHECK-DAG: #[[LIST1:.+]] = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 64, crdWidth = 32 }>
// CHECK-DAG: #[[ROWS:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
// CHECK-DAG: #[[WIDE_ROWS:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 64, crdWidth = 64 }>
// WHOLE-DAG: #[[CSR:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// Everything is stored in the order i, j.
//
// CHECK-LABEL: func.func @negative_same_order(
// CHECK-NOT:     collect
// CHECK:         nacho.assign {{.+}} -> [i]
// CHECK-NOT:     collect
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
// CHECK-NOT:     collect
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

// Only k is scattered, inside of i: a part adds up what it has of the sums over j.
//
// E[i, k, part] = sorted sum_j A[i, j] * B[j, k];  Z[i, k] = sum_part E[i, k, part]
//
// If a workspace may have to collect a whole row, that can be appended to Z at once.
//
// CHECK-LABEL: func.func @spgemm(
// CHECK:         %E = nacho.assign collect<part_sums> (%{{.+}} = %{{.+}}[i, j] : {{.+}}, %{{.+}} = %{{.+}}[j, k] : {{.+}}) -> [i, k, part] : tensor<?x?x?xf64, #[[LIST3]]> {
// CHECK-NEXT:      %[[V:.+]] = nacho.binary mul
// CHECK-NEXT:      nacho.yield %[[V]] : f64
// CHECK-NEXT:    } {order = ["i", "j", "k"]}
// CHECK-NEXT:    nacho.assign (%[[E:.+]] = %E[i, k, part] : {{.+}}) -> [i, k] : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      %[[SUM:.+]] = nacho.reduce add %[[E]] over [part] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK-NEXT:    }
//
// WHOLE-LABEL: func.func @spgemm(
// WHOLE:         %[[Z:.+]] = nacho.assign collect<whole_rows> (%[[A:.+]] = %{{.+}}[i, j] : {{.+}}, %[[B:.+]] = %{{.+}}[j, k] : {{.+}}) -> [i, k] : tensor<?x?xf64, #[[CSR]]> {
// WHOLE-NEXT:      %[[V:.+]] = nacho.binary mul %[[A]], %[[B]] : f64
// WHOLE-NEXT:      %[[SUM:.+]] = nacho.reduce add %[[V]] over [j] : f64
// WHOLE-NEXT:      nacho.yield %[[SUM]] : f64
// WHOLE-NEXT:    } {order = ["i", "j", "k"]}
// WHOLE-NEXT:    return %[[Z]]
func.func @spgemm(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// The same by columns, as is asked for: i is scattered, which the result stores first. The
// coordinates are as wide as those of the operands; the number of the part can be of any
// width. What a workspace collects is no row of the result, split or not.
//
// CHECK-LABEL: func.func @spgemm_by_columns(
// CHECK:         %E = nacho.assign collect<part_sums> ({{.+}}[i, j] : {{.+}}, {{.+}}[j, k] : {{.+}}) -> [i, k, part] : tensor<?x?x?xf64, #[[WIDE3]]> {
// CHECK:         } {order = ["k", "j", "i"]}
// CHECK-NEXT:    nacho.assign (%[[E:.+]] = %E[i, k, part] : {{.+}}) -> [i, k]
// CHECK-NEXT:      nacho.reduce add %[[E]] over [part] : f64
// CHECK-NEXT:      nacho.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return
//
// WHOLE-LABEL: func.func @spgemm_by_columns(
// WHOLE-NOT:     whole_rows
// WHOLE:         %E = nacho.assign collect<part_sums> ({{.+}}) -> [i, k, part] : {{.+}} {
// WHOLE:         } {order = ["k", "j", "i"]}
// WHOLE-NOT:     whole_rows
// WHOLE:         return
func.func @spgemm_by_columns(%A: tensor<?x?xf64, #CSC>, %B: tensor<?x?xf64, #CSC>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSC>, %b = %B[j, k] : tensor<?x?xf64, #CSC>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  } {order = ["k", "j", "i"]}
  return %Z : tensor<?x?xf64, #CSR>
}

// A result by columns has them in this order: it gets each as a whole.
//
// CHECK-LABEL: func.func @columns_of_columns(
// CHECK:         %E = nacho.assign collect<part_sums> ({{.+}}) -> [k, i, part] : tensor<?x?x?xf64, #[[WIDE3]]> {
// CHECK:         } {order = ["k", "j", "i"]}
// CHECK-NEXT:    nacho.assign (%{{.+}} = %E[k, i, part] : {{.+}}) -> [i, k]
//
// WHOLE-LABEL: func.func @columns_of_columns(
// WHOLE:         nacho.assign collect<whole_rows> ({{.+}}) -> [i, k]
// WHOLE:           nacho.reduce add %{{.+}} over [j] : f64
// WHOLE:         } {order = ["k", "j", "i"]}
// WHOLE-NEXT:    return
func.func @columns_of_columns(%A: tensor<?x?xf64, #CSC>, %B: tensor<?x?xf64, #CSC>)
    -> tensor<?x?xf64, #CSC> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSC>, %b = %B[j, k] : tensor<?x?xf64, #CSC>)
      -> [i, k] : tensor<?x?xf64, #CSC> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSC>
}

// Without loops outside, a part has one sum for each j. There are no rows to be whole.
//
// E[j, part] = sorted sum_i A[i, j];  y[j] = sum_part E[j, part]
//
// CHECK-LABEL: func.func @sums_of_columns(
// CHECK:         %E = nacho.assign collect<part_sums> (%[[A:.+]] = %{{.+}}[i, j] : {{.+}}) -> [j, part] : tensor<?x?xf64, #[[LIST2]]> {
// CHECK-NEXT:      nacho.yield %[[A]] : f64
// CHECK-NEXT:    } {order = ["i", "j"]}
// CHECK-NEXT:    nacho.assign (%[[E:.+]] = %E[j, part] : {{.+}}) -> [j] : tensor<?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.reduce add %[[E]] over [part] : f64
//
// WHOLE-LABEL: func.func @sums_of_columns(
// WHOLE-NOT:     whole_rows
// WHOLE:         } {order = ["i", "j"]}
// WHOLE-NOT:     whole_rows
// WHOLE:         return
func.func @sums_of_columns(%A: tensor<?x?xf64, #CSR>) -> tensor<?xf64, #SV> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [j] : tensor<?xf64, #SV> {
    %0 = nacho.reduce add %a over [i] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<?xf64, #SV>
}

// A dense result is added up in place: only the order is noted.
//
// CHECK-LABEL: func.func @dense_sums_of_columns(
// CHECK-NEXT:    %[[Y:.+]] = nacho.assign (%[[A:.+]] = %{{.+}}[i, j] : {{.+}}) -> [j] : tensor<?xf64> {
// CHECK-NEXT:      %[[SUM:.+]] = nacho.reduce add %[[A]] over [i] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK-NEXT:    } {order = ["i", "j"]}
// CHECK-NEXT:    return %[[Y]]
func.func @dense_sums_of_columns(%A: tensor<?x?xf64, #CSR>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [j] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [i] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<?xf64>
}

// T is not transposed: a part owns the rows i, and each entry (j, c) adds to a row of b.
//
// CHECK-LABEL: func.func @rows_of_a_part(
// CHECK-NEXT:    %[[Z:.+]] = nacho.assign (%{{.+}} = %{{.+}}[j, b] : {{.+}}, %{{.+}} = %{{.+}}[i, j, c] : {{.+}}) -> [i, b, c]
// CHECK:         } {order = ["i", "j", "c", "b"]}
// CHECK-NEXT:    return %[[Z]]
func.func @rows_of_a_part(%V: tensor<?x?xf64> {nacho.sizes = array<i64: 4800, 300, 16>},
                          %T: tensor<?x?x?xf64, #TTM> {nacho.sizes = array<i64: 960000, 300, 300, 16>})
    -> tensor<?x?x?xf64> {
  %Z = nacho.assign (%v = %V[j, b] : tensor<?x?xf64>, %t = %T[i, j, c] : tensor<?x?x?xf64, #TTM>)
      -> [i, b, c] : tensor<?x?x?xf64> {
    %0 = nacho.binary mul %v, %t : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?x?xf64>
}

// What is added to a sum is no part of the row that a workspace has: T, stored as Z is.
//
// T[i, k] = sum_j A[i, j] * B[j, k];  Z[i, k] = C[i, k] + T[i, k]
//
// CHECK-LABEL: func.func @sibling(
// CHECK:         %E = nacho.assign collect<part_sums> ({{.+}}) -> [i, k, part] : tensor<?x?x?xf64, #[[LIST3]]> {
// CHECK:         } {order = ["i", "j", "k"]}
// CHECK-NEXT:    nacho.assign (%[[C:.+]] = %{{.+}}[i, k] : {{.+}}, %[[E:.+]] = %E[i, k, part] : {{.+}}) -> [i, k]
// CHECK-NEXT:      %[[SUM:.+]] = nacho.reduce add %[[E]] over [part] : f64
// CHECK-NEXT:      nacho.binary add %[[C]], %[[SUM]] : f64
//
// WHOLE-LABEL: func.func @sibling(
// WHOLE:         %T = nacho.assign collect<whole_rows> (%[[A:.+]] = %{{.+}}[i, j] : {{.+}}, %[[B:.+]] = %{{.+}}[j, k] : {{.+}}) -> [i, k] : tensor<?x?xf64, #[[CSR]]> {
// WHOLE-NEXT:      %[[V:.+]] = nacho.binary mul %[[A]], %[[B]] : f64
// WHOLE-NEXT:      %[[SUM:.+]] = nacho.reduce add %[[V]] over [j] : f64
// WHOLE-NEXT:      nacho.yield %[[SUM]] : f64
// WHOLE-NEXT:    } {order = ["i", "j", "k"]}
// WHOLE-NEXT:    %[[Z:.+]] = nacho.assign (%[[C:.+]] = %{{.+}}[i, k] : {{.+}}, %[[T:.+]] = %T[i, k] : {{.+}}) -> [i, k] : tensor<?x?xf64, #[[CSR]]> {
// WHOLE-NEXT:      %[[ALL:.+]] = nacho.binary add %[[C]], %[[T]] : f64
// WHOLE-NEXT:      nacho.yield %[[ALL]] : f64
// WHOLE-NEXT:    }
// WHOLE-NEXT:    return %[[Z]]
func.func @sibling(%C: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%c = %C[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    %2 = nacho.binary add %c, %1 : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Terms that scatter have a list each. What tells parts apart has a name of its own.
//
// D[i, part, part_] = sorted sum_j A[i, j] * B[j, part]
// E[i, part, part__] = sorted sum_j B[i, j] * A[j, part]
//
// CHECK-LABEL: func.func @scattered_terms(
// CHECK:         %[[D:.+]] = nacho.assign collect<part_sums> ({{.+}}) -> [i, part, part_] : tensor<?x?x?xf64, #[[LIST3]]> {
// CHECK:         } {order = ["i", "j", "part"]}
// CHECK:         %[[E:.+]] = nacho.assign collect<part_sums> ({{.+}}) -> [i, part, part__] : tensor<?x?x?xf64, #[[LIST3]]> {
// CHECK:         } {order = ["i", "j", "part"]}
// CHECK-NEXT:    nacho.assign (%[[C:.+]] = %{{.+}}[i, part] : {{.+}}, %[[d:.+]] = %[[D]][i, part, part_] : {{.+}}, %[[e:.+]] = %[[E]][i, part, part__] : {{.+}}) -> [i, part]
// CHECK-NEXT:      %[[SUM_D:.+]] = nacho.reduce add %[[d]] over [part_] : f64
// CHECK-NEXT:      %[[SUM:.+]] = nacho.binary add %[[C]], %[[SUM_D]] : f64
// CHECK-NEXT:      %[[SUM_E:.+]] = nacho.reduce add %[[e]] over [part__] : f64
// CHECK-NEXT:      nacho.binary sub %[[SUM]], %[[SUM_E]] : f64
func.func @scattered_terms(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>,
                           %C: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, part] : tensor<?x?xf64, #CSR>,
                     %d = %B[i, j] : tensor<?x?xf64, #CSR>, %e = %A[j, part] : tensor<?x?xf64, #CSR>,
                     %c = %C[i, part] : tensor<?x?xf64, #CSR>)
      -> [i, part] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    %2 = nacho.binary mul %d, %e : f64
    %3 = nacho.reduce add %2 over [j] : f64
    %4 = nacho.binary add %c, %1 : f64
    %5 = nacho.binary sub %4, %3 : f64
    nacho.yield %5 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// A workspace adds up: of any other reduction all products are listed.
//
// E[i, k, j] = sorted A[i, j] * B[j, k];  Z[i, k] = max_j E[i, k, j]
//
// CHECK-LABEL: func.func @largest_product(
// CHECK-NOT:     part_sums
// CHECK:         %E = nacho.assign collect<sorted_list> ({{.+}}[i, j] : {{.+}}, {{.+}}[j, k] : {{.+}}) -> [i, k, j] : tensor<?x?x?xf64, #[[LIST3]]> {
// CHECK:         } {order = ["i", "j", "k"]}
// CHECK-NEXT:    nacho.assign (%[[E:.+]] = %E[i, k, j] : {{.+}}) -> [i, k] : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.reduce max %[[E]] over [j] : f64
//
// WHOLE-LABEL: func.func @largest_product(
// WHOLE-NOT:     whole_rows
// WHOLE:         } {order = ["i", "j", "k"]}
// WHOLE-NOT:     whole_rows
// WHOLE:         return
func.func @largest_product(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce max %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// The rows of one and the columns of the other would all be compared with each
// other: the columns are made anew as a list of rows, with coordinates as wide as their
// own, in which rows are searched for.
//
// CHECK-LABEL: func.func @rows_and_columns(
// CHECK-NEXT:    %[[B:.+]] = nacho.assign collect<sorted_list> ({{.+}}[j, k] : {{.+}}) -> [j, k] : tensor<?x?xf64, #[[WIDE2:.+]]> {
// CHECK:         }
// CHECK-NEXT:    %E = nacho.assign collect<part_sums> ({{.+}}[i, j] : {{.+}}, {{.+}} = %[[B]][j, k] : {{.+}}) -> [i, k, part]
// CHECK:         } {order = ["i", "j", "k"]}
// CHECK-NEXT:    nacho.assign (%[[E:.+]] = %E[i, k, part] : {{.+}}) -> [i, k]
// CHECK-NEXT:      nacho.reduce add %[[E]] over [part] : f64
func.func @rows_and_columns(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSC>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[j, k] : tensor<?x?xf64, #DCSC>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// If the columns of B can be located, so can its rows, once its entries are in buckets:
// then B is all that has to be made anew.
//
// R[j, k] = B[j, k], in buckets;  E[i, k, part] = sorted sum_j A[i, j] * R[j, k]
//
// CHECK-LABEL: func.func @rows_of_columns(
// CHECK-NEXT:    %[[R:.+]] = nacho.assign collect<buckets> (%[[ENTRY:.+]] = %arg1[j, k] : {{.+}}) -> [j, k] : tensor<?x?xf64, #[[WIDE_ROWS]]> {
// CHECK-NEXT:      nacho.yield %[[ENTRY]] : f64
// CHECK-NEXT:    }{{$}}
// CHECK-NEXT:    %E = nacho.assign collect<part_sums> ({{.+}}[i, j] : {{.+}}, {{.+}} = %[[R]][j, k] : {{.+}}) -> [i, k, part]
// CHECK:         } {order = ["i", "j", "k"]}
// CHECK-NEXT:    nacho.assign (%{{.+}} = %E[i, k, part] : {{.+}}) -> [i, k]
func.func @rows_of_columns(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSC>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSC>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// T[i, j] = A[j, i], in buckets;  Z[i, j] = A[i, j] + T[i, j]
//
// CHECK-LABEL: func.func @symmetrise(
// CHECK:         %[[T:.+]] = nacho.assign collect<buckets> ({{.+}}[j, i] : {{.+}}) -> [i, j] : tensor<?x?xf64, #[[ROWS]]> {
// CHECK:         nacho.assign ({{.+}}[i, j] : {{.+}}, {{.+}} = %[[T]][i, j] : {{.+}}) -> [i, j]
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
// CHECK:         %[[D:.+]] = nacho.assign collect<sorted_list> ({{.+}}[i, i] : {{.+}}) -> [i] : tensor<?xf64, #[[LIST1]]> {
// CHECK:         }
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
// CHECK:         %[[T:.+]] = nacho.assign collect<sorted_list> ({{.+}}[i, j, k] : {{.+}}) -> [k, i, j] : tensor<?x?x?xf64, #[[LIST3]]> {
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

// Only the term that scatters is added up by a statement of its own, as dense as y.
//
// T[j] = sum_i A[i, j];  y[j] = b[j] + T[j]
//
// CHECK-LABEL: func.func @one_of_two_terms(
// CHECK-NEXT:    %T = nacho.assign (%[[A:.+]] = %{{.+}}[i, j] : {{.+}}) -> [j] : tensor<?xf64> {
// CHECK-NEXT:      %[[SUM:.+]] = nacho.reduce add %[[A]] over [i] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK-NEXT:    } {order = ["i", "j"]}
// CHECK-NEXT:    nacho.assign (%[[B:.+]] = %{{.+}}[j] : {{.+}}, %[[T:.+]] = %T[j] : {{.+}}) -> [j] : tensor<?xf64> {
// CHECK-NEXT:      nacho.binary add %[[B]], %[[T]] : f64
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
// CHECK:         %[[B:.+]] = nacho.assign collect<buckets> ({{.+}}[i, j] : {{.+}}) -> [j, i] : tensor<?x?xf64, #[[ROWS]]> {
// CHECK:         %E = nacho.assign collect<sorted_list> ({{.+}}[i, j] : {{.+}}, {{.+}} = %[[B]][j, i] : {{.+}}) -> [i, j] : tensor<?x?xf64, #[[LIST2]]> {
// CHECK:           nacho.binary mul
// CHECK:         } {order = ["j", "i"]}
// CHECK:         nacho.assign ({{.+}} = %E[i, j] : {{.+}}) -> [i, j]
func.func @asked_for(%A: tensor<?x?xf64, #CSC>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSC>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["j", "i"]}
  return %Z : tensor<?x?xf64, #CSR>
}

// With one entry of the mask in each row, it is cheaper to transpose B than to go through all products: j is
// innermost then. One part adds up all elements of an entry, in order, as it would if they were scattered. What the
// sizes are is only asked here.
//
// CHECK-LABEL: func.func @sparse_mask(
// CHECK-NOT:     nacho.sizes
// CHECK:         %[[T:.+]] = nacho.assign collect<buckets> ({{.+}}[j, k] : {{.+}}) -> [k, j]
// CHECK:         nacho.assign ({{.+}}[i, k] : {{.+}}, {{.+}}[i, j] : {{.+}}, {{.+}}[k, j] : {{.+}}) -> [i, k]
// CHECK:           nacho.reduce add %{{.+}} over [j]
// CHECK:         } {whole_entries}
func.func @sparse_mask(%M: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 4096, 4096, 4096>},
                       %A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096>},
                       %B: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096>})
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// With a mask that has entries in few rows it is not: only these rows are multiplied, and transposing all of B
// would take longer.
//
// CHECK-LABEL: func.func @negative_mask_of_few_rows(
// CHECK-NOT:     collect<buckets>
// CHECK-NEXT:    %E = nacho.assign collect<part_sums> ({{.+}}[i, k] : {{.+}}, {{.+}}[i, j] : {{.+}}, {{.+}}[j, k] : {{.+}}) -> [i, k, part]
func.func @negative_mask_of_few_rows(%M: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 64, 4096, 4096>},
                                     %A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096>},
                                     %B: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096>})
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// With as many entries as A it is not.
//
// CHECK-LABEL: func.func @negative_large_mask(
// CHECK-NOT:     nacho.sizes
// CHECK-NEXT:    %E = nacho.assign collect<part_sums> ({{.+}}[i, k] : {{.+}}, {{.+}}[i, j] : {{.+}}, {{.+}}[j, k] : {{.+}}) -> [i, k, part]
func.func @negative_large_mask(%M: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096>},
                               %A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096>},
                               %B: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096>})
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Rows that are stored only if they have entries are sorted by more than their coordinates,
// and searched for. So B stays as it is, although it would be transposed if A, B and the mask
// had all rows.
//
// CHECK-LABEL: func.func @negative_stored_rows(
// CHECK-NEXT:    %E = nacho.assign collect<part_sums> ({{.+}}[i, k] : {{.+}}, {{.+}}[i, j] : {{.+}}, {{.+}}[j, k] : {{.+}}) -> [i, k, part]
func.func @negative_stored_rows(%M: tensor<?x?xf64, #DCSR> {nacho.sizes = array<i64: 131072, 16384, 16384>},
                                %A: tensor<?x?xf64, #DCSR> {nacho.sizes = array<i64: 262144, 16384, 16384>},
                                %B: tensor<?x?xf64, #DCSR> {nacho.sizes = array<i64: 262144, 16384, 16384>})
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #DCSR>, %a = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #DCSR>) -> [i, k] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Nor is it with half as many, since a product that the mask drops costs less than a step of a dot product.
//
// CHECK-LABEL: func.func @negative_half_mask(
// CHECK-NOT:     nacho.sizes
// CHECK-NEXT:    %E = nacho.assign collect<part_sums> ({{.+}}[i, k] : {{.+}}, {{.+}}[i, j] : {{.+}}, {{.+}}[j, k] : {{.+}}) -> [i, k, part]
func.func @negative_half_mask(%M: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 32768, 4096, 4096>},
                              %A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096>},
                              %B: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096>})
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Columns of A that have most entries meet rows of B that have most: there are 16 times as many products. Columns of M do
// not so meet those of B, so that it is transposed.
//
// CHECK-LABEL: func.func @skewed_products(
// CHECK-NOT:     nacho.sizes
// CHECK:         %[[T:.+]] = nacho.assign collect<buckets> ({{.+}}[j, k] : {{.+}}) -> [k, j]
// CHECK:         nacho.assign ({{.+}}[i, k] : {{.+}}, {{.+}}[i, j] : {{.+}}, {{.+}}[k, j] : {{.+}}) -> [i, k]
// CHECK:         } {whole_entries}
func.func @skewed_products(%M: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096, 1, 1>},
                           %A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096, 1, 16>},
                           %B: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096, 16, 1>})
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// If they do, and so do the rows of M and of A, it is not.
//
// CHECK-LABEL: func.func @negative_skewed_lookups(
// CHECK-NOT:     nacho.sizes
// CHECK-NEXT:    %E = nacho.assign collect<part_sums> ({{.+}}[i, k] : {{.+}}, {{.+}}[i, j] : {{.+}}, {{.+}}[j, k] : {{.+}}) -> [i, k, part]
func.func @negative_skewed_lookups(%M: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096, 16, 16>},
                                   %A: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096, 16, 16>},
                                   %B: tensor<?x?xf64, #CSR> {nacho.sizes = array<i64: 65536, 4096, 4096, 16, 16>})
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// C is a term, and part of another one: each of them is computed from C itself.
//
// CHECK-LABEL: func.func @shared_operand(
// CHECK:         nacho.assign (%{{.+}} = %arg2[i, j] : tensor<?x?xf64>) -> [i, j]
// CHECK:         nacho.assign (%{{.+}} = %arg2[i, j] : tensor<?x?xf64>, %{{.+}} = %arg3[i] : tensor<?xf64>) -> [i, j]
func.func @shared_operand(%A: tensor<?x?x?xf64>, %B: tensor<?x?xf64, #CSR>, %C: tensor<?x?xf64>,
                          %E: tensor<?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j, m] : tensor<?x?x?xf64>, %b = %B[i, m] : tensor<?x?xf64, #CSR>,
                     %c = %C[i, j] : tensor<?x?xf64>, %e = %E[i] : tensor<?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [m] : f64
    %2 = nacho.binary add %1, %c : f64
    %3 = nacho.binary mul %c, %e : f64
    %4 = nacho.binary add %2, %3 : f64
    nacho.yield %4 : f64
  } {order = ["m", "j", "i"]}
  return %Z : tensor<?x?xf64>
}
