// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 64 }>
#DV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
!S0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!S1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
!D0 = !nacho.fiber<tensor<?xf64, #DV>, 0>
!D1 = !nacho.fiber<tensor<?xf64, #DV>, 1>

// CHECK-LABEL: func.func @negative_no_loop(
// CHECK:         nacho.cost <nnz>
func.func @negative_no_loop(%A: tensor<?xf64, #SV>) -> index {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %cost = nacho.cost <nnz> %A0 : !S0
  return %cost : index
}

// Nothing to merge with: one loop over positions.
//
// CHECK-LABEL: func.func @one_compressed(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK:         scf.for %[[POS:.+]] = %{{.+}} to %{{.+}} step %c1{{.*}} {
// CHECK-DAG:       %[[CRD:.+]] = memref.load %{{.+}}[%[[POS]]] : memref<?xi64>
// CHECK-DAG:       %[[WIDE:.+]] = arith.index_castui %[[CRD]] : i64 to index
// CHECK-DAG:       %[[I:.+]] = arith.andi %[[WIDE]], %{{.+}} : index
// CHECK-DAG:       %[[a:.+]] = memref.load %{{.+}}[%[[POS]]] : memref<?xf64>
// CHECK:           %[[z:.+]] = nacho.unary neg %[[a]] : f64
// CHECK:           memref.store %[[z]], %[[OUT]][%[[I]]]
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @one_compressed(%A: tensor<?xf64, #SV>, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !S0) in %A1 {
    %a = nacho.load %A1 : !S1
    %z = nacho.unary neg %a : f64
    memref.store %z, %out[%i] : memref<?xf64>
  }
  return
}

// A u B: one loop, and no branch, whoever is there.
//
// CHECK-LABEL: func.func @union_two_compressed(
// CHECK-SAME:    %[[ZERO:[^ ]+]]: f64) -> f64
// CHECK-DAG:     %[[NONE:.+]] = arith.constant 0 : i64
// CHECK-DAG:     %[[INF:.+]] = arith.constant -1 : index
//
// while (min(crdA, crdB) != +inf):
// CHECK:         %[[ALL:.+]]:5 = scf.while (%[[PA:[^ ]+]] = %{{[^ ]+}}, %[[PB:[^ ]+]] = %{{[^ ]+}}, %[[CA:[^ ]+]] = %{{[^ ]+}}, %[[CB:[^ ]+]] = %{{[^ ]+}}, %{{[^ ]+}} = %[[ZERO]])
// CHECK-NEXT:      %[[LEAST:.+]] = arith.minui %[[CA]], %[[CB]] : index
// CHECK-NEXT:      %[[ALIVE:.+]] = arith.cmpi ne, %[[LEAST]], %[[INF]] : index
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^{{.+}}(%[[PA:.+]]: index, %[[PB:.+]]: index, %[[CA:.+]]: index, %[[CB:.+]]: index, %[[SUM:.+]]: f64):
//
// i = min(crdA, crdB); posA += (i == crdA); posB += (i == crdB)
// CHECK-NEXT:      %[[I:.+]] = arith.minui %[[CA]], %[[CB]] : index
// CHECK-DAG:       %[[HAS_A:.+]] = arith.cmpi eq, %[[CA]], %[[I]] : index
// CHECK-DAG:       %[[STEP_A:.+]] = arith.index_castui %[[HAS_A]] : i1 to index
// CHECK-DAG:       %[[NEXT_PA:.+]] = arith.addi %[[PA]], %[[STEP_A]] : index
// CHECK-DAG:       %[[NEXT_CA:.+]] = arith.select %[[HAS_A]], %{{.+}}, %[[CA]] : index
// CHECK-DAG:       %[[HAS_B:.+]] = arith.cmpi eq, %[[CB]], %[[I]] : index
// CHECK-DAG:       %[[STEP_B:.+]] = arith.index_castui %[[HAS_B]] : i1 to index
// CHECK-DAG:       %[[NEXT_PB:.+]] = arith.addi %[[PB]], %[[STEP_B]] : index
// CHECK-DAG:       %[[NEXT_CB:.+]] = arith.select %[[HAS_B]], %{{.+}}, %[[CB]] : index
//
// a = A has i ? values[posA] : 0, chosen as an integer
// CHECK-DAG:       %[[SAFE_A:.+]] = arith.select %[[HAS_A]], %[[PA]], %c0{{.*}} : index
// CHECK-DAG:       %[[VALUE_A:.+]] = memref.load %{{.+}}[%[[SAFE_A]]] : memref<?xf64>
// CHECK-DAG:       %[[BITS_A:.+]] = arith.bitcast %[[VALUE_A]] : f64 to i64
// CHECK-DAG:       %[[CHOSEN_A:.+]] = arith.select %[[HAS_A]], %[[BITS_A]], %[[NONE]] : i64
// CHECK-DAG:       %[[a:.+]] = arith.bitcast %[[CHOSEN_A]] : i64 to f64
// CHECK-DAG:       %[[SAFE_B:.+]] = arith.select %[[HAS_B]], %[[PB]], %c0{{.*}} : index
// CHECK-DAG:       %[[VALUE_B:.+]] = memref.load %{{.+}}[%[[SAFE_B]]] : memref<?xf64>
// CHECK-DAG:       %[[BITS_B:.+]] = arith.bitcast %[[VALUE_B]] : f64 to i64
// CHECK-DAG:       %[[CHOSEN_B:.+]] = arith.select %[[HAS_B]], %[[BITS_B]], %[[NONE]] : i64
// CHECK-DAG:       %[[b:.+]] = arith.bitcast %[[CHOSEN_B]] : i64 to f64
// CHECK-NOT:       scf.if
// CHECK:           %[[z:.+]] = nacho.binary add %[[a]], %[[b]] : f64
// CHECK:           %[[NEXT:.+]] = nacho.binary add %[[SUM]], %[[z]] : f64
// CHECK:           scf.yield %[[NEXT_PA]], %[[NEXT_PB]], %[[NEXT_CA]], %[[NEXT_CB]], %[[NEXT]]
// CHECK:         return %[[ALL]]#4
func.func @union_two_compressed(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>,
                                %zero: f64) -> f64 {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %total = nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in union(%A1, %B1)
      iter_args(%sum = %zero : f64) {
    %a = nacho.load %A1 : !S1
    %b = nacho.load %B1 : !S1
    %z = nacho.binary add %a, %b : f64
    %next = nacho.binary add %sum, %z : f64
    nacho.yield %next : f64
  }
  return %total : f64
}

