// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
!R0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!R1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>
!T0 = !nacho.fiber<tensor<?x?x?xf64, #CSF>, 0>
!T1 = !nacho.fiber<tensor<?x?x?xf64, #CSF>, 1>

// If all that is counted are the entries of two sparse vectors before a coordinate, the
// search is one for the entry at which the query is spent.
//
// CHECK-LABEL: func.func @search(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %[[BOUNDS:[^ ]+]]: memref<?x4xindex>,
// CHECK-SAME:    %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index, %[[R:[^ ]+]]: index, %[[QUERY:[^ ]+]]: index)
//
// low = lo.i, lA = lo.posA, lB = lo.posB
// CHECK-DAG:     %[[LOW:.+]] = memref.load %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     %[[LOW_A:.+]] = memref.load %[[BOUNDS]][%[[P]], %c2{{.*}}]
// CHECK-DAG:     %[[LOW_B:.+]] = memref.load %[[BOUNDS]][%[[P]], %c3{{.*}}]
//
// high = min(hi.i, N - 1), hA = hi.posA, hB = hi.posB
// CHECK-DAG:     %[[HI:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c1{{.*}}]
// CHECK-DAG:     %[[HIGH_A:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c2{{.*}}]
// CHECK-DAG:     %[[HIGH_B:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c3{{.*}}]
// CHECK-DAG:     %[[N:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK-DAG:     %[[MOST_N:.+]] = arith.maxui %[[N]], %c1{{.*}} : index
// CHECK-DAG:     %[[LAST:.+]] = arith.subi %[[MOST_N]], %c1{{.*}} : index
// CHECK-DAG:     %[[HIGH:.+]] = arith.minsi %[[HI]], %[[LAST]] : index
//
// Entries at the highest coordinate come before no other one: eA = hA, less 1 if there is one
// CHECK:         %[[SOME_A:.+]] = arith.cmpi ult, %[[LOW_A]], %[[HIGH_A]] : index
// CHECK:         %[[CRD:.+]] = memref.load %{{.+}} : memref<?xi32>
// CHECK-NEXT:    %[[X:.+]] = arith.index_castui %[[CRD]] : i32 to index
// CHECK-NEXT:    %[[AT_HIGH:.+]] = arith.cmpi uge, %[[X]], %[[HIGH]] : index
// CHECK-NEXT:    %[[IS_HIGH:.+]] = arith.andi %[[SOME_A]], %[[AT_HIGH]] : i1
// CHECK-NEXT:    %[[ONE_LESS:.+]] = arith.index_castui %[[IS_HIGH]] : i1 to index
// CHECK-NEXT:    %[[END_A:.+]] = arith.subi %[[HIGH_A]], %[[ONE_LESS]] : index
// CHECK:         %[[END_B:.+]] = arith.subi %[[HIGH_B]], %{{.+}} : index
//
// left = query - cost of what is before the interval, if that is not too much already
// CHECK:         %[[FITS:.+]] = arith.cmpi ule, %[[BEFORE:.+]], %[[QUERY]] : index
// CHECK-NEXT:    %[[REST:.+]] = arith.subi %[[QUERY]], %[[BEFORE]] : index
// CHECK-NEXT:    %[[LEFT:.+]] = arith.select %[[FITS]], %[[REST]], %c0{{.*}} : index
//
// n = min(left, number of entries of A and B), of which i are those of A
// CHECK:         %[[OF_A:.+]] = arith.subi %{{.+}}, %[[LOW_A]] : index
// CHECK:         %[[OF_B:.+]] = arith.subi %{{.+}}, %[[LOW_B]] : index
// CHECK-NEXT:    %[[ALL:.+]] = arith.addi %[[OF_A]], %[[OF_B]] : index
// CHECK-NEXT:    %[[N:.+]] = arith.minui %[[LEFT]], %[[ALL]] : index
// CHECK-NEXT:    %[[MOST_B:.+]] = arith.minui %[[OF_B]], %[[N]] : index
// CHECK-NEXT:    %[[FEWEST_A:.+]] = arith.subi %[[N]], %[[MOST_B]] : index
// CHECK-NEXT:    %[[AFTER:.+]] = arith.addi %[[LOW_B]], %[[N]] : index
// CHECK-NEXT:    %[[LAST_B:.+]] = arith.subi %[[AFTER]], %c1{{.*}} : index
// CHECK-NEXT:    %[[MOST_A:.+]] = arith.minui %[[OF_A]], %[[N]] : index
// CHECK-NEXT:    %[[FOUND:.+]]:2 = scf.while (%{{[^ ]+}} = %[[FEWEST_A]], %{{[^ ]+}} = %[[MOST_A]])
// CHECK:         ^{{.+}}(%[[L:.+]]: index, %[[H:.+]]: index):
// CHECK:           %[[MID:.+]] = arith.addi %[[L]], %{{.+}} : index
//
// A.crd[lA + mid] <= B.crd[lB + n - 1 - mid] ? l = mid + 1 : h = mid
// CHECK-NEXT:      %[[IN_A:.+]] = arith.addi %[[LOW_A]], %[[MID]] : index
// CHECK-NEXT:      %[[CRD:.+]] = memref.load %{{.+}}[%[[IN_A]]] : memref<?xi32>
// CHECK-NEXT:      %[[X_A:.+]] = arith.index_castui %[[CRD]] : i32 to index
// CHECK-NEXT:      %[[IN_B:.+]] = arith.subi %[[LAST_B]], %[[MID]] : index
// CHECK-NEXT:      %[[CRD:.+]] = memref.load %{{.+}}[%[[IN_B]]] : memref<?xi32>
// CHECK-NEXT:      %[[X_B:.+]] = arith.index_castui %[[CRD]] : i32 to index
// CHECK-NEXT:      %[[FIRST:.+]] = arith.cmpi ule, %[[X_A]], %[[X_B]] : index
//
// The least coordinate behind them; without the last entry of A if it has that, too
// CHECK:         %[[END_A:.+]] = arith.addi %[[LOW_A]], %[[FOUND]]#0 : index
// CHECK:         %[[END_B:.+]] = arith.subi %[[AFTER]], %[[FOUND]]#0 : index
// CHECK:         %[[NEXT_IN_A:.+]] = arith.select %{{.+}}, %{{.+}}, %c-1{{.*}} : index
// CHECK:         %[[NEXT_IN_B:.+]] = arith.select %{{.+}}, %{{.+}}, %c-1{{.*}} : index
// CHECK-NEXT:    %[[LEAST:.+]] = arith.minui %[[NEXT_IN_A]], %[[NEXT_IN_B]] : index
// CHECK:         %[[SPLITS:.+]] = arith.cmpi eq, %{{.+}}, %[[LEAST]] : index
// CHECK-NEXT:    %[[SPLIT:.+]] = arith.andi %{{.+}}, %[[SPLITS]] : i1
// CHECK-NEXT:    %[[LESS:.+]] = arith.index_castui %[[SPLIT]] : i1 to index
// CHECK-NEXT:    %[[NEXT_A:.+]] = arith.subi %[[END_A]], %[[LESS]] : index
//
// i = the least coordinate that was not counted, in [low, high]
// CHECK-NEXT:    %[[BELOW:.+]] = arith.minui %[[LEAST]], %[[HIGH]] : index
// CHECK-NEXT:    %[[INSIDE:.+]] = arith.maxui %[[BELOW]], %[[LOW]] : index
// CHECK-NEXT:    %[[I:.+]] = arith.select %[[FITS]], %[[INSIDE]], %[[LOW]] : index
//
// The row of the cut: its cost, coordinate, positions.
// CHECK-DAG:     memref.store %{{.+}}, %[[BOUNDS]][%[[R]], %c0{{.*}}]
// CHECK-DAG:     memref.store %[[I]], %[[BOUNDS]][%[[R]], %c1{{.*}}]
// CHECK-DAG:     memref.store %[[NEXT_A]], %[[BOUNDS]][%[[R]], %c2{{.*}}]
// CHECK-DAG:     memref.store %[[END_B]], %[[BOUNDS]][%[[R]], %c3{{.*}}]
func.func @search(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %bounds: memref<?x4xindex>,
                  %p: index, %q: index, %r: index, %query: index) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %lo = nacho.load_cut %bounds[%p] : memref<?x4xindex> -> !nacho.cut<2>
  %hi = nacho.load_cut %bounds[%q] : memref<?x4xindex> -> !nacho.cut<2>
  %i, %residual, %A1, %B1, %lo1, %hi1 = nacho.search %query of (%A0, %B0)
      between %lo, %hi : !A0, !A0, !nacho.cut<2> {
  ^bb0(%x: index, %posA: index, %posB: index):
    %costA = nacho.cost <nnz> %A0 to %posA : !A0
    %costB = nacho.cost <nnz> %B0 to %posB : !A0
    %cost = arith.addi %costA, %costB : index
    nacho.yield %cost : index
  }
  %cost = arith.subi %query, %residual : index
  %cut = nacho.cut %cost at (%i) of (%A1, %B1) : !A1, !A1 -> !nacho.cut<2>
  nacho.store_cut %cut, %bounds[%r] : !nacho.cut<2>, memref<?x4xindex>
  return
}

