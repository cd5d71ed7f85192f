// RUN: nacho-opt %s -nacho-keep-sums | FileCheck %s

// The loops right before and right after a kept loop, which give the sums their first
// values and copy what they come to.

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>

// sums[row, n] = zero, for all n
// sums[row, n] += a, for all a in A and all n
// if the row is whole and has elements: values[at + n] = sums[row, n], as far as there is room
//
// The strips begin with zero, and those of whole rows are stored in both places. What is
// stored there depends on what the loop comes to, and on room for all of the row: with less,
// the row lies outside of the result. The lanes of both places are the same.
//
// CHECK-LABEL: func.func @first_sums_and_copy(
// CHECK-SAME:    %{{.+}}: tensor<{{.+}}>, %[[SUMS:[^ ]+]]: memref<?x?xf64>, %[[VALUES:[^ ]+]]: memref<?xf64>, %{{.+}}: memref<i32>, %[[ZERO:[^ ]+]]: f64, %[[WHOLE:[^ ]+]]: i1, %[[ROW:[^ ]+]]: index, %[[AT:[^ ]+]]: index, %[[N:[^ ]+]]: index, %[[ROOM:[^ ]+]]: index)
// CHECK-NOT:     memref.store
// CHECK:         scf.for %[[S:.+]] = %{{.+}} to %{{.+}} step %c32
// CHECK:           %[[FIRST:.+]] = vector.broadcast %[[ZERO]] : f64 to vector<32xf64>
// CHECK:           %[[DONE:.+]]:2 = nacho.coiterate {{.+}} iter_args(%{{.+}} = %{{.+}} : index, %{{.+}} = %[[FIRST]] : vector<32xf64>)
// CHECK:           vector.store %[[DONE]]#1, %[[SUMS]][%[[ROW]], %{{.+}}]
// CHECK-NEXT:      %[[END:.+]] = arith.minui %[[N]], %[[ROOM]] : index
// CHECK-NEXT:      %[[SOME:.+]] = arith.cmpi ne, %[[DONE]]#0, %{{.+}} : index
// CHECK-NEXT:      scf.if %[[WHOLE]] {
// CHECK-NEXT:        scf.if %[[SOME]] {
// CHECK-NEXT:          %[[FROM:.+]] = arith.addi %[[AT]], %[[S]] : index
// CHECK-NEXT:          %[[FITS:.+]] = arith.cmpi uge, %[[END]], %[[N]] : index
// CHECK-NEXT:          scf.if %[[FITS]] {
// CHECK-NEXT:            vector.store %[[DONE]]#1, %[[VALUES]][%[[FROM]]]
// CHECK-NEXT:          }
//
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c16
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c16
// CHECK:           %[[MASK:.+]] = vector.create_mask
// CHECK:           vector.broadcast %[[ZERO]] : f64 to vector<16xf64>
// CHECK:           vector.maskedstore %[[SUMS]][%{{.+}}], %[[MASK]],
// CHECK-NOT:       vector.create_mask
// CHECK:           vector.maskedstore %[[VALUES]][%{{.+}}], %[[MASK]],
// CHECK-NOT:     memref.load
// CHECK:         return
func.func @first_sums_and_copy(%A: tensor<?xf64, #SV>, %sums: memref<?x?xf64>, %values: memref<?xf64>, %status: memref<i32>,
                               %zero: f64, %isWhole: i1, %row: index, %at: index, %N: index, %room: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  scf.for %n = %c0 to %N step %c1 {
    memref.store %zero, %sums[%row, %n] : memref<?x?xf64>
  }
  %count = nacho.coiterate %j of (%A1 = %A0 : !A0) in %A1 iter_args(%so_far = %c0 : index) {
    %a = nacho.load %A1 : !A1
    nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
    %more = arith.addi %so_far, %c1 : index
    nacho.yield %more : index
  }
  %old = memref.atomic_rmw ori %c1_i32, %status[] : (i32, memref<i32>) -> i32
  scf.if %isWhole {
    %some = arith.cmpi ne, %count, %c0 : index
    scf.if %some {
      %end = arith.minui %N, %room : index
      scf.for %n = %c0 to %end step %c1 {
        %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
        %place = arith.addi %at, %n : index
        memref.store %sum, %values[%place] : memref<?xf64>
      }
    }
  }
  return
}

