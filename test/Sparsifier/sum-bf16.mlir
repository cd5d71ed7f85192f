// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The entries of a matrix of brain floats are summed up.

#DCSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed, j : compressed)
}>

func.func @sum(%matrix: tensor<?x?xbf16, #DCSR>, %start: tensor<bf16>) -> tensor<bf16> {
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%matrix : tensor<?x?xbf16, #DCSR>) outs(%start : tensor<bf16>) {
  ^bb0(%value: bf16, %sum: bf16):
    %next = arith.addf %sum, %value : bf16
    linalg.yield %next : bf16
  } -> tensor<bf16>
  return %result : tensor<bf16>
}

func.func @main() {
  %dense = arith.constant dense<[
    [0.0, 1.5, 0.0, 2.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0],
    [4.0, 0.0, -0.5, 0.0, 8.0]
  ]> : tensor<3x5xbf16>
  %matrix = sparse_tensor.convert %dense : tensor<3x5xbf16> to tensor<?x?xbf16, #DCSR>
  %zero = arith.constant 0.0 : bf16
  %start = tensor.from_elements %zero : tensor<bf16>
  %sum = call @sum(%matrix, %start)
      : (tensor<?x?xbf16, #DCSR>, tensor<bf16>) -> tensor<bf16>
  %value = tensor.extract %sum[] : tensor<bf16>
  %wide = arith.extf %value : bf16 to f32
  // CHECK:      {{^15$}}
  vector.print %wide : f32
  bufferization.dealloc_tensor %matrix : tensor<?x?xbf16, #DCSR>
  bufferization.dealloc_tensor %sum : tensor<bf16>
  return
}
