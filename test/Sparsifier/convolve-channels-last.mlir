// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Sparse images with their channels last are convolved with a dense filter into a
// sparse result with the same levels.

#CCCC = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3) -> (d0 : compressed, d1 : compressed, d2 : compressed, d3 : compressed)
}>

#CDCD = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3) -> (d0 : compressed, d1 : dense, d2 : compressed, d3 : dense)
}>

func.func @dense(%input: tensor<?x?x?x?xf32>,
                 %filter: tensor<?x?x?x?xf32>,
                 %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %x = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      outs(%init : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
}

func.func @cccc(%input: tensor<?x?x?x?xf32, #CCCC>,
                %filter: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32, #CCCC> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %empty = tensor.empty(%c2, %c2, %c2, %c1)
      : tensor<?x?x?x?xf32, #CCCC>
  %x = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32, #CCCC>, tensor<?x?x?x?xf32>)
      outs(%empty : tensor<?x?x?x?xf32, #CCCC>)
      -> tensor<?x?x?x?xf32, #CCCC>
  return %x : tensor<?x?x?x?xf32, #CCCC>
}

func.func @cdcd(%input: tensor<?x?x?x?xf32, #CDCD>,
                %filter: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32, #CDCD> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %empty = tensor.empty(%c2, %c2, %c2, %c1)
      : tensor<?x?x?x?xf32, #CDCD>
  %x = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32, #CDCD>, tensor<?x?x?x?xf32>)
      outs(%empty : tensor<?x?x?x?xf32, #CDCD>)
      -> tensor<?x?x?x?xf32, #CDCD>
  return %x : tensor<?x?x?x?xf32, #CDCD>
}

func.func @zeros(%size0: index, %size1: index, %size2: index, %size3: index) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%size0, %size1, %size2, %size3)
      : tensor<?x?x?x?xf32>
  %x = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
}

func.func @show(%x: tensor<?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f32
  %read = vector.transfer_read %x[%c0, %c0, %c0, %c0], %pad
      : tensor<?x?x?x?xf32>, vector<2x2x2x1xf32>
  vector.print %read : vector<2x2x2x1xf32>
  return
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %image = arith.constant dense<[
    [
      [[0.0, 0.0], [0.0, 6.0], [0.0, 0.0], [0.0, 0.0]],
      [[3.0, 0.0], [0.0, 0.0], [0.0, 4.0], [0.0, 0.0]],
      [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
      [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 2.0]]
    ],
    [
      [[1.5, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
      [[0.0, 0.0], [0.0, 1.5], [0.0, 0.0], [0.0, 4.0]],
      [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]],
      [[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [1.5, 0.0]]
    ]
  ]> : tensor<2x4x4x2xf32>
  %weights = arith.constant dense<[
    [
      [[-1.0], [0.0]],
      [[-1.0], [0.5]],
      [[-1.0], [-1.0]]
    ],
    [
      [[2.0], [0.5]],
      [[1.0], [1.0]],
      [[-1.0], [-1.0]]
    ],
    [
      [[0.0], [0.0]],
      [[-1.0], [0.5]],
      [[-1.0], [0.5]]
    ]
  ]> : tensor<3x3x2x1xf32>
  %input = tensor.cast %image : tensor<2x4x4x2xf32> to tensor<?x?x?x?xf32>
  %filter = tensor.cast %weights : tensor<3x3x2x1xf32> to tensor<?x?x?x?xf32>
  %inputCCCC = sparse_tensor.convert %input
      : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32, #CCCC>
  %inputCDCD = sparse_tensor.convert %input
      : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32, #CDCD>

  // CHECK:      ( ( ( ( 4 ), ( 4 ) ), ( ( -6 ), ( 5 ) ) ), ( ( ( 0 ), ( -4.25 ) ), ( ( -2.25 ), ( -3.5 ) ) ) )
  %init0 = call @zeros(%c2, %c2, %c2, %c1)
      : (index, index, index, index) -> tensor<?x?x?x?xf32>
  %0 = call @dense(%input, %filter, %init0)
      : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>,
         tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  call @show(%0) : (tensor<?x?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( 4 ), ( 4 ) ), ( ( -6 ), ( 5 ) ) ), ( ( ( 0 ), ( -4.25 ) ), ( ( -2.25 ), ( -3.5 ) ) ) )
  %1 = call @cccc(%inputCCCC, %filter)
      : (tensor<?x?x?x?xf32, #CCCC>, tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32, #CCCC>
  %dense1 = sparse_tensor.convert %1
      : tensor<?x?x?x?xf32, #CCCC> to tensor<?x?x?x?xf32>
  call @show(%dense1) : (tensor<?x?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( 4 ), ( 4 ) ), ( ( -6 ), ( 5 ) ) ), ( ( ( 0 ), ( -4.25 ) ), ( ( -2.25 ), ( -3.5 ) ) ) )
  %2 = call @cdcd(%inputCDCD, %filter)
      : (tensor<?x?x?x?xf32, #CDCD>, tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32, #CDCD>
  %dense2 = sparse_tensor.convert %2
      : tensor<?x?x?x?xf32, #CDCD> to tensor<?x?x?x?xf32>
  call @show(%dense2) : (tensor<?x?x?x?xf32>) -> ()

  bufferization.dealloc_tensor %inputCCCC : tensor<?x?x?x?xf32, #CCCC>
  bufferization.dealloc_tensor %inputCDCD : tensor<?x?x?x?xf32, #CDCD>
  bufferization.dealloc_tensor %0 : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %1 : tensor<?x?x?x?xf32, #CCCC>
  bufferization.dealloc_tensor %dense1 : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %2 : tensor<?x?x?x?xf32, #CDCD>
  bufferization.dealloc_tensor %dense2 : tensor<?x?x?x?xf32>
  return
}
