// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The product of two CSC matrices is a CSC matrix, computed column by column.

#CSC = #sparse_tensor.encoding<{
  map = (i, j) -> (j : dense, i : compressed)
}>

func.func @multiply(%a: tensor<6x3xf64, #CSC>, %b: tensor<3x5xf64, #CSC>)
    -> tensor<6x5xf64, #CSC> {
  %empty = tensor.empty() : tensor<6x5xf64, #CSC>
  %c = linalg.matmul ins(%a, %b : tensor<6x3xf64, #CSC>, tensor<3x5xf64, #CSC>)
                     outs(%empty : tensor<6x5xf64, #CSC>)
      -> tensor<6x5xf64, #CSC>
  return %c : tensor<6x5xf64, #CSC>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.0 : f64
  %p = arith.constant dense<[[0.0, 2.0, 0.0],
                             [1.5, 0.0, 0.0],
                             [0.0, 0.0, 0.0],
                             [4.0, 0.0, 3.0],
                             [0.0, 1.0, 0.0],
                             [0.0, 6.0, 0.5]]> : tensor<6x3xf64>
  %q = arith.constant dense<[[2.0, 0.0, 0.0, 1.0, 0.0],
                             [0.0, 3.0, 0.0, 4.0, 0.0],
                             [8.0, 0.0, 0.0, 2.0, 5.0]]> : tensor<3x5xf64>
  %a = sparse_tensor.convert %p : tensor<6x3xf64> to tensor<6x3xf64, #CSC>
  %b = sparse_tensor.convert %q : tensor<3x5xf64> to tensor<3x5xf64, #CSC>
  %c = call @multiply(%a, %b)
      : (tensor<6x3xf64, #CSC>, tensor<3x5xf64, #CSC>)
      -> tensor<6x5xf64, #CSC>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 13
  // CHECK-NEXT: dim = ( 6, 5 )
  // CHECK-NEXT: lvl = ( 5, 6 )
  // CHECK-NEXT: pos[1] : ( 0, 3, 6, 6, 11, 13 )
  // CHECK-NEXT: crd[1] : ( 1, 3, 5, 0, 4, 5, 0, 1, 3, 4, 5, 3, 5 )
  // CHECK-NEXT: values : ( 3, 32, 4, 6, 3, 18, 8, 1.5, 10, 4, 25, 15, 2.5 )
  // CHECK-NEXT: ----
  sparse_tensor.print %c : tensor<6x5xf64, #CSC>

  // CHECK-NEXT: ( ( 0, 6, 0, 8, 0 ), ( 3, 0, 0, 1.5, 0 ), ( 0, 0, 0, 0, 0 ), ( 32, 0, 0, 10, 15 ), ( 0, 3, 0, 4, 0 ), ( 4, 18, 0, 25, 2.5 ) )
  %dense = sparse_tensor.convert %c : tensor<6x5xf64, #CSC> to tensor<6x5xf64>
  %read = vector.transfer_read %dense[%c0, %c0], %pad
      : tensor<6x5xf64>, vector<6x5xf64>
  vector.print %read : vector<6x5xf64>

  bufferization.dealloc_tensor %a : tensor<6x3xf64, #CSC>
  bufferization.dealloc_tensor %b : tensor<3x5xf64, #CSC>
  bufferization.dealloc_tensor %c : tensor<6x5xf64, #CSC>
  bufferization.dealloc_tensor %dense : tensor<6x5xf64>
  return
}