// If an entry of B costs as much as two of A, the entries are counted many at a time.
//
// CHECK-LABEL: func.func @search_by_weights(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %[[BOUNDS:[^ ]+]]: memref<?x4xindex>,
// CHECK-SAME:    %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index, %[[R:[^ ]+]]: index, %[[QUERY:[^ ]+]]: index)
//
// low = lo.i, lA = lo.posA, lB = lo.posB
// CHECK-DAG:     %[[LOW:.+]] = memref.load %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     %[[LOW_A:.+]] = memref.load %[[BOUNDS]][%[[P]], %c2{{.*}}]
// CHECK-DAG:     %[[LOW_B:.+]] = memref.load %[[BOUNDS]][%[[P]], %c3{{.*}}]
//
// high = min(hi.i, N - 1), hA = hi.posA, hB = hi.posB
// CHECK-DAG:     %[[HI:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c1{{.*}}]
// CHECK-DAG:     %[[HIGH_A:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c2{{.*}}]
// CHECK-DAG:     %[[HIGH_B:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c3{{.*}}]
// CHECK-DAG:     %[[N:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK-DAG:     %[[MOST_N:.+]] = arith.maxui %[[N]], %c1{{.*}} : index
// CHECK-DAG:     %[[LAST:.+]] = arith.subi %[[MOST_N]], %c1{{.*}} : index
// CHECK-DAG:     %[[HIGH:.+]] = arith.minsi %[[HI]], %[[LAST]] : index
//
// Entries at the highest coordinate come before no other one: eA = hA, less 1 if there is one
// CHECK:         %[[SOME_A:.+]] = arith.cmpi ult, %[[LOW_A]], %[[HIGH_A]] : index
// CHECK:         %[[CRD:.+]] = memref.load %{{.+}} : memref<?xi32>
// CHECK-NEXT:    %[[X:.+]] = arith.index_castui %[[CRD]] : i32 to index
// CHECK-NEXT:    %[[AT_HIGH:.+]] = arith.cmpi uge, %[[X]], %[[HIGH]] : index
// CHECK-NEXT:    %[[IS_HIGH:.+]] = arith.andi %[[SOME_A]], %[[AT_HIGH]] : i1
// CHECK-NEXT:    %[[ONE_LESS:.+]] = arith.index_castui %[[IS_HIGH]] : i1 to index
// CHECK-NEXT:    %[[END_A:.+]] = arith.subi %[[HIGH_A]], %[[ONE_LESS]] : index
// CHECK:         %[[END_B:.+]] = arith.subi %[[HIGH_B]], %{{.+}} : index
//
// left = query - cost of what is before the interval, if that is not too much already
// CHECK:         %[[FITS:.+]] = arith.cmpi ule, %[[BEFORE:.+]], %[[QUERY]] : index
// CHECK-NEXT:    %[[REST:.+]] = arith.subi %[[QUERY]], %[[BEFORE]] : index
// CHECK-NEXT:    %[[LEFT:.+]] = arith.select %[[FITS]], %[[REST]], %c0{{.*}} : index
//
// while (left > 0):
// CHECK-NEXT:    %[[FOUND:.+]]:3 = scf.while (%{{[^ ]+}} = %[[LEFT]], %{{[^ ]+}} = %[[LOW_A]], %{{[^ ]+}} = %[[LOW_B]])
// CHECK-NEXT:      %[[MORE:.+]] = arith.cmpi ugt, %{{.+}}, %c0
// CHECK-NEXT:      scf.condition(%[[MORE]])
// CHECK:         ^{{.+}}(%[[NOW:.+]]: index, %[[POS_A:.+]]: index, %[[POS_B:.+]]: index):
//
// d = max(left / 3, 1); the next d entries of both operands
// CHECK-NEXT:      %[[THIRD:.+]] = arith.divui %[[NOW]], %c3{{.*}} : index
// CHECK-NEXT:      %[[D:.+]] = arith.maxui %[[THIRD]], %c1{{.*}} : index
// CHECK-NEXT:      %[[FAR_A:.+]] = arith.addi %[[POS_A]], %[[D]] : index
// CHECK-NEXT:      %[[NEXT_A:.+]] = arith.minui %[[FAR_A]], %[[END_A]] : index
// CHECK-NEXT:      %[[FAR_B:.+]] = arith.addi %[[POS_B]], %[[D]] : index
// CHECK-NEXT:      %[[NEXT_B:.+]] = arith.minui %[[FAR_B]], %[[END_B]] : index
//
// The coordinates of the last of them, infinity if there are none; the lesser one
// CHECK-NEXT:      %[[HAS_A:.+]] = arith.cmpi ult, %[[POS_A]], %[[NEXT_A]] : index
// CHECK:           %[[CRD_A:.+]] = memref.load %{{.+}} : memref<?xi32>
// CHECK-NEXT:      %[[WIDE_A:.+]] = arith.index_castui %[[CRD_A]] : i32 to index
// CHECK-NEXT:      %[[X_A:.+]] = arith.select %[[HAS_A]], %[[WIDE_A]], %c-1{{.*}} : index
// CHECK:           %[[X_B:.+]] = arith.select %{{.+}}, %{{.+}}, %c-1{{.*}} : index
// CHECK-NEXT:      %[[E:.+]] = arith.minui %[[X_A]], %[[X_B]] : index
//
// What is spent on the entries up to there
// CHECK-NEXT:      %[[UP_A:.+]] = arith.cmpi eq, %[[X_A]], %[[E]] : index
// CHECK-NEXT:      %[[COUNT_A:.+]] = arith.subi %[[NEXT_A]], %[[POS_A]] : index
// CHECK-NEXT:      %[[SPENT_A:.+]] = arith.select %[[UP_A]], %[[COUNT_A]], %c0{{.*}} : index
// CHECK-NEXT:      %[[UP_B:.+]] = arith.cmpi eq, %[[X_B]], %[[E]] : index
// CHECK-NEXT:      %[[COUNT_B:.+]] = arith.subi %[[NEXT_B]], %[[POS_B]] : index
// CHECK-NEXT:      %[[COST_B:.+]] = arith.muli %[[COUNT_B]], %c2{{.*}} : index
// CHECK-NEXT:      %[[SPENT_B:.+]] = arith.select %[[UP_B]], %[[COST_B]], %c0{{.*}} : index
// CHECK-NEXT:      %[[SPENT:.+]] = arith.addi %[[SPENT_A]], %[[SPENT_B]] : index
//
// If that is more than nothing, and not too much, go on behind them, else end
// CHECK-NEXT:      %[[LESS:.+]] = arith.subi %[[SPENT]], %c1{{.*}} : index
// CHECK-NEXT:      %[[GO:.+]] = arith.cmpi ult, %[[LESS]], %[[NOW]] : index
// CHECK-NEXT:      %[[REMAINS:.+]] = arith.subi %[[NOW]], %[[SPENT]] : index
// CHECK-NEXT:      %[[OR_NONE:.+]] = arith.select %[[GO]], %[[REMAINS]], %c0{{.*}} : index
// CHECK-NEXT:      %[[MOST:.+]] = arith.subi %[[NOW]], %c1{{.*}} : index
// CHECK-NEXT:      %[[NEXT:.+]] = arith.minui %[[OR_NONE]], %[[MOST]] : index
// CHECK-NEXT:      %[[GO_A:.+]] = arith.andi %[[UP_A]], %[[GO]] : i1
// CHECK-NEXT:      %[[AFTER_A:.+]] = arith.select %[[GO_A]], %[[NEXT_A]], %[[POS_A]] : index
// CHECK-NEXT:      %[[GO_B:.+]] = arith.andi %[[UP_B]], %[[GO]] : i1
// CHECK-NEXT:      %[[AFTER_B:.+]] = arith.select %[[GO_B]], %[[NEXT_B]], %[[POS_B]] : index
// CHECK-NEXT:      scf.yield %[[NEXT]], %[[AFTER_A]], %[[AFTER_B]]
//
// i = the least coordinate that was not counted, in [low, high]
// CHECK:         %[[BELOW:.+]] = arith.minui %{{.+}}, %[[HIGH]] : index
// CHECK-NEXT:    %[[INSIDE:.+]] = arith.maxui %[[BELOW]], %[[LOW]] : index
// CHECK-NEXT:    %[[I:.+]] = arith.select %[[FITS]], %[[INSIDE]], %[[LOW]] : index
//
// The row of the cut: its cost, coordinate, positions.
// CHECK-DAG:     memref.store %{{.+}}, %[[BOUNDS]][%[[R]], %c0{{.*}}]
// CHECK-DAG:     memref.store %[[I]], %[[BOUNDS]][%[[R]], %c1{{.*}}]
// CHECK-DAG:     memref.store %[[FOUND]]#1, %[[BOUNDS]][%[[R]], %c2{{.*}}]
// CHECK-DAG:     memref.store %[[FOUND]]#2, %[[BOUNDS]][%[[R]], %c3{{.*}}]
func.func @search_by_weights(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %bounds: memref<?x4xindex>,
                  %p: index, %q: index, %r: index, %query: index) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %lo = nacho.load_cut %bounds[%p] : memref<?x4xindex> -> !nacho.cut<2>
  %hi = nacho.load_cut %bounds[%q] : memref<?x4xindex> -> !nacho.cut<2>
  %i, %residual, %A1, %B1, %lo1, %hi1 = nacho.search %query of (%A0, %B0)
      between %lo, %hi : !A0, !A0, !nacho.cut<2> {
  ^bb0(%x: index, %posA: index, %posB: index):
    %costA = nacho.cost <nnz> %A0 to %posA : !A0
    %costB = nacho.cost <nnz> %B0 to %posB : !A0
    %two = arith.constant 2 : index
    %twice = arith.muli %costB, %two : index
    %cost = arith.addi %costA, %twice : index
    nacho.yield %cost : index
  }
  %cost = arith.subi %query, %residual : index
  %cut = nacho.cut %cost at (%i) of (%A1, %B1) : !A1, !A1 -> !nacho.cut<2>
  nacho.store_cut %cut, %bounds[%r] : !nacho.cut<2>, memref<?x4xindex>
  return
}

