// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Sparse signals with channels are convolved with a dense filter into a sparse
// result with the same levels.

#CCC = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed)
}>

#CDC = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : compressed)
}>

func.func @dense(%input: tensor<?x?x?xf32>,
                 %filter: tensor<?x?x?xf32>,
                 %init: tensor<?x?x?xf32>)
    -> tensor<?x?x?xf32> {
  %x = linalg.conv_1d_nwc_wcf
      {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%input, %filter : tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%init : tensor<?x?x?xf32>)
      -> tensor<?x?x?xf32>
  return %x : tensor<?x?x?xf32>
}

func.func @ccc(%input: tensor<?x?x?xf32, #CCC>,
               %filter: tensor<?x?x?xf32>)
    -> tensor<?x?x?xf32, #CCC> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %empty = tensor.empty(%c2, %c4, %c1)
      : tensor<?x?x?xf32, #CCC>
  %x = linalg.conv_1d_nwc_wcf
      {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%input, %filter : tensor<?x?x?xf32, #CCC>, tensor<?x?x?xf32>)
      outs(%empty : tensor<?x?x?xf32, #CCC>)
      -> tensor<?x?x?xf32, #CCC>
  return %x : tensor<?x?x?xf32, #CCC>
}

func.func @cdc(%input: tensor<?x?x?xf32, #CDC>,
               %filter: tensor<?x?x?xf32>)
    -> tensor<?x?x?xf32, #CDC> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %empty = tensor.empty(%c2, %c4, %c1)
      : tensor<?x?x?xf32, #CDC>
  %x = linalg.conv_1d_nwc_wcf
      {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%input, %filter : tensor<?x?x?xf32, #CDC>, tensor<?x?x?xf32>)
      outs(%empty : tensor<?x?x?xf32, #CDC>)
      -> tensor<?x?x?xf32, #CDC>
  return %x : tensor<?x?x?xf32, #CDC>
}

func.func @zeros(%size0: index, %size1: index, %size2: index) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%size0, %size1, %size2)
      : tensor<?x?x?xf32>
  %x = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?xf32>)
      -> tensor<?x?x?xf32>
  return %x : tensor<?x?x?xf32>
}

func.func @show(%x: tensor<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f32
  %read = vector.transfer_read %x[%c0, %c0, %c0], %pad
      : tensor<?x?x?xf32>, vector<2x4x1xf32>
  vector.print %read : vector<2x4x1xf32>
  return
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %image = arith.constant dense<[
    [
      [1.0, 0.0],
      [0.0, 0.0],
      [0.0, 0.0],
      [5.0, 0.0],
      [0.0, 0.5],
      [0.0, 4.0]
    ],
    [
      [0.0, 0.0],
      [1.0, 0.0],
      [0.5, 0.0],
      [0.0, 0.0],
      [0.0, 6.0],
      [0.5, 0.0]
    ]
  ]> : tensor<2x6x2xf32>
  %weights = arith.constant dense<[
    [[1.0], [1.0]],
    [[2.0], [1.0]],
    [[0.5], [0.0]]
  ]> : tensor<3x2x1xf32>
  %input = tensor.cast %image : tensor<2x6x2xf32> to tensor<?x?x?xf32>
  %filter = tensor.cast %weights : tensor<3x2x1xf32> to tensor<?x?x?xf32>
  %inputCCC = sparse_tensor.convert %input
      : tensor<?x?x?xf32> to tensor<?x?x?xf32, #CCC>
  %inputCDC = sparse_tensor.convert %input
      : tensor<?x?x?xf32> to tensor<?x?x?xf32, #CDC>

  // CHECK:      ( ( ( 1 ), ( 2.5 ), ( 10 ), ( 5.5 ) ), ( ( 2.25 ), ( 2 ), ( 0.5 ), ( 6.25 ) ) )
  %init0 = call @zeros(%c2, %c4, %c1)
      : (index, index, index) -> tensor<?x?x?xf32>
  %0 = call @dense(%input, %filter, %init0)
      : (tensor<?x?x?xf32>, tensor<?x?x?xf32>,
         tensor<?x?x?xf32>)
      -> tensor<?x?x?xf32>
  call @show(%0) : (tensor<?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( 1 ), ( 2.5 ), ( 10 ), ( 5.5 ) ), ( ( 2.25 ), ( 2 ), ( 0.5 ), ( 6.25 ) ) )
  %1 = call @ccc(%inputCCC, %filter)
      : (tensor<?x?x?xf32, #CCC>, tensor<?x?x?xf32>)
      -> tensor<?x?x?xf32, #CCC>
  %dense1 = sparse_tensor.convert %1
      : tensor<?x?x?xf32, #CCC> to tensor<?x?x?xf32>
  call @show(%dense1) : (tensor<?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( 1 ), ( 2.5 ), ( 10 ), ( 5.5 ) ), ( ( 2.25 ), ( 2 ), ( 0.5 ), ( 6.25 ) ) )
  %2 = call @cdc(%inputCDC, %filter)
      : (tensor<?x?x?xf32, #CDC>, tensor<?x?x?xf32>)
      -> tensor<?x?x?xf32, #CDC>
  %dense2 = sparse_tensor.convert %2
      : tensor<?x?x?xf32, #CDC> to tensor<?x?x?xf32>
  call @show(%dense2) : (tensor<?x?x?xf32>) -> ()

  bufferization.dealloc_tensor %inputCCC : tensor<?x?x?xf32, #CCC>
  bufferization.dealloc_tensor %inputCDC : tensor<?x?x?xf32, #CDC>
  bufferization.dealloc_tensor %0 : tensor<?x?x?xf32>
  bufferization.dealloc_tensor %1 : tensor<?x?x?xf32, #CCC>
  bufferization.dealloc_tensor %dense1 : tensor<?x?x?xf32>
  bufferization.dealloc_tensor %2 : tensor<?x?x?xf32, #CDC>
  bufferization.dealloc_tensor %dense2 : tensor<?x?x?xf32>
  return
}
