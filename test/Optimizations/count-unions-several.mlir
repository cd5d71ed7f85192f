// RUN: nacho-opt %s -nacho-count-unions=blocks | FileCheck %s
// RUN: nacho-opt %s -nacho-count-unions | FileCheck %s --check-prefix=NONE
// RUN: nacho-opt %s -pass-pipeline='builtin.module(func.func(nacho-count-unions{blocks},convert-nacho-loops-to-scf{vector-bits=256}),canonicalize,cse)' | FileCheck %s --check-prefix=SCF
// RUN: nacho-opt %s -pass-pipeline='builtin.module(func.func(nacho-count-unions{blocks},convert-nacho-loops-to-scf),canonicalize,cse)' | FileCheck %s --check-prefix=SCALAR

// |A u B u C| = |A| + |B| + |C| - |A n B| - |(A u B) n C|, which is taken in blocks of C:
// what was seen of one is counted when no block of the others can have more of it.
// Without blocks that would be no less work.
//
// SCALAR-NOT: vector

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
#Wide = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 64 }>
!S0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!W0 = !nacho.fiber<tensor<?xf64, #Wide>, 0>

// CHECK-LABEL: func.func @three(
// CHECK:         %[[A0:.+]] = nacho.root
// CHECK-NEXT:    %[[B0:.+]] = nacho.root
// CHECK-NEXT:    %[[C0:.+]] = nacho.root
// CHECK-NEXT:    %[[A:.+]] = nacho.count of {{.+}} in %[[A0]]{{$}}
// CHECK-NEXT:    %[[B:.+]] = nacho.count of {{.+}} in %[[B0]]{{$}}
// CHECK-NEXT:    %[[A_AND_B:.+]] = arith.addi %[[A]], %[[B]] : index
// CHECK-NEXT:    %[[C:.+]] = nacho.count of {{.+}} in %[[C0]]{{$}}
// CHECK-NEXT:    %[[ALL:.+]] = arith.addi %[[A_AND_B]], %[[C]] : index
// CHECK-NEXT:    %[[AB:.+]] = nacho.count of {{.+}} in intersect(%[[A0]], %[[B0]]){{$}}
// CHECK-NEXT:    %[[ABC:.+]] = nacho.count of {{.+}} in intersect(union(%[[A0]], %[[B0]]), %[[C0]]){{$}}
// CHECK-NEXT:    %[[SHARED:.+]] = arith.addi %[[AB]], %[[ABC]] : index
// CHECK-NEXT:    %[[N:.+]] = arith.subi %[[ALL]], %[[SHARED]] : index
// CHECK-NEXT:    return %[[N]]
//
// SCF-LABEL:   func.func @three(
// SCF:           scf.while ({{[^,]+, [^,]+, [^,]+}}) : (index, index, index)
// SCF:           %[[RESULT:.+]]:6 = scf.while (%[[C:.+]] = %{{.+}}, %[[A:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}, %{{.+}} = %c0_i64, %[[STEP:.+]] = %c0, %{{.+}} = %{{.+}}) :
// SCF-SAME:          (index, index, index, i64, index, index)
// SCF:             %[[MORE_A:.+]] = arith.cmpi ult, %[[A]], %{{.+}} : index
// SCF:             %[[MORE_B:.+]] = arith.cmpi ult, %[[B]], %{{.+}} : index
// SCF:             %[[ANY:.+]] = arith.ori %[[MORE_A]], %[[MORE_B]] : i1
// SCF:             %[[MORE_C:.+]] = arith.cmpi ult, %[[C]], %{{.+}} : index
// SCF:             %[[FEW:.+]] = arith.cmpi ult, %[[STEP]], %{{.+}} : index
// SCF:             %[[PROBING:.+]] = arith.andi %[[MORE_C]], %[[FEW]] : i1
// SCF:             %[[MORE:.+]] = arith.andi %[[PROBING]], %[[ANY]] : i1
// SCF:             scf.condition(%[[MORE]])
// SCF:           ^bb0(%[[C:[^ ]+]]: index, %[[A:[^ ]+]]: index, %[[B:[^ ]+]]: index, %[[SEEN:[^ ]+]]: i64, %[[STEP:[^ ]+]]: index, %[[COUNT:[^ ]+]]: index):
// SCF-COUNT-7:     vector.shuffle
// SCF:             %[[WITH_A:.+]] = arith.ori %[[SEEN]], %{{.+}} : i64
// SCF-COUNT-7:     vector.shuffle
// SCF:             %[[WITH_B:.+]] = arith.ori %[[WITH_A]], %{{.+}} : i64
// SCF:             %[[LEAST:.+]] = arith.minui %[[LAST_A:.+]], %[[LAST_B:.+]] : index
// SCF:             %[[DONE:.+]] = arith.cmpi ule, %[[LAST_C:.+]], %[[LEAST]] : index
// SCF:             %[[NEXT_C:.+]] = arith.select %[[DONE]], %{{.+}}, %[[C]] : index
// SCF:             %[[BEHIND_A:.+]] = arith.cmpi ule, %[[LAST_A]], %[[LAST_C]] : index
// SCF:             %[[NEXT_A:.+]] = arith.select %[[BEHIND_A]], %{{.+}}, %[[A]] : index
// SCF:             %[[BEHIND_B:.+]] = arith.cmpi ule, %[[LAST_B]], %[[LAST_C]] : index
// SCF:             %[[NEXT_B:.+]] = arith.select %[[BEHIND_B]], %{{.+}}, %[[B]] : index
// SCF:             %[[REST:.+]] = arith.select %[[DONE]], %c0_i64, %[[WITH_B]] : i64
// SCF:             %[[STEPS:.+]] = arith.addi %[[STEP]], %c1
// SCF:             %[[COUNTED:.+]] = arith.select %[[DONE]], %[[WITH_B]], %c0_i64 : i64
// SCF:             math.ctpop %[[COUNTED]] : i64
// SCF:             scf.yield %[[NEXT_C]], %[[NEXT_A]], %[[NEXT_B]], %[[REST]], %[[STEPS]], %{{.+}} : index, index, index, i64, index, index
// SCF:           math.ctpop %[[RESULT]]#3 : i64
//
// NONE-LABEL:  func.func @three(
// NONE-NOT:      intersect(
// NONE:          nacho.count of {{.+}} in union(
// NONE-NOT:      intersect(
// NONE:          return
func.func @three(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0, %C0 : !S0) in union(%A0, %B0, %C0)
  return %n : index
}

