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
// CHECK:           nacho.parallel %{{.+}} in %[[PARTS]]
// CHECK:             scf.for %[[AT:.+]] =
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
// CHECK:               scf.for %[[AT:.+]] =
// CHECK:                 %[[ENTRY:.+]] = memref.load %[[FROM]][%[[AT]]]
// CHECK:                 %[[COORDINATE:.+]] = memref.load %[[J]][%[[ENTRY]]]
// CHECK:                 %[[WIDE:.+]] = arith.index_castui %[[COORDINATE]]
// CHECK:                 %[[SHIFTED:.+]] = arith.shrui %[[WIDE]], %[[SHIFT]]
// CHECK:                 %[[DIGIT:.+]] = arith.andi %[[SHIFTED]], %c255
// CHECK:                 %[[ROW:.+]] = arith.muli %[[DIGIT]], %[[PARTS]]
// CHECK:                 %[[PLACE:.+]] = arith.addi %[[ROW]], %[[PART]]
// CHECK:                 %[[NEXT:.+]] = arith.addi %[[PLACE]], %c1
// CHECK:                 %[[COUNT:.+]] = memref.load %[[COUNTS]][%[[NEXT]]]
// CHECK:                 %[[MORE:.+]] = arith.addi %[[COUNT]], %c1
// CHECK:                 memref.store %[[MORE]], %[[COUNTS]][%[[NEXT]]]
// CHECK:             nacho.prefix_sum %[[COUNTS]]
//
// Entries go where those before them end, in their order.
//
// CHECK:             nacho.parallel
// CHECK:               %[[ENTRY:.+]] = memref.load %[[FROM]]
// CHECK:               %[[SORTED:.+]] = memref.load %[[COUNTS]][%[[PLACE:.+]]]
// CHECK:               memref.store %[[ENTRY]], %[[TO]][%[[SORTED]]]
// CHECK:               %[[MORE:.+]] = arith.addi %[[SORTED]], %c1
// CHECK:               memref.store %[[MORE]], %[[COUNTS]][%[[PLACE]]]
// CHECK:             %[[NEXT:.+]] = arith.addi %[[SHIFT]], %c8
// CHECK:             scf.yield %[[NEXT]], %[[TO]], %[[FROM]]
//
// CHECK:           %[[BY_I:.+]]:3 = scf.while {{.+}} = %[[BY_J]]#1
// CHECK:             memref.load %[[I]]
//
// CHECK:           %[[COPY:.+]] = memref.view %[[SCRATCH]]{{.+}} to memref<?xi32>
// CHECK:           nacho.parallel
// CHECK:             %[[FROM:.+]] = memref.load %[[BY_I]]#1[%[[AT:.+]]]
// CHECK:             %[[MOVED:.+]] = memref.load %[[I]][%[[FROM]]]
// CHECK:             memref.store %[[MOVED]], %[[COPY]][%[[AT]]]
// CHECK:           nacho.parallel
// CHECK:             %[[MOVED:.+]] = memref.load %[[COPY]][%[[AT:.+]]]
// CHECK:             memref.store %[[MOVED]], %[[I]][%[[AT]]]
// CHECK:             memref.store %{{.+}}, %[[J]]
// CHECK:             memref.store %{{.+}}, %[[K]]
// CHECK:             memref.store %{{.+}}, %[[V]]
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
