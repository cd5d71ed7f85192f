// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s

// Nothing is simplified in passing: what is written is what is printed.
//
// CHECK: module attributes {
// CHECK-SAME: test.always = #nacho.merge<intersect()>
// CHECK-SAME: test.leaf = #nacho.merge<7>
// CHECK-SAME: test.nested = #nacho.merge<union(0, intersect(1, union(2, 3)), 1)>
// CHECK-SAME: test.never = #nacho.merge<union()>
// CHECK-SAME: test.single = #nacho.merge<union(intersect(3))>
// CHECK-SAME: }
module attributes {
  test.always = #nacho.merge<intersect()>,
  test.leaf = #nacho.merge<7>,
  test.nested = #nacho.merge<union(0, intersect(1, union(2, 3)), 1)>,
  test.never = #nacho.merge<union()>,
  test.single = #nacho.merge<union(intersect(3))>
} {}
