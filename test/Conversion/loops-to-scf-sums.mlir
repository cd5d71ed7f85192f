// RUN: nacho-opt %s -convert-nacho-loops-to-scf -canonicalize -cse | FileCheck %s
// RUN: nacho-opt %s -convert-nacho-loops-to-scf -convert-nacho-storage-to-memref -canonicalize -cse | FileCheck %s --check-prefix=MEMREF

// Rows of sums in memory, and elements of a row in the lanes of a vector.

#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
#Columns = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : dense) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>

// for n = 0 to N: sums[row, first + n] += a * B[j, n], whatever j is
//
// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[A:[^ ]+]]: f64, %[[B:[^ ]+]]: tensor<{{.+}}>, %[[J:[^ ]+]]: index, %[[SUMS:[^ ]+]]: memref<?x?xf64>, %[[ROW:[^ ]+]]: index, %[[FIRST:[^ ]+]]: index, %[[N:[^ ]+]]: index)
// CHECK:         scf.for %[[K:.+]] = %c0{{.*}} to %[[N]] step %c1{{.*}} {
// CHECK:           %[[b:.+]] = arith.bitcast %{{.+}} : i64 to f64
// CHECK-NEXT:      %[[TERM:.+]] = nacho.binary mul %[[A]], %[[b]] : f64
// CHECK-NEXT:      %[[AT:.+]] = arith.addi %[[FIRST]], %[[K]] : index
// CHECK-NEXT:      %[[BEFORE:.+]] = memref.load %[[SUMS]][%[[ROW]], %[[AT]]]
// CHECK-NEXT:      %[[AFTER:.+]] = nacho.binary add %[[BEFORE]], %[[TERM]] : f64
// CHECK-NEXT:      memref.store %[[AFTER]], %[[SUMS]][%[[ROW]], %[[AT]]]
// CHECK-NEXT:    }
func.func @row(%a: f64, %B: tensor<?x?xf64, #Dense>, %j: index, %sums: memref<?x?xf64>,
               %row: index, %first: index, %N: index) {
  nacho.accumulate add into %sums at [%row, %first] to %N : memref<?x?xf64> {
  ^bb0(%k: index):
    %b = nacho.locate %B[%j, %k] : tensor<?x?xf64, #Dense>
    %term = nacho.binary mul %a, %b : f64
    nacho.yield %term : f64
  }
  return
}

// One after the other, if the condition holds: of extremes, zeros have an order.
//
// CHECK-LABEL: func.func @condition(
// CHECK-SAME:    %[[A:[^ ]+]]: f64, %[[B:[^ ]+]]: f64, %[[SUMS:[^ ]+]]: memref<?x?xf64>, %{{.+}}: index, %[[C:[^ ]+]]: i1)
// CHECK:         scf.if %[[C]] {
// CHECK-NEXT:      scf.for
// CHECK:             nacho.binary max %{{.+}}, %[[A]] reassociable : f64
// CHECK-NEXT:        memref.store
// CHECK-NEXT:        memref.load
// CHECK-NEXT:        nacho.binary max %{{.+}}, %[[B]] reassociable : f64
// CHECK-NEXT:        memref.store
func.func @condition(%a: f64, %b: f64, %sums: memref<?x?xf64>, %N: index, %c: i1) {
  nacho.accumulate max into %sums, %sums at [%N, %N] to %N if %c
      : memref<?x?xf64>, memref<?x?xf64> {
  ^bb0(%k: index):
    nacho.yield %a, %b : f64, f64
  }
  return
}

