// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s

#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>

// CHECK-DAG: #[[DCSR:[^ ]+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
// CHECK-DAG: ![[T0:[^ ]+]] = !nacho.fiber<tensor<?x?xf64, #[[DCSR]]>, 0>
// CHECK-DAG: ![[T1:[^ ]+]] = !nacho.fiber<tensor<?x?xf64, #[[DCSR]]>, 1>

// Where a type can only be a cut its name is left out in print; it may be
// written.
//
// CHECK-LABEL: func.func @queries(
// CHECK-SAME:    %[[A0:[^ ]+]]: ![[T0]], %[[A1:[^ ]+]]: ![[T1]], %[[POS:[^ ]+]]: index)
// CHECK-NEXT:    nacho.cost <nnz> %[[A0]] to %[[POS]] : ![[T0]]
// CHECK-NEXT:    nacho.cost <loops> %[[A1]] : ![[T1]]
// CHECK-NEXT:    nacho.extent %[[A1]] : ![[T1]]
// CHECK-NEXT:    nacho.query %[[POS]] of %[[POS]] from %[[POS]] to %[[POS]]
func.func @queries(%A0: !A0, %A1: !A1, %pos: index) {
  %0 = nacho.cost <nnz> %A0 to %pos : !A0
  %1 = nacho.cost <loops> %A1 : !A1
  %2 = nacho.extent %A1 : !A1
  %3 = nacho.query %pos of %pos from %pos to %pos
  return
}

// CHECK-LABEL: func.func @cuts(
// CHECK-SAME:    %[[A0:[^ ]+]]: ![[T0]], %[[TOTAL:[^ ]+]]: index)
// CHECK-NEXT:    %[[LO:.+]] = nacho.origin : <1, 2>
// CHECK-NEXT:    %[[HI:.+]] = nacho.limit %[[TOTAL]] of(%[[A0]], %[[A0]])
// CHECK-SAME{LITERAL}: loops [[0], [1, 0]]
// CHECK-SAME:      : ![[T0]], ![[T0]] -> <1, 2>
// CHECK-NEXT:    nacho.on_cut %[[LO]] : <1, 2>
// CHECK-NEXT:    nacho.cut_cost %[[HI]] : <1, 2>
// CHECK-NEXT:    nacho.cut_coordinate %[[HI]][1] : <1, 2>
// CHECK-NEXT:    nacho.cut_position %[[HI]][1, 0] : <1, 2>
// CHECK-NEXT:    nacho.origin : <>
func.func @cuts(%A0: !A0, %total: index) {
  %lo = nacho.origin : !nacho.cut<1, 2>
  %hi = nacho.limit %total of (%A0, %A0) loops [[0], [1, 0]] : !A0, !A0 -> <1, 2>
  %0 = nacho.on_cut %lo : <1, 2>
  %1 = nacho.cut_cost %hi : !nacho.cut<1, 2>
  %2 = nacho.cut_coordinate %hi[1] : !nacho.cut<1, 2>
  %3 = nacho.cut_position %hi[1, 0] : !nacho.cut<1, 2>
  %4 = nacho.origin : <>
  return
}

// Loops that have no fibers have extents, and so does what they count further
// down.
//
// CHECK-LABEL: func.func @extents(
// CHECK-SAME:    %[[A0:[^ ]+]]: ![[T0]], %[[N:[^ ]+]]: index)
// CHECK-NEXT:    nacho.cost <loops> %[[A0]] to %[[N]] below 1 : ![[T0]]
// CHECK-NEXT:    nacho.limit %[[N]] to %[[N]] of() loops {{\[\[\]\]}} -> <0>
// CHECK-NEXT:    nacho.limit %[[N]] to %[[N]] of(%[[A0]])
// CHECK-SAME{LITERAL}: loops [[], [0]]
// CHECK-SAME:      : ![[T0]] -> <0, 1>
// CHECK-NEXT:    nacho.partition %[[N]] to %[[N]] of(%[[A0]]) into %[[N]]
// CHECK-SAME{LITERAL}: loops [[], [0]]
// CHECK-SAME:      delta -1 : ![[T0]] -> <0, 1> {
// CHECK-NEXT:    ^{{.+}}(%[[QUERY:.+]]: index, %[[LO:.+]]: !nacho.cut<0, 1>, %[[HI:.+]]: !nacho.cut<0, 1>):
// CHECK-NEXT:      %[[I:.+]], %[[REST:.+]], %[[LO1:.+]], %[[HI1:.+]] = nacho.search %[[QUERY]] to %[[N]]
// CHECK-SAME:        of() between %[[LO]], %[[HI]] : !nacho.cut<0, 1> {
// CHECK-NEXT:      ^{{.+}}(%[[X:.+]]: index):
// CHECK-NEXT:        nacho.yield %[[X]] : index
// CHECK:           nacho.search %[[REST]] to %[[N]] of(%[[A0]]) between %[[LO1]], %[[HI1]]
func.func @extents(%A0: !A0, %N: index) -> !nacho.cuts<0, 1> {
  %0 = nacho.cost <loops> %A0 to %N below 1 : !A0
  %1 = nacho.limit %N to %N of () loops [[]] -> !nacho.cut<0>
  %2 = nacho.limit %N to %N of (%A0) loops [[], [0]] : !A0 -> !nacho.cut<0, 1>
  %cuts = nacho.partition %N to %N of (%A0) into %N loops [[], [0]] delta -1
      : !A0 -> !nacho.cuts<0, 1> {
  ^bb0(%query: index, %lo: !nacho.cut<0, 1>, %hi: !nacho.cut<0, 1>):
    %i, %residual, %lo1, %hi1 = nacho.search %query to %N of ()
        between %lo, %hi : !nacho.cut<0, 1> {
    ^bb0(%x: index):
      nacho.yield %x : index
    }
    %j, %rest, %A1, %lo2, %hi2 = nacho.search %residual to %N of (%A0)
        between %lo1, %hi1 : !A0, !nacho.cut<1> {
    ^bb0(%x: index, %posA: index):
      nacho.yield %posA : index
    }
    nacho.yield %lo : !nacho.cut<0, 1>
  }
  return %cuts : !nacho.cuts<0, 1>
}

