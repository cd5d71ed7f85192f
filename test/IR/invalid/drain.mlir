// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.drain.

func.func @drain_an_index(%w: index) {
  // expected-error @below {{expected a workspace, got 'index'}}
  nacho.drain %k, %v of %w : index {
  }
  return
}

// -----

func.func @drain_elements_of_a_set(%w: !nacho.workspace<none>) {
  // expected-error @below {{a set has no elements}}
  nacho.drain %k, %v of %w : !nacho.workspace<none> {
  }
  return
}

// -----

func.func @drain_coordinates_only(%w: !nacho.workspace<f64>) {
  // expected-error @below {{expected a name for the element}}
  nacho.drain %k of %w : !nacho.workspace<f64> {
  }
  return
}

// -----

func.func @drain_without_elements(%w: !nacho.workspace<f64>) {
  // expected-error @below {{body takes a coordinate, its element, and what is carried}}
  "nacho.drain"(%w) ({
  ^bb0(%k: index):
    nacho.yield
  }) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!nacho.workspace<f64>) -> ()
  return
}

// -----

func.func @drain_loses_what_it_carries(%w: !nacho.workspace<f64>, %n: index) {
  // expected-error @below {{must yield what it carries}}
  %m = nacho.drain %k, %v of %w iter_args(%c = %n : index) : !nacho.workspace<f64> {
  }
  return
}

// -----

func.func @drain_another_type(%w: !nacho.workspace<f64>, %n: index) {
  // expected-error @below {{must yield what it carries}}
  %m = nacho.drain %k, %v of %w iter_args(%c = %n : index) : !nacho.workspace<f64> {
    nacho.yield %v : f64
  }
  return
}
