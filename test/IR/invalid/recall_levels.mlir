// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Only what is stored can be recalled.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @dense_level(%A0: !nacho.fiber<tensor<?x?xf64, #CSR>, 0>) -> index {
  // expected-error @below {{recalls level 0 of 'tensor<?x?xf64, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>>', which stores no coordinates}}
  %0 = nacho.recall %A0 below 0 : !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
  return %0 : index
}

// -----

func.func @not_encoded(%x0: !nacho.fiber<tensor<?xf64>, 0>) -> index {
  // expected-error @below {{recalls level 0 of 'tensor<?xf64>', which stores no coordinates}}
  %0 = nacho.recall %x0 below 0 : !nacho.fiber<tensor<?xf64>, 0>
  return %0 : index
}
