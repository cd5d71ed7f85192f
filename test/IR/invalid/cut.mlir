// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.cut.

!A1 = !nacho.fiber<tensor<?xf64>, 1>
func.func @cut(%cost: index, %A1: !A1) {
  // expected-error @below {{makes '!nacho.cut<2>' of 1 coordinates and 1 fibers}}
  nacho.cut %cost at (%cost) of (%A1) : !A1 -> !nacho.cut<2>
  return
}
