// RUN: nacho-opt %s -nacho-concretize -cse -nacho-partition-loops=cost=nnz+loops -canonicalize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

// What operands cost that do not take part in every loop.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// Nothing is repeated where every operand has every index.
//
// CHECK-LABEL: func.func @negative_no_broadcast(
// CHECK-NOT:     arith.muli
// CHECK:         nacho.nest
func.func @negative_no_broadcast(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j] = A[i, j] + x[j] repeats x in every row there is.
//
// CHECK-LABEL: func.func @every_row(
//
// total = nnz(A) + nnz(x) * N + N
// CHECK:         %[[N:.+]] = sparse_tensor.lvl %{{.+}}, %c0
// CHECK-NEXT:    %costA = nacho.cost <nnz> %A0
// CHECK-NEXT:    %costB = nacho.cost <nnz> %B0
// CHECK-NEXT:    %[[REPEATED:.+]] = arith.muli %costB, %[[N]] : index
// CHECK:         %[[BOUNDED:.+]] = arith.select %{{.+}}, %[[REPEATED]], %{{.+}} : index
// CHECK-NEXT:    %cost = arith.addi %costA, %[[BOUNDED]] : index
// CHECK-NEXT:    %[[ALL:.+]] = arith.addi %cost, %[[N]] : index
// CHECK:         %total = arith.select %{{.+}}, %c0, %[[ALL]] : index
// CHECK:         nacho.partition %total of(%A0, %B0)
// CHECK-SAME{LITERAL}: loops [[0], [0, 1]]
// CHECK-SAME:      delta 3
//
// C_i(i) = nnz(A[..i]) + nnz(x) * i + i
// CHECK:           %i, %residual, %A1, %lo1, %hi1 = nacho.search %query of(%A0)
// CHECK-NEXT:      ^{{.+}}(%[[I:.+]]: index, %posA: index):
// CHECK-NEXT:        %[[COST_A:.+]] = nacho.cost <nnz> %A0 to %posA
// CHECK-NEXT:        %[[UP_TO:.+]] = arith.muli %costB, %[[I]] : index
// CHECK-NEXT:        %[[SUM:.+]] = arith.addi %[[COST_A]], %[[UP_TO]] : index
// CHECK-NEXT:        %[[COST:.+]] = arith.addi %[[SUM]], %[[I]] : index
// CHECK-NEXT:        nacho.yield %[[COST]]
//
// C_j(j | i) = nnz(A[i, ..j]) + nnz(x[..j]) + the row's unit
// CHECK:           nacho.search %residual of(%A1, %B0) between %lo1, %hi1
// CHECK-NEXT:      ^{{.+}}(%[[J:.+]]: index, %posA: index, %posB: index):
// CHECK-NEXT:        %[[COST_A:.+]] = nacho.cost <nnz> %A1 to %posA
// CHECK-NEXT:        %[[COST_B:.+]] = nacho.cost <nnz> %B0 to %posB
// CHECK-NEXT:        %[[SUM:.+]] = arith.addi %[[COST_A]], %[[COST_B]] : index
// CHECK-NEXT:        %[[CHARGED:.+]] = arith.cmpi ne, %[[J]], %c0 : index
// CHECK-NEXT:        %[[UNIT:.+]] = arith.select %[[CHARGED]], %c1, %c0 : index
// CHECK-NEXT:        %[[COST:.+]] = arith.addi %[[SUM]], %[[UNIT]] : index
// CHECK-NEXT:        nacho.yield %[[COST]]
func.func @every_row(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = A[i, j] * x[j] repeats x in every row that A stores: A drives the loop, and its
// positions count the rows. In the inner search x weighs 1 if A has the row, else
// nothing.
//
// CHECK-LABEL: func.func @stored_rows(
//
// total = nnz(A) + nnz(x) * rows(A) + rows(A)
// CHECK:         %costA = nacho.cost <nnz> %A0
// CHECK-NEXT:    %costB = nacho.cost <nnz> %B0
// CHECK-NEXT:    %loopsA = nacho.cost <loops> %A0
// CHECK-NEXT:    %[[REPEATED:.+]] = arith.muli %costB, %loopsA : index
// CHECK:         %[[BOUNDED:.+]] = arith.select %{{.+}}, %[[REPEATED]], %{{.+}} : index
// CHECK-NEXT:    %cost = arith.addi %costA, %[[BOUNDED]] : index
// CHECK-NEXT:    arith.addi %cost, %loopsA : index
// CHECK:         nacho.partition
// CHECK-SAME:      delta 3
// CHECK:           nacho.search %query of(%A0)
// CHECK-NEXT:      ^{{.+}}(%{{.+}}: index, %posA: index):
// CHECK:             %[[ROWS:.+]] = nacho.cost <loops> %A0 to %posA
// CHECK-NEXT:        arith.muli %costB, %[[ROWS]] : index
// CHECK:           %[[HAS_A:.+]] = nacho.present %A1
// CHECK-NEXT:      %[[WEIGHT:.+]] = arith.index_castui %[[HAS_A]] : i1 to index
// CHECK-NEXT:      nacho.search %residual of(%A1, %B0)
// CHECK-NEXT:      ^{{.+}}(%{{.+}}: index, %posA: index, %posB: index):
// CHECK-NEXT:        %[[COST_A:.+]] = nacho.cost <nnz> %A1 to %posA
// CHECK-NEXT:        %[[COST_B:.+]] = nacho.cost <nnz> %B0 to %posB
// CHECK-NEXT:        %[[WEIGHED:.+]] = arith.muli %[[COST_B]], %[[WEIGHT]] : index
// CHECK-NEXT:        arith.addi %[[COST_A]], %[[WEIGHED]] : index
func.func @stored_rows(%A: tensor<?x?xf64, #DCSR>, %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j] = (A[i, j] + B[i, j]) * x[j]: how many rows A and B have together would take a merge to
// find out; x is charged for each of the two.
//
// CHECK-LABEL: func.func @two_drivers(
// CHECK:         %[[ROWS_A:.+]] = nacho.cost <loops> %A0
// CHECK-NEXT:    %[[ROWS_B:.+]] = nacho.cost <loops> %B0
// CHECK-NEXT:    %[[ROWS:.+]] = arith.addi %[[ROWS_A]], %[[ROWS_B]] : index
// CHECK-NEXT:    arith.muli %costC, %[[ROWS]] : index
// CHECK:         nacho.partition
// CHECK-SAME:      delta 6
// CHECK:           %[[HAS_A:.+]] = nacho.present %A1
// CHECK-NEXT:      %[[ONE_A:.+]] = arith.index_castui %[[HAS_A]] : i1 to index
// CHECK-NEXT:      %[[HAS_B:.+]] = nacho.present %B1
// CHECK-NEXT:      %[[ONE_B:.+]] = arith.index_castui %[[HAS_B]] : i1 to index
// CHECK-NEXT:      %[[WEIGHT:.+]] = arith.addi %[[ONE_A]], %[[ONE_B]] : index
// CHECK:             %[[COST_C:.+]] = nacho.cost <nnz> %C0 to %posC
// CHECK-NEXT:        arith.muli %[[COST_C]], %[[WEIGHT]] : index
func.func @two_drivers(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>,
                       %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>,
                     %c = %x[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary add %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j] = A[i, j] * x[i]: the entries of x end in the outer loop. What one costs is charged
// at the first column of its row, like the row's units.
//
// CHECK-LABEL: func.func @ends_outside(
// CHECK:         nacho.partition
// CHECK-SAME{LITERAL}: loops [[0, 1], [0]]
// CHECK-SAME:      delta 4
// CHECK:           nacho.search %query of(%A0, %B0)
// CHECK:             nacho.cost <nnz> %A0 to %posA
// CHECK-NEXT:        nacho.cost <nnz> %B0 to %posB
// CHECK:           %[[HAS_B:.+]] = nacho.present %B1
// CHECK-NEXT:      %[[ENTRY:.+]] = arith.index_castui %[[HAS_B]] : i1 to index
// CHECK-NEXT:      %[[HAS_A:.+]] = nacho.present %A1
// CHECK-NEXT:      %[[UNIT_A:.+]] = arith.index_castui %[[HAS_A]] : i1 to index
// CHECK-NEXT:      %[[UNITS:.+]] = arith.addi %[[UNIT_A]], %[[ENTRY]] : index
// CHECK-NEXT:      %[[FIRST:.+]] = arith.addi %[[ENTRY]], %[[UNITS]] : index
// CHECK-NEXT:      nacho.search %residual of(%A1)
// CHECK-NEXT:      ^{{.+}}(%[[J:.+]]: index, %posA: index):
// CHECK-NEXT:        %[[COST_A:.+]] = nacho.cost <nnz> %A1 to %posA
// CHECK-NEXT:        %[[CHARGED:.+]] = arith.cmpi ne, %[[J]], %c0 : index
// CHECK-NEXT:        %[[CHARGE:.+]] = arith.select %[[CHARGED]], %[[FIRST]], %c0 : index
// CHECK-NEXT:        arith.addi %[[COST_A]], %[[CHARGE]] : index
func.func @ends_outside(%A: tensor<?x?xf64, #DCSR>, %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %x[i] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j, k] = A[i, j, k] * x[k]: x is repeated for every (i, j) of A, which are one level further
// down than i's; a coordinate of the middle loop that is the first one has
// the units of the outer loop to hand on.
//
// CHECK-LABEL: func.func @two_levels_up(
// CHECK:         %[[PAIRS:.+]] = nacho.cost <loops> %A0 below 1
// CHECK-NEXT:    arith.muli %costB, %[[PAIRS]] : index
// CHECK:         nacho.partition
// CHECK-SAME{LITERAL}: loops [[0], [0], [0, 1]]
// CHECK-SAME:      delta 4
// CHECK:           nacho.search %query of(%A0)
// CHECK:             %[[PAIRS:.+]] = nacho.cost <loops> %A0 to %posA below 1
// CHECK-NEXT:        arith.muli %costB, %[[PAIRS]] : index
// CHECK:           %unit = nacho.present %A1
// CHECK-NEXT:      %[[OUTER:.+]] = arith.index_castui %unit : i1 to index
// CHECK-NEXT:      %j, %[[RESIDUAL:.+]], %A2, %lo2, %hi2 = nacho.search %residual of(%A1)
// CHECK:             %[[ROWS:.+]] = nacho.cost <loops> %A1 to %posA
// CHECK-NEXT:        arith.muli %costB, %[[ROWS]] : index
// CHECK:           %[[HAS_A:.+]] = nacho.present %A2
// CHECK-NEXT:      %[[WEIGHT:.+]] = arith.index_castui %[[HAS_A]] : i1 to index
// CHECK-NEXT:      %[[IS_FIRST:.+]] = arith.cmpi eq, %j, %c0 : index
// CHECK-NEXT:      %[[HANDED_ON:.+]] = arith.select %[[IS_FIRST]], %[[OUTER]], %c0 : index
// CHECK-NEXT:      %[[FIRST:.+]] = arith.addi %[[WEIGHT]], %[[HANDED_ON]] : index
// CHECK-NEXT:      nacho.search %[[RESIDUAL]] of(%A2, %B0)
// CHECK:             %[[COST_B:.+]] = nacho.cost <nnz> %B0 to %posB
// CHECK-NEXT:        arith.muli %[[COST_B]], %[[WEIGHT]] : index
// CHECK:             arith.select %{{.+}}, %[[FIRST]], %c0 : index
func.func @two_levels_up(%A: tensor<?x?x?xf64, #CSF>, %x: tensor<?xf64, #SV>)
    -> tensor<?x?x?xf64, #CSF> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>, %b = %x[k] : tensor<?xf64, #SV>)
      -> [i, j, k] : tensor<?x?x?xf64, #CSF> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?x?xf64, #CSF>
}

// Z[i, j, k] = A[i, j, k] * B[i, k]: row i of B is repeated for every j of A[i], which depends on i: how
// much that is up to an i nobody stores, and B's entries go uncharged.
//
// CHECK-LABEL: func.func @not_countable(
// CHECK-NOT:     nacho.cost <nnz> %B
// CHECK:         nacho.partition
// CHECK-SAME{LITERAL}: loops [[0, 1], [0], [0, 1]]
// CHECK-NOT:     nacho.cost <nnz> %B
// CHECK:         nacho.nest
func.func @not_countable(%A: tensor<?x?x?xf64, #CSF>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?x?xf64, #CSF> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>, %b = %B[i, k] : tensor<?x?xf64, #DCSR>)
      -> [i, j, k] : tensor<?x?x?xf64, #CSF> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?x?xf64, #CSF>
}
