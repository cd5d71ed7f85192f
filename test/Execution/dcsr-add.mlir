// RUN: %python %S/Inputs/run.py %s A.dcsr B.dcsr | FileCheck %s
//
// A kernel from text, run on two matrices in as many parts as there are entries,
// and in more: the result does not depend on where the cuts fall.
//
//       1 . 2         . . .         1 . 2
//   A = . . .     B = . . .     Z = . . .
//       . . .         . . 5         . . 5
//       . 3 .         4 6 .         4 9 .
//
// CHECK:      parts 1: [0, 3] [0, 2, 3] [0, 2, 3, 5] [0, 2, 2, 0, 1] [1.0, 2.0, 5.0, 4.0, 9.0]
// CHECK-NEXT: parts 2: [0, 3] [0, 2, 3] [0, 2, 3, 5] [0, 2, 2, 0, 1] [1.0, 2.0, 5.0, 4.0, 9.0]
// CHECK-NEXT: parts 6: [0, 3] [0, 2, 3] [0, 2, 3, 5] [0, 2, 2, 0, 1] [1.0, 2.0, 5.0, 4.0, 9.0]
// CHECK-NEXT: parts 50: [0, 3] [0, 2, 3] [0, 2, 3, 5] [0, 2, 2, 0, 1] [1.0, 2.0, 5.0, 4.0, 9.0]

#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 64 }>
func.func @kernel(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}
