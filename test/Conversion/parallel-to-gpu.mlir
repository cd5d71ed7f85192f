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

// Blocks take numbers in order. The first thread of one waits until as many blocks are done as
// its first worker waits for, and tells the others the number; at the end, that the block is
// done. The last one makes the words zero again.
//
// CHECK-LABEL: func.func @await(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %{{[^ ]+}}: index, %[[OUT:[^ ]+]]: memref<?xindex>)
// CHECK:         %[[BLOCKS:.+]] = arith.ceildivui %[[N]], %[[SIZE:.+]] : index
// CHECK:         %[[BYTES:.+]] = gpu.alloc (%{{.+}}) {nacho.zeros} : memref<?xi8>
// CHECK-NEXT:    %{{.+}} = arith.constant 0 : index
// CHECK-NEXT:    %[[WORDS:.+]] = memref.view %[[BYTES]]
// CHECK:         gpu.launch blocks({{.+}}) in (%{{[^ ]+}} = %[[BLOCKS]], {{.+}}) threads(%[[TX:[^ ,]+]], {{.+}} workgroup(%[[SHARED:[^ ]+]] : memref<1xi64
// CHECK:           %[[IS_FIRST:.+]] = arith.cmpi eq, %[[TX]]
// CHECK-NEXT:      scf.if %[[IS_FIRST]] {
// CHECK:             %[[TAKEN:.+]] = memref.atomic_rmw addi %{{.+}}, %[[WORDS]][%{{.+}}]
// CHECK-NEXT:        %[[NUMBER:.+]] = arith.index_cast{{(ui)?}} %[[TAKEN]]
// CHECK:             %[[WORKER:.+]] = arith.muli %[[NUMBER]]
// CHECK:             arith.cmpi ult, %[[WORKER]], %{{.+}} : index
// CHECK:             %[[AWAITED:.+]] = arith.divui
// CHECK:             scf.while
// CHECK:               memref.atomic_rmw ori %{{.+}}, %[[WORDS]]
// CHECK:               arith.cmpi ult, %{{.+}}, %[[AWAITED]] : index
// CHECK:             llvm.fence syncscope("device") acq_rel
// CHECK-NEXT:        memref.store %[[TAKEN]], %[[SHARED]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      memref.load %[[SHARED]]
// CHECK-NOT:       nacho.await
// CHECK:           memref.store %{{.+}}, %[[OUT]]
// CHECK:           gpu.barrier
// CHECK:           llvm.fence syncscope("device") acq_rel
// CHECK:           memref.atomic_rmw addi
// CHECK:           memref.atomic_rmw assign
// CHECK:           memref.atomic_rmw assign
// CHECK:         gpu.dealloc %[[BYTES]] {nacho.zeros} : memref<?xi8>
func.func @await(%n: index, %threads: index, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  nacho.parallel %worker in %n threads %threads {
    %is_first = arith.cmpi ult, %worker, %c1024 : index
    %before = arith.select %is_first, %c0, %c1024 : index
    nacho.await %before
    memref.store %before, %out[%worker] : memref<?xindex>
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
