// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// A tensor of order 3 is scaled into one whose innermost level has all entries.

#CCC = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : compressed)
}>

#CCD = #sparse_tensor.encoding<{
  map = (i, j, k) -> (i : compressed, j : compressed, k : dense)
}>

func.func @scale(%tensor: tensor<?x?x?xf64, #CCC>) -> tensor<?x?x?xf64, #CCD> {
  %half = arith.constant 0.5 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %tensor, %c0 : tensor<?x?x?xf64, #CCC>
  %d1 = tensor.dim %tensor, %c1 : tensor<?x?x?xf64, #CCC>
  %d2 = tensor.dim %tensor, %c2 : tensor<?x?x?xf64, #CCC>
  %empty = tensor.empty(%d0, %d1, %d2) : tensor<?x?x?xf64, #CCD>
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>,
                     affine_map<(i, j, k) -> (i, j, k)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%tensor : tensor<?x?x?xf64, #CCC>) outs(%empty : tensor<?x?x?xf64, #CCD>) {
  ^bb0(%value: f64, %unused: f64):
    %scaled = arith.mulf %value, %half : f64
    linalg.yield %scaled : f64
  } -> tensor<?x?x?xf64, #CCD>
  return %result : tensor<?x?x?xf64, #CCD>
}

func.func @main() {
  %dense = arith.constant sparse<
    [[0, 1, 0], [0, 1, 3], [2, 0, 2], [2, 2, 1], [2, 2, 4]],
    [3.0, -1.0, 8.0, 5.0, 0.25]> : tensor<3x3x5xf64>
  %tensor = sparse_tensor.convert %dense
      : tensor<3x3x5xf64> to tensor<?x?x?xf64, #CCC>
  %scaled = call @scale(%tensor)
      : (tensor<?x?x?xf64, #CCC>) -> tensor<?x?x?xf64, #CCD>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 15
  // CHECK-NEXT: dim = ( 3, 3, 5 )
  // CHECK-NEXT: lvl = ( 3, 3, 5 )
  // CHECK-NEXT: pos[0] : ( 0, 2 )
  // CHECK-NEXT: crd[0] : ( 0, 2 )
  // CHECK-NEXT: pos[1] : ( 0, 1, 3 )
  // CHECK-NEXT: crd[1] : ( 1, 0, 2 )
  // CHECK-NEXT: values : ( 1.5, 0, 0, -0.5, 0, 0, 0, 4, 0, 0, 0, 2.5, 0, 0, 0.125 )
  // CHECK-NEXT: ----
  sparse_tensor.print %scaled : tensor<?x?x?xf64, #CCD>
  bufferization.dealloc_tensor %tensor : tensor<?x?x?xf64, #CCC>
  bufferization.dealloc_tensor %scaled : tensor<?x?x?xf64, #CCD>
  return
}
