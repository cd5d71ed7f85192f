// RUN: nacho-opt %s -nacho-bound-loops | FileCheck %s

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>

// Without cuts there are no parts to be restricted to.
//
// CHECK-LABEL: func.func @negative_no_cuts(
// CHECK-NOT:     between
// CHECK:         return
func.func @negative_no_cuts(%A0: !A0) {
  %Z = nacho.nest : tensor<?x?xf64, #DCSR> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// CHECK-LABEL: func.func @negative_bounded(
// CHECK-COUNT-1: between
// CHECK-NOT:     between
// CHECK:         return
func.func @negative_bounded(%A0: !A0, %cuts: !nacho.cuts<1>) {
  %Z = nacho.nest in %cuts : !nacho.cuts<1> : tensor<?x?xf64, #DCSR> {
  ^bb0(%lo: !nacho.cut<1>, %hi: !nacho.cut<1>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) {
    }
    nacho.yield
  }
  return
}

// Each loop hands on to the next one what is left of the cuts.
//
// CHECK-LABEL: func.func @union_two_dcsr(
// CHECK-SAME:    %[[A0:[^ ]+]]: !{{[^ ]+}}, %[[B0:[^ ]+]]: !{{[^ ]+}}, %[[CUTS:[^ ]+]]: !nacho.cuts<2, 2>)
// CHECK-NEXT:    nacho.nest in %[[CUTS]]
// CHECK-NEXT:    ^{{.+}}(%[[LO:.+]]: !nacho.cut<2, 2>, %[[HI:.+]]: !nacho.cut<2, 2>):
// CHECK-NEXT:      nacho.coiterate %[[I:.+]] of (%[[A1:[^ ]+]] = %[[A0]] : {{[^ ]+}}, %[[B1:[^ ]+]] = %[[B0]] : {{[^ ]+}})
// CHECK-SAME:        in union(%[[A1]], %[[B1]]) between (%[[LO1:.+]] = %[[LO]], %[[HI1:.+]] = %[[HI]] : !nacho.cut<2, 2>) {
// CHECK-NEXT:        nacho.coiterate %[[J:.+]] of (%[[A2:[^ ]+]] = %[[A1]] : {{[^ ]+}}, %[[B2:[^ ]+]] = %[[B1]] : {{[^ ]+}})
// CHECK-SAME:          in union(%[[A2]], %[[B2]]) between (%{{.+}} = %[[LO1]], %{{.+}} = %[[HI1]] : !nacho.cut<2>) {
// CHECK-NEXT:          %[[a:.+]] = nacho.load %[[A2]]
// CHECK-NEXT:          %[[b:.+]] = nacho.load %[[B2]]
// CHECK-NEXT:          %[[z:.+]] = nacho.binary add %[[a]], %[[b]] : f64
// CHECK-NEXT:          nacho.append %[[z]] at(%[[I]], %[[J]]) : f64
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.yield
func.func @union_two_dcsr(%A0: !A0, %B0: !A0, %cuts: !nacho.cuts<2, 2>) {
  %Z = nacho.nest in %cuts : !nacho.cuts<2, 2> : tensor<?x?xf64, #DCSR> {
    nacho.coiterate %i of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in union(%A1, %B1) {
      nacho.coiterate %j of (%A2 = %A1 : !A1, %B2 = %B1 : !A1) in union(%A2, %B2) {
        %a = nacho.load %A2 : !A2
        %b = nacho.load %B2 : !A2
        %z = nacho.binary add %a, %b : f64
        nacho.append %z at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return
}

// What a loop carries it goes on carrying.
//
// CHECK-LABEL: func.func @carried(
// CHECK:         %{{.+}} = nacho.coiterate %[[I:.+]] of {{.+}} between ({{.+}}) iter_args(%[[C:.+]] = %{{.+}} : index) {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[C]], %[[I]] : index
// CHECK-NEXT:      nacho.yield %[[NEXT]] : index
func.func @carried(%A0: !A0, %n: index, %cuts: !nacho.cuts<1>) {
  %Z = nacho.nest in %cuts : !nacho.cuts<1> : tensor<?x?xf64, #DCSR> {
    %0 = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 iter_args(%c = %n : index) {
      %next = arith.addi %c, %i : index
      nacho.yield %next : index
    }
    nacho.yield
  }
  return
}

// Loops further in than the cuts go stay whole; extents and what is given stay with
// their loops.
//
// CHECK-LABEL: func.func @inner_loops(
// CHECK-SAME:    %[[A0:[^ ]+]]: !{{[^ ]+}}, %[[B2:[^ ]+]]: !{{[^ ]+}}, %[[N:[^ ]+]]: index, %[[CUTS:[^ ]+]]: !nacho.cuts<0, 1>)
// CHECK:         ^{{.+}}(%[[LO:.+]]: !nacho.cut<0, 1>, %[[HI:.+]]: !nacho.cut<0, 1>):
// CHECK-NEXT:      nacho.coiterate %{{.+}} to %[[N]] of () in intersect() between (%[[LO1:.+]] = %[[LO]], %[[HI1:.+]] = %[[HI]] : !nacho.cut<0, 1>) {
// CHECK-NEXT:        nacho.coiterate %{{.+}} to %[[N]] of (%[[A1:.+]] = %[[A0]] : {{[^ ]+}}) given (%[[B2]] : {{[^ ]+}})
// CHECK-SAME:          in intersect(%[[B2]], %[[A1]]) between (%{{.+}} = %[[LO1]], %{{.+}} = %[[HI1]] : !nacho.cut<1>) {
// CHECK-NEXT:          nacho.coiterate %{{[^ ]+}} of (%[[A2:.+]] = %[[A1]] : {{[^ ]+}}) in %[[A2]] {
func.func @inner_loops(%A0: !A0, %B2: !A2, %N: index, %cuts: !nacho.cuts<0, 1>) {
  %Z = nacho.nest in %cuts : !nacho.cuts<0, 1> : tensor<?x?xf64, #DCSR> {
    nacho.coiterate %i to %N of () in intersect() {
      nacho.coiterate %j to %N of (%A1 = %A0 : !A0) given (%B2 : !A2) in intersect(%B2, %A1) {
        nacho.coiterate %k of (%A2 = %A1 : !A1) in %A2 {
        }
      }
    }
    nacho.yield
  }
  return
}
