// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s
// RUN: nacho-opt %s --nacho-sparsifier --nacho-remarks -o /dev/null 2>&1 | count 0

// A dense matrix and a CSR matrix are multiplied by the transpose of a matrix
// of 2x2 blocks and of a matrix with two of every four elements stored.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed,
                   i mod 2 : dense, j mod 2 : dense)
}>

#TwoOfFour = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j floordiv 4 : dense, j mod 4 : structured[2, 4])
}>

#times_transpose = {
  indexing_maps = [
    affine_map<(i, j, k) -> (i, k)>,
    affine_map<(i, j, k) -> (j, k)>,
    affine_map<(i, j, k) -> (i, j)>
  ],
  iterator_types = ["parallel", "parallel", "reduction"]
}

func.func @dense_times_blocks(%a: tensor<4x8xf64>,
                              %b: tensor<4x8xf64, #BSR>) -> tensor<4x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<4x4xf64>
  %c = linalg.generic #times_transpose
      ins(%a, %b : tensor<4x8xf64>, tensor<4x8xf64, #BSR>)
      outs(%zeros : tensor<4x4xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %product = arith.mulf %x, %y : f64
    %next = arith.addf %product, %sum : f64
    linalg.yield %next : f64
  } -> tensor<4x4xf64>
  return %c : tensor<4x4xf64>
}

func.func @dense_times_structured(
    %a: tensor<4x8xf64>,
    %b: tensor<4x8xf64, #TwoOfFour>) -> tensor<4x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<4x4xf64>
  %c = linalg.generic #times_transpose
      ins(%a, %b : tensor<4x8xf64>, tensor<4x8xf64, #TwoOfFour>)
      outs(%zeros : tensor<4x4xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %product = arith.mulf %x, %y : f64
    %next = arith.addf %product, %sum : f64
    linalg.yield %next : f64
  } -> tensor<4x4xf64>
  return %c : tensor<4x4xf64>
}

func.func @csr_times_blocks(%a: tensor<4x8xf64, #CSR>,
                            %b: tensor<4x8xf64, #BSR>) -> tensor<4x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<4x4xf64>
  %c = linalg.generic #times_transpose
      ins(%a, %b : tensor<4x8xf64, #CSR>, tensor<4x8xf64, #BSR>)
      outs(%zeros : tensor<4x4xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %product = arith.mulf %x, %y : f64
    %next = arith.addf %product, %sum : f64
    linalg.yield %next : f64
  } -> tensor<4x4xf64>
  return %c : tensor<4x4xf64>
}

func.func @dense_times_dense(%a: tensor<4x8xf64>,
                             %b: tensor<4x8xf64>) -> tensor<4x4xf64> {
  %zeros = arith.constant dense<0.0> : tensor<4x4xf64>
  %c = linalg.generic #times_transpose
      ins(%a, %b : tensor<4x8xf64>, tensor<4x8xf64>)
      outs(%zeros : tensor<4x4xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %product = arith.mulf %x, %y : f64
    %next = arith.addf %product, %sum : f64
    linalg.yield %next : f64
  } -> tensor<4x4xf64>
  return %c : tensor<4x4xf64>
}

func.func @show(%c: tensor<4x4xf64>) {
  %zero = arith.constant 0 : index
  %pad = arith.constant 0.0 : f64
  %read = vector.transfer_read %c[%zero, %zero], %pad
      : tensor<4x4xf64>, vector<4x4xf64>
  vector.print %read : vector<4x4xf64>
  return
}

func.func @main() {
  %a = arith.constant dense<[
    [2.0, 0.0, 0.0, 1.0, 0.0, 3.0, 0.0, 0.5],
    [0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 5.0, 0.0, 1.5, 0.0, 0.0, 2.0]
  ]> : tensor<4x8xf64>
  %b = arith.constant dense<[
    [1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 4.0],
    [5.0, 6.0, 0.0, 0.0, 0.0, 0.0, 7.0, 8.0],
    [0.0, 0.0, 2.0, 3.0, 4.0, 1.0, 0.0, 0.0],
    [7.0, 0.0, 9.0, 0.0, 0.0, 2.5, 0.0, 6.0]
  ]> : tensor<4x8xf64>

  %csr = sparse_tensor.convert %a : tensor<4x8xf64> to tensor<4x8xf64, #CSR>
  %blocks = sparse_tensor.convert %b : tensor<4x8xf64> to tensor<4x8xf64, #BSR>
  %structured = sparse_tensor.convert %b
      : tensor<4x8xf64> to tensor<4x8xf64, #TwoOfFour>

  %0 = call @dense_times_dense(%a, %b)
      : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x4xf64>
  %1 = call @dense_times_blocks(%a, %blocks)
      : (tensor<4x8xf64>, tensor<4x8xf64, #BSR>) -> tensor<4x4xf64>
  %2 = call @dense_times_structured(%a, %structured)
      : (tensor<4x8xf64>, tensor<4x8xf64, #TwoOfFour>) -> tensor<4x4xf64>
  %3 = call @csr_times_blocks(%csr, %blocks)
      : (tensor<4x8xf64, #CSR>, tensor<4x8xf64, #BSR>) -> tensor<4x4xf64>

  // CHECK:      ( ( 4, 14, 6, 24.5 ), ( 14, 38, 0, 0 ), ( 0, 0, 0, 0 ), ( 9, 21, 16, 64 ) )
  // CHECK-NEXT: ( ( 4, 14, 6, 24.5 ), ( 14, 38, 0, 0 ), ( 0, 0, 0, 0 ), ( 9, 21, 16, 64 ) )
  // CHECK-NEXT: ( ( 4, 14, 6, 24.5 ), ( 14, 38, 0, 0 ), ( 0, 0, 0, 0 ), ( 9, 21, 16, 64 ) )
  // CHECK-NEXT: ( ( 4, 14, 6, 24.5 ), ( 14, 38, 0, 0 ), ( 0, 0, 0, 0 ), ( 9, 21, 16, 64 ) )
  call @show(%0) : (tensor<4x4xf64>) -> ()
  call @show(%1) : (tensor<4x4xf64>) -> ()
  call @show(%2) : (tensor<4x4xf64>) -> ()
  call @show(%3) : (tensor<4x4xf64>) -> ()

  bufferization.dealloc_tensor %csr : tensor<4x8xf64, #CSR>
  bufferization.dealloc_tensor %blocks : tensor<4x8xf64, #BSR>
  bufferization.dealloc_tensor %structured : tensor<4x8xf64, #TwoOfFour>
  bufferization.dealloc_tensor %0 : tensor<4x4xf64>
  bufferization.dealloc_tensor %1 : tensor<4x4xf64>
  bufferization.dealloc_tensor %2 : tensor<4x4xf64>
  bufferization.dealloc_tensor %3 : tensor<4x4xf64>
  return
}