// One search per loop: the second one gets from the first the residual, the
// fibers, and what is left of the cuts.
//
// CHECK-LABEL: func.func @partition(
// CHECK-SAME:    %[[A0:[^ ]+]]: ![[T0]], %[[B0:[^ ]+]]: ![[T0]],
// CHECK-SAME:    %[[TOTAL:[^ ]+]]: index, %[[PARTS:[^ ]+]]: index)
// CHECK-NEXT:    %[[CUTS:.+]] = nacho.partition %[[TOTAL]] of(%[[A0]], %[[B0]]) into %[[PARTS]]
// CHECK-SAME{LITERAL}: loops [[0, 1], [0, 1]]
// CHECK-SAME:      delta 2 : ![[T0]], ![[T0]] -> <2, 2> {
// CHECK-NEXT:    ^{{.+}}(%[[QUERY:.+]]: index, %[[LO:.+]]: !nacho.cut<2, 2>, %[[HI:.+]]: !nacho.cut<2, 2>):
// CHECK-NEXT:      %[[I:.+]], %[[REST:.+]], %[[A1:.+]], %[[B1:.+]], %[[LO1:.+]], %[[HI1:.+]] = nacho.search %[[QUERY]]
// CHECK-SAME:        of(%[[A0]], %[[B0]]) between %[[LO]], %[[HI]] : ![[T0]], ![[T0]], !nacho.cut<2, 2> {
// CHECK-NEXT:      ^{{.+}}(%{{.+}}: index, %{{.+}}: index, %{{.+}}: index):
// CHECK-NEXT:        nacho.yield %{{.+}} : index
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[J:.+]], %{{.+}}, %[[A2:.+]], %[[B2:.+]], %{{.+}}, %{{.+}} = nacho.search %[[REST]]
// CHECK-SAME:        of(%[[A1]], %[[B1]]) between %[[LO1]], %[[HI1]] : ![[T1]], ![[T1]], !nacho.cut<2> {
// CHECK:           %[[CUT:.+]] = nacho.cut %[[QUERY]] at(%[[I]], %[[J]])
// CHECK-SAME:        of(%[[A1]], %[[B1]], %[[A2]], %[[B2]]) :
// CHECK-SAME:        -> <2, 2>
// CHECK-NEXT:      nacho.yield %[[CUT]] : !nacho.cut<2, 2>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[CUTS]] : !nacho.cuts<2, 2>
func.func @partition(%A0: !A0, %B0: !A0, %total: index, %parts: index) -> !nacho.cuts<2, 2> {
  %cuts = nacho.partition %total of (%A0, %B0) into %parts loops [[0, 1], [0, 1]] delta 2
      : !A0, !A0 -> !nacho.cuts<2, 2> {
  ^bb0(%query: index, %lo: !nacho.cut<2, 2>, %hi: !nacho.cut<2, 2>):
    %i, %residual, %A1, %B1, %lo1, %hi1 = nacho.search %query of (%A0, %B0)
        between %lo, %hi : !A0, !A0, !nacho.cut<2, 2> {
    ^bb0(%x: index, %posA: index, %posB: index):
      nacho.yield %posA : index
    }
    %j, %rest, %A2, %B2, %lo2, %hi2 = nacho.search %residual of (%A1, %B1)
        between %lo1, %hi1 : !A1, !A1, !nacho.cut<2> {
    ^bb0(%x: index, %posA: index, %posB: index):
      nacho.yield %posB : index
    }
    %cut = nacho.cut %query at (%i, %j) of (%A1, %B1, %A2, %B2)
        : !A1, !A1, !A2, !A2 -> !nacho.cut<2, 2>
    nacho.yield %cut : !nacho.cut<2, 2>
  }
  return %cuts : !nacho.cuts<2, 2>
}
