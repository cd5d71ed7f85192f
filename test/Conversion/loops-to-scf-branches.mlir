// RUN: nacho-opt %s -convert-nacho-loops-to-scf=branches -canonicalize -cse | FileCheck %s

// Branches for which of two operands comes next, as long as both have coordinates left.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!S0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!S1 = !nacho.fiber<tensor<?xf64, #SV>, 1>

// while posA < endA and posB < endB:
//   if a < b: s += A[posA]; elif b < a: s += B[posB]; else: s += A[posA] + B[posB]
// and what is left of each
//
// CHECK-LABEL: func.func @union(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^ ]+}}, #{{[^>]+}}>, %[[B:[^ ]+]]: tensor<{{[^ ]+}}, #{{[^>]+}}>, %[[S:[^ ]+]]: f64)
// CHECK:         %[[LEFT:.+]]:3 = scf.while (%[[P:.+]] = %{{.+}}, %[[Q:.+]] = %{{.+}}, %[[T:.+]] = %[[S]]) :
// CHECK-NEXT:      %[[HAS_A:.+]] = arith.cmpi ult, %[[P]], %{{.+}} : index
// CHECK-NEXT:      %[[HAS_B:.+]] = arith.cmpi ult, %[[Q]], %{{.+}} : index
// CHECK-NEXT:      %[[BOTH:.+]] = arith.andi %[[HAS_A]], %[[HAS_B]] : i1
// CHECK-NEXT:      scf.condition(%[[BOTH]]) %[[P]], %[[Q]], %[[T]]
// CHECK:         ^bb0(%[[P:.+]]: index, %[[Q:.+]]: index, %[[T:.+]]: f64):
// CHECK:           %[[IS_A:.+]] = arith.cmpi ult, %[[X:.+]], %[[Y:.+]] : index
// CHECK-NEXT:      %[[NEXT:.+]]:3 = scf.if %[[IS_A]] -> (index, index, f64) {
// CHECK-NEXT:        %[[NEXT_P:.+]] = arith.addi %[[P]], %c1 : index
// CHECK-NOT:         arith.addi %[[Q]]
// CHECK-NOT:         arith.select
// CHECK:             scf.yield %[[NEXT_P]], %[[Q]], %{{.+}} : index, index, f64
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[IS_B:.+]] = arith.cmpi ult, %[[Y]], %[[X]] : index
// CHECK-NEXT:        %[[OTHER:.+]]:3 = scf.if %[[IS_B]] -> (index, index, f64) {
// CHECK-NEXT:          %[[NEXT_Q:.+]] = arith.addi %[[Q]], %c1 : index
// CHECK-NOT:           arith.select
// CHECK:               scf.yield %[[P]], %[[NEXT_Q]], %{{.+}} : index, index, f64
// CHECK-NEXT:        } else {
// CHECK-NEXT:          %[[NEXT_P:.+]] = arith.addi %[[P]], %c1 : index
// CHECK-NEXT:          %[[NEXT_Q:.+]] = arith.addi %[[Q]], %c1 : index
// CHECK:               scf.yield %[[NEXT_P]], %[[NEXT_Q]], %{{.+}} : index, index, f64
// CHECK:             scf.yield %[[OTHER]]#0, %[[OTHER]]#1, %[[OTHER]]#2
// CHECK:           scf.yield %[[NEXT]]#0, %[[NEXT]]#1, %[[NEXT]]#2
// CHECK-NOT:     scf.while
// CHECK:         scf.for %{{.+}} = %[[LEFT]]#0 to
// CHECK:         scf.for %{{.+}} = %[[LEFT]]#1 to
// CHECK-NOT:     scf.if
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

// There are more cases of three.
//
// CHECK-LABEL: func.func @negative_three(
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @negative_three(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>,
                          %start: f64) -> f64 {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %sum = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0, %C1 = %C0 : !S0)
      in union(%A1, %B1, %C1) iter_args(%s = %start : f64) {
    %a = nacho.load %A1 : !S1
    %b = nacho.load %B1 : !S1
    %c = nacho.load %C1 : !S1
    %ab = arith.addf %a, %b : f64
    %abc = arith.addf %ab, %c : f64
    %next = arith.addf %s, %abc : f64
    nacho.yield %next : f64
  }
  return %sum : f64
}

// A count is the same whichever comes next.
//
// CHECK-LABEL: func.func @negative_count(
// CHECK-NOT:     scf.if
// CHECK:         return
func.func @negative_count(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0) in union(%A0, %B0)
  return %n : index
}
