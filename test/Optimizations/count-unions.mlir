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
// CHECK:         nacho.coiterate {{.+}} in union(
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
func.func @negative_three_operands(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>,
                                   %C: tensor<?xf64, #SV>, %start: index) -> index {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  %n = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0, %C1 = %C0 : !S0)
      in union(%A1, %B1, %C1) iter_args(%m = %start : index) {
    %next = arith.addi %m, %one : index
    nacho.yield %next : index
  }
  return %n : index
}

// CHECK-LABEL: func.func @negative_intersection(
// CHECK:         nacho.coiterate {{.+}} in intersect(
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
func.func @negative_intersection(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %start: index)
    -> index {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in intersect(%A1, %B1)
      iter_args(%m = %start : index) {
    %next = arith.addi %m, %one : index
    nacho.yield %next : index
  }
  return %n : index
}

// A run is one coordinate: there are fewer than positions.
//
// CHECK-LABEL: func.func @negative_nonunique(
// CHECK:         nacho.coiterate {{.+}} in union(
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
func.func @negative_nonunique(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #DCSR>, %start: index)
    -> index {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %n = nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %B0 : !M0) in union(%A1, %B1)
      iter_args(%m = %start : index) {
    %next = arith.addi %m, %one : index
    nacho.yield %next : index
  }
  return %n : index
}

// A dense level has them all.
//
// CHECK-LABEL: func.func @negative_full(
// CHECK:         nacho.coiterate {{.+}} in union(
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
func.func @negative_full(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #DV>, %start: index) -> index {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #DV>
  %n = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !D0) in union(%A1, %B1)
      iter_args(%m = %start : index) {
    %next = arith.addi %m, %one : index
    nacho.yield %next : index
  }
  return %n : index
}

// What is given is asked for at each coordinate.
//
// CHECK-LABEL: func.func @negative_given(
// CHECK-COUNT-2: nacho.coiterate
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
func.func @negative_given(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %C: tensor<?xf64, #SV>,
                          %out: memref<?xindex>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  nacho.coiterate %i of (%C1 = %C0 : !S0) in %C1 {
    %n = nacho.coiterate %j of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) given (%C1 : !S1)
        in union(intersect(%A1, %C1), %B1) iter_args(%m = %zero : index) {
      %next = arith.addi %m, %one : index
      nacho.yield %next : index
    }
    memref.store %n, %out[%i] : memref<?xindex>
  }
  return
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

// n = start + |A| + |B| - |A n B|, and who takes no part in a loop is not stepped through:
// of the three only the last is a merge.
//
// CHECK-LABEL: func.func @count(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %{{[^ ]+}}: tensor<{{[^:]+}}, %[[START:[^ ]+]]: index)
// CHECK:         %[[A0:.+]] = nacho.root
// CHECK-NEXT:    %[[B0:.+]] = nacho.root
// CHECK-NEXT:    %[[ONLY_A:.+]] = nacho.coiterate %{{.+}} of (%[[A1:[^ ]+]] = %[[A0]] : {{.+}}, %{{.+}} = %[[B0]] : {{[^)]+}}) in %[[A1]] iter_args(%[[M:[^ ]+]] = %[[START]] : index) {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[M]], %c1
// CHECK-NEXT:      nacho.yield %[[NEXT]] : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[AND_B:.+]] = nacho.coiterate %{{.+}} of (%{{.+}} = %[[A0]] : {{.+}}, %[[B1:[^ ]+]] = %[[B0]] : {{[^)]+}}) in %[[B1]] iter_args(%[[M:[^ ]+]] = %[[ONLY_A]] : index) {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[M]], %c1
// CHECK-NEXT:      nacho.yield %[[NEXT]] : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-NEXT:    %[[BOTH:.+]] = nacho.coiterate %{{.+}} of (%[[A1:[^ ]+]] = %[[A0]] : {{.+}}, %[[B1:[^ ]+]] = %[[B0]] : {{[^)]+}}) in intersect(%[[A1]], %[[B1]]) iter_args(%[[M:[^ ]+]] = %[[ZERO]] : index) {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[M]], %c1
// CHECK-NEXT:      nacho.yield %[[NEXT]] : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[N:.+]] = arith.subi %[[AND_B]], %[[BOTH]] : index
// CHECK-NEXT:    return %[[N]] : index
//
// SCF-LABEL:   func.func @count(
// SCF:           %[[ONLY_A:.+]] = scf.for
// SCF-NEXT:        arith.addi %{{.+}}, %c1
// SCF-NEXT:        scf.yield
// SCF:           scf.for {{.+}} = %[[ONLY_A]]) -> (index)
// SCF-NEXT:        arith.addi %{{.+}}, %c1
// SCF-NEXT:        scf.yield
// SCF:           scf.while ({{[^,]+, [^,]+, [^,]+}}) : (index, index, index)
// SCF-NOT:       scf.while
// SCF:           return
func.func @count(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %start: index) -> index {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      iter_args(%m = %start : index) {
    %next = arith.addi %m, %one : index
    nacho.yield %next : index
  }
  return %n : index
}

