// RUN: nacho-opt %s -nacho-keep-sums -split-input-file | FileCheck %s
// RUN: not nacho-opt %s -nacho-keep-sums=strip-bits=64 -split-input-file 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: nacho-opt %s -nacho-keep-sums=strip-bits=512 -split-input-file \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: nacho-opt %s -nacho-keep-sums=threads=32 -split-input-file \
// RUN:   | FileCheck %s --check-prefix=THREADS
// RUN: nacho-opt %s -nacho-keep-sums -split-input-file | nacho-opt -split-input-file \
// RUN:   -nacho-keep-sums | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>

// A row of B for each entry of A: what is carried along stays. Strips of 32 doubles come
// first, then one of 16, then a masked one of what is left, of 8 lanes if these suffice.
// Only of B a strip is asked for. If B has no rows, nothing of it may be read: all strips
// are masked.
//
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %{{.+}}: tensor<?xf64, #{{.+}}>, %[[B:[^ ]+]]: tensor<{{.+}}>, %[[D:[^ ]+]]: tensor<{{.+}}>, %[[SUMS:[^ ]+]]: memref<?x?xf64>, %[[ROW:[^ ]+]]: index, %[[N:[^ ]+]]: index) -> index
// CHECK:         %[[ROWS:.+]] = tensor.dim %[[B]], %c0
// CHECK-NEXT:    %[[SOME:.+]] = arith.cmpi ne, %[[ROWS]], %c0{{.*}} : index
// CHECK-NEXT:    %[[READABLE:.+]] = arith.select %[[SOME]], %[[N]], %c0{{.*}} : index
// CHECK:         %[[WHOLE:.+]] = arith.andi %[[READABLE]], %c-32 : index
// CHECK:         %[[HALF:.+]] = arith.andi %[[READABLE]], %c-16 : index
// CHECK:         %[[END:.+]] = arith.maxsi %[[N]], %c1{{.*}} : index
//
// CHECK:         %[[ALL:.+]] = scf.for %[[S:.+]] = %c0{{.*}} to %[[WHOLE]] step %c32 iter_args(%{{.+}} = %{{.+}}) -> (index) {
// CHECK-NEXT:      %[[SET:.+]] = arith.constant dense<true> : vector<32xi1>
// CHECK:           %[[AT:.+]] = arith.addi %{{.+}}, %[[S]] : index
// CHECK:           %[[FIRST:.+]] = vector.load %[[SUMS]][%[[ROW]], %[[AT]]] : memref<?x?xf64>, vector<32xf64>
// CHECK:           %[[DONE:.+]]:2 = nacho.coiterate %[[J:.+]] of (%[[A1:.+]] = {{.+}}) in %[[A1]] iter_args(%[[COUNT:.+]] = %{{.+}} : index, %[[SUM:.+]] = %[[FIRST]] : vector<32xf64>) {
// CHECK-NEXT:        nacho.prefetch_row %[[B]][%[[J]]] from %[[S]] only 32 :
// CHECK-NEXT:        nacho.prefetch_row %[[D]][%[[J]]] :
// CHECK-NEXT:        %[[A:.+]] = nacho.load %[[A1]]
// CHECK-NEXT:        %[[ELEMENTS:.+]] = nacho.locate %[[B]][%[[J]], %[[S]]] lanes %[[SET]] {checked}
// CHECK-NEXT:        %[[TWICE:.+]] = nacho.binary add %[[A]], %[[A]] : f64
// CHECK-NEXT:        %[[NEXT:.+]] = nacho.each_lane(%[[SUM]], %[[ELEMENTS]]) : (vector<32xf64>, vector<32xf64>) -> vector<32xf64> {
// CHECK-NEXT:        ^bb0(%[[X:.+]]: f64, %[[Y:.+]]: f64):
// CHECK-NEXT:          %[[PRODUCT:.+]] = nacho.binary mul %[[TWICE]], %[[Y]] : f64
// CHECK-NEXT:          %[[Z:.+]] = nacho.binary add %[[X]], %[[PRODUCT]] : f64
// CHECK-NEXT:          nacho.yield %[[Z]] : f64
// CHECK:             %[[MORE:.+]] = arith.addi %[[COUNT]], %{{.+}} : index
// CHECK-NEXT:        nacho.yield %[[MORE]], %[[NEXT]]
// CHECK:           vector.store %[[DONE]]#1, %[[SUMS]][%[[ROW]], %{{.+}}] : memref<?x?xf64>, vector<32xf64>
// CHECK:           scf.yield %[[DONE]]#0
//
// CHECK:         %[[ALSO:.+]] = scf.for %{{.+}} = %[[WHOLE]] to %[[HALF]] step %c16 iter_args(%{{.+}} = %[[ALL]]) -> (index) {
// CHECK:           vector.load {{.+}} : memref<?x?xf64>, vector<16xf64>
// CHECK:           nacho.prefetch_row %[[B]][%{{.+}}] from %{{.+}} only 16 :
//
// CHECK:         %[[REST:.+]] = arith.subi %[[END]], %[[HALF]] : index
// CHECK:         %[[SHORT:.+]] = arith.cmpi sle, %[[REST]], %c8{{.*}} : index
// CHECK-NEXT:    %[[UNTIL:.+]] = arith.select %[[SHORT]], %[[HALF]], %[[END]] : index
// CHECK:         %[[THIRD:.+]] = scf.for %[[S:.+]] = %[[HALF]] to %[[UNTIL]] step %c16{{.*}} iter_args(%{{.+}} = %[[ALSO]]) -> (index) {
// CHECK:           %[[LEFT:.+]] = arith.subi %[[N]], %[[S]]
// CHECK:           %[[REST:.+]] = arith.minsi %[[LEFT]], %{{.+}} : index
// CHECK:           %[[MASK:.+]] = vector.create_mask %[[REST]] : vector<16xi1>
// CHECK:           %[[READ:.+]] = arith.select %[[SOME]], %[[MASK]], %{{.+}} : vector<16xi1>
// CHECK:           vector.maskedload %[[SUMS]][%[[ROW]], %{{.+}}], %[[MASK]], %{{.+}} into vector<16xf64>
// CHECK:           nacho.prefetch_row %[[B]][%{{.+}}] from %[[S]] only 16 :
// CHECK:           nacho.locate %[[B]][%{{.+}}, %[[S]]] lanes %[[READ]] {checked}
// CHECK:           vector.maskedstore %[[SUMS]][%[[ROW]], %{{.+}}], %[[MASK]], %{{.+}}
// CHECK:         %[[LAST:.+]] = scf.for %{{.+}} = %[[UNTIL]] to %[[END]] step %c8{{.*}} iter_args(%{{.+}} = %[[THIRD]]) -> (index) {
// CHECK:           vector.create_mask %{{.+}} : vector<8xi1>
// CHECK:         return %[[LAST]]
//
// REFUSED: error: strips of 64 bits are too short: 256 at least
//
// NARROW-LABEL: func.func @rows(
// NARROW:         vector<8xf64>
// NARROW:         vector<4xf64>
// NARROW:         vector<2xf64>
//
// The threads of a warp have no strips of 16.
//
// THREADS-LABEL: func.func @rows(
// THREADS:         %[[WHOLE:.+]] = arith.andi %{{.+}}, %c-32 : index
// THREADS:         scf.for %{{.+}} = %c0{{.*}} to %[[WHOLE]] step %c32
// THREADS:           vector.load {{.+}}, vector<32xf64>
// THREADS:         scf.for %{{.+}} to %{{.+}} step %c32
// THREADS:           vector.maskedload {{.+}} into vector<32xf64>
// THREADS-NOT:     scf.for
// THREADS:         return
func.func @rows(%A: tensor<?xf64, #SV>, %B: tensor<?x?xf64, #Dense>, %D: tensor<?x?xf64, #Dense>,
                %sums: memref<?x?xf64>, %row: index, %N: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %all = nacho.coiterate %j of (%A1 = %A0 : !A0) in %A1 iter_args(%count = %c0 : index) {
    nacho.prefetch_row %B[%j] : tensor<?x?xf64, #Dense>
    nacho.prefetch_row %D[%j] : tensor<?x?xf64, #Dense>
    %a = nacho.load %A1 : !A1
    nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
    ^bb0(%n: index):
      %b = nacho.locate %B[%j, %n] {checked} : tensor<?x?xf64, #Dense>
      %twice = nacho.binary add %a, %a : f64
      %product = nacho.binary mul %twice, %b : f64
      nacho.yield %product : f64
    }
    %next = arith.addi %count, %c1 : index
    nacho.yield %next : index
  }
  return %all : index
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>

