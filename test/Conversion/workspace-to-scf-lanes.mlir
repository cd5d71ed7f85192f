// RUN: nacho-opt %s -convert-nacho-workspace-to-scf -canonicalize -cse | FileCheck %s

// Without lanes, bits are not set atomically.
//
// CHECK-LABEL: func.func @negative(
// CHECK-NOT:     memref.atomic_rmw ori %{{.+}} : (i64
// CHECK:         return
func.func @negative(%marks: memref<?x?xi64>, %n: index, %k: index, %status: memref<i32>) -> i1 {
  %c0 = arith.constant 0 : index
  %w = nacho.workspace marks %marks row %n extent %c0 status %status
      : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
  %new = nacho.insert at %k into %w : !nacho.workspace<none>
  return %new : i1
}

// The bit of a coordinate is set atomically, with those above it if it is the first one
// of its word. The sum has no other lane.
//
// CHECK-LABEL: func.func @insert(
// CHECK:         nacho.parallel
// CHECK:           %[[WORD:.+]] = memref.load %[[MARKS:.+]][%[[ROW:.+]], %[[AT:.+]]] : memref<?x?xi64>
// CHECK:           %[[SET:.+]] = arith.andi %[[WORD]], %[[BIT:.+]] : i64
// CHECK:           %[[OLD:.+]] = arith.cmpi ne, %[[SET]], %c0_i64
// CHECK:           scf.if %[[OLD]] {
// CHECK-NEXT:        %[[SUM:.+]] = memref.load %[[SUMS:.+]][%[[ROW]], %[[PLACE:.+]]]
// CHECK-NEXT:        %[[MORE:.+]] = nacho.binary add %[[SUM]], %[[V:.+]] : f64
// CHECK-NEXT:        memref.store %[[MORE]], %[[SUMS]][%[[ROW]], %[[PLACE]]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[BEFORE:.+]] = memref.atomic_rmw ori %[[BIT]], %[[MARKS]][%[[ROW]], %[[AT]]]
// CHECK-NEXT:        %[[FIRST:.+]] = arith.cmpi eq, %[[BEFORE]], %c0_i64
// CHECK-NEXT:        scf.if %[[FIRST]] {
// CHECK-COUNT-2:       memref.atomic_rmw ori
// CHECK:             }
// CHECK-NEXT:        memref.store %[[V]], %[[SUMS]][%[[ROW]], %[[PLACE]]]
// CHECK-NEXT:      }
//
// Of the words of 64 coordinates, each lane takes every 32nd. It writes its entries after
// those of the lanes before it.
//
// CHECK:           %{{.+}} = scf.for %[[NUMBER:.+]] = %c0 to %{{.+}} step %c1 iter_args(%[[N:.+]] = %c0) -> (index) {
// CHECK:             %[[TOP:.+]] = memref.load %[[MARKS]]
// CHECK:             scf.while (%{{.+}} = %[[TOP]], %{{.+}} = %[[N]])
// CHECK:               %[[ABOVE:.+]] = memref.load %[[MARKS]]
// CHECK-NEXT:          %[[AFTER:.+]] = scf.for %[[HALF:.+]] = %c0 to %c64 step %c32 iter_args(%[[N1:.+]] = %{{.+}}) -> (index) {
// CHECK-NEXT:            arith.addi %[[HALF]], %[[LANE:.+]] : index
// CHECK:                 %[[OWN:.+]] = scf.if %{{.+}} -> (i64) {
// CHECK-NEXT:              %[[BITS:.+]] = memref.load %[[MARKS]]
// CHECK-NEXT:              memref.store %c0_i64, %[[MARKS]]
// CHECK-NEXT:              scf.yield %[[BITS]] : i64
// CHECK-NEXT:            } else {
// CHECK-NEXT:              scf.yield %c0_i64 : i64
// CHECK-NEXT:            }
// CHECK-NEXT:            math.ctpop %[[OWN]]
// CHECK-COUNT-6:         nacho.from_lane
// CHECK:                 scf.while (%{{.+}} = %[[OWN]],
// CHECK:                   memref.store %{{.+}}, %{{.+}}[%[[OUT_AT:.+]]] : memref<?xindex>
// CHECK-NEXT:              %[[OUT_NEXT:.+]] = arith.addi %[[OUT_AT]], %c1
// CHECK-NEXT:              scf.yield %{{.+}}, %[[OUT_NEXT]]
//
// A word is emptied when all lanes have read it.
//
// CHECK:               nacho.lane_sync
// CHECK-NEXT:          memref.store %c0_i64, %[[MARKS]]
// CHECK:             nacho.lane_sync
// CHECK-NEXT:        memref.store %c0_i64, %[[MARKS]]
// CHECK:           nacho.lane_sync
func.func @insert(%parts: index, %threads: index, %marks: memref<?x?xi64>,
                  %sums: memref<?x?xf64>, %N: index, %k: index, %v: f64,
                  %out: memref<?xindex>, %new: memref<?xi1>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    %lane = nacho.lane of 32
    %slot = nacho.slot
    %w = nacho.workspace marks %marks with %sums row %slot lane %lane extent %N status %status
        : memref<?x?xi64> with memref<?x?xf64> status memref<i32> -> !nacho.workspace<f64>
    %key = arith.addi %k, %lane : index
    %isNew = nacho.insert %v : f64 distinct at %key into %w : !nacho.workspace<f64>
    memref.store %isNew, %new[%lane] : memref<?xi1>
    nacho.lane_sync
    %end = nacho.drain %at, %sum of %w iter_args(%n = %c0 : index) : !nacho.workspace<f64> {
      memref.store %at, %out[%n] : memref<?xindex>
      %next = arith.addi %n, %c1 : index
      nacho.yield %next : index
    }
  }
  return
}

// A drain that only forgets does not count.
//
// CHECK-LABEL: func.func @forget(
// CHECK:           scf.for %{{.+}} = %c0 to %c64 step %c32 {
// CHECK-NOT:         nacho.from_lane
// CHECK:             scf.if
// CHECK-NEXT:          memref.store %c0_i64
func.func @forget(%parts: index, %threads: index, %marks: memref<?x?xi64>, %N: index,
                  %status: memref<i32>) {
  nacho.parallel %part in %parts threads %threads {
    %lane = nacho.lane of 32
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot lane %lane extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
  }
  return
}
