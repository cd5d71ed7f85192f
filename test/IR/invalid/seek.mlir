// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.seek.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @seek_rows_that_are_dense(%A0: !nacho.fiber<tensor<?x?xf64, #CSR>, 0>, %k: index) {
  // expected-error @below {{cannot search a '!nacho.fiber<tensor<?x?xf64, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>>, 0>', which stores no coordinates}}
  %0 = nacho.seek %k in %A0 : !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
  return
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @seek_in_an_element(%x1: !nacho.fiber<tensor<?xf64, #SV>, 1>, %k: index) {
  // expected-error @below {{cannot search a}}
  %0 = nacho.seek %k in %x1 : !nacho.fiber<tensor<?xf64, #SV>, 1>
  return
}