// The paper's listing "specialised to coiteration of ... sparse vectors", for the rows of
// two matrices, each of which costs as much as it has entries, and between two cuts.
//
// CHECK-LABEL: func.func @search_rows(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %[[BOUNDS:[^ ]+]]: memref<?x4xindex>,
// CHECK-SAME:    %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index, %[[R:[^ ]+]]: index, %[[QUERY:[^ ]+]]: index)
//
// low = lo.i, lA = lo.posA, lB = lo.posB
// CHECK-DAG:     %[[LOW:.+]] = memref.load %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     %[[LOW_A:.+]] = memref.load %[[BOUNDS]][%[[P]], %c2{{.*}}]
// CHECK-DAG:     %[[LOW_B:.+]] = memref.load %[[BOUNDS]][%[[P]], %c3{{.*}}]
//
// high = min(hi.i, N - 1), hA = hi.posA, hB = hi.posB
// CHECK-DAG:     %[[HI:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c1{{.*}}]
// CHECK-DAG:     %[[HIGH_A:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c2{{.*}}]
// CHECK-DAG:     %[[HIGH_B:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c3{{.*}}]
// CHECK-DAG:     %[[N:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK-DAG:     %[[MOST_N:.+]] = arith.maxui %[[N]], %c1{{.*}} : index
// CHECK-DAG:     %[[LAST:.+]] = arith.subi %[[MOST_N]], %c1{{.*}} : index
// CHECK-DAG:     %[[HIGH:.+]] = arith.minsi %[[HI]], %[[LAST]] : index
//
// while (low < high):
// CHECK:         %[[FOUND:.+]]:6 = scf.while (%{{[^ ]+}} = %[[LOW]], %{{[^ ]+}} = %[[HIGH]], %{{[^ ]+}} = %[[LOW_A]], %{{[^ ]+}} = %[[LOW_B]], %{{[^ ]+}} = %[[HIGH_A]], %{{[^ ]+}} = %[[HIGH_B]])
// CHECK-NEXT:      %[[MORE:.+]] = arith.cmpi slt
// CHECK-NEXT:      scf.condition(%[[MORE]])
// CHECK:         ^{{.+}}(%[[L:.+]]: index, %[[H:.+]]: index, %[[LA:.+]]: index, %[[LB:.+]]: index, %[[HA:.+]]: index, %[[HB:.+]]: index):
//
// The middle positions of both, and which of them has more positions left
// CHECK-NEXT:      %[[SOME_A:.+]] = arith.cmpi ult, %[[LA]], %[[HA]] : index
// CHECK-NEXT:      %[[ALL_A:.+]] = arith.subi %[[HA]], %[[LA]] : index
// CHECK-NEXT:      %[[SPAN_A:.+]] = arith.select %[[SOME_A]], %[[ALL_A]], %c0{{.*}} : index
// CHECK-NEXT:      %[[HALF_A:.+]] = arith.shrui %[[SPAN_A]], %c1{{.*}} : index
// CHECK-NEXT:      %[[MID_A:.+]] = arith.addi %[[LA]], %[[HALF_A]] : index
// CHECK:           %[[CRD_A:.+]] = memref.load %{{.+}} : memref<?xi32>
// CHECK-NEXT:      %[[X_A:.+]] = arith.index_castui %[[CRD_A]] : i32 to index
// CHECK:           %[[ALL_B:.+]] = arith.subi %[[HB]], %[[LB]] : index
// CHECK-NEXT:      %[[SPAN_B:.+]] = arith.select %{{.+}}, %[[ALL_B]], %c0{{.*}} : index
// CHECK:           %[[MID_B:.+]] = arith.addi %[[LB]], %{{.+}} : index
// CHECK:           %[[CRD_B:.+]] = memref.load %{{.+}} : memref<?xi32>
// CHECK-NEXT:      %[[X_B:.+]] = arith.index_castui %[[CRD_B]] : i32 to index
// CHECK-NEXT:      %[[MORE_B:.+]] = arith.cmpi ugt, %[[SPAN_B]], %[[SPAN_A]] : index
// CHECK-NEXT:      %[[MOST:.+]] = arith.maxui %{{.+}}, %{{.+}} : index
// CHECK-NEXT:      %[[X:.+]] = arith.select %[[MORE_B]], %[[X_B]], %{{.+}} : index
//
// i = that operand's coordinate there, but in (low, high]; high if there are no positions
// CHECK:           %[[SETTLED:.+]] = arith.cmpi eq, %[[MOST]], %c0{{.*}} : index
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[L]], %c1{{.*}} : index
// CHECK-NEXT:      %[[ABOVE:.+]] = arith.maxui %[[X]], %[[NEXT]] : index
// CHECK-NEXT:      %[[I:.+]] = arith.minui %[[ABOVE]], %[[H]] : index
//
// posA = lower bound of i in crdA[lA ... hA], or known if A was chosen; posB likewise
// CHECK:           %[[FROM_A:.+]] = arith.select %{{.+}}, %[[KNOWN_A:.+]], %[[LA]] : index
// CHECK-NEXT:      %[[TO_A:.+]] = arith.select %{{.+}}, %[[KNOWN_A]], %[[HA]] : index
// CHECK-NEXT:      %[[POS_A:.+]]:2 = scf.while (%{{[^ ]+}} = %[[FROM_A]], %{{[^ ]+}} = %[[TO_A]])
// CHECK:             %[[CRD:.+]] = memref.load %{{.+}} : memref<?xi32>
// CHECK-NEXT:        %[[X:.+]] = arith.index_castui %[[CRD]] : i32 to index
// CHECK-NEXT:        %[[BEFORE:.+]] = arith.cmpi ult, %[[X]], %[[I]] : index
// CHECK:           %[[FROM_B:.+]] = arith.select %[[MORE_B]], %[[KNOWN_B:.+]], %[[LB]] : index
// CHECK-NEXT:      %[[TO_B:.+]] = arith.select %[[MORE_B]], %[[KNOWN_B]], %[[HB]] : index
// CHECK-NEXT:      %[[POS_B:.+]]:2 = scf.while (%{{[^ ]+}} = %[[FROM_B]], %{{[^ ]+}} = %[[TO_B]])
//
// cost(i) <= query ? low, lA, lB = i, posA, posB : high, hA, hB = i - 1, posA, posB
// CHECK:           %[[WITHIN:.+]] = arith.cmpi ule, %{{.+}}, %[[QUERY]] : index
// CHECK-DAG:       %[[NEXT_L:.+]] = arith.select %[[WITHIN]], %[[I]], %[[L]] : index
// CHECK-DAG:       %[[LESS:.+]] = arith.subi %[[I]], %c1{{.*}} : index
// CHECK-DAG:       %[[BELOW:.+]] = arith.select %[[SETTLED]], %[[L]], %[[LESS]] : index
// CHECK-DAG:       %[[NEXT_H:.+]] = arith.select %[[WITHIN]], %[[H]], %[[BELOW]] : index
// CHECK-DAG:       %[[NEXT_LA:.+]] = arith.select %[[WITHIN]], %[[POS_A]]#0, %[[LA]] : index
// CHECK-DAG:       %[[NEXT_HA:.+]] = arith.select %[[WITHIN]], %[[HA]], %[[POS_A]]#0 : index
// CHECK-DAG:       %[[NEXT_LB:.+]] = arith.select %[[WITHIN]], %[[POS_B]]#0, %[[LB]] : index
// CHECK-DAG:       %[[NEXT_HB:.+]] = arith.select %[[WITHIN]], %[[HB]], %[[POS_B]]#0 : index
// CHECK:           scf.yield %[[NEXT_L]], %[[NEXT_H]], %[[NEXT_LA]], %[[NEXT_LB]], %[[NEXT_HA]], %[[NEXT_HB]]
//
// The row of the cut: its cost, coordinate, positions.
// CHECK-DAG:     memref.store %{{.+}}, %[[BOUNDS]][%[[R]], %c0{{.*}}]
// CHECK-DAG:     memref.store %[[FOUND]]#0, %[[BOUNDS]][%[[R]], %c1{{.*}}]
// CHECK-DAG:     memref.store %[[FOUND]]#2, %[[BOUNDS]][%[[R]], %c2{{.*}}]
// CHECK-DAG:     memref.store %[[FOUND]]#3, %[[BOUNDS]][%[[R]], %c3{{.*}}]
func.func @search_rows(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>, %bounds: memref<?x4xindex>,
                  %p: index, %q: index, %r: index, %query: index) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %lo = nacho.load_cut %bounds[%p] : memref<?x4xindex> -> !nacho.cut<2>
  %hi = nacho.load_cut %bounds[%q] : memref<?x4xindex> -> !nacho.cut<2>
  %i, %residual, %A1, %B1, %lo1, %hi1 = nacho.search %query of (%A0, %B0)
      between %lo, %hi : !R0, !R0, !nacho.cut<2> {
  ^bb0(%x: index, %posA: index, %posB: index):
    %costA = nacho.cost <nnz> %A0 to %posA : !R0
    %costB = nacho.cost <nnz> %B0 to %posB : !R0
    %cost = arith.addi %costA, %costB : index
    nacho.yield %cost : index
  }
  %cost = arith.subi %query, %residual : index
  %cut = nacho.cut %cost at (%i) of (%A1, %B1) : !R1, !R1 -> !nacho.cut<2>
  nacho.store_cut %cut, %bounds[%r] : !nacho.cut<2>, memref<?x4xindex>
  return
}

