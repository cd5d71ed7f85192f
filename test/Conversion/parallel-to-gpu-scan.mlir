// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu | FileCheck %s

// A block takes the first tile that no other has taken, so that those for which it waits
// have begun. Its first warp scans the rows that parts have stored, and waits for what the
// blocks before it tell. The window of what parts append then is known.
//
//   the first warp: taken = the first tile
//   barrier
//   if part < parts: rows[thread + 1] = part
//   barrier
//   the first warp:
//     each lane loads two rows
//     tell what the tile comes to
//     while there are tiles before: ask what these come to
//     rows = what is before each part
//   barrier
//   if part < parts: all[part + 1] = rows[thread + 1]
//   if the window fits: clear it
//   barrier
//   if part < parts: append to the window, or to the array
//   barrier
//   copy the window
//
// CHECK-LABEL: func.func @scan(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[ALL:[^ ]+]]: memref<?x1xindex>, %[[OUT:[^ ]+]]: memref<?xindex>)
// CHECK:         %[[MEMORY:.+]] = gpu.alloc (%{{.+}}) {nacho.zeros} : memref<?xi8>
// CHECK:         %[[WORDS:.+]] = memref.view %[[MEMORY]]
// CHECK:         gpu.launch
// CHECK-SAME:      %[[TAKEN:[^ ]+]] : memref<1xindex, #gpu.address_space<workgroup>>
// CHECK-SAME:      %[[ROWS:[^ ]+]] : memref<65x1xindex, #gpu.address_space<workgroup>>
// CHECK:           memref.atomic_rmw addi %{{.+}}, %[[WORDS]]
// CHECK:           memref.store %{{.+}}, %[[TAKEN]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      %[[BLOCK:.+]] = memref.load %[[TAKEN]]
// CHECK:           memref.store %{{.+}}, %[[ROWS]]
// CHECK:           gpu.barrier
// CHECK:           scf.if
// CHECK:             memref.load %[[ROWS]]
// CHECK:             memref.load %[[ROWS]]
// CHECK-NOT:         memref.load %[[ROWS]]
// CHECK:             memref.atomic_rmw assign %{{.+}}, %[[WORDS]]
// CHECK:             scf.while
// CHECK:             memref.store %{{.+}}, %[[ROWS]]
// CHECK:             memref.store %{{.+}}, %[[ROWS]]
// CHECK:             memref.store %{{.+}}, %[[ROWS]]
// CHECK:           gpu.barrier
// CHECK:             memref.store %{{.+}}, %[[ALL]]
// CHECK:           %[[WINDOW:.+]] = memref.view %{{.+}} : memref<{{.+}}xi8, #gpu.address_space<workgroup>> to memref<?xindex, #gpu.address_space<workgroup>>
// CHECK:           gpu.barrier
// CHECK:           %[[AT:.+]] = memref.load %[[ROWS]]
// CHECK:             memref.store %{{.+}}, %[[WINDOW]]
// CHECK:             memref.store %{{.+}}, %[[OUT]]
// CHECK:           gpu.barrier
// CHECK:             memref.load %[[WINDOW]]
// CHECK:             memref.store %{{.+}}, %[[OUT]]
// CHECK:           gpu.terminator
// CHECK:         gpu.dealloc %[[MEMORY]]
func.func @scan(%n: index, %all: memref<?x1xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 64
    %rows = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<65x1xindex> {
    ^bb0(%x: index, %y: index):
      %sum = arith.addi %x, %y : index
      nacho.yield %sum : index
    }
    %row = arith.subi %part, %begin : index
    %first = arith.subi %begin, %begin : index
    %size = arith.subi %end, %begin : index
    %from = memref.load %rows[%first, %c0] : memref<65x1xindex>
    %to = memref.load %rows[%size, %c0] : memref<65x1xindex>
    nacho.stage_out %out[%from to %to] : memref<?xindex>
    %before = memref.load %rows[%row, %c0] : memref<65x1xindex>
    memref.store %before, %out[%before] : memref<?xindex>
  }
  return
}
