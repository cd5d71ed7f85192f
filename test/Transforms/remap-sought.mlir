// RUN: nacho-opt %s -nacho-concretize -nacho-remap-intersections -cse --mlir-use-nameloc-as-prefix | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed) }>

//===----------------------------------------------------------------------===//
// Nothing to be sought
//===----------------------------------------------------------------------===//

// The rows of both operands depend on i.
//
// CHECK-LABEL: func.func @negative_same_rows(
// CHECK-NOT:     nacho.seek
// CHECK:         return
func.func @negative_same_rows(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// The rows of B are dense: they are located anyway.
//
// CHECK-LABEL: func.func @negative_dense_rows(
// CHECK-NOT:     nacho.seek
// CHECK:         return
func.func @negative_dense_rows(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<f64> {
  %z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j, k] : f64
    nacho.yield %1 : f64
  }
  return %z : tensor<f64>
}

// A row of A does not say where B has rows, if both are added.
//
// CHECK-LABEL: func.func @negative_union(
// CHECK-NOT:     nacho.seek
// CHECK:         return
func.func @negative_union(%T: tensor<?x?x?xf64, #CSF>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?x?xf64> {
  %Z = nacho.assign (%t = %T[i, j, k] : tensor<?x?x?xf64, #CSF>, %b = %B[j, k] : tensor<?x?xf64, #DCSR>)
      -> [i, j, k] : tensor<?x?x?xf64> {
    %0 = nacho.binary add %t, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?x?xf64>
}

//===----------------------------------------------------------------------===//
// Rows that are sought
//===----------------------------------------------------------------------===//

// z = sum_ijk A[i, j] * B[j, k]
//
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[B0:.+]] = nacho.root %arg1
// CHECK:         nacho.nest collect<scanned_list>
// CHECK-NEXT:      nacho.coiterate %i of (%[[A1:.+]] = %A0 : {{.+}}) in %[[A1]] {
// CHECK-NEXT:        nacho.coiterate %j of (%[[A2:.+]] = %[[A1]] : {{.+}}) in %[[A2]] {
// CHECK-NEXT:          %[[B1:.+]] = nacho.seek %j in %[[B0]]
// CHECK-NEXT:          %[[THERE:.+]] = nacho.present %[[B1]]
// CHECK:               nacho.position %[[B1]]
// CHECK-NOT:           nacho.position end
// CHECK:               nacho.append {{.+}} at(%i, %j, {{.+}}) if %[[THERE]]
func.func @rows(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>) -> tensor<f64> {
  %z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[j, k] : tensor<?x?xf64, #DCSR>)
      -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j, k] : f64
    nacho.yield %1 : f64
  } {order = ["i", "j", "k"]}
  return %z : tensor<f64>
}

// In a list, a row is a run of entries: the search finds both of its ends.
//
// CHECK-LABEL: func.func @runs(
// CHECK:         nacho.nest collect<scanned_list>
// CHECK:             %[[B1:.+]] = nacho.seek %j in %B0
// CHECK:             nacho.position %[[B1]]
// CHECK:             nacho.position end %[[B1]]
func.func @runs(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>) -> tensor<f64> {
  %z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[j, k] : tensor<?x?xf64, #COO>)
      -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j, k] : f64
    nacho.yield %1 : f64
  } {order = ["i", "j", "k"]}
  return %z : tensor<f64>
}
