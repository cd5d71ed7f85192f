// RUN: nacho-opt %s -nacho-concretize -cse -nacho-remap-intersections=cost=nnz -cse -nacho-isolate-nests -nacho-partition-loops=cost=nnz -cse --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefixes=CHECK,NNZ
// RUN: nacho-opt %s -nacho-concretize -cse -nacho-remap-intersections=cost=nnz+loops -cse -nacho-isolate-nests -nacho-partition-loops=cost=nnz+loops -cse --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefixes=CHECK,LOOPS

// The nests that remapping leaves: those that make lists, and those that run through them.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#Products = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa),
                         d2 : singleton(soa)) }>

// Rows that are all there: there is no list.
//
// CHECK-LABEL: func.func @negative_no_list(
// CHECK-NOT:     nacho.recall
// CHECK-NOT:     nacho.cost <scan>
// CHECK:         nacho.nest in
// CHECK:         return
func.func @negative_no_list(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Which rows A and B share costs the rows that they have. That is a nest like any other,
// with one loop.
//
// CHECK-LABEL: func.func @hadamard_0(
// CHECK-SAME{LITERAL}: reads = [[["i", ""]], [["i", ""]]]
// CHECK-SAME:      makes = ["i", "", ""]
// CHECK:         %[[ROWS_A:.+]] = nacho.cost <loops> %A0 :
// CHECK-NEXT:    %[[ROWS_B:.+]] = nacho.cost <loops> %B0 :
// CHECK-NEXT:    %[[ROWS:.+]] = arith.addi %[[ROWS_A]], %[[ROWS_B]] : index
// CHECK:         %[[TOTAL:.+]] = arith.select %{{.+}}, %c0{{.*}}, %[[ROWS]] : index
// CHECK-NEXT:    %[[CUTS:.+]] = nacho.partition %[[TOTAL]] of(%A0, %B0)
// CHECK-SAME{LITERAL}: loops [[0, 1]]
// CHECK-SAME:      delta 2 :
// CHECK:           nacho.search
// CHECK-NOT:       nacho.search
// CHECK:         %L = nacho.nest collect<scanned_list> in %[[CUTS]]
//
// The rest costs what the list says in all.
//
// CHECK-LABEL: func.func @hadamard(
// CHECK-SAME:    %L: tensor<{{[^{]+}}, %parts: index)
// CHECK-SAME:    attributes {nacho.step = #nacho.step<inputs = [operand 0, operand 1, step 0], cuts = <accesses = [2 of 2, 0 of 0, 1 of 1], loops = [<"i"[0]>, <"j"[1, 2]>]
//
// Of the operands, the list knows the rows.
// CHECK-SAME{LITERAL}: reads = [[["", "j"]], [["", "j"]], [["i", "", ""]]]
// CHECK-SAME:      makes = ["i", "j"]
// CHECK:         %L0 = nacho.root %L scanned_list
// CHECK-NEXT:    %[[TOTAL:.+]] = nacho.cost <scan> %L0 :
// CHECK-NEXT:    %[[CUTS:.+]] = nacho.partition %[[TOTAL]] of(%L0, %A0, %B0) into %parts
// CHECK-SAME{LITERAL}: loops [[0], [1, 2]]
// NNZ-SAME:        delta 2 :
// LOOPS-SAME:      delta 3 :
// CHECK-NEXT:    ^{{.+}}(%[[QUERY:.+]]: index, %lo: !nacho.cut<1, 2>, %hi: !nacho.cut<1, 2>):
//
// i = highest coordinate in the list with C_i(i) <= query
// CHECK-NEXT:      %i, %[[RESIDUAL:.+]], %L1, %lo1, %hi1 = nacho.search %[[QUERY]] of(%L0) between %lo, %hi
// CHECK-NEXT:      ^{{.+}}(%{{.+}}: index, %[[POS:.+]]: index):
// CHECK-NEXT:        %[[COST:.+]] = nacho.cost <scan> %L0 to %[[POS]]
// CHECK-NEXT:        nacho.yield %[[COST]]
// CHECK-NEXT:      }
//
// Ai, Bi = what the entry stands for: there may be none where the cut is.
// CHECK-NEXT:      %[[POS_A:.+]] = nacho.recall %L1 below 0
// CHECK-NEXT:      %[[A1:.+]] = nacho.fiber_at %A0[%[[POS_A]]] :
// CHECK-NEXT:      %[[POS_B:.+]] = nacho.recall %L1 below 1
// CHECK-NEXT:      %[[B1:.+]] = nacho.fiber_at %B0[%[[POS_B]]] :
//
// The entry's unit, if there is one, which its first column has to bear.
// LOOPS-NEXT:      %[[PRESENT:.+]] = nacho.present %L1 :
// LOOPS-NEXT:      %[[UNIT:.+]] = arith.index_castui %[[PRESENT]] : i1 to index
//
// j = highest coordinate with C_j(j | i) <= query - C_i(i)
// CHECK-NEXT:      %j, %[[LEFT:.+]], %A2, %B2, %{{.+}}, %{{.+}} = nacho.search %[[RESIDUAL]] of(%[[A1]], %[[B1]]) between %lo1, %hi1
// CHECK-NEXT:      ^{{.+}}(%[[X:.+]]: index, %[[UP_TO_A:.+]]: index, %[[UP_TO_B:.+]]: index):
// CHECK-NEXT:        %[[COST_A:.+]] = nacho.cost <nnz> %[[A1]] to %[[UP_TO_A]]
// CHECK-NEXT:        %[[COST_B:.+]] = nacho.cost <nnz> %[[B1]] to %[[UP_TO_B]]
// CHECK-NEXT:        %[[NNZ:.+]] = arith.addi %[[COST_A]], %[[COST_B]]
// NNZ-NEXT:          nacho.yield %[[NNZ]]
// LOOPS:             %[[CHARGED:.+]] = arith.cmpi ne, %[[X]], %c0
// LOOPS-NEXT:        %[[CHARGE:.+]] = arith.select %[[CHARGED]], %[[UNIT]], %c0
// LOOPS-NEXT:        %[[SUM:.+]] = arith.addi %[[NNZ]], %[[CHARGE]]
// LOOPS-NEXT:        nacho.yield %[[SUM]]
//
// CHECK:           %[[CUT_COST:.+]] = arith.subi %[[QUERY]], %[[LEFT]]
// CHECK-NEXT:      %[[CUT:.+]] = nacho.cut %[[CUT_COST]] at(%i, %j) of(%L1, %A2, %B2)
// CHECK-NEXT:      nacho.yield %[[CUT]]
// CHECK:         nacho.nest in %[[CUTS]]
func.func @hadamard(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// The list of the loops over i and j is searched in both of them; what is recalled of its
// entry follows the second search. A value of A is no fiber, and is not asked for;
// and what is fetched ahead has nothing to do with cuts.
//
// CHECK-LABEL: func.func @expansion(
// CHECK:         %[[TOTAL:.+]] = nacho.cost <scan> %L0 :
// CHECK-NEXT:    nacho.partition %[[TOTAL]] of(%L0, %B0) into %parts
// CHECK-SAME{LITERAL}: loops [[0], [0], [1]]
// CHECK:           %i, %[[RES_I:.+]], %L1, %lo1, %hi1 = nacho.search %{{.+}} of(%L0)
// CHECK:             nacho.cost <scan> %L0 to
// CHECK-NOT:       nacho.recall
// CHECK:           %j, %[[RES_J:.+]], %L2, %lo2, %hi2 = nacho.search %[[RES_I]] of(%L1) between %lo1, %hi1
// CHECK-NEXT:      ^{{.+}}(%{{.+}}: index, %[[POS:.+]]: index):
// CHECK-NEXT:        nacho.cost <scan> %L1 to %[[POS]]
// CHECK-NOT:       nacho.prefetch
// CHECK:           %[[POS_B:.+]] = nacho.recall %L2 below 1 :
// CHECK-NEXT:      %[[B1:.+]] = nacho.fiber_at %B0[%[[POS_B]]] :
// CHECK:           %k, %{{.+}}, %B2, %{{.+}}, %{{.+}} = nacho.search %[[RES_J]] of(%[[B1]]) between %lo2, %hi2
// CHECK:             nacho.cost <nnz> %[[B1]] to
// CHECK:           nacho.cut %{{.+}} at(%i, %j, %k) of(%L1, %L2, %B2)
// CHECK:         nacho.nest collect<part_sums> in
// CHECK:             nacho.prefetch begin
func.func @expansion(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #Products> {
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k, part] : tensor<?x?x?xf64, #Products> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #Products>
}

// Of a run, both ends are recalled.
//
// CHECK-LABEL: func.func @runs(
// CHECK:           %i, %{{.+}}, %L1, %{{.+}}, %{{.+}} = nacho.search
// CHECK:           %[[A_FROM:.+]] = nacho.recall %L1 below 0
// CHECK-NEXT:      %[[A_TO:.+]] = nacho.recall %L1 below 1
// CHECK-NEXT:      %[[A1:.+]] = nacho.fiber_at %A0[%[[A_FROM]] to %[[A_TO]]] :
// CHECK-NEXT:      %[[B_FROM:.+]] = nacho.recall %L1 below 2
// CHECK-NEXT:      %[[B_TO:.+]] = nacho.recall %L1 below 3
// CHECK-NEXT:      %[[B1:.+]] = nacho.fiber_at %B0[%[[B_FROM]] to %[[B_TO]]] :
// CHECK:           nacho.search %{{.+}} of(%[[A1]], %[[B1]])
// CHECK:         nacho.nest in
func.func @runs(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[i, j] : tensor<?x?xf64, #COO>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}
