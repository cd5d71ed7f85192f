// RUN: nacho-opt %s -nacho-concretize -cse -nacho-partition-loops=cost=nnz+loops -canonicalize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

// Loops over all coordinates: which of them are cut, and what their steps cost.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#CD = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : dense) }>
#CDC = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// Y[i, k] = A[i, j] * X[j, k]: the loop over k is not cut. It takes as long for each entry of A, which
// is all that counts.
//
// CHECK-LABEL: func.func @negative_inside_reduction(
// CHECK-NOT:     arith.muli
// CHECK:         nacho.partition %total of(%A0) into %parts
// CHECK-SAME{LITERAL}: loops [[0], [0]]
// CHECK-SAME:      delta 2 : !{{.+}} -> <1, 1> {
// CHECK-COUNT-2:   nacho.search
// CHECK-NOT:       nacho.search
// CHECK:         nacho.nest reduce add in %cuts : !nacho.cuts<1, 1>
// CHECK-COUNT-3:   nacho.coiterate
func.func @negative_inside_reduction(%A: tensor<?x?xf64, #CSR>, %X: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %X[j, k] : tensor<?x?xf64>)
      -> [i, k] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Y : tensor<?x?xf64>
}

// Z[i, j] = A[i, j] * X[i, k] * Y[k, j]: nor is one over a reduced index inside of A's.
//
// CHECK-LABEL: func.func @negative_inside_entries(
// CHECK:         nacho.partition
// CHECK-SAME{LITERAL}: loops [[0], [0]]
// CHECK-COUNT-2:   nacho.search
// CHECK-NOT:       nacho.search
// CHECK:         nacho.nest
func.func @negative_inside_entries(%A: tensor<?x?xf64, #CSR>, %X: tensor<?x?xf64>, %Y: tensor<?x?xf64>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %X[i, k] : tensor<?x?xf64>,
                     %c = %Y[k, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    %2 = nacho.reduce add %1 over [k] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = A[i, k] * B[k, j], all dense: and of loops that nothing sparse limits, the one inside
// the reduction stays whole.
//
// CHECK-LABEL: func.func @gemm(
// CHECK:         nacho.partition %total to %N_i of() into %parts
// CHECK-SAME{LITERAL}: loops [[], []]
// CHECK-SAME:      -> <0, 0>
// CHECK:           %i, %residual, %lo1, %hi1 = nacho.search %query to %N_i of()
// CHECK:           %k, %{{.+}} = nacho.search %residual to %N_k of()
// CHECK-NOT:       nacho.search
// CHECK:         nacho.nest
func.func @gemm(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, k] : tensor<?x?xf64>, %b = %B[k, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [k] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64>
}

// Z[i, j] = A[i, j] * B[i, j], all dense: the steps are the coordinates.
//
// CHECK-LABEL: func.func @all_dense(
//
// total = N * M + N, or else nothing if an extent is 0
// CHECK:         %[[STEPS:.+]] = arith.muli %N_i, %N_j : index
// CHECK:         %[[BOUNDED:.+]] = arith.select %{{.+}}, %[[STEPS]], %{{.+}} : index
// CHECK-NEXT:    %[[ALL:.+]] = arith.addi %[[BOUNDED]], %N_i : index
// CHECK:         %total = arith.select %{{.+}}, %c0, %[[ALL]] : index
// CHECK:         nacho.partition %total to %N_i of() into %parts
// CHECK-SAME{LITERAL}: loops [[], []]
// CHECK-SAME:      delta 2
//
// C_i(i) = i * M + i
// CHECK:           nacho.search %query to %N_i of()
// CHECK-NEXT:      ^{{.+}}(%[[I:.+]]: index):
// CHECK-NEXT:        %[[STEPS:.+]] = arith.muli %[[I]], %N_j : index
// CHECK-NEXT:        %[[COST:.+]] = arith.addi %[[STEPS]], %[[I]] : index
// CHECK-NEXT:        nacho.yield %[[COST]]
//
// C_j(j | i) = j + (j > 0)
// CHECK:           nacho.search %residual to %N_j of() between %lo1, %hi1
// CHECK-NEXT:      ^{{.+}}(%[[J:.+]]: index):
// CHECK-NEXT:        %[[CHARGED:.+]] = arith.cmpi ne, %[[J]], %c0 : index
// CHECK-NEXT:        %[[UNIT:.+]] = arith.select %[[CHARGED]], %c1, %c0 : index
// CHECK-NEXT:        %[[COST:.+]] = arith.addi %[[J]], %[[UNIT]] : index
// CHECK-NEXT:        nacho.yield %[[COST]]
// CHECK:           nacho.cut %{{.+}} at(%i, %j) of() -> <0, 0>
func.func @all_dense(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>, %b = %B[i, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// Z[i, j] = A[i, j] + B[i, j], B dense: a step for every coordinate, and an entry more where A has one.
//
// CHECK-LABEL: func.func @sparse_plus_dense(
// CHECK:         %[[N:.+]] = sparse_tensor.lvl %{{.+}}, %c0
// CHECK-NEXT:    %costA = nacho.cost <nnz> %A0
// CHECK-NEXT:    %[[M:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// CHECK-NEXT:    %[[STEPS:.+]] = arith.muli %[[N]], %[[M]] : index
// CHECK:         %[[BOUNDED:.+]] = arith.select %{{.+}}, %[[STEPS]], %{{.+}} : index
// CHECK-NEXT:    %cost = arith.addi %costA, %[[BOUNDED]] : index
// CHECK-NEXT:    arith.addi %cost, %[[N]] : index
// CHECK:         nacho.partition
// CHECK-SAME:      delta 3
// CHECK:           nacho.search %query of(%A0)
// CHECK-NEXT:      ^{{.+}}(%[[I:.+]]: index, %posA: index):
// CHECK-NEXT:        %[[COST_A:.+]] = nacho.cost <nnz> %A0 to %posA
// CHECK-NEXT:        %[[STEPS:.+]] = arith.muli %[[I]], %[[M]] : index
// CHECK-NEXT:        arith.addi %[[COST_A]], %[[STEPS]] : index
// CHECK:           nacho.search %residual of(%A1)
// CHECK-NEXT:      ^{{.+}}(%[[J:.+]]: index, %posA: index):
// CHECK-NEXT:        %[[COST_A:.+]] = nacho.cost <nnz> %A1 to %posA
// CHECK-NEXT:        arith.addi %[[COST_A]], %[[J]] : index
func.func @sparse_plus_dense(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// A dense level inside a sparse one: the steps are those of the rows that are stored,
// and in a row that is not, there are none.
//
// CHECK-LABEL: func.func @dense_inside_sparse(
// CHECK:         %costA = nacho.cost <nnz> %A0
// CHECK-NEXT:    %loopsA = nacho.cost <loops> %A0
// CHECK-NEXT:    %[[M:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// CHECK-NEXT:    %[[STEPS:.+]] = arith.muli %loopsA, %[[M]] : index
// CHECK:         %[[BOUNDED:.+]] = arith.select %{{.+}}, %[[STEPS]], %{{.+}} : index
// CHECK-NEXT:    %cost = arith.addi %costA, %[[BOUNDED]] : index
// CHECK:         nacho.partition
// CHECK-SAME{LITERAL}: loops [[0], [0]]
// CHECK:           %[[HAS_A:.+]] = nacho.present %A1
// CHECK-NEXT:      %[[WEIGHT:.+]] = arith.index_castui %[[HAS_A]] : i1 to index
// CHECK-NEXT:      nacho.search %residual of(%A1)
// CHECK-NEXT:      ^{{.+}}(%[[J:.+]]: index, %posA: index):
// CHECK-NEXT:        %[[COST_A:.+]] = nacho.cost <nnz> %A1 to %posA
// CHECK-NEXT:        %[[STEPS:.+]] = arith.muli %[[J]], %[[WEIGHT]] : index
// CHECK-NEXT:        arith.addi %[[COST_A]], %[[STEPS]] : index
func.func @dense_inside_sparse(%A: tensor<?x?xf64, #CD>) -> tensor<?x?xf64, #CD> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CD>) -> [i, j] : tensor<?x?xf64, #CD> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #CD>
}

// The same with a sparse level inside: the middle loop's units are as many.
//
// CHECK-LABEL: func.func @dense_in_the_middle(
// CHECK:         %costA = nacho.cost <nnz> %A0
// CHECK-NEXT:    %loopsA = nacho.cost <loops> %A0
// CHECK-NEXT:    %cost = arith.addi %costA, %loopsA : index
// CHECK-NEXT:    %[[M:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// CHECK-NEXT:    %[[UNITS:.+]] = arith.muli %loopsA, %[[M]] : index
// CHECK:         %[[BOUNDED:.+]] = arith.select %{{.+}}, %[[UNITS]], %{{.+}} : index
// CHECK-NEXT:    arith.addi %cost, %[[BOUNDED]] : index
// CHECK:         nacho.partition
// CHECK-SAME{LITERAL}: loops [[0], [0], [0]]
func.func @dense_in_the_middle(%A: tensor<?x?x?xf64, #CDC>) -> tensor<?x?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CDC>) -> [i, j, k] : tensor<?x?x?xf64> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?x?xf64>
}

// Z[i, j] = x[i] * y[j], y dense: the last loop is the result's, and is cut.
//
// CHECK-LABEL: func.func @result_loop(
// CHECK:         nacho.partition %total of(%A0) into %parts
// CHECK-SAME{LITERAL}: loops [[0], []]
// CHECK-SAME:      -> <1, 0>
// CHECK:           nacho.search %query of(%A0)
// CHECK:           nacho.search %residual to %N_j of() between %lo1, %hi1
func.func @result_loop(%x: tensor<?xf64, #SV>, %y: tensor<?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %x[i] : tensor<?xf64, #SV>, %b = %y[j] : tensor<?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// A number: one loop that runs once.
//
// CHECK-LABEL: func.func @number(
// CHECK:         nacho.partition %{{.+}} to %c1 of() into %parts
// CHECK-SAME{LITERAL}: loops [[]]
func.func @number(%s: tensor<f64>) -> tensor<f64> {
  %Z = nacho.assign (%a = %s[] : tensor<f64>) -> [] : tensor<f64> {
    nacho.yield %a : f64
  }
  return %Z : tensor<f64>
}