// What is only passed through stays what it is.
//
// CHECK-LABEL: func.func @count_and_carry(
// CHECK-SAME:    %[[X:[^ ]+]]: index, %[[Y:[^ ]+]]: index) -> (index, index)
// CHECK:         %[[ONLY_A:.+]]:2 = nacho.coiterate {{.+}} iter_args(%[[M:[^ ]+]] = %[[X]] : index, %[[K:[^ ]+]] = %[[Y]] : index) {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[K]], %c1
// CHECK-NEXT:      nacho.yield %[[M]], %[[NEXT]] : index, index
// CHECK:         %[[AND_B:.+]]:2 = nacho.coiterate {{.+}} iter_args(%{{.+}} = %[[ONLY_A]]#0 : index, %{{.+}} = %[[ONLY_A]]#1 : index) {
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-NEXT:    %[[BOTH:.+]]:2 = nacho.coiterate {{.+}} in intersect({{.+}}) iter_args(%[[M:[^ ]+]] = %[[X]] : index, %{{.+}} = %[[ZERO]] : index) {
// CHECK:           nacho.yield %[[M]], %{{.+}} : index, index
// CHECK:         %[[N:.+]] = arith.subi %[[AND_B]]#1, %[[BOTH]]#1 : index
// CHECK-NEXT:    return %[[X]], %[[N]] : index, index
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

// Two counts are two.
//
// CHECK-LABEL: func.func @two_counts(
// CHECK:         %[[AND_B:.+]]:2 = nacho.coiterate {{.+}} iter_args(%{{.+}} = %{{.+}}#0 : index, %{{.+}} = %{{.+}}#1 : index) {
// CHECK-COUNT-2:   arith.addi
// CHECK:         %[[BOTH:.+]]:2 = nacho.coiterate {{.+}} in intersect(
// CHECK-COUNT-2:   arith.addi
// CHECK-DAG:     arith.subi %[[AND_B]]#0, %[[BOTH]]#0 : index
// CHECK-DAG:     arith.subi %[[AND_B]]#1, %[[BOTH]]#1 : index
// CHECK:         return
func.func @two_counts(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %x: index, %y: index)
    -> (index, index) {
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %n:2 = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      iter_args(%m = %x : index, %k = %y : index) {
    %nextM = arith.addi %m, %one : index
    %nextK = arith.addi %k, %one : index
    nacho.yield %nextM, %nextK : index, index
  }
  return %n#0, %n#1 : index, index
}

// The loop around it stays as it is; rows that are absent count for nothing.
//
// CHECK-LABEL: func.func @inner(
// CHECK:         nacho.coiterate {{.+}} of (%[[A1:[^ ]+]] = {{.+}}, %[[B1:[^ ]+]] = {{.+}}) in union(%[[A1]], %[[B1]]) {
// CHECK-NEXT:      %{{.+}} = nacho.coiterate {{.+}} of (%[[A2:[^ ]+]] = %[[A1]] : {{.+}}, %[[B2:[^ ]+]] = %[[B1]] : {{.+}}) in %[[A2]]
// CHECK:           %[[AND_B:.+]] = nacho.coiterate {{.+}} of (%[[A2:[^ ]+]] = %[[A1]] : {{.+}}, %[[B2:[^ ]+]] = %[[B1]] : {{.+}}) in %[[B2]]
// CHECK:           %[[BOTH:.+]] = nacho.coiterate {{.+}} in intersect(
// CHECK:           %[[N:.+]] = arith.subi %[[AND_B]], %[[BOTH]] : index
// CHECK-NEXT:      memref.store %[[N]]
// CHECK:         return
func.func @inner(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>, %out: memref<?xindex>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !M0, %B1 = %B0 : !M0) in union(%A1, %B1) {
    %n = nacho.coiterate %j of (%A2 = %A1 : !M1, %B2 = %B1 : !M1) in union(%A2, %B2)
        iter_args(%m = %zero : index) {
      %next = arith.addi %m, %one : index
      nacho.yield %next : index
    }
    memref.store %n, %out[%i] : memref<?xindex>
  }
  return
}

