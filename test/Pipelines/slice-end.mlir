// RUN: nacho-opt %s --nacho-cpu="until=scf" | FileCheck %s

// The last cut of a slice of dense rows lies behind all rows of the tensor. The offset
// of the slice is not added to it: no positions are stored there.

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

// CHECK-LABEL: func.func @sums_0_partition(
// CHECK-SAME:    %[[POS:[^:]+]]: memref<?xi64>, %{{[^:]+}}: memref<?xi64>, %{{[^:]+}}: memref<?xf64>, %[[ROWS:[^:]+]]: index,
// CHECK:         nacho.parallel
// CHECK:           memref.load %[[POS]][%[[ROWS]]]
// CHECK:           memref.store %[[ROWS]], %{{.+}}[%{{.+}}, %c3]
// CHECK:         scf.for
func.func @sums(%A: tensor<4x4xf64, #CSR>, %first: index, %y: tensor<2xf64>)
    -> tensor<2xf64> {
  %rows = tensor.extract_slice %A[%first, 0] [2, 4] [1, 1]
      : tensor<4x4xf64, #CSR> to tensor<2x4xf64, #CSR>
  %z = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%rows : tensor<2x4xf64, #CSR>) outs(%y : tensor<2xf64>) {
  ^bb0(%a: f64, %sum: f64):
    %0 = arith.addf %sum, %a : f64
    linalg.yield %0 : f64
  } -> tensor<2xf64>
  return %z : tensor<2xf64>
}
