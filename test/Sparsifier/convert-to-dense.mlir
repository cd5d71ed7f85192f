// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A sparse tensor of three dimensions, with its levels in any order, is converted
// to a dense tensor whose sizes may be forgotten in either conversion.

#CCC = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

#CCCRotated = #sparse_tensor.encoding<{
  map = (i, j, k) -> (j : compressed, k : compressed, i : compressed)
}>

#CCCBack = #sparse_tensor.encoding<{
  map = (i, j, k) -> (k : compressed, i : compressed, j : compressed)
}>

#DCC = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, j : compressed, k : compressed)
}>

#DCCRotated = #sparse_tensor.encoding<{
  map = (i, j, k) -> (j : dense, k : compressed, i : compressed)
}>

#DCCBack = #sparse_tensor.encoding<{
  map = (i, j, k) -> (k : dense, i : compressed, j : compressed)
}>

func.func @show(%a: tensor<2x3x2xf64>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f64
  %read = vector.transfer_read %a[%c0, %c0, %c0], %pad
      : tensor<2x3x2xf64>, vector<2x3x2xf64>
  vector.print %read : vector<2x3x2xf64>
  return
}

func.func @main() {
  %source = arith.constant dense<[
    [[0.0, 2.0], [7.0, 0.0], [0.0, 0.0]],
    [[1.5, 0.0], [0.0, 0.0], [4.0, 3.0]]
  ]> : tensor<2x3x2xf64>

  // CHECK:      ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse0 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x3x2xf64, #CCC>
  %dense0 = sparse_tensor.convert %sparse0
      : tensor<2x3x2xf64, #CCC> to tensor<2x3x2xf64>
  call @show(%dense0) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse0 : tensor<2x3x2xf64, #CCC>
  bufferization.dealloc_tensor %dense0 : tensor<2x3x2xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse1 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x3x2xf64, #CCCRotated>
  %dense1 = sparse_tensor.convert %sparse1
      : tensor<2x3x2xf64, #CCCRotated> to tensor<2x3x2xf64>
  call @show(%dense1) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse1 : tensor<2x3x2xf64, #CCCRotated>
  bufferization.dealloc_tensor %dense1 : tensor<2x3x2xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse2 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x3x2xf64, #CCCBack>
  %dense2 = sparse_tensor.convert %sparse2
      : tensor<2x3x2xf64, #CCCBack> to tensor<2x3x2xf64>
  call @show(%dense2) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse2 : tensor<2x3x2xf64, #CCCBack>
  bufferization.dealloc_tensor %dense2 : tensor<2x3x2xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse3 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x3x2xf64, #DCC>
  %dense3 = sparse_tensor.convert %sparse3
      : tensor<2x3x2xf64, #DCC> to tensor<2x3x2xf64>
  call @show(%dense3) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse3 : tensor<2x3x2xf64, #DCC>
  bufferization.dealloc_tensor %dense3 : tensor<2x3x2xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse4 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x3x2xf64, #DCCRotated>
  %dense4 = sparse_tensor.convert %sparse4
      : tensor<2x3x2xf64, #DCCRotated> to tensor<2x3x2xf64>
  call @show(%dense4) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse4 : tensor<2x3x2xf64, #DCCRotated>
  bufferization.dealloc_tensor %dense4 : tensor<2x3x2xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse5 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x3x2xf64, #DCCBack>
  %dense5 = sparse_tensor.convert %sparse5
      : tensor<2x3x2xf64, #DCCBack> to tensor<2x3x2xf64>
  call @show(%dense5) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse5 : tensor<2x3x2xf64, #DCCBack>
  bufferization.dealloc_tensor %dense5 : tensor<2x3x2xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse6 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<?x3x2xf64, #DCC>
  %dense6 = sparse_tensor.convert %sparse6
      : tensor<?x3x2xf64, #DCC> to tensor<?x3x2xf64>
  %static6 = tensor.cast %dense6 : tensor<?x3x2xf64> to tensor<2x3x2xf64>
  call @show(%static6) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse6 : tensor<?x3x2xf64, #DCC>
  bufferization.dealloc_tensor %dense6 : tensor<?x3x2xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse7 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x?x2xf64, #DCCRotated>
  %dense7 = sparse_tensor.convert %sparse7
      : tensor<2x?x2xf64, #DCCRotated> to tensor<2x?x2xf64>
  %static7 = tensor.cast %dense7 : tensor<2x?x2xf64> to tensor<2x3x2xf64>
  call @show(%static7) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse7 : tensor<2x?x2xf64, #DCCRotated>
  bufferization.dealloc_tensor %dense7 : tensor<2x?x2xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse8 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x3x?xf64, #DCCBack>
  %dense8 = sparse_tensor.convert %sparse8
      : tensor<2x3x?xf64, #DCCBack> to tensor<2x3x?xf64>
  %static8 = tensor.cast %dense8 : tensor<2x3x?xf64> to tensor<2x3x2xf64>
  call @show(%static8) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse8 : tensor<2x3x?xf64, #DCCBack>
  bufferization.dealloc_tensor %dense8 : tensor<2x3x?xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse9 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x?x?xf64, #DCC>
  %dense9 = sparse_tensor.convert %sparse9
      : tensor<2x?x?xf64, #DCC> to tensor<2x?x?xf64>
  %static9 = tensor.cast %dense9 : tensor<2x?x?xf64> to tensor<2x3x2xf64>
  call @show(%static9) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse9 : tensor<2x?x?xf64, #DCC>
  bufferization.dealloc_tensor %dense9 : tensor<2x?x?xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse10 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<?x3x2xf64, #DCCRotated>
  %dense10 = sparse_tensor.convert %sparse10
      : tensor<?x3x2xf64, #DCCRotated> to tensor<?x3x?xf64>
  %static10 = tensor.cast %dense10 : tensor<?x3x?xf64> to tensor<2x3x2xf64>
  call @show(%static10) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse10 : tensor<?x3x2xf64, #DCCRotated>
  bufferization.dealloc_tensor %dense10 : tensor<?x3x?xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse11 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x?x2xf64, #DCCBack>
  %dense11 = sparse_tensor.convert %sparse11
      : tensor<2x?x2xf64, #DCCBack> to tensor<?x?x2xf64>
  %static11 = tensor.cast %dense11 : tensor<?x?x2xf64> to tensor<2x3x2xf64>
  call @show(%static11) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse11 : tensor<2x?x2xf64, #DCCBack>
  bufferization.dealloc_tensor %dense11 : tensor<?x?x2xf64>

  // CHECK-NEXT: ( ( ( 0, 2 ), ( 7, 0 ), ( 0, 0 ) ), ( ( 1.5, 0 ), ( 0, 0 ), ( 4, 3 ) ) )
  %sparse12 = sparse_tensor.convert %source
      : tensor<2x3x2xf64> to tensor<2x?x?xf64, #DCC>
  %dense12 = sparse_tensor.convert %sparse12
      : tensor<2x?x?xf64, #DCC> to tensor<?x?x?xf64>
  %static12 = tensor.cast %dense12 : tensor<?x?x?xf64> to tensor<2x3x2xf64>
  call @show(%static12) : (tensor<2x3x2xf64>) -> ()
  bufferization.dealloc_tensor %sparse12 : tensor<2x?x?xf64, #DCC>
  bufferization.dealloc_tensor %dense12 : tensor<?x?x?xf64>
  return
}
