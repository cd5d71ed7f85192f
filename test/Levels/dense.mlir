// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s --check-prefix=OPERAND
// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},%{assemble})' \
// RUN:   | FileCheck %s --check-prefix=RESULT

// A dense level stores nothing: every coordinate has a position.

#DD = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
#CDC = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : compressed), posWidth = 32, crdWidth = 32 }>
#DDC = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed), posWidth = 32, crdWidth = 32 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?x?xf64, #DD>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #DD>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #DD>, 2>

// The child of p at x has the position p * N + x.
//
// for i = 0 to N: for j = 0 to M: out[i, j] = values[i * M + j]
//
// OPERAND-LABEL: func.func @operand(
// OPERAND-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %{{[^ ]+}}: memref<?x?xf64>)
// OPERAND:         %[[N:.+]] = sparse_tensor.lvl %[[A]], %c0
// OPERAND:         scf.for %[[I:.+]] = %c0{{.*}} to %[[N]] step %c1{{.*}} {
// OPERAND-NEXT:      %[[M:.+]] = sparse_tensor.lvl %[[A]], %c1
// OPERAND-NEXT:      %[[BEGIN:.+]] = arith.muli %[[I]], %[[M]] : index
// OPERAND-NEXT:      scf.for %[[J:.+]] = %c0{{.*}} to %[[M]] step %c1{{.*}} {
// OPERAND-NEXT:        %[[AT:.+]] = arith.addi %[[BEGIN]], %[[J]] : index
// OPERAND:             memref.load %{{.+}}[%[[AT]]] : memref<?xf64>
// OPERAND-NOT:     scf.if
// OPERAND:         return
func.func @operand(%A: tensor<?x?xf64, #DD>, %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DD>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      %a = nacho.load %A2 : !A2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// What comes before a coordinate is known without a search: there are i * M entries before
// row i. Cuts have the positions, which are made of the coordinates.
//
// OPERAND-LABEL: func.func @search(
// OPERAND-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[BOUNDS:[^ ]+]]: memref<?x5xindex>,
// OPERAND:         %[[FOUND:.+]]:2 = scf.while
// OPERAND:           %[[M:.+]] = sparse_tensor.lvl %[[A]], %c1
// OPERAND-NEXT:      %[[COST:.+]] = arith.muli %[[I:.+]], %[[M]] : index
// OPERAND-NEXT:      arith.cmpi ule, %[[COST]], %{{.+}} : index
// OPERAND-NOT:     scf.while
// OPERAND:         %[[BEGIN:.+]] = arith.muli %[[FOUND]]#0, %{{.+}} : index
// OPERAND:         %[[INNER:.+]]:2 = scf.while
// OPERAND:         %[[END:.+]] = arith.addi %[[BEGIN]], %[[INNER]]#0 : index
// OPERAND-DAG:     memref.store %[[FOUND]]#0, %[[BOUNDS]][%{{.+}}, %c3{{.*}}]
// OPERAND-DAG:     memref.store %[[END]], %[[BOUNDS]][%{{.+}}, %c4{{.*}}]
func.func @search(%A: tensor<?x?xf64, #DD>, %bounds: memref<?x5xindex>, %p: index, %q: index,
                  %r: index, %query: index) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DD>
  %lo = nacho.load_cut %bounds[%p] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %hi = nacho.load_cut %bounds[%q] : memref<?x5xindex> -> !nacho.cut<1, 1>
  %i, %residual, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %lo, %hi : !A0, !nacho.cut<1, 1> {
  ^bb0(%x: index, %posA: index):
    %cost = nacho.cost <nnz> %A0 to %posA : !A0
    nacho.yield %cost : index
  }
  %j, %rest, %A2, %lo2, %hi2 = nacho.search %residual of (%A1)
      between %lo1, %hi1 : !A1, !nacho.cut<1> {
  ^bb0(%x: index, %posA: index):
    %cost = nacho.cost <nnz> %A1 to %posA : !A1
    nacho.yield %cost : index
  }
  %cost = arith.subi %query, %rest : index
  %cut = nacho.cut %cost at (%i, %j) of (%A1, %A2) : !A1, !A2 -> !nacho.cut<1, 1>
  nacho.store_cut %cut, %bounds[%r] : !nacho.cut<1, 1>, memref<?x5xindex>
  return
}

