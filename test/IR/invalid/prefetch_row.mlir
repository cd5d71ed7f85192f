// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.prefetch_row.

func.func @row_without_encoding(%D: tensor<?x?xf64>, %i: index) {
  // expected-error @below {{needs an encoded dense tensor, got 'tensor<?x?xf64>'}}
  nacho.prefetch_row %D[%i] : tensor<?x?xf64>
  return
}

// -----

#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
func.func @row_with_all_coordinates(%D: tensor<?x?xf64, #Dense>, %i: index) {
  // expected-error @below {{has 2 coordinates for a row of 'tensor<?x?xf64}}
  nacho.prefetch_row %D[%i, %i] : tensor<?x?xf64, #Dense>
  return
}
