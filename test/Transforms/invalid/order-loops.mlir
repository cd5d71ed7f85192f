// RUN: nacho-opt %s -nacho-order-loops -split-input-file -verify-diagnostics

// The loop over m is the outermost one, so that the entries of the result would have to
// be listed and sorted. But every entry is at least 1.

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @exponentials(%A: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64> {
  // expected-error @below {{in the order of loops ["m", "j", "i"], entries are listed and sorted, but a list has no values where no operand has one: not supported}}
  %Z = nacho.assign (%a = %A[i, m] : tensor<?x?xf64, #DCSR>, %b = %A[m, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.unary exp %0 : f64
    %2 = nacho.reduce add %1 over [m] : f64
    nacho.yield %2 : f64
  } {order = ["m", "j", "i"]}
  return %Z : tensor<?x?xf64>
}
