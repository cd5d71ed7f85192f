// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Products of the entries of two tensors are summed up along one dimension into a sparse
// matrix.

#CCC = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

func.func @sum_products(%a: tensor<?x?x?xi32, #CCC>,
                        %b: tensor<?x?x?xi32, #CCC>) -> tensor<?x?xi32, #DCSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?x?xi32, #CCC>
  %cols = tensor.dim %a, %c1 : tensor<?x?x?xi32, #CCC>
  %empty = tensor.empty(%rows, %cols) : tensor<?x?xi32, #DCSR>
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>,
                     affine_map<(i, j, k) -> (i, j, k)>,
                     affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : tensor<?x?x?xi32, #CCC>, tensor<?x?x?xi32, #CCC>)
    outs(%empty : tensor<?x?xi32, #DCSR>) {
  ^bb0(%x: i32, %y: i32, %sum: i32):
    %product = arith.muli %x, %y : i32
    %next = arith.addi %sum, %product : i32
    linalg.yield %next : i32
  } -> tensor<?x?xi32, #DCSR>
  return %result : tensor<?x?xi32, #DCSR>
}

func.func @main() {
  // The two have an entry in common wherever they have the first two coordinates.
  %a_dense = arith.constant sparse<
    [[0, 2, 1], [0, 2, 4], [1, 0, 0], [2, 1, 2], [2, 1, 3], [2, 3, 0]],
    [3, -2, 9, 5, 7, 4]> : tensor<3x4x5xi32>
  %b_dense = arith.constant sparse<
    [[0, 2, 1], [0, 2, 4], [2, 0, 0], [2, 1, 0], [2, 1, 3], [2, 3, 0]],
    [8, 6, 1, 2, -3, 10]> : tensor<3x4x5xi32>
  %a = sparse_tensor.convert %a_dense
      : tensor<3x4x5xi32> to tensor<?x?x?xi32, #CCC>
  %b = sparse_tensor.convert %b_dense
      : tensor<3x4x5xi32> to tensor<?x?x?xi32, #CCC>
  %sums = call @sum_products(%a, %b)
      : (tensor<?x?x?xi32, #CCC>, tensor<?x?x?xi32, #CCC>) -> tensor<?x?xi32, #DCSR>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 3
  // CHECK-NEXT: dim = ( 3, 4 )
  // CHECK-NEXT: lvl = ( 3, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3 )
  // CHECK-NEXT: crd[1] : ( 2, 1, 3 )
  // CHECK-NEXT: values : ( 12, -21, 40 )
  // CHECK-NEXT: ----
  sparse_tensor.print %sums : tensor<?x?xi32, #DCSR>
  bufferization.dealloc_tensor %a : tensor<?x?x?xi32, #CCC>
  bufferization.dealloc_tensor %b : tensor<?x?x?xi32, #CCC>
  bufferization.dealloc_tensor %sums : tensor<?x?xi32, #DCSR>
  return
}
