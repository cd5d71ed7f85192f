// RUN: nacho-opt %s -nacho-order-loops=whole-rows=true -nacho-concretize -nacho-remap-intersections --mlir-use-nameloc-as-prefix | FileCheck %s

// What is appended outside of all loops, as for the terms that are not reduced over m, does not
// keep the loops of others from being listed, and needs no list itself.
//
// T[i, j] = sum_m C[m, j] * B[i, j, m];  Z[i, j] = sum_m A[m] + T[i, j] - D[i]
//
// CHECK-LABEL: func.func @kernel(
// CHECK:         %[[L:.+]] = nacho.nest collect<scanned_list>
// CHECK:         nacho.nest reduce add : tensor<?x?xf64>
// CHECK:         nacho.nest reduce add : tensor<?x?xf32
// CHECK-NEXT:      nacho.coiterate %m of (%A1 = {{.+}}) in %A1 {
// CHECK:           nacho.coiterate %i to
// CHECK:         return
#A = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 64 }>
#C = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : compressed, d0 : dense), posWidth = 32, crdWidth = 64 }>
#B = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
#D = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>
#Z = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : dense) }>
func.func @kernel(%A: tensor<?xf64, #A>, %C: tensor<?x?xf64, #C>, %B: tensor<?x?x?xf64, #B>, %D: tensor<?xf64, #D>) -> tensor<?x?xf32, #Z> {
  %T = nacho.assign (%c = %C[m, j] : tensor<?x?xf64, #C>, %b = %B[i, j, m] : tensor<?x?x?xf64, #B>)
      -> [i, j] : tensor<?x?xf64> {
    %neg = nacho.unary neg %c : f64
    %mul = nacho.binary mul %neg, %b : f64
    %sum = nacho.reduce add %mul over [m] : f64
    nacho.yield %sum : f64
  }
  %Z = nacho.assign (%a = %A[m] : tensor<?xf64, #A>, %t = %T[i, j] : tensor<?x?xf64>, %d = %D[i] : tensor<?xf64, #D>)
      -> [i, j] : tensor<?x?xf32, #Z> {
    %reduce = nacho.reduce add %a over [m] : f64
    %add = nacho.binary add %reduce, %t : f64
    %sub = nacho.binary sub %add, %d : f64
    %sub_f32 = nacho.cast %sub : f64 to f32
    nacho.yield %sub_f32 : f32
  }
  return %Z : tensor<?x?xf32, #Z>
}
