// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// What is wrong with an op in a body is said of that op, and before anything is derived
// from it.

func.func @sum(%A: tensor<?x?xf64>) -> tensor<?xf64> {
  %0 = "nacho.assign"(%A) <{accesses = [["i", "j"]], operandSegmentSizes = array<i32: 1, 0>,
                           resultAccess = ["i"]}> ({
  ^bb0(%a: f64):
    // expected-error@+1 {{requires attribute 'indices'}}
    %1 = "nacho.reduce"(%a) <{monoid = #nacho<monoid add>}> : (f64) -> f64
    "nacho.yield"(%1) : (f64) -> ()
  }) : (tensor<?x?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}
