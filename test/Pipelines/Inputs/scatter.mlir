#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @kernel(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[i] : tensor<?xf64>) -> [j] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i] : f64
    nacho.yield %1 : f64
  } {order = ["i", "j"]}
  return %y : tensor<?xf64>
}
