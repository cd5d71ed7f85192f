// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Only what a list keeps can be recalled, not what any other tensor stores.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @dense_level(%A0: !nacho.fiber<tensor<?x?xf64, #CSR>, 0>) -> index {
  // expected-error @below {{recalls what only a scanned_list keeps from a '!nacho.fiber<tensor<?x?xf64, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>>, 0>'}}
  %0 = nacho.recall %A0 below 0 : !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
  return %0 : index
}

// -----

func.func @not_encoded(%x0: !nacho.fiber<tensor<?xf64>, 0>) -> index {
  // expected-error @below {{recalls what only a scanned_list keeps from a '!nacho.fiber<tensor<?xf64>, 0>'}}
  %0 = nacho.recall %x0 below 0 : !nacho.fiber<tensor<?xf64>, 0>
  return %0 : index
}
