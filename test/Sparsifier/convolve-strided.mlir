// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Images are convolved in steps of two, a dense one and sparse ones in two formats.

#CCCC = #sparse_tensor.encoding<{
  map = (n, h, w, c) -> (n : compressed, h : compressed, w : compressed, c : compressed)
}>

#CDCC = #sparse_tensor.encoding<{
  map = (n, h, w, c) -> (n : compressed, h : dense, w : compressed, c : compressed)
}>

func.func @fill(%n: index, %h: index, %w: index, %c: index,
                %value: f32) -> tensor<?x?x?x?xf32> {
  %empty = tensor.empty(%n, %h, %w, %c) : tensor<?x?x?x?xf32>
  %filled = linalg.fill ins(%value : f32)
      outs(%empty : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %filled : tensor<?x?x?x?xf32>
}

func.func @convolve_dense(%image: tensor<?x?x?x?xf32>, %filter: tensor<?x?x?x?xf32>,
                          %into: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %result = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>,
                                      strides = dense<2> : tensor<2xi64>}
      ins(%image, %filter : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      outs(%into : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %result : tensor<?x?x?x?xf32>
}

func.func @convolve_cccc(%image: tensor<?x?x?x?xf32, #CCCC>, %filter: tensor<?x?x?x?xf32>,
                         %into: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %result = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>,
                                      strides = dense<2> : tensor<2xi64>}
      ins(%image, %filter : tensor<?x?x?x?xf32, #CCCC>, tensor<?x?x?x?xf32>)
      outs(%into : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %result : tensor<?x?x?x?xf32>
}

func.func @convolve_cdcc(%image: tensor<?x?x?x?xf32, #CDCC>, %filter: tensor<?x?x?x?xf32>,
                         %into: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %result = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>,
                                      strides = dense<2> : tensor<2xi64>}
      ins(%image, %filter : tensor<?x?x?x?xf32, #CDCC>, tensor<?x?x?x?xf32>)
      outs(%into : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %result : tensor<?x?x?x?xf32>
}

func.func @show(%result: tensor<?x?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1.0 : f32
  %values = vector.transfer_read %result[%c0, %c0, %c0, %c0], %none
      : tensor<?x?x?x?xf32>, vector<2x3x3x1xf32>
  vector.print %values : vector<2x3x3x1xf32>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %weight = arith.constant 0.5 : f32
  %five = arith.constant 5.0 : f32
  %eight = arith.constant 8.0 : f32

  // Two images of 7 by 7 pixels and 2 channels have one entry each.
  %filter = call @fill(%c3, %c3, %c2, %c1, %weight)
      : (index, index, index, index, f32) -> tensor<?x?x?x?xf32>
  %blank = call @fill(%c2, %c7, %c7, %c2, %zero)
      : (index, index, index, index, f32) -> tensor<?x?x?x?xf32>
  %one = tensor.insert %five into %blank[%c0, %c2, %c3, %c1] : tensor<?x?x?x?xf32>
  %image = tensor.insert %eight into %one[%c1, %c4, %c4, %c0] : tensor<?x?x?x?xf32>
  %cccc = sparse_tensor.convert %image
      : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32, #CCCC>
  %cdcc = sparse_tensor.convert %image
      : tensor<?x?x?x?xf32> to tensor<?x?x?x?xf32, #CDCC>

  %into = call @fill(%c2, %c3, %c3, %c1, %zero)
      : (index, index, index, index, f32) -> tensor<?x?x?x?xf32>
  %from_dense = call @convolve_dense(%image, %filter, %into)
      : (tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  %from_cccc = call @convolve_cccc(%cccc, %filter, %into)
      : (tensor<?x?x?x?xf32, #CCCC>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  %from_cdcc = call @convolve_cdcc(%cdcc, %filter, %into)
      : (tensor<?x?x?x?xf32, #CDCC>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      -> tensor<?x?x?x?xf32>
  // CHECK:      ( ( ( ( 0 ), ( 2.5 ), ( 0 ) ), ( ( 0 ), ( 2.5 ), ( 0 ) ), ( ( 0 ), ( 0 ), ( 0 ) ) ), ( ( ( 0 ), ( 0 ), ( 0 ) ), ( ( 0 ), ( 4 ), ( 4 ) ), ( ( 0 ), ( 4 ), ( 4 ) ) ) )
  // CHECK-NEXT: ( ( ( ( 0 ), ( 2.5 ), ( 0 ) ), ( ( 0 ), ( 2.5 ), ( 0 ) ), ( ( 0 ), ( 0 ), ( 0 ) ) ), ( ( ( 0 ), ( 0 ), ( 0 ) ), ( ( 0 ), ( 4 ), ( 4 ) ), ( ( 0 ), ( 4 ), ( 4 ) ) ) )
  // CHECK-NEXT: ( ( ( ( 0 ), ( 2.5 ), ( 0 ) ), ( ( 0 ), ( 2.5 ), ( 0 ) ), ( ( 0 ), ( 0 ), ( 0 ) ) ), ( ( ( 0 ), ( 0 ), ( 0 ) ), ( ( 0 ), ( 4 ), ( 4 ) ), ( ( 0 ), ( 4 ), ( 4 ) ) ) )
  call @show(%from_dense) : (tensor<?x?x?x?xf32>) -> ()
  call @show(%from_cccc) : (tensor<?x?x?x?xf32>) -> ()
  call @show(%from_cdcc) : (tensor<?x?x?x?xf32>) -> ()

  bufferization.dealloc_tensor %image : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %filter : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %into : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %cccc : tensor<?x?x?x?xf32, #CCCC>
  bufferization.dealloc_tensor %cdcc : tensor<?x?x?x?xf32, #CDCC>
  bufferization.dealloc_tensor %from_dense : tensor<?x?x?x?xf32>
  bufferization.dealloc_tensor %from_cccc : tensor<?x?x?x?xf32>
  return
}
