// RUN: not nacho-opt %s --nacho-cpu='until=scf rewrites=1' -o /dev/null
// RUN: nacho-opt %s --nacho-cpu='until=scf' -o /dev/null

// A canonicalization that has more to do than it may fails.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

func.func @masked(%M: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
