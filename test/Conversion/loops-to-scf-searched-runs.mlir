// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s

// Searches among coordinates that are not unique, and of loops without fibers.

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
!C0 = !nacho.fiber<tensor<?x?xf64, #COO>, 0>
!C1 = !nacho.fiber<tensor<?x?xf64, #COO>, 1>
!C2 = !nacho.fiber<tensor<?x?xf64, #COO>, 2>

// What the costs are of a run is what lies between its ends: nothing is looked up.
//
// CHECK-LABEL: func.func @negative_positions_of_singleton(
// CHECK-NOT:     sparse_tensor.positions %{{.+}} {level = 1
// CHECK:         return
func.func @negative_positions_of_singleton(%A: tensor<?x?xf64, #COO>) -> index {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %cost = nacho.cost <nnz> %A0 : !C0
  return %cost : index
}

// CHECK-LABEL: func.func @search(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %[[BOUNDS:[^ ]+]]: memref<?x5xindex>,
// CHECK-SAME:    %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index, %[[R:[^ ]+]]: index, %[[QUERY:[^ ]+]]: index)
// CHECK-DAG:     %[[LO_I:.+]] = memref.load %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     %[[LO_P0:.+]] = memref.load %[[BOUNDS]][%[[P]], %c3{{.*}}]
// CHECK-DAG:     %[[LO_P1:.+]] = memref.load %[[BOUNDS]][%[[P]], %c4{{.*}}]
// CHECK-DAG:     %[[HI_I:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c1{{.*}}]
// CHECK-DAG:     %[[HI_P0:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c3{{.*}}]
// CHECK-DAG:     %[[HI_P1:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c4{{.*}}]
//
// The position after the last one that is within the query, which is what all entries
// before it cost.
// CHECK:         %[[AFTER:.+]]:2 = scf.while (%{{[^ ]+}} = %[[LO_P0]], %{{[^ ]+}} = %[[HI_P0]])
// CHECK:           arith.cmpi ule, %{{.+}}, %[[QUERY]] : index
//
// The last row is found if all entries are within the query, and so is what is behind
// them; else the row of the last one that is, between the rows of the cuts.
// CHECK:         %[[ANY:.+]] = arith.cmpi ugt, %[[AFTER]]#0, %[[LO_P0]] : index
// CHECK:         %[[ROW:.+]] = arith.select %[[ANY]], %{{.+}}, %[[LO_I]] : index
// CHECK:         %[[ALL:.+]] = arith.cmpi eq, %[[AFTER]]#0, %[[HI_P0]] : index
// CHECK-NEXT:    %[[FITS:.+]] = arith.cmpi ule, %[[HI_P0]], %[[QUERY]] : index
// CHECK-NEXT:    %[[LAST:.+]] = arith.andi %[[FITS]], %[[ALL]] : i1
// CHECK-NEXT:    %[[SOME:.+]] = arith.select %[[LAST]], %[[HIGH:.+]], %[[ROW]] : index
// CHECK-NEXT:    %[[LESS:.+]] = arith.minsi %[[SOME]], %[[HIGH]] : index
// CHECK-NEXT:    %[[I:.+]] = arith.maxsi %[[LESS]], %[[LO_I]] : index
//
// Its run: runs begin where the cuts' rows do.
// CHECK-NEXT:    %[[START:.+]]:2 = scf.while (%{{[^ ]+}} = %[[LO_P0]], %{{[^ ]+}} = %[[AFTER]]#0)
// CHECK:           arith.cmpi ult, %{{.+}}, %[[I]] : index
// CHECK:         %[[RESIDUAL:.+]] = arith.subi %[[QUERY]], %[[START]]#0 : index
//
// Whether there is such a row at all.
// CHECK:         %[[ON_HI:.+]] = arith.cmpi eq, %[[I]], %[[HI_I]] : index
// CHECK:         %[[END:.+]] = arith.minui
// CHECK:         %[[HAS:.+]] = arith.cmpi eq, %{{.+}}, %[[I]] : index
//
// The end of its run: lower bound of i + 1 in crd0[pos ...], not beyond the upper cut
// unless that is in the run
// CHECK-NEXT:    %[[LIMIT:.+]] = arith.select %[[ON_HI]], %[[END]], %[[HI_P0]] : index
// CHECK-NEXT:    %[[NEXT:.+]] = arith.addi %[[I]], %c1{{.*}} : index
// CHECK-NEXT:    %[[RUN_END:.+]]:2 = scf.while (%{{[^ ]+}} = %[[START]]#0, %{{[^ ]+}} = %[[LIMIT]])
// CHECK:           arith.cmpi ult, %{{.+}}, %[[NEXT]] : index
//
// The column is searched for in the run, between those cuts that are in the row.
// CHECK:         %[[ON_LO:.+]] = arith.cmpi eq, %[[I]], %[[LO_I]] : index
// CHECK-NEXT:    %[[CLIPS_LO:.+]] = arith.andi %[[ON_LO]], %[[HAS]] : i1
// CHECK-NEXT:    %[[FROM:.+]] = arith.select %[[CLIPS_LO]], %[[LO_P1]], %[[START]]#0 : index
// CHECK-NEXT:    %[[CLIPS_HI:.+]] = arith.andi %[[ON_HI]], %[[HAS]] : i1
// CHECK-NEXT:    %[[TO:.+]] = arith.select %[[CLIPS_HI]], %[[HI_P1]], %[[RUN_END]]#0 : index
// CHECK:         %[[FITS:.+]] = arith.cmpi ule, %{{.+}}, %[[RESIDUAL]] : index
// CHECK:         %[[LEFT:.+]] = arith.select %[[FITS]], %{{.+}}, %c0{{.*}} : index
// CHECK:         %[[MOST:.+]] = arith.subi %{{.+}}, %[[FROM]] : index
// CHECK-NEXT:    %[[COUNTED:.+]] = arith.minui %[[LEFT]], %[[MOST]] : index
// CHECK-NEXT:    %[[COUNT_END:.+]] = arith.addi %[[FROM]], %[[COUNTED]] : index
//
// One load: of the entry there, or of the last one, which is not counted if it is at the
// highest coordinate.
// CHECK-NEXT:    %[[HAS_ANY:.+]] = arith.cmpi ult, %[[FROM]], %[[TO]] : index
// CHECK-NEXT:    %[[SOME_TO:.+]] = arith.select %[[HAS_ANY]], %[[TO]], %c1{{.*}} : index
// CHECK-NEXT:    %[[LAST_AT:.+]] = arith.subi %[[SOME_TO]], %c1{{.*}} : index
// CHECK-NEXT:    %[[AT:.+]] = arith.minui %[[COUNT_END]], %[[LAST_AT]] : index
// CHECK:         %[[CRD:.+]] = memref.load %{{.+}}[%[[AT]]] : memref<?xi32>
// CHECK-NEXT:    %[[X:.+]] = arith.index_castui %[[CRD]] : i32 to index
// CHECK-NEXT:    %[[IS_HIGHEST:.+]] = arith.cmpi uge, %[[X]], %[[HIGHEST:.+]] : index
// CHECK-NEXT:    %[[IS_BEFORE:.+]] = arith.cmpi ult, %[[COUNT_END]], %[[TO]] : index
// CHECK-NEXT:    %[[EITHER:.+]] = arith.ori %[[IS_BEFORE]], %[[IS_HIGHEST]] : i1
// CHECK-NEXT:    %[[IS_LEFT:.+]] = arith.andi %[[HAS_ANY]], %[[EITHER]] : i1
// CHECK-NEXT:    %[[INNER:.+]] = arith.select %[[IS_LEFT]], %[[AT]], %[[COUNT_END]] : index
// CHECK-NEXT:    %[[LEAST:.+]] = arith.select %[[IS_LEFT]], %[[X]], %c-1{{.*}} : index
// CHECK-NEXT:    arith.minui %[[LEAST]], %[[HIGHEST]] : index
// CHECK-NOT:     memref.load
// CHECK:         %[[J:.+]] = arith.select %[[FITS]], %{{.+}}, %{{.+}} : index
//
// CHECK-DAG:     memref.store %[[I]], %[[BOUNDS]][%[[R]], %c1{{.*}}]
// CHECK-DAG:     memref.store %[[J]], %[[BOUNDS]][%[[R]], %c2{{.*}}]
// CHECK-DAG:     memref.store %[[START]]#0, %[[BOUNDS]][%[[R]], %c3{{.*}}]
// CHECK-DAG:     memref.store %[[INNER]], %[[BOUNDS]][%[[R]], %c4{{.*}}]
func.func @search(%A: tensor<?x?xf64, #COO>, %bounds: memref<?x5xindex>, %p: index, %q: index,
                  %r: index, %query: index) {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %lo = nacho.load_cut %bounds[%p] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %hi = nacho.load_cut %bounds[%q] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %i, %residual, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %lo, %hi : !C0, !nacho.cut<1, 1> {
  ^bb0(%x: index, %posA: index):
    %cost = nacho.cost <nnz> %A0 to %posA : !C0
    nacho.yield %cost : index
  }
  %j, %rest, %A2, %lo2, %hi2 = nacho.search %residual of (%A1)
      between %lo1, %hi1 : !C1, !nacho.cut<1> {
  ^bb0(%x: index, %posA: index):
    %cost = nacho.cost <nnz> %A1 to %posA : !C1
    nacho.yield %cost : index
  }
  %cost = arith.subi %query, %rest : index
  %cut = nacho.cut %cost at (%i, %j) of (%A1, %A2) : !C1, !C2 -> !nacho.cut<1, 1>
  nacho.store_cut %cut, %bounds[%r] : !nacho.cut<1, 1>, memref<?x5xindex>
  return
}

