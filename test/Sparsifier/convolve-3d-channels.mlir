// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sparse volume with channels is convolved with a dense filter into a sparse
// result with the same levels.

#CCCCC = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3, d4) -> (d0 : compressed, d1 : compressed, d2 : compressed, d3 : compressed, d4 : compressed)
}>

#CDCDC = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3, d4) -> (d0 : compressed, d1 : dense, d2 : compressed, d3 : dense, d4 : compressed)
}>

func.func @dense(%input: tensor<?x?x?x?x?xf32>,
                 %filter: tensor<?x?x?x?x?xf32>,
                 %init: tensor<?x?x?x?x?xf32>)
    -> tensor<?x?x?x?x?xf32> {
  %x = linalg.conv_3d_ndhwc_dhwcf
      {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>}
      ins(%input, %filter : tensor<?x?x?x?x?xf32>, tensor<?x?x?x?x?xf32>)
      outs(%init : tensor<?x?x?x?x?xf32>)
      -> tensor<?x?x?x?x?xf32>
  return %x : tensor<?x?x?x?x?xf32>
}

func.func @ccccc(%input: tensor<?x?x?x?x?xf32, #CCCCC>,
                 %filter: tensor<?x?x?x?x?xf32>)
    -> tensor<?x?x?x?x?xf32, #CCCCC> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %empty = tensor.empty(%c1, %c2, %c2, %c2, %c1)
      : tensor<?x?x?x?x?xf32, #CCCCC>
  %x = linalg.conv_3d_ndhwc_dhwcf
      {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>}
      ins(%input, %filter : tensor<?x?x?x?x?xf32, #CCCCC>, tensor<?x?x?x?x?xf32>)
      outs(%empty : tensor<?x?x?x?x?xf32, #CCCCC>)
      -> tensor<?x?x?x?x?xf32, #CCCCC>
  return %x : tensor<?x?x?x?x?xf32, #CCCCC>
}

func.func @cdcdc(%input: tensor<?x?x?x?x?xf32, #CDCDC>,
                 %filter: tensor<?x?x?x?x?xf32>)
    -> tensor<?x?x?x?x?xf32, #CDCDC> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %empty = tensor.empty(%c1, %c2, %c2, %c2, %c1)
      : tensor<?x?x?x?x?xf32, #CDCDC>
  %x = linalg.conv_3d_ndhwc_dhwcf
      {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>}
      ins(%input, %filter : tensor<?x?x?x?x?xf32, #CDCDC>, tensor<?x?x?x?x?xf32>)
      outs(%empty : tensor<?x?x?x?x?xf32, #CDCDC>)
      -> tensor<?x?x?x?x?xf32, #CDCDC>
  return %x : tensor<?x?x?x?x?xf32, #CDCDC>
}

func.func @zeros(%size0: index, %size1: index, %size2: index, %size3: index, %size4: index) -> tensor<?x?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%size0, %size1, %size2, %size3, %size4)
      : tensor<?x?x?x?x?xf32>
  %x = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x?x?x?xf32>)
      -> tensor<?x?x?x?x?xf32>
  return %x : tensor<?x?x?x?x?xf32>
}

