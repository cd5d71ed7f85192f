// RUN: nacho-opt %s -nacho-concretize -cse -nacho-partition-loops=cost=nnz+loops -canonicalize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

// Levels whose coordinates are not unique: the positions of a run are entries, and how
// many runs there are nobody stores.

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#COO3 = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// A vector has no runs, whatever it is called.
//
// CHECK-LABEL: func.func @negative_vector(
// CHECK:         nacho.partition
// CHECK-SAME:      delta 1
// CHECK:           nacho.search
// CHECK:             nacho.cost <nnz> %A0 to %posA
func.func @negative_vector(%A: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>) -> [i] : tensor<?xf64, #SV> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// COO alone: the entries, and no units for its rows, which are no more than those.
//
// CHECK-LABEL: func.func @coo(
// CHECK:         %costA = nacho.cost <nnz> %A0
// CHECK:         %total = arith.select %{{.+}}, %c0, %costA : index
// CHECK-NOT:     nacho.cost <loops>
// CHECK:         nacho.partition %total of(%A0) into %parts
// CHECK-SAME{LITERAL}: loops [[0], [0]]
// CHECK-SAME:      delta 1
// CHECK:           nacho.search %query of(%A0)
// CHECK-NEXT:      ^{{.+}}(%{{.+}}: index, %posA: index):
// CHECK-NEXT:        %[[COST:.+]] = nacho.cost <nnz> %A0 to %posA
// CHECK-NEXT:        nacho.yield %[[COST]]
// CHECK:           nacho.search %residual of(%A1) between %lo1, %hi1
// CHECK-NEXT:      ^{{.+}}(%{{.+}}: index, %posA: index):
// CHECK-NEXT:        %[[COST:.+]] = nacho.cost <nnz> %A1 to %posA
// CHECK-NEXT:        nacho.yield %[[COST]]
// CHECK-NOT:       nacho.cost
// CHECK:         nacho.nest
func.func @coo(%A: tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>) -> [i, j] : tensor<?x?xf64, #COO> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// Three levels of runs and singletons are as good as two.
//
// CHECK-LABEL: func.func @coo3(
// CHECK-NOT:     nacho.cost <loops>
// CHECK:         nacho.partition
// CHECK-SAME{LITERAL}: loops [[0], [0], [0]]
// CHECK-SAME:      delta 1
// CHECK-NOT:     nacho.cost <loops>
// CHECK:         nacho.nest
func.func @coo3(%A: tensor<?x?x?xf64, #COO3>) -> tensor<?x?x?xf64, #COO3> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #COO3>) -> [i, j, k] : tensor<?x?x?xf64, #COO3> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?x?xf64, #COO3>
}

// Next to a DCSR matrix, which brings the units of its rows.
//
// CHECK-LABEL: func.func @union_coo_dcsr(
// CHECK:         %costA = nacho.cost <nnz> %A0
// CHECK-NEXT:    %costB = nacho.cost <nnz> %B0
// CHECK-NEXT:    %cost = arith.addi %costA, %costB : index
// CHECK-NEXT:    %loopsB = nacho.cost <loops> %B0
// CHECK-NEXT:    arith.addi %cost, %loopsB : index
// CHECK-NOT:     nacho.cost <loops> %A0
// CHECK:         nacho.partition
// CHECK-SAME:      delta 3
// CHECK:           %unit = nacho.present %B1
// CHECK-NOT:       nacho.present %A1
// CHECK:           nacho.search %residual of(%A1, %B1)
func.func @union_coo_dcsr(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// Z[i, j] = A[i, j] * x[j]: x is repeated for every row of A, and charged for every entry. A
// coordinate costs as much as its row has entries: there is no bound that holds
// for all operands.
//
// CHECK-LABEL: func.func @driver(
// CHECK:         %costB = nacho.cost <nnz> %B0
// CHECK-NEXT:    %loopsA = nacho.cost <loops> %A0
// CHECK-NEXT:    arith.muli %costB, %loopsA : index
// CHECK:         nacho.partition
// CHECK-SAME:      delta -1
// CHECK:             %[[ENTRIES:.+]] = nacho.cost <loops> %A0 to %posA
// CHECK-NEXT:        arith.muli %costB, %[[ENTRIES]] : index
// CHECK:           %[[LENGTH:.+]] = nacho.cost <loops> %A1
// CHECK-NEXT:      nacho.search %residual of(%A1, %B0)
// CHECK:             %[[COST_B:.+]] = nacho.cost <nnz> %B0 to %posB
// CHECK-NEXT:        arith.muli %[[COST_B]], %[[LENGTH]] : index
func.func @driver(%A: tensor<?x?xf64, #COO>, %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}
