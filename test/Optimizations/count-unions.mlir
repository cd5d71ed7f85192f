// RUN: nacho-opt %s -nacho-count-unions | FileCheck %s
// RUN: nacho-opt %s -pass-pipeline='builtin.module(func.func(nacho-count-unions,convert-nacho-loops-to-scf),canonicalize,cse)' | FileCheck %s --check-prefix=SCF

// |A u B| = |A| + |B| - |A n B|

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
#DV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
!S0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!S1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
!D0 = !nacho.fiber<tensor<?xf64, #DV>, 0>
!C0 = !nacho.fiber<tensor<?x?xf64, #COO>, 0>
!C1 = !nacho.fiber<tensor<?x?xf64, #COO>, 1>
!M0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!M1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

// Who stores what it counts has to come by each coordinate.
//
// CHECK-LABEL: func.func @negative_body(
// CHECK:         nacho.coiterate {{.+}} in union(
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
func.func @negative_body(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %start: index,
                         %out: memref<?xindex>) -> index {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      iter_args(%m = %start : index) {
    memref.store %i, %out[%m] : memref<?xindex>
    %next = arith.addi %m, %one : index
    nacho.yield %next : index
  }
  return %n : index
}

// Sums of coordinates are not counts.
//
// CHECK-LABEL: func.func @negative_sum(
// CHECK:         nacho.coiterate {{.+}} in union(
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
func.func @negative_sum(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %start: index) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      iter_args(%m = %start : index) {
    %next = arith.addi %m, %i : index
    nacho.yield %next : index
  }
  return %n : index
}

// Two of the values change places, which is not to be passed through.
//
// CHECK-LABEL: func.func @negative_exchanged(
// CHECK:         nacho.coiterate {{.+}} in union(
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
func.func @negative_exchanged(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %x: index, %y: index)
    -> (index, index) {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n:2 = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      iter_args(%m = %x : index, %k = %y : index) {
    %next = arith.addi %m, %one : index
    nacho.yield %k, %next : index, index
  }
  return %n#0, %n#1 : index, index
}

// Nothing is counted: only other passes know that such a loop is of no use.
//
// CHECK-LABEL: func.func @negative_no_count(
// CHECK:         nacho.coiterate {{.+}} in union(
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
func.func @negative_no_count(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %start: index)
    -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      iter_args(%m = %start : index) {
    nacho.yield %m : index
  }
  return %n : index
}

// CHECK-LABEL: func.func @negative_three_operands(
// CHECK:         nacho.count of {{.+}} in union(
// CHECK-NOT:     nacho.count
// CHECK:         return
func.func @negative_three_operands(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>,
                                   %C: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0, %C0 : !S0) in union(%A0, %B0, %C0)
  return %n : index
}

// CHECK-LABEL: func.func @negative_intersection(
// CHECK:         nacho.count of {{.+}} in intersect(
// CHECK-NOT:     nacho.count
// CHECK:         return
func.func @negative_intersection(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>)
    -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0) in intersect(%A0, %B0)
  return %n : index
}