// (0, 0), and (N, 0) with the positions at the end of each level: N rows, all
// entries.
//
// CHECK-LABEL: func.func @ends(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[BOUNDS:[^ ]+]]: memref<?x5xindex>, %[[P:[^ ]+]]: index, %[[TOTAL:[^ ]+]]: index)
// CHECK-DAG:     %[[N:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK-DAG:     %[[POS:.+]] = sparse_tensor.positions %[[A]] {level = 1 : index}
// CHECK-DAG:     %[[ALL:.+]] = memref.load %[[POS]][%[[N]]]
// CHECK-COUNT-5: memref.store %c0{{.*}}, %[[BOUNDS]][%c0
// CHECK-DAG:     memref.store %[[TOTAL]], %[[BOUNDS]][%[[P]], %c0{{.*}}]
// CHECK-DAG:     memref.store %[[N]], %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     memref.store %c0{{.*}}, %[[BOUNDS]][%[[P]], %c2{{.*}}]
// CHECK-DAG:     memref.store %[[N]], %[[BOUNDS]][%[[P]], %c3{{.*}}]
// CHECK-DAG:     memref.store %{{.+}}, %[[BOUNDS]][%[[P]], %c4{{.*}}]
func.func @ends(%A: tensor<?x?xf64, #CSR>, %bounds: memref<?x5xindex>, %p: index, %total: index) {
  %zero = arith.constant 0 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %origin = nacho.origin : !nacho.cut<1, 1>
  %limit = nacho.limit %total of (%A0) loops [[0], [0]]
      : !nacho.fiber<tensor<?x?xf64, #CSR>, 0> -> !nacho.cut<1, 1>
  nacho.store_cut %origin, %bounds[%zero] : !nacho.cut<1, 1>, memref<?x5xindex>
  nacho.store_cut %limit, %bounds[%p] : !nacho.cut<1, 1>, memref<?x5xindex>
  return
}

