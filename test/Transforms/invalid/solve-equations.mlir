// RUN: nacho-opt %s -nacho-solve-equations -split-input-file -verify-diagnostics

// What the pass refuses, by message.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @one_element(%A: tensor<?xf64, #SV>, %x: tensor<?xf64>) -> tensor<?xi1> {
  // expected-error @below {{operand 0 is sparse and has no index, only numbers: not supported where it matters whether the element is stored}}
  %Z = nacho.assign (%a = %A[m] : tensor<?xf64, #SV>, %b = %x[i] : tensor<?xf64>)
      where (m = 2) -> [i] : tensor<?xi1> {
    %0 = nacho.stored %a : f64
    nacho.yield %0 : i1
  }
  return %Z : tensor<?xi1>
}
