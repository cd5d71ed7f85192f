// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The hyperbolic tangent of the entries of a vector is taken in place.

#Vector = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>

func.func @tangents(%vector: tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector> {
  %result = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]
  } outs(%vector : tensor<?xf64, #Vector>) {
  ^bb0(%value: f64):
    %tangent = math.tanh %value : f64
    linalg.yield %tangent : f64
  } -> tensor<?xf64, #Vector>
  return %result : tensor<?xf64, #Vector>
}

func.func @main() {
  %dense = arith.constant sparse<
    [[2], [3], [7], [12], [13]], [0.5, -0.5, 1.5, 60.0, -60.0]> : tensor<14xf64>
  %vector = sparse_tensor.convert %dense : tensor<14xf64> to tensor<?xf64, #Vector>
  %tangents = call @tangents(%vector)
      : (tensor<?xf64, #Vector>) -> tensor<?xf64, #Vector>
  // CHECK:      ---- Sparse Tensor ----
  // CHECK-NEXT: nse = 5
  // CHECK-NEXT: dim = ( 14 )
  // CHECK-NEXT: lvl = ( 14 )
  // CHECK-NEXT: pos[0] : ( 0, 5 )
  // CHECK-NEXT: crd[0] : ( 2, 3, 7, 12, 13 )
  // CHECK-NEXT: values : ( 0.4621{{[0-9]*}}, -0.4621{{[0-9]*}}, 0.9051{{[0-9]*}}, 1, -1 )
  // CHECK-NEXT: ----
  sparse_tensor.print %tangents : tensor<?xf64, #Vector>
  bufferization.dealloc_tensor %vector : tensor<?xf64, #Vector>
  return
}
