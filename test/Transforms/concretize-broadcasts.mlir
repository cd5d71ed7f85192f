// RUN: nacho-opt %s -nacho-concretize -cse --mlir-use-nameloc-as-prefix | FileCheck %s

// Operands that lack an index of the result, and operands and results that are dense.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#F = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : dense) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// Z[i, j] = A[i, j] * B[i, j]: nothing to be given, and no extent that the fibers do not
// tell.
//
// CHECK-LABEL: func.func @negative_no_broadcast(
// CHECK-NOT:     given
// CHECK-NOT:     coiterate {{.*}} to
// CHECK:         return
func.func @negative_no_broadcast(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// Z[i, j] = A[i, j] + x[j]: x has entries in every row, so that every row is visited.
//
// for i in 0 to N:
//   while j <- cols(A[i]) u x:
//     Z[i, j] = A[i, j] + x[j]
//
// CHECK-LABEL: func.func @row(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in intersect() {
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in union(%A2, %B1) {
// CHECK-NEXT:        %a = nacho.load %A2
// CHECK-NEXT:        %b = nacho.load %B1
// CHECK-NEXT:        %[[Z:.+]] = nacho.binary add %a, %b : f64
// CHECK-NEXT:        nacho.append %[[Z]] at(%i, %j) : f64
func.func @row(%A: tensor<?x?xf64, #DCSR>, %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = A[i, j] + x[i]: where x has the row, every column is visited, else those that
// A has.
//
// while i <- rows(A) u x:
//   while j <- x has i ? 0 to M : cols(A[i]):
//     Z[i, j] = A[i, j] + x[i]
//
// CHECK-LABEL: func.func @column(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in union(%A1, %B1) {
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) given (%B1 : {{[^ ]+}}) in union(%A2, %B1) {
// CHECK-NEXT:        %a = nacho.load %A2
// CHECK-NEXT:        %b = nacho.load %B1
// CHECK-NEXT:        %[[Z:.+]] = nacho.binary add %a, %b : f64
func.func @column(%A: tensor<?x?xf64, #DCSR>, %x: tensor<?xf64, #SV>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %x[i] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// Z[i, j] = A[i, j] * x[i]: the outer loop has asked for x, the inner one need not.
//
// CHECK-LABEL: func.func @scaled_rows(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}) in intersect(%A1, %B1) {
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NOT:         nacho.restrict
// CHECK:         return
func.func @scaled_rows(%A: tensor<?x?xf64, #DCSR>, %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %x[i] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j] = A[i, j] * x[i] + B[i, j]: in a row that B has the inner loop has to ask again,
// and the product is 0 where either is absent.
//
// CHECK-LABEL: func.func @scaled_rows_in_sum(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}, %B1 = %B0 : {{[^ ]+}}, %C1 = %C0 : {{[^ ]+}}) in union(intersect(%A1, %B1), %C1) {
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}, %C2 = %C1 : {{[^ ]+}}) given (%B1 : {{[^ ]+}}) in union(intersect(%A2, %B1), %C2) {
// CHECK:             %[[AX:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:        %[[AX0:.+]] = nacho.restrict %[[AX]] to intersect(%A2, %B1) : f64
// CHECK-NEXT:        nacho.binary add %[[AX0]], %c : f64
func.func @scaled_rows_in_sum(%A: tensor<?x?xf64, #DCSR>, %x: tensor<?xf64, #SV>,
                              %B: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %x[i] : tensor<?xf64, #SV>,
                     %c = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary add %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j] = x[i] * y[j]: each loop has an operand of its own.
//
// CHECK-LABEL: func.func @outer_product(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:      nacho.coiterate %j of (%B1 = %B0 : {{[^ ]+}}) in %B1 {
// CHECK-NEXT:        %a = nacho.load %A1
// CHECK-NEXT:        %b = nacho.load %B1
func.func @outer_product(%x: tensor<?xf64, #SV>, %y: tensor<?xf64, #SV>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %x[i] : tensor<?xf64, #SV>, %b = %y[j] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Z[i, j] = A[i, j] + B[i, j], B dense: so is the result, and the loops visit all.
//
// CHECK-LABEL: func.func @sparse_plus_dense(
// CHECK-SAME:    %[[B:[^ ]+]]: tensor<?x?xf64>) -> tensor<?x?xf64>
// CHECK:         nacho.nest : tensor<?x?xf64> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in intersect() {
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in intersect() {
// CHECK-NEXT:          %a = nacho.load %A2
// CHECK-NEXT:          %b = nacho.locate %[[B]][%i, %j]
func.func @sparse_plus_dense(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// The same into a sparse result: every entry is appended.
//
// CHECK-LABEL: func.func @dense_into_sparse(
// CHECK:         nacho.nest : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in intersect() {
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in intersect() {
// CHECK:               nacho.append %{{.+}} at(%i, %j) : f64
func.func @dense_into_sparse(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = A[i, j] * B[i, j], B dense: it is read where A has an entry.
//
// CHECK-LABEL: func.func @sparse_times_dense(
// CHECK-SAME:    %[[B:[^ ]+]]: tensor<?x?xf64>) ->
// CHECK:         nacho.nest : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NEXT:          %a = nacho.load %A2
// CHECK-NEXT:          %b = nacho.locate %[[B]][%i, %j]
func.func @sparse_times_dense(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Z[i, j] = A[i, j] + 1: nothing but a dense result is what it takes.
//
// CHECK-LABEL: func.func @plus_one(
// CHECK:         nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in intersect() {
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in intersect() {
func.func @plus_one(%A: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64> {
    %one = arith.constant 1.0 : f64
    %0 = nacho.binary add %a, %one : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// Dense tensors are read and written in any order: the loops run in that of A, and
// the coordinates are those of the levels.
//
// CHECK-LABEL: func.func @orders(
// CHECK-SAME:    %[[B:[^ ]+]]: tensor<?x?xf64>, %[[C:[^ ]+]]: tensor<?x?xf64, #{{[^ ]+}}>)
// CHECK:         nacho.coiterate %j of (%A1 = %A0 : {{[^ ]+}}) in %A1 {
// CHECK-NEXT:      nacho.coiterate %i of (%A2 = %A1 : {{[^ ]+}}) in %A2 {
// CHECK-NEXT:        %a = nacho.load %A2
// CHECK-NEXT:        %b = nacho.locate %[[B]][%i, %j]
// CHECK-NEXT:        %c = nacho.locate %[[C]][%j, %i]
// CHECK:             nacho.append %{{.+}} at(%j, %i) : f64
func.func @orders(%A: tensor<?x?xf64, #CSC>, %B: tensor<?x?xf64>, %C: tensor<?x?xf64, #F>)
    -> tensor<?x?xf64, #F> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSC>, %b = %B[i, j] : tensor<?x?xf64>,
                     %c = %C[j, i] : tensor<?x?xf64, #F>)
      -> [i, j] : tensor<?x?xf64, #F> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #F>
}

// Z[i, j] = x[i] * x[j], dense: loops without fibers have extents, of any tensor that has
// the index.
//
// CHECK-LABEL: func.func @dense_outer_product(
// CHECK-SAME:    %[[X:[^ ]+]]: tensor<?xf64>, %[[D:[^ ]+]]: tensor<?x?xf64>)
// CHECK-DAG:     %N_i = tensor.dim %[[X]], %c0
// CHECK-DAG:     %N_j = tensor.dim %[[D]], %c0
// CHECK:         nacho.coiterate %i to %N_i of () in intersect() {
// CHECK-NEXT:      nacho.coiterate %j to %N_j of () in intersect() {
// CHECK-NEXT:        %a = nacho.locate %[[X]][%i]
// CHECK-NEXT:        %b = nacho.locate %[[D]][%j, %j]
func.func @dense_outer_product(%x: tensor<?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %x[i] : tensor<?xf64>, %b = %D[j, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// A number everywhere.
//
// CHECK-LABEL: func.func @fill(
// CHECK:         nacho.coiterate %i to %N_i of () in intersect() {
// CHECK-NEXT:      %a = tensor.extract
// CHECK-NEXT:      nacho.append %a at(%i) : f64
func.func @fill(%s: tensor<f64>, %x: tensor<?xf64, #SV>) -> tensor<?xf64> {
  %Z = nacho.assign (%a = %s[] : tensor<f64>, %b = %x[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?xf64>
}