// What adds to the row before the loop and after it does so in the registers, too. It may
// read its tensor if that has rows, whether the tensor of the loop has some or not. What
// comes after a use of the sums stays there.
//
// CHECK-LABEL: func.func @beside(
// CHECK-SAME:    %[[B:[^ ]+]]: tensor<?x?xf64, #{{.+}}>, %[[Y:[^ ]+]]: tensor<?x?xf64, #{{.+}}>, %[[SUMS:[^ ]+]]: memref<?x?xf64>
// CHECK-NOT:     nacho.accumulate
// CHECK:         %[[B_ROWS:.+]] = tensor.dim %[[B]], %{{.+}}
// CHECK-NEXT:    %[[IN_B:.+]] = arith.cmpi ne, %[[B_ROWS]], %{{.+}} : index
// CHECK:         %[[Y_ROWS:.+]] = tensor.dim %[[Y]], %{{.+}}
// CHECK-NEXT:    %[[IN_Y:.+]] = arith.cmpi ne, %[[Y_ROWS]], %{{.+}} : index
// CHECK:         vector<16xf64>
// CHECK:         vector.create_mask
// CHECK:         %[[READ_B:.+]] = arith.select %[[IN_B]], %{{.+}}, %{{.+}} : vector<{{.+}}xi1>
// CHECK:         vector.maskedload %[[SUMS]]
// CHECK:         %[[READ_Y:.+]] = arith.select %[[IN_Y]], %{{.+}}, %{{.+}} : vector<{{.+}}xi1>
// CHECK:         nacho.locate %[[Y]][%{{.+}}, %{{.+}}] lanes %[[READ_Y]]
// CHECK:         nacho.coiterate
// CHECK:           nacho.locate %[[B]][%{{.+}}, %{{.+}}] lanes %[[READ_B]]
// CHECK:         scf.if %{{.+}} -> (vector<{{.+}}xf64>) {
// CHECK:           nacho.locate %[[Y]]
// CHECK:         vector.maskedstore %[[SUMS]]
// CHECK:         memref.store %{{.+}}, %[[SUMS]]
// CHECK-NEXT:    nacho.accumulate add into %[[SUMS]]
func.func @beside(%A: tensor<?xf64, #SV>, %B: tensor<?x?xf64, #Dense>, %Y: tensor<?x?xf64, #Dense>,
                  %sums: memref<?x?xf64>, %row: index, %N: index, %c: i1, %a: f64) {
  %c0 = arith.constant 0 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
  ^bb0(%n: index):
    %y = nacho.locate %Y[%row, %n] {checked} : tensor<?x?xf64, #Dense>
    nacho.yield %y : f64
  }
  nacho.coiterate %j of (%A1 = %A0 : !A0) in %A1 {
    nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
    ^bb0(%n: index):
      %b = nacho.locate %B[%j, %n] {checked} : tensor<?x?xf64, #Dense>
      nacho.yield %b : f64
    }
  }
  nacho.accumulate add into %sums at [%row, %c0] to %N if %c : memref<?x?xf64> {
  ^bb0(%n: index):
    %y = nacho.locate %Y[%row, %n] {checked} : tensor<?x?xf64, #Dense>
    nacho.yield %y : f64
  }
  memref.store %a, %sums[%row, %c0] : memref<?x?xf64>
  nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
  ^bb0(%n: index):
    nacho.yield %a : f64
  }
  return
}

