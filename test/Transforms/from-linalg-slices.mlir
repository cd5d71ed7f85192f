// RUN: nacho-opt --nacho-from-linalg --split-input-file %s | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#Slice = #sparse_tensor.encoding<{
  map = (d0 : #sparse_tensor<slice(?, 4, 2)>, d1 : #sparse_tensor<slice(1, ?, 1)>) ->
        (d0 : dense, d1 : compressed) }>
#sum = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}

// y[i] = sum of A[o + 2 * i, 1 + j]

// CHECK-LABEL: func.func @extracted(
// CHECK-SAME:    %[[A:.+]]: tensor<?x?xf64, #[[CSR:.+]]>, %[[OFFSET:.+]]: tensor<i64>, %[[NUMBER:.+]]: tensor<i64>,
// CHECK-NEXT:    %[[N64:.+]] = tensor.extract %[[NUMBER]][] : tensor<i64>
// CHECK-NEXT:    %[[N:.+]] = arith.index_cast %[[N64]] : i64 to index
// CHECK-NEXT:    %[[O64:.+]] = tensor.extract %[[OFFSET]][] : tensor<i64>
// CHECK-NEXT:    %[[O:.+]] = arith.index_cast %[[O64]] : i64 to index
// CHECK-NEXT:    %[[S:.+]] = nacho.slice %[[A]] [%[[O]], 1] [4, %[[N]]] [2, 1] : tensor<?x?xf64, #[[CSR]]> to tensor<4x?xf64, #[[CSR]]>
// CHECK-NEXT:    nacho.assign (%{{.+}} = %[[S]][i, j] : tensor<4x?xf64, #[[CSR]]>)
// CHECK-NOT:     tensor.extract_slice
func.func @extracted(%A: tensor<?x?xf64, #CSR>, %o: index, %n: index, %y: tensor<4xf64>) -> tensor<4xf64> {
  %S = tensor.extract_slice %A[%o, 1] [4, %n] [2, 1] : tensor<?x?xf64, #CSR> to tensor<4x?xf64, #Slice>
  %z = linalg.generic #sum ins(%S : tensor<4x?xf64, #Slice>) outs(%y : tensor<4xf64>) {
  ^bb0(%s: f64, %old: f64):
    %0 = arith.addf %old, %s : f64
    linalg.yield %0 : f64
  } -> tensor<4xf64>
  return %z : tensor<4xf64>
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#Slice = #sparse_tensor.encoding<{
  map = (d0 : #sparse_tensor<slice(1, 4, 2)>, d1 : #sparse_tensor<slice(0, 3, 1)>) ->
        (d0 : compressed, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

// A function takes the whole tensor of which its argument is a slice.

// CHECK-LABEL: func.func @argument(
// CHECK-SAME:    %[[A:.+]]: tensor<?x?xf64, #[[DCSR:.+]]>)
// CHECK-NEXT:    %[[S:.+]] = nacho.slice %[[A]] [1, 0] [4, 3] [2, 1] : tensor<?x?xf64, #[[DCSR]]> to tensor<4x3xf64, #[[DCSR]]>
// CHECK-NEXT:    nacho.assign (%{{.+}} = %[[S]][i, j] :
func.func @argument(%S: tensor<4x3xf64, #Slice>) -> tensor<4x3xf64, #DCSR> {
  %empty = tensor.empty() : tensor<4x3xf64, #DCSR>
  %z = linalg.generic #each ins(%S : tensor<4x3xf64, #Slice>) outs(%empty : tensor<4x3xf64, #DCSR>) {
  ^bb0(%s: f64, %old: f64):
    %0 = arith.negf %s : f64
    linalg.yield %0 : f64
  } -> tensor<4x3xf64, #DCSR>
  return %z : tensor<4x3xf64, #DCSR>
}
