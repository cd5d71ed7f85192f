// RUN: nacho-opt %s -nacho-split-blocks | FileCheck %s

#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense),
  posWidth = 32, crdWidth = 32 }>
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
#COLUMNS = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : dense) }>
#TWO_OF_FOUR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j floordiv 4 : dense, j mod 4 : structured[2, 4]) }>

// No tensor is in blocks.
//
// CHECK-DAG:   #[[CSR:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
// CHECK-DAG:   #[[DSDD:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2, d3) -> (d0 : dense, d1 : compressed, d2 : dense, d3 : dense), posWidth = 32, crdWidth = 32 }>
// CHECK-DAG:   #[[COLUMNS:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2, d3) -> (d2 : dense, d3 : dense, d0 : dense, d1 : dense) }>
// CHECK-DAG:   #[[STRUCTURED:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : structured[2, 4]) }>
//
// CHECK-LABEL: func.func @negative_no_blocks(
// CHECK-SAME:    %{{.+}}: tensor<?x?xf64, #[[CSR]]>) -> tensor<?x?xf64, #[[CSR]]> {
// CHECK:         %[[A:.+]][i, j] : tensor<?x?xf64, #[[CSR]]>
func.func @negative_no_blocks(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i, j] : tensor<?x?xf64, #CSR> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// y[i] = sum_j A[i, j] * x[j]  ->  y[i0, i1] = sum_j0 sum_j1 A[i0, j0, i1, j1] * x[j0, j1]
//
// CHECK-LABEL: func.func @spmv(
// CHECK-SAME:    %[[A:.+]]: tensor<?x?x2x3xf64, #[[DSDD]]> {nacho.blocks = array<i64: 2, 3>},
// CHECK-SAME:    %[[X:.+]]: tensor<?x3xf64> {nacho.blocks = array<i64: 3>})
// CHECK-SAME:    -> (tensor<?x2xf64> {nacho.blocks = array<i64: 2>}) {
// CHECK-NEXT:    %[[Y:.+]] = nacho.assign (%[[a:.+]] = %[[A]][i0, j0, i1, j1] : tensor<?x?x2x3xf64, #[[DSDD]]>, %[[x:.+]] = %[[X]][j0, j1] : tensor<?x3xf64>) -> [i0, i1] : tensor<?x2xf64> {
// CHECK-NEXT:      %[[PRODUCT:.+]] = nacho.binary mul %[[a]], %[[x]] : f64
// CHECK-NEXT:      %[[SUM:.+]] = nacho.reduce add %[[PRODUCT]] over [j0, j1] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK-NEXT:    } {contract = [], order = ["i0", "i1", "j0", "j1"]}
// CHECK-NEXT:    return %[[Y]] : tensor<?x2xf64>
func.func @spmv(%A: tensor<?x?xf64, #BSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #BSR>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  } {contract = [], order = ["i", "j"]}
  return %y : tensor<?xf64>
}

