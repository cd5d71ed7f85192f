// RUN: nacho-opt %s -nacho-concretize -cse -nacho-find-coordinates -nacho-remap-intersections=cost=nnz -cse --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nacho-opt %s -nacho-concretize -cse -nacho-find-coordinates -nacho-remap-intersections=cost=nnz+loops -cse --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=LOOPS

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#COO3 = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)) }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed) }>
#DCSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : dense, d1 : compressed, d2 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#CSR32 = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSR32 = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSF32 = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed),
  posWidth = 32, crdWidth = 32 }>
#Blocks32 = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : compressed),
  posWidth = 32, crdWidth = 32 }>
#Products = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa),
                         d2 : singleton(soa)) }>

// A list of loops is in COO, and has what is kept of an entry for further coordinates: no
// two entries differ in these alone, so that the last of the loops is unique.
//
// CHECK-DAG: #[[LIST3:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : compressed, d1 : singleton(soa), d2 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
// CHECK-DAG: #[[LIST4:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2, d3) -> (d0 : compressed, d1 : singleton(soa), d2 : singleton(soa), d3 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
// CHECK-DAG: #[[LIST5:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2, d3, d4) -> (d0 : compressed, d1 : singleton(soa), d2 : singleton(soa), d3 : singleton(soa), d4 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
// CHECK-DAG: #[[NESTED4:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2, d3) -> (d0 : compressed(nonunique), d1 : singleton(soa), d2 : singleton(soa), d3 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
// CHECK-DAG: #[[NARROW3:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2) -> (d0 : compressed, d1 : singleton(soa), d2 : singleton(soa)), posWidth = 64, crdWidth = 32 }>
// CHECK-DAG: #[[NARROW4:.+]] = #sparse_tensor.encoding<{ map = (d0, d1, d2, d3) -> (d0 : compressed(nonunique), d1 : singleton(soa), d2 : singleton(soa), d3 : singleton(soa)), posWidth = 64, crdWidth = 32 }>

//===----------------------------------------------------------------------===//
// Nothing to be listed
//===----------------------------------------------------------------------===//