// A n B ends with the first of them, and the body asks for both; in it both
// are known to be there.
//
// CHECK-LABEL: func.func @intersection_two_compressed(
// CHECK:         scf.while
// CHECK-DAG:       %[[ALIVE_A:.+]] = arith.cmpi ne, %{{.+}}, %c-1{{.*}} : index
// CHECK-DAG:       %[[ALIVE_B:.+]] = arith.cmpi ne, %{{.+}}, %c-1{{.*}} : index
// CHECK:           %[[ALIVE:.+]] = arith.andi %[[ALIVE_A]], %[[ALIVE_B]] : i1
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK:         ^{{.+}}(%[[PA:[^ ]+]]: index, %[[PB:[^ ]+]]: index,
// CHECK:           %[[BOTH:.+]] = arith.andi %{{.+}}, %{{.+}} : i1
// CHECK-NEXT:      scf.if %[[BOTH]] {
// CHECK-DAG:         %[[a:.+]] = memref.load %{{.+}}[%[[PA]]] : memref<?xf64>
// CHECK-DAG:         %[[b:.+]] = memref.load %{{.+}}[%[[PB]]] : memref<?xf64>
// CHECK-NOT:         arith.select
// CHECK:             nacho.binary mul %[[a]], %[[b]] : f64
func.func @intersection_two_compressed(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>,
                                       %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in intersect(%A1, %B1) {
    %a = nacho.load %A1 : !S1
    %b = nacho.load %B1 : !S1
    %z = nacho.binary mul %a, %b : f64
    memref.store %z, %out[%i] : memref<?xf64>
  }
  return
}

// A u (B n C): goes on as long as A is there, or both of the others.
//
// CHECK-LABEL: func.func @union_of_intersection(
// CHECK:         scf.while
// CHECK-DAG:       %[[A:.+]] = arith.cmpi ne, %[[CA:[^ ]+]], %c-1{{.*}} : index
// CHECK:           %[[BC:.+]] = arith.andi %{{.+}}, %{{.+}} : i1
// CHECK:           %[[ALIVE:.+]] = arith.ori %{{.+}}, %[[BC]] : i1
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK:           %[[HAS_BC:.+]] = arith.andi %[[HAS_B:.+]], %[[HAS_C:.+]] : i1
// CHECK:           %[[HOLDS:.+]] = arith.ori %[[HAS_A:.+]], %[[HAS_BC]] : i1
// CHECK-NEXT:      scf.if %[[HOLDS]] {
//
// The product is 0 where one of its factors is absent.
// CHECK:             %[[BC_VALUE:.+]] = nacho.binary mul
// CHECK-DAG:         arith.select %[[HAS_BC]], %[[BC_VALUE]], %{{.+}} : f64
// CHECK:         return
func.func @union_of_intersection(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>,
                                 %C: tensor<?xf64, #SV>, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0, %C1 = %C0 : !S0)
      in union(%A1, intersect(%B1, %C1)) {
    %a = nacho.load %A1 : !S1
    %b = nacho.load %B1 : !S1
    %c = nacho.load %C1 : !S1
    %0 = nacho.binary mul %b, %c : f64
    %1 = nacho.restrict %0 to intersect(%B1, %C1) : f64 of !S1, !S1
    %z = nacho.binary sub %a, %1 : f64
    memref.store %z, %out[%i] : memref<?xf64>
  }
  return
}

// A dense operand in a union: every coordinate is visited.
//
// CHECK-LABEL: func.func @union_dense(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<
// CHECK:         %[[N:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK:         scf.for %[[I:.+]] = %c0{{.*}} to %[[N]] step %c1{{.*}} iter_args(%[[POS:.+]] = %{{[^ ]+}}, %[[CRD:.+]] = %{{.+}}) -> (index, index) {
// CHECK:           %[[HAS:.+]] = arith.cmpi eq, %[[CRD]], %[[I]] : index
// CHECK:           memref.load %{{.+}}[%[[I]]] : memref<?xf64>
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @union_dense(%A: tensor<?xf64, #DV>, %B: tensor<?xf64, #SV>, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #DV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !D0, %B1 = %B0 : !S0) in union(%A1, %B1) {
    %a = nacho.load %A1 : !D1
    %b = nacho.load %B1 : !S1
    %z = nacho.binary add %a, %b : f64
    memref.store %z, %out[%i] : memref<?xf64>
  }
  return
}

