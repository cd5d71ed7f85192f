// RUN: nacho-opt %s -split-input-file -verify-diagnostics

func.func @not_an_index(%array: memref<?xi32>, %n: index) {
  // expected-error@+1 {{'nacho.place' is of loads of indices}}
  %0 = memref.load %array[%n] {nacho.place} : memref<?xi32>
  return
}

// -----

func.func @not_a_load(%n: index) {
  // expected-error@+1 {{'nacho.place' is of loads of indices}}
  %0 = arith.addi %n, %n {nacho.place} : index
  return
}
