// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Tensors of order 3 are assembled from arrays of their own, with 64-bit positions
// and 32-bit coordinates.

#CCC = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed),
  posWidth = 64,
  crdWidth = 32
}>

#DDC = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed),
  posWidth = 64,
  crdWidth = 32
}>

#DCD = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : dense, d1 : compressed, d2 : dense),
  posWidth = 64,
  crdWidth = 32
}>

func.func @show(%dense: tensor<3x4x2xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1.0 : f32
  %values = vector.transfer_read %dense[%c0, %c0, %c0], %none
      : tensor<3x4x2xf32>, vector<3x4x2xf32>
  vector.print %values : vector<3x4x2xf32>
  return
}

func.func @main() {
  %ccc_pos_0 = arith.constant dense<[0, 2]> : tensor<2xi64>
  %ccc_crd_0 = arith.constant dense<[0, 2]> : tensor<2xi32>
  %ccc_pos_1 = arith.constant dense<[0, 1, 3]> : tensor<3xi64>
  %ccc_crd_1 = arith.constant dense<[3, 0, 2]> : tensor<3xi32>
  %ccc_pos_2 = arith.constant dense<[0, 2, 3, 4]> : tensor<4xi64>
  %ccc_crd_2 = arith.constant dense<[0, 1, 1, 0]> : tensor<4xi32>
  %ccc_values = arith.constant dense<[1.5, 2.0, -3.0, 4.25]> : tensor<4xf32>
  %ccc = sparse_tensor.assemble (%ccc_pos_0, %ccc_crd_0, %ccc_pos_1, %ccc_crd_1,
                                 %ccc_pos_2, %ccc_crd_2), %ccc_values
      : (tensor<2xi64>, tensor<2xi32>, tensor<3xi64>, tensor<3xi32>,
         tensor<4xi64>, tensor<4xi32>), tensor<4xf32>
      to tensor<3x4x2xf32, #CCC>
  %ccc_dense = sparse_tensor.convert %ccc
      : tensor<3x4x2xf32, #CCC> to tensor<3x4x2xf32>
  // CHECK:      ( ( ( 0, 0 ), ( 0, 0 ), ( 0, 0 ), ( 1.5, 2 ) ), ( ( 0, 0 ), ( 0, 0 ), ( 0, 0 ), ( 0, 0 ) ), ( ( 0, -3 ), ( 0, 0 ), ( 4.25, 0 ), ( 0, 0 ) ) )
  call @show(%ccc_dense) : (tensor<3x4x2xf32>) -> ()

  %ddc_pos = arith.constant dense<[0, 1, 1, 3, 3, 4, 4, 4, 5, 7, 7, 8, 8]>
      : tensor<13xi64>
  %ddc_crd = arith.constant dense<[1, 0, 1, 0, 1, 0, 1, 0]> : tensor<8xi32>
  %ddc_values = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>
      : tensor<8xf32>
  %ddc = sparse_tensor.assemble (%ddc_pos, %ddc_crd), %ddc_values
      : (tensor<13xi64>, tensor<8xi32>), tensor<8xf32> to tensor<3x4x2xf32, #DDC>
  %ddc_dense = sparse_tensor.convert %ddc
      : tensor<3x4x2xf32, #DDC> to tensor<3x4x2xf32>
  // CHECK-NEXT: ( ( ( 0, 1 ), ( 0, 0 ), ( 2, 3 ), ( 0, 0 ) ), ( ( 4, 0 ), ( 0, 0 ), ( 0, 0 ), ( 0, 5 ) ), ( ( 6, 7 ), ( 0, 0 ), ( 8, 0 ), ( 0, 0 ) ) )
  call @show(%ddc_dense) : (tensor<3x4x2xf32>) -> ()

  %dcd_pos = arith.constant dense<[0, 2, 2, 5]> : tensor<4xi64>
  %dcd_crd = arith.constant dense<[0, 3, 0, 1, 2]> : tensor<5xi32>
  %dcd_values = arith.constant dense<
    [9.0, 0.0, 8.0, 7.0, 0.0, 6.0, 5.0, 4.0, 3.0, 0.0]> : tensor<10xf32>
  %dcd = sparse_tensor.assemble (%dcd_pos, %dcd_crd), %dcd_values
      : (tensor<4xi64>, tensor<5xi32>), tensor<10xf32> to tensor<3x4x2xf32, #DCD>
  %dcd_dense = sparse_tensor.convert %dcd
      : tensor<3x4x2xf32, #DCD> to tensor<3x4x2xf32>
  // CHECK-NEXT: ( ( ( 9, 0 ), ( 0, 0 ), ( 0, 0 ), ( 8, 7 ) ), ( ( 0, 0 ), ( 0, 0 ), ( 0, 0 ), ( 0, 0 ) ), ( ( 0, 6 ), ( 5, 4 ), ( 3, 0 ), ( 0, 0 ) ) )
  call @show(%dcd_dense) : (tensor<3x4x2xf32>) -> ()

  // Only the runtime library copies the arrays.
  %copied = sparse_tensor.has_runtime_library
  scf.if %copied {
    bufferization.dealloc_tensor %ccc : tensor<3x4x2xf32, #CCC>
    bufferization.dealloc_tensor %ddc : tensor<3x4x2xf32, #DDC>
    bufferization.dealloc_tensor %dcd : tensor<3x4x2xf32, #DCD>
  }
  bufferization.dealloc_tensor %ccc_dense : tensor<3x4x2xf32>
  bufferization.dealloc_tensor %ddc_dense : tensor<3x4x2xf32>
  bufferization.dealloc_tensor %dcd_dense : tensor<3x4x2xf32>
  return
}