// Between two loops, the first one has it. Another row, and a term that is only there
// after the loop, stay behind it.
//
// CHECK-LABEL: func.func @between(
// CHECK:         nacho.coiterate
// CHECK-NOT:     nacho.accumulate
// CHECK:         nacho.coiterate
// CHECK:         nacho.accumulate add into %{{.+}} at[%[[OTHER:.+]], %{{.+}}]
// CHECK:         memref.load
// CHECK:         nacho.accumulate
// CHECK:         return
func.func @between(%A: tensor<?xf64, #SV>, %sums: memref<?x?xf64>, %t: memref<f64>, %row: index,
                   %other: index, %N: index, %a: f64) {
  %c0 = arith.constant 0 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  nacho.coiterate %j of (%A1 = %A0 : !A0) in %A1 {
    nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
  ^bb0(%n: index):
    nacho.yield %a : f64
  }
  nacho.coiterate %j of (%A1 = %A0 : !A0) in %A1 {
    nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  nacho.accumulate add into %sums at [%other, %c0] to %N : memref<?x?xf64> {
  ^bb0(%n: index):
    nacho.yield %a : f64
  }
  %late = memref.load %t[] : memref<f64>
  nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
  ^bb0(%n: index):
    nacho.yield %late : f64
  }
  return
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?xf32, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf32, #SV>, 1>

// All loops that add to the row are done strip by strip, whatever is in between, and
// whether the condition holds or not.
//
// CHECK-LABEL: func.func @nested(
// CHECK:         scf.for
// CHECK:           vector.load
// CHECK:           nacho.coiterate {{.+}} iter_args(%{{.+}} = %{{.+}} : vector<64xf32>) {
// CHECK:             nacho.coiterate {{.+}} in union({{.+}}) iter_args(%[[SUM:.+]] = %{{.+}} : vector<64xf32>) {
// CHECK:               scf.if %{{.+}} -> (vector<64xf32>) {
// CHECK-NEXT:            %[[NEXT:.+]] = nacho.each_lane
// CHECK:                 scf.yield %[[NEXT]] : vector<64xf32>
// CHECK:               } else {
// CHECK-NEXT:            scf.yield %[[SUM]] : vector<64xf32>
// CHECK:               scf.if
// CHECK-NEXT:            memref.atomic_rmw ori
// CHECK:           vector.store
func.func @nested(%A: tensor<?xf32, #SV>, %B: tensor<?xf32, #SV>, %sums: memref<?x?xf32>,
                  %status: memref<i32>, %row: index, %extent: index, %isOdd: i1) {
  %c0 = arith.constant 0 : index
  %c1_i32 = arith.constant 1 : i32
  %A0 = nacho.root %A : tensor<?xf32, #SV>
  %B0 = nacho.root %B : tensor<?xf32, #SV>
  nacho.coiterate %i to %extent of () in intersect() {
    nacho.coiterate %j of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in union(%A1, %B1) {
      %a = nacho.load %A1 : !A1
      nacho.accumulate add into %sums at [%row, %c0] to %extent if %isOdd : memref<?x?xf32> {
      ^bb0(%n: index):
        nacho.yield %a : f32
      }
      scf.if %isOdd {
        %old = memref.atomic_rmw ori %c1_i32, %status[] : (i32, memref<i32>) -> i32
      }
    }
  }
  return
}

// -----

#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>

// Two buffers have a strip each; a buffer that is named twice has one.
//
// CHECK-LABEL: func.func @two_buffers(
// CHECK-SAME:    %[[B:[^ ]+]]: tensor<{{.+}}>, %[[S:[^ ]+]]: memref<?x?xf64>, %[[T:[^ ]+]]: memref<?x?xf64>,
// CHECK:         vector.load %[[S]]
// CHECK:         vector.load %[[T]]
// CHECK-NOT:     vector.load
// CHECK:         nacho.coiterate
// CHECK:           nacho.each_lane(%{{.+}}, %{{.+}}, %{{.+}}) : {{.+}} -> (vector<32xf64>, vector<32xf64>) {
// CHECK-NEXT:      ^bb0(%[[X:.+]]: f64, %[[Y:.+]]: f64, %[[E:.+]]: f64):
// CHECK-NEXT:        %[[NEG:.+]] = nacho.unary neg %[[E]] : f64
// CHECK-NEXT:        %[[X1:.+]] = nacho.binary max %[[X]], %[[E]] reassociable : f64
// CHECK-NEXT:        %[[Y1:.+]] = nacho.binary max %[[Y]], %[[NEG]] reassociable : f64
// CHECK-NEXT:        %[[X2:.+]] = nacho.binary max %[[X1]], %[[NEG]] reassociable : f64
// CHECK-NEXT:        nacho.yield %[[X2]], %[[Y1]] : f64, f64
func.func @two_buffers(%B: tensor<?x?xf64, #Dense>, %s: memref<?x?xf64>, %t: memref<?x?xf64>,
                       %hi: index, %row: index, %first: index, %extent: index) {
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate max into %s, %t, %s at [%row, %first] to %extent
        : memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64> {
    ^bb0(%n: index):
      %b = nacho.locate %B[%i, %n] : tensor<?x?xf64, #Dense>
      %c = nacho.unary neg %b : f64
      nacho.yield %b, %c, %c : f64, f64, f64
    }
  }
  return
}

