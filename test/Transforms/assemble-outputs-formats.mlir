// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},%{assemble})' \
// RUN:   | FileCheck %s

// Results that are dense, have dense levels last, have runs, or are lists.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CD = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : dense), posWidth = 32, crdWidth = 32 }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>
#F = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : dense) }>

// Loops that visit everything write everything: nothing to be filled in, to be counted
// or to be combined.
//
// CHECK-NOT:   @negative_fill_assemble(
// CHECK-NOT:   @negative_fill_fill(
// CHECK-LABEL: func.func @negative_fill_compute(
// CHECK-SAME:    %bounds: memref<?x3xindex>, %values: memref<?xf64>, %status: memref<i32>, %threads: index)
//
// values[i * M + j] = A[i, j], never outside of them
// CHECK:           nacho.coiterate %i to %N_i of () in intersect() between
// CHECK-NEXT:        nacho.coiterate %j to %N_j of () in intersect() between
// CHECK-NEXT:          %a = nacho.locate %{{.+}}[%i, %j]
// CHECK:               %[[ROW:.+]] = arith.muli %i, %N_j : index
// CHECK-NEXT:          %[[AT:.+]] = arith.addi %[[ROW]], %j : index
// CHECK-NEXT:          %[[SIZE:.+]] = memref.dim %values, %c0
// CHECK-NEXT:          %[[FITS:.+]] = arith.cmpi ult, %[[AT]], %[[SIZE]] : index
// CHECK-NEXT:          scf.if %[[FITS]] {
// CHECK-NEXT:            memref.store %a, %values[%[[AT]]]
// CHECK-NOT:   func.func @negative_fill_combine(
// CHECK-LABEL: func.func @negative_fill_execute(
// CHECK-NEXT:    call @negative_fill_compute(
// CHECK-NEXT:    return
func.func @negative_fill(%A: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i, j] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64>
}

// Without counts, a scan only says what is to be allocated: sizes = N, M, 1
//
// CHECK-LABEL: func.func @densify_scan(
// CHECK-SAME:    %bounds: memref<?x5xindex>, %sizes: memref<5xindex>, %threads: index)
// CHECK-NOT:     nacho.exclusive_scan
// CHECK-DAG:     %[[N:.+]] = sparse_tensor.lvl %{{.+}}, %c0
// CHECK-DAG:     %[[M:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// CHECK:         memref.store %[[N]], %sizes[%c0]
// CHECK-NEXT:    memref.store %[[M]], %sizes[%c1]
// CHECK-NEXT:    memref.store %c1, %sizes[%c2]
//
// There is a 0 first where nothing may be written, in pieces of equal size.
//
// CHECK-LABEL: func.func @densify_fill(
// CHECK-SAME:    %values: memref<?xf64>, %threads: index)
// CHECK:         %[[SIZE:.+]] = memref.dim %values, %c0
// CHECK-NEXT:    %[[UP:.+]] = arith.addi %[[SIZE]], %c2047 : index
// CHECK-NEXT:    %[[PIECES:.+]] = arith.divui %[[UP]], %c2048 : index
// CHECK-NEXT:    nacho.parallel %piece in %[[PIECES]] threads %threads {
// CHECK-NEXT:      %[[FROM:.+]] = arith.muli %piece, %c2048 : index
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[FROM]], %c2048 : index
// CHECK-NEXT:      %[[TO:.+]] = arith.minui %[[NEXT]], %[[SIZE]] : index
// CHECK-NEXT:      %[[ZERO:.+]] = nacho.cast %{{.+}} : i8 to f64
// CHECK-NEXT:      scf.for %[[AT:.+]] = %[[FROM]] to %[[TO]] step %c1 {
// CHECK-NEXT:        memref.store %[[ZERO]], %values[%[[AT]]]
//
// Both coordinates index memory.
// CHECK-LABEL: func.func @densify_compute(
// CHECK:           nacho.coiterate %i of
// CHECK-NEXT:        %[[N:.+]] = nacho.extent %A0
// CHECK-NEXT:        arith.cmpi uge, %i, %[[N]] : index
// CHECK:               memref.atomic_rmw ori %c1_i32, %status[]
// CHECK:             nacho.coiterate %j of
// CHECK-NEXT:          %[[M:.+]] = nacho.extent %A1
// CHECK-NEXT:          arith.cmpi uge, %j, %[[M]] : index
// CHECK:                 memref.atomic_rmw ori %c1_i32, %status[]
//
// CHECK-LABEL: func.func @densify_plan(
// CHECK:         call @densify_partition(
// CHECK-NEXT:    call @densify_scan({{.+}}, %bounds, %sizes, %threads)
// CHECK-NEXT:    return
//
// CHECK-LABEL: func.func @densify_execute(
// CHECK-NEXT:    call @densify_fill(
// CHECK-NEXT:    call @densify_compute(
func.func @densify(%A: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64>
}

