// RUN: nacho-opt %s -nacho-order-loops=sort-products=true --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nacho-opt %s -nacho-order-loops --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=SCATTERED

// With sort-products, products are listed and sorted where their sums are
// scattered over a dense result.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>

// The sums of rows are not scattered.
//
// CHECK-LABEL: func.func @negative_rows(
// CHECK-NOT:     collect
// CHECK-NOT:     whole_entries
// CHECK:         return
func.func @negative_rows(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// A sparse result has sums in a workspace, or of parts.
//
// CHECK-LABEL: func.func @negative_sparse_result(
// CHECK:         nacho.assign collect<part_sums>
func.func @negative_sparse_result(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// E[j, i] = sorted A[i, j] * x[i];  y[j] = sum_i E[j, i]
//
// CHECK-LABEL: func.func @columns(
// CHECK:         %E = nacho.assign collect<sorted_list> ({{.+}}[i, j] : {{.+}}, {{.+}}[i] : {{.+}}) -> [j, i] : {{.+}} {
// CHECK:         nacho.assign ({{.+}} = %E[j, i] : {{.+}}) -> [j] : tensor<?xf64> {
// CHECK:           nacho.reduce add %{{.+}} over [i] : f64
// CHECK:         } {whole_entries}
// SCATTERED-LABEL: func.func @columns(
// SCATTERED-NOT:     collect
// SCATTERED:         return
func.func @columns(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[i] : tensor<?xf64>)
      -> [j] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i] : f64
    nacho.yield %1 : f64
  } {order = ["i", "j"]}
  return %y : tensor<?xf64>
}

// The indices that are summed are in the order of the loops, in which a single
// part would add up the elements: only k has to be sorted.
//
// E[k, i, j] = sorted T[i, j, k];  y[k] = b[k] + sum_i sum_j E[k, i, j]
//
// CHECK-LABEL: func.func @order_of_loops(
// CHECK:         %E = nacho.assign collect<sorted_list> ({{.+}}[i, j, k] : {{.+}}) -> [k, i, j] : {{.+}} {
// CHECK:         nacho.assign ({{.+}} = %{{.+}}[k] : {{.+}}, {{.+}} = %E[k, i, j] : {{.+}}) -> [k] : tensor<?xf64> {
// CHECK:           nacho.reduce add %{{.+}} over [i, j] : f64
// CHECK:         } {whole_entries}
func.func @order_of_loops(%T: tensor<?x?x?xf64, #CSF>, %b: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%t = %T[i, j, k] : tensor<?x?x?xf64, #CSF>, %c = %b[k] : tensor<?xf64>)
      -> [k] : tensor<?xf64> {
    %0 = nacho.reduce add %t over [j, i] : f64
    %1 = nacho.binary add %c, %0 : f64
    nacho.yield %1 : f64
  } {order = ["i", "j", "k"]}
  return %y : tensor<?xf64>
}

// Where two terms are summed, one is added up first, in the order in which it would be
// scattered, and not merged with the other one.
//
// E[j, i] = sorted A[i, j];  T[j] = sum_i E[j, i];  y[j] = T[j] + sum_i F[j, i]
//
// CHECK-LABEL: func.func @two_sums(
// CHECK:         %[[E:[^ ]+]] = nacho.assign collect<sorted_list> ({{.+}} = %A[i, j] : {{.+}}) -> [j, i]
// CHECK:         %[[T:[^ ]+]] = nacho.assign ({{.+}} = %[[E]][j, i] : {{.+}}) -> [j] : tensor<?xf64> {
// CHECK:           nacho.reduce add %{{.+}} over [i] : f64
// CHECK:         %[[F:[^ ]+]] = nacho.assign collect<sorted_list> ({{.+}} = %B[i, j] : {{.+}}) -> [j, i]
// CHECK:         nacho.assign ({{.+}} = %[[T]][j] : tensor<?xf64>, {{.+}} = %[[F]][j, i] : {{.+}}) -> [j] : tensor<?xf64> {
// CHECK-COUNT-1:   nacho.reduce add
// CHECK-NOT:       nacho.reduce add
// CHECK:         return
func.func @two_sums(%A: tensor<?x?xf64, #CSR> loc("A"), %B: tensor<?x?xf64, #CSR> loc("B"))
    -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [j] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [i] : f64
    %1 = nacho.reduce add %b over [i] : f64
    %2 = nacho.binary add %0, %1 : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}