// Of a fourth operand what any of three has.
//
// CHECK-LABEL: func.func @four(
// CHECK:         in intersect(%{{[^ ]+}}, %{{[^ ]+}})
// CHECK:         in intersect(union(%{{[^ ]+}}, %{{[^ ]+}}), %{{[^ ]+}})
// CHECK:         in intersect(union(%{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}), %{{[^ ]+}})
// CHECK:         return
//
// SCF-LABEL:   func.func @four(
// SCF:           : (index, index, index, index, i64, index, index)
// SCF-COUNT-21:  vector.shuffle
// SCF-NOT:       vector.shuffle
// SCF:           return
func.func @four(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>,
                %D: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %D0 = nacho.root %D : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0, %C0 : !S0, %D0 : !S0) in union(%A0, %B0, %C0, %D0)
  return %n : index
}

// Five are merged.
//
// CHECK-LABEL: func.func @negative_five(
// CHECK-NOT:     intersect(
// CHECK:         return
func.func @negative_five(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>,
                         %D: tensor<?xf64, #SV>, %E: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %D0 = nacho.root %D : tensor<?xf64, #SV>
  %E0 = nacho.root %E : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0, %C0 : !S0, %D0 : !S0, %E0 : !S0)
      in union(%A0, %B0, %C0, %D0, %E0)
  return %n : index
}

// Coordinates of several widths are not compared in blocks.
//
// CHECK-LABEL: func.func @negative_widths(
// CHECK-NOT:     intersect(
// CHECK:         return
func.func @negative_widths(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #Wide>,
                           %C: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #Wide>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !W0, %C0 : !S0) in union(%A0, %B0, %C0)
  return %n : index
}

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#Flat = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 64 }>
!F0 = !nacho.fiber<tensor<?xf64, #Flat>, 0>
!F1 = !nacho.fiber<tensor<?xf64, #Flat>, 1>

// Keys are there for a window at a time, in which all three would have to be compared.
//
// CHECK-LABEL: func.func @negative_keys(
// CHECK-NOT:     intersect(
// CHECK:         return
func.func @negative_keys(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>,
                         %C: tensor<?x?xf64, #COO>) -> index {
  %A_flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %B_flat = nacho.flatten %B : tensor<?x?xf64, #COO>
  %C_flat = nacho.flatten %C : tensor<?x?xf64, #COO>
  %A0 = nacho.root %A_flat : tensor<?xf64, #Flat>
  %B0 = nacho.root %B_flat : tensor<?xf64, #Flat>
  %C0 = nacho.root %C_flat : tensor<?xf64, #Flat>
  %n = nacho.count of (%A0 : !F0, %B0 : !F0, %C0 : !F0) in union(%A0, %B0, %C0)
  return %n : index
}
