#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
func.func @kernel(%A: tensor<?x?xf32, #CSR>, %B: tensor<?x?xf32, #COO>) -> tensor<?x?xf32> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf32, #CSR>, %b = %B[i, j] : tensor<?x?xf32, #COO>)
      -> [i, j] : tensor<?x?xf32> {
    %0 = nacho.binary add %a, %b : f32
    nacho.yield %0 : f32
  }
  return %Z : tensor<?x?xf32>
}
