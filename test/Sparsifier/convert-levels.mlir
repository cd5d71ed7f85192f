// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Tensors with dense, compressed and singleton levels are converted into each
// other, where a singleton level has one coordinate for each of its parents.

#DDC = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, j : dense, k : compressed)
}>

#DCD = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, j : compressed, k : dense)
}>

#DDCSwapped = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, k : dense, j : compressed)
}>

#DCS = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, j : compressed, k : singleton)
}>

#CCS = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : singleton)
}>

#OneEach = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, j : dense, k : compressed)
}>

func.func @show(%a: tensor<2x3x3xf64>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f64
  %read = vector.transfer_read %a[%c0, %c0, %c0], %pad
      : tensor<2x3x3xf64>, vector<2x3x3xf64>
  vector.print %read : vector<2x3x3xf64>
  return
}

func.func @any_number() {
  %source = arith.constant dense<[
    [[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [3.0, 4.0, 0.0]],
    [[0.0, 5.0, 0.0], [6.0, 7.0, 8.0], [0.0, 0.0, 9.0]]
  ]> : tensor<2x3x3xf64>
  %DDC = sparse_tensor.convert %source
      : tensor<2x3x3xf64> to tensor<2x3x3xf64, #DDC>
  %DCD = sparse_tensor.convert %source
      : tensor<2x3x3xf64> to tensor<2x3x3xf64, #DCD>
  %DDCSwapped = sparse_tensor.convert %source
      : tensor<2x3x3xf64> to tensor<2x3x3xf64, #DDCSwapped>

  %DDCtoDDCSwapped = sparse_tensor.convert %DDC
      : tensor<2x3x3xf64, #DDC> to tensor<2x3x3xf64, #DDCSwapped>
  %DDCbyDDCSwapped = sparse_tensor.convert %DDCtoDDCSwapped
      : tensor<2x3x3xf64, #DDCSwapped> to tensor<2x3x3xf64>
  call @show(%DDCbyDDCSwapped) : (tensor<2x3x3xf64>) -> ()

  %DCDtoDDC = sparse_tensor.convert %DCD
      : tensor<2x3x3xf64, #DCD> to tensor<2x3x3xf64, #DDC>
  %DCDbyDDC = sparse_tensor.convert %DCDtoDDC
      : tensor<2x3x3xf64, #DDC> to tensor<2x3x3xf64>
  call @show(%DCDbyDDC) : (tensor<2x3x3xf64>) -> ()

  %DCDtoDDCSwapped = sparse_tensor.convert %DCD
      : tensor<2x3x3xf64, #DCD> to tensor<2x3x3xf64, #DDCSwapped>
  %DCDbyDDCSwapped = sparse_tensor.convert %DCDtoDDCSwapped
      : tensor<2x3x3xf64, #DDCSwapped> to tensor<2x3x3xf64>
  call @show(%DCDbyDDCSwapped) : (tensor<2x3x3xf64>) -> ()

  %DDCSwappedtoDDC = sparse_tensor.convert %DDCSwapped
      : tensor<2x3x3xf64, #DDCSwapped> to tensor<2x3x3xf64, #DDC>
  %DDCSwappedbyDDC = sparse_tensor.convert %DDCSwappedtoDDC
      : tensor<2x3x3xf64, #DDC> to tensor<2x3x3xf64>
  call @show(%DDCSwappedbyDDC) : (tensor<2x3x3xf64>) -> ()

  bufferization.dealloc_tensor %DDC : tensor<2x3x3xf64, #DDC>
  bufferization.dealloc_tensor %DCD : tensor<2x3x3xf64, #DCD>
  bufferization.dealloc_tensor %DDCSwapped : tensor<2x3x3xf64, #DDCSwapped>
  bufferization.dealloc_tensor %DDCtoDDCSwapped : tensor<2x3x3xf64, #DDCSwapped>
  bufferization.dealloc_tensor %DDCbyDDCSwapped : tensor<2x3x3xf64>
  bufferization.dealloc_tensor %DCDtoDDC : tensor<2x3x3xf64, #DDC>
  bufferization.dealloc_tensor %DCDbyDDC : tensor<2x3x3xf64>
  bufferization.dealloc_tensor %DCDtoDDCSwapped : tensor<2x3x3xf64, #DDCSwapped>
  bufferization.dealloc_tensor %DCDbyDDCSwapped : tensor<2x3x3xf64>
  bufferization.dealloc_tensor %DDCSwappedtoDDC : tensor<2x3x3xf64, #DDC>
  bufferization.dealloc_tensor %DDCSwappedbyDDC : tensor<2x3x3xf64>
  return
}

func.func @one_of_each_parent() {
  %source = arith.constant dense<[
    [[0.0, 2.5, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 7.0]],
    [[3.0, 0.0, 0.0], [0.0, 0.0, 4.0], [0.0, 6.0, 0.0]]
  ]> : tensor<2x3x3xf64>
  %DCS = sparse_tensor.convert %source
      : tensor<2x3x3xf64> to tensor<2x3x3xf64, #DCS>
  %CCS = sparse_tensor.convert %source
      : tensor<2x3x3xf64> to tensor<2x3x3xf64, #CCS>
  %OneEach = sparse_tensor.convert %source
      : tensor<2x3x3xf64> to tensor<2x3x3xf64, #OneEach>

  %DCStoCCS = sparse_tensor.convert %DCS
      : tensor<2x3x3xf64, #DCS> to tensor<2x3x3xf64, #CCS>
  %DCSbyCCS = sparse_tensor.convert %DCStoCCS
      : tensor<2x3x3xf64, #CCS> to tensor<2x3x3xf64>
  call @show(%DCSbyCCS) : (tensor<2x3x3xf64>) -> ()

  %DCStoOneEach = sparse_tensor.convert %DCS
      : tensor<2x3x3xf64, #DCS> to tensor<2x3x3xf64, #OneEach>
  %DCSbyOneEach = sparse_tensor.convert %DCStoOneEach
      : tensor<2x3x3xf64, #OneEach> to tensor<2x3x3xf64>
  call @show(%DCSbyOneEach) : (tensor<2x3x3xf64>) -> ()

  %CCStoDCS = sparse_tensor.convert %CCS
      : tensor<2x3x3xf64, #CCS> to tensor<2x3x3xf64, #DCS>
  %CCSbyDCS = sparse_tensor.convert %CCStoDCS
      : tensor<2x3x3xf64, #DCS> to tensor<2x3x3xf64>
  call @show(%CCSbyDCS) : (tensor<2x3x3xf64>) -> ()

  %CCStoOneEach = sparse_tensor.convert %CCS
      : tensor<2x3x3xf64, #CCS> to tensor<2x3x3xf64, #OneEach>
  %CCSbyOneEach = sparse_tensor.convert %CCStoOneEach
      : tensor<2x3x3xf64, #OneEach> to tensor<2x3x3xf64>
  call @show(%CCSbyOneEach) : (tensor<2x3x3xf64>) -> ()

  %OneEachtoDCS = sparse_tensor.convert %OneEach
      : tensor<2x3x3xf64, #OneEach> to tensor<2x3x3xf64, #DCS>
  %OneEachbyDCS = sparse_tensor.convert %OneEachtoDCS
      : tensor<2x3x3xf64, #DCS> to tensor<2x3x3xf64>
  call @show(%OneEachbyDCS) : (tensor<2x3x3xf64>) -> ()

  %OneEachtoCCS = sparse_tensor.convert %OneEach
      : tensor<2x3x3xf64, #OneEach> to tensor<2x3x3xf64, #CCS>
  %OneEachbyCCS = sparse_tensor.convert %OneEachtoCCS
      : tensor<2x3x3xf64, #CCS> to tensor<2x3x3xf64>
  call @show(%OneEachbyCCS) : (tensor<2x3x3xf64>) -> ()

  bufferization.dealloc_tensor %DCS : tensor<2x3x3xf64, #DCS>
  bufferization.dealloc_tensor %CCS : tensor<2x3x3xf64, #CCS>
  bufferization.dealloc_tensor %OneEach : tensor<2x3x3xf64, #OneEach>
  bufferization.dealloc_tensor %DCStoCCS : tensor<2x3x3xf64, #CCS>
  bufferization.dealloc_tensor %DCSbyCCS : tensor<2x3x3xf64>
  bufferization.dealloc_tensor %DCStoOneEach : tensor<2x3x3xf64, #OneEach>
  bufferization.dealloc_tensor %DCSbyOneEach : tensor<2x3x3xf64>
  bufferization.dealloc_tensor %CCStoDCS : tensor<2x3x3xf64, #DCS>
  bufferization.dealloc_tensor %CCSbyDCS : tensor<2x3x3xf64>
  bufferization.dealloc_tensor %CCStoOneEach : tensor<2x3x3xf64, #OneEach>
  bufferization.dealloc_tensor %CCSbyOneEach : tensor<2x3x3xf64>
  bufferization.dealloc_tensor %OneEachtoDCS : tensor<2x3x3xf64, #DCS>
  bufferization.dealloc_tensor %OneEachbyDCS : tensor<2x3x3xf64>
  bufferization.dealloc_tensor %OneEachtoCCS : tensor<2x3x3xf64, #CCS>
  bufferization.dealloc_tensor %OneEachbyCCS : tensor<2x3x3xf64>
  return
}

func.func @main() {
  // CHECK:      ( ( ( 1, 0, 2 ), ( 0, 0, 0 ), ( 3, 4, 0 ) ), ( ( 0, 5, 0 ), ( 6, 7, 8 ), ( 0, 0, 9 ) ) )
  // CHECK-NEXT: ( ( ( 1, 0, 2 ), ( 0, 0, 0 ), ( 3, 4, 0 ) ), ( ( 0, 5, 0 ), ( 6, 7, 8 ), ( 0, 0, 9 ) ) )
  // CHECK-NEXT: ( ( ( 1, 0, 2 ), ( 0, 0, 0 ), ( 3, 4, 0 ) ), ( ( 0, 5, 0 ), ( 6, 7, 8 ), ( 0, 0, 9 ) ) )
  // CHECK-NEXT: ( ( ( 1, 0, 2 ), ( 0, 0, 0 ), ( 3, 4, 0 ) ), ( ( 0, 5, 0 ), ( 6, 7, 8 ), ( 0, 0, 9 ) ) )
  call @any_number() : () -> ()
  // CHECK-NEXT: ( ( ( 0, 2.5, 0 ), ( 1, 0, 0 ), ( 0, 0, 7 ) ), ( ( 3, 0, 0 ), ( 0, 0, 4 ), ( 0, 6, 0 ) ) )
  // CHECK-NEXT: ( ( ( 0, 2.5, 0 ), ( 1, 0, 0 ), ( 0, 0, 7 ) ), ( ( 3, 0, 0 ), ( 0, 0, 4 ), ( 0, 6, 0 ) ) )
  // CHECK-NEXT: ( ( ( 0, 2.5, 0 ), ( 1, 0, 0 ), ( 0, 0, 7 ) ), ( ( 3, 0, 0 ), ( 0, 0, 4 ), ( 0, 6, 0 ) ) )
  // CHECK-NEXT: ( ( ( 0, 2.5, 0 ), ( 1, 0, 0 ), ( 0, 0, 7 ) ), ( ( 3, 0, 0 ), ( 0, 0, 4 ), ( 0, 6, 0 ) ) )
  // CHECK-NEXT: ( ( ( 0, 2.5, 0 ), ( 1, 0, 0 ), ( 0, 0, 7 ) ), ( ( 3, 0, 0 ), ( 0, 0, 4 ), ( 0, 6, 0 ) ) )
  // CHECK-NEXT: ( ( ( 0, 2.5, 0 ), ( 1, 0, 0 ), ( 0, 0, 7 ) ), ( ( 3, 0, 0 ), ( 0, 0, 4 ), ( 0, 6, 0 ) ) )
  call @one_of_each_parent() : () -> ()
  return
}
