// RUN: %python %S/Inputs/run.py %s A.csr-8-16 B.dcsr-8-16 | FileCheck %s
//
// Indices of 8 bits, and values of 16.
//
//       1 . 2         . . .                   1 . 2
//   A = . . .     B = . . .    Z = A + B =    . . .
//       . . .         . . 5                   . . 5
//       . 3 .         4 6 .                   4 9 .
//
// CHECK:      parts 1: [0, 2, 2, 3, 5] [0, 2, 2, 0, 1] [1.0, 2.0, 5.0, 4.0, 9.0]
// CHECK-NEXT: parts 2: [0, 2, 2, 3, 5] [0, 2, 2, 0, 1] [1.0, 2.0, 5.0, 4.0, 9.0]
// CHECK-NEXT: parts 6: [0, 2, 2, 3, 5] [0, 2, 2, 0, 1] [1.0, 2.0, 5.0, 4.0, 9.0]
// CHECK-NEXT: parts 50: [0, 2, 2, 3, 5] [0, 2, 2, 0, 1] [1.0, 2.0, 5.0, 4.0, 9.0]

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 8, crdWidth = 8 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 8, crdWidth = 8 }>
#map = affine_map<(i, j) -> (i, j)>
func.func @kernel(%A: tensor<4x3xf16, #CSR>, %B: tensor<4x3xf16, #DCSR>) -> tensor<4x3xf16, #CSR> {
  %e = tensor.empty() : tensor<4x3xf16, #CSR>
  %Z = linalg.generic {indexing_maps = [#map, #map, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%A, %B : tensor<4x3xf16, #CSR>, tensor<4x3xf16, #DCSR>)
      outs(%e : tensor<4x3xf16, #CSR>) {
    ^bb0(%a: f16, %b: f16, %z: f16):
      %0 = arith.addf %a, %b : f16
      linalg.yield %0 : f16
  } -> tensor<4x3xf16, #CSR>
  return %Z : tensor<4x3xf16, #CSR>
}
