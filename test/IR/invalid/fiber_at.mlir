// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.fiber_at.

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @fiber_of_another(%A0: !nacho.fiber<tensor<?xf64, #V>, 0>, %p: index)
    -> !nacho.fiber<tensor<?xf32, #V>, 1> {
  // expected-error @below {{cannot get a}}
  %0 = nacho.fiber_at %A0[%p]
      : !nacho.fiber<tensor<?xf64, #V>, 0> -> !nacho.fiber<tensor<?xf32, #V>, 1>
  return %0 : !nacho.fiber<tensor<?xf32, #V>, 1>
}
