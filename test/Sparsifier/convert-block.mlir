// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A constant in coordinate form and a dense constant are converted to 2x2 blocks,
// and the blocks to CSR and to CSC.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : compressed) }>
#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed,
                   i mod 2 : dense, j mod 2 : dense)
}>

func.func @main() {
  %coordinates = arith.constant sparse<
    [[0, 0], [0, 1], [1, 0], [1, 1], [2, 4], [2, 5], [3, 4], [3, 5]],
    [3.0, 1.0, 4.0, 1.5, 9.0, 2.0, 6.0, 5.0]
  > : tensor<4x6xf64>
  %dense = arith.constant dense<[
    [3.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [4.0, 1.5, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 9.0, 2.0],
    [0.0, 0.0, 0.0, 0.0, 6.0, 5.0]
  ]> : tensor<4x6xf64>

  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 2, 3, 2, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2 )
  // CHECK-NEXT: crd[1] : ( 0, 2 )
  // CHECK-NEXT: values : ( 3, 1, 4, 1.5, 9, 2, 6, 5 )
  // CHECK-NEXT: ----
  %0 = sparse_tensor.convert %coordinates
      : tensor<4x6xf64> to tensor<4x6xf64, #BSR>
  sparse_tensor.print %0 : tensor<4x6xf64, #BSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 2, 3, 2, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 2 )
  // CHECK-NEXT: crd[1] : ( 0, 2 )
  // CHECK-NEXT: values : ( 3, 1, 4, 1.5, 9, 2, 6, 5 )
  // CHECK-NEXT: ----
  %1 = sparse_tensor.convert %dense
      : tensor<4x6xf64> to tensor<4x6xf64, #BSR>
  sparse_tensor.print %1 : tensor<4x6xf64, #BSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 4, 6 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6, 8 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1, 4, 5, 4, 5 )
  // CHECK-NEXT: values : ( 3, 1, 4, 1.5, 9, 2, 6, 5 )
  // CHECK-NEXT: ----
  %2 = sparse_tensor.convert %0
      : tensor<4x6xf64, #BSR> to tensor<4x6xf64, #CSR>
  sparse_tensor.print %2 : tensor<4x6xf64, #CSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 8
  // CHECK-NEXT: dim = ( 4, 6 )
  // CHECK-NEXT: lvl = ( 6, 4 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 4, 4, 6, 8 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 0, 1, 2, 3, 2, 3 )
  // CHECK-NEXT: values : ( 3, 4, 1, 1.5, 9, 6, 2, 5 )
  // CHECK-NEXT: ----
  %3 = sparse_tensor.convert %0
      : tensor<4x6xf64, #BSR> to tensor<4x6xf64, #CSC>
  sparse_tensor.print %3 : tensor<4x6xf64, #CSC>

  bufferization.dealloc_tensor %0 : tensor<4x6xf64, #BSR>
  bufferization.dealloc_tensor %1 : tensor<4x6xf64, #BSR>
  bufferization.dealloc_tensor %2 : tensor<4x6xf64, #CSR>
  bufferization.dealloc_tensor %3 : tensor<4x6xf64, #CSC>
  return
}