// The index k has no blocks; i0 is an index already. Static extents are divided. A result
// in blocks, and the tensor that it starts from, are split, too.
//
// CHECK-LABEL: func.func @result(
// CHECK-SAME:    %{{.+}}: tensor<2x?x2x3xf64, #[[DSDD]]> {nacho.blocks = array<i64: 2, 3>},
// CHECK-SAME:    %{{.+}}: tensor<?xf64>)
// CHECK-SAME:    -> (tensor<2x?x2x3xf64, #[[DSDD]]> {nacho.blocks = array<i64: 2, 3>}) {
// CHECK:         %{{.+}}[i0_, k0, i1, k1] : {{.*}}, %{{.+}}[i0] : tensor<?xf64>) init(%{{.+}} : tensor<2x?x2x3xf64, #[[DSDD]]>) -> [i0_, k0, i1, k1]
func.func @result(%A: tensor<4x?xf64, #BSR>, %x: tensor<?xf64>) -> tensor<4x?xf64, #BSR> {
  %Z = nacho.assign (%a = %A[i, k] : tensor<4x?xf64, #BSR>, %b = %x[i0] : tensor<?xf64>)
      init(%A : tensor<4x?xf64, #BSR>) -> [i, k] : tensor<4x?xf64, #BSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i0] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<4x?xf64, #BSR>
}

// The blocks of i and j reach B, by way of the sum of another statement. A dense tensor
// that is stored by columns remains so.
//
// CHECK-LABEL: func.func @several(
// CHECK-SAME:    %{{.+}}: tensor<?x?x2x3xf64, #[[DSDD]]> {nacho.blocks = array<i64: 2, 3>},
// CHECK-SAME:    %{{.+}}: tensor<?x2x?x3xf64, #[[COLUMNS]]> {nacho.blocks = array<i64: 2, 3>})
// CHECK:         %[[T:.+]] = nacho.assign ({{.*}}[m0, n0, m1, n1] : {{.*}}) -> [m0, m1, n0, n1] : tensor<?x2x?x3xf64>
// CHECK:         nacho.assign (%{{.+}} = %[[T]][i0, i1, j0, j1] : tensor<?x2x?x3xf64>, %{{.+}}[i0, i1, j0, j1] : tensor<?x2x?x3xf64, #[[COLUMNS]]>) -> [i0, i1]
func.func @several(%A: tensor<?x?xf64, #BSR>, %B: tensor<?x?xf64, #COLUMNS>) -> tensor<?xf64> {
  %T = nacho.assign (%a = %A[m, n] : tensor<?x?xf64, #BSR>) -> [m, n] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  %y = nacho.assign (%t = %T[i, j] : tensor<?x?xf64>, %b = %B[i, j] : tensor<?x?xf64, #COLUMNS>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %t, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @one_dimension(
// CHECK-SAME:    %{{.+}}: tensor<?x?x4xf64, #[[STRUCTURED]]> {nacho.blocks = array<i64: 1, 4>})
// CHECK-SAME:    -> tensor<?xf64> {
// CHECK-NEXT:    nacho.assign ({{.*}}[i, j0, j1] : tensor<?x?x4xf64, #[[STRUCTURED]]>) -> [i] : tensor<?xf64>
func.func @one_dimension(%A: tensor<?x?xf64, #TWO_OF_FOUR>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #TWO_OF_FOUR>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<?xf64>
}

// The second argument was only an output.
//
// CHECK-LABEL: func.func @output(
// CHECK-SAME:    %{{.+}}: tensor<?x?x2x3xf64, #[[DSDD]]> {nacho.blocks = array<i64: 2, 3>},
// CHECK-SAME:    %{{.+}}: tensor<?x2xf64> {nacho.blocks = array<i64: 2>})
// CHECK-SAME:    -> (tensor<?x2xf64> {nacho.blocks = array<i64: 2>}) {
func.func @output(%A: tensor<?x?xf64, #BSR>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #BSR>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    nacho.yield %0 : f64
  }
  return %z : tensor<?xf64>
}

// A sparse tensor that shares no index with one in blocks stays what it is.
//
// CHECK-LABEL: func.func @other(
// CHECK-SAME:    %{{.+}}: tensor<?x?x2x3xf64, #[[DSDD]]> {nacho.blocks = array<i64: 2, 3>},
// CHECK-SAME:    %{{.+}}: tensor<?x?xf64, #[[CSR]]>)
// CHECK:         [i0, j0, i1, j1] : {{.*}}, %{{.+}} = %{{.+}}[k, l] : tensor<?x?xf64, #[[CSR]]>) -> [i0, i1, k] : tensor<?x2x?xf64>
// CHECK:           nacho.reduce add %{{.+}} over [j0, j1, l] : f64
func.func @other(%A: tensor<?x?xf64, #BSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #BSR>, %b = %B[k, l] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j, l] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64>
}

// The entries of a tensor in CSR, which shares j and k with one in blocks, are listed by
// the parts of these indices. Those of a result are listed by its own indices again.
//
// Z[i, j] = sum_k A[i, k] * B[j, k]
//   -> E[i, k0, k1] = A[i, k]
//      Z[i, j0, j1] = sum_k0 sum_k1 E[i, k0, k1] * B[j0, k0, j1, k1]
//      F[i, j] = Z[i, j0, j1]
//      Z[i, j] = F[i, j]
//
// CHECK-LABEL: func.func @csr_times_blocks(
// CHECK-SAME:    %[[A:.+]]: tensor<5x?xf64, #[[CSR]]>, %[[B:.+]]: tensor<?x?x2x3xf64, #[[DSDD]]> {nacho.blocks = array<i64: 2, 3>}
// CHECK-SAME:    -> tensor<5x?xf64, #[[CSR]]> {
// CHECK:         %[[N:.+]] = tensor.dim %[[B]], %c0
// CHECK-NEXT:    %[[TWO:.+]] = arith.constant 2 : index
// CHECK-NEXT:    %[[N_j:.+]] = arith.muli %[[N]], %[[TWO]] : index
// CHECK:         %[[E:.+]] = nacho.assign collect<sorted_list> (%[[a:.+]] = %[[A]][i, k] : {{.+}}, %{{.+}} = %{{.+}}[k0] : tensor<?xi64>, %{{.+}} = %{{.+}}[k1] : tensor<3xi64>) where (k0 = k floordiv 3, k1 = k - 3 * k0) -> [i, k0, k1]
// CHECK-NEXT:      nacho.yield %[[a]] : f64
// CHECK:         %[[Z:.+]] = nacho.assign (%{{.+}} = %[[E]][i, k0, k1] : {{.+}}, %{{.+}} = %[[B]][j0, k0, j1, k1] : {{.+}}) -> [i, j0, j1]
// CHECK:           nacho.reduce add %{{.+}} over [k0, k1] : f64
// CHECK:         %[[J:.+]] = nacho.coordinates %[[N_j]] : tensor<?xi64>
// CHECK-NEXT:    %[[F:.+]] = nacho.assign collect<sorted_list> (%{{.+}} = %[[Z]][i, j0, j1] : {{.+}}, %{{.+}} = %[[J]][j] : tensor<?xi64>) where (j = 2 * j0 + j1) -> [i, j]
// CHECK:         %[[LAST:.+]] = nacho.assign (%{{.+}} = %[[F]][i, j] : {{.+}}) -> [i, j] : tensor<5x?xf64, #[[CSR]]>
// CHECK:         return %[[LAST]]
func.func @csr_times_blocks(%A: tensor<5x?xf64, #CSR>, %B: tensor<?x?xf64, #BSR>) -> tensor<5x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, k] : tensor<5x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #BSR>)
      -> [i, j] : tensor<5x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [k] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<5x?xf64, #CSR>
}
