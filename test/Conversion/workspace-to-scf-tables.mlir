// RUN: nacho-opt %s -convert-nacho-workspace-to-scf -canonicalize -cse | FileCheck %s

// A place has a bit, and no key before another lane may look at it.
//
// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %{{[^ ]+}}: index, %{{[^ ]+}}: index, %[[MOST:[^ ]+]]: index, %[[K:[^ ]+]]: index, %[[V:[^ ]+]]: f64,
// CHECK:         %[[LANE:.+]] = nacho.lane of 32
// CHECK-DAG:     %[[KEYS:.+]] = nacho.lane_memory : memref<128xi32>
// CHECK-DAG:     %[[MARKS:.+]] = nacho.lane_memory : memref<4xi32>
// CHECK-DAG:     %[[SUMS:.+]] = nacho.lane_memory : memref<128xf64>
// CHECK:         %[[ZEROS:.+]] = math.ctlz
// CHECK:         %[[PLACES:.+]] = arith.minui %{{.+}}, %c128 : index
// CHECK-NEXT:    %[[NUMBER:.+]] = arith.index_castui %[[PLACES]] : index to i32
// CHECK-NEXT:    %[[LAST:.+]] = arith.subi %[[NUMBER]], %c1_i32 : i32
// CHECK:         scf.for %[[N:.+]] = %[[LANE]] to %{{.+}} step %c32
// CHECK-NEXT:      memref.store %c0_i32, %[[MARKS]][%[[N]]]
// CHECK:         scf.for %[[N:.+]] = %[[LANE]] to %[[PLACES]] step %c32
// CHECK-NEXT:      memref.store %c-1_i32, %[[KEYS]][%[[N]]]
// CHECK:         nacho.lane_sync
//
// A lane takes the first place after the hash that is its key's, or free: it sets the
// bit. No more places are tried than there are.
//
// CHECK:         %[[KEY:.+]] = arith.index_castui %{{.+}} : index to i32
// CHECK-NEXT:    %[[HASH:.+]] = arith.muli %[[KEY]], %{{.+}} : i32
// CHECK-NEXT:    %[[BEGIN:.+]] = arith.shrui %[[HASH]], %[[ZEROS]] : i32
// CHECK-NEXT:    %[[END:.+]] = arith.addi %[[BEGIN]], %[[LAST]] : i32
// CHECK-NEXT:    %[[FOUND:.+]]:3 = scf.while (%[[AT:.+]] = %[[BEGIN]]) : (i32) -> (i32, i1, i1) {
// CHECK-NEXT:      %[[NARROW:.+]] = arith.andi %[[AT]], %[[LAST]] : i32
// CHECK:           %[[BEFORE:.+]] = memref.atomic_rmw ori %[[BIT:.+]], %[[MARKS]]
// CHECK-NEXT:      %[[PLACE:.+]] = arith.index_castui %[[NARROW]] : i32 to index
// CHECK-NEXT:      %[[SET:.+]] = arith.andi %[[BEFORE]], %[[BIT]] : i32
// CHECK-NEXT:      %[[NEW:.+]] = arith.cmpi eq, %[[SET]], %c0_i32 : i32
// CHECK-NEXT:      %[[OWN:.+]] = scf.if %[[NEW]] -> (i1) {
// CHECK-NEXT:        memref.atomic_rmw assign %[[KEY]], %[[KEYS]][%[[PLACE]]]
// CHECK-NEXT:        scf.yield %{{.+}} : i1
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[THERE:.+]] = memref.atomic_rmw ori %c0_i32, %[[KEYS]][%[[PLACE]]]
// CHECK-NEXT:        %[[SAME:.+]] = arith.cmpi eq, %[[THERE]], %[[KEY]] : i32
// CHECK-NEXT:        scf.yield %[[SAME]] : i1
// CHECK-NEXT:      }
// CHECK:           %[[LEFT:.+]] = arith.cmpi ult, %[[AT]], %[[END]] : i32
// CHECK-NEXT:      %[[GO_ON:.+]] = arith.andi %[[LEFT]], %{{.+}} : i1
// CHECK-NEXT:      scf.condition(%[[GO_ON]]) %[[AT]], %[[OWN]], %[[NEW]]
// CHECK:         %[[NARROW:.+]] = arith.andi %[[FOUND]]#0, %[[LAST]] : i32
// CHECK-NEXT:    %[[MINE:.+]] = arith.index_castui %[[NARROW]] : i32 to index
// CHECK-NEXT:    scf.if %[[FOUND]]#1 {
// CHECK-NEXT:      scf.if %[[FOUND]]#2 {
// CHECK-NEXT:        memref.store %[[V]], %[[SUMS]][%[[MINE]]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %[[SUM:.+]] = memref.load %[[SUMS]][%[[MINE]]]
// CHECK-NEXT:        %[[MORE:.+]] = nacho.binary add %[[SUM]], %[[V]] : f64
// CHECK-NEXT:        memref.store %[[MORE]], %[[SUMS]][%[[MINE]]]
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK-NEXT:      memref.atomic_rmw ori %c2_i32, %{{.+}}[] : (i32, memref<i32>) -> i32
// CHECK-NEXT:    }
//
// For each of 32 places at a time that has a key, there is a word.
//
// CHECK:         %[[ORDER:.+]] = nacho.lane_memory : memref<64xi32>
// CHECK-NEXT:    %[[COUNT:.+]] = scf.for %[[FIRST:.+]] = %c0 to %[[PLACES]] step %c32 iter_args(%[[ALL:.+]] = %c0) -> (index) {
// CHECK:           %[[BITS:.+]] = memref.load %[[MARKS]]
// CHECK:             %[[THERE:.+]] = memref.load %[[KEYS]]
// CHECK-NEXT:        %[[HIGH:.+]] = arith.shli %[[THERE]], %c7_i32 : i32
// CHECK:             %[[ENTRY:.+]] = arith.ori %[[HIGH]], %{{.+}} : i32
// CHECK-NEXT:        memref.store %[[ENTRY]], %[[ORDER]]
//
// The words are sorted. If there are few, lanes keep one or four of them: they exchange
// it with a lane that is a power of two apart, which keeps the other one.
//
// CHECK:         %[[ARE_FEW:.+]] = arith.cmpi ule, %[[COUNT]], %c32 : index
// CHECK-NEXT:    scf.if %[[ARE_FEW]] {
// CHECK-NEXT:      nacho.lane_sync
// CHECK:           %[[WORD:.+]] = scf.if %{{.+}} -> (i32) {
// CHECK-NEXT:        memref.load %[[ORDER]][%[[LANE]]]
// CHECK:             scf.yield %c-1_i32 : i32
// CHECK:           %[[HALVES:.+]] = scf.for %[[BITS:.+]] = %c1 to %c5 step %c1 iter_args(%{{.+}} = %[[WORD]])
// CHECK-NEXT:        %[[SIZE:.+]] = arith.shli %c1, %[[BITS]] : index
// CHECK-NEXT:        %[[BIT:.+]] = arith.andi %[[LANE]], %[[SIZE]] : index
// CHECK-NEXT:        %[[UP:.+]] = arith.cmpi eq, %[[BIT]], %c0 : index
// CHECK:             scf.for %{{.+}} = %c1 to %{{.+}} step %c1 iter_args(%[[OWN:.+]] = %{{.+}})
// CHECK:               %[[OTHER:.+]] = nacho.from_lane %[[OWN]] at
// CHECK-NEXT:          %[[LESS:.+]] = arith.minui %[[OWN]], %[[OTHER]] : i32
// CHECK-NEXT:          %[[MORE:.+]] = arith.maxui %[[OWN]], %[[OTHER]] : i32
// CHECK-NEXT:          %[[TAKES:.+]] = arith.cmpi eq, %{{.+}}, %[[UP]] : i1
// CHECK-NEXT:          arith.select %[[TAKES]], %[[LESS]], %[[MORE]] : i32
// CHECK:           %[[SORTED:.+]] = scf.for %{{.+}} = %c1 to %c6 step %c1 iter_args(%{{.+}} = %[[HALVES]])
// CHECK:             nacho.from_lane
// CHECK:             memref.store %[[SORTED]], %[[ORDER]][%[[LANE]]]
// CHECK:         arith.cmpi ule, %[[COUNT]], %c128 : index
// CHECK-COUNT-4:   nacho.from_lane
// CHECK:         } else {
//
// The words of others stay in memory; each lane visits every 32nd.
//
// CHECK:         nacho.lane_sync
// CHECK:         scf.for %[[BITS:.+]] = %c1 to
// CHECK-NEXT:      %[[SIZE:.+]] = arith.shli %c1, %[[BITS]] : index
// CHECK:           scf.for %{{.+}} = %c1 to
// CHECK-NEXT:        %[[STRIDE:.+]] = arith.shrui %[[SIZE]]
// CHECK:             scf.for %{{.+}} = %[[LANE]] to %{{.+}} step %c32
// CHECK:               %[[X:.+]] = memref.load %[[ORDER]][%[[AT:.+]]]
// CHECK-NEXT:          %[[Y:.+]] = memref.load %[[ORDER]][%[[OTHER:.+]]]
// CHECK:               scf.if
// CHECK-NEXT:            memref.store %[[Y]], %[[ORDER]][%[[AT]]]
// CHECK-NEXT:            memref.store %[[X]], %[[ORDER]][%[[OTHER]]]
// CHECK:             nacho.lane_sync
// CHECK:         scf.for %[[N:.+]] = %[[LANE]] to %[[COUNT]] step %c32
// CHECK-NEXT:      %[[ENTRY:.+]] = memref.load %[[ORDER]][%[[N]]]
// CHECK-NEXT:      %[[HIGH:.+]] = arith.shrui %[[ENTRY]], %c7_i32 : i32
// CHECK-NEXT:      %[[COORDINATE:.+]] = arith.index_castui %[[HIGH]] : i32 to index
// CHECK:           %[[SUM:.+]] = memref.load %[[SUMS]]
// CHECK-NEXT:      %[[OUT_AT:.+]] = arith.addi %{{.+}}, %[[N]] : index
// CHECK-NEXT:      memref.store %[[COORDINATE]], %{{.+}}[%[[OUT_AT]]] : memref<?xindex>
// CHECK:         %[[NEXT:.+]] = arith.addi %{{.+}}, %[[COUNT]] : index
// CHECK:         nacho.lane_sync
// CHECK-NEXT:    memref.store %[[NEXT]]
func.func @add(%parts: index, %threads: index, %most: index, %k: index, %v: f64,
               %begin: index, %out: memref<?xindex>, %values: memref<?xf64>,
               %status: memref<i32>) {
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    %lane = nacho.lane of 32
    %w = nacho.lane_table for %most of 64 lane %lane status %status
        : memref<i32> -> !nacho.workspace<f64>
    %new = nacho.insert %v : f64 distinct at %k into %w : !nacho.workspace<f64>
    nacho.lane_sync
    %end = nacho.drain %c, %x of %w iter_args(%n = %begin : index) : !nacho.workspace<f64> {
      memref.store %c, %out[%n] : memref<?xindex>
      memref.store %x, %values[%n] : memref<?xf64>
      %m = arith.addi %n, %c1 : index
      nacho.yield %m : index
    }
    memref.store %end, %out[%part] : memref<?xindex>
  }
  return
}

// A set of which nobody asks what is in it is neither listed nor sorted.
//
// CHECK-LABEL: func.func @negative_forget(
// CHECK:         memref.atomic_rmw assign
// CHECK-NOT:     memref<16xi32>
// CHECK:         return
func.func @negative_forget(%parts: index, %threads: index, %most: index, %k: index,
                           %status: memref<i32>) {
  nacho.parallel %part in %parts threads %threads {
    %lane = nacho.lane of 32
    %w = nacho.lane_table for %most of 16 lane %lane status %status
        : memref<i32> -> !nacho.workspace<none>
    %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
    nacho.lane_sync
    nacho.drain %c of %w : !nacho.workspace<none> {
    }
  }
  return
}
