// RUN: nacho-opt %s -nacho-count-steps | FileCheck %s

// Every loop calls the function that counts, once in each iteration.
//
// CHECK:       func.func private @nacho_count_step()
// CHECK-LABEL: func.func @loops(
// CHECK:         scf.for
// CHECK-NEXT:      func.call @nacho_count_step() : () -> ()
// CHECK:           scf.while
// CHECK-NOT:         nacho_count_step
// CHECK:           } do {
// CHECK-NEXT:      ^bb0
// CHECK-NEXT:        func.call @nacho_count_step() : () -> ()
func.func @loops(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %last = scf.while (%p = %i) : (index) -> index {
      %more = arith.cmpi ult, %p, %n : index
      scf.condition(%more) %p : index
    } do {
    ^bb0(%p: index):
      %next = arith.addi %p, %c1 : index
      scf.yield %next : index
    }
  }
  return
}
