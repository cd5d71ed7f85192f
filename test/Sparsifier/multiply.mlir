// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Two matrices are multiplied as dense matrices, and as CSR and as DCSR
// matrices into a result of the same format.

#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed)
}>

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

func.func @multiply_dense(%a: tensor<4x6xf64>, %b: tensor<6x3xf64>,
                          %init: tensor<4x3xf64>) -> tensor<4x3xf64> {
  %c = linalg.matmul ins(%a, %b : tensor<4x6xf64>, tensor<6x3xf64>)
                     outs(%init : tensor<4x3xf64>) -> tensor<4x3xf64>
  return %c : tensor<4x3xf64>
}

func.func @multiply_csr(%a: tensor<4x6xf64, #CSR>, %b: tensor<6x3xf64, #CSR>)
    -> tensor<4x3xf64, #CSR> {
  %empty = tensor.empty() : tensor<4x3xf64, #CSR>
  %c = linalg.matmul ins(%a, %b : tensor<4x6xf64, #CSR>, tensor<6x3xf64, #CSR>)
                     outs(%empty : tensor<4x3xf64, #CSR>)
      -> tensor<4x3xf64, #CSR>
  return %c : tensor<4x3xf64, #CSR>
}

func.func @multiply_dcsr(%a: tensor<4x6xf64, #DCSR>,
                         %b: tensor<6x3xf64, #DCSR>)
    -> tensor<4x3xf64, #DCSR> {
  %empty = tensor.empty() : tensor<4x3xf64, #DCSR>
  %c = linalg.matmul
      ins(%a, %b : tensor<4x6xf64, #DCSR>, tensor<6x3xf64, #DCSR>)
      outs(%empty : tensor<4x3xf64, #DCSR>) -> tensor<4x3xf64, #DCSR>
  return %c : tensor<4x3xf64, #DCSR>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f64
  %p = arith.constant dense<[[0.0, 2.0, 0.0, 0.0, 1.0, 0.0],
                             [3.0, 0.0, 0.0, 0.5, 0.0, 0.0],
                             [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                             [1.0, 4.0, 0.0, 0.0, 0.0, 6.0]]> : tensor<4x6xf64>
  %q = arith.constant dense<[[1.0, 0.0, 0.0],
                             [0.0, 5.0, 0.0],
                             [7.0, 0.0, 0.0],
                             [0.0, 0.0, 8.0],
                             [0.0, 3.0, 2.0],
                             [0.0, 0.0, 0.0]]> : tensor<6x3xf64>
  %full = arith.constant dense<[[1.0, 2.0, 3.0],
                                [4.0, 5.0, 6.0],
                                [7.0, 8.0, 9.0],
                                [0.5, 1.5, 2.5],
                                [3.0, 2.0, 1.0],
                                [0.5, 0.25, 1.0]]> : tensor<6x3xf64>
  %zeros = arith.constant dense<0.0> : tensor<4x3xf64>

  %a1 = sparse_tensor.convert %p : tensor<4x6xf64> to tensor<4x6xf64, #CSR>
  %a2 = sparse_tensor.convert %p : tensor<4x6xf64> to tensor<4x6xf64, #DCSR>
  %b1 = sparse_tensor.convert %q : tensor<6x3xf64> to tensor<6x3xf64, #CSR>
  %b2 = sparse_tensor.convert %q : tensor<6x3xf64> to tensor<6x3xf64, #DCSR>
  %f1 = sparse_tensor.convert %full : tensor<6x3xf64> to tensor<6x3xf64, #CSR>
  %f2 = sparse_tensor.convert %full : tensor<6x3xf64> to tensor<6x3xf64, #DCSR>

  // CHECK:      ( ( 0, 13, 2 ), ( 3, 0, 4 ), ( 0, 0, 0 ), ( 1, 20, 0 ) )
  %0 = call @multiply_dense(%p, %q, %zeros)
      : (tensor<4x6xf64>, tensor<6x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  %v0 = vector.transfer_read %0[%c0, %c0], %pad
      : tensor<4x3xf64>, vector<4x3xf64>
  vector.print %v0 : vector<4x3xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 4, 3 )
  // CHECK-NEXT: lvl = ( 4, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 2, 0, 1 )
  // CHECK-NEXT: values : ( 13, 2, 3, 4, 1, 20 )
  // CHECK-NEXT: ----
  %1 = call @multiply_csr(%a1, %b1)
      : (tensor<4x6xf64, #CSR>, tensor<6x3xf64, #CSR>)
      -> tensor<4x3xf64, #CSR>
  sparse_tensor.print %1 : tensor<4x3xf64, #CSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 6
  // CHECK-NEXT: dim = ( 4, 3 )
  // CHECK-NEXT: lvl = ( 4, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 6 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 2, 0, 1 )
  // CHECK-NEXT: values : ( 13, 2, 3, 4, 1, 20 )
  // CHECK-NEXT: ----
  %2 = call @multiply_dcsr(%a2, %b2)
      : (tensor<4x6xf64, #DCSR>, tensor<6x3xf64, #DCSR>)
      -> tensor<4x3xf64, #DCSR>
  sparse_tensor.print %2 : tensor<4x3xf64, #DCSR>

  // CHECK-NEXT: ( ( 11, 12, 13 ), ( 3.25, 6.75, 10.25 ), ( 0, 0, 0 ), ( 20, 23.5, 33 ) )
  %3 = call @multiply_dense(%p, %full, %zeros)
      : (tensor<4x6xf64>, tensor<6x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  %v3 = vector.transfer_read %3[%c0, %c0], %pad
      : tensor<4x3xf64>, vector<4x3xf64>
  vector.print %v3 : vector<4x3xf64>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 9
  // CHECK-NEXT: dim = ( 4, 3 )
  // CHECK-NEXT: lvl = ( 4, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 6, 6, 9 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 0, 1, 2, 0, 1, 2 )
  // CHECK-NEXT: values : ( 11, 12, 13, 3.25, 6.75, 10.25, 20, 23.5, 33 )
  // CHECK-NEXT: ----
  %4 = call @multiply_csr(%a1, %f1)
      : (tensor<4x6xf64, #CSR>, tensor<6x3xf64, #CSR>)
      -> tensor<4x3xf64, #CSR>
  sparse_tensor.print %4 : tensor<4x3xf64, #CSR>

  // CHECK-NEXT: ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 9
  // CHECK-NEXT: dim = ( 4, 3 )
  // CHECK-NEXT: lvl = ( 4, 3 )
  // CHECK-NEXT: pos[0] : ( 0, 3 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 6, 9 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 2, 0, 1, 2, 0, 1, 2 )
  // CHECK-NEXT: values : ( 11, 12, 13, 3.25, 6.75, 10.25, 20, 23.5, 33 )
  // CHECK-NEXT: ----
  %5 = call @multiply_dcsr(%a2, %f2)
      : (tensor<4x6xf64, #DCSR>, tensor<6x3xf64, #DCSR>)
      -> tensor<4x3xf64, #DCSR>
  sparse_tensor.print %5 : tensor<4x3xf64, #DCSR>

  bufferization.dealloc_tensor %a1 : tensor<4x6xf64, #CSR>
  bufferization.dealloc_tensor %a2 : tensor<4x6xf64, #DCSR>
  bufferization.dealloc_tensor %b1 : tensor<6x3xf64, #CSR>
  bufferization.dealloc_tensor %b2 : tensor<6x3xf64, #DCSR>
  bufferization.dealloc_tensor %f1 : tensor<6x3xf64, #CSR>
  bufferization.dealloc_tensor %f2 : tensor<6x3xf64, #DCSR>
  bufferization.dealloc_tensor %0 : tensor<4x3xf64>
  bufferization.dealloc_tensor %1 : tensor<4x3xf64, #CSR>
  bufferization.dealloc_tensor %2 : tensor<4x3xf64, #DCSR>
  bufferization.dealloc_tensor %3 : tensor<4x3xf64>
  bufferization.dealloc_tensor %4 : tensor<4x3xf64, #CSR>
  bufferization.dealloc_tensor %5 : tensor<4x3xf64, #DCSR>
  return
}
