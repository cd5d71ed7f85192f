// RUN: nacho-opt %s -nacho-expand-sort -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func.func @negative(
// CHECK-NEXT:    nacho.prefix_sum
// CHECK-NEXT:    return
func.func @negative(%costs: memref<?xi64>, %threads: index) {
  nacho.prefix_sum %costs threads %threads : memref<?xi64>
  return
}

// Two coordinates are compared, the second one first; a third one and the values go along.
//
// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[I:[^ ]+]]: memref<?xi32>, %[[J:[^ ]+]]: memref<?xi64>, %[[K:[^ ]+]]: memref<?xi32>, %[[V:[^ ]+]]: memref<?xf64>,
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[M:[^ ]+]]: index, %[[STATUS:[^ ]+]]: memref<i32>
// CHECK:         %[[ENTRIES:.+]] = memref.dim %[[I]]
// CHECK:         %[[PARTS:.+]] = arith.maxui
// CHECK:         %[[EACH:.+]] = arith.ceildivui %[[ENTRIES]], %[[PARTS]]
// CHECK:         %[[SCRATCH:.+]] = gpu.alloc
// CHECK:         scf.if
//
// CHECK:           %[[ORDER:.+]] = memref.view %[[SCRATCH]]
// CHECK:           %[[OTHER:.+]] = memref.view %[[SCRATCH]]
// CHECK:           %[[COUNTS:.+]] = memref.view %[[SCRATCH]]
// Each lane takes every 32nd entry of a part.
//
// CHECK:           nacho.parallel %[[PART:.+]] in %[[PARTS]]
// CHECK-NEXT:        %[[LANE:.+]] = nacho.lane of 32
// CHECK-NEXT:        %[[BEGIN:.+]] = arith.muli %[[PART]], %[[EACH]]
// CHECK-NEXT:        %[[AFTER:.+]] = arith.addi %[[BEGIN]], %[[EACH]]
// CHECK-NEXT:        %[[END:.+]] = arith.minui %[[AFTER]], %[[ENTRIES]]
// CHECK-NEXT:        %[[OWN:.+]] = arith.addi %[[BEGIN]], %[[LANE]]
// CHECK-NEXT:        scf.for %[[AT:.+]] = %[[OWN]] to %[[END]] step %c32
// CHECK:               memref.store %[[AT]], %[[ORDER]][%[[AT]]]
//
// As many digits of eight bits as the largest coordinate has.
//
// CHECK:           %[[LARGEST:.+]] = arith.subi %[[M]], %c1
// CHECK:           %[[BY_J:.+]]:3 = scf.while (%[[SHIFT:.+]] = %c0, {{.+}} = %[[ORDER]], {{.+}} = %[[OTHER]])
// CHECK:             %[[LEFT:.+]] = arith.shrui %[[LARGEST]], %[[SHIFT]]
// CHECK:             scf.condition
// CHECK:           ^bb0(%[[SHIFT:.+]]: index, %[[FROM:.+]]: memref<?xindex>, %[[TO:.+]]: memref<?xindex>):
//
// Each part counts its digits.
//
// CHECK:             nacho.parallel %[[PART:.+]] in %[[PARTS]]
// CHECK:               scf.for %[[DIGIT:.+]] = %{{.+}} to %c256 step %c32
// CHECK:                 memref.store %c0_i64, %[[COUNTS]]
// CHECK:               nacho.lane_sync
// CHECK:               scf.for %[[AT:.+]] = %{{.+}} to %{{.+}} step %c32
// CHECK:                 %[[ENTRY:.+]] = memref.load %[[FROM]][%[[AT]]]
// CHECK:                 %[[COORDINATE:.+]] = memref.load %[[J]][%[[ENTRY]]]
// CHECK:                 %[[WIDE:.+]] = arith.index_castui %[[COORDINATE]]
// CHECK:                 %[[SHIFTED:.+]] = arith.shrui %[[WIDE]], %[[SHIFT]]
// CHECK:                 %[[DIGIT:.+]] = arith.andi %[[SHIFTED]], %c255
// CHECK:                 %[[ROW:.+]] = arith.muli %[[DIGIT]], %[[PARTS]]
// CHECK:                 %[[PLACE:.+]] = arith.addi %[[ROW]], %[[PART]]
// CHECK:                 %[[NEXT:.+]] = arith.addi %[[PLACE]], %c1
// CHECK:                 memref.atomic_rmw addi %c1_i64, %[[COUNTS]][%[[NEXT]]]
// CHECK:             nacho.prefix_sum %[[COUNTS]]
//
// Entries go where those before them end, in their order. Of lanes that have the same
// digit, each goes after those before it, and the first one counts all of them.
//
// CHECK:             nacho.parallel
// CHECK:               scf.for %[[FIRST:.+]] = %{{.+}} to %{{.+}} step %c32
// CHECK:                 %[[AT:.+]] = arith.addi %[[FIRST]], %{{.+}}
// CHECK:                 %[[EXISTS:.+]] = arith.cmpi ult, %[[AT]]
// CHECK:                 %[[ENTRY:.+]] = memref.load %[[FROM]]
// CHECK:                 %[[COUNT:.+]] = memref.load %[[COUNTS]][%[[PLACE:.+]]]
// CHECK:                 %[[SORTED:.+]] = arith.index_castui %[[COUNT]]
// CHECK-COUNT-8:         nacho.ballot
// CHECK:                 nacho.ballot %[[EXISTS]]
// CHECK:                 math.ctpop
// CHECK:                 %[[BEFORE:.+]] = arith.index_castui
// CHECK:                 nacho.lane_sync
// CHECK-NEXT:            scf.if %[[EXISTS]] {
// CHECK-NEXT:              %[[TO_GO:.+]] = arith.addi %[[SORTED]], %[[BEFORE]]
// CHECK-NEXT:              memref.store %[[ENTRY]], %[[TO]][%[[TO_GO]]]
// CHECK:                   scf.if
// CHECK:                     memref.store %{{.+}}, %[[COUNTS]][%[[PLACE]]]
// CHECK:                 nacho.lane_sync
// CHECK:             %[[NEXT:.+]] = arith.addi %[[SHIFT]], %c8
// CHECK:             scf.yield %[[NEXT]], %[[TO]], %[[FROM]]
//
// CHECK:           %[[BY_I:.+]]:3 = scf.while {{.+}} = %[[BY_J]]#1
// CHECK:             memref.load %[[I]]
//
// All arrays are moved together, those of wider elements first.
//
// CHECK:           %[[COPY_J:.+]] = memref.view %[[SCRATCH]]{{.+}} to memref<?xi64>
// CHECK:           %[[COPY_V:.+]] = memref.view %[[SCRATCH]]{{.+}} to memref<?xf64>
// CHECK:           %[[COPY_I:.+]] = memref.view %[[SCRATCH]]{{.+}} to memref<?xi32>
// CHECK:           %[[COPY_K:.+]] = memref.view %[[SCRATCH]]{{.+}} to memref<?xi32>
// CHECK:           nacho.parallel
// CHECK:             %[[FROM:.+]] = memref.load %[[BY_I]]#1[%[[AT:.+]]]
// CHECK-NEXT:        %[[MOVED:.+]] = memref.load %[[J]][%[[FROM]]]
// CHECK-NEXT:        memref.store %[[MOVED]], %[[COPY_J]][%[[AT]]]
// CHECK:             memref.store %{{.+}}, %[[COPY_V]]
// CHECK:             memref.store %{{.+}}, %[[COPY_I]]
// CHECK:             memref.store %{{.+}}, %[[COPY_K]]
// CHECK:           nacho.parallel
// CHECK:             %[[MOVED:.+]] = memref.load %[[COPY_J]][%[[AT:.+]]]
// CHECK-NEXT:        memref.store %[[MOVED]], %[[J]][%[[AT]]]
// CHECK:             memref.store %{{.+}}, %[[V]]
// CHECK:             memref.store %{{.+}}, %[[I]]
// CHECK:             memref.store %{{.+}}, %[[K]]
// CHECK-NOT:       nacho.parallel
// CHECK:           gpu.dealloc %[[SCRATCH]]
// CHECK:         } else {
// CHECK:           %[[BEFORE:.+]] = memref.load %[[STATUS]]
// CHECK:           %[[AFTER:.+]] = arith.ori %[[BEFORE]], %c4_i32
// CHECK:           memref.store %[[AFTER]], %[[STATUS]]
// CHECK-NOT:     nacho.sort
func.func @sort(%i: memref<?xi32>, %j: memref<?xi64>, %k: memref<?xi32>, %values: memref<?xf64>,
                %N: index, %M: index, %status: memref<i32>, %threads: index) {
  nacho.sort (%i, %j) below (%N, %M) along (%k) with %values status %status threads %threads
      : (memref<?xi32>, memref<?xi64>) along (memref<?xi32>) with memref<?xf64>
        status memref<i32>
  return
}
