// RUN: nacho-opt %s -split-input-file -verify-diagnostics

func.func @no_extent() {
  // expected-error @below {{needs an extent if, and only if, its type has none}}
  %0 = nacho.coordinates : tensor<?xi64>
  return
}

// -----

func.func @two_extents(%n: index) {
  // expected-error @below {{needs an extent if, and only if, its type has none}}
  %0 = nacho.coordinates %n : tensor<8xi64>
  return
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @stored() {
  // expected-error @below {{has no encoding: nothing is stored}}
  %0 = nacho.coordinates : tensor<8xi64, #SV>
  return
}