// What lies before a fiber is the same for all coordinates of a search: a step reads one
// position of the level below for each operand.
//
// CHECK-LABEL: func.func @search_in_fibers(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<
// CHECK:         %[[ENTRIES_A:.+]] = sparse_tensor.positions %[[A]] {level = 2 : index}
// CHECK:         %[[FIRST_A:.+]] = memref.load %[[ENTRIES_A]][
// CHECK-NEXT:    %[[WIDE_A:.+]] = arith.index_castui %[[FIRST_A]] : i32 to index
// CHECK-NEXT:    %[[BEFORE_A:.+]] = arith.minui %[[WIDE_A]], %{{.+}} : index
// CHECK:         %[[ENTRIES_B:.+]] = sparse_tensor.positions %[[B]] {level = 2 : index}
// CHECK:         memref.load %[[ENTRIES_B]][
// CHECK:         scf.while
// CHECK:           scf.while
// CHECK:           scf.while
// CHECK:           memref.load %[[ENTRIES_A]][
// CHECK:           arith.subi %{{.+}}, %[[BEFORE_A]] : index
// CHECK-NOT:       memref.load %[[ENTRIES_A]][
// CHECK:           memref.load %[[ENTRIES_B]][
// CHECK-NOT:       memref.load %[[ENTRIES_B]][
// CHECK:           scf.yield
func.func @search_in_fibers(%A: tensor<?x?x?xf64, #CSF>, %B: tensor<?x?x?xf64, #CSF>,
                            %bounds: memref<?x4xindex>, %p: index, %q: index, %query: index)
    -> index {
  %A0 = nacho.root %A : tensor<?x?x?xf64, #CSF>
  %B0 = nacho.root %B : tensor<?x?x?xf64, #CSF>
  %A1 = nacho.fiber_at %A0[%p] certain : !T0 -> !T1
  %B1 = nacho.fiber_at %B0[%q] certain : !T0 -> !T1
  %lo = nacho.load_cut %bounds[%p] : memref<?x4xindex> -> !nacho.cut<2>
  %hi = nacho.load_cut %bounds[%q] : memref<?x4xindex> -> !nacho.cut<2>
  %j, %residual, %A2, %B2, %lo1, %hi1 = nacho.search %query of (%A1, %B1)
      between %lo, %hi : !T1, !T1, !nacho.cut<2> {
  ^bb0(%x: index, %posA: index, %posB: index):
    %costA = nacho.cost <nnz> %A1 to %posA : !T1
    %costB = nacho.cost <nnz> %B1 to %posB : !T1
    %cost = arith.addi %costA, %costB : index
    nacho.yield %cost : index
  }
  return %residual : index
}