// Levels in another order than the dimensions: values[j * N + i] = A[i, j]
//
// CHECK-LABEL: func.func @columns_first_compute(
// CHECK:               %[[COLUMN:.+]] = arith.muli %j, %N_i : index
// CHECK-NEXT:          %[[AT:.+]] = arith.addi %[[COLUMN]], %i : index
// CHECK:                 memref.store %a, %values[%[[AT]]]
func.func @columns_first(%A: tensor<?x?xf64>) -> tensor<?x?xf64, #F> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64>) -> [i, j] : tensor<?x?xf64, #F> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #F>
}

// Y[i, k] = A[i, j] * X[j, k]: the loop over k is inside the reduction, so that a whole row is reduced
// at a time, in the part's tail.
//
// sizes = N, K, K: a partial entry is a row
// CHECK-LABEL: func.func @rows_scan(
// CHECK:         memref.store %{{.+}}, %sizes[%c0]
// CHECK-NEXT:    memref.store %N_k, %sizes[%c1]
// CHECK-NEXT:    memref.store %N_k, %sizes[%c2]
//
// CHECK-LABEL: func.func @rows_compute(
// CHECK-SAME:    %values: memref<?xf64>, %partials: memref<?x?xf64>, %visited: memref<?xindex>
// CHECK:           %[[HEAD:.+]] = arith.muli %part, %c2 : index
// CHECK:           %[[TAIL:.+]] = arith.addi %[[HEAD]], %c1 : index
// CHECK:           nacho.coiterate %i of {{.+}} between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) {
//
// tail[...] = 0
// CHECK:             scf.for %[[K:.+]] = %c0 to %N_k step %c1 {
// CHECK-NEXT:          memref.store %{{.+}}, %partials[%[[TAIL]], %[[K]]]
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[ROW:.+]]:2 = nacho.coiterate %j of {{.+}} iter_args(%[[SO_FAR:[^ ]+]] = %c0 : index, {{.+}}) {
// CHECK:               %a = nacho.load %A2
//
// tail[k] += A[i, j] * X[j, k], which together are one element
// CHECK-NEXT:          nacho.accumulate add into %partials at[%[[TAIL]], %c0] to %N_k : memref<?x?xf64> {
// CHECK-NEXT:          ^bb0(%k: index):
// CHECK-NEXT:            %b = nacho.locate %{{.+}}[%j, %k]
// CHECK-NEXT:            %[[V:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:            nacho.yield %[[V]] : f64
// CHECK-NEXT:          }
// CHECK:               %[[SOME:.+]] = arith.cmpi ne, %N_k, %c0 : index
// CHECK-NEXT:          %[[ONE:.+]] = arith.select %[[SOME]], %c1, %c0 : index
// CHECK-NEXT:          %[[MORE:.+]] = arith.addi %[[SO_FAR]], %[[ONE]] : index
// CHECK:               nacho.yield %[[MORE]], %{{.+}} : index, i1
//
// if neither cut is in the row: values[i * K + k] = tail[k]
// else, if the part completes it: head[k] = tail[k]
// CHECK:             %[[FINISHED:.+]] = arith.xori
// CHECK:             %[[WHOLE:.+]] = arith.andi %{{.+}}, %[[FINISHED]] : i1
// CHECK-NEXT:        scf.if %[[WHOLE]] {
// CHECK-NEXT:          %[[BEGIN:.+]] = arith.muli %i, %N_k : index
// CHECK-NEXT:          %[[SIZE:.+]] = memref.dim %values, %c0
// CHECK-NEXT:          %[[INSIDE:.+]] = arith.minui %[[BEGIN]], %[[SIZE]] : index
// CHECK-NEXT:          %[[ROOM:.+]] = arith.subi %[[SIZE]], %[[INSIDE]] : index
// CHECK-NEXT:          %[[END:.+]] = arith.minui %N_k, %[[ROOM]] : index
// CHECK-NEXT:          scf.for %[[K:.+]] = %c0 to %[[END]] step %c1 {
// CHECK-NEXT:            %[[ENTRY:.+]] = memref.load %partials[%[[TAIL]], %[[K]]]
// CHECK-NEXT:            %[[AT:.+]] = arith.addi %[[INSIDE]], %[[K]] : index
// CHECK-NEXT:            memref.store %[[ENTRY]], %values[%[[AT]]]
// CHECK:             } else {
// CHECK:               scf.if %[[FINISHED]] {
// CHECK-NEXT:            scf.for %[[K:.+]] = %c0 to %N_k step %c1 {
// CHECK-NEXT:              %[[ENTRY:.+]] = memref.load %partials[%[[TAIL]], %[[K]]]
// CHECK-NEXT:              memref.store %[[ENTRY]], %partials[%[[HEAD]], %[[K]]]
//
// combine: every worker adds up a piece of the rows that one part completes, part after part.
//
// CHECK-LABEL: func.func @rows_combine(
// CHECK:         %[[PIECES:.+]] = arith.divui
// CHECK:         %[[ALL:.+]] = arith.muli %parts, %[[PIECES]] : index
// CHECK:         scf.for %bits
// CHECK:           nacho.parallel
// CHECK:             scf.for %group
// CHECK:         nacho.parallel %worker in %[[ALL]] threads %threads {
// CHECK-NEXT:      %[[PART:.+]] = arith.divui %worker, %[[PIECES]] : index
// CHECK-NEXT:      %[[BEFORE:.+]] = arith.muli %[[PART]], %[[PIECES]] : index
// CHECK-NEXT:      %[[PIECE:.+]] = arith.subi %worker, %[[BEFORE]] : index
// CHECK-NEXT:      %[[FROM:.+]] = arith.muli %[[PIECE]], %c2048 : index
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[FROM]], %c2048 : index
// CHECK-NEXT:      %[[TO:.+]] = arith.minui %[[NEXT]], %N_k : index
// CHECK:           scf.while
// CHECK:           scf.for %group
// CHECK:           %[[LAST:.+]] = arith.shrui %[[PART]], %{{.+}} : index
// CHECK-NEXT:      scf.for %group = %{{.+}} to %[[LAST]] step %c1 iter_args(%open = %{{.+}})
// CHECK:             scf.if
// CHECK:               scf.for %[[K:.+]] = %[[FROM]] to %[[TO]] step %c1 {
// CHECK:                 nacho.binary add
// CHECK:             scf.if
// CHECK:               scf.for %[[K:.+]] = %[[FROM]] to %[[TO]] step %c1 {
// CHECK:                 %[[BEGIN:.+]] = arith.muli %{{.+}}, %N_k : index
// CHECK-NEXT:            %[[AT:.+]] = arith.addi %[[BEGIN]], %[[K]] : index
// CHECK:                 memref.store %{{.+}}, %values[%[[AT]]]
//
// CHECK-LABEL: func.func @rows_execute(
// CHECK-NEXT:    call @rows_fill(
// CHECK-NEXT:    call @rows_compute(
// CHECK-NEXT:    call @rows_combine(
func.func @rows(%A: tensor<?x?xf64, #DCSR>, %X: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %X[j, k] : tensor<?x?xf64>)
      -> [i, k] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Y : tensor<?x?xf64>
}

