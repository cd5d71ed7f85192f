// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.each_lane.

func.func @each_lane(%a: vector<4xf64>) {
  // expected-error @below {{needs results}}
  nacho.each_lane (%a) : (vector<4xf64>) -> () {
  ^bb0(%x: f64):
    nacho.yield
  }
  return
}

// -----

func.func @each_lane(%a: vector<4xf64>, %b: vector<8xf64>) {
  // expected-error @below {{vectors differ in their number of lanes}}
  nacho.each_lane (%a, %b) : (vector<4xf64>, vector<8xf64>) -> vector<4xf64> {
  ^bb0(%x: f64, %y: f64):
    nacho.yield %x : f64
  }
  return
}

// -----

func.func @each_lane(%a: vector<4xf64>) {
  // expected-error @below {{body takes an element of each vector}}
  nacho.each_lane (%a) : (vector<4xf64>) -> vector<4xf64> {
  ^bb0(%x: f32):
    %z = arith.extf %x : f32 to f64
    nacho.yield %z : f64
  }
  return
}

// -----

func.func @each_lane(%a: vector<4xf64>) {
  // expected-error @below {{must yield an element of each result}}
  nacho.each_lane (%a) : (vector<4xf64>) -> vector<4xf32> {
  ^bb0(%x: f64):
    nacho.yield %x : f64
  }
  return
}
