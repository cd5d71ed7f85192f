// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.load_cut.

func.func @load_cut(%bounds: memref<?x6xindex>, %p: index) {
  // expected-error @below {{a row of 'memref<?x6xindex>' does not hold a '!nacho.cut<2, 2>', which has 7 columns}}
  nacho.load_cut %bounds[%p] : memref<?x6xindex> -> !nacho.cut<2, 2>
  return
}
