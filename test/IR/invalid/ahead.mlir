// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.ahead.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @ahead_of_a_dense_coordinate(%A1: !nacho.fiber<tensor<?x?xf64, #CSR>, 1>) -> index {
  // expected-error @below {{needs a child with a stored coordinate, not a '!nacho.fiber<}}
  %0 = nacho.ahead %A1 by 16 : !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
  return %0 : index
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @ahead_of_nothing(%A2: !nacho.fiber<tensor<?x?xf64, #CSR>, 2>) -> index {
  // expected-error @below {{must look ahead}}
  %0 = nacho.ahead %A2 by 0 : !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
  return %0 : index
}
