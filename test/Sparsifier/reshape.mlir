// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sparse matrix becomes a matrix, a vector and a tensor of other shapes.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#CCC = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

func.func @to_matrix(%matrix: tensor<4x6xf64, #DCSR>) -> tensor<3x8xf64, #DCSR> {
  %shape = arith.constant dense<[3, 8]> : tensor<2xi32>
  %result = tensor.reshape %matrix(%shape)
      : (tensor<4x6xf64, #DCSR>, tensor<2xi32>) -> tensor<3x8xf64, #DCSR>
  return %result : tensor<3x8xf64, #DCSR>
}

func.func @to_vector(%matrix: tensor<4x6xf64, #DCSR>) -> tensor<24xf64, #Vector> {
  %shape = arith.constant dense<[24]> : tensor<1xi32>
  %result = tensor.reshape %matrix(%shape)
      : (tensor<4x6xf64, #DCSR>, tensor<1xi32>) -> tensor<24xf64, #Vector>
  return %result : tensor<24xf64, #Vector>
}

func.func @to_tensor(%matrix: tensor<4x6xf64, #DCSR>) -> tensor<3x2x4xf64, #CCC> {
  %shape = arith.constant dense<[3, 2, 4]> : tensor<3xi32>
  %result = tensor.reshape %matrix(%shape)
      : (tensor<4x6xf64, #DCSR>, tensor<3xi32>) -> tensor<3x2x4xf64, #CCC>
  return %result : tensor<3x2x4xf64, #CCC>
}

func.func @main() {
  %dense = arith.constant dense<[
    [1.5, 0.0, 0.0, 2.0, 0.0, 0.0],
    [0.0, 3.5, 0.0, 0.0, 0.0, 4.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [5.5, 0.0, 6.0, 0.0, 7.5, 0.0]
  ]> : tensor<4x6xf64>
  %sparse = sparse_tensor.convert %dense : tensor<4x6xf64> to tensor<4x6xf64, #DCSR>
  %matrix = call @to_matrix(%sparse) : (tensor<4x6xf64, #DCSR>) -> tensor<3x8xf64, #DCSR>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 3, 8 )
  // CHECK-NEXT: lvl = ( 3, 8 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 4, 7 )
  // CHECK-NEXT: crd[1] : ( 0, 3, 7, 3, 2, 4, 6 )
  // CHECK-NEXT: values : ( 1.5, 2, 3.5, 4, 5.5, 6, 7.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %matrix : tensor<3x8xf64, #DCSR>
  %vector = call @to_vector(%sparse) : (tensor<4x6xf64, #DCSR>) -> tensor<24xf64, #Vector>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 24 )
  // CHECK-NEXT: lvl = ( 24 )
  // CHECK-NEXT: pos[0] : ( 0, 7 )
  // CHECK-NEXT: crd[0] : ( 0, 3, 7, 11, 18, 20, 22 )
  // CHECK-NEXT: values : ( 1.5, 2, 3.5, 4, 5.5, 6, 7.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %vector : tensor<24xf64, #Vector>
  %tensor = call @to_tensor(%sparse) : (tensor<4x6xf64, #DCSR>) -> tensor<3x2x4xf64, #CCC>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 3, 2, 4 )
  // CHECK-NEXT: lvl = ( 3, 2, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3, 5 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 0, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 2, 3, 4, 5, 7 )
  // CHECK-NEXT: crd[2] : ( 0, 3, 3, 3, 2, 0, 2 )
  // CHECK-NEXT: values : ( 1.5, 2, 3.5, 4, 5.5, 6, 7.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %tensor : tensor<3x2x4xf64, #CCC>
  bufferization.dealloc_tensor %sparse : tensor<4x6xf64, #DCSR>
  bufferization.dealloc_tensor %matrix : tensor<3x8xf64, #DCSR>
  bufferization.dealloc_tensor %vector : tensor<24xf64, #Vector>
  bufferization.dealloc_tensor %tensor : tensor<3x2x4xf64, #CCC>
  return
}