// As many coordinates are stored as there are: sizes = N, M, entries
//
// RESULT-LABEL: func.func @result_scan(
// RESULT:         %entries = memref.load %offsets[%parts, %c0]
// RESULT-DAG:     %[[N:.+]] = sparse_tensor.lvl %{{.+}}, %c0
// RESULT-DAG:     %[[M:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// RESULT:         memref.store %[[N]], %sizes[%c0]
// RESULT-NEXT:    memref.store %[[M]], %sizes[%c1]
// RESULT-NEXT:    memref.store %entries, %sizes[%c2]
//
// Of several dense levels of a result the last one writes the positions of the next
// level, and numbers the coordinates of all of them: x = i * M + j. A part
// writes those in (lo, hi], the first one also the very first.
//
// RESULT-LABEL: func.func @result_compute(
// RESULT-SAME:    %pos2: memref<?xi32>, %crd2: memref<?xi32>, %values: memref<?xf64>
// RESULT:           %[[LO_I:.+]] = nacho.cut_coordinate %lo[0]
// RESULT-NEXT:      %[[M:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// RESULT-NEXT:      %[[LO_ROW:.+]] = arith.muli %[[LO_I]], %[[M]] : index
// RESULT-NEXT:      %[[LO_J:.+]] = nacho.cut_coordinate %lo[1]
// RESULT-NEXT:      %[[LO_X:.+]] = arith.addi %[[LO_ROW]], %[[LO_J]] : index
// RESULT:           %[[HI_X:.+]] = arith.addi %{{.+}}, %{{.+}} : index
// RESULT:           %written = arith.select %{{.+}}, %c-1, %[[LO_X]] : index
// RESULT-NEXT:      nacho.coiterate %i of {{.+}} iter_args(%[[I_WRITTEN:.+]] = %written : index, %{{.+}} = %entries : index) {
// RESULT:             nacho.coiterate %j of {{.+}} iter_args(%[[WRITTEN:.+]] = %[[I_WRITTEN]] : index, %[[NEXT:.+]] = %{{.+}} : index) {
//
// if the row has entries: for x in (written, min(i * M + j, hi)]: pos[x] = entries before it
// RESULT:               %[[AFTER:[^ :]+]] = nacho.coiterate %k of {{.+}} iter_args(%{{[^ ]+}} = %[[NEXT]] : index) {
// RESULT:               %[[ANY:.+]] = arith.cmpi ne, %[[AFTER]], %[[NEXT]] : index
// RESULT-NEXT:          %[[ROW:.+]] = arith.muli %i, %[[M]] : index
// RESULT-NEXT:          %[[NUMBER:.+]] = arith.addi %[[ROW]], %j : index
// RESULT-NEXT:          %[[UP_TO:.+]] = arith.select %[[ANY]], %[[NUMBER]], %[[WRITTEN]] : index
// RESULT-NEXT:          %[[INSIDE:.+]] = arith.minsi %[[UP_TO]], %[[HI_X]] : index
// RESULT-NEXT:          %[[LAST:.+]] = arith.maxsi %[[WRITTEN]], %[[INSIDE]] : index
// RESULT-NEXT:          %[[FROM:.+]] = arith.addi %[[WRITTEN]], %c1 : index
// RESULT-NEXT:          %[[TO:.+]] = arith.addi %[[LAST]], %c1 : index
// RESULT-NEXT:          scf.for %[[X:.+]] = %[[FROM]] to %[[TO]] step %c1 {
// RESULT-NEXT:            %[[POS:.+]] = arith.index_castui %[[NEXT]] : index to i32
// RESULT-NEXT:            memref.store %[[POS]], %pos2[%[[X]]]
// RESULT:               nacho.yield %[[LAST]], %[[AFTER]] : index, index
//
// in the end up to hi
// RESULT:           %[[END:.+]] = arith.maxsi %{{.+}}, %[[HI_X]] : index
// RESULT:           %[[TO:.+]] = arith.addi %[[END]], %c1 : index
// RESULT-NEXT:      scf.for %[[X:.+]] = %{{.+}} to %[[TO]] step %c1 {
// RESULT:             memref.store %{{.+}}, %pos2[%[[X]]]
func.func @result(%A: tensor<?x?x?xf64, #CSF>) -> tensor<?x?x?xf64, #DDC> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>)
      -> [i, j, k] : tensor<?x?x?xf64, #DDC> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?x?xf64, #DDC>
}

