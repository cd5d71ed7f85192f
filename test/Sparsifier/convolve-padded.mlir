// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sparse image is padded with zeros before it is convolved with a dense filter,
// so that the result has the size of the image.

#CDCC = #sparse_tensor.encoding<{
  map = (n, h, w, c) -> (n : compressed, h : dense, w : compressed,
                         c : compressed)
}>

func.func @filled(%size0: index, %size1: index, %size2: index, %size3: index,
                  %value: f32) -> tensor<?x?x?x?xf32> {
  %empty = tensor.empty(%size0, %size1, %size2, %size3) : tensor<?x?x?x?xf32>
  %x = linalg.fill ins(%value : f32) outs(%empty : tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  return %x : tensor<?x?x?x?xf32>
}

func.func @dense(%image: tensor<1x4x5x2xf32>, %filter: tensor<3x3x2x1xf32>,
                 %init: tensor<1x4x5x1xf32>) -> tensor<1x4x5x1xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x4x5x2xf32> to tensor<1x6x7x2xf32>
  %x = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%padded, %filter : tensor<1x6x7x2xf32>, tensor<3x3x2x1xf32>)
      outs(%init : tensor<1x4x5x1xf32>) -> tensor<1x4x5x1xf32>
  bufferization.dealloc_tensor %padded : tensor<1x6x7x2xf32>
  return %x : tensor<1x4x5x1xf32>
}

func.func @sparse(%image: tensor<1x4x5x2xf32, #CDCC>,
                  %filter: tensor<3x3x2x1xf32>) -> tensor<1x4x5x1xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x4x5x1xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x4x5x1xf32>)
      -> tensor<1x4x5x1xf32>
  %padded = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x4x5x2xf32, #CDCC> to tensor<1x6x7x2xf32, #CDCC>
  %x = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%padded, %filter : tensor<1x6x7x2xf32, #CDCC>, tensor<3x3x2x1xf32>)
      outs(%zeros : tensor<1x4x5x1xf32>) -> tensor<1x4x5x1xf32>
  return %x : tensor<1x4x5x1xf32>
}

func.func @show(%x: tensor<1x4x5x1xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f32
  %read = vector.transfer_read %x[%c0, %c0, %c0, %c0], %pad
      : tensor<1x4x5x1xf32>, vector<1x4x5x1xf32>
  vector.print %read : vector<1x4x5x1xf32>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %six = arith.constant 6.0 : f32
  %image = arith.constant sparse<
    [[0, 0, 0, 1], [0, 0, 4, 0], [0, 1, 2, 0], [0, 1, 2, 1], [0, 3, 0, 0]],
    [2.0, 4.0, 1.0, 8.0, 10.0]
  > : tensor<1x4x5x2xf32>
  %halves = call @filled(%c3, %c3, %c2, %c1, %half)
      : (index, index, index, index, f32) -> tensor<?x?x?x?xf32>
  %weights = tensor.insert %six into %halves[%c1, %c2, %c1, %c0]
      : tensor<?x?x?x?xf32>
  %zeros = call @filled(%c1, %c4, %c5, %c1, %zero)
      : (index, index, index, index, f32) -> tensor<?x?x?x?xf32>
  %filter = tensor.cast %weights : tensor<?x?x?x?xf32> to tensor<3x3x2x1xf32>
  %init = tensor.cast %zeros : tensor<?x?x?x?xf32> to tensor<1x4x5x1xf32>

  // CHECK:      ( ( ( ( 1 ), ( 5.5 ), ( 4.5 ), ( 6.5 ), ( 2 ) ), ( ( 1 ), ( 49.5 ), ( 4.5 ), ( 6.5 ), ( 2 ) ), ( ( 5 ), ( 9.5 ), ( 4.5 ), ( 4.5 ), ( 0 ) ), ( ( 5 ), ( 5 ), ( 0 ), ( 0 ), ( 0 ) ) ) )
  %0 = call @dense(%image, %filter, %init)
      : (tensor<1x4x5x2xf32>, tensor<3x3x2x1xf32>, tensor<1x4x5x1xf32>)
      -> tensor<1x4x5x1xf32>
  call @show(%0) : (tensor<1x4x5x1xf32>) -> ()

  // CHECK-NEXT: ( ( ( ( 1 ), ( 5.5 ), ( 4.5 ), ( 6.5 ), ( 2 ) ), ( ( 1 ), ( 49.5 ), ( 4.5 ), ( 6.5 ), ( 2 ) ), ( ( 5 ), ( 9.5 ), ( 4.5 ), ( 4.5 ), ( 0 ) ), ( ( 5 ), ( 5 ), ( 0 ), ( 0 ), ( 0 ) ) ) )
  %converted = sparse_tensor.convert %image
      : tensor<1x4x5x2xf32> to tensor<1x4x5x2xf32, #CDCC>
  %1 = call @sparse(%converted, %filter)
      : (tensor<1x4x5x2xf32, #CDCC>, tensor<3x3x2x1xf32>)
      -> tensor<1x4x5x1xf32>
  call @show(%1) : (tensor<1x4x5x1xf32>) -> ()

  bufferization.dealloc_tensor %converted : tensor<1x4x5x2xf32, #CDCC>
  bufferization.dealloc_tensor %filter : tensor<3x3x2x1xf32>
  bufferization.dealloc_tensor %init : tensor<1x4x5x1xf32>
  bufferization.dealloc_tensor %1 : tensor<1x4x5x1xf32>
  return
}
