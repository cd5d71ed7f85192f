// RUN: %sparsifier-upstream %s | %run-main | FileCheck %s
// RUN: %sparsifier-nacho %s | %run-main | FileCheck %s

// The entries of two sparse matrices are visited together and summed up.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

func.func @sum(%start: tensor<f64>, %a: tensor<4x5xf64, #CSR>,
               %b: tensor<4x5xf64, #CSR>) -> tensor<f64> {
  %result = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                     affine_map<(i, j) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%a, %b : tensor<4x5xf64, #CSR>, tensor<4x5xf64, #CSR>)
    outs(%start : tensor<f64>) {
  ^bb0(%x: f64, %y: f64, %partial: f64):
    %both = arith.addf %x, %y : f64
    %next = arith.addf %partial, %both : f64
    linalg.yield %next : f64
  } -> tensor<f64>
  return %result : tensor<f64>
}

func.func @main() {
  %first = arith.constant 0.25 : f64
  %start = tensor.from_elements %first : tensor<f64>
  %a_dense = arith.constant sparse<[[0, 1], [0, 4], [2, 2]], [3.0, -1.5, 8.0]>
      : tensor<4x5xf64>
  %b_dense = arith.constant sparse<[[0, 1], [1, 0], [2, 3], [3, 4]], [4.0, 2.5, 16.0, -7.0]>
      : tensor<4x5xf64>
  %a = sparse_tensor.convert %a_dense : tensor<4x5xf64> to tensor<4x5xf64, #CSR>
  %b = sparse_tensor.convert %b_dense : tensor<4x5xf64> to tensor<4x5xf64, #CSR>
  %sum = call @sum(%start, %a, %b)
      : (tensor<f64>, tensor<4x5xf64, #CSR>, tensor<4x5xf64, #CSR>) -> tensor<f64>
  %value = tensor.extract %sum[] : tensor<f64>
  // CHECK: {{^25\.25$}}
  vector.print %value : f64
  bufferization.dealloc_tensor %a : tensor<4x5xf64, #CSR>
  bufferization.dealloc_tensor %b : tensor<4x5xf64, #CSR>
  bufferization.dealloc_tensor %sum : tensor<f64>
  return
}
