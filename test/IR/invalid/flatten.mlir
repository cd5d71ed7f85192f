// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.flatten.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>

func.func @flatten(%A: tensor<?x?xf64, #CSR>) {
  // expected-error @below {{needs a list or a tree of unique entries in order, got 'tensor<?x?xf64}}
  %flat = nacho.flatten %A : tensor<?x?xf64, #CSR>
  return
}

// -----

func.func @flatten(%A: tensor<?x?xf64>) {
  // expected-error @below {{needs a list or a tree of entries, got 'tensor<?x?xf64>'}}
  %flat = nacho.flatten %A : tensor<?x?xf64>
  return
}