// -----

// Each step has a row of its own.
//
// CHECK-LABEL: func.func @negative_other_rows(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_other_rows(%sums: memref<?x?xf64>, %a: f64, %hi: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%i, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  return
}

// Each step has a part of the row of its own.
//
// CHECK-LABEL: func.func @negative_other_columns(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_other_columns(%sums: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %extent: index) {
  nacho.coiterate %i to %hi of () in intersect() {
    %first = arith.muli %i, %extent : index
    nacho.accumulate add into %sums at [%row, %first] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  return
}

// -----

// The sums are read, something else is written, rows are repeated or not all of a
// loop's own, elements are not next to each other or narrow: nothing is changed.
//
// CHECK-LABEL: func.func @negative_read(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_read(%sums: memref<?x?xf64>, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    %other = memref.load %sums[%row, %i] : memref<?x?xf64>
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %other : f64
    }
  }
  return
}

// CHECK-LABEL: func.func @negative_written(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_written(%A: memref<?xf64>, %sums: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    memref.store %a, %A[%i] : memref<?xf64>
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  return
}

#Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
#Columns = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : dense) }>

// CHECK-LABEL: func.func @negative_strided(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_strided(%B: tensor<?x?xf64, #Columns>, %sums: memref<?x?xf64>, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      %b = nacho.locate %B[%i, %n] : tensor<?x?xf64, #Columns>
      nacho.yield %b : f64
    }
  }
  return
}

