// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s

// The order of the charges is kept; a weight of 1 is not written.
//
// CHECK: module attributes {
// CHECK-SAME: test.one = #nacho.cost_model<entries>
// CHECK-SAME: test.order = #nacho.cost_model<units, steps, entries>
// CHECK-SAME: test.products = #nacho.cost_model<2 * products>
// CHECK-SAME: test.weights = #nacho.cost_model<entries, 12 * steps, 4 * units>
// CHECK-SAME: }
module attributes {
  test.one = #nacho.cost_model<entries>,
  test.order = #nacho.cost_model<units, steps, entries>,
  test.weights = #nacho.cost_model<1 * entries, 12 * steps, 4 * units>,
  test.products = #nacho.cost_model<2 * products>
} {}
