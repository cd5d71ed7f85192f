// RUN: nacho-opt %s \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},nacho-assemble-outputs{device},canonicalize,cse)' \
// RUN:   | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// Where there are tiles, one loop cuts them, checks positions, and stores sizes. If there are
// few parts, more workers check positions before.
//
// RUN: nacho-opt %s \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},nacho-assemble-outputs{tile=32 device},canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=TILES

//   parallel row in length(pos):
//     if row + 1 < length(pos):
//       if pos[row] > pos[row + 1]
//          or row is the first and pos[row] is not 0
//          or pos[row + 1] is above length(crd):
//         status |= the operands changed
//
// CHECK-LABEL: func.func @scale_plan(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor{{.+}}, %[[STATUS:[^ ]+]]: memref<i32>, %[[T:[^ ]+]]: index)
// CHECK:         %[[POS:.+]] = sparse_tensor.positions %[[A]]
// CHECK-NEXT:    %[[LENGTH:.+]] = memref.dim %[[POS]], %c0
// CHECK-NEXT:    nacho.parallel %[[ROW:.+]] in %[[LENGTH]] threads %[[T]] {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[ROW]], %c1
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.cmpi ult, %[[NEXT]], %[[LENGTH]]
// CHECK-NEXT:      scf.if %[[INSIDE]] {
// CHECK:             %[[BEGIN:.+]] = arith.index_castui
// CHECK:             %[[END:.+]] = arith.index_castui
// CHECK-DAG:         %[[FIRST:.+]] = arith.cmpi eq, %[[ROW]], %c0
// CHECK-DAG:         %[[NOT_0:.+]] = arith.cmpi ne, %[[BEGIN]], %c0
// CHECK-DAG:         %[[WRONG_FIRST:.+]] = arith.andi %[[FIRST]], %[[NOT_0]]
// CHECK-DAG:         %[[BEYOND:.+]] = arith.cmpi ugt, %[[END]], %{{.+}}
// CHECK:             %[[FALLS:.+]] = arith.cmpi ugt, %[[BEGIN]], %[[END]]
// CHECK-NEXT:        %[[SOME:.+]] = arith.ori %[[FALLS]], %[[WRONG_FIRST]]
// CHECK-NEXT:        %[[WRONG:.+]] = arith.ori %[[SOME]], %[[BEYOND]]
// CHECK-NEXT:        scf.if %[[WRONG]] {
// CHECK-NEXT:          memref.atomic_rmw ori %c2_i32, %[[STATUS]][]
// CHECK:         call @scale_partition(
//
//   parallel part in parts:
//     for place in part .. (parts * 128 < length(pos) ? 0 : length(pos)) step parts:
//       check positions there
//
// TILES-LABEL: func.func private @scale_cuts(
// TILES-SAME:    %[[STATUS:[^ ]+]]: memref<i32>, %[[T:[^ ]+]]: index)
// TILES:         %[[PARTS:.+]] = arith.subi %{{.+}}, %c1
// TILES:         %[[LENGTH:.+]] = memref.dim
// TILES:         nacho.parallel %[[PART:.+]] in %[[PARTS]] threads %[[T]] {
// TILES:           %[[MOST:.+]] = arith.muli %[[PARTS]], %c128
// TILES-NEXT:      %[[FEW:.+]] = arith.cmpi ult, %[[MOST]], %[[LENGTH]]
// TILES-NEXT:      %[[UNTIL:.+]] = arith.select %[[FEW]], %c0, %[[LENGTH]]
// TILES-NEXT:      scf.for %[[PLACE:.+]] = %[[PART]] to %[[UNTIL]] step %[[PARTS]] {
// TILES-NEXT:        arith.addi %[[PLACE]], %c1
// TILES:             memref.atomic_rmw ori %c2_i32, %[[STATUS]][]
// TILES:           nacho.tile_sync
// TILES-LABEL: func.func @scale_plan(
// TILES:         %[[FEW:.+]] = arith.cmpi ult, %{{.+}}, %[[LENGTH:.+]] : index
// TILES-NEXT:    scf.if %[[FEW]] {
// TILES-NEXT:      nacho.parallel %{{.+}} in %[[LENGTH]] threads
// TILES:             memref.atomic_rmw ori %c2_i32
// TILES:         call @scale_cuts(
func.func @scale(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// The sizes of a result without counts follow from extents. The loop stores them, too.
//
// CHECK-LABEL: func.func @spread_plan(
// CHECK-SAME:    %[[SIZES:[^ ]+]]: memref<5xindex>
// CHECK:         nacho.parallel %[[ROW:.+]] in
// CHECK-NEXT:      %[[FIRST:.+]] = arith.cmpi eq, %[[ROW]], %c0
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK:             memref.store %{{.+}}, %[[SIZES]][%c4]
// CHECK:         call @spread_partition(
// CHECK-NOT:     call @spread_scan(
// CHECK:         return
//
// TILES-LABEL: func.func private @spread_cuts(
// TILES-SAME:    %[[SIZES:[^ ]+]]: memref<5xindex>
// TILES:         nacho.parallel %[[PART:.+]] in
// TILES:           %[[FIRST:.+]] = arith.cmpi eq, %[[PART]], %c0
// TILES-NEXT:      scf.if %[[FIRST]] {
// TILES:             memref.store %{{.+}}, %[[SIZES]][%c4]
// TILES-NOT:   func.func {{.*}}@spread_scan(
// TILES-LABEL: func.func @spread_plan(
// TILES:         call @spread_cuts(
func.func @spread(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// No operand stores positions.
//
// CHECK-LABEL: func.func @negative_dense_plan(
// CHECK-NOT:     nacho.parallel
// CHECK:         call @negative_dense_partition(
func.func @negative_dense(%D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %D[i, j] : tensor<?x?xf64>) -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}
