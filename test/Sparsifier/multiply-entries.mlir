// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Two sparse matrices are multiplied entry by entry into a third one.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

func.func @multiply(%a: tensor<9x14xf32, #DCSR>,
                    %b: tensor<9x14xf32, #DCSR>) -> tensor<9x14xf32, #DCSR> {
  %empty = tensor.empty() : tensor<9x14xf32, #DCSR>
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                     affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %b : tensor<9x14xf32, #DCSR>, tensor<9x14xf32, #DCSR>)
    outs(%empty : tensor<9x14xf32, #DCSR>) {
  ^bb0(%x: f32, %y: f32, %unused: f32):
    %product = arith.mulf %x, %y : f32
    linalg.yield %product : f32
  } -> tensor<9x14xf32, #DCSR>
  return %result : tensor<9x14xf32, #DCSR>
}

func.func @main() {
  %a_dense = arith.constant sparse<
    [[0, 3], [2, 1], [2, 8], [5, 13], [8, 0]],
    [2.0, 1.5, -3.0, 4.0, 6.0]> : tensor<9x14xf32>
  %b_dense = arith.constant sparse<
    [[1, 3], [2, 1], [2, 7], [2, 8], [8, 0], [8, 4]],
    [7.0, 8.0, 5.0, 0.5, -1.0, 9.0]> : tensor<9x14xf32>
  %a = sparse_tensor.convert %a_dense : tensor<9x14xf32> to tensor<9x14xf32, #DCSR>
  %b = sparse_tensor.convert %b_dense : tensor<9x14xf32> to tensor<9x14xf32, #DCSR>
  %product = call @multiply(%a, %b)
      : (tensor<9x14xf32, #DCSR>, tensor<9x14xf32, #DCSR>) -> tensor<9x14xf32, #DCSR>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 9, 14 )
  // CHECK-NEXT: lvl = ( 9, 14 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 2, 8 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 8, 0 )
  // CHECK-NEXT: values : ( 12, -1.5, -6 )
  // CHECK-NEXT: ----
  sparse_tensor.print %product : tensor<9x14xf32, #DCSR>
  bufferization.dealloc_tensor %a : tensor<9x14xf32, #DCSR>
  bufferization.dealloc_tensor %b : tensor<9x14xf32, #DCSR>
  bufferization.dealloc_tensor %product : tensor<9x14xf32, #DCSR>
  return
}