func.func @show(%x: tensor<?x?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f32
  %read = vector.transfer_read %x[%c0, %c0, %c0, %c0, %c0], %pad
      : tensor<?x?x?x?x?xf32>, vector<1x2x2x2x1xf32>
  vector.print %read : vector<1x2x2x2x1xf32>
  return
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %image = arith.constant dense<[
    [
      [
        [[0.0, 0.0], [0.0, 0.0], [0.0, 2.0], [0.0, 0.0]],
        [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
        [[0.5, 1.0], [0.0, 0.0], [0.0, 0.5], [0.0, 0.0]],
        [[0.5, 0.0], [0.0, 0.0], [3.0, 0.0], [0.0, 0.0]]
      ],
      [
        [[0.0, 0.0], [0.0, 3.0], [0.0, 0.0], [0.0, 0.0]],
        [[0.0, 3.0], [0.0, 4.0], [0.0, 0.0], [0.0, 5.0]],
        [[0.0, 0.0], [6.0, 0.0], [0.0, 0.0], [2.0, 0.0]],
        [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
      ],
      [
        [[0.0, 0.0], [0.0, 0.0], [6.0, 0.0], [0.0, 0.0]],
        [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
        [[0.0, 0.0], [0.0, 0.0], [2.0, 0.0], [0.0, 0.0]],
        [[3.0, 0.0], [0.0, 1.5], [0.0, 0.0], [0.0, 0.0]]
      ],
      [
        [[0.0, 0.0], [5.0, 0.0], [0.0, 0.0], [2.0, 0.0]],
        [[0.0, 0.0], [0.0, 0.0], [2.0, 0.0], [0.0, 0.0]],
        [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
        [[0.5, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
      ]
    ]
  ]> : tensor<1x4x4x4x2xf32>
  %weights = arith.constant dense<[
    [
      [
        [[2.0], [2.0]],
        [[-1.0], [-1.0]],
        [[2.0], [0.5]]
      ],
      [
        [[2.0], [-1.0]],
        [[2.0], [2.0]],
        [[-1.0], [0.5]]
      ],
      [
        [[1.0], [1.0]],
        [[2.0], [1.0]],
        [[-1.0], [0.5]]
      ]
    ],
    [
      [
        [[0.0], [0.0]],
        [[0.5], [2.0]],
        [[-1.0], [-1.0]]
      ],
      [
        [[0.5], [0.0]],
        [[1.0], [0.5]],
        [[2.0], [1.0]]
      ],
      [
        [[1.0], [0.0]],
        [[0.0], [0.5]],
        [[0.0], [0.0]]
      ]
    ],
    [
      [
        [[1.0], [1.0]],
        [[0.5], [1.0]],
        [[0.0], [1.0]]
      ],
      [
        [[-1.0], [2.0]],
        [[1.0], [0.0]],
        [[0.0], [2.0]]
      ],
      [
        [[0.0], [2.0]],
        [[-1.0], [1.0]],
        [[2.0], [0.0]]
      ]
    ]
  ]> : tensor<3x3x3x2x1xf32>
  %input = tensor.cast %image : tensor<1x4x4x4x2xf32> to tensor<?x?x?x?x?xf32>
  %filter = tensor.cast %weights : tensor<3x3x3x2x1xf32> to tensor<?x?x?x?x?xf32>
  %inputCCCCC = sparse_tensor.convert %input
      : tensor<?x?x?x?x?xf32> to tensor<?x?x?x?x?xf32, #CCCCC>
  %inputCDCDC = sparse_tensor.convert %input
      : tensor<?x?x?x?x?xf32> to tensor<?x?x?x?x?xf32, #CDCDC>

  // CHECK:      ( ( ( ( ( 14.75 ), ( 10.5 ) ), ( ( 13.25 ), ( 14 ) ) ), ( ( ( 10.5 ), ( 18.5 ) ), ( ( 21.75 ), ( 23.5 ) ) ) ) )
  %init0 = call @zeros(%c1, %c2, %c2, %c2, %c1)
      : (index, index, index, index, index) -> tensor<?x?x?x?x?xf32>
  %0 = call @dense(%input, %filter, %init0)
      : (tensor<?x?x?x?x?xf32>, tensor<?x?x?x?x?xf32>,
         tensor<?x?x?x?x?xf32>)
      -> tensor<?x?x?x?x?xf32>
  call @show(%0) : (tensor<?x?x?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( ( 14.75 ), ( 10.5 ) ), ( ( 13.25 ), ( 14 ) ) ), ( ( ( 10.5 ), ( 18.5 ) ), ( ( 21.75 ), ( 23.5 ) ) ) ) )
  %1 = call @ccccc(%inputCCCCC, %filter)
      : (tensor<?x?x?x?x?xf32, #CCCCC>, tensor<?x?x?x?x?xf32>)
      -> tensor<?x?x?x?x?xf32, #CCCCC>
  %dense1 = sparse_tensor.convert %1
      : tensor<?x?x?x?x?xf32, #CCCCC> to tensor<?x?x?x?x?xf32>
  call @show(%dense1) : (tensor<?x?x?x?x?xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( ( 14.75 ), ( 10.5 ) ), ( ( 13.25 ), ( 14 ) ) ), ( ( ( 10.5 ), ( 18.5 ) ), ( ( 21.75 ), ( 23.5 ) ) ) ) )
  %2 = call @cdcdc(%inputCDCDC, %filter)
      : (tensor<?x?x?x?x?xf32, #CDCDC>, tensor<?x?x?x?x?xf32>)
      -> tensor<?x?x?x?x?xf32, #CDCDC>
  %dense2 = sparse_tensor.convert %2
      : tensor<?x?x?x?x?xf32, #CDCDC> to tensor<?x?x?x?x?xf32>
  call @show(%dense2) : (tensor<?x?x?x?x?xf32>) -> ()

  bufferization.dealloc_tensor %inputCCCCC : tensor<?x?x?x?x?xf32, #CCCCC>
  bufferization.dealloc_tensor %inputCDCDC : tensor<?x?x?x?x?xf32, #CDCDC>
  bufferization.dealloc_tensor %0 : tensor<?x?x?x?x?xf32>
  bufferization.dealloc_tensor %1 : tensor<?x?x?x?x?xf32, #CCCCC>
  bufferization.dealloc_tensor %dense1 : tensor<?x?x?x?x?xf32>
  bufferization.dealloc_tensor %2 : tensor<?x?x?x?x?xf32, #CDCDC>
  bufferization.dealloc_tensor %dense2 : tensor<?x?x?x?x?xf32>
  return
}