// A run is one coordinate: there are fewer than positions.
//
// CHECK-LABEL: func.func @negative_nonunique(
// CHECK:         nacho.count of {{.+}} in union(
// CHECK-NOT:     nacho.count
// CHECK:         return
func.func @negative_nonunique(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #DCSR>)
    -> index {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %n = nacho.count of (%A0 : !C0, %B0 : !M0) in union(%A0, %B0)
  return %n : index
}

// A dense level has them all.
//
// CHECK-LABEL: func.func @negative_full(
// CHECK:         nacho.count of {{.+}} in union(
// CHECK-NOT:     nacho.count
// CHECK:         return
func.func @negative_full(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #DV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #DV>
  %n = nacho.count of (%A0 : !S0, %B0 : !D0) in union(%A0, %B0)
  return %n : index
}

// What is given is asked for at each coordinate.
//
// CHECK-LABEL: func.func @negative_given(
// CHECK:         nacho.coiterate
// CHECK-COUNT-1: nacho.count
// CHECK-NOT:     nacho.count
// CHECK:         return
func.func @negative_given(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>,
                          %out: memref<?xindex>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  nacho.coiterate %i of (%C1 = %C0 : !S0) in %C1 {
    %n = nacho.count of (%A0 : !S0, %B0 : !S0) given (%C1 : !S1) in union(intersect(%A0, %C1), %B0)
    memref.store %n, %out[%i] : memref<?xindex>
  }
  return
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

// n = |A| + |B| - |A n B|, and who takes no part in a count is not looked at: of the three
// only the last is a merge.
//
// CHECK-LABEL: func.func @count(
// CHECK:         %[[A0:.+]] = nacho.root
// CHECK-NEXT:    %[[B0:.+]] = nacho.root
// CHECK-NEXT:    %[[ONLY_A:.+]] = nacho.count of (%[[A0]] : {{.+}}, %[[B0]] : {{[^)]+}}) in %[[A0]]{{$}}
// CHECK-NEXT:    %[[ONLY_B:.+]] = nacho.count of (%[[A0]] : {{.+}}, %[[B0]] : {{[^)]+}}) in %[[B0]]{{$}}
// CHECK-NEXT:    %[[ALL:.+]] = arith.addi %[[ONLY_A]], %[[ONLY_B]] : index
// CHECK-NEXT:    %[[BOTH:.+]] = nacho.count of (%[[A0]] : {{.+}}, %[[B0]] : {{[^)]+}}) in intersect(%[[A0]], %[[B0]]){{$}}
// CHECK-NEXT:    %[[N:.+]] = arith.subi %[[ALL]], %[[BOTH]] : index
// CHECK-NEXT:    return %[[N]] : index
//
// SCF-LABEL:   func.func @count(
// SCF-NOT:       scf.for
// SCF:           %[[SIZE_A:.+]] = arith.subi %{{.+}}, %{{.+}} : index
// SCF-NEXT:      %[[ONLY_A:.+]] = arith.maxsi %[[SIZE_A]], %c0{{.*}} : index
// SCF:           %[[SIZE_B:.+]] = arith.subi %{{.+}}, %{{.+}} : index
// SCF-NEXT:      %[[ONLY_B:.+]] = arith.maxsi %[[SIZE_B]], %c0{{.*}} : index
// SCF-NEXT:      arith.addi %[[ONLY_A]], %[[ONLY_B]] : index
// SCF:           scf.while ({{[^,]+, [^,]+, [^,]+}}) : (index, index, index)
// SCF-NOT:       scf.while
// SCF:           return
func.func @count(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0) in union(%A0, %B0)
  return %n : index
}

// A coiteration that carries a count and something else is no `nacho.count`, and stays.
//
// CHECK-LABEL: func.func @count_and_carry(
// CHECK-NOT:     nacho.count
// CHECK:         nacho.coiterate {{.+}} in union(
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
//
// SCF-LABEL:   func.func @count_and_carry(
// SCF-SAME:      %[[X:[^ ]+]]: index, %{{[^ ]+}}: index) -> (index, index)
// SCF:           return %[[X]], %{{.+}} : index, index
func.func @count_and_carry(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %x: index, %y: index)
    -> (index, index) {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n:2 = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      iter_args(%m = %x : index, %k = %y : index) {
    %next = arith.addi %k, %one : index
    nacho.yield %m, %next : index, index
  }
  return %n#0, %n#1 : index, index
}

// Two counts are two, each with what its operands share.
//
// CHECK-LABEL: func.func @two_counts(
// CHECK:         %[[N:.+]] = nacho.count {{.+}} in intersect(
// CHECK-NEXT:    arith.subi %{{.+}}, %[[N]] : index
// CHECK:         %[[M:.+]] = nacho.count {{.+}} in intersect(
// CHECK-NEXT:    arith.subi %{{.+}}, %[[M]] : index
// CHECK:         return
func.func @two_counts(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>)
    -> (index, index) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0) in union(%A0, %B0)
  %m = nacho.count of (%A0 : !S0, %C0 : !S0) in union(%A0, %C0)
  return %n, %m : index, index
}

