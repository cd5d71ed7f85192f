// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sparse filter that covers most of a sparse image is moved over it.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

func.func @dense(%input: tensor<7x7xi32>, %filter: tensor<5x5xi32>,
                 %init: tensor<3x3xi32>) -> tensor<3x3xi32> {
  %x = linalg.conv_2d ins(%input, %filter : tensor<7x7xi32>, tensor<5x5xi32>)
                      outs(%init : tensor<3x3xi32>) -> tensor<3x3xi32>
  return %x : tensor<3x3xi32>
}

func.func @csr(%input: tensor<7x7xi32, #CSR>, %filter: tensor<5x5xi32, #CSR>,
               %init: tensor<3x3xi32>) -> tensor<3x3xi32> {
  %x = linalg.conv_2d ins(%input, %filter : tensor<7x7xi32, #CSR>, tensor<5x5xi32, #CSR>)
                      outs(%init : tensor<3x3xi32>) -> tensor<3x3xi32>
  return %x : tensor<3x3xi32>
}

func.func @dcsr(%input: tensor<7x7xi32, #DCSR>, %filter: tensor<5x5xi32, #CSR>,
                %init: tensor<3x3xi32>) -> tensor<3x3xi32> {
  %x = linalg.conv_2d ins(%input, %filter : tensor<7x7xi32, #DCSR>, tensor<5x5xi32, #CSR>)
                      outs(%init : tensor<3x3xi32>) -> tensor<3x3xi32>
  return %x : tensor<3x3xi32>
}

func.func @show(%x: tensor<3x3xi32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i32
  %read = vector.transfer_read %x[%c0, %c0], %pad
      : tensor<3x3xi32>, vector<3x3xi32>
  vector.print %read : vector<3x3xi32>
  return
}

func.func @main() {
  %input = arith.constant dense<[
    [0, 1, 0, 0, 2, 0, 0],
    [0, 0, 0, 0, 0, 0, 0],
    [3, 0, 0, 4, 0, 0, 5],
    [0, 0, 6, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 7, 0],
    [0, 0, 0, 0, 0, 0, 0],
    [8, 0, 0, 0, 9, 0, 0]
  ]> : tensor<7x7xi32>
  %filter = arith.constant dense<[
    [0, 1, 0, 0, -3],
    [0, 0, 2, 0, 0],
    [0, 0, 0, 0, 0],
    [4, 0, 0, 5, 0],
    [0, 0, -1, 0, 0]
  ]> : tensor<5x5xi32>
  %zeros = arith.constant dense<0> : tensor<3x3xi32>
  %inputCSR = sparse_tensor.convert %input
      : tensor<7x7xi32> to tensor<7x7xi32, #CSR>
  %filterCSR = sparse_tensor.convert %filter
      : tensor<5x5xi32> to tensor<5x5xi32, #CSR>
  %inputDCSR = sparse_tensor.convert %input
      : tensor<7x7xi32> to tensor<7x7xi32, #DCSR>

  // CHECK:      ( ( -5, 0, 24 ), ( 0, 8, 35 ), ( 12, 0, -20 ) )
  %0 = call @dense(%input, %filter, %zeros)
      : (tensor<7x7xi32>, tensor<5x5xi32>, tensor<3x3xi32>) -> tensor<3x3xi32>
  call @show(%0) : (tensor<3x3xi32>) -> ()

  // CHECK-NEXT: ( ( -5, 0, 24 ), ( 0, 8, 35 ), ( 12, 0, -20 ) )
  %1 = call @csr(%inputCSR, %filterCSR, %zeros)
      : (tensor<7x7xi32, #CSR>, tensor<5x5xi32, #CSR>, tensor<3x3xi32>) -> tensor<3x3xi32>
  call @show(%1) : (tensor<3x3xi32>) -> ()

  // CHECK-NEXT: ( ( -5, 0, 24 ), ( 0, 8, 35 ), ( 12, 0, -20 ) )
  %2 = call @dcsr(%inputDCSR, %filterCSR, %zeros)
      : (tensor<7x7xi32, #DCSR>, tensor<5x5xi32, #CSR>, tensor<3x3xi32>) -> tensor<3x3xi32>
  call @show(%2) : (tensor<3x3xi32>) -> ()

  bufferization.dealloc_tensor %inputCSR : tensor<7x7xi32, #CSR>
  bufferization.dealloc_tensor %filterCSR : tensor<5x5xi32, #CSR>
  bufferization.dealloc_tensor %inputDCSR : tensor<7x7xi32, #DCSR>
  bufferization.dealloc_tensor %0 : tensor<3x3xi32>
  bufferization.dealloc_tensor %1 : tensor<3x3xi32>
  bufferization.dealloc_tensor %2 : tensor<3x3xi32>
  return
}
