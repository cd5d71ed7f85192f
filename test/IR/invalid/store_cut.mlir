// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.store_cut.

func.func @store_cut(%cut: !nacho.cut<3>, %bounds: memref<?x?xindex>, %p: index) {
  // expected-error @below {{a row of 'memref<?x?xindex>' does not hold a '!nacho.cut<3>', which has 5 columns}}
  nacho.store_cut %cut, %bounds[%p] : !nacho.cut<3>, memref<?x?xindex>
  return
}
