// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A matrix stored as a list of coordinates is transposed into another such list.

#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)
}>

func.func @transpose(%matrix: tensor<6x4xf32, #COO>) -> tensor<4x6xf32, #COO> {
  %empty = tensor.empty() : tensor<4x6xf32, #COO>
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%matrix : tensor<6x4xf32, #COO>) outs(%empty : tensor<4x6xf32, #COO>) {
  ^bb0(%value: f32, %unused: f32):
    linalg.yield %value : f32
  } -> tensor<4x6xf32, #COO>
  return %result : tensor<4x6xf32, #COO>
}

func.func @main() {
  %dense = arith.constant dense<[
    [1.0, 0.0, 0.0, 2.5],
    [0.0, 0.0, 3.0, 0.0],
    [4.0, 5.0, 6.0, 7.0],
    [0.0, 0.0, 0.0, 0.0],
    [0.0, 8.0, 0.0, 9.5],
    [0.5, 0.0, 0.0, 0.0]
  ]> : tensor<6x4xf32>
  %matrix = sparse_tensor.convert %dense : tensor<6x4xf32> to tensor<6x4xf32, #COO>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 10
  // CHECK-NEXT: dim = ( 6, 4 )
  // CHECK-NEXT: lvl = ( 6, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 10 )
  // CHECK-NEXT: crd[0] : ( 0, 0, 0, 3, 1, 2, 2, 0, 2, 1, 2, 2, 2, 3, 4, 1, 4, 3, 5, 0 )
  // CHECK-NEXT: values : ( 1, 2.5, 3, 4, 5, 6, 7, 8, 9.5, 0.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %matrix : tensor<6x4xf32, #COO>
  %transposed = call @transpose(%matrix)
      : (tensor<6x4xf32, #COO>) -> tensor<4x6xf32, #COO>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 10
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 4, 6 )
  // CHECK-NEXT: pos[0] : ( 0, 10 )
  // CHECK-NEXT: crd[0] : ( 0, 0, 0, 2, 0, 5, 1, 2, 1, 4, 2, 1, 2, 2, 3, 0, 3, 2, 3, 4 )
  // CHECK-NEXT: values : ( 1, 4, 0.5, 5, 8, 3, 6, 2.5, 7, 9.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %transposed : tensor<4x6xf32, #COO>
  bufferization.dealloc_tensor %matrix : tensor<6x4xf32, #COO>
  bufferization.dealloc_tensor %transposed : tensor<4x6xf32, #COO>
  return
}