// lower + p * (d / n) + p * (d % n) / n, where d = upper - lower: no product
// of a cost and a number of parts. Divisions by n are products with a number.
//
// CHECK-LABEL: func.func @query(
// CHECK-SAME:    %[[P:[^ ]+]]: index, %[[N:[^ ]+]]: index, %[[LOWER:[^ ]+]]: index, %[[UPPER:[^ ]+]]: index)
// CHECK-DAG:     %[[MOST:.+]] = arith.constant -1 : index
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         %[[SOME:.+]] = arith.maxui %[[N]], %[[ONE]] : index
// CHECK-NEXT:    %[[INVERSE:.+]] = arith.divui %[[MOST]], %[[SOME]] : index
// CHECK-NEXT:    %[[D:.+]] = arith.subi %[[UPPER]], %[[LOWER]] : index
//
// share, rest = d / n, d % n
// CHECK-NEXT:    %{{.+}}, %[[ABOUT:.+]] = arith.mului_extended %[[D]], %[[INVERSE]] : index
// CHECK-NEXT:    %[[TAKEN:.+]] = arith.muli %[[ABOUT]], %[[N]] : index
// CHECK-NEXT:    %[[LEFT:.+]] = arith.subi %[[D]], %[[TAKEN]] : index
// CHECK-NEXT:    %[[IS_LESS:.+]] = arith.cmpi uge, %[[LEFT]], %[[N]] : index
// CHECK-NEXT:    %[[NEXT:.+]] = arith.addi %[[ABOUT]], %[[ONE]] : index
// CHECK-NEXT:    %[[SHARE:.+]] = arith.select %[[IS_LESS]], %[[NEXT]], %[[ABOUT]] : index
// CHECK-NEXT:    %[[LESS:.+]] = arith.subi %[[LEFT]], %[[N]] : index
// CHECK-NEXT:    %[[REST:.+]] = arith.select %[[IS_LESS]], %[[LESS]], %[[LEFT]] : index
//
// CHECK-NEXT:    %[[WHOLE:.+]] = arith.muli %[[P]], %[[SHARE]] : index
// CHECK-NEXT:    %[[SCALED:.+]] = arith.muli %[[P]], %[[REST]] : index
// CHECK-NEXT:    %[[BEGIN:.+]] = arith.addi %[[LOWER]], %[[WHOLE]] : index
// CHECK-NEXT:    %{{.+}}, %[[ABOUT:.+]] = arith.mului_extended %[[SCALED]], %[[INVERSE]] : index
// CHECK:         %[[FRACTION:.+]] = arith.select %{{.+}}, %{{.+}}, %[[ABOUT]] : index
// CHECK-NEXT:    %[[SUM:.+]] = arith.addi %[[BEGIN]], %[[FRACTION]] : index
// CHECK-NEXT:    %[[QUERY:.+]] = arith.minui %[[SUM]], %[[UPPER]] : index
// CHECK-NEXT:    return %[[QUERY]]
func.func @query(%p: index, %n: index, %lower: index, %upper: index) -> index {
  %0 = nacho.query %p of %n from %lower to %upper
  return %0 : index
}

// What is the same for all parts is computed before them.
//
// CHECK-LABEL: func.func @queries(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[UPPER:[^ ]+]]: index, %[[TABLE:[^ ]+]]: memref<?xindex>)
// CHECK:         %[[INVERSE:.+]] = arith.divui
// CHECK-NEXT:    arith.mului_extended %[[UPPER]], %[[INVERSE]] : index
// CHECK:         scf.for %[[P:[^ ]+]] =
// CHECK-NOT:       arith.divui
// CHECK:           arith.mului_extended %{{.+}}, %[[INVERSE]] : index
// CHECK-NOT:       arith.divui
// CHECK:           memref.store
func.func @queries(%n: index, %upper: index, %table: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %0 = nacho.query %p of %n from %c0 to %upper
    memref.store %0, %table[%p] : memref<?xindex>
  }
  return
}

// A number of parts that differs between the steps of a loop is not known before it.
//
// CHECK-LABEL: func.func @negative_queries(
// CHECK:         scf.for
// CHECK:           arith.divui
func.func @negative_queries(%n: index, %upper: index, %table: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c1 to %n step %c1 {
    %0 = nacho.query %c1 of %p from %c0 to %upper
    memref.store %0, %table[%p] : memref<?xindex>
  }
  return
}