// Elements of a row are read where the mask says so, if the row is there.
//
// CHECK-LABEL: func.func @lanes(
// CHECK-SAME:    %[[B:[^ ]+]]: tensor<{{.+}}>, %[[J:[^ ]+]]: index, %[[S:[^ ]+]]: index, %[[MASK:[^ ]+]]: vector<4xi1>)
// CHECK-DAG:     %[[NONE:.+]] = arith.constant dense<false> : vector<4xi1>
// CHECK:         %[[SET:.+]] = arith.select %[[INSIDE:.+]], %[[MASK]], %[[NONE]] : vector<4xi1>
// CHECK:         vector.transfer_read %[[B]][%{{.+}}, %{{.+}}], %{{.+}}, %[[SET]] {in_bounds = [true]} : tensor<{{.+}}>, vector<4xf64>
//
// MEMREF-LABEL: func.func @lanes(
// MEMREF-SAME:    %[[B:[^ ]+]]: memref<?xf64>, %{{[^ ]+}}: index, %[[EXTENT:[^ ]+]]: index,
// MEMREF:         %[[ROW:.+]] = arith.muli %{{.+}}, %[[EXTENT]] : index
// MEMREF-NEXT:    %[[AT:.+]] = arith.addi %[[ROW]], %{{.+}} : index
// MEMREF-NEXT:    vector.maskedload %[[B]][%[[AT]]], %{{.+}}, %{{.+}} : memref<?xf64>, vector<4xi1>, vector<4xf64> into vector<4xf64>
func.func @lanes(%B: tensor<?x?xf64, #Dense>, %j: index, %s: index, %mask: vector<4xi1>)
    -> vector<4xf64> {
  %b = nacho.locate %B[%j, %s] lanes %mask : tensor<?x?xf64, #Dense>, vector<4xi1>
  // Only functions with loops are lowered.
  %A0 = nacho.count to %j of () in intersect()
  return %b : vector<4xf64>
}

// Of a row that is outside, the elements of the last row are read, by the same mask.
//
// CHECK-LABEL: func.func @checked_lanes(
// CHECK-SAME:    %[[B:[^ ]+]]: tensor<{{.+}}>, %[[J:[^ ]+]]: index, %[[S:[^ ]+]]: index, %[[MASK:[^ ]+]]: vector<4xi1>)
// CHECK:         %[[ROWS:.+]] = tensor.dim %[[B]], %c0
// CHECK-NEXT:    %[[SOME:.+]] = arith.maxui %[[ROWS]], %c1 : index
// CHECK-NEXT:    %[[LAST:.+]] = arith.subi %[[SOME]], %c1 : index
// CHECK-NEXT:    %[[ROW:.+]] = arith.minui %[[J]], %[[LAST]] : index
// CHECK:         vector.transfer_read %[[B]][%[[ROW]], %[[S]]], %{{.+}}, %[[MASK]] {in_bounds = [true]} : tensor<{{.+}}>, vector<4xf64>
func.func @checked_lanes(%B: tensor<?x?xf64, #Dense>, %j: index, %s: index, %mask: vector<4xi1>)
    -> vector<4xf64> {
  %b = nacho.locate %B[%j, %s] lanes %mask {checked} : tensor<?x?xf64, #Dense>, vector<4xi1>
  %A0 = nacho.count to %j of () in intersect()
  return %b : vector<4xf64>
}

// The elements of a column are next to each other if columns are stored.
//
// CHECK-LABEL: func.func @column(
// CHECK:         vector.transfer_read {{.+}} permutation_map = #{{.+}}}
//
// MEMREF-LABEL: func.func @column(
// MEMREF-SAME:    %[[B:[^ ]+]]: memref<?xf64>, %{{[^ ]+}}: index, %[[EXTENT:[^ ]+]]: index,
// MEMREF:         %[[COLUMN:.+]] = arith.muli %{{.+}}, %[[EXTENT]] : index
// MEMREF:         vector.maskedload %[[B]]
func.func @column(%B: tensor<?x?xf64, #Columns>, %j: index, %s: index, %mask: vector<4xi1>)
    -> vector<4xf64> {
  %b = nacho.locate %B[%s, %j] lanes %mask : tensor<?x?xf64, #Columns>, vector<4xi1>
  %A0 = nacho.count to %j of () in intersect()
  return %b : vector<4xf64>
}

// The terms of a union are added up in the order of coordinates, also where one
// operand is left. Extremes do not depend on an order.
//
// CHECK-LABEL: func.func @union(
// CHECK:         scf.for
// CHECK:           nacho.binary add %{{.+}}, %{{.+}} : f64
// CHECK-NEXT:      nacho.binary add %{{.+}}, %{{.+}} : f64
// CHECK-NEXT:      nacho.binary max %{{.+}}, %{{.+}} reassociable : f64
// CHECK:         scf.for
// CHECK:           nacho.binary add %{{.+}}, %{{.+}} : f64
// CHECK-NEXT:      nacho.binary add %{{.+}}, %{{.+}} : f64
// CHECK-NEXT:      nacho.binary max %{{.+}}, %{{.+}} reassociable : f64
func.func @union(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %start: f64) -> (f64, f64) {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  %sum:2 = nacho.coiterate %i of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in union(%A1, %B1)
      iter_args(%s = %start : f64, %m = %start : f64) {
    %a = nacho.load %A1 : !A1
    %b = nacho.load %B1 : !A1
    %ab = nacho.binary add %a, %b : f64
    %next = nacho.binary add %s, %ab reassociable : f64
    %more = nacho.binary max %m, %ab reassociable : f64
    nacho.yield %next, %more : f64, f64
  }
  return %sum#0, %sum#1 : f64, f64
}

// CHECK-LABEL: func.func @negative_one_operand(
// CHECK:         scf.for
// CHECK:           nacho.binary add %{{.+}}, %{{.+}} reassociable : f64
func.func @negative_one_operand(%A: tensor<?xf64, #SV>, %start: f64) -> f64 {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %sum = nacho.coiterate %i of (%A1 = %A0 : !A0) in union(%A1)
      iter_args(%s = %start : f64) {
    %a = nacho.load %A1 : !A1
    %next = nacho.binary add %s, %a reassociable : f64
    nacho.yield %next : f64
  }
  return %sum : f64
}
