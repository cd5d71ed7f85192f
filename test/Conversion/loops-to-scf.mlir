// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 64 }>
#DV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#Rows = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
!S0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!S1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
!D0 = !nacho.fiber<tensor<?xf64, #DV>, 0>
!D1 = !nacho.fiber<tensor<?xf64, #DV>, 1>
!M0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!M1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!M2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
!R0 = !nacho.fiber<tensor<?x?xf64, #Rows>, 0>

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

// A u B: a loop as long as both have coordinates left, in which there is no branch, whoever
// is there; and one for what is left of each.
//
// CHECK-LABEL: func.func @union_two_compressed(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %[[ZERO:[^ ]+]]: f64) -> f64
// CHECK-DAG:     %[[NONE:.+]] = arith.constant 0 : i64
// CHECK-DAG:     %[[INF:.+]] = arith.constant -1 : index
// CHECK-DAG:     %[[CRD_A:.+]] = sparse_tensor.coordinates %[[A]]
// CHECK-DAG:     %[[CRD_B:.+]] = sparse_tensor.coordinates %[[B]]
// CHECK-DAG:     %[[BEGIN_A:.+]] = arith.minui %{{.+}}, %[[SIZE_A:.+]] : index
// CHECK-DAG:     %[[END_A:.+]] = arith.minui %{{.+}}, %[[SIZE_A]] : index
// CHECK-DAG:     %[[BEGIN_B:.+]] = arith.minui %{{.+}}, %[[SIZE_B:.+]] : index
// CHECK-DAG:     %[[END_B:.+]] = arith.minui %{{.+}}, %[[SIZE_B]] : index
//
// While both have a next coordinate, be it another fiber's, it is loaded a step ahead:
// while (posA < min(endA, sizeA - 1) && posB < min(endB, sizeB - 1)):
// CHECK-DAG:     %[[LAST_A:.+]] = arith.subi %[[SIZE_A]], %c1{{.*}} : index
// CHECK-DAG:     %[[STOP_A:.+]] = arith.minui %[[END_A]], %[[LAST_A]] : index
// CHECK-DAG:     %[[LAST_B:.+]] = arith.subi %[[SIZE_B]], %c1{{.*}} : index
// CHECK-DAG:     %[[STOP_B:.+]] = arith.minui %[[END_B]], %[[LAST_B]] : index
// CHECK:         %[[BOTH:.+]]:5 = scf.while (%[[PA:[^ ]+]] = %[[BEGIN_A]], %[[PB:[^ ]+]] = %[[BEGIN_B]], %{{[^ ]+}} = %{{[^ ]+}}, %{{[^ ]+}} = %{{[^ ]+}}, %{{[^ ]+}} = %[[ZERO]])
// CHECK-NEXT:      %[[ALIVE_A:.+]] = arith.cmpi ult, %[[PA]], %[[STOP_A]] : index
// CHECK-NEXT:      %[[ALIVE_B:.+]] = arith.cmpi ult, %[[PB]], %[[STOP_B]] : index
// CHECK-NEXT:      %[[ALIVE:.+]] = arith.andi %[[ALIVE_A]], %[[ALIVE_B]] : i1
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^{{.+}}(%[[PA:[^ ]+]]: index, %[[PB:[^ ]+]]: index, %[[CA:[^ ]+]]: index, %[[CB:[^ ]+]]: index, %[[SUM:[^ ]+]]: f64):
//
// i = min(crdA, crdB), which both can be asked for;
// posA, crdA = i == crdA ? posA + 1, crd[posA + 1] : posA, crdA
// CHECK-NEXT:      %[[I:.+]] = arith.minui %[[CA]], %[[CB]] : index
// CHECK-NEXT:      %[[HAS_A:.+]] = arith.cmpi eq, %[[CA]], %[[I]] : index
// CHECK-NEXT:      %[[STEP_A:.+]] = arith.index_castui %[[HAS_A]] : i1 to index
// CHECK-NEXT:      %[[NEXT_PA:.+]] = arith.addi %[[PA]], %[[STEP_A]] : index
// CHECK-NEXT:      %[[FOLLOWING_A:.+]] = arith.addi %[[PA]], %c1{{.*}} : index
// CHECK-NEXT:      %[[LOAD_A:.+]] = memref.load %[[CRD_A]][%[[FOLLOWING_A]]]
// CHECK-NEXT:      %[[WIDE_A:.+]] = arith.index_castui %[[LOAD_A]]
// CHECK-NEXT:      %[[AFTER_A:.+]] = arith.andi %[[WIDE_A]], %{{.+}} : index
// CHECK-NEXT:      %[[NEXT_CA:.+]] = arith.select %[[HAS_A]], %[[AFTER_A]], %[[CA]] : index
// CHECK-NEXT:      %[[HAS_B:.+]] = arith.cmpi eq, %[[CB]], %[[I]] : index
// CHECK-NEXT:      %[[STEP_B:.+]] = arith.index_castui %[[HAS_B]] : i1 to index
// CHECK-NEXT:      %[[NEXT_PB:.+]] = arith.addi %[[PB]], %[[STEP_B]] : index
// CHECK-NEXT:      %[[FOLLOWING_B:.+]] = arith.addi %[[PB]], %c1{{.*}} : index
// CHECK-NEXT:      memref.load %[[CRD_B]][%[[FOLLOWING_B]]]
// CHECK:           %[[NEXT_CB:.+]] = arith.select %[[HAS_B]], %{{.+}}, %[[CB]] : index
//
// a = A has i ? values[posA] : 0, chosen as an integer; posA is inside in any case
// CHECK-DAG:       %[[VALUE_A:.+]] = memref.load %{{.+}}[%[[PA]]] : memref<?xf64>
// CHECK-DAG:       %[[BITS_A:.+]] = arith.bitcast %[[VALUE_A]] : f64 to i64
// CHECK-DAG:       %[[CHOSEN_A:.+]] = arith.select %[[HAS_A]], %[[BITS_A]], %[[NONE]] : i64
// CHECK-DAG:       %[[a:.+]] = arith.bitcast %[[CHOSEN_A]] : i64 to f64
// CHECK-DAG:       %[[VALUE_B:.+]] = memref.load %{{.+}}[%[[PB]]] : memref<?xf64>
// CHECK-DAG:       %[[BITS_B:.+]] = arith.bitcast %[[VALUE_B]] : f64 to i64
// CHECK-DAG:       %[[CHOSEN_B:.+]] = arith.select %[[HAS_B]], %[[BITS_B]], %[[NONE]] : i64
// CHECK-DAG:       %[[b:.+]] = arith.bitcast %[[CHOSEN_B]] : i64 to f64
// CHECK-NOT:       scf.if
// CHECK:           %[[z:.+]] = nacho.binary add %[[a]], %[[b]] : f64
// CHECK-NEXT:      %[[NEXT:.+]] = nacho.binary add %[[SUM]], %[[z]] : f64
// CHECK-NEXT:      scf.yield %[[NEXT_PA]], %[[NEXT_PB]], %[[NEXT_CA]], %[[NEXT_CB]], %[[NEXT]] :
//
// The last coordinate of a buffer may be left of both, and is not loaded ahead:
// while (posA < endA && posB < endB):
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[PAIRS:.+]]:3 = scf.while (%[[PA:[^ ]+]] = %[[BOTH]]#0, %[[PB:[^ ]+]] = %[[BOTH]]#1, %[[SUM:[^ ]+]] = %[[BOTH]]#4)
// CHECK-NEXT:      %[[ALIVE_A:.+]] = arith.cmpi ult, %[[PA]], %[[END_A]] : index
// CHECK-NEXT:      %[[ALIVE_B:.+]] = arith.cmpi ult, %[[PB]], %[[END_B]] : index
// CHECK-NEXT:      %[[ALIVE:.+]] = arith.andi %[[ALIVE_A]], %[[ALIVE_B]] : i1
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK:           %[[LOAD_A:.+]] = memref.load %[[CRD_A]][%[[PA:.+]]]
// CHECK:           %[[LOAD_B:.+]] = memref.load %[[CRD_B]][%[[PB:.+]]]
// CHECK:           scf.yield
//
// What is left of one of them is not merged with anything:
// for posA to endA: sum += a + 0
// CHECK:         %[[REST_A:.+]] = scf.for %[[P:.+]] = %[[PAIRS]]#0 to %[[END_A]] step %c1{{.*}} iter_args(%[[SUM:.+]] = %[[PAIRS]]#2) -> (f64) {
// CHECK-NOT:       arith.select
// CHECK:           %[[a:.+]] = memref.load %{{.+}}[%[[P]]] : memref<?xf64>
// CHECK-NEXT:      %[[z:.+]] = nacho.binary add %[[a]], %{{cst.*}} : f64
// CHECK-NEXT:      %[[NEXT:.+]] = nacho.binary add %[[SUM]], %[[z]] : f64
// CHECK-NEXT:      scf.yield %[[NEXT]]
//
// for posB to endB: sum += 0 + b
// CHECK:         %[[REST_B:.+]] = scf.for %[[P:.+]] = %[[PAIRS]]#1 to %[[END_B]] step %c1{{.*}} iter_args(%[[SUM:.+]] = %[[REST_A]]) -> (f64) {
// CHECK-NOT:       arith.select
// CHECK:           %[[b:.+]] = memref.load %{{.+}}[%[[P]]] : memref<?xf64>
// CHECK-NEXT:      %[[z:.+]] = nacho.binary add %{{cst.*}}, %[[b]] : f64
// CHECK-NEXT:      %[[NEXT:.+]] = nacho.binary add %[[SUM]], %[[z]] : f64
// CHECK-NEXT:      scf.yield %[[NEXT]]
// CHECK:         return %[[REST_B]]
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

// A n B ends with the first of them: one loop is all. The body asks for both; in it both
// are known to be there.
//
// CHECK-LABEL: func.func @intersection_two_compressed(
// CHECK:         scf.while (%[[PA:[^ ]+]] = %{{[^ ]+}}, %[[PB:[^ ]+]] = %{{[^ ]+}})
// CHECK-NEXT:      %[[ALIVE_A:.+]] = arith.cmpi ult, %[[PA]], %{{.+}} : index
// CHECK-NEXT:      %[[ALIVE_B:.+]] = arith.cmpi ult, %[[PB]], %{{.+}} : index
// CHECK-NEXT:      %[[ALIVE:.+]] = arith.andi %[[ALIVE_A]], %[[ALIVE_B]] : i1
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK:         ^{{.+}}(%[[PA:[^ ]+]]: index, %[[PB:[^ ]+]]: index):
// CHECK:           %[[I:.+]] = arith.minui %[[CA:.+]], %[[CB:.+]] : index
// CHECK-DAG:       %[[HAS_A:.+]] = arith.cmpi eq, %[[CA]], %[[I]] : index
// CHECK-DAG:       %[[HAS_B:.+]] = arith.cmpi eq, %[[CB]], %[[I]] : index
// CHECK:           %[[BOTH:.+]] = arith.andi %[[HAS_A]], %[[HAS_B]] : i1
// CHECK-NEXT:      scf.if %[[BOTH]] {
// CHECK-DAG:         %[[a:.+]] = memref.load %{{.+}}[%[[PA]]] : memref<?xf64>
// CHECK-DAG:         %[[b:.+]] = memref.load %{{.+}}[%[[PB]]] : memref<?xf64>
// CHECK-NOT:         arith.select
// CHECK:             nacho.binary mul %[[a]], %[[b]] : f64
// CHECK-NOT:     scf.while
// CHECK:         return
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

// A u (B n C): as long as all of them are there; then, as long as A is, or both of the
// others. Either loop has a body.
//
// CHECK-LABEL: func.func @union_of_intersection(
// CHECK:         %[[ALL:.+]]:6 = scf.while (%[[PA:[^ ]+]] = %{{[^ ]+}}, %[[PB:[^ ]+]] = %{{[^ ]+}}, %[[PC:[^ ]+]] = %{{[^ ]+}}, {{.+}})
// CHECK-DAG:       %[[A:.+]] = arith.cmpi ult, %[[PA]], %{{.+}} : index
// CHECK-DAG:       %[[B:.+]] = arith.cmpi ult, %[[PB]], %{{.+}} : index
// CHECK-DAG:       %[[AB:.+]] = arith.andi %[[A]], %[[B]] : i1
// CHECK-DAG:       %[[C:.+]] = arith.cmpi ult, %[[PC]], %{{.+}} : index
// CHECK:           %[[ALIVE:.+]] = arith.andi %[[AB]], %[[C]] : i1
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK:         ^{{.+}}(%[[PA:[^ ]+]]: index, %[[PB:[^ ]+]]: index, %[[PC:[^ ]+]]: index, {{.+}}):
// CHECK:           %[[HAS_BC:.+]] = arith.andi %[[HAS_B:.+]], %[[HAS_C:.+]] : i1
// CHECK-NEXT:      %[[HOLDS:.+]] = arith.ori %[[HAS_A:.+]], %[[HAS_BC]] : i1
// CHECK-NEXT:      scf.if %[[HOLDS]] {
// CHECK-DAG:         memref.load %{{.+}}[%[[PA]]] : memref<?xf64>
// CHECK-DAG:         memref.load %{{.+}}[%[[PB]]] : memref<?xf64>
// CHECK-DAG:         memref.load %{{.+}}[%[[PC]]] : memref<?xf64>
//
// The product is 0 where one of its factors is absent.
// CHECK:             %[[BC_VALUE:.+]] = nacho.binary mul
// CHECK-NEXT:        arith.select %[[HAS_BC]], %[[BC_VALUE]], %{{.+}} : f64
//
// CHECK:         scf.while (%{{[^ ]+}} = %[[ALL]]#0, %{{[^ ]+}} = %[[ALL]]#1, %{{[^ ]+}} = %[[ALL]]#2, %[[CA:[^ ]+]] = %{{[^ ]+}}, %[[CB:[^ ]+]] = %{{[^ ]+}}, %[[CC:[^ ]+]] = %{{[^ ]+}})
// CHECK-DAG:       %[[A:.+]] = arith.cmpi ne, %[[CA]], %c-1{{.*}} : index
// CHECK-DAG:       %[[B:.+]] = arith.cmpi ne, %[[CB]], %c-1{{.*}} : index
// CHECK-DAG:       %[[C:.+]] = arith.cmpi ne, %[[CC]], %c-1{{.*}} : index
// CHECK-DAG:       %[[BC:.+]] = arith.andi %[[B]], %[[C]] : i1
// CHECK:           %[[ALIVE:.+]] = arith.ori %[[A]], %[[BC]] : i1
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK:           %[[HAS_BC:.+]] = arith.andi %[[HAS_B:.+]], %[[HAS_C:.+]] : i1
// CHECK-NEXT:      %[[HOLDS:.+]] = arith.ori %[[HAS_A:.+]], %[[HAS_BC]] : i1
// CHECK-NEXT:      scf.if %[[HOLDS]] {
// CHECK:             %[[BC_VALUE:.+]] = nacho.binary mul
// CHECK-NEXT:        arith.select %[[HAS_BC]], %[[BC_VALUE]], %{{.+}} : f64
// CHECK-NOT:     scf.while
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

// A loop around others is not repeated, which would repeat them too: it asks for each
// operand from the start. The one inside takes several.
//
// CHECK-LABEL: func.func @negative_outer_union(
// CHECK:         scf.while ({{([^,]+, ){3}[^,]+}}) : (index, index, index, index)
// CHECK-NEXT:      arith.minui
// CHECK-NEXT:      arith.cmpi ne, %{{.+}}, %c-1{{.*}} : index
// CHECK:           scf.while ({{([^,]+, ){3}[^,]+}}) : (index, index, index, index)
// CHECK-COUNT-2:   arith.cmpi ult
// CHECK:           scf.while ({{[^,]+, [^,]+}}) : (index, index)
// CHECK-COUNT-2:   scf.for
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @negative_outer_union(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>,
                                %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !M0, %B1 = %B0 : !M0) in union(%A1, %B1) {
    nacho.coiterate %j of (%A2 = %A1 : !M1, %B2 = %B1 : !M1) in union(%A2, %B2) {
      %a = nacho.load %A2 : !M2
      %b = nacho.load %B2 : !M2
      %z = nacho.binary add %a, %b : f64
      memref.store %z, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A n (B u C): A ends it, but B and C go on without one another.
//
// CHECK-LABEL: func.func @intersection_of_union(
// CHECK:         scf.while (%[[PA:[^ ]+]] = %{{[^ ]+}}, %[[PB:[^ ]+]] = %{{[^ ]+}}, %[[PC:[^ ]+]] = %{{[^ ]+}}, {{.+}})
// CHECK-COUNT-3:   arith.cmpi ult
// CHECK:         scf.while ({{.+}}, %[[CA:[^ ]+]] = %{{[^ ]+}}, %[[CB:[^ ]+]] = %{{[^ ]+}}, %[[CC:[^ ]+]] = %{{[^ ]+}})
// CHECK-DAG:       %[[A:.+]] = arith.cmpi ne, %[[CA]], %c-1{{.*}} : index
// CHECK-DAG:       %[[B:.+]] = arith.cmpi ne, %[[CB]], %c-1{{.*}} : index
// CHECK-DAG:       %[[C:.+]] = arith.cmpi ne, %[[CC]], %c-1{{.*}} : index
// CHECK-DAG:       %[[BC:.+]] = arith.ori %[[B]], %[[C]] : i1
// CHECK:           %[[ALIVE:.+]] = arith.andi %[[A]], %[[BC]] : i1
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @intersection_of_union(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>,
                                 %C: tensor<?xf64, #SV>, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0, %C1 = %C0 : !S0)
      in intersect(%A1, union(%B1, %C1)) {
    %a = nacho.load %A1 : !S1
    memref.store %a, %out[%i] : memref<?xf64>
  }
  return
}

// Of three operands, too, the first that ends an intersection is the end of it.
//
// CHECK-LABEL: func.func @intersection_three(
// CHECK:         scf.while ({{[^,]+, [^,]+, [^,]+}}) : (index, index, index)
// CHECK-COUNT-3:   arith.cmpi ult
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @intersection_three(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>,
                              %C: tensor<?xf64, #SV>, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %C0 = nacho.root %C : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0, %C1 = %C0 : !S0)
      in intersect(%A1, %B1, %C1) {
    %a = nacho.load %A1 : !S1
    memref.store %a, %out[%i] : memref<?xf64>
  }
  return
}

// B is neither in the merge expression nor in the body: A has nothing to be merged with.
//
// CHECK-LABEL: func.func @takes_no_part(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<
// CHECK:         %[[CRD_A:.+]] = sparse_tensor.coordinates %[[A]]
// CHECK:         scf.for %[[POS:.+]] = %{{.+}} to %{{.+}} step %c1{{.*}} {
// CHECK-NEXT:      memref.load %[[CRD_A]][%[[POS]]]
// CHECK-NOT:       sparse_tensor.{{[a-z]+}} %[[B]]
// CHECK:           memref.store
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @takes_no_part(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in %A1 {
    %a = nacho.load %A1 : !S1
    memref.store %a, %out[%i] : memref<?xf64>
  }
  return
}

// If the body loads of it, it goes along: what A does not have is passed over.
//
// CHECK-LABEL: func.func @goes_along(
// CHECK:         scf.while (%[[PA:[^ ]+]] = %{{[^ ]+}}, %[[PB:[^ ]+]] = %{{[^ ]+}}, {{.+}})
// CHECK:         ^{{.+}}(%[[PA:[^ ]+]]: index, %[[PB:[^ ]+]]: index, %[[CA:[^ ]+]]: index, %[[CB:[^ ]+]]: index):
// CHECK:           %[[I:.+]] = arith.minui %[[CA]], %[[CB]] : index
// CHECK-DAG:       %[[HAS_A:.+]] = arith.cmpi eq, %[[CA]], %[[I]] : index
// CHECK-DAG:       %[[HAS_B:.+]] = arith.cmpi eq, %[[CB]], %[[I]] : index
// CHECK:           scf.if %[[HAS_A]] {
// CHECK:             memref.load %{{.+}}[%[[PB]]] : memref<?xf64>
// CHECK:             arith.select %[[HAS_B]], %{{.+}}, %{{.+}} : i64
// CHECK:         scf.while ({{.+}}, %[[CA:[^ ]+]] = %{{[^ ]+}}, %[[CB:[^ ]+]] = %{{[^ ]+}})
// CHECK-NEXT:      %[[ALIVE:.+]] = arith.cmpi ne, %[[CA]], %c-1{{.*}} : index
// CHECK-NEXT:      scf.condition(%[[ALIVE]])
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @goes_along(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %out: memref<?xf64>) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !S0, %B1 = %B0 : !S0) in %A1 {
    %b = nacho.load %B1 : !S1
    memref.store %b, %out[%i] : memref<?xf64>
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

// In an intersection it is looked up. A coordinate that it has not is one of an operand
// that was edited: the body, which reports it, runs with the first element, if there is
// one, so that nothing outside is touched.
//
// CHECK-LABEL: func.func @intersection_dense(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<
// CHECK:         scf.for %[[POS:.+]] = %{{.+}} to %{{.+}} step %c1{{.*}} {
// CHECK:           %[[CRD:.+]] = memref.load %{{.+}}[%[[POS]]] : memref<?xi64>
// CHECK:           %[[WIDE:.+]] = arith.index_castui %[[CRD]] : i64 to index
// CHECK:           %[[I:.+]] = arith.andi %[[WIDE]], %{{.+}} : index
// CHECK:           %[[N:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[I]], %[[N]] : index
// CHECK-NEXT:      %[[SOME:.+]] = arith.cmpi ne, %[[N]], %c0
// CHECK-NEXT:      %[[AT:.+]] = arith.select %[[INSIDE]], %[[I]], %c0{{.*}} : index
// CHECK:           scf.if %[[SOME]] {
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

// Rows in which A has nothing are passed over, as are those that B does not have; but not
// those that A cannot have, which the body reports.
//
// CHECK-LABEL: func.func @nonempty_rows(
// CHECK:         scf.for
// CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[I:.+]], %[[N:.+]] : index
// CHECK:           %[[HAS_A:.+]] = arith.cmpi ne, %[[N]], %c0
// CHECK:           %[[AT:.+]] = arith.select %[[INSIDE]], %[[I]], %c0 : index
// CHECK:           %[[OUTSIDE:.+]] = arith.cmpi uge, %[[I]], %[[N]] : index
// CHECK:           %[[FIRST:.+]] = memref.load %{{.+}}[%[[AT]]] : memref<?xi32>
// CHECK:           %[[STEP:.+]] = arith.index_castui %[[HAS_A]] : i1 to index
// CHECK:           %[[NEXT:.+]] = arith.addi %[[AT]], %[[STEP]] : index
// CHECK:           memref.load %{{.+}}[%[[NEXT]]] : memref<?xi32>
// CHECK:           %[[SOME:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}} : index
// CHECK-NEXT:      %[[ANY:.+]] = arith.ori %[[SOME]], %[[OUTSIDE]] : i1
// CHECK-NEXT:      %[[HOLDS:.+]] = arith.andi %[[HAS_A]], %[[ANY]] : i1
// CHECK-NEXT:      scf.if %[[HOLDS]] {
// CHECK-NEXT:        memref.store
func.func @nonempty_rows(%A: tensor<?x?xf64, #Rows>, %B: tensor<?xf64, #SV>, %out: memref<?xindex>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #Rows>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !R0, %B1 = %B0 : !S0) in intersect(%A1, %B1) nonempty(%A1) {
    memref.store %i, %out[%i] : memref<?xindex>
  }
  return
}
