// RUN: nacho-opt %s -nacho-partition-loops=cost=nnz -cse -split-input-file -verify-diagnostics | FileCheck %s --check-prefixes=CHECK,NNZ
// RUN: nacho-opt %s -nacho-partition-loops=cost=nnz+loops -cse -split-input-file -verify-diagnostics | FileCheck %s --check-prefixes=CHECK,LOOPS
// RUN: not nacho-opt %s -nacho-partition-loops=cost=rows -split-input-file 2>&1 | FileCheck %s --check-prefix=MODEL

// MODEL: error: unknown cost model 'rows': nnz, nnz+loops, flops, time

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
!C0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
!C1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
!C2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
!D0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!D1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!D2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>

// A nest that is cut already is not cut again.
//
// CHECK-LABEL: func.func @negative_partitioned(
// CHECK-SAME:    %{{[^ ]+}}: !{{[^ ]+}}, %[[CUTS:[^ ]+]]: !nacho.cuts<1, 1>)
// CHECK-NOT:     nacho.partition
// CHECK:         nacho.nest in %[[CUTS]]
func.func @negative_partitioned(%A0: !D0, %cuts: !nacho.cuts<1, 1>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.nest in %cuts : !nacho.cuts<1, 1> : tensor<?x?xf64, #DCSR> {
    nacho.coiterate %i of (%A1 = %A0 : !D0) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !D1) in %A2 {
        %a = nacho.load %A2 : !D2
        nacho.append %a at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Algorithm 1 of the paper for DCSR addition. The number of parts is a new
// argument, the last one.
//
// CHECK-LABEL: func.func @union_two_dcsr(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %{{[^ ]+}}: tensor<{{[^:]+}}, %[[PARTS:[^ ]+]]: index)
// CHECK:         %[[A0:.+]] = nacho.root %[[A]]
// CHECK:         %[[B0:.+]] = nacho.root
//
// total = nnz(A) + nnz(B), or else nothing if an extent is 0. With the loops
// counted: and the rows that A stores, and those of B.
// CHECK:         %[[NNZ_A:.+]] = nacho.cost <nnz> %[[A0]] :
// CHECK:         %[[NNZ_B:.+]] = nacho.cost <nnz> %[[B0]] :
// CHECK-NEXT:    %[[NNZ:.+]] = arith.addi %[[NNZ_A]], %[[NNZ_B]] : index
// LOOPS-NEXT:    %[[ROWS_A:.+]] = nacho.cost <loops> %[[A0]] :
// LOOPS-NEXT:    %[[ROWS_B:.+]] = nacho.cost <loops> %[[B0]] :
// LOOPS-NEXT:    %[[ROWS:.+]] = arith.addi %[[ROWS_A]], %[[ROWS_B]] : index
// LOOPS-NEXT:    %[[ALL:.+]] = arith.addi %[[NNZ]], %[[ROWS]] : index
// CHECK-DAG:     sparse_tensor.lvl %[[A]], %c0
// CHECK-DAG:     sparse_tensor.lvl %[[A]], %c1
// CHECK:         %[[EMPTY:.+]] = arith.ori
// NNZ:           %[[TOTAL:.+]] = arith.select %[[EMPTY]], %c0{{.*}}, %[[NNZ]] : index
// LOOPS:         %[[TOTAL:.+]] = arith.select %[[EMPTY]], %c0{{.*}}, %[[ALL]] : index
//
// The most that a cut can fall short of its query: an entry of each operand,
// and the units of the row.
// CHECK:         %[[CUTS:.+]] = nacho.partition %[[TOTAL]] of(%[[A0]], %[[B0]]) into %[[PARTS]]
// CHECK-SAME{LITERAL}: loops [[0, 1], [0, 1]]
// NNZ-SAME:        delta 2 :
// LOOPS-SAME:      delta 4 :
// CHECK-NEXT:    ^{{.+}}(%[[QUERY:.+]]: index, %[[LO:.+]]: !nacho.cut<2, 2>, %[[HI:.+]]: !nacho.cut<2, 2>):
//
// i = highest coordinate with C_i(i) <= query
// CHECK-NEXT:      %[[I:.+]], %[[RESIDUAL:.+]], %[[A1:.+]], %[[B1:.+]], %[[LO1:.+]], %[[HI1:.+]] = nacho.search %[[QUERY]]
// CHECK-SAME:        of(%[[A0]], %[[B0]]) between %[[LO]], %[[HI]]
// CHECK-NEXT:      ^{{.+}}(%{{.+}}: index, %[[POS_A:.+]]: index, %[[POS_B:.+]]: index):
// CHECK-NEXT:        %[[COST_A:.+]] = nacho.cost <nnz> %[[A0]] to %[[POS_A]]
// CHECK-NEXT:        %[[COST_B:.+]] = nacho.cost <nnz> %[[B0]] to %[[POS_B]]
// CHECK-NEXT:        %[[COST:.+]] = arith.addi %[[COST_A]], %[[COST_B]]
// NNZ-NEXT:          nacho.yield %[[COST]]
// LOOPS-NEXT:        %[[UP_TO_A:.+]] = nacho.cost <loops> %[[A0]] to %[[POS_A]]
// LOOPS-NEXT:        %[[UP_TO_B:.+]] = nacho.cost <loops> %[[B0]] to %[[POS_B]]
// LOOPS-NEXT:        %[[UNITS:.+]] = arith.addi %[[UP_TO_A]], %[[UP_TO_B]]
// LOOPS-NEXT:        %[[WITH_UNITS:.+]] = arith.addi %[[COST]], %[[UNITS]]
// LOOPS-NEXT:        nacho.yield %[[WITH_UNITS]]
// CHECK-NEXT:      }
//
// The row's units, which its first column has to bear: one per operand with it.
// LOOPS-NEXT:      %[[HAS_A:.+]] = nacho.present %[[A1]]
// LOOPS-NEXT:      %[[UNIT_A:.+]] = arith.index_castui %[[HAS_A]]
// LOOPS-NEXT:      %[[HAS_B:.+]] = nacho.present %[[B1]]
// LOOPS-NEXT:      %[[UNIT_B:.+]] = arith.index_castui %[[HAS_B]]
// LOOPS-NEXT:      %[[UNIT:.+]] = arith.addi %[[UNIT_A]], %[[UNIT_B]]
//
// j = highest coordinate with C_j(j | i) <= query - C_i(i)
// CHECK-NEXT:      %[[J:.+]], %[[LEFT:.+]], %[[A2:.+]], %[[B2:.+]], %{{.+}}, %{{.+}} = nacho.search %[[RESIDUAL]]
// CHECK-SAME:        of(%[[A1]], %[[B1]]) between %[[LO1]], %[[HI1]]
// CHECK-NEXT:      ^{{.+}}(%[[X:.+]]: index, %[[POS_A1:.+]]: index, %[[POS_B1:.+]]: index):
// CHECK-NEXT:        nacho.cost <nnz> %[[A1]] to %[[POS_A1]]
// CHECK-NEXT:        nacho.cost <nnz> %[[B1]] to %[[POS_B1]]
// CHECK-NEXT:        %[[COST1:.+]] = arith.addi
// NNZ-NEXT:          nacho.yield %[[COST1]]
// LOOPS:             %[[CHARGED:.+]] = arith.cmpi ne, %[[X]], %c0
// LOOPS-NEXT:        %[[CHARGE:.+]] = arith.select %[[CHARGED]], %[[UNIT]], %c0
// LOOPS-NEXT:        %[[SUM1:.+]] = arith.addi %[[COST1]], %[[CHARGE]]
// LOOPS-NEXT:        nacho.yield %[[SUM1]]
//
// CHECK:           %[[CUT_COST:.+]] = arith.subi %[[QUERY]], %[[LEFT]]
// CHECK-NEXT:      %[[CUT:.+]] = nacho.cut %[[CUT_COST]] at(%[[I]], %[[J]]) of(%[[A1]], %[[B1]], %[[A2]], %[[B2]])
// CHECK-NEXT:      nacho.yield %[[CUT]]
// CHECK-NEXT:    }
// CHECK-NEXT:    nacho.nest in %[[CUTS]]
// CHECK-NEXT:      nacho.coiterate
// CHECK-NOT:         between
// CHECK:         return
func.func @union_two_dcsr(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %Z = nacho.nest : tensor<?x?xf64, #DCSR> {
    nacho.coiterate %i of (%A1 = %A0 : !D0, %B1 = %B0 : !D0) in union(%A1, %B1) {
      nacho.coiterate %j of (%A2 = %A1 : !D1, %B2 = %B1 : !D1) in union(%A2, %B2) {
        %a = nacho.load %A2 : !D2
        %b = nacho.load %B2 : !D2
        %z = nacho.binary add %a, %b : f64
        nacho.append %z at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// A loop that visits every row: a unit per row, whoever stores something in it.
//
// CHECK-LABEL: func.func @union_csr_dcsr(
// CHECK:         %[[A0:.+]] = nacho.root
// CHECK:         %[[B0:.+]] = nacho.root
// LOOPS:         %[[ROWS:.+]] = sparse_tensor.lvl %{{.+}}, %c0
// LOOPS:         %[[ALL:.+]] = arith.addi %{{.+}}, %[[ROWS]] : index
// LOOPS:         %[[TOTAL:.+]] = arith.select %{{.+}}, %{{.+}}, %[[ALL]] : index
// CHECK-NOT:     nacho.cost <loops>
// CHECK:         nacho.partition
// NNZ-SAME:        delta 2
// LOOPS-SAME:      delta 3
// CHECK:           nacho.search
// CHECK-NEXT:      ^{{.+}}(%[[X:.+]]: index, %{{.+}}: index, %{{.+}}: index):
// CHECK:             %[[COST:.+]] = arith.addi
// NNZ-NEXT:          nacho.yield %[[COST]]
// LOOPS-NEXT:        %[[SUM:.+]] = arith.addi %[[COST]], %[[X]]
// LOOPS-NEXT:        nacho.yield %[[SUM]]
// CHECK-NOT:     nacho.cost <loops>
// CHECK-NOT:     nacho.present
// CHECK:         nacho.nest in
func.func @union_csr_dcsr(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #CSR> {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %Z = nacho.nest : tensor<?x?xf64, #CSR> {
    nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %B0 : !D0) in union(%A1, %B1) {
      nacho.coiterate %j of (%A2 = %A1 : !C1, %B2 = %B1 : !D1) in union(%A2, %B2) {
        %a = nacho.load %A2 : !C2
        nacho.append %a at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// The cost of an intersection is that of its operands: both are read. A unit only for
// the rows that the sparse one of them stores: those are the steps of the loop.
//
// CHECK-LABEL: func.func @intersection_csr_dcsr(
// CHECK:         %[[A0:.+]] = nacho.root
// CHECK:         %[[B0:.+]] = nacho.root
// CHECK:         nacho.cost <nnz> %[[A0]]
// CHECK-NEXT:    nacho.cost <nnz> %[[B0]]
// LOOPS:         nacho.cost <loops> %[[B0]]
// LOOPS-NOT:     nacho.cost <loops> %[[A0]]
// CHECK:         nacho.partition
// NNZ-SAME:        delta 2
// LOOPS-SAME:      delta 3
// CHECK:         nacho.nest in
// CHECK-NEXT:      nacho.coiterate {{.+}} in intersect(
func.func @intersection_csr_dcsr(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #CSR> {
  %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %Z = nacho.nest : tensor<?x?xf64, #CSR> {
    nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %B0 : !D0) in intersect(%A1, %B1) {
      nacho.coiterate %j of (%A2 = %A1 : !C1, %B2 = %B1 : !D1) in intersect(%A2, %B2) {
        %a = nacho.load %A2 : !C2
        nacho.append %a at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// -----

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<4xf64, #SV>, 0>
%A = tensor.empty() : tensor<4xf64, #SV>
%A0 = nacho.root %A : tensor<4xf64, #SV>
// expected-error @below {{must be in a function to be partitioned}}
%Z = nacho.nest : tensor<4xf64, #SV> {
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
  }
  nacho.yield
}

// -----

// A fiber that comes from elsewhere tells nothing of the extents.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
func.func @fiber_from_elsewhere() -> tensor<?xf64, #SV> {
  %A0 = builtin.unrealized_conversion_cast to !A0
  // expected-error @below {{needs the roots of its operands to be cut}}
  %Z = nacho.nest : tensor<?xf64, #SV> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}