// Nobody reads the sums of a whole row once they are copied: they are stored only if the row
// is not whole, or has no elements.
//
// CHECK-LABEL: func.func @last_read(
// CHECK-SAME:    %{{.+}}: tensor<{{.+}}>, %[[SUMS:[^ ]+]]: memref<?x?xf64>, %[[VALUES:[^ ]+]]: memref<?xf64>, %{{.+}}: memref<i32>, %{{[^ ]+}}: f64, %[[WHOLE:[^ ]+]]: i1,
// CHECK:           %[[DONE:.+]]:2 = nacho.coiterate
// CHECK-NOT:       vector.store
// CHECK:           scf.if %[[WHOLE]] {
// CHECK:             scf.if %{{.+}} {
// CHECK:               vector.store %[[DONE]]#1, %[[VALUES]]
// CHECK:             } else {
// CHECK:               vector.store %[[DONE]]#1, %[[SUMS]]
// CHECK:           } else {
// CHECK:             vector.store %[[DONE]]#1, %[[SUMS]]
func.func @last_read(%A: tensor<?xf64, #SV>, %sums: memref<?x?xf64>, %values: memref<?xf64>, %status: memref<i32>,
                               %zero: f64, %isWhole: i1, %row: index, %at: index, %N: index, %room: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  scf.for %n = %c0 to %N step %c1 {
    memref.store %zero, %sums[%row, %n] : memref<?x?xf64>
  }
  %count = nacho.coiterate %j of (%A1 = %A0 : !A0) in %A1 iter_args(%so_far = %c0 : index) {
    %a = nacho.load %A1 : !A1
    nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
    %more = arith.addi %so_far, %c1 : index
    nacho.yield %more : index
  }
  %old = memref.atomic_rmw ori %c1_i32, %status[] : (i32, memref<i32>) -> i32
  scf.if %isWhole {
    %some = arith.cmpi ne, %count, %c0 : index
    scf.if %some {
      %end = arith.minui %N, %room : index
      scf.for %n = %c0 to %end step %c1 {
        %sum = memref.load %sums[%row, %n] {nacho.last_read} : memref<?x?xf64>
        %place = arith.addi %at, %n : index
        memref.store %sum, %values[%place] : memref<?xf64>
      }
    }
  }
  return
}

// Other sums than those of the row, or not all of them, get first values.
//
// CHECK-LABEL: func.func @negative_first_sums(
// CHECK:         memref.store
// CHECK:         vector.load
func.func @negative_first_sums(%sums: memref<?x?xf64>, %a: f64, %hi: index, %row: index, %N: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %n = %c0 to %hi step %c1 {
    memref.store %a, %sums[%row, %n] : memref<?x?xf64>
  }
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  return
}

// Of each row, a number of sums is copied that need not have to do with how many it has.
//
// CHECK-LABEL: func.func @negative_some_sums(
// CHECK-SAME:    %{{.+}}: memref<?x?xf64>, %[[VALUES:[^ ]+]]: memref<?xf64>
// CHECK-NOT:     %[[VALUES]]
// CHECK:         memref.load
// CHECK-NEXT:    memref.store %{{.+}}, %[[VALUES]]
func.func @negative_some_sums(%sums: memref<?x?xf64>, %values: memref<?xf64>, %a: f64, %hi: index, %row: index, %N: index, %some: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  scf.for %n = %c0 to %some step %c1 {
    %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
    memref.store %sum, %values[%n] : memref<?xf64>
  }
  return
}

// The sums change before they are copied.
//
// CHECK-LABEL: func.func @negative_changed(
// CHECK-SAME:    %{{.+}}: memref<?x?xf64>, %[[VALUES:[^ ]+]]: memref<?xf64>
// CHECK-NOT:     %[[VALUES]]
// CHECK:         memref.load
// CHECK-NEXT:    memref.store %{{.+}}, %[[VALUES]]
func.func @negative_changed(%sums: memref<?x?xf64>, %values: memref<?xf64>, %a: f64, %hi: index, %row: index, %N: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  memref.store %a, %sums[%row, %c0] : memref<?x?xf64>
  scf.for %n = %c0 to %N step %c1 {
    %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
    memref.store %sum, %values[%n] : memref<?xf64>
  }
  return
}

// The conditions, or where the copy goes, are read from memory after the loop.
//
// CHECK-LABEL: func.func @negative_read(
// CHECK-SAME:    %{{.+}}: memref<?x?xf64>, %[[VALUES:[^ ]+]]: memref<?xf64>
// CHECK-NOT:     %[[VALUES]]
// CHECK:         memref.load
// CHECK:         memref.load
// CHECK:         memref.store %{{.+}}, %[[VALUES]]
func.func @negative_read(%sums: memref<?x?xf64>, %values: memref<?xf64>, %places: memref<?xindex>, %a: f64, %hi: index, %row: index, %N: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.coiterate %i to %hi of () in intersect() {
    nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
    ^bb0(%n: index):
      nacho.yield %a : f64
    }
  }
  %at = memref.load %places[%row] : memref<?xindex>
  scf.for %n = %c0 to %N step %c1 {
    %sum = memref.load %sums[%row, %n] : memref<?x?xf64>
    %place = arith.addi %at, %n : index
    memref.store %sum, %values[%place] : memref<?xf64>
  }
  return
}
