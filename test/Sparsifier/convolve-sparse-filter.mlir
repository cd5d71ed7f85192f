// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A dense image is convolved with a sparse filter into a dense and into a sparse
// result.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

func.func @into_dense(%input: tensor<6x6xi32>, %filter: tensor<3x3xi32, #DCSR>,
                      %init: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %x = linalg.conv_2d ins(%input, %filter : tensor<6x6xi32>, tensor<3x3xi32, #DCSR>)
                      outs(%init : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %x : tensor<4x4xi32>
}

func.func @into_dcsr(%input: tensor<6x6xi32>,
                     %filter: tensor<3x3xi32, #DCSR>) -> tensor<4x4xi32, #DCSR> {
  %empty = tensor.empty() : tensor<4x4xi32, #DCSR>
  %x = linalg.conv_2d ins(%input, %filter : tensor<6x6xi32>, tensor<3x3xi32, #DCSR>)
                      outs(%empty : tensor<4x4xi32, #DCSR>) -> tensor<4x4xi32, #DCSR>
  return %x : tensor<4x4xi32, #DCSR>
}

func.func @show(%x: tensor<4x4xi32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i32
  %read = vector.transfer_read %x[%c0, %c0], %pad
      : tensor<4x4xi32>, vector<4x4xi32>
  vector.print %read : vector<4x4xi32>
  return
}

func.func @main() {
  %input = arith.constant dense<[
    [1, 0, 0, 2, 0, 0],
    [0, 3, 0, 0, 0, 4],
    [0, 0, 0, 0, 0, 0],
    [5, 0, 6, 0, 0, 0],
    [0, 0, 0, 7, 1, 0],
    [0, 2, 0, 0, 0, 8]
  ]> : tensor<6x6xi32>
  %filter = arith.constant dense<[
    [1, 0, -2],
    [0, 0, 0],
    [3, 0, 1]
  ]> : tensor<3x3xi32>
  %zeros = arith.constant dense<0> : tensor<4x4xi32>
  %filterDCSR = sparse_tensor.convert %filter
      : tensor<3x3xi32> to tensor<3x3xi32, #DCSR>

  // CHECK:      ( ( 1, -4, 0, 2 ), ( 21, 3, 18, -8 ), ( 0, 7, 1, 21 ), ( -7, 6, 6, 8 ) )
  %0 = call @into_dense(%input, %filterDCSR, %zeros)
      : (tensor<6x6xi32>, tensor<3x3xi32, #DCSR>, tensor<4x4xi32>) -> tensor<4x4xi32>
  call @show(%0) : (tensor<4x4xi32>) -> ()

  // CHECK-NEXT: ( ( 1, -4, 0, 2 ), ( 21, 3, 18, -8 ), ( 0, 7, 1, 21 ), ( -7, 6, 6, 8 ) )
  %1 = call @into_dcsr(%input, %filterDCSR)
      : (tensor<6x6xi32>, tensor<3x3xi32, #DCSR>) -> tensor<4x4xi32, #DCSR>
  %dense1 = sparse_tensor.convert %1 : tensor<4x4xi32, #DCSR> to tensor<4x4xi32>
  call @show(%dense1) : (tensor<4x4xi32>) -> ()

  bufferization.dealloc_tensor %filterDCSR : tensor<3x3xi32, #DCSR>
  bufferization.dealloc_tensor %0 : tensor<4x4xi32>
  bufferization.dealloc_tensor %1 : tensor<4x4xi32, #DCSR>
  bufferization.dealloc_tensor %dense1 : tensor<4x4xi32>
  return
}
