// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu | FileCheck %s

// A block takes the first tile that no other has taken, so that those for which it waits
// have begun. Its first warp scans the rows that parts have stored, and waits for what the
// blocks before it tell. Each part then notes which slots it has appended, in the order of
// the result, where a window has been which only counted parts need. Threads copy the slots.
//
//   the first warp: taken = the first tile
//   barrier
//   room = the windows, the slots and their order fit
//   if room: copy the window
//   barrier
//   if part < parts:
//     if room: slots[thread] = window[thread]
//     rows[thread + 1] = part
//   barrier
//   the first warp:
//     each lane loads two rows
//     tell what the tile comes to
//     while there are tiles before: ask what these come to
//     rows = what is before each part
//   barrier
//   if part < parts: all[part + 1] = rows[thread + 1]
//   size = min(rows[after the last part] - rows[0], number of slots, size of out - rows[0])
//   if part < parts:
//     begin, end = min(rows[thread], rows[thread + 1] - rows[0], number of slots)
//     for n = begin to end: order[n] = n + (thread - begin)
//   barrier
//   if room: for n = thread to size step 64: out[rows[0] + n] = slots[order[n]]
//
// CHECK-LABEL: func.func @scan(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[ALL:[^ ]+]]: memref<?x1xindex>, %[[IN:[^ ]+]]: memref<?xi16>, %[[OUT:[^ ]+]]: memref<?xi16>)
// CHECK:         %[[MEMORY:.+]] = gpu.alloc (%{{.+}}) {nacho.zeros} : memref<?xi8>
// CHECK:         %[[WORDS:.+]] = memref.view %[[MEMORY]]
// CHECK:         %[[BLOCKS:.+]] = arith.maxui
// CHECK:         %[[LAST:.+]] = arith.subi %[[BLOCKS]], %c1
// CHECK:         gpu.launch
// CHECK-SAME:      %[[TAKEN:[^ ]+]] : memref<1xindex, #gpu.address_space<workgroup>>
// CHECK-SAME:      %[[ROWS:[^ ]+]] : memref<65x1xindex, #gpu.address_space<workgroup>>
// CHECK-SAME:      %[[SHARED:[^ ]+]] : memref<{{.+}}xi8
// CHECK:           memref.atomic_rmw addi %{{.+}}, %[[WORDS]]
// CHECK:           memref.store %{{.+}}, %[[TAKEN]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      %[[FOUND:.+]] = memref.load %[[TAKEN]]
// CHECK-NEXT:      %[[BLOCK:.+]] = arith.minui %[[FOUND]], %[[LAST]]
// CHECK:           %[[SLOTS:.+]] = memref.view %[[SHARED]][%c0{{[^]]*}}][%{{.+}}] : {{.+}} to memref<?xi16, #gpu
// CHECK:           %[[WINDOW:.+]] = memref.view %[[SHARED]][%[[FREE:.+]]][%{{.+}}] : {{.+}} to memref<?xi16, #gpu
// CHECK:           %[[ORDER:.+]] = memref.view %[[SHARED]][%[[FREE]]][%{{.+}}] : {{.+}} to memref<?xi16, #gpu
// CHECK:           %[[ROOM:.+]] = arith.andi
// CHECK-NEXT:      scf.if %[[ROOM]] {
// CHECK:             memref.load %[[IN]]
// CHECK:             memref.store %{{.+}}, %[[WINDOW]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if
// CHECK:             scf.if %[[ROOM]] {
// CHECK:               %[[X:.+]] = memref.load %[[WINDOW]]
// CHECK-NEXT:          memref.store %[[X]], %[[SLOTS]]
// CHECK-NEXT:        }
// CHECK-NOT:         memref.load %[[IN]]
// CHECK:             memref.store %{{.+}}, %[[ROWS]]
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
// CHECK:           %[[LENGTH:.+]] = memref.dim %[[OUT]]
// CHECK:           %[[SIZE:.+]] = arith.minui
// CHECK-NEXT:      scf.if
// CHECK:             %[[FROM:.+]] = arith.minui
// CHECK:             %[[TO:.+]] = arith.minui
// CHECK:             %[[MOVED:.+]] = arith.subi %{{.+}}, %[[FROM]]
// CHECK-NEXT:        %[[BY:.+]] = arith.index_castui %[[MOVED]] : index to i16
// CHECK:             scf.for %[[K:.+]] = %[[FROM]] to %[[TO]] step
// CHECK-NEXT:          %[[SHORT:.+]] = arith.index_castui %[[K]] : index to i16
// CHECK-NEXT:          %[[SLOT:.+]] = arith.addi %[[SHORT]], %[[BY]] : i16
// CHECK-NEXT:          memref.store %[[SLOT]], %[[ORDER]][%[[K]]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if %[[ROOM]] {
// CHECK:             scf.for %[[K:.+]] = %{{.+}} to %[[SIZE]]
// CHECK-NEXT:          memref.load %[[ORDER]][%[[K]]]
// CHECK:               %[[X:.+]] = memref.load %[[SLOTS]]
// CHECK-NEXT:          memref.store %[[X]], %[[OUT]]
// CHECK:           gpu.terminator
// CHECK:         gpu.dealloc %[[MEMORY]]
func.func @scan(%n: index, %all: memref<?x1xindex>, %in: memref<?xi16>, %out: memref<?xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 64
    nacho.stage_in %in[%begin to %end] alone : memref<?xi16>
    %size = arith.subi %end, %begin : index
    %slots = nacho.tile_memory of %size : memref<?xi16>
    %row = arith.subi %part, %begin : index
    %hasRoom = nacho.tile_room
    scf.if %hasRoom {
      %x = memref.load %in[%part] : memref<?xi16>
      memref.store %x, %slots[%row] : memref<?xi16>
    }
    %rows = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<65x1xindex> {
    ^bb0(%x: index, %y: index):
      %sum = arith.addi %x, %y : index
      nacho.yield %sum : index
    }
    %next = arith.addi %row, %c1 : index
    %place = memref.load %rows[%row, %c0] : memref<65x1xindex>
    %after = memref.load %rows[%next, %c0] : memref<65x1xindex>
    %first = memref.load %rows[%c0, %c0] : memref<65x1xindex>
    %last = memref.load %rows[%size, %c0] : memref<65x1xindex>
    nacho.tile_append %slots[%row] to %out[%place to %after in %first to %last]
        : memref<?xi16> to memref<?xi16>
  }
  return
}
