// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The sums of all windows of an image are taken, of a dense image and of a sparse one
// with 32-bit positions and coordinates.

#CCCC = #sparse_tensor.encoding<{
  map = (n, h, w, c) -> (n : compressed, h : compressed, w : compressed, c : compressed),
  posWidth = 32,
  crdWidth = 32
}>

func.func @pool_sparse(%image: tensor<1x4x5x1xf32, #CCCC>,
                       %window: tensor<2x3xf32>) -> tensor<1x3x3x1xf32, #CCCC> {
  %empty = tensor.empty() : tensor<1x3x3x1xf32, #CCCC>
  %result = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>,
                                     strides = dense<1> : tensor<2xi64>}
      ins(%image, %window : tensor<1x4x5x1xf32, #CCCC>, tensor<2x3xf32>)
      outs(%empty : tensor<1x3x3x1xf32, #CCCC>) -> tensor<1x3x3x1xf32, #CCCC>
  return %result : tensor<1x3x3x1xf32, #CCCC>
}

func.func @pool_dense(%image: tensor<1x4x5x1xf32>,
                      %window: tensor<2x3xf32>) -> tensor<1x3x3x1xf32> {
  %zeros = arith.constant dense<0.0> : tensor<1x3x3x1xf32>
  %result = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>,
                                     strides = dense<1> : tensor<2xi64>}
      ins(%image, %window : tensor<1x4x5x1xf32>, tensor<2x3xf32>)
      outs(%zeros : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  return %result : tensor<1x3x3x1xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1.0 : f32
  // Only the shape of the window counts.
  %window = arith.constant dense<[[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]> : tensor<2x3xf32>
  %image = arith.constant dense<[[
    [[1.0], [0.0], [2.0], [0.5], [3.0]],
    [[4.0], [1.0], [0.0], [2.0], [1.0]],
    [[0.0], [7.0], [0.5], [0.0], [1.0]],
    [[2.0], [1.0], [0.0], [8.0], [0.0]]]]> : tensor<1x4x5x1xf32>
  %sparse = sparse_tensor.convert %image
      : tensor<1x4x5x1xf32> to tensor<1x4x5x1xf32, #CCCC>

  %dense_sums = call @pool_dense(%image, %window)
      : (tensor<1x4x5x1xf32>, tensor<2x3xf32>) -> tensor<1x3x3x1xf32>
  %values = vector.transfer_read %dense_sums[%c0, %c0, %c0, %c0], %none
      : tensor<1x3x3x1xf32>, vector<1x3x3x1xf32>
  // CHECK:      ( ( ( ( 8 ), ( 5.5 ), ( 8.5 ) ), ( ( 12.5 ), ( 10.5 ), ( 4.5 ) ), ( ( 10.5 ), ( 16.5 ), ( 9.5 ) ) ) )
  vector.print %values : vector<1x3x3x1xf32>
  %sparse_sums = call @pool_sparse(%sparse, %window)
      : (tensor<1x4x5x1xf32, #CCCC>, tensor<2x3xf32>) -> tensor<1x3x3x1xf32, #CCCC>
  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 9
  // CHECK-NEXT: dim = ( 1, 3, 3, 1 )
  // CHECK-NEXT: lvl = ( 1, 3, 3, 1 )
  // CHECK-NEXT: pos[0] : ( 0, 1 )
  // CHECK-NEXT: crd[0] : ( 0 )
  // CHECK-NEXT: pos[1] : ( 0, 3 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2 )
  // CHECK-NEXT: pos[2] : ( 0, 3, 6, 9 )
  // CHECK-NEXT: crd[2] : ( 0, 1, 2, 0, 1, 2, 0, 1, 2 )
  // CHECK-NEXT: pos[3] : ( 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 )
  // CHECK-NEXT: crd[3] : ( 0, 0, 0, 0, 0, 0, 0, 0, 0 )
  // CHECK-NEXT: values : ( 8, 5.5, 8.5, 12.5, 10.5, 4.5, 10.5, 16.5, 9.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %sparse_sums : tensor<1x3x3x1xf32, #CCCC>

  bufferization.dealloc_tensor %sparse : tensor<1x4x5x1xf32, #CCCC>
  bufferization.dealloc_tensor %sparse_sums : tensor<1x3x3x1xf32, #CCCC>
  bufferization.dealloc_tensor %dense_sums : tensor<1x3x3x1xf32>
  return
}
