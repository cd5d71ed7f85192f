// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s

// Levels whose coordinates are not unique: a loop over them visits each coordinate once,
// with the run of positions that have it.

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
!C0 = !nacho.fiber<tensor<?x?xf64, #COO>, 0>
!C1 = !nacho.fiber<tensor<?x?xf64, #COO>, 1>
!C2 = !nacho.fiber<tensor<?x?xf64, #COO>, 2>
!R0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
!R1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
!R2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
!D0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!D1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!D2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!V0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!V1 = !nacho.fiber<tensor<?xf64, #SV>, 1>

// Unique coordinates have no runs to be stepped through.
//
// CHECK-LABEL: func.func @negative_unique(
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @negative_unique(%A: tensor<?x?xf64, #DCSR>, %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !D0) in %A1 {
    nacho.coiterate %j of (%A2 = %A1 : !D1) in %A2 {
      %a = nacho.load %A2 : !D2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Alone, it still takes the loop that merges, which ends it with a coordinate of +inf.
//
// CHECK-LABEL: func.func @coo(
// CHECK-DAG:     %[[CRD0:.+]] = sparse_tensor.coordinates %{{.+}} {level = 0 : index}
// CHECK-DAG:     %[[SIZE:.+]] = memref.dim %[[CRD0]]
// CHECK:         %[[BEGIN:.+]] = arith.minui %{{.+}}, %[[SIZE]] : index
// CHECK:         %[[END:.+]] = arith.minui %{{.+}}, %[[SIZE]] : index
//
// while (i != +inf):
// CHECK:         scf.while (%{{[^ ]+}} = %[[BEGIN]], %[[I:[^ ]+]] = %{{[^ ]+}})
// CHECK-NEXT:      %[[ALIVE:.+]] = arith.cmpi ne, %[[I]], %c-1{{.*}} : index
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK:         ^{{.+}}(%[[POS:.+]]: index, %[[I:.+]]: index):
//
// low = pos; step = 1
// while (low + step - 1 < end && crd[low + step - 1] == i) low += step, step += step
// CHECK-NEXT:      %[[PROBED:.+]]:2 = scf.while (%[[LOW:.+]] = %[[POS]], %[[STEP:.+]] = %c1{{.*}})
// CHECK-NEXT:        %[[AFTER:.+]] = arith.addi %[[LOW]], %[[STEP]] : index
// CHECK-NEXT:        %[[LAST:.+]] = arith.subi %[[AFTER]], %c1{{.*}} : index
// CHECK-NEXT:        %[[IS_IN:.+]] = arith.cmpi ult, %[[LAST]], %[[END]] : index
// CHECK-NEXT:        %[[SAFE:.+]] = arith.select %[[IS_IN]], %[[LAST]], %c0{{.*}} : index
// CHECK-NEXT:        %[[CRD:.+]] = memref.load %[[CRD0]][%[[SAFE]]]
// CHECK-NEXT:        %[[WIDE:.+]] = arith.index_castui %[[CRD]] : i32 to index
// CHECK-NEXT:        %[[HERE:.+]] = arith.select %[[IS_IN]], %[[WIDE]], %c-1{{.*}} : index
// CHECK-NEXT:        %[[SAME:.+]] = arith.cmpi eq, %[[HERE]], %[[I]] : index
// CHECK-NEXT:        %[[MORE:.+]] = arith.andi %[[IS_IN]], %[[SAME]] : i1
// CHECK-NEXT:        scf.condition(%[[MORE]])
// CHECK:           ^{{.+}}(%[[LOW:.+]]: index, %[[STEP:.+]]: index):
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[LOW]], %[[STEP]] : index
// CHECK-NEXT:        %[[FAR:.+]] = arith.addi %[[STEP]], %[[STEP]] : index
// CHECK-NEXT:        scf.yield %[[NEXT]], %[[FAR]] : index, index
//
// The end of the run is less than that last step further on.
// CHECK:           %[[LAST:.+]] = arith.subi %{{.+}}, %c1{{.*}} : index
// CHECK-NEXT:      %[[HIGH:.+]] = arith.minui %[[LAST]], %[[END]] : index
// CHECK-NEXT:      %[[BEYOND:.+]] = arith.addi %[[I]], %c1{{.*}} : index
// CHECK-NEXT:      %[[STOP:.+]]:2 = scf.while (%{{.+}} = %[[PROBED]]#0, %{{.+}} = %[[HIGH]])
// CHECK:             arith.cmpi ult, %{{.+}}, %[[BEYOND]] : index
// CHECK:           %[[FIRST:.+]] = arith.addi %[[POS]], %c1{{.*}} : index
// CHECK-NEXT:      %[[AFTER:.+]] = arith.maxui %[[STOP]]#0, %[[FIRST]] : index
//
// for pos1 in pos ... end: out[i, crd1[pos1]] = values[pos1]
// CHECK:           scf.for %[[POS1:.+]] = %[[POS]] to %[[AFTER]] step %c1{{.*}} {
// CHECK:             %[[CRD1:.+]] = sparse_tensor.coordinates %{{.+}} {level = 1 : index}
// CHECK-NEXT:        %[[CRD:.+]] = memref.load %[[CRD1]][%[[POS1]]]
// CHECK-NEXT:        %[[J:.+]] = arith.index_castui %[[CRD]] : i32 to index
// CHECK:             memref.load %{{.+}}[%[[POS1]]] : memref<?xf64>
// CHECK:             memref.store %{{.+}}, %{{.+}}[%[[I]], %[[J]]]
// CHECK:           scf.yield %[[AFTER]], %{{.+}} : index, index
func.func @coo(%A: tensor<?x?xf64, #COO>, %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  nacho.coiterate %i of (%A1 = %A0 : !C0) in %A1 {
    nacho.coiterate %j of (%A2 = %A1 : !C1) in %A2 {
      %a = nacho.load %A2 : !C2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// In a union the run at a coordinate that another operand has is empty, and the fiber is
// absent: the inner loop merges nothing of it.
//
// while (min(iA, iB) != +inf):
//   i = min(iA, iB)
//   endA = the end of A's run of i, which is posA if iA != i
//   ...
//
// CHECK-LABEL: func.func @union_coo_dcsr(
// CHECK:         scf.while
// CHECK:           %[[LEAST:.+]] = arith.minui
// CHECK:         ^{{.+}}(%[[POS_A:.+]]: index, %[[POS_B:.+]]: index, %[[CRD_A:.+]]: index, %[[CRD_B:.+]]: index):
// CHECK-NEXT:      %[[I:.+]] = arith.minui %[[CRD_A]], %[[CRD_B]] : index
// CHECK:           %[[RUN_A:.+]]:2 = scf.while (%{{.+}} = %[[POS_A]], %{{.+}} = %c1{{.*}})
// CHECK:             arith.cmpi eq, %{{.+}}, %[[I]] : index
// CHECK:           %[[END_A:.+]]:2 = scf.while (%{{.+}} = %[[RUN_A]]#0, %{{.+}} = %{{.+}})
// CHECK:           %[[AFTER_A:.+]] = arith.maxui %[[END_A]]#0, %{{.+}} : index
// CHECK:           %[[HAS_B:.+]] = arith.cmpi eq, %[[CRD_B]], %[[I]] : index
// CHECK-NEXT:      %[[STEP_B:.+]] = arith.index_castui %[[HAS_B]] : i1 to index
// CHECK-NEXT:      %[[NEXT_B:.+]] = arith.addi %[[POS_B]], %[[STEP_B]] : index
//
//   while (posA1 < min(endA, sizeA - 1) && ...), and then what is left of each
// CHECK:           %[[STOP_A:.+]] = arith.minui %[[AFTER_A]], %{{.+}} : index
// CHECK:           %[[BOTH:.+]]:4 = scf.while (%[[POS_A1:[^ ]+]] = %[[POS_A]], {{.+}}) : (index, index, index, index)
// CHECK-NEXT:        arith.cmpi ult, %[[POS_A1]], %[[STOP_A]] : index
// CHECK:           %[[PAIRS:.+]]:2 = scf.while (%{{[^ ]+}} = %[[BOTH]]#0, %{{[^ ]+}} = %[[BOTH]]#1)
// CHECK:           scf.for %{{.+}} = %[[PAIRS]]#0 to %[[AFTER_A]]
// CHECK:           scf.for %{{.+}} = %[[PAIRS]]#1 to
// CHECK:           scf.yield %[[AFTER_A]], %[[NEXT_B]], %{{.+}}, %{{.+}} : index, index, index, index
func.func @union_coo_dcsr(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #DCSR>,
                          %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %B0 : !D0) in union(%A1, %B1) {
    nacho.coiterate %j of (%A2 = %A1 : !C1, %B2 = %B1 : !D1) in union(%A2, %B2) {
      %a = nacho.load %A2 : !C2
      %b = nacho.load %B2 : !D2
      %z = nacho.binary add %a, %b : f64
      memref.store %z, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Next to a dense level every coordinate is visited, and a run goes along.
//
// for i = 0 to N: endA = the end of A's run of i, ...
//
// CHECK-LABEL: func.func @union_coo_csr(
// CHECK:         scf.for %[[I:.+]] = %c0{{.*}} to %{{.+}} step %c1{{.*}} iter_args(%[[POS:.+]] = %{{.+}}) -> (index) {
// CHECK-NEXT:      %[[PROBED:.+]]:2 = scf.while (%{{.+}} = %[[POS]], %{{.+}} = %c1{{.*}})
// CHECK:             arith.cmpi eq, %{{.+}}, %[[I]] : index
// CHECK:           %[[END:.+]]:2 = scf.while (%{{.+}} = %[[PROBED]]#0, %{{.+}} = %{{.+}})
// CHECK:           scf.yield %[[END]]#0 : index
func.func @union_coo_csr(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #CSR>,
                         %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B : tensor<?x?xf64, #CSR>
  nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %B0 : !R0) in union(%A1, %B1) {
    nacho.coiterate %j of (%A2 = %A1 : !C1, %B2 = %B1 : !R1) in union(%A2, %B2) {
      %a = nacho.load %A2 : !C2
      %b = nacho.load %B2 : !R2
      %z = nacho.binary add %a, %b : f64
      memref.store %z, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Not even as the innermost one does a loop over runs come without asking: a run can end where
// the fiber does.
//
// CHECK-LABEL: func.func @innermost(
// CHECK:         scf.while (%{{[^ ]+}} = %{{[^ ]+}}, %{{[^ ]+}} = %{{[^ ]+}}, %[[CRD_A:[^ ]+]] = %{{[^ ]+}}, %[[CRD_B:[^ ]+]] = %{{[^ ]+}})
// CHECK-NEXT:      %[[LEAST:.+]] = arith.minui %[[CRD_A]], %[[CRD_B]] : index
// CHECK-NEXT:      arith.cmpi ne, %[[LEAST]], %c-1{{.*}} : index
// CHECK:         ^{{.+}}(%[[POS_A:.+]]: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index):
// CHECK:           scf.while (%{{.+}} = %[[POS_A]], %{{.+}} = %c1{{.*}})
// CHECK:           scf.while
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @innermost(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #DCSR>, %out: memref<?xindex>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %B0 : !D0) in union(%A1, %B1) {
    memref.store %i, %out[%i] : memref<?xindex>
  }
  return
}

// A part begins and ends at the positions that the cuts have in the innermost loop, so
// that nobody steps through the entries of another part. If the entry before the
// first one is in the row of the lower cut, the loop comes by that row all the same:
// this part may have to finish it.
//
// CHECK-LABEL: func.func @part(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x5xindex>, %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index,
// CHECK-DAG:     %[[LO_I:.+]] = memref.load %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     %[[LO_P:.+]] = memref.load %[[BOUNDS]][%[[P]], %c4{{.*}}]
// CHECK-DAG:     %[[HI_I:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c1{{.*}}]
// CHECK-DAG:     %[[HI_P:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c4{{.*}}]
//
// before = LO_P > first && crd0[LO_P - 1] == LO_I ? LO_P - 1 : LO_P
// CHECK:         %[[IS_INSIDE:.+]] = arith.cmpi ugt, %[[LO_P]], %{{.+}} : index
// CHECK-NEXT:    %[[LESS:.+]] = arith.subi %[[LO_P]], %c1{{.*}} : index
// CHECK-NEXT:    %[[SAFE:.+]] = arith.select %[[IS_INSIDE]], %[[LESS]], %c0{{.*}} : index
// CHECK-NEXT:    %[[CRD:.+]] = memref.load %{{.+}}[%[[SAFE]]]
// CHECK-NEXT:    %[[WIDE:.+]] = arith.index_castui %[[CRD]]
// CHECK-NEXT:    %[[SAME:.+]] = arith.cmpi eq, %[[WIDE]], %[[LO_I]] : index
// CHECK-NEXT:    %[[COMES_BY:.+]] = arith.andi %[[IS_INSIDE]], %[[SAME]] : i1
// CHECK-NEXT:    %[[BEGIN:.+]] = arith.select %[[COMES_BY]], %[[LESS]], %[[LO_P]] : index
// CHECK:         scf.while (%{{[^ ]+}} = %[[BEGIN]], %{{.+}} = %{{.+}})
// CHECK:         ^{{.+}}(%[[POS:.+]]: index, %[[I:.+]]: index):
//
// end = the end of the run of i, or of the part
// CHECK:           %[[PROBED:.+]]:2 = scf.while (%{{.+}} = %[[POS]], %{{.+}} = %c1{{.*}})
// CHECK:             arith.cmpi ult, %{{.+}}, %[[HI_P]] : index
// CHECK:           %[[END:.+]]:2 = scf.while (%{{.+}} = %[[PROBED]]#0, %{{.+}} = %{{.+}})
// CHECK:           %[[AFTER:.+]] = arith.maxui %[[END]]#0, %{{.+}} : index
//
// for pos1 in (i == LO_I ? LO_P : pos) ... (i == HI_I ? HI_P : end)
// CHECK-DAG:       %[[ON_LO:.+]] = arith.cmpi eq, %[[I]], %[[LO_I]] : index
// CHECK-DAG:       %[[ON_HI:.+]] = arith.cmpi eq, %[[I]], %[[HI_I]] : index
// CHECK-DAG:       %[[FROM:.+]] = arith.select %[[ON_LO]], %[[LO_P]], %[[POS]] : index
// CHECK-DAG:       %[[TO:.+]] = arith.select %[[ON_HI]], %[[HI_P]], %[[AFTER]] : index
// CHECK:           scf.for %{{.+}} = %[[FROM]] to %[[TO]]
func.func @part(%A: tensor<?x?xf64, #COO>, %bounds: memref<?x5xindex>, %p: index, %q: index,
                %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %lo = nacho.load_cut %bounds[%p] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %hi = nacho.load_cut %bounds[%q] : memref<?x5xindex> -> !nacho.cut<1, 1>
  nacho.coiterate %i of (%A1 = %A0 : !C0) in %A1
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) {
    nacho.coiterate %j of (%A2 = %A1 : !C1) in %A2
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) {
      %a = nacho.load %A2 : !C2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// If only the outer loop is cut, the last row of a part is the rest of its run.
//
// CHECK-LABEL: func.func @outer_part(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x3xindex>, %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index,
// CHECK-DAG:     %[[LO_P:.+]] = memref.load %[[BOUNDS]][%[[P]], %c2{{.*}}]
// CHECK-DAG:     %[[HI_P:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c2{{.*}}]
// CHECK:         scf.while (%{{[^ ]+}} = %[[LO_P]], %{{.+}} = %{{.+}})
// CHECK:         ^{{.+}}(%[[POS:.+]]: index, %{{.+}}: index):
// CHECK:           %[[PROBED:.+]]:2 = scf.while (%{{.+}} = %[[POS]], %{{.+}} = %c1{{.*}})
// CHECK:             arith.cmpi ult, %{{.+}}, %[[HI_P]] : index
// CHECK:           %[[END:.+]]:2 = scf.while (%{{.+}} = %[[PROBED]]#0, %{{.+}} = %{{.+}})
// CHECK:           %[[AFTER:.+]] = arith.maxui %[[END]]#0, %{{.+}} : index
// CHECK:           scf.for %{{.+}} = %[[POS]] to %[[AFTER]]
func.func @outer_part(%A: tensor<?x?xf64, #COO>, %bounds: memref<?x3xindex>, %p: index, %q: index,
                      %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %lo = nacho.load_cut %bounds[%p] : memref<?x3xindex> -> !nacho.cut<1>
  %hi = nacho.load_cut %bounds[%q] : memref<?x3xindex> -> !nacho.cut<1>
  nacho.coiterate %i of (%A1 = %A0 : !C0) in %A1
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1>) {
    nacho.coiterate %j of (%A2 = %A1 : !C1) in %A2 {
      %a = nacho.load %A2 : !C2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// If the loop that takes runs apart has a loop inside that is cut, too, a run ends behind
// the entry in which the upper cut is. Nothing searches for the end of that run.
//
// CHECK-LABEL: func.func @entries_with_loops(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x7xindex>, %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index
// CHECK-DAG:     %[[LO_I:.+]] = memref.load %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     %[[LO:.+]] = memref.load %[[BOUNDS]][%[[P]], %c5{{.*}}]
// CHECK-DAG:     %[[HI_I:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c1{{.*}}]
// CHECK-DAG:     %[[HI:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c5{{.*}}]
//
// The entry before the lower cut, if it has the same coordinate
// CHECK-NOT:     scf.while
// CHECK:         %[[BEFORE:.+]] = arith.subi %[[LO]], %c1{{.*}} : index
// CHECK:         %[[SAME:.+]] = arith.cmpi eq, %{{.+}}, %[[LO_I]] : index
// CHECK:         %[[BEGIN:.+]] = arith.select %{{.+}}, %[[BEFORE]], %[[LO]] : index
//
// The entry of the upper cut, if it has the coordinate of that
// CHECK-NOT:     scf.while
// CHECK:         %[[IS_THERE:.+]] = arith.cmpi eq, %{{.+}}, %[[HI_I]] : index
// CHECK-NEXT:    %[[ONE:.+]] = arith.index_castui %[[IS_THERE]] : i1 to index
// CHECK-NEXT:    %[[END:.+]] = arith.addi %[[HI]], %[[ONE]] : index
// CHECK:         scf.while (%{{[^ ]+}} = %[[BEGIN]],
func.func @entries_with_loops(%L: tensor<?x?xf64, #COO>, %V: tensor<?xf64, #SV>,
                              %bounds: memref<?x7xindex>, %p: index, %q: index,
                              %out: memref<?x?x?xf64>) {
  %L0 = nacho.root %L : tensor<?x?xf64, #COO>
  %V0 = nacho.root %V : tensor<?xf64, #SV>
  %lo = nacho.load_cut %bounds[%p] : memref<?x7xindex> -> !nacho.cut<1, 1, 1>
  %hi = nacho.load_cut %bounds[%q] : memref<?x7xindex> -> !nacho.cut<1, 1, 1>
  nacho.coiterate %i of (%L1 = %L0 : !C0) in %L1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1, 1>) {
    nacho.coiterate %j of (%L2 = %L1 : !C1) in %L2 between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1, 1>) {
      nacho.coiterate %k of (%V1 = %V0 : !V0) in %V1 between (%lo3 = %lo2, %hi3 = %hi2 : !nacho.cut<1>) {
        %v = nacho.load %V1 : !V1
        memref.store %v, %out[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}