// (N, 0) with all entries behind, in both levels.
//
// CHECK-LABEL: func.func @ends(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[BOUNDS:[^ ]+]]: memref<?x5xindex>, %[[P:[^ ]+]]: index, %[[TOTAL:[^ ]+]]: index)
// CHECK-DAG:     %[[N:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK-DAG:     %[[ALL:.+]] = arith.minui
// CHECK-DAG:     memref.store %[[TOTAL]], %[[BOUNDS]][%[[P]], %c0{{.*}}]
// CHECK-DAG:     memref.store %[[N]], %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     memref.store %c0{{.*}}, %[[BOUNDS]][%[[P]], %c2{{.*}}]
// CHECK-DAG:     memref.store %[[ALL]], %[[BOUNDS]][%[[P]], %c3{{.*}}]
// CHECK-DAG:     memref.store %[[ALL]], %[[BOUNDS]][%[[P]], %c4{{.*}}]
func.func @ends(%A: tensor<?x?xf64, #COO>, %bounds: memref<?x5xindex>, %p: index, %total: index) {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %limit = nacho.limit %total of (%A0) loops [[0], [0]] : !C0 -> !nacho.cut<1, 1>
  nacho.store_cut %limit, %bounds[%p] : !nacho.cut<1, 1>, memref<?x5xindex>
  return
}

