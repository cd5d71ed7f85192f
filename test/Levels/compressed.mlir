// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s --check-prefix=OPERAND
// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},%{assemble})' \
// RUN:   | FileCheck %s --check-prefix=RESULT

// A compressed level stores the coordinates that it has, and where the fiber of each
// position of the level above begins.

#DCSR64 = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 64 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?x?xf64, #DCSR64>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #DCSR64>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #DCSR64>, 2>

// The children of p are [pos[p], pos[p + 1]), whatever the positions say not beyond the
// coordinates. Those of 64 bits lose their sign: nothing but the end of a fiber is
// +inf.
//
// for p in pos0[0] ... pos0[1]:
//   for q in min(pos1[p], size) ... min(pos1[p + 1], size): out[crd0[p], crd1[q]] = values[q]
//
// OPERAND-LABEL: func.func @operand(
// OPERAND-DAG:     %[[MOST:.+]] = arith.constant 9223372036854775807 : index
// OPERAND:         scf.for %[[P:.+]] = %{{.+}} to %{{.+}} step %c1{{.*}} {
// OPERAND:           %[[CRD:.+]] = memref.load %{{.+}}[%[[P]]] : memref<?xi64>
// OPERAND-NEXT:      %[[WIDE:.+]] = arith.index_castui %[[CRD]] : i64 to index
// OPERAND-NEXT:      %[[I:.+]] = arith.andi %[[WIDE]], %[[MOST]] : index
// OPERAND:           %[[CRD1:.+]] = sparse_tensor.coordinates %{{.+}} {level = 1 : index}
// OPERAND:           %[[SIZE:.+]] = memref.dim %[[CRD1]]
// OPERAND-NEXT:      %[[POS:.+]] = memref.load %{{.+}}[%[[P]]] : memref<?xi32>
// OPERAND-NEXT:      %[[FIRST:.+]] = arith.index_castui %[[POS]] : i32 to index
// OPERAND-NEXT:      %[[BEGIN:.+]] = arith.minui %[[FIRST]], %[[SIZE]] : index
// OPERAND-NEXT:      %[[AFTER:.+]] = arith.addi %[[P]], %c1{{.*}} : index
// OPERAND-NEXT:      %[[POS:.+]] = memref.load %{{.+}}[%[[AFTER]]] : memref<?xi32>
// OPERAND-NEXT:      %[[LAST:.+]] = arith.index_castui %[[POS]] : i32 to index
// OPERAND-NEXT:      %[[END:.+]] = arith.minui %[[LAST]], %[[SIZE]] : index
// OPERAND-NEXT:      scf.for %[[Q:.+]] = %[[BEGIN]] to %[[END]] step %c1{{.*}} {
// OPERAND-NEXT:        memref.load %[[CRD1]][%[[Q]]]
// OPERAND:             memref.load %{{.+}}[%[[Q]]] : memref<?xf64>
func.func @operand(%A: tensor<?x?xf64, #DCSR64>, %out: memref<?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR64>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      %a = nacho.load %A2 : !A2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The positions of the only operand are bisected:
//   while low < high: mid = low + (high - low) / 2
//     pos1[mid] - pos1[pos0[0]] <= query ? low = mid + 1 : high = mid
//
// OPERAND-LABEL: func.func @search(
// OPERAND-SAME:    %[[QUERY:[^ ,]+]]: index)
// OPERAND:         %[[END:.+]]:2 = scf.while (%[[LOW:.+]] = %{{[^ ]+}}, %[[HIGH:.+]] = %{{[^ ]+}})
// OPERAND-NEXT:      %[[MORE:.+]] = arith.cmpi ult, %[[LOW]], %[[HIGH]] : index
// OPERAND-NEXT:      scf.condition(%[[MORE]])
// OPERAND:           ^{{.+}}(%[[LOW:.+]]: index, %[[HIGH:.+]]: index):
// OPERAND-NEXT:        %[[SPAN:.+]] = arith.subi %[[HIGH]], %[[LOW]] : index
// OPERAND-NEXT:        %[[HALF:.+]] = arith.shrui %[[SPAN]], %c1{{.*}} : index
// OPERAND-NEXT:        %[[MID:.+]] = arith.addi %[[LOW]], %[[HALF]] : index
// OPERAND:             memref.load %{{.+}}[%[[MID]]] : memref<?xi32>
// OPERAND:             %[[WITHIN:.+]] = arith.cmpi ule, %{{.+}}, %[[QUERY]] : index
// OPERAND-NEXT:        %[[NEXT:.+]] = arith.addi %[[MID]], %c1{{.*}} : index
// OPERAND-NEXT:        %[[NEW_LOW:.+]] = arith.select %[[WITHIN]], %[[NEXT]], %[[LOW]] : index
// OPERAND-NEXT:        %[[NEW_HIGH:.+]] = arith.select %[[WITHIN]], %[[HIGH]], %[[MID]] : index
// OPERAND-NEXT:        scf.yield %[[NEW_LOW]], %[[NEW_HIGH]] : index, index
//
// The coordinate before the end, in the width in which it is stored
// OPERAND:           %[[BEFORE:.+]] = arith.subi %[[END]]#0, %c1{{.*}} : index
// OPERAND-NEXT:      %[[SAFE:.+]] = arith.select %{{.+}}, %[[BEFORE]], %c0{{.*}} : index
// OPERAND:           %[[CRD:.+]] = memref.load %{{.+}}[%[[SAFE]]] : memref<?xi64>
// OPERAND-NEXT:      %[[WIDE:.+]] = arith.index_castui %[[CRD]] : i64 to index
// OPERAND-NEXT:      arith.andi %[[WIDE]], %{{.+}} : index
func.func @search(%A: tensor<?x?xf64, #DCSR64>, %bounds: memref<?x3xindex>, %p: index, %q: index,
                  %r: index, %query: index) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR64>
  %lo = nacho.load_cut %bounds[%p] : memref<?x3xindex> -> !nacho.cut<1>
  %hi = nacho.load_cut %bounds[%q] : memref<?x3xindex> -> !nacho.cut<1>
  %i, %residual, %A1, %lo1, %hi1 = nacho.search %query of (%A0)
      between %lo, %hi : !A0, !nacho.cut<1> {
  ^bb0(%x: index, %posA: index):
    %cost = nacho.cost <nnz> %A0 to %posA : !A0
    nacho.yield %cost : index
  }
  %cut = nacho.cut %residual at (%i) of (%A1) : !A1 -> !nacho.cut<1>
  nacho.store_cut %cut, %bounds[%r] : !nacho.cut<1>, memref<?x3xindex>
  return
}

