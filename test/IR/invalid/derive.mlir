// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.derive.

func.func @derive(%m: index, %extent: index) {
  // expected-error @below {{has 1 coordinates and 2 factors}}
  nacho.derive (%m) by [1, -1] plus 0 over 1 to %extent
  return
}

// -----

func.func @derive(%m: index, %extent: index) {
  // expected-error @below {{divides by 0}}
  nacho.derive (%m) by [1] plus 0 over 0 to %extent
  return
}
