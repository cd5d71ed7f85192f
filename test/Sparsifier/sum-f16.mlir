// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The entries of a matrix of half precision are summed up.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

func.func @sum(%matrix: tensor<?x?xf16, #DCSR>, %start: tensor<f16>) -> tensor<f16> {
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%matrix : tensor<?x?xf16, #DCSR>) outs(%start : tensor<f16>) {
  ^bb0(%value: f16, %sum: f16):
    %next = arith.addf %sum, %value : f16
    linalg.yield %next : f16
  } -> tensor<f16>
  return %result : tensor<f16>
}

func.func @main() {
  %dense = arith.constant dense<[
    [0.0, 1.5, 0.0, 2.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0],
    [4.0, 0.0, -0.5, 0.0, 8.0]
  ]> : tensor<3x5xf16>
  %matrix = sparse_tensor.convert %dense : tensor<3x5xf16> to tensor<?x?xf16, #DCSR>
  %zero = arith.constant 0.0 : f16
  %start = tensor.from_elements %zero : tensor<f16>
  %sum = call @sum(%matrix, %start)
      : (tensor<?x?xf16, #DCSR>, tensor<f16>) -> tensor<f16>
  %value = tensor.extract %sum[] : tensor<f16>
  %wide = arith.extf %value : f16 to f32
  // CHECK:      {{^15$}}
  vector.print %wide : f32
  bufferization.dealloc_tensor %matrix : tensor<?x?xf16, #DCSR>
  bufferization.dealloc_tensor %sum : tensor<f16>
  return
}
