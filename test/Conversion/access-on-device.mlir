// RUN: nacho-opt %s -split-input-file -nacho-access-on-device -canonicalize | FileCheck %s

// What is on the device stays there, and numbers of the host stay on the host.
//
// CHECK-LABEL: func.func @negative(
// CHECK:         %[[SUM:.+]] = arith.addi
// CHECK-NEXT:    gpu.launch
// CHECK-NEXT:      memref.store %[[SUM]]
// CHECK-NEXT:      gpu.terminator
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @negative(%n: index, %out: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  %sum = arith.addi %n, %c1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%x = %c1, %y = %c1, %z = %c1) {
    memref.store %sum, %out[%tx] : memref<?xindex>
    gpu.terminator
  }
  return
}

// -----

// What the host has read, and computed from it, the kernel reads and computes.
//
// CHECK-LABEL: func.func @read(
// CHECK-SAME:    %[[POS:[^ ]+]]: memref<?xi32>, %[[ROWS:[^ ]+]]: index, %[[OUT:[^ ]+]]: memref<?xindex>)
// CHECK-NOT:     memref.load
// CHECK:         gpu.launch
// CHECK-NEXT:      %[[LOADED:.+]] = memref.load %[[POS]][%[[ROWS]]]
// CHECK-NEXT:      %[[N:.+]] = arith.index_castui %[[LOADED]]
// CHECK-NEXT:      memref.store %[[N]], %[[OUT]]
// CHECK-NOT:     memref.load
// CHECK:         return
func.func @read(%pos: memref<?xi32>, %rows: index, %out: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  %loaded = memref.load %pos[%rows] : memref<?xi32>
  %n = arith.index_castui %loaded : i32 to index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%x = %c1, %y = %c1, %z = %c1) {
    memref.store %n, %out[%tx] : memref<?xindex>
    gpu.terminator
  }
  return
}

// -----

// Writes that follow each other share a launch, with the reads between them.
//
// CHECK-LABEL: func.func @write(
// CHECK-SAME:    %[[SIZES:[^ ]+]]: memref<2xindex>, %[[N:[^ ]+]]: index)
// CHECK-NOT:     memref.
// CHECK:         gpu.launch blocks({{.+}}) in (%{{.+}} = %c1, {{.+}}) threads({{.+}}) in (%{{.+}} = %c1, {{.+}}) {
// CHECK-NEXT:      memref.store %[[N]], %[[SIZES]][%c0]
// CHECK-NEXT:      %[[FIRST:.+]] = memref.load %[[SIZES]][%c0]
// CHECK-NEXT:      %[[SUM:.+]] = arith.addi %[[FIRST]], %[[N]]
// CHECK-NEXT:      memref.store %[[SUM]], %[[SIZES]][%c1]
// CHECK-NEXT:      gpu.terminator
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @write(%sizes: memref<2xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  memref.store %n, %sizes[%c0] : memref<2xindex>
  %first = memref.load %sizes[%c0] : memref<2xindex>
  %sum = arith.addi %first, %n : index
  memref.store %sum, %sizes[%c1] : memref<2xindex>
  return
}

// -----

// Before a call, and after it: what the called function reads or writes is not known.
// Loops that hold a launch stay on the host.
//
// CHECK-LABEL: func.func @between(
// CHECK:         gpu.launch
// CHECK:           memref.store
// CHECK:         call @other
// CHECK:         scf.for
// CHECK-NOT:       memref.
// CHECK:           gpu.launch
// CHECK-NEXT:        memref.store
// CHECK:           call @other
// CHECK:         return
func.func private @other()
func.func @between(%sizes: memref<2xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  memref.store %n, %sizes[%c0] : memref<2xindex>
  call @other() : () -> ()
  scf.for %i = %c0 to %n step %c1 {
    memref.store %i, %sizes[%c1] : memref<2xindex>
    func.call @other() : () -> ()
  }
  return
}