// Behind a level that is not full, x goes on from the position of the parent: p * M + j. A
// part begins and ends inside a parent only if that has entries by then, and will be
// appended; else it begins where the parent would.
//
// RESULT-LABEL: func.func @between_compute(
// RESULT-SAME:    %pos0: memref<?xi32>, %crd0: memref<?xi32>, %pos2: memref<?xi32>, %crd2: memref<?xi32>, %values: memref<?xf64>
// RESULT:           %position = arith.select
// RESULT:           %[[OPEN:.+]] = arith.cmpi ne, %{{.+}}, %c0 : index
// RESULT-NEXT:      %[[M:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// RESULT-NEXT:      %[[LO_ROW:.+]] = arith.muli %position, %[[M]] : index
// RESULT-NEXT:      %[[LO_CUT:.+]] = nacho.cut_coordinate %lo[1]
// RESULT-NEXT:      %[[LO_J:.+]] = arith.select %[[OPEN]], %[[LO_CUT]], %c0 : index
// RESULT-NEXT:      %[[LO_X:.+]] = arith.addi %[[LO_ROW]], %[[LO_J]] : index
// RESULT:           nacho.cut_coordinate %hi[1]
// RESULT:           %[[HI_X:.+]] = arith.addi
// RESULT:           %written = arith.select %{{.+}}, %c-1, %[[LO_X]] : index
// RESULT:           nacho.coiterate %i of {{.+}} iter_args(%[[PARENT:[^ ]+]] = %position : index,
// RESULT:             %[[ROWS:.+]]:2 = nacho.coiterate %j of
// RESULT:               nacho.coiterate %k of
// RESULT:               %[[ROW:.+]] = arith.muli %[[PARENT]], %[[M]] : index
// RESULT-NEXT:          %[[NUMBER:.+]] = arith.addi %[[ROW]], %j : index
// RESULT:               scf.for
//
// What follows is filled up to the end of the parents that are appended.
// RESULT:             memref.store %{{.+}}, %crd0[%[[PARENT]]]
// RESULT:             %[[PARENTS:.+]] = arith.addi %[[PARENT]], %{{.+}} : index
// RESULT:             %[[END:.+]] = arith.muli %[[PARENTS]], %[[M]] : index
// RESULT-NEXT:        %[[INSIDE:.+]] = arith.minsi %[[END]], %[[HI_X]] : index
// RESULT-NEXT:        arith.maxsi %[[ROWS]]#0, %[[INSIDE]] : index
// RESULT:             scf.for %[[X:.+]] =
// RESULT-NEXT:          %[[POS:.+]] = arith.index_castui %[[ROWS]]#1 : index to i32
// RESULT-NEXT:          memref.store %[[POS]], %pos2[%[[X]]]
func.func @between(%A: tensor<?x?x?xf64, #CSF>) -> tensor<?x?x?xf64, #CDC> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>)
      -> [i, j, k] : tensor<?x?x?xf64, #CDC> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?x?xf64, #CDC>
}
