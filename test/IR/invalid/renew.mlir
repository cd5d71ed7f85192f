// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.renew, and of flat workspaces.

func.func @renew_for_elements(%w: !nacho.workspace<f64>, %n: index) {
  // expected-error @below {{needs numbers of 32 or 64 bits, not 'f64'}}
  nacho.renew %w for %n : !nacho.workspace<f64>
  return
}

// -----

func.func @flat_with_keys(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %N: index, %status: memref<i32>) {
  %row = arith.constant 0 : index
  // expected-error @below {{is flat, and so has no keys, and is not of lanes}}
  %w = nacho.workspace flat marks %marks keys %keys row %row extent %N status %status
      : memref<?x?xi64> keys memref<?x?xi32> status memref<i32> -> !nacho.workspace<none>
  return
}