// The entries of a run are unique: one level further down the formats may differ.
//
// CHECK-LABEL: func.func @inside_run(
// CHECK:         nacho.coiterate {{.+}} in union(
// CHECK:           nacho.coiterate
// CHECK:           nacho.coiterate
// CHECK:           nacho.coiterate {{.+}} in intersect(
// CHECK:           arith.subi
// CHECK:         return
func.func @inside_run(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #DCSR>,
                      %out: memref<?xindex>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %B0 : !M0) in union(%A1, %B1) {
    %n = nacho.coiterate %j of (%A2 = %A1 : !C1, %B2 = %B1 : !M1) in union(%A2, %B2)
        iter_args(%m = %zero : index) {
      %next = arith.addi %m, %one : index
      nacho.yield %next : index
    }
    memref.store %n, %out[%i] : memref<?xindex>
  }
  return
}

// A part counts what lies between its cuts, in each of the three.
//
// CHECK-LABEL: func.func @part(
// CHECK:         %[[LO:.+]] = nacho.load_cut
// CHECK-NEXT:    %[[HI:.+]] = nacho.load_cut
// CHECK:         nacho.coiterate {{.+}} of (%[[A1:[^ ]+]] = {{.+}}) in %[[A1]] between (%{{.+}} = %[[LO]], %{{.+}} = %[[HI]] : !nacho.cut<2>)
// CHECK:         %[[AND_B:.+]] = nacho.coiterate {{.+}}, %[[B1:[^ ]+]] = {{.+}}) in %[[B1]] between (%{{.+}} = %[[LO]], %{{.+}} = %[[HI]] : !nacho.cut<2>)
// CHECK:         %[[BOTH:.+]] = nacho.coiterate {{.+}} in intersect({{.+}}) between (%{{.+}} = %[[LO]], %{{.+}} = %[[HI]] : !nacho.cut<2>)
// CHECK:         arith.subi %[[AND_B]], %[[BOTH]] : index
// CHECK:         return
//
// SCF-LABEL:   func.func @part(
// SCF-SAME:      %[[BOUNDS:[^ ]+]]: memref<?x4xindex>, %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index)
// SCF-DAG:       %[[LO_A:.+]] = memref.load %[[BOUNDS]][%[[P]], %c2{{.*}}]
// SCF-DAG:       %[[LO_B:.+]] = memref.load %[[BOUNDS]][%[[P]], %c3{{.*}}]
// SCF-DAG:       %[[HI_A:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c2{{.*}}]
// SCF-DAG:       %[[HI_B:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c3{{.*}}]
// SCF:           scf.for %{{.+}} = %[[LO_A]] to %[[HI_A]]
// SCF:           scf.for %{{.+}} = %[[LO_B]] to %[[HI_B]]
// SCF:           scf.while (%[[PA:[^ ]+]] = %[[LO_A]], %[[PB:[^ ]+]] = %[[LO_B]], {{.+}})
// SCF-NEXT:        arith.cmpi ult, %[[PA]], %[[HI_A]] : index
// SCF-NEXT:        arith.cmpi ult, %[[PB]], %[[HI_B]] : index
// SCF:           return
func.func @part(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %bounds: memref<?x4xindex>,
                %p: index, %q: index) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %lo = nacho.load_cut %bounds[%p] : memref<?x4xindex> -> !nacho.cut<2>
  %hi = nacho.load_cut %bounds[%q] : memref<?x4xindex> -> !nacho.cut<2>
  %n = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<2>) iter_args(%m = %zero : index) {
    %next = arith.addi %m, %one : index
    nacho.yield %next : index
  }
  return %n : index
}
