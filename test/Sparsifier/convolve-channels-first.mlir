// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Sparse images with their channels first are convolved with a dense and with a
// sparse filter into a dense result.

#CDCD = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3) -> (d0 : compressed, d1 : dense, d2 : compressed, d3 : dense)
}>

#CCCC = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3) -> (d0 : compressed, d1 : compressed, d2 : compressed, d3 : compressed)
}>

func.func @dense(%input: tensor<?x?x?x?xf32>,
                 %filter: tensor<?x?x?x?xf32>,
                 %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %x = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      outs(%init : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
}

func.func @cdcd(%input: tensor<?x?x?x?xf32, #CDCD>,
                %filter: tensor<?x?x?x?xf32>,
                %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %x = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32, #CDCD>, tensor<?x?x?x?xf32>)
      outs(%init : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
}

func.func @cccc(%input: tensor<?x?x?x?xf32, #CCCC>,
                %filter: tensor<?x?x?x?xf32>,
                %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %x = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32, #CCCC>, tensor<?x?x?x?xf32>)
      outs(%init : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
}

func.func @cccc_both(%input: tensor<?x?x?x?xf32, #CCCC>,
                     %filter: tensor<?x?x?x?xf32, #CCCC>,
                     %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %x = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%input, %filter : tensor<?x?x?x?xf32, #CCCC>, tensor<?x?x?x?xf32, #CCCC>)
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
      : tensor<?x?x?x?xf32>, vector<2x1x2x2xf32>
  vector.print %read : vector<2x1x2x2xf32>
  return
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %image = arith.constant dense<[
    [
      [
        [0.0, 0.0, 0.0, 6.0],
        [0.0, 0.0, 5.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0]
      ],
      [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.5, 0.0, 0.0]
      ]
    ],
    [
      [
        [0.0, 0.0, 0.0, 0.0],
        [3.0, 0.0, 0.0, 0.5],
        [0.0, 1.5, 0.0, 1.5],
        [0.0, 0.0, 4.0, 5.0]
      ],
      [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 5.0, 0.0, 6.0]
      ]
    ]
  ]> : tensor<2x2x4x4xf32>
  %weights = arith.constant dense<[
    [
      [[0.0, 2.0, 1.0], [2.0, 0.5, 1.0], [2.0, 1.0, 1.0]],
      [[0.5, 0.0, 1.0], [0.0, 0.0, 1.0], [-1.0, 2.0, 2.0]]
    ]
  ]> : tensor<1x2x3x3xf32>
  %input = tensor.cast %image : tensor<2x2x4x4xf32> to tensor<?x?x?x?xf32>
  %filter = tensor.cast %weights : tensor<1x2x3x3xf32> to tensor<?x?x?x?xf32>
  %inputCDCD = sparse_tensor.convert %input
      : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32, #CDCD>
  %inputCCCC = sparse_tensor.convert %input
      : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32, #CCCC>
  %filterCCCC = sparse_tensor.convert %filter
      : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32, #CCCC>

  // CHECK:      ( ( ( ( 6, 8.5 ), ( 7, 9.5 ) ) ), ( ( ( 7.5, 5 ), ( 14.75, 21 ) ) ) )
  %init0 = call @zeros(%c2, %c1, %c2, %c2)
      : (index, index, index, index) -> tensor<?x?x?x?xf32>
  %0 = call @dense(%input, %filter, %init0)
      : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>,
         tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  call @show(%0) : (tensor<?x?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( 6, 8.5 ), ( 7, 9.5 ) ) ), ( ( ( 7.5, 5 ), ( 14.75, 21 ) ) ) )
  %init1 = call @zeros(%c2, %c1, %c2, %c2)
      : (index, index, index, index) -> tensor<?x?x?x?xf32>
  %1 = call @cdcd(%inputCDCD, %filter, %init1)
      : (tensor<?x?x?x?xf32, #CDCD>, tensor<?x?x?x?xf32>,
         tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  call @show(%1) : (tensor<?x?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( 6, 8.5 ), ( 7, 9.5 ) ) ), ( ( ( 7.5, 5 ), ( 14.75, 21 ) ) ) )
  %init2 = call @zeros(%c2, %c1, %c2, %c2)
      : (index, index, index, index) -> tensor<?x?x?x?xf32>
  %2 = call @cccc(%inputCCCC, %filter, %init2)
      : (tensor<?x?x?x?xf32, #CCCC>, tensor<?x?x?x?xf32>,
         tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  call @show(%2) : (tensor<?x?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( 6, 8.5 ), ( 7, 9.5 ) ) ), ( ( ( 7.5, 5 ), ( 14.75, 21 ) ) ) )
  %init3 = call @zeros(%c2, %c1, %c2, %c2)
      : (index, index, index, index) -> tensor<?x?x?x?xf32>
  %3 = call @cccc_both(%inputCCCC, %filterCCCC, %init3)
      : (tensor<?x?x?x?xf32, #CCCC>, tensor<?x?x?x?xf32, #CCCC>,
         tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  call @show(%3) : (tensor<?x?x?x?xf32>) -> ()

  bufferization.dealloc_tensor %inputCDCD : tensor<?x?x?x?xf32, #CDCD>
  bufferization.dealloc_tensor %inputCCCC : tensor<?x?x?x?xf32, #CCCC>
  bufferization.dealloc_tensor %filterCCCC : tensor<?x?x?x?xf32, #CCCC>
  bufferization.dealloc_tensor %0 : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %1 : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %2 : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %3 : tensor<?x?x?x?xf32>
  return
}