// A result counts for every compressed level but the last one what of its coordinates
// the part begins, has to itself, and ends with, and appends with each of them the
// end of its children.
//
// RESULT-LABEL: func.func @result_assemble(
// RESULT-SAME:    %counts: memref<?x9xindex>
// RESULT:           %[[ALL:.+]]:7 = nacho.coiterate %i of {{.+}} iter_args(%head = %false : i1, %mid = %c0 : index, %tail = %false : i1, %head_{{.+}} = %false : i1, %mid_{{.+}} = %c0 : index, %tail_{{.+}} = %false : i1, %entries = %c0 : index) {
//
// RESULT-LABEL: func.func @result_scan(
// RESULT:         memref.store %position, %sizes[%c0]
// RESULT-NEXT:    memref.store %position_{{.+}}, %sizes[%c1]
// RESULT-NEXT:    memref.store %entries, %sizes[%c2]
//
// RESULT-LABEL: func.func @result_compute(
// RESULT-SAME:    %pos0: memref<?xi32>, %crd0: memref<?xi32>, %pos1: memref<?xi32>, %crd1: memref<?xi32>, %pos2: memref<?xi32>, %crd2: memref<?xi32>, %values: memref<?xf64>
// RESULT:             nacho.coiterate %j of {{.+}} iter_args(%[[AT:[^ ]+]] = %{{[^ ]+}} : index, %{{[^ ]+}} = %{{[^ ]+}} : i1, %[[NEXT:[^ ]+]] = %{{[^ ]+}} : index) {
// RESULT:               %[[DONE:[^ :]+]] = nacho.coiterate %k of {{.+}} iter_args(%{{[^ ]+}} = %[[NEXT]] : index) {
//
// crd1[position] = j; pos2[position + 1] = entries
// RESULT:               scf.if %{{.+}} {
// RESULT-DAG:             %[[J:.+]] = arith.index_castui %j : index to i32
// RESULT-DAG:             memref.store %[[J]], %crd1[%[[AT]]]
// RESULT-DAG:             %[[AFTER:.+]] = arith.addi %[[AT]], %c1 : index
// RESULT-DAG:             %[[END:.+]] = arith.index_castui %[[DONE]] : index to i32
// RESULT-DAG:             memref.store %[[END]], %pos2[%[[AFTER]]]
//
// crd0[position] = i; pos1[position + 1] = rows
// RESULT:             scf.if %{{.+}} {
// RESULT-DAG:           memref.store %{{.+}}, %crd0[
// RESULT-DAG:           memref.store %{{.+}}, %pos1[
func.func @result(%A: tensor<?x?x?xf64, #CSF>) -> tensor<?x?x?xf64, #CSF> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>)
      -> [i, j, k] : tensor<?x?x?xf64, #CSF> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?x?xf64, #CSF>
}
