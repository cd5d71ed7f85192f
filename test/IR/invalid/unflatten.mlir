// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.unflatten.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

func.func @unflatten(%A: tensor<?x?xf64, #CSR>, %key: index) {
  // expected-error @below {{needs a list or a tree of unique entries in order, got 'tensor<?x?xf64}}
  %i = nacho.unflatten 0 of %key in %A : tensor<?x?xf64, #CSR>
  return
}

// -----

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>

func.func @unflatten(%A: tensor<?x?xf64, #COO>, %key: index) {
  // expected-error @below {{wants level 2 of 'tensor<?x?xf64}}
  %i = nacho.unflatten 2 of %key in %A : tensor<?x?xf64, #COO>
  return
}
