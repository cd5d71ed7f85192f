// RUN: %python %S/Inputs/run.py %s A.csr-8-64 B.csr-8-64 | FileCheck %s
//
// Products whose operand is stored by the other index, with indices of 8 bits.
//
//       1 . 2         . . .                           .  .  .
//   A = . . .     B = . . .    Z[j, k] = sum over i = 12 18  .
//       . . .         . . 5     of A[i, j] * B[i, k]  .  .  .
//       . 3 .         4 6 .
//
// CHECK:      parts 1: [0, 0, 2, 2] [0, 1] [12.0, 18.0]
// CHECK-NEXT: parts 2: [0, 0, 2, 2] [0, 1] [12.0, 18.0]
// CHECK-NEXT: parts 6: [0, 0, 2, 2] [0, 1] [12.0, 18.0]
// CHECK-NEXT: parts 50: [0, 0, 2, 2] [0, 1] [12.0, 18.0]

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 8, crdWidth = 8 }>
func.func @kernel(%A: tensor<4x3xf64, #CSR>, %B: tensor<4x3xf64, #CSR>) -> tensor<3x3xf64, #CSR> {
  %e = bufferization.alloc_tensor() : tensor<3x3xf64, #CSR>
  %Z = linalg.generic {indexing_maps = [affine_map<(j, k, i) -> (i, j)>,
                                        affine_map<(j, k, i) -> (i, k)>,
                                        affine_map<(j, k, i) -> (j, k)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : tensor<4x3xf64, #CSR>, tensor<4x3xf64, #CSR>)
      outs(%e : tensor<3x3xf64, #CSR>) {
    ^bb0(%a: f64, %b: f64, %z: f64):
      %0 = arith.mulf %a, %b : f64
      %1 = arith.addf %z, %0 : f64
      linalg.yield %1 : f64
  } -> tensor<3x3xf64, #CSR>
  return %Z : tensor<3x3xf64, #CSR>
}
