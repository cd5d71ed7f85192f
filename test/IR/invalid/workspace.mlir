// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.workspace.

func.func @keys_of_16_bits(%keys: memref<?x?xi16>, %marks: memref<?x?xi64>, %n: index,
                           %status: memref<i32>) {
  // expected-error @below {{has coordinates of 32 or 64 bits, not 'memref<?x?xi16>'}}
  %w = nacho.workspace marks %marks keys %keys row %n extent %n status %status
      : memref<?x?xi64> keys memref<?x?xi16> status memref<i32> -> !nacho.workspace<none>
  return
}

// -----

func.func @workspace_of_others(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>,
                               %values: memref<?x?xf64>, %n: index, %status: memref<i32>) {
  // expected-error @below {{is a '!nacho.workspace<f32>', but its elements are 'f64'}}
  %w = nacho.workspace marks %marks keys %keys with %values row %n extent %n status %status
      : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xf64> status memref<i32>
      -> !nacho.workspace<f32>
  return
}

// -----

func.func @workspace_without_elements(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>,
                                      %n: index, %status: memref<i32>) {
  // expected-error @below {{is a '!nacho.workspace<f64>', but its elements are 'none'}}
  %w = nacho.workspace marks %marks keys %keys row %n extent %n status %status
      : memref<?x?xi64> keys memref<?x?xi32> status memref<i32> -> !nacho.workspace<f64>
  return
}

// -----

func.func @keys_of_lanes(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %n: index,
                         %status: memref<i32>) {
  // expected-error @below {{of lanes has no keys}}
  %w = nacho.workspace marks %marks keys %keys row %n lane %n extent %n status %status
      : memref<?x?xi64> keys memref<?x?xi32> status memref<i32> -> !nacho.workspace<none>
  return
}
