// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s

// Lists of where fibers are: how positions get into them and out of them again, and what
// their entries cost.

#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)),
  posWidth = 32, crdWidth = 32 }>
#Rows = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : dense), posWidth = 32, crdWidth = 32 }>
#CSF = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed),
  posWidth = 32, crdWidth = 32 }>
#List = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa),
                         d2 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
!A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
!C0 = !nacho.fiber<tensor<?x?xf64, #COO>, 0>
!C1 = !nacho.fiber<tensor<?x?xf64, #COO>, 1>
!C2 = !nacho.fiber<tensor<?x?xf64, #COO>, 2>
!L0 = !nacho.fiber<tensor<?x?x?xi64, #List>, 0, scanned_list>
!L1 = !nacho.fiber<tensor<?x?x?xi64, #List>, 1, scanned_list>

//===----------------------------------------------------------------------===//
// nacho.position
//===----------------------------------------------------------------------===//

// A fiber that is there for certain is where the loop is: nothing is computed.
//
// CHECK-LABEL: func.func @negative_certain_position(
// CHECK-NOT:     arith.constant -1
// CHECK:         scf.for %[[POS:.+]] = %{{.+}} to %{{.+}} step %c1
// CHECK-NOT:       arith.select
// CHECK:           memref.store %[[POS]], %{{.+}} : memref<?xindex>
func.func @negative_certain_position(%A: tensor<?x?xf64, #DCSR>, %out: memref<?xindex>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    %pos = nacho.position %A1 : !A1
    memref.store %pos, %out[%i] : memref<?xindex>
  }
  return
}

// One of a union, as long as there is the other one: crd[pos] == i ? pos : -1
//
// CHECK-LABEL: func.func @position(
// CHECK-DAG:     %[[NONE:.+]] = arith.constant -1 : index
// CHECK:         scf.while
// CHECK:         ^{{.+}}(%[[POS:[^ ]+]]: index, %{{[^ ]+}}: index, %[[CRD:[^ ]+]]: index, %{{[^ ]+}}: index):
// CHECK:           %[[I:.+]] = arith.minui %[[CRD]], %{{.+}} : index
// CHECK-NEXT:      %[[HAS:.+]] = arith.cmpi eq, %[[CRD]], %[[I]] : index
// CHECK:           %[[KEPT:.+]] = arith.select %[[HAS]], %[[POS]], %[[NONE]] : index
// CHECK-NEXT:      memref.store %[[KEPT]], %{{.+}}[%[[I]]]
//
// What is left of A alone has a position, what is left of B alone has none:
// CHECK:         scf.while
// CHECK:         scf.for %[[POS:.+]] = %{{.+}} to
// CHECK-DAG:       memref.store %[[POS]], %{{.+}}[
// CHECK:         scf.for
// CHECK:           memref.store %[[NONE]], %{{.+}}[
func.func @position(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>,
                    %out: memref<?xindex>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in union(%A1, %B1) {
    %pos = nacho.position %A1 : !A1
    memref.store %pos, %out[%i] : memref<?xindex>
  }
  return
}

// A run ends where the loop goes on: both of its ends are -1 where there is none.
//
// CHECK-LABEL: func.func @position_of_run(
// CHECK-DAG:     %[[NONE:.+]] = arith.constant -1 : index
// CHECK:         ^{{.+}}(%[[BEGIN:.+]]: index, %{{.+}}: index, %[[CRD:.+]]: index, %{{.+}}: index):
// CHECK-NEXT:      %[[I:.+]] = arith.minui
// CHECK-NEXT:      %[[HAS:.+]] = arith.cmpi eq, %[[CRD]], %[[I]] : index
// CHECK-NEXT:      %[[PROBED:.+]]:2 = scf.while (%{{[^ ]+}} = %[[BEGIN]], %{{.+}} = %c1{{.*}})
// CHECK:           %[[END:.+]]:2 = scf.while (%{{[^ ]+}} = %[[PROBED]]#0, %{{.+}} = %{{.+}})
// CHECK:           %[[AFTER:.+]] = arith.maxui %[[END]]#0, %{{.+}} : index
// CHECK:           %[[FROM:.+]] = arith.select %[[HAS]], %[[BEGIN]], %[[NONE]] : index
// CHECK-NEXT:      %[[TO:.+]] = arith.select %[[HAS]], %[[AFTER]], %[[NONE]] : index
// CHECK-NEXT:      memref.store %[[FROM]], %{{.+}}[%[[I]], %c0
// CHECK-NEXT:      memref.store %[[TO]], %{{.+}}[%[[I]], %c1
func.func @position_of_run(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>,
                           %out: memref<?x2xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B : tensor<?x?xf64, #COO>
  nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %B0 : !C0) in union(%A1, %B1) {
    %begin = nacho.position %A1 : !C1
    %end = nacho.position end %A1 : !C1
    memref.store %begin, %out[%i, %c0] : memref<?x2xindex>
    memref.store %end, %out[%i, %c1] : memref<?x2xindex>
  }
  return
}