// CHECK-LABEL: func.func @negative_diagonal(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_diagonal(%B: tensor<?x?xf64, #Dense>, %sums: memref<?x?xf64>, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      %b = nacho.locate %B[%n, %n] : tensor<?x?xf64, #Dense>
      nacho.yield %b : f64
    }
  }
  return
}

// Where the condition does not hold all iterations take the first element.
//
// CHECK-LABEL: func.func @negative_repeated(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_repeated(%B: tensor<?x?xf64, #Dense>, %sums: memref<?x?xf64>, %hi: index, %row: index, %extent: index, %c: i1) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      %at = arith.select %c, %n, %c0 : index
      %b = nacho.locate %B[%i, %at] : tensor<?x?xf64, #Dense>
      nacho.yield %b : f64
    }
  }
  return
}

// CHECK-LABEL: func.func @negative_number(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_number(%sums: memref<?x?xi64>, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xi64> {
    ^bb0(%n: index):
      %a = arith.index_cast %n : index to i64
      nacho.yield %a : i64
    }
  }
  return
}

// CHECK-LABEL: func.func @negative_narrow(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_narrow(%sums: memref<?x?xi8>, %a: i8, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xi8> {
    ^bb0(%n: index):
      nacho.yield %a : i8
    }
  }
  return
}

// A function is called for each element.
//
// CHECK-LABEL: func.func @negative_function(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_function(%B: tensor<?x?xf64, #Dense>, %sums: memref<?x?xf64>, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      %b = nacho.locate %B[%i, %n] : tensor<?x?xf64, #Dense>
      %e = nacho.unary exp %b : f64
      nacho.yield %e : f64
    }
  }
  return
}

// -----

// Two rows of one buffer might be the same one.
//
// CHECK-LABEL: func.func @negative_two_rows(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_two_rows(%sums: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %other: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
    nacho.accumulate add into %sums at [%other, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  return
}

// -----

// What one op keeps, another one reads.
//
// CHECK-LABEL: func.func @negative_kept_elsewhere(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_kept_elsewhere(%s: memref<?x?xf64>, %t: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %s at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
    %more = memref.load %s[%row, %i] : memref<?x?xf64>
    nacho.accumulate add into %t at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %more : f64
    }
  }
  return
}

// A counter counts once for each strip.
//
// CHECK-LABEL: func.func @negative_effect(
// CHECK-NOT:     vector
// CHECK:         memref.atomic_rmw
// CHECK:         return
func.func @negative_effect(%sums: memref<?x?xf64>, %counter: memref<i32>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c1_i32 = arith.constant 1 : i32
  nacho.coiterate %i to %hi of () in intersect() {
    %old = memref.atomic_rmw addi %c1_i32, %counter[] : (i32, memref<i32>) -> i32
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  return
}

// -----

// Sums that follow one another are not next to each other.
//
// CHECK-LABEL: func.func @negative_layout(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_layout(%sums: memref<?x?xf64, strided<[?, 2]>>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xf64, strided<[?, 2]>> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  return
}

// -----

// The second strip would see what the first one has marked.
//
// CHECK-LABEL: func.func @negative_marks(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_marks(%marks: memref<?xi32>, %sums: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  nacho.coiterate %i to %hi of () in intersect() {
    %mark = memref.load %marks[%i] : memref<?xi32>
    %isNew = arith.cmpi eq, %mark, %c0_i32 : i32
    nacho.accumulate add into %sums at [%row, %c0] to %extent if %isNew : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
    %old = memref.atomic_rmw ori %c1_i32, %marks[%i] : (i32, memref<?xi32>) -> i32
  }
  return
}

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>

// A loop that merges becomes two, which would be four.
//
// CHECK-LABEL: func.func @negative_union(
// CHECK-NOT:     vector
// CHECK:         return
func.func @negative_union(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>, %sums: memref<?x?xf64>, %a: f64, %row: index, %extent: index) {
  %c0 = arith.constant 0 : index
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %B0 = nacho.root %B : tensor<?xf64, #SV>
  nacho.coiterate %i of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in union(%A1, %B1) {
    nacho.accumulate add into %sums at [%row, %c0] to %extent : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  return
}
