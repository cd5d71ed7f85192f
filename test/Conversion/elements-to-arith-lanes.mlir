// RUN: nacho-opt %s -convert-nacho-elements-to-arith -split-input-file -verify-diagnostics | FileCheck %s

// sum + a * b: what is the same in all lanes is copied to them where it is needed.
//
// CHECK-LABEL: func.func @product(
// CHECK-SAME:    %[[SUM:[^ ]+]]: vector<8xf64>, %[[A:[^ ]+]]: f64, %[[B:[^ ]+]]: vector<8xf64>)
// CHECK-NOT:     nacho.each_lane
// CHECK:         %[[TWICE:.+]] = arith.addf %[[A]], %[[A]] : f64
// CHECK-NEXT:    %[[FACTOR:.+]] = vector.broadcast %[[TWICE]] : f64 to vector<8xf64>
// CHECK-NEXT:    %[[PRODUCT:.+]] = arith.mulf %[[FACTOR]], %[[B]] : vector<8xf64>
// CHECK-NEXT:    %[[NEXT:.+]] = arith.addf %[[SUM]], %[[PRODUCT]] fastmath<reassoc> : vector<8xf64>
// CHECK-NEXT:    return %[[NEXT]]
func.func @product(%sum: vector<8xf64>, %a: f64, %b: vector<8xf64>) -> vector<8xf64> {
  %next = nacho.each_lane (%sum, %b) : (vector<8xf64>, vector<8xf64>) -> vector<8xf64> {
  ^bb0(%x: f64, %y: f64):
    %twice = arith.addf %a, %a : f64
    %product = arith.mulf %twice, %y : f64
    %z = arith.addf %x, %product fastmath<reassoc> : f64
    nacho.yield %z : f64
  }
  return %next : vector<8xf64>
}

// -----

// A condition is one for all lanes, or one for each; types change lane by lane.
//
// CHECK-LABEL: func.func @conditions(
// CHECK-SAME:    %[[C:[^ ]+]]: i1, %[[A:[^ ]+]]: vector<4xf32>, %[[B:[^ ]+]]: vector<4xf64>)
// CHECK:         %[[WIDE:.+]] = arith.extf %[[A]] : vector<4xf32> to vector<4xf64>
// CHECK-NEXT:    %[[LESS:.+]] = arith.cmpf olt, %[[WIDE]], %[[B]] : vector<4xf64>
// CHECK-NEXT:    %[[LEAST:.+]] = arith.select %[[LESS]], %[[WIDE]], %[[B]] : vector<4xi1>, vector<4xf64>
// CHECK-NEXT:    %[[CHOSEN:.+]] = arith.select %[[C]], %[[LEAST]], %[[B]] : vector<4xf64>
// CHECK-NEXT:    return %[[CHOSEN]], %[[WIDE]]
func.func @conditions(%c: i1, %a: vector<4xf32>, %b: vector<4xf64>)
    -> (vector<4xf64>, vector<4xf64>) {
  %z:2 = nacho.each_lane (%a, %b)
      : (vector<4xf32>, vector<4xf64>) -> (vector<4xf64>, vector<4xf64>) {
  ^bb0(%x: f32, %y: f64):
    %wide = arith.extf %x : f32 to f64
    %less = arith.cmpf olt, %wide, %y : f64
    %least = arith.select %less, %wide, %y : f64
    %chosen = arith.select %c, %least, %y : f64
    nacho.yield %chosen, %wide : f64, f64
  }
  return %z#0, %z#1 : vector<4xf64>, vector<4xf64>
}

// -----

// What is the same in all lanes of a result is copied to them.
//
// CHECK-LABEL: func.func @same(
// CHECK-SAME:    %[[A:[^ ]+]]: i32)
// CHECK-NEXT:    %[[ALL:.+]] = vector.broadcast %[[A]] : i32 to vector<4xi32>
// CHECK-NEXT:    return %[[ALL]]
func.func @same(%a: i32) -> vector<4xi32> {
  %z = nacho.each_lane () : () -> vector<4xi32> {
    nacho.yield %a : i32
  }
  return %z : vector<4xi32>
}

// -----

func.func @lanes(%a: vector<4xf64>) -> vector<4xf64> {
  %z = nacho.each_lane (%a) : (vector<4xf64>) -> vector<4xf64> {
  ^bb0(%x: f64):
    // expected-error @below {{cannot be done for all lanes of a vector}}
    %y = func.call @f(%x) : (f64) -> f64
    nacho.yield %y : f64
  }
  return %z : vector<4xf64>
}
func.func private @f(f64) -> f64
