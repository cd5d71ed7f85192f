// RUN: %python %S/Inputs/run.py %s A.coo B.csr x | FileCheck %s
//
// A result in COO, of operands in COO and CSR and a vector that every row repeats: both
// coordinates of each entry, wherever the cuts fall. x is 0 nowhere.
//
//       1 . 2         . . .                       1   .  200
//   A = . . .     B = . . .    Z = A * x + B =    .   .    .
//       . . .         . . 5                       .   .    5
//       . 3 .         4 6 .                       4  36    .
//
// CHECK:      parts 1: [0, 5] [0, 0, 2, 3, 3] [0, 2, 2, 0, 1] [1.0, 200.0, 5.0, 4.0, 36.0]
// CHECK-NEXT: parts 2: [0, 5] [0, 0, 2, 3, 3] [0, 2, 2, 0, 1] [1.0, 200.0, 5.0, 4.0, 36.0]
// CHECK-NEXT: parts 6: [0, 5] [0, 0, 2, 3, 3] [0, 2, 2, 0, 1] [1.0, 200.0, 5.0, 4.0, 36.0]
// CHECK-NEXT: parts 50: [0, 5] [0, 0, 2, 3, 3] [0, 2, 2, 0, 1] [1.0, 200.0, 5.0, 4.0, 36.0]

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 64 }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 64 }>
func.func @kernel(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>)
    -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[i, j] : tensor<?x?xf64, #CSR>,
                     %p = %x[j] : tensor<?xf64>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary mul %a, %p : f64
    %1 = nacho.binary add %0, %b : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}