// A union skips nothing.
//
// CHECK-LABEL: func.func @negative_union(
// CHECK-NOT:     nacho.position
// CHECK:         nacho.nest : tensor<
// CHECK-NOT:     nacho.nest
// CHECK:         return
func.func @negative_union(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Neither does an intersection of rows that are all there, empty or not.
//
// CHECK-LABEL: func.func @negative_dense_rows(
// CHECK-NOT:     nacho.position
// CHECK:         nacho.nest : tensor<
// CHECK-NOT:     nacho.nest
// CHECK:         return
func.func @negative_dense_rows(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// What the innermost loop skips, it has looked at.
//
// CHECK-LABEL: func.func @negative_innermost(
// CHECK-NOT:     nacho.position
// CHECK:         nacho.nest : tensor<
// CHECK-NOT:     nacho.nest
// CHECK:         return
func.func @negative_innermost(%a: tensor<?xf64, #SV>, %b: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %z = nacho.assign (%x = %a[i] : tensor<?xf64, #SV>, %y = %b[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary mul %x, %y : f64
    nacho.yield %0 : f64
  }
  return %z : tensor<?xf64, #SV>
}

// A dense operand is located: it is not among those that could be skipped.
//
// CHECK-LABEL: func.func @negative_spmv(
// CHECK-NOT:     nacho.position
// CHECK:         nacho.nest reduce add : tensor<
// CHECK-NOT:     nacho.nest
// CHECK:         return
func.func @negative_spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// y[i] has to be appended for rows with nothing inside, which a list of the loop over j
// would not have.
//
// CHECK-LABEL: func.func @negative_appends_outside(
// CHECK-NOT:     nacho.position
// CHECK:         nacho.nest reduce add : tensor<
// CHECK-NOT:     nacho.nest
// CHECK:         return
func.func @negative_appends_outside(%b: tensor<?xf64>, %A: tensor<?x?x?xf64, #DCSF>,
                                    %B: tensor<?x?x?xf64, #DCSF>) -> tensor<?xf64> {
  %y = nacho.assign (%0 = %b[i] : tensor<?xf64>, %1 = %A[i, j, k] : tensor<?x?x?xf64, #DCSF>,
                     %2 = %B[i, j, k] : tensor<?x?x?xf64, #DCSF>) -> [i] : tensor<?xf64> {
    %3 = nacho.binary mul %1, %2 : f64
    %4 = nacho.reduce add %3 over [j, k] : f64
    %5 = nacho.binary add %0, %4 : f64
    nacho.yield %5 : f64
  }
  return %y : tensor<?xf64>
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

// The paper's listing of section 3.3:
//
//   for i in A n B:               L = [(i, A[i], B[i], cost) for i in A n B]
//     for j in A[i] n B[i]:   ->  for (i, Ai, Bi) in L:
//       Z[i, j] = ...               for j in Ai n Bi:
//                                     Z[i, j] = ...
//
// CHECK-LABEL: func.func @hadamard(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %{{[^ ]+}}: tensor<
// CHECK:         %A0 = nacho.root %[[A]]
// CHECK-NEXT:    %B0 = nacho.root
//
// L = [(i, A[i], B[i], cost) for i in A n B]
// CHECK-NEXT:    %L = nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #[[LIST3]]> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A1, %B1) {
// CHECK-NEXT:        %posA = nacho.position %A1
// CHECK-NEXT:        %posB = nacho.position %B1
//
// cost = nnz(A[i]) + nnz(B[i]), or nothing if there are no columns
// CHECK:             %costA = nacho.cost <nnz> %A1
// CHECK-NEXT:        %costB = nacho.cost <nnz> %B1
// CHECK-NEXT:        %[[NNZ:.+]] = arith.addi %costA, %costB : index
// CHECK:             %[[COLUMNS:.+]] = sparse_tensor.lvl %[[A]], %c1
// CHECK-NEXT:        %[[EMPTY:.+]] = arith.cmpi eq, %[[COLUMNS]], %c0
// CHECK-NEXT:        %[[COST:.+]] = arith.select %[[EMPTY]], %c0{{.*}}, %[[NNZ]] : index
// CHECK-NEXT:        %[[WIDE:.+]] = arith.index_cast %[[COST]] : index to i64
// CHECK-NEXT:        nacho.append %[[WIDE]] at(%i, %posA, %posB) : i64
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.yield
// CHECK-NEXT:    }
//
// for (i, Ai, Bi) in L:
// CHECK-NEXT:    %L0 = nacho.root %L scanned_list
// CHECK-NEXT:    %[[Z:.+]] = nacho.nest : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %i of (%L1 = %L0 : {{.+}}) in %L1 {
// CHECK-NEXT:        %posA = nacho.recall %L1 below 0
// CHECK-NEXT:        %A1 = nacho.fiber_at %A0[%posA] certain
// CHECK-NEXT:        %posB = nacho.recall %L1 below 1
// CHECK-NEXT:        %B1 = nacho.fiber_at %B0[%posB] certain
//
// for j in Ai n Bi: Z[i, j] = A[i, j] * B[i, j]
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %B2 = %B1 : {{.+}}) in intersect(%A2, %B2) {
// CHECK-NEXT:          %a = nacho.load %A2
// CHECK-NEXT:          %b = nacho.load %B2
// CHECK-NEXT:          %[[PRODUCT:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:          nacho.append %[[PRODUCT]] at(%i, %j) : f64
// CHECK:         return %[[Z]]
//
// With the loops counted, an entry of the list costs a unit more: it is an iteration.
// LOOPS-LABEL: func.func @hadamard(
// LOOPS:         %L = nacho.nest collect<scanned_list>
// LOOPS:             %[[NNZ:.+]] = arith.addi %costA, %costB : index
// LOOPS-NEXT:        %[[ALL:.+]] = arith.addi %[[NNZ]], %c1{{.*}} : index
// LOOPS:             %[[COST:.+]] = arith.select %{{.+}}, %c0{{.*}}, %[[ALL]] : index
// LOOPS-NEXT:        arith.index_cast %[[COST]]
// LOOPS:         return
func.func @hadamard(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Two loops that skip are listed one after the other. Both lists tell where A and B are,
// the first one one level up from the second one, and cost what is done with them next:
//
//   L = [(i, A[i], B[i], cost of j in A[i], B[i]) for i in A n B]
//   M = [(i, j, Ai[j], Bi[j], cost of k in Ai[j], Bi[j]) for (i, Ai, Bi) in L for j in Ai n Bi]
//   for (i, j, Aij, Bij) in M:
//     for k in Aij n Bij: s += ...
//
// CHECK-LABEL: func.func @inner_product(
// CHECK:         %[[L:.+]] = nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #[[LIST3]]> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A1, %B1) {
// CHECK-NEXT:        %posA = nacho.position %A1
// CHECK-NEXT:        %posB = nacho.position %B1
// CHECK:             nacho.cost <loops> %A1
// CHECK-NEXT:        nacho.cost <loops> %B1
// CHECK:             nacho.append %{{.+}} at(%i, %posA, %posB) : i64
//
// CHECK:         %[[L0:.+]] = nacho.root %[[L]] scanned_list
// CHECK-NEXT:    %[[M:.+]] = nacho.nest collect<scanned_list> : tensor<?x?x?x?xi64, #[[NESTED4]]> {
// CHECK-NEXT:      nacho.coiterate %i of (%L1 = %[[L0]] : {{.+}}) in %L1 {
// CHECK-NEXT:        %posA = nacho.recall %L1 below 0
// CHECK-NEXT:        %A1 = nacho.fiber_at %A0[%posA] certain
// CHECK-NEXT:        %posB = nacho.recall %L1 below 1
// CHECK-NEXT:        %B1 = nacho.fiber_at %B0[%posB] certain
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %B2 = %B1 : {{.+}}) in intersect(%A2, %B2) {
// CHECK-NEXT:          %[[POS_A:.+]] = nacho.position %A2
// CHECK-NEXT:          %[[POS_B:.+]] = nacho.position %B2
// CHECK:               nacho.cost <nnz> %A2
// CHECK-NEXT:          nacho.cost <nnz> %B2
// CHECK:               nacho.append %{{.+}} at(%i, %j, %[[POS_A]], %[[POS_B]]) : i64
//
// CHECK:         %[[M0:.+]] = nacho.root %[[M]] scanned_list
// CHECK-NEXT:    nacho.nest reduce add : tensor<f64> {
// CHECK-NEXT:      nacho.coiterate %i of (%L1 = %[[M0]] : {{.+}}) in %L1 {
// CHECK-NEXT:        nacho.coiterate %j of (%L2 = %L1 : {{.+}}) in %L2 {
// CHECK-NEXT:          %posA = nacho.recall %L2 below 0
// CHECK-NEXT:          %A2 = nacho.fiber_at %A0[%posA] certain
// CHECK-NEXT:          %posB = nacho.recall %L2 below 1
// CHECK-NEXT:          %B2 = nacho.fiber_at %B0[%posB] certain
// CHECK-NEXT:          nacho.coiterate %k of (%A3 = %A2 : {{.+}}, %B3 = %B2 : {{.+}}) in intersect(%A3, %B3) {
// CHECK:                 nacho.append %{{.+}} at() : f64
func.func @inner_product(%A: tensor<?x?x?xf64, #CSF>, %B: tensor<?x?x?xf64, #CSF>) -> tensor<f64> {
  %s = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>,
                     %b = %B[i, j, k] : tensor<?x?x?xf64, #CSF>) -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j, k] : f64
    nacho.yield %1 : f64
  }
  return %s : tensor<f64>
}

// A union skips all the same if a part of it does: rows of A that B does not have. What is
// in the list need not have all three: an absent one has position -1.
//
// CHECK-LABEL: func.func @product_plus(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?x?xi64, #[[LIST4]]> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}, %C1 = %C0 : {{.+}}) in union(intersect(%A1, %B1), %C1) {
// CHECK:             nacho.append %{{.+}} at(%i, %posA, %posB, %posC) : i64
//
// CHECK:         nacho.coiterate %i of (%L1 = %L0 : {{.+}}) in %L1 {
// CHECK-NEXT:      %posA = nacho.recall %L1 below 0
// CHECK-NEXT:      %A1 = nacho.fiber_at %A0[%posA] :
// CHECK-NEXT:      %posB = nacho.recall %L1 below 1
// CHECK-NEXT:      %B1 = nacho.fiber_at %B0[%posB] :
// CHECK-NEXT:      %posC = nacho.recall %L1 below 2
// CHECK-NEXT:      %C1 = nacho.fiber_at %C0[%posC] :
// CHECK-NEXT:      nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %B2 = %B1 : {{.+}}, %C2 = %C1 : {{.+}}) in union(intersect(%A2, %B2), %C2) {
func.func @product_plus(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>,
                        %C: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>,
                     %c = %C[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary add %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Lists of runs cost what the runs have in all: of the next level, too, where a
// coordinate is another run.
//
// CHECK-LABEL: func.func @inner_product_of_runs(
// CHECK:         nacho.nest collect<scanned_list>
// CHECK:           nacho.coiterate %i
// CHECK:             %[[ALL_A:.+]] = nacho.cost <{{[a-z]+}}> %A1
// CHECK-NEXT:        %[[ALL_B:.+]] = nacho.cost <{{[a-z]+}}> %B1
// CHECK-NEXT:        arith.addi %[[ALL_A]], %[[ALL_B]]
// CHECK:         nacho.nest collect<scanned_list>
// CHECK:             nacho.coiterate %j
// CHECK:               %[[RUN_A:.+]] = nacho.cost <nnz> %A2
// CHECK-NEXT:          %[[RUN_B:.+]] = nacho.cost <nnz> %B2
// CHECK-NEXT:          arith.addi %[[RUN_A]], %[[RUN_B]]
func.func @inner_product_of_runs(%A: tensor<?x?x?xf64, #COO3>, %B: tensor<?x?x?xf64, #COO3>) -> tensor<f64> {
  %s = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #COO3>,
                     %b = %B[i, j, k] : tensor<?x?x?xf64, #COO3>) -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j, k] : f64
    nacho.yield %1 : f64
  }
  return %s : tensor<f64>
}

// The row of a matrix in COO is a run of its entries: both of its ends are kept.
//
// CHECK-LABEL: func.func @runs(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?x?x?xi64, #[[LIST5]]> {
// CHECK:             %[[A_BEGIN:.+]] = nacho.position %A1
// CHECK-NEXT:        %[[A_END:.+]] = nacho.position end %A1
// CHECK-NEXT:        %[[B_BEGIN:.+]] = nacho.position %B1
// CHECK-NEXT:        %[[B_END:.+]] = nacho.position end %B1
// CHECK:             nacho.append %{{.+}} at(%i, %[[A_BEGIN]], %[[A_END]], %[[B_BEGIN]], %[[B_END]]) : i64
//
// CHECK:         nacho.coiterate %i of (%L1 = %L0 : {{.+}}) in %L1 {
// CHECK-NEXT:      %[[A_FROM:.+]] = nacho.recall %L1 below 0
// CHECK-NEXT:      %[[A_TO:.+]] = nacho.recall %L1 below 1
// CHECK-NEXT:      %A1 = nacho.fiber_at %A0[%[[A_FROM]] to %[[A_TO]]] certain
// CHECK-NEXT:      %[[B_FROM:.+]] = nacho.recall %L1 below 2
// CHECK-NEXT:      %[[B_TO:.+]] = nacho.recall %L1 below 3
// CHECK-NEXT:      %B1 = nacho.fiber_at %B0[%[[B_FROM]] to %[[B_TO]]] certain
func.func @runs(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[i, j] : tensor<?x?xf64, #COO>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// The rows of B are all there, and only those that A has are located: B is what is
// skipped.
//
// CHECK-LABEL: func.func @located_rows(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #[[LIST3]]> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A1, %B1) nonempty(%B1) {
// CHECK:             nacho.append %{{.+}} at(%i, %posA, %posB) : i64
// CHECK:         nacho.coiterate %i of (%L1 = %L0 : {{.+}}) in %L1 {
// CHECK:           %A1 = nacho.fiber_at %A0[%posA] certain
// CHECK:           %B1 = nacho.fiber_at %B0[%posB] certain
func.func @located_rows(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// E[i, k, part] = sum_j A[i, j] * B[j, k], of which the rows of B are located: the loops
// over i and j become one list, of entries of A and rows of B, which cost what is in the
// row.
//
// CHECK-LABEL: func.func @expansion(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?x?xi64, #[[NESTED4]]> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{.+}}) in %A1 {
// CHECK-NEXT:        nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A2, %B1) nonempty(%B1) {
// CHECK-NEXT:          %posA = nacho.position %A2
// CHECK-NEXT:          %posB = nacho.position %B1
// CHECK-NOT:           nacho.cost <{{.+}}> %A
// CHECK:               %costB = nacho.cost <nnz> %B1
// CHECK-NOT:           nacho.cost
// CHECK:               nacho.append %{{.+}} at(%i, %j, %posA, %posB) : i64
//
// CHECK:         nacho.nest collect<part_sums> : tensor<
// CHECK-NEXT:      nacho.coiterate %i of (%L1 = %L0 : {{.+}}) in %L1 {
// CHECK-NEXT:        nacho.coiterate %j of (%L2 = %L1 : {{.+}}) in %L2 {
// CHECK-NEXT:          %posA = nacho.recall %L2 below 0
// CHECK-NEXT:          %A2 = nacho.fiber_at %A0[%posA] certain
//
// Entries of A follow one another, and are not fetched. The row of B can be anywhere: where
// it begins is looked up 16 entries ahead, and so it is known 8 entries ahead what to fetch.
//
// CHECK-NEXT:          %[[FAR:.+]] = nacho.recall %L2 below 1 ahead 16
// CHECK-NEXT:          %[[FAR_ROW:.+]] = nacho.fiber_at %B0[%[[FAR]]] certain
// CHECK-NEXT:          nacho.prefetch begin %[[FAR_ROW]] :
// CHECK-NEXT:          %[[NEAR:.+]] = nacho.recall %L2 below 1 ahead 8
// CHECK-NEXT:          %[[NEAR_ROW:.+]] = nacho.fiber_at %B0[%[[NEAR]]] certain
// CHECK-NEXT:          nacho.prefetch %[[NEAR_ROW]] elements :
// CHECK-NEXT:          %posB = nacho.recall %L2 below 1 :
// CHECK-NEXT:          %B1 = nacho.fiber_at %B0[%posB] certain
// CHECK-NEXT:          nacho.coiterate %k of (%B2 = %B1 : {{.+}}) in %B2 {
// CHECK-NEXT:            %a = nacho.load %A2
// CHECK-NEXT:            %b = nacho.load %B2
// CHECK-NEXT:            %[[PRODUCT:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:            %[[PART:.+]] = nacho.part
// CHECK-NEXT:            nacho.append %[[PRODUCT]] at(%i, %k, %[[PART]]) : f64
// CHECK-NOT:     nacho.prefetch
// CHECK:         return
func.func @expansion(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #Products> {
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k, part] : tensor<?x?x?xf64, #Products> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #Products>
}

// If all products are listed, there is no workspace; all else is the same.
//
// CHECK-LABEL: func.func @products(
// CHECK:         nacho.nest collect<scanned_list>
// CHECK:         nacho.nest collect<sorted_list> : tensor<
// CHECK:           nacho.prefetch begin
// CHECK:           nacho.prefetch %{{.+}} elements
// CHECK-NOT:       nacho.part
// CHECK:           nacho.append %{{.+}} at(%i, %k, %j) : f64
func.func @products(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #Products> {
  %E = nacho.assign collect<sorted_list> (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k, j] : tensor<?x?x?xf64, #Products> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #Products>
}

// The rows of a matrix in COO are runs, of which the beginning is in no array.
//
// CHECK-LABEL: func.func @negative_prefetch_runs(
// CHECK-NOT:     nacho.prefetch
// CHECK-NOT:     ahead
// CHECK:         return
func.func @negative_prefetch_runs(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #COO>)
    -> tensor<?x?x?xf64, #Products> {
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #COO>)
      -> [i, k, part] : tensor<?x?x?xf64, #Products> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #Products>
}

// Positions of operands with 32 bits need no more, nor do the coordinates.
//
// CHECK-LABEL: func.func @narrow(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #[[NARROW3]]> {
// CHECK:             nacho.append %{{.+}} at(%i, %posA, %posB) : i64
func.func @narrow(%A: tensor<?x?xf64, #DCSR32>, %B: tensor<?x?xf64, #CSR32>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR32>, %b = %B[i, j] : tensor<?x?xf64, #CSR32>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Nor do the coordinates of a list that another one is made of.
//
// CHECK-LABEL: func.func @narrow_list_of_a_list(
// CHECK:         nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #[[NARROW3]]> {
// CHECK:         nacho.nest collect<scanned_list> : tensor<?x?x?x?xi64, #[[NARROW4]]> {
func.func @narrow_list_of_a_list(%A: tensor<?x?x?xf64, #CSF32>, %B: tensor<?x?x?xf64, #CSF32>)
    -> tensor<f64> {
  %s = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF32>,
                     %b = %B[i, j, k] : tensor<?x?x?xf64, #CSF32>) -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j, k] : f64
    nacho.yield %1 : f64
  }
  return %s : tensor<f64>
}

// CHECK-LABEL: func.func @narrow_nested(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?x?xi64, #[[NARROW4]]> {
// CHECK:               nacho.append %{{.+}} at(%i, %j, %posA, %posB) : i64
func.func @narrow_nested(%A: tensor<?x?xf64, #CSR32>, %B: tensor<?x?xf64, #CSR32>)
    -> tensor<?x?x?xf64, #Products> {
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64, #CSR32>, %b = %B[j, k] : tensor<?x?xf64, #CSR32>)
      -> [i, k, part] : tensor<?x?x?xf64, #Products> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #Products>
}

// One operand that may have more entries makes all of the list wide.
//
// CHECK-LABEL: func.func @negative_narrow_one_wide(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #[[LIST3]]> {
func.func @negative_narrow_one_wide(%A: tensor<?x?xf64, #DCSR32>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR32>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// So does one of which the rows lie in dense blocks: their positions are products, which
// may be larger than any number that is stored. The blocks' own are not.
//
// CHECK-LABEL: func.func @negative_narrow_blocks(
// CHECK:         nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #[[NARROW3]]> {
// CHECK:         nacho.nest collect<scanned_list> : tensor<?x?x?x?xi64, #[[NESTED4]]> {
func.func @negative_narrow_blocks(%A: tensor<?x?x?xf64, #CSF32>, %B: tensor<?x?x?xf64, #Blocks32>)
    -> tensor<f64> {
  %s = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF32>,
                     %b = %B[i, j, k] : tensor<?x?x?xf64, #Blocks32>) -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j, k] : f64
    nacho.yield %1 : f64
  }
  return %s : tensor<f64>
}

// How often x is gone through, the loop over a u b has to tell: neither a nor b knows.
//
// CHECK-LABEL: func.func @repeated(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #[[LIST3]]> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in union(%A1, %B1) {
// CHECK:             nacho.cost <nnz> %C0
// CHECK:             nacho.append %{{.+}} at(%i, %posA, %posB) : i64
// CHECK:         nacho.coiterate %i of (%L1 = %L0 : {{.+}}) in %L1 {
// CHECK:           %A1 = nacho.fiber_at %A0[%posA] :
// CHECK:           %B1 = nacho.fiber_at %B0[%posB] :
// CHECK-NEXT:      nacho.coiterate %j of (%C1 = %C0 : {{.+}}) given (%A1 : {{.+}}, %B1 : {{.+}}) in intersect(union(%A1, %B1), %C1) {
func.func @repeated(%a: tensor<?xf64, #SV>, %b: tensor<?xf64, #SV>, %x: tensor<?xf64, #SV>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%0 = %a[i] : tensor<?xf64, #SV>, %1 = %b[i] : tensor<?xf64, #SV>,
                     %2 = %x[j] : tensor<?xf64, #SV>) -> [i, j] : tensor<?x?xf64, #DCSR> {
    %3 = nacho.binary add %0, %1 : f64
    %4 = nacho.binary mul %3, %2 : f64
    nacho.yield %4 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// What is appended in the loop that is listed is so in that of the list: it has every row of
// b, with or without any of A and B. Where only one of these is there, nothing inside
// needs it: it is kept as absent, and costs nothing. The entries of b are a step each.
//
// CHECK-LABEL: func.func @appends_in_listed(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?x?xi64, #[[LIST4]]> {
// CHECK-NEXT:      nacho.coiterate %i of ({{.+}}) in union(%A1, intersect(%B1, %C1)) {
// CHECK-NEXT:        %[[HAS_B:.+]] = nacho.present %B1
// CHECK-NEXT:        %[[HAS_C:.+]] = nacho.present %C1
// CHECK-NEXT:        %[[BOTH:.+]] = arith.andi %[[HAS_B]], %[[HAS_C]] : i1
// CHECK-NEXT:        %posB = nacho.position %B1
// CHECK:             %[[POS_B:.+]] = arith.select %[[BOTH]], %posB, %{{.+}} : index
// CHECK-NEXT:        %posC = nacho.position %C1
// CHECK-NEXT:        %[[POS_C:.+]] = arith.select %[[BOTH]], %posC, %{{.+}} : index
// CHECK-NEXT:        %posA = nacho.position %A1
// CHECK:             %[[INSIDE:.+]] = arith.select %[[BOTH]], %{{.+}}, %c0 : index
// CHECK-NEXT:        arith.addi %[[INSIDE]], %c1 : index
// CHECK:             nacho.append %{{.+}} at(%i, %[[POS_B]], %[[POS_C]], %posA) : i64
// CHECK-NOT:         nacho.append
// CHECK:         nacho.nest reduce add : tensor<
// CHECK-NEXT:      nacho.coiterate %i of (%L1 = %L0 : {{.+}}) in %L1 {
// CHECK:             %A1 = nacho.fiber_at %A0[%posA] :
// CHECK-NEXT:        nacho.coiterate %j of (%B2 = %B1 : {{.+}}, %C2 = %C1 : {{.+}}) in intersect(%B2, %C2) {
// CHECK:               nacho.append %{{.+}} at(%i) : f64
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[HAS:.+]] = nacho.present %A1
// CHECK-NEXT:        %a = nacho.load %A1
// CHECK-NEXT:        nacho.append %a at(%i) if %[[HAS]] : f64
func.func @appends_in_listed(%b: tensor<?xf64, #SV>, %A: tensor<?x?xf64, #DCSR>,
                             %B: tensor<?x?xf64, #DCSR>) -> tensor<?xf64, #SV> {
  %y = nacho.assign (%0 = %b[i] : tensor<?xf64, #SV>, %1 = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %2 = %B[i, j] : tensor<?x?xf64, #DCSR>) -> [i] : tensor<?xf64, #SV> {
    %3 = nacho.binary mul %1, %2 : f64
    %4 = nacho.reduce add %3 over [j] : f64
    %5 = nacho.binary add %0, %4 : f64
    nacho.yield %5 : f64
  }
  return %y : tensor<?xf64, #SV>
}

// So it has those rows of b for which A has an empty one.
//
// CHECK-LABEL: func.func @negative_nonempty(
// CHECK:         nacho.coiterate %i of ({{.+}}) in union(%A1, intersect(%B1, %C1)) {
// CHECK-NOT:     nonempty
// CHECK:         return
func.func @negative_nonempty(%b: tensor<?xf64, #SV>, %A: tensor<?x?xf64, #CSR>,
                             %B: tensor<?x?xf64, #CSR>) -> tensor<?xf64, #SV> {
  %y = nacho.assign (%0 = %b[i] : tensor<?xf64, #SV>, %1 = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %2 = %B[i, j] : tensor<?x?xf64, #CSR>) -> [i] : tensor<?xf64, #SV> {
    %3 = nacho.binary mul %1, %2 : f64
    %4 = nacho.reduce add %3 over [j] : f64
    %5 = nacho.binary add %0, %4 : f64
    nacho.yield %5 : f64
  }
  return %y : tensor<?xf64, #SV>
}

//===----------------------------------------------------------------------===//
// What is found
//===----------------------------------------------------------------------===//

// E[i, k, part] = sum_j M[i, k] * A[i, j] * B[j, k]: the row of M is read once for all
// entries of the row of A, which share what that costs; rows without a mask are not listed:
//
//   share = ceil(nnz(M[i]) / max(nnz(A[i]), 1))
//
// CHECK-LABEL: func.func @masked(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?x?x?xi64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A1, %B1) nonempty(%A1) {
// CHECK-NEXT:        %sizeA = nacho.cost <nnz> %A1
// CHECK:             %sizeB = nacho.cost <nnz> %B1
// CHECK-NEXT:        %[[STEPS:.+]] = arith.maxui %sizeB, %{{.+}} : index
// CHECK-NEXT:        %[[SHARE:.+]] = arith.ceildivui %sizeA, %[[STEPS]] : index
// CHECK-NEXT:        nacho.coiterate %j of (%B2 = %B1 : {{.+}}, %C1 = %C0 : {{.+}}) in intersect(%B2, %C1) {
// CHECK:               %cost = arith.select
// CHECK-NEXT:          %[[ALL:.+]] = arith.addi %cost, %[[SHARE]] : index
// CHECK-NEXT:          %[[WIDE:.+]] = arith.index_cast %[[ALL]] : index to i64
// CHECK-NEXT:          nacho.append %[[WIDE]] at(%i, %j, %posA, %posB, %posC) : i64
//
// The row is kept with each of the entries, and it is the same one.
// CHECK:         nacho.nest collect<part_sums> : tensor<
// CHECK-NEXT:      nacho.coiterate %i of (%L1 = %L0 : {{.+}}) in %L1 {
// CHECK-NEXT:        nacho.coiterate %j of (%L2 = %L1 : {{.+}}) in %L2 {
// CHECK-NEXT:          %posA = nacho.recall %L2 below 0
// CHECK-NEXT:          %A1 = nacho.fiber_at %A0[%posA] certain
// CHECK:               nacho.coiterate %k of (%C2 = %C1 : {{[^)]+}}) in %C2 {
// CHECK-NEXT:            %A2 = nacho.find %k in %A1 :
//
// LOOPS-LABEL: func.func @masked(
// LOOPS:             %[[STEPS:.+]] = arith.maxui %sizeB, %{{.+}} : index
// LOOPS-NEXT:        %[[SHARE:.+]] = arith.ceildivui %sizeA, %[[STEPS]] : index
// LOOPS:               arith.addi %cost, %[[SHARE]] : index
// LOOPS:         return
func.func @masked(%M: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #Products> {
  %E = nacho.assign collect<part_sums> (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k, part] : tensor<?x?x?xf64, #Products> {
    %0 = nacho.binary mul %m, %a : f64
    %1 = nacho.binary mul %0, %b : f64
    nacho.yield %1 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #Products>
}

// Z[i, j, k] = A[i, j, k] * B[i, k]: each entry of the list has another row of B, which is
// read for it alone.
//
// CHECK-LABEL: func.func @masked_anew(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A1, %B1) {
// CHECK:             %cost = arith.select
// CHECK-NEXT:        %sizeB = nacho.cost <nnz> %B1
// CHECK-NEXT:        %[[ALL:.+]] = arith.addi %cost, %sizeB : index
// CHECK-NEXT:        %[[WIDE:.+]] = arith.index_cast %[[ALL]] : index to i64
// CHECK-NEXT:        nacho.append %[[WIDE]] at(%i, %posB, %posA) : i64
// CHECK:         nacho.coiterate %i of (%L1 = %L0 : {{.+}}) in %L1 {
// CHECK:           %B1 = nacho.fiber_at %B0[%posB] certain
// CHECK:           nacho.coiterate %j of (%A2 = %A1 : {{[^)]+}}) in %A2 {
// CHECK-NEXT:        nacho.coiterate %k of (%A3 = %A2 : {{[^)]+}}) in %A3 {
// CHECK-NEXT:          %B2 = nacho.find %k in %B1 of_row :
func.func @masked_anew(%A: tensor<?x?x?xf64, #CSF>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?x?xf64, #CSF> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>, %b = %B[i, k] : tensor<?x?xf64, #DCSR>)
      -> [i, j, k] : tensor<?x?x?xf64, #CSF> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?x?xf64, #CSF>
}

// Z[i, j] = A[i, j] * B[i, j] * x[j]: x is read once, whoever does, and no entry of the list
// costs more for it.
//
// CHECK-LABEL: func.func @negative_share_of_root(
// CHECK:         %L = nacho.nest collect<scanned_list>
// CHECK-NOT:     nacho.cost <nnz> %C
// CHECK-NOT:     %share
// CHECK:         nacho.coiterate %j of (%A2 = %A1 : {{.+}}, %B2 = %B1 : {{.+}}) in intersect(%A2, %B2) {
// CHECK-NEXT:      %C1 = nacho.find %j in %C0 :
func.func @negative_share_of_root(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>,
                                  %x: tensor<?xf64, #SV>) -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>,
                     %c = %x[j] : tensor<?xf64, #SV>) -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// The rows of C are searched for each j of B[i], not stepped through again for each i: an entry of the first list costs
// as many steps as B[i] has entries.
//
// CHECK-LABEL: func.func @sought_rows(
// CHECK:         %L = nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A1, %B1) {
// CHECK-NOT:         nacho.cost <nnz> %C0
// CHECK:             nacho.cost <nnz> %B1
// CHECK-NOT:         nacho.cost
// CHECK:             nacho.append %{{.+}} at(%i, %{{.+}}, %{{.+}}) : i64
// CHECK:           nacho.coiterate %j of (%B2 = %B1 : {{.+}}) in %B2 {
// CHECK-NEXT:        %C1 = nacho.seek %j in %C0 :
func.func @sought_rows(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>, %C: tensor<?x?xf64, #DCSR>)
    -> tensor<f64> {
  %s = nacho.assign (%a = %A[i, k] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>,
                     %c = %C[j, k] : tensor<?x?xf64, #DCSR>) -> [] : tensor<f64> {
    %0 = nacho.binary mul %b, %c : f64
    %1 = nacho.binary mul %a, %0 : f64
    %2 = nacho.reduce add %1 over [i, j, k] : f64
    nacho.yield %2 : f64
  } {order = ["i", "j", "k"]}
  return %s : tensor<f64>
}
