// RUN: nacho-opt %s -canonicalize | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>

// A value that every step hands on as it is need not be carried.
//
// CHECK-LABEL: func.func @handed_on(
// CHECK-SAME:    %[[A0:.+]]: !{{.+}}, %[[LO:.+]]: !nacho.cut<1>, %[[HI:.+]]: !nacho.cut<1>, %[[X:.+]]: index, %[[Y:.+]]: index)
// CHECK:         %[[ALL:.+]] = nacho.coiterate %i of (%[[A1:.+]] = %[[A0]] : {{.+}}) in %[[A1]] between (%{{.+}} = %[[LO]], %{{.+}} = %[[HI]] : {{.+}}) iter_args(%[[SUM:.+]] = %[[Y]] : index) {
// CHECK-NEXT:      %[[MORE:.+]] = arith.addi %[[SUM]], %[[X]] : index
// CHECK-NEXT:      nacho.yield %[[MORE]] : index
// CHECK-NEXT:    } {note = "kept"}
// CHECK-NEXT:    return %[[X]], %[[ALL]] : index, index
func.func @handed_on(%A0: !A0, %lo: !nacho.cut<1>, %hi: !nacho.cut<1>, %x: index, %y: index)
    -> (index, index) {
  %all:2 = nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>)
      iter_args(%same = %x : index, %sum = %y : index) {
    %more = arith.addi %sum, %same : index
    nacho.yield %same, %more : index, index
  } {note = "kept"}
  return %all#0, %all#1 : index, index
}
