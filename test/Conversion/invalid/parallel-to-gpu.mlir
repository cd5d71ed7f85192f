// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu -verify-diagnostics

func.func @sort(%crd: memref<?xi32>, %values: memref<?xf64>, %N: index,
                %status: memref<i32>, %threads: index) {
  // expected-error @below {{has no lowering to a GPU}}
  nacho.sort (%crd) below (%N) with %values status %status threads %threads
      : (memref<?xi32>) with memref<?xf64> status memref<i32>
  return
}
