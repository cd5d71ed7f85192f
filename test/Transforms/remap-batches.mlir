// RUN: nacho-opt %s -nacho-concretize -cse -nacho-remap-intersections=cost=nnz -cse --mlir-use-nameloc-as-prefix \
// RUN:   | FileCheck %s

#BATCHED = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : batch, d1 : dense, d2 : compressed) }>
#TWICE = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : batch, d1 : batch, d2 : compressed) }>
#DENSE = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed) }>

// Where no level is of batches, positions say how much there is up to a coordinate.
//
// CHECK-LABEL: func.func @negative_dense(
// CHECK-COUNT-1: nacho.nest
// CHECK-NOT:     nacho.nest
// CHECK:         return
func.func @negative_dense(%A: tensor<?x?x?xf64, #DENSE>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[n, i, j] : tensor<?x?x?xf64, #DENSE>) -> [n, i] : tensor<?x?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// Between two batches, there may be room for any number of entries. What each batch
// costs is therefore added up in a list:
//
//   for n in A: append (n, A[n]) with cost |A[n]|
//   for (n, An) in the list:
//     for i in An:
//       for j in An[i]: ...
//
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[A0:.+]] = nacho.root
// CHECK:         %[[L:.+]] = nacho.nest collect<scanned_list>
// CHECK:           nacho.coiterate %[[N:.+]] of (%[[A1:.+]] = %[[A0]]
// CHECK-NOT:         nacho.coiterate
// CHECK-DAG:         %[[POS:.+]] = nacho.position %[[A1]]
// CHECK-DAG:         %[[COST:.+]] = nacho.cost <nnz> %[[A1]]
// CHECK:             nacho.append %{{.+}} at(%[[N]], %[[POS]])
// CHECK:         nacho.nest
// CHECK:           nacho.coiterate %{{.+}} of (%[[ENTRY:.+]] = %{{.+}} : !
// CHECK:             %[[KEPT:.+]] = nacho.recall %[[ENTRY]] below 0
// CHECK:             %[[AGAIN:.+]] = nacho.fiber_at %[[A0]][%[[KEPT]]]
// CHECK:             nacho.coiterate %{{.+}} of (%[[A2:.+]] = %[[AGAIN]]
// CHECK:               nacho.coiterate %{{.+}} of (%{{.+}} = %[[A2]]
func.func @rows(%A: tensor<?x?x?xf64, #BATCHED>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[n, i, j] : tensor<?x?x?xf64, #BATCHED>) -> [n, i] : tensor<?x?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// With two levels of batches, one list has the coordinates of both.
//
// CHECK-LABEL: func.func @twice(
// CHECK:         nacho.nest collect<scanned_list>
// CHECK:           nacho.coiterate %[[M:.+]] of
// CHECK:             nacho.coiterate %[[N:.+]] of
// CHECK:               nacho.append %{{.+}} at(%[[M]], %[[N]], %{{.+}})
// CHECK:         nacho.nest
// CHECK-NOT:     nacho.nest
// CHECK:         return
func.func @twice(%A: tensor<?x?x?xf64, #TWICE>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[m, n, j] : tensor<?x?x?xf64, #TWICE>) -> [m, n] : tensor<?x?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}
