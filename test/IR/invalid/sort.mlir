// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.sort.

func.func @sort_by_nothing(%values: memref<?xf64>, %status: memref<i32>, %n: index) {
  // expected-error @below {{needs coordinates to sort by}}
  "nacho.sort"(%values, %status, %n) <{operandSegmentSizes = array<i32: 0, 0, 0, 1, 1, 1>}>
      : (memref<?xf64>, memref<i32>, index) -> ()
  return
}

// -----

func.func @sort_without_extents(%crd: memref<?xi32>, %values: memref<?xf64>,
                                %status: memref<i32>, %n: index) {
  // expected-error @below {{needs one extent per array of coordinates}}
  nacho.sort (%crd) below () with %values status %status threads %n
      : (memref<?xi32>) with memref<?xf64> status memref<i32>
  return
}

// -----

func.func @sort_by_bytes(%crd: memref<?xi8>, %values: memref<?xf64>, %status: memref<i32>,
                         %n: index) {
  // expected-error @below {{sorts by coordinates of 32 or 64 bits, not 'memref<?xi8>'}}
  nacho.sort (%crd) below (%n) with %values status %status threads %n
      : (memref<?xi8>) with memref<?xf64> status memref<i32>
  return
}

// -----

func.func @sort_along_view(%crd: memref<?xi32>, %rest: memref<?xi32, strided<[2], offset: 1>>,
                           %values: memref<?xf64>, %status: memref<i32>, %n: index) {
  // expected-error @below {{sorts arrays without a stride, not 'memref<?xi32, strided<[2], offset: 1>>'}}
  nacho.sort (%crd) below (%n) along (%rest) with %values status %status threads %n
      : (memref<?xi32>) along (memref<?xi32, strided<[2], offset: 1>>) with memref<?xf64>
        status memref<i32>
  return
}
