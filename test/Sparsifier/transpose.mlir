// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A matrix stored by rows is transposed, with and without a conversion to columns that
// the program asks for.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#DCSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : compressed, i : compressed)
}>

#transpose = {
  indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @with_conversion(%matrix: tensor<4x5xf64, #DCSR>) -> tensor<5x4xf64, #DCSR> {
  %columns = sparse_tensor.convert %matrix
      : tensor<4x5xf64, #DCSR> to tensor<4x5xf64, #DCSC>
  %empty = tensor.empty() : tensor<5x4xf64, #DCSR>
  %result = linalg.generic #transpose
      ins(%columns : tensor<4x5xf64, #DCSC>) outs(%empty : tensor<5x4xf64, #DCSR>) {
  ^bb0(%value: f64, %unused: f64):
    linalg.yield %value : f64
  } -> tensor<5x4xf64, #DCSR>
  bufferization.dealloc_tensor %columns : tensor<4x5xf64, #DCSC>
  return %result : tensor<5x4xf64, #DCSR>
}

func.func @without_conversion(%matrix: tensor<4x5xf64, #DCSR>) -> tensor<5x4xf64, #DCSR> {
  %empty = tensor.empty() : tensor<5x4xf64, #DCSR>
  %result = linalg.generic #transpose
      ins(%matrix : tensor<4x5xf64, #DCSR>) outs(%empty : tensor<5x4xf64, #DCSR>) {
  ^bb0(%value: f64, %unused: f64):
    linalg.yield %value : f64
  } -> tensor<5x4xf64, #DCSR>
  return %result : tensor<5x4xf64, #DCSR>
}

func.func @main() {
  %dense = arith.constant dense<[
    [0.0, 1.5, 0.0, 0.0, 2.0],
    [0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0, 4.5, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 6.0, 7.0]
  ]> : tensor<4x5xf64>
  %matrix = sparse_tensor.convert %dense : tensor<4x5xf64> to tensor<4x5xf64, #DCSR>
  %with = call @with_conversion(%matrix)
      : (tensor<4x5xf64, #DCSR>) -> tensor<5x4xf64, #DCSR>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 5, 4 )
  // CHECK-NEXT: lvl = ( 5, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 3, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 2, 0, 2, 3, 0, 3 )
  // CHECK-NEXT: values : ( 3, 1.5, 4.5, 6, 2, 7 )
  // CHECK-NEXT: ----
  sparse_tensor.print %with : tensor<5x4xf64, #DCSR>
  %without = call @without_conversion(%matrix)
      : (tensor<4x5xf64, #DCSR>) -> tensor<5x4xf64, #DCSR>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 5, 4 )
  // CHECK-NEXT: lvl = ( 5, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 3, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 2, 0, 2, 3, 0, 3 )
  // CHECK-NEXT: values : ( 3, 1.5, 4.5, 6, 2, 7 )
  // CHECK-NEXT: ----
  sparse_tensor.print %without : tensor<5x4xf64, #DCSR>
  bufferization.dealloc_tensor %matrix : tensor<4x5xf64, #DCSR>
  bufferization.dealloc_tensor %with : tensor<5x4xf64, #DCSR>
  bufferization.dealloc_tensor %without : tensor<5x4xf64, #DCSR>
  return
}