// Loops without fibers are searched by their coordinates alone, below their extents.
//
// CHECK-LABEL: func.func @no_fibers(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[M:[^ ]+]]: index, %[[BOUNDS:[^ ]+]]: memref<?x3xindex>, %[[P:[^ ]+]]: index, %[[Q:[^ ]+]]: index, %[[R:[^ ]+]]: index, %[[QUERY:[^ ]+]]: index)
// CHECK-DAG:     %[[LO_I:.+]] = memref.load %[[BOUNDS]][%[[P]], %c1{{.*}}]
// CHECK-DAG:     %[[HI_I:.+]] = memref.load %[[BOUNDS]][%[[Q]], %c1{{.*}}]
// CHECK-DAG:     %[[MOST_N:.+]] = arith.maxui %[[N]], %c1{{.*}} : index
// CHECK-DAG:     %[[LAST:.+]] = arith.subi %[[MOST_N]], %c1{{.*}} : index
// CHECK-DAG:     %[[HIGH:.+]] = arith.minsi %[[HI_I]], %[[LAST]] : index
// CHECK:         %[[I:.+]]:2 = scf.while (%{{[^ ]+}} = %[[LO_I]], %{{[^ ]+}} = %[[HIGH]])
// CHECK:           %[[COST:.+]] = arith.muli %{{.+}}, %[[M]] : index
// CHECK-NEXT:      arith.cmpi ule, %[[COST]], %[[QUERY]] : index
// CHECK:         %[[SPENT:.+]] = arith.muli %[[I]]#0, %[[M]] : index
// CHECK-NEXT:    %[[RESIDUAL:.+]] = arith.subi %[[QUERY]], %[[SPENT]] : index
// CHECK:         %[[J:.+]]:2 = scf.while
// CHECK:           arith.cmpi ule, %{{.+}}, %[[RESIDUAL]] : index
// CHECK-DAG:     memref.store %[[I]]#0, %[[BOUNDS]][%[[R]], %c1{{.*}}]
// CHECK-DAG:     memref.store %[[J]]#0, %[[BOUNDS]][%[[R]], %c2{{.*}}]
//
// The end of them: (N, 0)
// CHECK:         memref.store %[[QUERY]], %[[BOUNDS]][%[[R]], %c0{{.*}}]
// CHECK-NEXT:    memref.store %[[N]], %[[BOUNDS]][%[[R]], %c1{{.*}}]
// CHECK-NEXT:    memref.store %c0{{.*}}, %[[BOUNDS]][%[[R]], %c2{{.*}}]
func.func @no_fibers(%N: index, %M: index, %bounds: memref<?x3xindex>, %p: index, %q: index,
                     %r: index, %query: index) {
  %lo = nacho.load_cut %bounds[%p] : memref<?x3xindex> -> !nacho.cut<0, 0>
  %hi = nacho.load_cut %bounds[%q] : memref<?x3xindex> -> !nacho.cut<0, 0>
  %i, %residual, %lo1, %hi1 = nacho.search %query to %N of () between %lo, %hi : !nacho.cut<0, 0> {
  ^bb0(%x: index):
    %cost = arith.muli %x, %M : index
    nacho.yield %cost : index
  }
  %j, %rest, %lo2, %hi2 = nacho.search %residual to %M of () between %lo1, %hi1 : !nacho.cut<0> {
  ^bb0(%x: index):
    nacho.yield %x : index
  }
  %cost = arith.subi %query, %rest : index
  %cut = nacho.cut %cost at (%i, %j) of () -> !nacho.cut<0, 0>
  nacho.store_cut %cut, %bounds[%r] : !nacho.cut<0, 0>, memref<?x3xindex>
  %limit = nacho.limit %query to %N of () loops [[], []] -> !nacho.cut<0, 0>
  nacho.store_cut %limit, %bounds[%r] : !nacho.cut<0, 0>, memref<?x3xindex>
  return
}

