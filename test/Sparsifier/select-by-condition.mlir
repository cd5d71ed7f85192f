// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A dense condition chooses between the entries of two sparse matrices.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

#choose = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}

func.func @choose(%condition: tensor<4x4xi1>, %a: tensor<4x4xf64, #DCSR>,
                  %b: tensor<4x4xf64, #DCSR>) -> tensor<4x4xf64, #DCSR> {
  %empty = tensor.empty() : tensor<4x4xf64, #DCSR>
  %result = linalg.generic #choose
      ins(%condition, %a, %b
          : tensor<4x4xi1>, tensor<4x4xf64, #DCSR>, tensor<4x4xf64, #DCSR>)
      outs(%empty : tensor<4x4xf64, #DCSR>) {
  ^bb0(%take_a: i1, %x: f64, %y: f64, %unused: f64):
    %chosen = arith.select %take_a, %x, %y : f64
    linalg.yield %chosen : f64
  } -> tensor<4x4xf64, #DCSR>
  return %result : tensor<4x4xf64, #DCSR>
}

func.func @main() {
  // Where one of the two has no entry, the other one is taken.
  %condition = arith.constant sparse<[[0, 1], [1, 3], [3, 0]], [1, 1, 1]>
      : tensor<4x4xi1>
  %a_dense = arith.constant sparse<
    [[0, 1], [1, 0], [1, 3], [3, 0]], [2.5, 9.0, 4.0, -1.5]> : tensor<4x4xf64>
  %b_dense = arith.constant sparse<
    [[0, 2], [1, 0], [2, 2], [3, 0], [3, 3]], [1.0, 7.5, 3.0, 8.0, 6.0]> : tensor<4x4xf64>
  %a = sparse_tensor.convert %a_dense : tensor<4x4xf64> to tensor<4x4xf64, #DCSR>
  %b = sparse_tensor.convert %b_dense : tensor<4x4xf64> to tensor<4x4xf64, #DCSR>

  %chosen = call @choose(%condition, %a, %b)
      : (tensor<4x4xi1>, tensor<4x4xf64, #DCSR>, tensor<4x4xf64, #DCSR>)
      -> tensor<4x4xf64, #DCSR>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 7
  // CHECK-NEXT: dim = ( 4, 4 )
  // CHECK-NEXT: lvl = ( 4, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 4 )
  // CHECK-NEXT: crd[0] : ( 0, 1, 2, 3 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 4, 5, 7 )
  // CHECK-NEXT: crd[1] : ( 1, 2, 0, 3, 2, 0, 3 )
  // CHECK-NEXT: values : ( 2.5, 1, 7.5, 4, 3, -1.5, 6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %chosen : tensor<4x4xf64, #DCSR>

  bufferization.dealloc_tensor %a : tensor<4x4xf64, #DCSR>
  bufferization.dealloc_tensor %b : tensor<4x4xf64, #DCSR>
  bufferization.dealloc_tensor %chosen : tensor<4x4xf64, #DCSR>
  return
}
