// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The entries of a matrix are scaled in place.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

func.func @triple(%matrix: tensor<5x6xf32, #CSR>) -> tensor<5x6xf32, #CSR> {
  %three = arith.constant 3.0 : f32
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } outs(%matrix : tensor<5x6xf32, #CSR>) {
  ^bb0(%value: f32):
    %tripled = arith.mulf %value, %three : f32
    linalg.yield %tripled : f32
  } -> tensor<5x6xf32, #CSR>
  return %result : tensor<5x6xf32, #CSR>
}

func.func @main() {
  %dense = arith.constant dense<[
    [0.0, 2.0, 0.0, 0.0, 0.5, 0.0],
    [1.0, 0.0, 0.0, -4.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 7.0, 0.0, 0.0, 1.5],
    [3.0, 0.0, 0.0, 0.0, 0.0, 0.0]
  ]> : tensor<5x6xf32>
  %matrix = sparse_tensor.convert %dense : tensor<5x6xf32> to tensor<5x6xf32, #CSR>
  %tripled = call @triple(%matrix) : (tensor<5x6xf32, #CSR>) -> tensor<5x6xf32, #CSR>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 5, 6 )
  // CHECK-NEXT: lvl = ( 5, 6 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 4, 6, 7 )
  // CHECK-NEXT: crd[1] : ( 1, 4, 0, 3, 2, 5, 0 )
  // CHECK-NEXT: values : ( 6, 1.5, 3, -12, 21, 4.5, 9 )
  // CHECK-NEXT: ----
  sparse_tensor.print %tripled : tensor<5x6xf32, #CSR>
  bufferization.dealloc_tensor %matrix : tensor<5x6xf32, #CSR>
  return
}
