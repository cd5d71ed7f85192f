// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.accumulate.

func.func @accumulate(%sums: memref<?x?xf64>, %a: f64, %n: index) {
  // expected-error @below {{cannot reduce by div}}
  nacho.accumulate div into %sums at [%n, %n] to %n : memref<?x?xf64> {
  ^bb0(%k: index):
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @accumulate(%n: index) {
  // expected-error @below {{needs rows of sums}}
  "nacho.accumulate"(%n, %n, %n) <{
    monoid = #nacho<monoid add>, operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>
  }> ({
  ^bb0(%k: index):
    nacho.yield
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @accumulate(%sums: memref<?x?xf64>, %a: f64, %n: index) {
  // expected-error @below {{body takes the number of the sum in its row}}
  nacho.accumulate add into %sums at [%n, %n] to %n : memref<?x?xf64> {
    nacho.yield %a : f64
  }
  return
}

// -----

func.func @accumulate(%sums: memref<?x?xf64>, %a: f32, %n: index) {
  // expected-error @below {{must yield an element for each row of sums}}
  nacho.accumulate add into %sums at [%n, %n] to %n : memref<?x?xf64> {
  ^bb0(%k: index):
    nacho.yield %a : f32
  }
  return
}

// -----

// The terms may be computed in any order, and several at a time.

func.func @accumulate(%sums: memref<?x?xf64>, %a: f64, %n: index) {
  nacho.accumulate add into %sums at [%n, %n] to %n : memref<?x?xf64> {
  ^bb0(%k: index):
    // expected-error @below {{computes no term: it has effects}}
    memref.store %a, %sums[%k, %k] : memref<?x?xf64>
    nacho.yield %a : f64
  }
  return
}
