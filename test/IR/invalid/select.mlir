// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.select.

func.func @choice_of_two_types(%c: i1, %x: f64, %y: f32) {
  // expected-error @below {{failed to verify that all of {onTrue, onFalse, result} have same type}}
  %0 = "nacho.select"(%c, %x, %y) : (i1, f64, f32) -> f64
  return
}
