// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// Two sparse tensors of order 3 are multiplied entry by entry into a third one.

#CCC = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

func.func @multiply(%a: tensor<?x?x?xf64, #CCC>,
                    %b: tensor<?x?x?xf64, #CCC>) -> tensor<?x?x?xf64, #CCC> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %a, %c0 : tensor<?x?x?xf64, #CCC>
  %d1 = tensor.dim %a, %c1 : tensor<?x?x?xf64, #CCC>
  %d2 = tensor.dim %a, %c2 : tensor<?x?x?xf64, #CCC>
  %empty = tensor.empty(%d0, %d1, %d2) : tensor<?x?x?xf64, #CCC>
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>,
                     affine_map<(i, j, k) -> (i, j, k)>,
                     affine_map<(i, j, k) -> (i, j, k)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%a, %b : tensor<?x?x?xf64, #CCC>, tensor<?x?x?xf64, #CCC>)
    outs(%empty : tensor<?x?x?xf64, #CCC>) {
  ^bb0(%x: f64, %y: f64, %unused: f64):
    %product = arith.mulf %x, %y : f64
    linalg.yield %product : f64
  } -> tensor<?x?x?xf64, #CCC>
  return %result : tensor<?x?x?xf64, #CCC>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %none = arith.constant -1.0 : f64
  // The two have an entry in common wherever they have the first two coordinates.
  %a_dense = arith.constant dense<[
    [[0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
    [[1.5, 0.0, 0.0, 2.0], [0.0, 0.0, 4.0, 0.0]],
    [[0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0]]]> : tensor<3x2x4xf64>
  %b_dense = arith.constant dense<[
    [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
    [[6.0, 5.0, 0.0, 0.25], [0.0, 7.0, -1.0, 0.0]],
    [[0.0, 9.0, 0.0, 0.0], [8.0, 0.0, 0.0, 0.0]]]> : tensor<3x2x4xf64>
  %a = sparse_tensor.convert %a_dense : tensor<3x2x4xf64> to tensor<?x?x?xf64, #CCC>
  %b = sparse_tensor.convert %b_dense : tensor<3x2x4xf64> to tensor<?x?x?xf64, #CCC>
  %product = call @multiply(%a, %b)
      : (tensor<?x?x?xf64, #CCC>, tensor<?x?x?xf64, #CCC>) -> tensor<?x?x?xf64, #CCC>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 4
  // CHECK-NEXT: dim = ( 3, 2, 4 )
  // CHECK-NEXT: lvl = ( 3, 2, 4 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 1, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 2, 3 )
  // CHECK-NEXT: crd[1] : ( 0, 1, 1 )
  // CHECK-NEXT: pos[2] : ( 0, 2, 3, 4 )
  // CHECK-NEXT: crd[2] : ( 0, 3, 2, 0 )
  // CHECK-NEXT: values : ( 9, 0.5, -4, 4 )
  // CHECK-NEXT: ----
  sparse_tensor.print %product : tensor<?x?x?xf64, #CCC>
  %dense = sparse_tensor.convert %product
      : tensor<?x?x?xf64, #CCC> to tensor<?x?x?xf64>
  %values = vector.transfer_read %dense[%c0, %c0, %c0], %none
      : tensor<?x?x?xf64>, vector<3x2x4xf64>
  // CHECK-NEXT: ( ( ( 0, 0, 0, 0 ), ( 0, 0, 0, 0 ) ), ( ( 9, 0, 0, 0.5 ), ( 0, 0, -4, 0 ) ), ( ( 0, 0, 0, 0 ), ( 4, 0, 0, 0 ) ) )
  vector.print %values : vector<3x2x4xf64>

  bufferization.dealloc_tensor %a : tensor<?x?x?xf64, #CCC>
  bufferization.dealloc_tensor %b : tensor<?x?x?xf64, #CCC>
  bufferization.dealloc_tensor %product : tensor<?x?x?xf64, #CCC>
  bufferization.dealloc_tensor %dense : tensor<?x?x?xf64>
  return
}
