// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sparse image is convolved with a dense and with a sparse filter whose elements
// are two apart.

#CCCC = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3) -> (d0 : compressed, d1 : compressed, d2 : compressed, d3 : compressed)
}>

#CDCC = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3) -> (d0 : compressed, d1 : dense, d2 : compressed, d3 : compressed)
}>

func.func @dense(%input: tensor<?x?x?x?xf32>,
                 %filter: tensor<?x?x?x?xf32>,
                 %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %x = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      outs(%init : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
}

func.func @cccc(%input: tensor<?x?x?x?xf32, #CCCC>,
                %filter: tensor<?x?x?x?xf32>,
                %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %x = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32, #CCCC>, tensor<?x?x?x?xf32>)
      outs(%init : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
}

func.func @cdcc(%input: tensor<?x?x?x?xf32, #CDCC>,
                %filter: tensor<?x?x?x?xf32>,
                %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %x = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32, #CDCC>, tensor<?x?x?x?xf32>)
      outs(%init : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
}

func.func @cdcc_both(%input: tensor<?x?x?x?xf32, #CDCC>,
                     %filter: tensor<?x?x?x?xf32, #CDCC>,
                     %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %x = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<2> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32, #CDCC>, tensor<?x?x?x?xf32, #CDCC>)
      outs(%init : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
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
      : tensor<?x?x?x?xf32>, vector<1x2x2x1xf32>
  vector.print %read : vector<1x2x2x1xf32>
  return
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %image = arith.constant dense<[
    [
      [
        [0.0, 2.0],
        [2.0, 0.0],
        [0.0, 0.0],
        [0.0, 2.0],
        [0.0, 0.0],
        [2.0, 1.0]
      ],
      [
        [4.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 2.0],
        [0.0, 3.0],
        [0.0, 0.0]
      ],
      [
        [3.0, 1.5],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0]
      ],
      [
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 6.0],
        [0.0, 0.0],
        [0.0, 4.0]
      ],
      [
        [0.0, 0.5],
        [0.0, 5.0],
        [0.0, 0.0],
        [0.0, 1.5],
        [0.0, 0.0],
        [0.0, 0.0]
      ],
      [
        [0.0, 4.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0]
      ]
    ]
  ]> : tensor<1x6x6x2xf32>
  %weights = arith.constant dense<[
    [
      [[2.0], [0.5]],
      [[-1.0], [0.5]],
      [[2.0], [1.0]]
    ],
    [
      [[1.0], [0.5]],
      [[2.0], [0.0]],
      [[0.5], [0.5]]
    ],
    [
      [[0.0], [0.0]],
      [[-1.0], [2.0]],
      [[1.0], [0.0]]
    ]
  ]> : tensor<3x3x2x1xf32>
  %input = tensor.cast %image : tensor<1x6x6x2xf32> to tensor<?x?x?x?xf32>
  %filter = tensor.cast %weights : tensor<3x3x2x1xf32> to tensor<?x?x?x?xf32>
  %inputCCCC = sparse_tensor.convert %input
      : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32, #CCCC>
  %inputCDCC = sparse_tensor.convert %input
      : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32, #CDCC>
  %filterCDCC = sparse_tensor.convert %filter
      : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32, #CDCC>

  // CHECK:      ( ( ( ( 4.75 ), ( 13 ) ), ( ( 11 ), ( 3 ) ) ) )
  %init0 = call @zeros(%c1, %c2, %c2, %c1)
      : (index, index, index, index) -> tensor<?x?x?x?xf32>
  %0 = call @dense(%input, %filter, %init0)
      : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>,
         tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  call @show(%0) : (tensor<?x?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( 4.75 ), ( 13 ) ), ( ( 11 ), ( 3 ) ) ) )
  %init1 = call @zeros(%c1, %c2, %c2, %c1)
      : (index, index, index, index) -> tensor<?x?x?x?xf32>
  %1 = call @cccc(%inputCCCC, %filter, %init1)
      : (tensor<?x?x?x?xf32, #CCCC>, tensor<?x?x?x?xf32>,
         tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  call @show(%1) : (tensor<?x?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( 4.75 ), ( 13 ) ), ( ( 11 ), ( 3 ) ) ) )
  %init2 = call @zeros(%c1, %c2, %c2, %c1)
      : (index, index, index, index) -> tensor<?x?x?x?xf32>
  %2 = call @cdcc(%inputCDCC, %filter, %init2)
      : (tensor<?x?x?x?xf32, #CDCC>, tensor<?x?x?x?xf32>,
         tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  call @show(%2) : (tensor<?x?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( 4.75 ), ( 13 ) ), ( ( 11 ), ( 3 ) ) ) )
  %init3 = call @zeros(%c1, %c2, %c2, %c1)
      : (index, index, index, index) -> tensor<?x?x?x?xf32>
  %3 = call @cdcc_both(%inputCDCC, %filterCDCC, %init3)
      : (tensor<?x?x?x?xf32, #CDCC>, tensor<?x?x?x?xf32, #CDCC>,
         tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  call @show(%3) : (tensor<?x?x?x?xf32>) -> ()

  bufferization.dealloc_tensor %inputCCCC : tensor<?x?x?x?xf32, #CCCC>
  bufferization.dealloc_tensor %inputCDCC : tensor<?x?x?x?xf32, #CDCC>
  bufferization.dealloc_tensor %filterCDCC : tensor<?x?x?x?xf32, #CDCC>
  bufferization.dealloc_tensor %0 : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %1 : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %2 : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %3 : tensor<?x?x?x?xf32>
  return
}
