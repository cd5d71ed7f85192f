// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sparse image is convolved with a sparse filter of the same format into a result
// of that format, which equals the dense convolution.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#CD = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : dense)
}>

#CSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : dense, i : compressed)
}>

func.func @dense(%input: tensor<6x6xi32>, %filter: tensor<3x3xi32>,
                 %init: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %x = linalg.conv_2d ins(%input, %filter : tensor<6x6xi32>, tensor<3x3xi32>)
                      outs(%init : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %x : tensor<4x4xi32>
}

func.func @dcsr(%input: tensor<6x6xi32, #DCSR>,
                %filter: tensor<3x3xi32, #DCSR>) -> tensor<4x4xi32, #DCSR> {
  %empty = tensor.empty() : tensor<4x4xi32, #DCSR>
  %x = linalg.conv_2d ins(%input, %filter : tensor<6x6xi32, #DCSR>, tensor<3x3xi32, #DCSR>)
                      outs(%empty : tensor<4x4xi32, #DCSR>) -> tensor<4x4xi32, #DCSR>
  return %x : tensor<4x4xi32, #DCSR>
}

func.func @csr(%input: tensor<6x6xi32, #CSR>,
               %filter: tensor<3x3xi32, #CSR>) -> tensor<4x4xi32, #CSR> {
  %empty = tensor.empty() : tensor<4x4xi32, #CSR>
  %x = linalg.conv_2d ins(%input, %filter : tensor<6x6xi32, #CSR>, tensor<3x3xi32, #CSR>)
                      outs(%empty : tensor<4x4xi32, #CSR>) -> tensor<4x4xi32, #CSR>
  return %x : tensor<4x4xi32, #CSR>
}

func.func @compressed_dense(%input: tensor<6x6xi32, #CD>,
                            %filter: tensor<3x3xi32, #CD>) -> tensor<4x4xi32, #CD> {
  %empty = tensor.empty() : tensor<4x4xi32, #CD>
  %x = linalg.conv_2d ins(%input, %filter : tensor<6x6xi32, #CD>, tensor<3x3xi32, #CD>)
                      outs(%empty : tensor<4x4xi32, #CD>) -> tensor<4x4xi32, #CD>
  return %x : tensor<4x4xi32, #CD>
}

func.func @csc(%input: tensor<6x6xi32, #CSC>,
               %filter: tensor<3x3xi32, #CSC>) -> tensor<4x4xi32, #CSC> {
  %empty = tensor.empty() : tensor<4x4xi32, #CSC>
  %x = linalg.conv_2d ins(%input, %filter : tensor<6x6xi32, #CSC>, tensor<3x3xi32, #CSC>)
                      outs(%empty : tensor<4x4xi32, #CSC>) -> tensor<4x4xi32, #CSC>
  return %x : tensor<4x4xi32, #CSC>
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
  %inputDCSR = sparse_tensor.convert %input
      : tensor<6x6xi32> to tensor<6x6xi32, #DCSR>
  %filterDCSR = sparse_tensor.convert %filter
      : tensor<3x3xi32> to tensor<3x3xi32, #DCSR>
  %inputCSR = sparse_tensor.convert %input
      : tensor<6x6xi32> to tensor<6x6xi32, #CSR>
  %filterCSR = sparse_tensor.convert %filter
      : tensor<3x3xi32> to tensor<3x3xi32, #CSR>
  %inputCD = sparse_tensor.convert %input
      : tensor<6x6xi32> to tensor<6x6xi32, #CD>
  %filterCD = sparse_tensor.convert %filter
      : tensor<3x3xi32> to tensor<3x3xi32, #CD>
  %inputCSC = sparse_tensor.convert %input
      : tensor<6x6xi32> to tensor<6x6xi32, #CSC>
  %filterCSC = sparse_tensor.convert %filter
      : tensor<3x3xi32> to tensor<3x3xi32, #CSC>

  // CHECK:      ( ( 1, -4, 0, 2 ), ( 21, 3, 18, -8 ), ( 0, 7, 1, 21 ), ( -7, 6, 6, 8 ) )
  %0 = call @dense(%input, %filter, %zeros)
      : (tensor<6x6xi32>, tensor<3x3xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  call @show(%0) : (tensor<4x4xi32>) -> ()

  // CHECK-NEXT: ( ( 1, -4, 0, 2 ), ( 21, 3, 18, -8 ), ( 0, 7, 1, 21 ), ( -7, 6, 6, 8 ) )
  %1 = call @dcsr(%inputDCSR, %filterDCSR)
      : (tensor<6x6xi32, #DCSR>, tensor<3x3xi32, #DCSR>) -> tensor<4x4xi32, #DCSR>
  %dense1 = sparse_tensor.convert %1 : tensor<4x4xi32, #DCSR> to tensor<4x4xi32>
  call @show(%dense1) : (tensor<4x4xi32>) -> ()

  // CHECK-NEXT: ( ( 1, -4, 0, 2 ), ( 21, 3, 18, -8 ), ( 0, 7, 1, 21 ), ( -7, 6, 6, 8 ) )
  %2 = call @csr(%inputCSR, %filterCSR)
      : (tensor<6x6xi32, #CSR>, tensor<3x3xi32, #CSR>) -> tensor<4x4xi32, #CSR>
  %dense2 = sparse_tensor.convert %2 : tensor<4x4xi32, #CSR> to tensor<4x4xi32>
  call @show(%dense2) : (tensor<4x4xi32>) -> ()

  // CHECK-NEXT: ( ( 1, -4, 0, 2 ), ( 21, 3, 18, -8 ), ( 0, 7, 1, 21 ), ( -7, 6, 6, 8 ) )
  %3 = call @compressed_dense(%inputCD, %filterCD)
      : (tensor<6x6xi32, #CD>, tensor<3x3xi32, #CD>) -> tensor<4x4xi32, #CD>
  %dense3 = sparse_tensor.convert %3 : tensor<4x4xi32, #CD> to tensor<4x4xi32>
  call @show(%dense3) : (tensor<4x4xi32>) -> ()

  // CHECK-NEXT: ( ( 1, -4, 0, 2 ), ( 21, 3, 18, -8 ), ( 0, 7, 1, 21 ), ( -7, 6, 6, 8 ) )
  %4 = call @csc(%inputCSC, %filterCSC)
      : (tensor<6x6xi32, #CSC>, tensor<3x3xi32, #CSC>) -> tensor<4x4xi32, #CSC>
  %dense4 = sparse_tensor.convert %4 : tensor<4x4xi32, #CSC> to tensor<4x4xi32>
  call @show(%dense4) : (tensor<4x4xi32>) -> ()

  bufferization.dealloc_tensor %inputDCSR : tensor<6x6xi32, #DCSR>
  bufferization.dealloc_tensor %filterDCSR : tensor<3x3xi32, #DCSR>
  bufferization.dealloc_tensor %inputCSR : tensor<6x6xi32, #CSR>
  bufferization.dealloc_tensor %filterCSR : tensor<3x3xi32, #CSR>
  bufferization.dealloc_tensor %inputCD : tensor<6x6xi32, #CD>
  bufferization.dealloc_tensor %filterCD : tensor<3x3xi32, #CD>
  bufferization.dealloc_tensor %inputCSC : tensor<6x6xi32, #CSC>
  bufferization.dealloc_tensor %filterCSC : tensor<3x3xi32, #CSC>
  bufferization.dealloc_tensor %0 : tensor<4x4xi32>
  bufferization.dealloc_tensor %1 : tensor<4x4xi32, #DCSR>
  bufferization.dealloc_tensor %dense1 : tensor<4x4xi32>
  bufferization.dealloc_tensor %2 : tensor<4x4xi32, #CSR>
  bufferization.dealloc_tensor %dense2 : tensor<4x4xi32>
  bufferization.dealloc_tensor %3 : tensor<4x4xi32, #CD>
  bufferization.dealloc_tensor %dense3 : tensor<4x4xi32>
  bufferization.dealloc_tensor %4 : tensor<4x4xi32, #CSC>
  bufferization.dealloc_tensor %dense4 : tensor<4x4xi32>
  return
}
