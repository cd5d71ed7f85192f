// RUN: %python %S/Inputs/run.py %s A.csr x B.coo | FileCheck %s
//
// y[i] = A[i, j] * x[j] + B[i, j]: rows are cut, what the parts have of them is combined, and
// the rows without entries are 0.
//
//   201 = 1 * 1 + 2 * 100     0     5     40 = 3 * 10 + 4 + 6
//
// CHECK:      parts 1: [201.0, 0.0, 5.0, 40.0]
// CHECK-NEXT: parts 2: [201.0, 0.0, 5.0, 40.0]
// CHECK-NEXT: parts 6: [201.0, 0.0, 5.0, 40.0]
// CHECK-NEXT: parts 50: [201.0, 0.0, 5.0, 40.0]

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 64 }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 64 }>
func.func @kernel(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %B: tensor<?x?xf64, #COO>)
    -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %p = %x[j] : tensor<?xf64>,
                     %b = %B[i, j] : tensor<?x?xf64, #COO>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %p : f64
    %1 = nacho.binary add %0, %b : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}
