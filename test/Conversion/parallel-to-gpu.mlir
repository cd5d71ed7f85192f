// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu=block-size=32 | FileCheck %s --check-prefixes=CHECK,SMALL

// CHECK-LABEL: func.func @negative_loop(
// CHECK:         scf.for
// CHECK-NOT:     gpu.
// CHECK:         return
func.func @negative_loop(%n: index, %one: index, %out: memref<?xindex>) {
  scf.for %i = %one to %n step %one {
    memref.store %i, %out[%i] : memref<?xindex>
  }
  return
}

// Whole blocks, of which the last may have threads without work. The number of
// threads that a CPU would use is of no interest.
//
// CHECK-LABEL: func.func @parallel(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %{{[^ ]+}}: index, %[[OUT:[^ ]+]]: memref<?xindex>)
// DEFAULT:       %[[SIZE:.+]] = arith.constant 128 : index
// SMALL:         %[[SIZE:.+]] = arith.constant 32 : index
// CHECK:         %[[BLOCKS:.+]] = arith.ceildivui %[[N]], %[[SIZE]] : index
// CHECK:         gpu.launch blocks(%[[BX:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %[[BLOCKS]], {{.+}}) threads(%[[TX:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %[[SIZE]], {{.+}}) {
// CHECK-NEXT:      %[[FIRST:.+]] = arith.muli %[[BX]], %[[SIZE]] : index
// CHECK-NEXT:      %[[WORKER:.+]] = arith.addi %[[FIRST]], %[[TX]] : index
// CHECK-NEXT:      %[[EXISTS:.+]] = arith.cmpi ult, %[[WORKER]], %[[N]] : index
// CHECK-NEXT:      scf.if %[[EXISTS]] {
// CHECK-NEXT:        memref.store %[[WORKER]], %[[OUT]][%[[WORKER]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.terminator
// CHECK-NOT:     nacho.
func.func @parallel(%n: index, %threads: index, %out: memref<?xindex>) {
  nacho.parallel %worker in %n threads %threads {
    memref.store %worker, %out[%worker] : memref<?xindex>
  }
  return
}

// While one thread waits for memory, others work: nothing is fetched ahead.
//
// CHECK-LABEL: func.func @prefetch(
// CHECK-NOT:     memref.prefetch
// CHECK:         memref.load
// CHECK-NOT:     memref.prefetch
// CHECK:         return
func.func @prefetch(%n: index, %in: memref<?xindex>, %out: memref<?xindex>) {
  nacho.parallel %worker in %n threads %n {
    memref.prefetch %in[%n], read, locality<3>, data : memref<?xindex>
    %a = memref.load %in[%worker] : memref<?xindex>
    memref.store %a, %out[%worker] : memref<?xindex>
  }
  return
}

// There are as many threads as slots, and no more than workers, each in a block of its
// own. What a worker needs for itself is taken once per thread.
//
// CHECK-LABEL: func.func @slots(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[THREADS:[^ ]+]]: index, %[[OUT:[^ ]+]]: memref<?x?xindex>)
// CHECK:         %[[SLOTS:.+]] = arith.constant 4096 : index
// CHECK:         %[[FEW:.+]] = arith.minui %[[SLOTS]], %[[THREADS]]
// CHECK:         %[[ALL:.+]] = arith.minui %[[FEW]], %[[N]]
// CHECK:         %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         gpu.launch blocks(%[[SLOT:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %[[ALL]], {{.+}}) threads(%{{.+}}) in (%{{[^ ]+}} = %[[ONE]], {{.+}}) {
// CHECK-NEXT:      memref.alloca
// CHECK-NEXT:      scf.for %[[WORKER:.+]] = %[[SLOT]] to %[[N]] step %[[ALL]] {
// CHECK:             memref.store %{{.+}}, %[[OUT]][%[[SLOT]], %[[WORKER]]]
// CHECK-NOT:     nacho.
func.func @slots(%n: index, %threads: index, %out: memref<?x?xindex>) {
  nacho.parallel %worker in %n threads %threads {
    %slot = nacho.slot
    %own = memref.alloca() : memref<index>
    memref.store %worker, %own[] : memref<index>
    %again = memref.load %own[] : memref<index>
    memref.store %again, %out[%slot, %worker] : memref<?x?xindex>
  }
  return
}
