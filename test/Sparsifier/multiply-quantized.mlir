// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Bytes are multiplied into 32-bit integers, those of the dense matrix less their zero
// point.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

func.func @multiply(%a: tensor<4x3xi8>, %b: tensor<3x5xi8, #DCSR>,
                    %into: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %a_zero = arith.constant 3 : i32
  %b_zero = arith.constant 0 : i32
  %result = linalg.quantized_matmul
      ins(%a, %b, %a_zero, %b_zero : tensor<4x3xi8>, tensor<3x5xi8, #DCSR>, i32, i32)
      outs(%into : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %result : tensor<4x5xi32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1 : i32
  %a = arith.constant dense<[
    [127, -128, 3], [0, 5, -1], [10, 3, 0], [-7, 100, 64]]> : tensor<4x3xi8>
  %b_dense = arith.constant dense<[
    [0, 100, 0, 0, -128], [0, 0, 0, 0, 0], [9, 0, 0, 127, 1]]> : tensor<3x5xi8>
  %b = sparse_tensor.convert %b_dense : tensor<3x5xi8> to tensor<3x5xi8, #DCSR>
  %zeros = arith.constant dense<0> : tensor<4x5xi32>
  %product = call @multiply(%a, %b, %zeros)
      : (tensor<4x3xi8>, tensor<3x5xi8, #DCSR>, tensor<4x5xi32>) -> tensor<4x5xi32>
  %values = vector.transfer_read %product[%c0, %c0], %none
      : tensor<4x5xi32>, vector<4x5xi32>
  // CHECK:      ( ( 0, 12400, 0, 0, -15872 ), ( -36, -300, 0, -508, 380 ), ( -27, 700, 0, -381, -899 ), ( 549, -1000, 0, 7747, 1341 ) )
  vector.print %values : vector<4x5xi32>
  bufferization.dealloc_tensor %b : tensor<3x5xi8, #DCSR>
  bufferization.dealloc_tensor %product : tensor<4x5xi32>
  return
}