// How many children of a row lie in each piece of its columns: the last piece ends where
// the row does; of any other, a run is sought from where the piece begins, and the bounds
// of the search grow with it.
//
// CHECK-LABEL: func.func @pieces(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %{{[^ ]+}}: index, %[[SHIFT:[^ ]+]]: index,
// CHECK:         scf.while (%[[AT:[^ ]+]] = %{{.+}}, %[[PIECE:[^ ]+]] = %{{.+}})
// CHECK:         ^bb0(%[[AT:[^ ]+]]: index, %[[PIECE:[^ ]+]]: index):
// CHECK:           %[[LAST:.+]] = arith.shrui %{{.+}}, %[[SHIFT]] : index
// CHECK-NEXT:      %[[MORE:.+]] = arith.cmpi ne, %[[LAST]], %[[PIECE]] : index
// CHECK-NEXT:      %[[END:.+]] = scf.if %[[MORE]] -> (index) {
// CHECK-NEXT:        scf.while (%[[LOW:[^ ]+]] = %[[AT]], %[[STEP:[^ ]+]] = %c1)
// CHECK:               arith.shrui
// CHECK:               arith.addi %{{.+}}, %{{.+}} : index
// CHECK:             %[[NEXT:.+]] = arith.addi %[[PIECE]], %c1 : index
// CHECK-NEXT:        %[[BOUND:.+]] = arith.shli %[[NEXT]], %[[SHIFT]] : index
// CHECK-NEXT:        %[[FOUND:.+]]:2 = scf.while
// CHECK:               arith.cmpi ult, %{{.+}}, %[[BOUND]] : index
// CHECK:             scf.yield %[[FOUND]]#0 : index
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %{{.+}} : index
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
func.func @pieces(%A: tensor<?x?xf64, #CSR>, %p: index, %shift: index, %sizes: memref<?xindex>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %A1 = nacho.fiber_at %A0[%p] certain : !A0 -> !A1
  %pieces = nacho.pieces %A1 by %shift : !A1
  nacho.coiterate %piece of (%A2 = %pieces : !A1) in %A2 {
    %begin = nacho.position %A2 : !A2
    %end = nacho.position end %A2 : !A2
    %size = arith.subi %end, %begin : index
    memref.store %size, %sizes[%piece] : memref<?xindex>
  }
  return
}