//===----------------------------------------------------------------------===//
// nacho.recall, nacho.fiber_at
//===----------------------------------------------------------------------===//

// for (i, pos, _) in L: for j in pos1[pos] ... pos1[pos + 1], since it is certain that
// there is one. A position is in the list's next level, where its coordinate is. It is
// never beyond what A has room for.
//
// CHECK-LABEL: func.func @certain(
// CHECK-SAME:    %[[L:[^ ]+]]: tensor<{{[^:]+}}, %[[A:[^ ]+]]: tensor<
// CHECK-DAG:     %[[MASK:.+]] = arith.constant 9223372036854775807 : index
// CHECK:         ^{{.+}}(%[[ENTRY:.+]]: index, %[[I:.+]]: index):
// CHECK:           %[[CRD1:.+]] = sparse_tensor.coordinates %[[L]] {level = 1 : index}
// CHECK-NEXT:      %[[KEPT:.+]] = memref.load %[[CRD1]][%[[ENTRY]]] : memref<?xi64>
// CHECK-NEXT:      %[[CAST:.+]] = arith.index_castui %[[KEPT]] : i64 to index
// CHECK-NEXT:      %[[FOUND:.+]] = arith.andi %[[CAST]], %[[MASK]] : index
// CHECK-NEXT:      %[[CRD0:.+]] = sparse_tensor.coordinates %[[A]] {level = 0 : index}
// CHECK-NEXT:      %[[SIZE:.+]] = memref.dim %[[CRD0]], %c0
// CHECK-NEXT:      %[[LAST:.+]] = arith.subi %[[SIZE]], %c1{{.*}} : index
// CHECK-NEXT:      %[[POS:.+]] = arith.minui %[[FOUND]], %[[LAST]] : index
// CHECK-NEXT:      %[[POS1:.+]] = sparse_tensor.positions %[[A]] {level = 1 : index}
// CHECK:           memref.load %[[POS1]][%[[POS]]]
// CHECK:           %[[NEXT:.+]] = arith.addi %[[POS]], %c1{{.*}} : index
// CHECK-NEXT:      memref.load %[[POS1]][%[[NEXT]]]
// CHECK-NOT:       arith.select
// CHECK:           scf.for
func.func @certain(%L: tensor<?x?x?xi64, #List>, %A: tensor<?x?xf64, #DCSR>,
                   %out: memref<?x?xf64>) {
  %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    %pos = nacho.recall %L1 below 0 : !L1
    %A1 = nacho.fiber_at %A0[%pos] certain : !A0 -> !A1
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      %a = nacho.load %A2 : !A2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Where there may be none, -1 is as large as a coordinate can be. The loop has nothing to
// do then: pos1[0] ... pos1[0].
//
// CHECK-LABEL: func.func @not_certain(
// CHECK-SAME:    %[[L:[^ ]+]]: tensor<{{[^:]+}}, %[[A:[^ ]+]]: tensor<
// CHECK-DAG:     %[[NONE:.+]] = arith.constant 9223372036854775807 : index
// CHECK:           %[[CRD2:.+]] = sparse_tensor.coordinates %[[L]] {level = 2 : index}
// CHECK-NEXT:      memref.load %[[CRD2]]
// CHECK:           %[[KEPT:.+]] = arith.andi %{{.+}}, %[[NONE]] : index
// CHECK-NEXT:      %[[HAS:.+]] = arith.cmpi ne, %[[KEPT]], %[[NONE]] : index
// CHECK-NEXT:      %[[FOUND:.+]] = arith.select %[[HAS]], %[[KEPT]], %c0{{.*}} : index
// CHECK:           %[[POS:.+]] = arith.minui %[[FOUND]], %{{.+}} : index
// CHECK-NEXT:      %[[POS1:.+]] = sparse_tensor.positions %[[A]] {level = 1 : index}
// CHECK:           memref.load %[[POS1]][%[[POS]]]
// CHECK:           %[[STEP:.+]] = arith.index_castui %[[HAS]] : i1 to index
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[POS]], %[[STEP]] : index
// CHECK-NEXT:      memref.load %[[POS1]][%[[NEXT]]]
// CHECK:           scf.for
func.func @not_certain(%L: tensor<?x?x?xi64, #List>, %A: tensor<?x?xf64, #DCSR>,
                       %out: memref<?x?xf64>) {
  %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    %pos = nacho.recall %L1 below 1 : !L1
    %A1 = nacho.fiber_at %A0[%pos] : !A0 -> !A1
    nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      %a = nacho.load %A2 : !A2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// for (i, begin, end) in L: for j in crd1[begin ... end]
//
// CHECK-LABEL: func.func @run(
// CHECK-SAME:    %[[L:[^ ]+]]: tensor<{{[^:]+}}, %[[A:[^ ]+]]: tensor<
// CHECK:           sparse_tensor.coordinates %[[L]] {level = 1 : index}
// CHECK:           %[[FIRST:.+]] = arith.andi
// CHECK-NEXT:      sparse_tensor.coordinates %[[L]] {level = 2 : index}
// CHECK:           %[[STOP:.+]] = arith.andi
// CHECK:           %[[SIZE:.+]] = memref.dim
// CHECK-NEXT:      %[[LAST:.+]] = arith.subi %[[SIZE]], %c1{{.*}} : index
// CHECK-NEXT:      %[[BEGIN:.+]] = arith.minui %[[FIRST]], %[[LAST]] : index
// CHECK-NEXT:      %[[END:.+]] = arith.minui %[[STOP]], %[[SIZE]] : index
// CHECK-NEXT:      scf.for %[[POS:.+]] = %[[BEGIN]] to %[[END]] step %c1
// CHECK-NEXT:        %[[CRD1:.+]] = sparse_tensor.coordinates %[[A]] {level = 1 : index}
// CHECK-NEXT:        memref.load %[[CRD1]][%[[POS]]]
func.func @run(%L: tensor<?x?x?xi64, #List>, %A: tensor<?x?xf64, #COO>,
               %out: memref<?x?xf64>) {
  %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    %begin = nacho.recall %L1 below 0 : !L1
    %end = nacho.recall %L1 below 1 : !L1
    %A1 = nacho.fiber_at %A0[%begin to %end] certain : !C0 -> !C1
    nacho.coiterate %j of (%A2 = %A1 : !C1) in %A2 {
      %a = nacho.load %A2 : !C2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A run that is not there has no entries: 0 ... 0.
//
// CHECK-LABEL: func.func @run_not_certain(
// CHECK-DAG:     %[[NONE:.+]] = arith.constant 9223372036854775807 : index
// CHECK:           sparse_tensor.coordinates %{{.+}} {level = 1 : index}
// CHECK:           %[[BEGIN:.+]] = arith.andi %{{.+}}, %[[NONE]] : index
// CHECK-NEXT:      sparse_tensor.coordinates %{{.+}} {level = 2 : index}
// CHECK:           %[[END:.+]] = arith.andi %{{.+}}, %[[NONE]] : index
// CHECK-NEXT:      %[[HAS:.+]] = arith.cmpi ne, %[[BEGIN]], %[[NONE]] : index
// CHECK-NEXT:      %[[FIRST:.+]] = arith.select %[[HAS]], %[[BEGIN]], %c0{{.*}} : index
// CHECK-NEXT:      %[[STOP:.+]] = arith.select %[[HAS]], %[[END]], %c0{{.*}} : index
// CHECK:           %[[FROM:.+]] = arith.minui %[[FIRST]], %{{.+}} : index
// CHECK-NEXT:      %[[TO:.+]] = arith.minui %[[STOP]], %{{.+}} : index
// CHECK-NEXT:      scf.for %{{.+}} = %[[FROM]] to %[[TO]] step %c1
func.func @run_not_certain(%L: tensor<?x?x?xi64, #List>, %A: tensor<?x?xf64, #COO>,
                           %out: memref<?x?xf64>) {
  %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    %begin = nacho.recall %L1 below 0 : !L1
    %end = nacho.recall %L1 below 1 : !L1
    %A1 = nacho.fiber_at %A0[%begin to %end] : !C0 -> !C1
    nacho.coiterate %j of (%A2 = %A1 : !C1) in %A2 {
      %a = nacho.load %A2 : !C2
      memref.store %a, %out[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// So many entries ahead, or what the last one of all has: min(entry + 8, entries - 1).
//
// CHECK-LABEL: func.func @ahead(
// CHECK-SAME:    %[[L:[^ ]+]]: tensor<
// CHECK:         ^{{.+}}(%[[ENTRY:.+]]: index, %[[I:.+]]: index):
// CHECK:           %[[VALUES:.+]] = sparse_tensor.values %[[L]]
// CHECK-NEXT:      %[[SIZE:.+]] = memref.dim %[[VALUES]], %c0
// CHECK-NEXT:      %[[LAST:.+]] = arith.subi %[[SIZE]], %c1 : index
// CHECK-NEXT:      %[[LATER:.+]] = arith.addi %[[ENTRY]], %c8 : index
// CHECK-NEXT:      %[[AT:.+]] = arith.minui %[[LATER]], %[[LAST]] : index
// CHECK-NEXT:      %[[CRD1:.+]] = sparse_tensor.coordinates %[[L]] {level = 1 : index}
// CHECK-NEXT:      memref.load %[[CRD1]][%[[AT]]] : memref<?xi64>
func.func @ahead(%L: tensor<?x?x?xi64, #List>, %out: memref<?xindex>) {
  %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    %pos = nacho.recall %L1 below 0 ahead 8 : !L1
    memref.store %pos, %out[%i] : memref<?xindex>
  }
  return
}

//===----------------------------------------------------------------------===//
// nacho.prefetch
//===----------------------------------------------------------------------===//

// Where the children begin; then the first of their coordinates and, if they are wanted,
// of their values. No place has to be inside of its array.
//
// CHECK-LABEL: func.func @prefetch(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %[[A:[^ ]+]]: tensor<
// CHECK:           sparse_tensor.coordinates %{{.+}} {level = 1 : index}
// CHECK:           %[[FOUND:.+]] = arith.andi
// CHECK:           %[[POS:.+]] = arith.minui %[[FOUND]], %{{.+}} : index
// CHECK-NEXT:      %[[POS1:.+]] = sparse_tensor.positions %[[A]] {level = 1 : index}
// CHECK-NEXT:      memref.prefetch %[[POS1]][%[[FOUND]]], read, locality<3>, data
// CHECK-NEXT:      %[[STORED:.+]] = memref.load %[[POS1]][%[[POS]]]
// CHECK-NEXT:      %[[FIRST:.+]] = arith.index_castui %[[STORED]] : i32 to index
// CHECK-NEXT:      %[[CRD1:.+]] = sparse_tensor.coordinates %[[A]] {level = 1 : index}
// CHECK-NEXT:      memref.prefetch %[[CRD1]][%[[FIRST]]], read, locality<3>, data
// CHECK-NEXT:      %[[VALUES:.+]] = sparse_tensor.values %[[A]]
// CHECK-NEXT:      memref.prefetch %[[VALUES]][%[[FIRST]]], read, locality<3>, data
// CHECK-NOT:       memref.prefetch
// CHECK:         return
func.func @prefetch(%L: tensor<?x?x?xi64, #List>, %A: tensor<?x?xf64, #DCSR>) {
  %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    %pos = nacho.recall %L1 below 0 : !L1
    %A1 = nacho.fiber_at %A0[%pos] certain : !A0 -> !A1
    nacho.prefetch begin %A1 : !A1
    nacho.prefetch %A1 elements : !A1
  }
  return
}

// Coordinates only: of a fiber whose elements are not wanted, or lie further down.
//
// CHECK-LABEL: func.func @prefetch_coordinates(
// CHECK:           memref.prefetch %{{.+}} : memref<?xi32>
// CHECK:           memref.prefetch %{{.+}} : memref<?xi32>
// CHECK-NOT:       memref.prefetch
// CHECK:         return
func.func @prefetch_coordinates(%L: tensor<?x?x?xi64, #List>, %A: tensor<?x?xf64, #DCSR>,
                                %B: tensor<?x?x?xf64, #CSF>) {
  %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?x?xf64, #CSF>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    %pos = nacho.recall %L1 below 0 : !L1
    %A1 = nacho.fiber_at %A0[%pos] certain : !A0 -> !A1
    nacho.prefetch %A1 : !A1
    %B1 = nacho.fiber_at %B0[%pos] certain
        : !nacho.fiber<tensor<?x?x?xf64, #CSF>, 0> -> !nacho.fiber<tensor<?x?x?xf64, #CSF>, 1>
    nacho.prefetch %B1 elements : !nacho.fiber<tensor<?x?x?xf64, #CSF>, 1>
  }
  return
}

// A dense level has nothing but the elements: those of the row, from pos * N on.
//
// CHECK-LABEL: func.func @prefetch_dense(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %[[A:[^ ]+]]: tensor<
// CHECK:           %[[N:.+]] = sparse_tensor.lvl %[[A]], %c1
// CHECK-NEXT:      %[[FIRST:.+]] = arith.muli %{{.+}}, %[[N]] : index
// CHECK-NEXT:      %[[VALUES:.+]] = sparse_tensor.values %[[A]]
// CHECK-NEXT:      memref.prefetch %[[VALUES]][%[[FIRST]]]
// CHECK-NOT:       memref.prefetch
// CHECK:         return
func.func @prefetch_dense(%L: tensor<?x?x?xi64, #List>, %A: tensor<?x?xf64, #Rows>) {
  %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
  %A0 = nacho.root %A : tensor<?x?xf64, #Rows>
  nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
    %pos = nacho.recall %L1 below 0 : !L1
    %A1 = nacho.fiber_at %A0[%pos] certain
        : !nacho.fiber<tensor<?x?xf64, #Rows>, 0> -> !nacho.fiber<tensor<?x?xf64, #Rows>, 1>
    nacho.prefetch begin %A1 : !nacho.fiber<tensor<?x?xf64, #Rows>, 1>
    nacho.prefetch %A1 elements : !nacho.fiber<tensor<?x?xf64, #Rows>, 1>
  }
  return
}

//===----------------------------------------------------------------------===//
// nacho.prefetch_row
//===----------------------------------------------------------------------===//

#AllDense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>

// Of a tensor of more than 8 MiB: two lines, and two more of rows that have these. Three
// lines have 24 doubles.
//
// CHECK-LABEL: func.func @prefetch_row(
// CHECK-SAME:    %[[D:[^ ]+]]: tensor<{{[^:]+}}, %{{[^ ]+}}: tensor<
// CHECK:           %[[LENGTH:.+]] = sparse_tensor.lvl %[[D]], %c1
// CHECK:           arith.subi %{{.+}}, %c1
// CHECK:           %[[VALUES:.+]] = sparse_tensor.values %[[D]]
// CHECK-NEXT:      %[[SIZE:.+]] = memref.dim %[[VALUES]]
// CHECK-NEXT:      %[[FAR:.+]] = arith.cmpi ugt, %[[SIZE]], %c1048576
// CHECK-NEXT:      scf.if %[[FAR]] {
// CHECK-COUNT-2:     memref.prefetch %[[VALUES]]
// CHECK:             %[[LONG:.+]] = arith.cmpi ugt, %[[LENGTH]], %c16
// CHECK-NEXT:        scf.if %[[LONG]] {
// CHECK-COUNT-2:       memref.prefetch %[[VALUES]]
// CHECK-NOT:         memref.prefetch
// CHECK:           scf.if %[[FAR]] {
// CHECK-NOT:         arith.minsi
// CHECK-COUNT-3:     memref.prefetch
// CHECK-NOT:         memref.prefetch
// CHECK:         return
func.func @prefetch_row(%D: tensor<?x?xf64, #AllDense>, %A: tensor<?x?x?xf64, #CSF>) {
  %A0 = nacho.root %A : tensor<?x?x?xf64, #CSF>
  nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?x?x?xf64, #CSF>, 0>) in %A1 {
    %ahead = nacho.ahead %A1 by 16 : !nacho.fiber<tensor<?x?x?xf64, #CSF>, 1>
    nacho.prefetch_row %D[%ahead] : tensor<?x?xf64, #AllDense>
    nacho.prefetch_row %D[%ahead] from %i only 24 : tensor<?x?xf64, #AllDense>
  }
  return
}

//===----------------------------------------------------------------------===//
// nacho.cost <scan>
//===----------------------------------------------------------------------===//

// The values are sums of all costs up to and with an entry. Up to a position they are what
// the entry before it says, nothing if there is none. Before the fiber there was nothing.
//
// CHECK-LABEL: func.func @scan(
// CHECK-SAME:    %[[L:[^ ]+]]: tensor<{{[^:]+}}, %[[POS:[^ ]+]]: index)
// CHECK:         %[[SUMS:.+]] = sparse_tensor.values %[[L]]
// CHECK-NEXT:    %[[ANY:.+]] = arith.cmpi ne, %[[POS]], %c0{{.*}} : index
// CHECK-NEXT:    %[[BEFORE:.+]] = arith.subi %[[POS]], %c1{{.*}} : index
// CHECK-NEXT:    %[[AT:.+]] = arith.select %[[ANY]], %[[BEFORE]], %c0{{.*}} : index
// CHECK-NEXT:    %[[VALUE:.+]] = memref.load %[[SUMS]][%[[AT]]] : memref<?xi64>
// CHECK-NEXT:    %[[SUM:.+]] = arith.index_cast %[[VALUE]] : i64 to index
// CHECK-NEXT:    %[[SO_FAR:.+]] = arith.select %[[ANY]], %[[SUM]], %c0{{.*}} : index
// CHECK-NEXT:    return %[[SO_FAR]]
func.func @scan(%L: tensor<?x?x?xi64, #List>, %pos: index) -> index {
  %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
  %cost = nacho.cost <scan> %L0 to %pos : !L0
  return %cost : index
}

// Up to the last of them, it is the whole fiber.
//
// CHECK-LABEL: func.func @scan_of_all(
// CHECK-SAME:    %[[L:[^ ]+]]: tensor<
// CHECK:         memref.load %{{.+}}[%c1{{.*}}]
// CHECK:         %[[END:.+]] = arith.minui
// CHECK:         %[[ANY:.+]] = arith.cmpi ne, %[[END]], %c0{{.*}} : index
// CHECK:         %[[LAST:.+]] = arith.subi %[[END]], %c1{{.*}} : index
// CHECK-NEXT:    %[[AT:.+]] = arith.select %[[ANY]], %[[LAST]], %c0{{.*}} : index
// CHECK-NEXT:    memref.load %{{.+}}[%[[AT]]] : memref<?xi64>
// CHECK-NOT:     arith.subi
// CHECK:         return
func.func @scan_of_all(%L: tensor<?x?x?xi64, #List>) -> index {
  %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
  %cost = nacho.cost <scan> %L0 : !L0
  return %cost : index
}