// In an intersection it is looked up, where it has the coordinate; where it has
// not, its first element stands in, so that nothing outside is touched.
//
// CHECK-LABEL: func.func @intersection_dense(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<
// CHECK:         scf.for %[[POS:.+]] = %{{.+}} to %{{.+}} step %c1{{.*}} {
// CHECK:           %[[CRD:.+]] = memref.load %{{.+}}[%[[POS]]] : memref<?xi64>
// CHECK:           %[[WIDE:.+]] = arith.index_castui %[[CRD]] : i64 to index
// CHECK:           %[[I:.+]] = arith.andi %[[WIDE]], %{{.+}} : index
// CHECK:           %[[N:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[I]], %[[N]] : index
// CHECK-NEXT:      %[[AT:.+]] = arith.select %[[INSIDE]], %[[I]], %c0{{.*}} : index
// CHECK:           scf.if %[[INSIDE]] {
// CHECK:             memref.load %{{.+}}[%[[AT]]] : memref<?xf64>
func.func @intersection_dense(%A: tensor<?xf64, #DV>, %B: tensor<?xf64, #SV>,
                              %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #DV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !D0, %B1 = %B0 : !S0) in intersect(%A1, %B1) {
    %a = nacho.load %A1 : !D1
    %b = nacho.load %B1 : !S1
    %z = nacho.binary mul %a, %b : f64
    memref.store %z, %out[%i] : memref<?xf64>
  }
  return
}

// The outer loop of a part goes up to the row of the upper cut, which is one
// more position if the operand has that row; the inner one is clipped by a
// cut only in the cut's own row.
//
// CHECK-LABEL: func.func @part(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x5xindex>, %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index,
// CHECK-DAG:     %[[LO_I:.+]] = memref.load %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     %[[LO_P0:.+]] = memref.load %[[BOUNDS]][%[[P]], %c3{{.*}}]
// CHECK-DAG:     %[[LO_P1:.+]] = memref.load %[[BOUNDS]][%[[P]], %c4{{.*}}]
// CHECK-DAG:     %[[HI_I:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c1{{.*}}]
// CHECK-DAG:     %[[HI_P0:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c3{{.*}}]
// CHECK-DAG:     %[[HI_P1:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c4{{.*}}]
// CHECK:         %[[STORED:.+]] = arith.cmpi eq, %{{.+}}, %[[HI_I]] : index
// CHECK-NEXT:    %[[ONE_MORE:.+]] = arith.index_castui %[[STORED]] : i1 to index
// CHECK-NEXT:    %[[END:.+]] = arith.addi %[[HI_P0]], %[[ONE_MORE]] : index
// CHECK:         scf.for %{{.+}} = %[[LO_P0]] to %[[END]]
// CHECK-DAG:       %[[ON_LO:.+]] = arith.cmpi eq, %[[I:.+]], %[[LO_I]] : index
// CHECK-DAG:       %[[ON_HI:.+]] = arith.cmpi eq, %{{.+}}, %[[HI_I]] : index
// CHECK-DAG:       %[[FROM:.+]] = arith.select %[[ON_LO]], %[[LO_P1]], %{{.+}} : index
// CHECK-DAG:       %[[TO:.+]] = arith.select %[[ON_HI]], %[[HI_P1]], %{{.+}} : index
// CHECK:           scf.for %{{.+}} = %[[FROM]] to %[[TO]]
func.func @part(%A: tensor<?x?xf64, #DCSR>, %bounds: memref<?x5xindex>, %p: index, %q: index,
                %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %lo = nacho.load_cut %bounds[%p] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %hi = nacho.load_cut %bounds[%q] : memref<?x5xindex> -> !nacho.cut<1, 1>
  nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>) in %A1
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) {
    nacho.coiterate %j of (%A2 = %A1 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>) in %A2
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) {
      %a = nacho.load %A2 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
