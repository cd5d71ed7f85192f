// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.cut_coordinate.

func.func @cut_coordinate(%cut: !nacho.cut<1>) {
  // expected-error @below {{loop 1 of a cut through 1}}
  nacho.cut_coordinate %cut[1] : !nacho.cut<1>
  return
}