// Z[i, j, k] = A[i, m, j] * D[m, k]: the loop over k is inside of one over j, which
// runs over entries. Each entry's row of sums counts, so that the entries of i are
// known to have been visited.
//
// CHECK-LABEL: func.func @rows_of_rows_compute(
// CHECK:             nacho.coiterate %j of {{.+}} iter_args(%[[SO_FAR:[^ ]+]] = %{{[^ ]+}} : index, {{.+}}) {
// CHECK:               nacho.accumulate add into %partials
// CHECK:               %[[SOME:.+]] = arith.cmpi ne, %N_k, %c0 : index
// CHECK-NEXT:          %[[ONE:.+]] = arith.select %[[SOME]], %c1, %c0 : index
// CHECK-NEXT:          %[[MORE:.+]] = arith.addi %[[SO_FAR]], %[[ONE]] : index
// CHECK:               nacho.yield %[[MORE]], %{{.+}} : index, i1
func.func @rows_of_rows(%A: tensor<?x?x?xf64, #CSF>, %D: tensor<?x?xf64>) -> tensor<?x?x?xf64> {
  %Z = nacho.assign (%a = %A[i, m, j] : tensor<?x?x?xf64, #CSF>, %d = %D[m, k] : tensor<?x?xf64>)
      -> [i, j, k] : tensor<?x?x?xf64> {
    %0 = nacho.binary mul %a, %d : f64
    %1 = nacho.reduce add %0 over [m] : f64
    nacho.yield %1 : f64
  } {order = ["i", "m", "j", "k"]}
  return %Z : tensor<?x?x?xf64>
}

// The same, but only the rows that have entries are stored: each is a block under its
// position.
//
// CHECK-LABEL: func.func @blocks_assemble(
// CHECK-SAME:    %counts: memref<?x4xindex>
// CHECK-LABEL: func.func @blocks_scan(
// CHECK:         memref.store %position, %sizes[%c0]
// CHECK-NEXT:    memref.store %N_k, %sizes[%c1]
// CHECK-NEXT:    memref.store %N_k, %sizes[%c2]
// CHECK-NOT:   func.func @blocks_fill(
// CHECK-LABEL: func.func @blocks_compute(
// CHECK-SAME:    %pos0: memref<?xi32>, %crd0: memref<?xi32>, %values: memref<?xf64>, %partials: memref<?x?xf64>, %visited: memref<?xindex>,
// CHECK:           nacho.coiterate %i of {{.+}} iter_args(%[[POSITION:[^ ]+]] = %position : index,
// CHECK:             nacho.coiterate %j of
//
// if the row is whole and has entries: values[position * K + k] = tail[k]
// CHECK:                 %[[BEGIN:.+]] = arith.muli %[[POSITION]], %N_k : index
// CHECK-NEXT:            %[[SIZE:.+]] = memref.dim %values
// CHECK-NEXT:            %[[INSIDE:.+]] = arith.minui %[[BEGIN]], %[[SIZE]] : index
// CHECK:                 scf.for %[[K:.+]] = %c0 to %{{.+}} step %c1 {
// CHECK-NEXT:              %[[ENTRY:.+]] = memref.load %partials[%{{.+}}, %[[K]]]
// CHECK-NEXT:              %[[AT:.+]] = arith.addi %[[INSIDE]], %[[K]] : index
// CHECK-NEXT:              memref.store %[[ENTRY]], %values[%[[AT]]]
// CHECK:               memref.store %{{.+}}, %crd0[%[[POSITION]]]
//
// CHECK-LABEL: func.func @blocks_combine(
// CHECK:               %position = arith.select
// CHECK:                 %[[BEGIN:.+]] = arith.muli %position, %N_k : index
func.func @blocks(%A: tensor<?x?xf64, #DCSR>, %X: tensor<?x?xf64>) -> tensor<?x?xf64, #CD> {
  %Y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %X[j, k] : tensor<?x?xf64>)
      -> [i, k] : tensor<?x?xf64, #CD> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Y : tensor<?x?xf64, #CD>
}

