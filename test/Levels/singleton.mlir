// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s --check-prefix=OPERAND
// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},%{assemble})' \
// RUN:   | FileCheck %s --check-prefix=RESULT

// A singleton level has one coordinate for each position of the level above, which are
// runs of the coordinates there.

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#COO3 = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#DCOO = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : dense, d1 : compressed(nonunique), d2 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?x?x?xf64, #COO3>, 0>
!A1 = !nacho.fiber<tensor<?x?x?xf64, #COO3>, 1>
!A2 = !nacho.fiber<tensor<?x?x?xf64, #COO3>, 2>
!A3 = !nacho.fiber<tensor<?x?x?xf64, #COO3>, 3>

// The positions are those of the level above: a run of i, in it runs of j, and in those
// one position for every k.
//
// while i: end0 = end of the run of i in crd0[pos0 ...]
//   while j: end1 = end of the run of j in crd1[pos1 ... end0]
//     for pos2 in pos1 ... end1: out[i, j, crd2[pos2]] = values[pos2]
//
// OPERAND-LABEL: func.func @operand(
// OPERAND-NOT:     sparse_tensor.positions %{{.+}} {level = 1
// OPERAND:         scf.while
// OPERAND:         ^{{.+}}(%[[POS0:.+]]: index, %[[I:.+]]: index):
// OPERAND-NEXT:      %[[RUN0:.+]]:2 = scf.while (%{{.+}} = %[[POS0]], %{{.+}} = %c1{{.*}})
// OPERAND:           %[[END0:.+]]:2 = scf.while (%{{.+}} = %[[RUN0]]#0, %{{.+}} = %{{.+}})
// OPERAND:           %[[AFTER0:.+]] = arith.maxui %[[END0]]#0, %{{.+}} : index
// OPERAND:           %[[CRD1:.+]] = sparse_tensor.coordinates %{{.+}} {level = 1 : index}
// OPERAND:           scf.while (%{{[^ ]+}} = %[[POS0]], %{{.+}} = %{{.+}})
// OPERAND:           ^{{.+}}(%[[POS1:.+]]: index, %[[J:.+]]: index):
// OPERAND-NEXT:        %[[RUN1:.+]]:2 = scf.while (%{{.+}} = %[[POS1]], %{{.+}} = %c1{{.*}})
// OPERAND:               %[[IS_IN:.+]] = arith.cmpi ult, %[[P:.+]], %[[AFTER0]] : index
// OPERAND-NEXT:          %[[SAFE:.+]] = arith.select %[[IS_IN]], %[[P]], %c0{{.*}} : index
// OPERAND-NEXT:          memref.load %[[CRD1]][%[[SAFE]]]
// OPERAND:             %[[END1:.+]]:2 = scf.while (%{{.+}} = %[[RUN1]]#0, %{{.+}} = %{{.+}})
// OPERAND:             %[[AFTER1:.+]] = arith.maxui %[[END1]]#0, %{{.+}} : index
// OPERAND:             scf.for %[[POS2:.+]] = %[[POS1]] to %[[AFTER1]] step %c1{{.*}} {
// OPERAND:               %[[CRD2:.+]] = sparse_tensor.coordinates %{{.+}} {level = 2 : index}
// OPERAND-NEXT:          memref.load %[[CRD2]][%[[POS2]]]
// OPERAND:               memref.load %{{.+}}[%[[POS2]]] : memref<?xf64>
func.func @operand(%A: tensor<?x?x?xf64, #COO3>, %out: memref<?x?x?xf64>) {
  %A0 = nacho.root %A : tensor<?x?x?xf64, #COO3>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      nacho.coiterate %k of (%A3 = %A2 : !A2) in %A3 {
        %a = nacho.load %A3 : !A3
        memref.store %a, %out[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// As many entries as positions: nothing is looked up below.
//
// OPERAND-LABEL: func.func @cost(
// OPERAND-NOT:     {level = 1 : index}
// OPERAND-NOT:     {level = 2 : index}
// OPERAND:         return
func.func @cost(%A: tensor<?x?x?xf64, #COO3>, %pos: index) -> index {
  %A0 = nacho.root %A : tensor<?x?x?xf64, #COO3>
  %cost = nacho.cost <nnz> %A0 to %pos : !A0
  return %cost : index
}

// In a result the coordinates of the levels whose runs it takes apart are appended with
// its own; a dense level above is still filled from what is appended.
//
// RESULT-LABEL: func.func @result_compute(
// RESULT-SAME:    %offsets: memref<?x1xindex>, %pos1: memref<?xi32>, %crd1: memref<?xi32>, %crd2: memref<?xi32>, %values: memref<?xf64>
// RESULT:               nacho.coiterate %k of {{.+}} iter_args(%[[AT:[^ ]+]] = %{{[^ ]+}} : index) {
// RESULT:                 scf.if %{{.+}} {
// RESULT-NEXT:              memref.store %a, %values[%[[AT]]]
// RESULT-NEXT:              %[[J:.+]] = arith.index_castui %j : index to i32
// RESULT-NEXT:              memref.store %[[J]], %crd1[%[[AT]]]
// RESULT-NEXT:              %[[K:.+]] = arith.index_castui %k : index to i32
// RESULT-NEXT:              memref.store %[[K]], %crd2[%[[AT]]]
// RESULT:             scf.for %[[X:.+]] = %{{.+}} to %{{.+}} step %c1 {
// RESULT:               memref.store %{{.+}}, %pos1[%[[X]]]
func.func @result(%A: tensor<?x?x?xf64, #CSF>) -> tensor<?x?x?xf64, #DCOO> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>)
      -> [i, j, k] : tensor<?x?x?xf64, #DCOO> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?x?xf64, #DCOO>
}

// If entries are reduced, an entry is counted as a coordinate of a compressed level is,
// and who finishes it appends it.
//
// RESULT-LABEL: func.func @reduced_scan(
// RESULT:         memref.store %position, %sizes[%c0]
// RESULT-NEXT:    memref.store %position, %sizes[%c1]
//
// RESULT-LABEL: func.func @reduced_compute(
// RESULT-SAME:    %offsets: memref<?x4xindex>, %pos0: memref<?xi32>, %crd0: memref<?xi32>, %crd1: memref<?xi32>, %values: memref<?xf64>, %partials: memref<?x?xf64>,
// RESULT:             nacho.coiterate %j of {{.+}} iter_args(%[[AT:[^ ]+]] = %{{[^ ]+}} : index,
// RESULT:               %[[DONE:.+]]:2 = nacho.coiterate %k of
// RESULT:                   memref.store %[[DONE]]#1, %values[%[[AT]]]
// RESULT:               scf.if %{{.+}} {
// RESULT-NEXT:            %[[I:.+]] = arith.index_castui %i : index to i32
// RESULT-NEXT:            memref.store %[[I]], %crd0[%[[AT]]]
// RESULT-NEXT:            %[[J:.+]] = arith.index_castui %j : index to i32
// RESULT-NEXT:            memref.store %[[J]], %crd1[%[[AT]]]
func.func @reduced(%A: tensor<?x?x?xf64, #CSF>) -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #CSF>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.reduce add %a over [k] : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}
