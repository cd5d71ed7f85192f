// RUN: nacho-opt %s -convert-nacho-loops-to-scf=together -canonicalize -cse | FileCheck %s

// One loop for all that operands have, which carries positions alone: coordinates are
// loaded where a step begins.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!S0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!S1 = !nacho.fiber<tensor<?xf64, #SV>, 1>

// while posA < endA or posB < endB:
//   a, b = the coordinates at posA and posB, or infinity; i = min(a, b)
//   posA += a == i; posB += b == i
//
// CHECK-LABEL: func.func @union(
// CHECK-SAME:    %[[S:[^ ]+]]: f64)
// CHECK:         scf.while (%[[P:.+]] = %{{.+}}, %[[Q:.+]] = %{{.+}}, %[[T:.+]] = %[[S]]) : (index, index, f64) -> (index, index, f64) {
// CHECK-NEXT:      %[[HAS_A:.+]] = arith.cmpi ult, %[[P]], %[[END_A:.+]] : index
// CHECK-NEXT:      %[[HAS_B:.+]] = arith.cmpi ult, %[[Q]], %[[END_B:.+]] : index
// CHECK-NEXT:      %[[ANY:.+]] = arith.ori %[[HAS_A]], %[[HAS_B]] : i1
// CHECK-NEXT:      scf.condition(%[[ANY]]) %[[P]], %[[Q]], %[[T]]
// CHECK:         ^bb0(%[[P:.+]]: index, %[[Q:.+]]: index, %[[T:.+]]: f64):
// CHECK-NEXT:      %[[HAS_A:.+]] = arith.cmpi ult, %[[P]], %[[END_A]] : index
// CHECK:           %[[A:.+]] = arith.select %[[HAS_A]], %{{.+}}, %c-1 : index
// CHECK-NEXT:      %[[HAS_B:.+]] = arith.cmpi ult, %[[Q]], %[[END_B]] : index
// CHECK:           %[[B:.+]] = arith.select %[[HAS_B]], %{{.+}}, %c-1 : index
// CHECK-NEXT:      %[[LEAST:.+]] = arith.minui %[[A]], %[[B]] : index
// CHECK-NEXT:      %[[IS_A:.+]] = arith.cmpi eq, %[[A]], %[[LEAST]] : index
// CHECK-NEXT:      %[[STEP_A:.+]] = arith.index_castui %[[IS_A]] : i1 to index
// CHECK-NEXT:      %[[NEXT_P:.+]] = arith.addi %[[P]], %[[STEP_A]] : index
// CHECK:           %[[NEXT_Q:.+]] = arith.addi %[[Q]], %{{.+}} : index
// CHECK:           scf.yield %[[NEXT_P]], %[[NEXT_Q]], %{{.+}} : index, index, f64
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @union(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %start: f64) -> f64 {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %sum = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      iter_args(%s = %start : f64) {
    %a = nacho.load %A1 : !S1
    %b = nacho.load %B1 : !S1
    %ab = arith.addf %a, %b : f64
    %next = arith.addf %s, %ab : f64
    nacho.yield %next : f64
  }
  return %sum : f64
}
