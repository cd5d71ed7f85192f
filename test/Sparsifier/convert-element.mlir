// RUN: %direct-upstream %s | %run-main | FileCheck %s
// RUN: %direct-nacho %s | %run-main | FileCheck %s

// A conversion from doubles to floats keeps the format: COO, and levels that are
// dense, compressed and dense in two orders.

#COO = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique),
                      k : singleton)
}>

#DCD = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, j : compressed, k : dense)
}>

#DDC = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : dense, k : dense, j : compressed)
}>

func.func @show(%a: tensor<2x2x3xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f32
  %read = vector.transfer_read %a[%c0, %c0, %c0], %pad
      : tensor<2x2x3xf32>, vector<2x2x3xf32>
  vector.print %read : vector<2x2x3xf32>
  return
}

func.func @main() {
  %doubles = arith.constant dense<[
    [[1.0, 0.0, 2.5], [0.0, 0.0, 0.0]],
    [[0.0, 8.0, 0.0], [4.0, 0.5, 6.0]]
  ]> : tensor<2x2x3xf64>

  // CHECK:      ( ( ( 1, 0, 2.5 ), ( 0, 0, 0 ) ), ( ( 0, 8, 0 ), ( 4, 0.5, 6 ) ) )
  %coof64 = sparse_tensor.convert %doubles : tensor<2x2x3xf64> to tensor<2x2x3xf64, #COO>
  %coof32 = sparse_tensor.convert %coof64
      : tensor<2x2x3xf64, #COO> to tensor<2x2x3xf32, #COO>
  %coo = sparse_tensor.convert %coof32 : tensor<2x2x3xf32, #COO> to tensor<2x2x3xf32>
  call @show(%coo) : (tensor<2x2x3xf32>) -> ()
  bufferization.dealloc_tensor %coof64 : tensor<2x2x3xf64, #COO>
  bufferization.dealloc_tensor %coof32 : tensor<2x2x3xf32, #COO>
  bufferization.dealloc_tensor %coo : tensor<2x2x3xf32>

  // CHECK-NEXT: ( ( ( 1, 0, 2.5 ), ( 0, 0, 0 ) ), ( ( 0, 8, 0 ), ( 4, 0.5, 6 ) ) )
  %dcdf64 = sparse_tensor.convert %doubles : tensor<2x2x3xf64> to tensor<2x2x3xf64, #DCD>
  %dcdf32 = sparse_tensor.convert %dcdf64
      : tensor<2x2x3xf64, #DCD> to tensor<2x2x3xf32, #DCD>
  %dcd = sparse_tensor.convert %dcdf32 : tensor<2x2x3xf32, #DCD> to tensor<2x2x3xf32>
  call @show(%dcd) : (tensor<2x2x3xf32>) -> ()
  bufferization.dealloc_tensor %dcdf64 : tensor<2x2x3xf64, #DCD>
  bufferization.dealloc_tensor %dcdf32 : tensor<2x2x3xf32, #DCD>
  bufferization.dealloc_tensor %dcd : tensor<2x2x3xf32>

  // CHECK-NEXT: ( ( ( 1, 0, 2.5 ), ( 0, 0, 0 ) ), ( ( 0, 8, 0 ), ( 4, 0.5, 6 ) ) )
  %ddcf64 = sparse_tensor.convert %doubles : tensor<2x2x3xf64> to tensor<2x2x3xf64, #DDC>
  %ddcf32 = sparse_tensor.convert %ddcf64
      : tensor<2x2x3xf64, #DDC> to tensor<2x2x3xf32, #DDC>
  %ddc = sparse_tensor.convert %ddcf32 : tensor<2x2x3xf32, #DDC> to tensor<2x2x3xf32>
  call @show(%ddc) : (tensor<2x2x3xf32>) -> ()
  bufferization.dealloc_tensor %ddcf64 : tensor<2x2x3xf64, #DDC>
  bufferization.dealloc_tensor %ddcf32 : tensor<2x2x3xf32, #DDC>
  bufferization.dealloc_tensor %ddc : tensor<2x2x3xf32>
  return
}