// The loop around it stays as it is; rows that are absent count for nothing.
//
// CHECK-LABEL: func.func @inner(
// CHECK:         nacho.coiterate {{.+}} of (%[[A1:[^ ]+]] = {{.+}}, %[[B1:[^ ]+]] = {{.+}}) in union(%[[A1]], %[[B1]]) {
// CHECK-NEXT:      %[[ONLY_A:.+]] = nacho.count of (%[[A1]] : {{.+}}, %[[B1]] : {{.+}}) in %[[A1]]{{$}}
// CHECK-NEXT:      %[[ONLY_B:.+]] = nacho.count of (%[[A1]] : {{.+}}, %[[B1]] : {{.+}}) in %[[B1]]{{$}}
// CHECK-NEXT:      %[[ALL:.+]] = arith.addi %[[ONLY_A]], %[[ONLY_B]] : index
// CHECK-NEXT:      %[[BOTH:.+]] = nacho.count of {{.+}} in intersect(
// CHECK-NEXT:      %[[N:.+]] = arith.subi %[[ALL]], %[[BOTH]] : index
// CHECK-NEXT:      memref.store %[[N]]
// CHECK:         return
func.func @inner(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>, %out: memref<?xindex>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !M0, %B1 = %B0 : !M0) in union(%A1, %B1) {
    %n = nacho.count of (%A1 : !M1, %B1 : !M1) in union(%A1, %B1)
    memref.store %n, %out[%i] : memref<?xindex>
  }
  return
}

// The entries of a run are unique: one level further down the formats may differ.
//
// CHECK-LABEL: func.func @inside_run(
// CHECK:         nacho.coiterate {{.+}} in union(
// CHECK:           nacho.count {{.+}} in %
// CHECK:           nacho.count {{.+}} in %
// CHECK:           nacho.count {{.+}} in intersect(
// CHECK:           arith.subi
// CHECK:         return
func.func @inside_run(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #DCSR>,
                      %out: memref<?xindex>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %B0 : !M0) in union(%A1, %B1) {
    %n = nacho.count of (%A1 : !C1, %B1 : !M1) in union(%A1, %B1)
    memref.store %n, %out[%i] : memref<?xindex>
  }
  return
}

// A part counts what lies between its cuts, in each of the three.
//
// CHECK-LABEL: func.func @part(
// CHECK:         %[[LO:.+]] = nacho.load_cut
// CHECK-NEXT:    %[[HI:.+]] = nacho.load_cut
// CHECK:         nacho.count of {{.+}} in %{{.+}} between (%[[LO]], %[[HI]] : !nacho.cut<2>)
// CHECK:         nacho.count of {{.+}} in %{{.+}} between (%[[LO]], %[[HI]] : !nacho.cut<2>)
// CHECK:         nacho.count of {{.+}} in intersect({{.+}}) between (%[[LO]], %[[HI]] : !nacho.cut<2>)
// CHECK:         arith.subi
// CHECK:         return
//
// SCF-LABEL:   func.func @part(
// SCF-SAME:      %[[BOUNDS:[^ ]+]]: memref<?x4xindex>, %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index)
// SCF-DAG:       %[[LO_A:.+]] = memref.load %[[BOUNDS]][%[[P]], %c2{{.*}}]
// SCF-DAG:       %[[LO_B:.+]] = memref.load %[[BOUNDS]][%[[P]], %c3{{.*}}]
// SCF-DAG:       %[[HI_A:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c2{{.*}}]
// SCF-DAG:       %[[HI_B:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c3{{.*}}]
// SCF:           arith.subi %[[HI_A]], %[[LO_A]] : index
// SCF:           arith.subi %[[HI_B]], %[[LO_B]] : index
// SCF:           scf.while (%[[PA:[^ ]+]] = %[[LO_A]], %[[PB:[^ ]+]] = %[[LO_B]], {{.+}})
// SCF-NEXT:        arith.cmpi ult, %[[PA]], %[[HI_A]] : index
// SCF-NEXT:        arith.cmpi ult, %[[PB]], %[[HI_B]] : index
// SCF:           return
func.func @part(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %bounds: memref<?x4xindex>,
                %p: index, %q: index) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %lo = nacho.load_cut %bounds[%p] : memref<?x4xindex> -> !nacho.cut<2>
  %hi = nacho.load_cut %bounds[%q] : memref<?x4xindex> -> !nacho.cut<2>
  %n = nacho.count of (%A0 : !S0, %B0 : !S0) in union(%A0, %B0) between (%lo, %hi : !nacho.cut<2>)
  return %n : index
}