// COO: every entry has both of its coordinates, and nothing but entries is counted.
//
// CHECK-LABEL: func.func @coo_assemble(
// CHECK-SAME:    %counts: memref<?x1xindex>
// CHECK-NOT:     nacho.on_cut
// CHECK:         memref.store %{{.+}}, %counts[%part, %c0]
//
// Both levels have as many coordinates.
// CHECK-LABEL: func.func @coo_scan(
// CHECK:         %[[ALL:.+]] = memref.load %offsets[%parts, %c0]
// CHECK:         memref.store %[[ALL]], %sizes[%c0]
// CHECK-NEXT:    memref.store %[[ALL]], %sizes[%c1]
// CHECK-NEXT:    memref.store %c1, %sizes[%c2]
//
// CHECK-LABEL: func.func @coo_compute(
// CHECK-SAME:    %offsets: memref<?x1xindex>, %pos0: memref<?xi32>, %crd0: memref<?xi32>, %crd1: memref<?xi32>, %values: memref<?xf64>, %status: memref<i32>,
// CHECK:           %entries = memref.load %offsets[%part, %c0]
// CHECK:           scf.if %{{.+}} {
// CHECK-NEXT:        %[[ALL:.+]] = memref.load %offsets[%parts, %c0]
// CHECK-NEXT:        memref.store %c0_i32, %pos0[%c0]
// CHECK-NEXT:        %[[END:.+]] = arith.index_castui %[[ALL]] : index to i32
// CHECK-NEXT:        memref.store %[[END]], %pos0[%c1]
// CHECK:             nacho.coiterate %j of {{.+}} iter_args(%[[AT:.+]] = %{{.+}} : index) {
// CHECK:               scf.if %{{.+}} {
// CHECK-NEXT:            memref.store %a, %values[%[[AT]]]
// CHECK-NEXT:            %[[I:.+]] = arith.index_castui %i : index to i32
// CHECK-NEXT:            memref.store %[[I]], %crd0[%[[AT]]]
// CHECK-NEXT:            %[[J:.+]] = arith.index_castui %j : index to i32
// CHECK-NEXT:            memref.store %[[J]], %crd1[%[[AT]]]
func.func @coo(%A: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64, #COO> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// A sorted list: entries are appended where the scan says, in the order of the loops,
// if the condition holds; and sorted when all parts are done.
//
// CHECK-LABEL: func.func @diagonal_compute(
// CHECK:           nacho.coiterate %i of
// CHECK:             nacho.coiterate %i_{{[^ ]+}} of
// CHECK:               %[[SAME:.+]] = arith.cmpi eq
// CHECK:               scf.if %[[SAME]] {
// CHECK:                 memref.store %{{.+}}, %values[
// CHECK:                 memref.store %{{.+}}, %crd0[
//
// CHECK-LABEL: func.func @diagonal_execute(
// CHECK:         call @diagonal_compute(
// CHECK:         %[[N:.+]] = sparse_tensor.lvl
// CHECK:         nacho.sort(%crd0) below(%[[N]]) with %values status %status threads %threads
func.func @diagonal(%A: tensor<?x?xf64, #DCSR>) -> tensor<?xf64, #SV> {
  %y = nacho.assign collect<sorted_list> (%a = %A[i, i] : tensor<?x?xf64, #DCSR>) -> [i] : tensor<?xf64, #SV> {
    nacho.yield %a : f64
  }
  return %y : tensor<?xf64, #SV>
}

// A list of where rows are: beside its coordinates, an entry has its position, -1 where
// there is none, which is not compared with an extent. When all parts are done, what the
// entries cost becomes the sums of all costs up to there. The step says whose positions
// are kept: parts that run where the others are not have them from other windows.
//
// sizes = entries of both levels, 1, and the extents: positions have none.
// CHECK-LABEL: func.func @list_scan(
// CHECK:         %[[ALL:.+]] = memref.load %offsets[%parts, %c0]
// CHECK-NEXT:    %[[N:.+]] = sparse_tensor.lvl %{{.+}}, %c0
// CHECK-NEXT:    memref.store %[[ALL]], %sizes[%c0]
// CHECK-NEXT:    memref.store %[[ALL]], %sizes[%c1]
// CHECK-NEXT:    memref.store %c1, %sizes[%c2]
// CHECK-NEXT:    memref.store %[[N]], %sizes[%c3]
// CHECK-NEXT:    memref.store %c9223372036854775807, %sizes[%c4]
//
// CHECK-LABEL: func.func @list_compute(
// CHECK-SAME:    %offsets: memref<?x1xindex>, %pos0: memref<?xi64>, %crd0: memref<?xi64>, %crd1: memref<?xi64>, %values: memref<?xi64>,
// CHECK:           nacho.coiterate %[[I:.+]] of (%{{.+}}, %[[B1:.+]] = %{{.+}}) in union({{.+}} iter_args(%[[AT:.+]] = %{{.+}} : index) {
// CHECK:             %[[POS:.+]] = nacho.position %[[B1]] :
// CHECK:             %[[COST:.+]] = arith.index_cast %{{.+}} : index to i64
// CHECK:             %[[FITS:.+]] = arith.cmpi ult, %[[AT]], %{{.+}} : index
// CHECK-NEXT:        scf.if %[[FITS]] {
// CHECK-NEXT:          memref.store %[[COST]], %values[%[[AT]]]
// CHECK-NEXT:          %[[ROW:.+]] = arith.index_castui %[[I]] : index to i64
// CHECK-NEXT:          memref.store %[[ROW]], %crd0[%[[AT]]]
// CHECK-NEXT:          %[[KEPT:.+]] = arith.index_castui %[[POS]] : index to i64
// CHECK-NEXT:          memref.store %[[KEPT]], %crd1[%[[AT]]]
//
// CHECK-LABEL: func.func @list_execute(
// CHECK-SAME:    collect = scanned_list, kept = [0 of 1]>
// CHECK-NEXT:    call @list_compute(
// CHECK-NEXT:    nacho.prefix_sum %values threads %threads : memref<?xi64>
// CHECK-NEXT:    return
func.func @list(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>) -> tensor<?x?xi64, #List> {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %L = nacho.nest collect<scanned_list> : tensor<?x?xi64, #List> {
    nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>,
                           %B1 = %B0 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>) in union(%A1, %B1) {
      %pos = nacho.position %B1 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
      %cost = nacho.cost <nnz> %B1 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
      %wide = arith.index_cast %cost : index to i64
      nacho.append %wide at (%i, %pos) : i64
    }
    nacho.yield
  }
  return %L : tensor<?x?xi64, #List>
}
