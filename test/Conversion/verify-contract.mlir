// RUN: nacho-opt %s -nacho-verify-contract | FileCheck %s
//
// Everything that a backend has to lower, which stays as it is.

// CHECK-LABEL: func.func private @callee()
func.func private @callee()

// CHECK-LABEL: func.func @contract(
// CHECK-NEXT:    call @callee
// CHECK-NEXT:    memref.alloca
// CHECK-NEXT:    nacho.parallel
// CHECK-NEXT:      nacho.slot
// CHECK-NEXT:      memref.store
// CHECK:         nacho.exclusive_scan
// CHECK:           nacho.yield
// CHECK:         nacho.prefix_sum
// CHECK-NEXT:    nacho.sort
// CHECK:         vector.broadcast
// CHECK-NEXT:    return
func.func @contract(%n: index, %rows: memref<?x1xindex>, %costs: memref<?xi64>,
                    %crd: memref<?xi32>, %values: memref<?xf64>, %status: memref<i32>,
                    %x: i32) {
  func.call @callee() : () -> ()
  %out = memref.alloca(%n) : memref<?xindex>
  nacho.parallel %worker in %n threads %n {
    %slot = nacho.slot
    memref.store %slot, %out[%worker] : memref<?xindex>
  }
  nacho.exclusive_scan %rows into %rows : memref<?x1xindex> {
  ^bb0(%a: index, %b: index):
    nacho.yield %a : index
  }
  nacho.prefix_sum %costs threads %n : memref<?xi64>
  nacho.sort (%crd) below (%n) with %values status %status threads %n
      : (memref<?xi32>) with memref<?xf64> status memref<i32>
  %all = vector.broadcast %x : i32 to vector<8xi32>
  return
}

// The same bits, whether an integer has a sign or not.

// CHECK-LABEL: func.func @signedness(
// CHECK-NEXT:    unrealized_conversion_cast
func.func @signedness(%x: i8) -> ui8 {
  %y = builtin.unrealized_conversion_cast %x : i8 to ui8
  return %y : ui8
}

// CHECK-LABEL: func.func @functions_of_complex_numbers(
// CHECK-NEXT:    nacho.unary log
func.func @functions_of_complex_numbers(%x: complex<f32>) -> complex<f32> {
  %0 = nacho.unary log %x : complex<f32>
  return %0 : complex<f32>
}
