// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s

// CHECK: module attributes {
// CHECK-SAME: test.buckets = #nacho.collect<buckets>
// CHECK-SAME: test.in_order = #nacho.collect<in_order>
// CHECK-SAME: test.part_sums = #nacho.collect<part_sums>
// CHECK-SAME: test.scanned_list = #nacho.collect<scanned_list>
// CHECK-SAME: test.sorted_list = #nacho.collect<sorted_list>
// CHECK-SAME: test.whole_rows = #nacho.collect<whole_rows>
// CHECK-SAME: }
module attributes {
  test.buckets = #nacho.collect<buckets>,
  test.in_order = #nacho.collect<in_order>,
  test.part_sums = #nacho.collect<part_sums>,
  test.scanned_list = #nacho.collect<scanned_list>,
  test.sorted_list = #nacho.collect<sorted_list>,
  test.whole_rows = #nacho.collect<whole_rows>
} {

// The default is not spelled.
//
// CHECK-LABEL: func.func @default(
// CHECK-NEXT:    nacho.assign (%{{.+}} = %{{.+}}[i] : tensor<?xf64>) -> [i] : tensor<?xf64> {
// CHECK:         }
// CHECK-NEXT:    nacho.nest in %{{.+}} : !nacho.cuts<1> : tensor<?xf64> {
func.func @default(%A: tensor<?xf64>, %cuts: !nacho.cuts<1>, %N: index, %v: f64) {
  %Y = nacho.assign collect<in_order> (%a = %A[i] : tensor<?xf64>) -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  %Z = nacho.nest collect<in_order> in %cuts : !nacho.cuts<1> : tensor<?xf64> {
    nacho.coiterate %i to %N of () in intersect() {
      nacho.append %v at (%i) : f64
    }
    nacho.yield
  }
  return
}

// CHECK-LABEL: func.func @whole_rows(
// CHECK-NEXT:    nacho.assign collect<whole_rows> (%{{.+}} = %{{.+}}[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
// CHECK:         } {order = ["j", "i"]}
// CHECK-NEXT:    nacho.nest collect<whole_rows> reduce add in %{{.+}} : !nacho.cuts<1> : tensor<?x?xf64> {
func.func @whole_rows(%A: tensor<?x?xf64>, %cuts: !nacho.cuts<1>, %N: index, %v: f64) {
  %Y = nacho.assign collect<whole_rows> (%a = %A[i, j] : tensor<?x?xf64>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : f64
    nacho.yield %0 : f64
  } {order = ["j", "i"]}
  %Z = nacho.nest collect<whole_rows> reduce add in %cuts : !nacho.cuts<1> : tensor<?x?xf64> {
    nacho.coiterate %i to %N of () in intersect() {
      nacho.coiterate %j to %N of () in intersect() {
        nacho.coiterate %k to %N of () in intersect() {
          nacho.append %v at (%i, %k) : f64
        }
      }
    }
    nacho.yield
  }
  return
}

}
